import CampanileClient
import EventLoop
import Foundation
import TestSupport
import Testing
import Wire

/// `campanile` as somebody at a terminal mistypes it.
@Suite("The command line: what cannot be")
struct CommandLineTests {
    /// One after the other: each reads all of a large program.
    private static let workers = WorkerPool(label: "command lines", concurrentMax: 1, waitingMax: 64)

    /// - Parameters:
    ///   - user: Who runs it; nobody may write into the checkout, nor `/`.
    ///   - environment: All that it has, but for where its files are.
    private static func run(
        _ arguments: [String], of program: String = "campanile", as user: String? = nil,
        _ environment: [String: String] = [:]
    ) async throws -> ChildProcess.Finished {
        let program = TestServer.root.appendingPathComponent(".build/debug/\(program)").path
        let identity = user.map { ["/usr/bin/setpriv", "--reuid", $0, "--regid", "nogroup", "--clear-groups"] } ?? []
        let all = ["CAMPANILE_RESOURCES": TestServer.root.path, "HOME": "/nonexistent"].merging(environment) { $1 }
        return try await workers.run {
            try ChildProcess.run(identity + [program] + arguments, environment: all, timeLimit: .seconds(120))
        }
    }

    private static let mail = ["--mail-from", "campus@example.org", "--public-url", "https://campus.example"]

    @Test(
        "What cannot be understood is told in one line that says what to do, and ends with 64",
        arguments: [
            (["serve", "--mail-url", "nonsense"], "--mail-url must be like smtp://mail.example.org:587"),
            (["serve", "--mail-url", "smtp://mail.example.org:99999"] + mail, "--mail-url must be like smtp://"),
            (["serve", "--mail-url", "smtp://mail.example.org"], "--mail-url needs --mail-from"),
            (["serve", "--text-gateway-url", "nonsense"], "--text-gateway-url must be an address such as https://"),
            (["serve", "--public-url", "nonsense"], "--public-url must be like https://campus.example"),
            (["serve", "--port", "abc"], "from 0 to 65535"), (["serve", "--port", "70000"], "from 0 to 65535"),
            (["serve", "--metrics-port", "-"], "from 0 to 65535"),
            (["serve", "--loops", "0"], "--loops must be 1 to 64"),
            (["serve", "--loops", "many"], "see campanile serve --help"),
            (["serve", "--nonsense"], "see campanile serve --help"), (["nonsense"], "see campanile --help"),
            (["serve", "--rate-limit", "preview=often"], "a rate is like 50/s:500"),
            (["serve", "--data", ""], "--data must name a directory"),
            (["demo", "--data", ""], "--data must name a directory"),
            (["doctor", "--data", ""], "--data must name a directory"),
            (["replay", "--data", "", "run.gpx"], "--data must name a directory"),
            (["serve", "--database-url", ""], "--database-url must not be empty"),
            (["serve", "--registration", "maybe"], "--registration must be open or closed"),
            (
                ["serve", "--database-url", "postgresql://x@y/z", "--nats", "nats://nats.example:4222"],
                "beyond this machine and lets everybody in"
            ),
            (
                [
                    "serve", "--database-url", "postgresql://x@y/z", "--nats",
                    "nats://127.0.0.1.example",
                ],
                "or allow it with --nats-open"
            ),
        ])
    func usage(arguments: [String], says: String) async throws {
        let ending = try await Self.run(arguments)
        #expect(ending.status == 64)
        #expect(ending.output.hasPrefix("campanile: ") && ending.output.contains(says), "\(ending.output)")
        #expect(ending.output.count { $0.isNewline } == 1, "one line: \(ending.output)")
    }

    @Test(
        "campanile-bench says it the same way",
        arguments: [
            (["notices", "--connections", "abc"], "see campanile-bench notices --help"),
            (["notices", "--connections", "0"], "--connections must be 1 to 60000"),
            (["notices", "--offline-percent", "101"], "--offline-percent must be 0 to 100"),
            (["nonsense"], "there is no scenario nonsense"),
        ])
    func benchUsage(arguments: [String], says: String) async throws {
        let ending = try await Self.run(arguments, of: "campanile-bench")
        #expect(ending.status == 64)
        #expect(ending.output.hasPrefix("campanile-bench: ") && ending.output.contains(says), "\(ending.output)")
        #expect(ending.output.count { $0.isNewline } == 1, "one line: \(ending.output)")
    }

    @Test("So is a variable", arguments: ["abc", "70000", "-1"])
    func variable(port: String) async throws {
        let ending = try await Self.run(["serve"], ["CAMPANILE_PORT": port])
        #expect(ending.status == 64)
        #expect(ending.output == "campanile: CAMPANILE_PORT must be a whole number from 0 to 65535\n")
    }

    @Test("A directory that cannot be made is named, with what to do, and ends with 73")
    func directory() async throws {
        for path in ["/six/nowhere", "/proc/nowhere"] {
            let ending = try await Self.run(["serve", "--port", "0", "--data", path], as: "nobody")
            #expect(ending.status == 73)
            #expect(ending.output.contains(path) && ending.output.contains("--data"), "\(ending.output)")
            #expect(ending.output.count { $0.isNewline } == 1, "one line: \(ending.output)")
        }
    }

    @Test(
        "A secret on the command line, where every user of the machine reads it, is refused and not repeated",
        arguments: [
            (["serve", "--metrics-token", "hunter2hunter2hunter2"], "CAMPANILE_METRICS_TOKEN_FILE"),
            (["serve", "--metrics-token=hunter2hunter2hunter2"], "CAMPANILE_METRICS_TOKEN_FILE"),
            (["replay", "--simulation-key", "hunter2", "run.gpx"], "CAMPANILE_SIMULATION_KEY_FILE"),
            (["serve", "--database-url", "postgresql://anna:hunter2@db/campanile"], "DATABASE_URL_FILE"),
            (["user", "set-role", "a@b.de", "admin", "--database-url=host=db password=hunter2"], "DATABASE_URL_FILE"),
            (["serve", "--text-gateway-url", "https://campus:hunter2@sms.example/"], "CAMPANILE_TEXT_GATEWAY_URL"),
        ])
    func secrets(arguments: [String], says: String) async throws {
        let ending = try await Self.run(arguments)
        #expect(ending.status == 64 && ending.output.contains(says), "\(ending.output)")
        #expect(!ending.output.contains("hunter2"))
    }

    @Test("An owner's database without the server's is refused: the command would work on a private PostgreSQL instead")
    func ownerAlone() async throws {
        let directory = try TestDirectory.make("owner-alone")
        for command in [
            ["migrate"], ["migrate", "--status"], ["backup", "\(directory)/x.dump"], ["serve"],
        ] {
            let ending = try await Self.run(
                command + ["--data", "\(directory)/data"],
                ["CAMPANILE_OWNER_DATABASE_URL": "postgresql://owner:x@127.0.0.1:1/campanile"])
            #expect(ending.status == 64, "\(command): \(ending.output)")
            #expect(ending.output.contains("also needs DATABASE_URL"), "\(ending.output)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
    }

    @Test("A file that a variable names holds a secret as well; one that is missing or empty is named")
    func secretFiles() async throws {
        let directory = try TestDirectory.make("secrets")
        let file = "\(directory)/url"
        for (content, says) in [
            (nil, "cannot be read"), ("\n", "is empty"), ("nonsense\n", "is not a PostgreSQL connection string"),
        ] {
            if let content { try Data(content.utf8).write(to: URL(fileURLWithPath: file)) }
            let ending = try await Self.run(["migrate", "--status"], ["DATABASE_URL_FILE": file])
            #expect(ending.status != 0 && ending.output.contains(says), "\(ending.output)")
        }
    }

    @Test("doctor makes nothing: an empty data directory stays empty, and one that is missing is not made")
    func doctor() async throws {
        let directory = try TestDirectory.make("doctor")
        for data in [directory, "\(directory)/missing"] {
            let ending = try await Self.run(["doctor", "--data", data, "--port", "0", "--tls"])
            #expect(ending.output.contains("no database yet in \(data): serve makes one"), "\(ending.output)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
    }

    @Test(
        "backup and migrate --status make no database: where there is none they say where they looked",
        arguments: [["backup", "FILE"], ["migrate", "--status"]])
    func noDatabase(arguments: [String]) async throws {
        let directory = try TestDirectory.make("nothing")
        let data = "\(directory)/data"
        let words = arguments.map { $0 == "FILE" ? "\(directory)/campanile.dump" : $0 }
        let ending = try await Self.run(words + ["--data", data])
        #expect(ending.status == 69)
        #expect(
            ending.output
                == "campanile: no database was found in \(data): name the server's data directory with --data, "
                + "or its database with DATABASE_URL\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [])
    }

    @Test("A backup says which database it saved, and a restore into which")
    func places() async throws {
        let directory = try TestDirectory.make("places")
        #expect(chmod(directory, 0o755) == 0)
        let file = "\(directory)/campanile.dump"
        let migrated = try await Self.run(["migrate", "--data", "\(directory)/one"])
        #expect(migrated.status == 0)
        #expect(migrated.output.contains("The schema of the private PostgreSQL in \(directory)/one"))
        let saved = try await Self.run(["backup", file, "--data", "\(directory)/one"])
        let saving = "Saved the private PostgreSQL in \(directory)/one in \(file)"
        #expect(saved.output.contains(saving), "\(saved.output)")
        let restored = try await Self.run(["restore", file, "--data", "\(directory)/two"])
        #expect(restored.status == 0, "\(restored.output)")
        #expect(restored.output.contains("Restoring into the private PostgreSQL in \(directory)/two"))
        let again = try await Self.run(["restore", file, "--replace", "--data", "\(directory)/two"])
        let kept = again.output.range(of: "is kept as campanile_before_")
        let done = again.output.range(of: "Restored \(file)")
        #expect(again.status == 0 && kept != nil && done != nil, "\(again.output)")
        if let kept, let done { #expect(kept.lowerBound < done.lowerBound) }
    }

    /// A zone of a tenth of a degree or less, as a file for an import.
    private static func zoneFile(_ name: String, south: Double, west: Double, size: Double) throws -> String {
        let (north, east) = (south + size, west + size)
        let file = try TestDirectory.make("import") + "/\(name).geojson"
        let text = """
            {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"kind":"zone","ref":"A","name":"Zone A"},
            "geometry":{"type":"Polygon","coordinates":[[[\(west),\(south)],[\(east),\(south)],[\(east),\(north)],
            [\(west),\(north)],[\(west),\(south)]]]}}]}
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        return file
    }

    @Test(
        "import changes nothing for a file that looks like a mistake, says why and ends with 65; with --force it does",
        arguments: [
            ("elsewhere", -33.0, 151.0, 0.01, "it is of another place than the present campus"),
            ("huge", 51.0, 7.5, 1.5, "a campus at most 100 km: cut it to the campus"),
        ])
    func doubtfulImport(name: String, south: Double, west: Double, size: Double, says: String) async throws {
        let server = try await TestServer.start()
        let guest = try await server.connect()
        let before = try await guest.call(CampusInfoGet.self, Empty())
        let file = try Self.zoneFile(name, south: south, west: west, size: size)
        let arguments = ["import", "--data", try TestDirectory.make("import-data"), file]
        let environment = ["DATABASE_URL": server.databaseURL]

        let refused = try await Self.run(arguments, environment)
        #expect(refused.status == 65, "\(refused.output)")
        #expect(refused.output.contains("/\(name).geojson: it ") && refused.output.contains(says), "\(refused.output)")
        #expect(refused.output.contains("use --force") && !refused.output.contains("Stored"), "\(refused.output)")
        let database = try await server.database()
        defer { database.close() }
        func stored() async throws -> (version: String, zones: Set<String>) {
            let version = try await database.query("SELECT version::text AS version FROM campus")[0].text("version")
            let zones = try await database.query("SELECT ref FROM zones").map { try $0.text("ref") }
            return (version, Set(zones))
        }
        let kept = try await stored()
        #expect(kept == (before.version, Set(before.zones.map(\.ref))))

        let forced = try await Self.run(arguments + ["--force"], environment)
        #expect(forced.status == 0, "\(forced.output)")
        // What it replaces is said first.
        #expect(forced.output.contains(/(?s)Replaces the map of.*Stored 1 zones/), "\(forced.output)")
        let now = try await stored()
        #expect(now.zones == ["A"] && now.version != kept.version)
        await guest.close()
        await server.stop()
    }

    @Test("doctor warns of servers that use one database and cannot work together, as they do themselves")
    func doctorOfServers() async throws {
        let first = try await TestServer.start { $0.nodesPollInterval = .milliseconds(50) }
        let environment = ["DATABASE_URL": first.databaseURL]
        let arguments = ["doctor", "--data", try TestDirectory.make("doctor-servers"), "--port", "0"]
        let words = "this server has no NATS, and others ("
        let alone = try await Self.run(arguments, environment)
        #expect(alone.output.contains("PostgreSQL") && !alone.output.contains(words), "\(alone.output)")
        let second = try await first.startBeside()
        for server in [first, second] {
            _ = try await eventually("readyz warns") { () -> Bool? in
                let socket = try RawSocket(port: server.port)
                defer { socket.close() }
                try await socket.send("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n")
                return try await socket.response().text.contains(words) ? true : nil
            }
        }
        let both = try await Self.run(arguments, environment)
        let line = both.output.split(separator: "\n").first { $0.contains(words) }
        #expect(line?.contains("servers") == true, "\(both.output)")
        await second.stop()
        await first.stop()
    }

    @Test("Shells complete each command, and the manual page has each with its options")
    func manual() async throws {
        for (shell, says) in [("bash", "complete"), ("zsh", "#compdef campanile"), ("fish", "complete -c 'campanile'")]
        {
            let script = try await Self.run(["--generate-completion-script", shell])
            #expect(script.status == 0 && script.output.contains(says) && script.output.contains("reset-password"))
        }
        // Into a file: what a program prints is kept only up to a limit, and this is longer.
        let file = try TestDirectory.make("manual") + "/help.json"
        let program = TestServer.root.appendingPathComponent(".build/debug/campanile").path
        let dump = ["/bin/sh", "-c", "\"$0\" --experimental-dump-help > \"$1\"", program, file]
        let environment = ["CAMPANILE_RESOURCES": TestServer.root.path, "HOME": "/nonexistent"]
        let help = try await Self.workers.run {
            try ChildProcess.run(dump, environment: environment, timeLimit: .seconds(120))
        }
        #expect(help.status == 0, "\(help.output)")
        let script = TestServer.root.appendingPathComponent("deploy/manual").path
        let page = try await Self.workers.run { try ChildProcess.run([script, file], timeLimit: .seconds(60)) }
        #expect(page.status == 0 && page.output.hasPrefix(".TH CAMPANILE 1"), "\(page.output.prefix(200))")
        for word in ["campanile user reset\\-password", "\\-\\-take\\-over", "\\-\\-registration", "CAMPANILE_DATA"] {
            #expect(page.output.contains(word), "\(word)")
        }
    }
}
