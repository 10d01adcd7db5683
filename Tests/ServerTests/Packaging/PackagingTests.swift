import EventLoop
import Foundation
import TestSupport
import Testing

/// What is installed beside the program, and what the documents say of it.
@Suite("Packaging")
struct PackagingTests {
    static let root = TestServer.root
    private static let build = root.appendingPathComponent(".build/debug/").path + "/"
    private static let program = build + "campanile"
    private static let workers = WorkerPool(label: "packaging", concurrentMax: 1, waitingMax: 16)

    static let articles = "Sources/campanile/Documentation.docc"

    static func article(_ name: String) throws -> String { try text("\(articles)/\(name).md") }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    static func run(_ command: [String]) async throws -> String {
        try await workers.run {
            try ChildProcess.run(
                command, environment: ["CAMPANILE_RESOURCES": root.path, "HOME": "/nonexistent"],
                timeLimit: .seconds(60)
            ).output
        }
    }

    @Test("Each flag of the commands for operators is in the Settings article")
    func flags() async throws {
        let article = try Self.article("Settings")
        for command in ["serve", "import", "migrate", "demo", "backup", "restore", "doctor"] {
            let help = try await Self.run([Self.program, command, "--help"])
            let options = help.split(separator: "\n").filter { $0.hasPrefix("  -") }
            let flags = Set(options.flatMap { $0.matches(of: /--[a-z][a-z-]+/).map { String($0.output) } })
                .subtracting(["--help", "--version"])
            #expect(flags.count > 1, "\(help)")
            let missing = flags.filter { flag in
                !article.contains("`\(flag)`") && !article.contains("`\(flag) ") && !article.contains(" \(flag)`")
                    && !article.contains("\(command) \(flag)")
            }
            #expect(missing.isEmpty, "\(command): \(missing.sorted())")
        }
    }

    @Test("Each command in the documents is one of the program, with flags that it takes")
    func commands() async throws {
        let pattern = /(?:^|[`\/ ])(campanile|campanile-bench) (?:help )?([a-z][a-z-]*)(?: ([a-z][a-z-]*))?([^`#]*)/
        let subcommands = [
            "attack", "day", "enumeration", "loss", "notices", "route", "stop", "storm", "create", "set-role",
            "reset-password",
        ]
        var helps: [String: String] = [:]
        var count = 0
        let articles = [
            "Administration", "Backups", "Benchmarks", "Databases", "Install", "Monitoring", "Nodes", "OwnCampus",
            "Scripting", "Settings", "SeveralServers", "TLS", "Tour", "Troubleshooting", "Upgrades",
        ]
        for document in ["README.md", "CONTRIBUTING.md"] + articles.map({ "\(Self.articles)/\($0).md" }) {
            for line in try Self.text(document).replacing("sudo -u campanile ", with: "").split(separator: "\n") {
                // A command in a fence or between backticks; options that a table lists behind it are its own.
                for match in line.matches(of: pattern) {
                    let program = String(match.1)
                    var command = [String(match.2)]
                    if program == "campanile-bench", !subcommands.contains(command[0]) {
                        command = ["scenario"]
                    } else if command[0] == "user", let second = match.3, subcommands.contains(String(second)) {
                        command.append(String(second))
                    }
                    let name = ([program] + command).joined(separator: " ")
                    if helps[name] == nil {
                        helps[name] = try await Self.run([Self.build + program, "help"] + command)
                    }
                    let help = try #require(helps[name])
                    #expect(help.contains("USAGE: \(name)"), "\(document): \(line)")
                    let listsOptions = document == "CONTRIBUTING.md" || document.hasSuffix("/Benchmarks.md")
                    let rest = line.hasPrefix("| ") && listsOptions ? line[match.range.upperBound...] : ""
                    for flag in (String(match.4) + rest).matches(of: /--[a-z][a-z-]+/).map(\.output) {
                        #expect(help.contains("\(flag)"), "\(document): \(name) has no \(flag)")
                        count += 1
                    }
                }
            }
        }
        #expect(count > 30 && helps.count > 15, "\(count) \(helps.keys.sorted())")
    }

    @Test("Each variable that the program reads is in the Settings article")
    func variables() throws {
        let article = try Self.article("Settings")
        let sources = Self.root.appendingPathComponent("Sources")
        let files = try #require(FileManager.default.enumerator(atPath: sources.path))
        var variables: Set<String> = []
        for case let path as String in files where path.hasSuffix(".swift") && !path.hasPrefix("Bench/") {
            let text = try String(contentsOf: sources.appendingPathComponent(path), encoding: .utf8)
            variables.formUnion(text.matches(of: /"(CAMPANILE_[A-Z_]+)"/).map { String($0.1) })
        }
        #expect(variables.count > 30)
        let missing = variables.filter { !article.contains($0) }
        #expect(missing.isEmpty, "\(missing.sorted())")
    }

    @Test("Each library that the program needs is in a package that the documents and the image install")
    func packages() async throws {
        let dynamic = try await Self.run(["/usr/bin/readelf", "-d", Self.program])
        let libraries = dynamic.matches(of: /\(NEEDED\).*\[(lib[^\]]+)\]/).map { String($0.output.1) }
            // Linked statically in a release, and always there.
            .filter { library in
                ![
                    "libswift", "libFoundation", "lib_Foundation", "libdispatch", "libBlocks", "libc.so", "libm.so",
                    "libgcc",
                ]
                .contains { library.hasPrefix($0) }
            }
        #expect(libraries.count >= 5, "\(libraries)")
        let article = try Self.article("Install")
        let image = try #require(try Self.text("deploy/Dockerfile").components(separatedBy: "FROM debian").last)
        for library in libraries {
            let owner = try await Self.run(["/usr/bin/dpkg", "-S", "*/\(library)"])
            let package = try #require(owner.split(separator: ":").first.map(String.init), "\(library): \(owner)")
            #expect(article.contains(package), "\(library) is of \(package), which Install does not name")
            if package != "libstdc++6" { #expect(image.contains(package), "\(package) is not in the image") }
        }
    }

    @Test("pg_dump and pg_restore are in the image, and among the packages that the documents install")
    func backupTools() throws {
        let stages = try Self.text("deploy/Dockerfile").components(separatedBy: "FROM ${RUNTIME_IMAGE}")
        let image = try #require(stages.last)
        #expect(image.contains(" postgresql-client-15 "))
        #expect(try Self.article("Install").contains("postgresql-client-15"))
        let article = try Self.article("Backups")
        #expect(article.contains(" migrate backup /backup/") && article.contains(" migrate restore /backup/"))
    }

    @Test("The unit lets the server ask the kernel whether its clock is kept right")
    func clock() throws {
        let unit = try Self.text("deploy/campanile.service")
        // ProtectClock= forbids adjtimex(2), reading included. Without capabilities nobody sets a clock.
        #expect(!unit.contains("\nProtectClock=yes") && unit.contains("\nSystemCallFilter=adjtimex\n"))
        #expect(unit.contains("\nCapabilityBoundingSet=\n"))
    }

    @Test("No server has the owner's credentials, or a NATS without a password")
    func credentials() throws {
        let compose = try Self.text("docker-compose.yml")
        let services = compose.components(separatedBy: "\n\n").filter { $0.contains("CAMPANILE_OWNER_PASSWORD") }
        #expect(services.count == 2 && services.contains { $0.contains("POSTGRES_DB") })
        #expect(services.contains { $0.contains("command: [\"migrate\"]") })
        #expect(!compose.contains(":-}@") && !compose.contains("NATS_PASSWORD:-"))
        let unit = try Self.text("deploy/campanile.service")
        #expect(
            !unit.contains("CAMPANILE_OWNER")
                && unit.contains("After=network-online.target postgresql.service campanile-migrate.service"))
        for call in ["landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self"] {
            #expect(unit.contains(call))
        }
        #expect(
            try Self.text("deploy/campanile-migrate.service").contains("EnvironmentFile=/etc/campanile/migrate.env"))
    }

    @Test("Addresses that are secrets are in no proxy's log")
    func secretPaths() throws {
        let proxy = try Self.text("deploy/nginx.conf")
        let quiet = try #require(proxy.firstMatch(of: /location ~ \^\/\(([a-z|]+)\)\/ \{\s+access_log off;/)?.output.1)
        let secret: Set<Substring> = ["s", "l", "calendar", "welcome", "reset", "unsubscribe"]
        #expect(Set(quiet.split(separator: "|")).isSuperset(of: secret))
    }
}
