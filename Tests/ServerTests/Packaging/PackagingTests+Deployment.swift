import Foundation
import TestSupport
import Testing

@testable import Server

/// Units, images and versions as they are delivered.
extension PackagingTests {
    /// Settings of a systemd unit, by section; comments are left out.
    private static func unit(_ name: String) throws -> [String: [String: [String]]] {
        var (sections, section) = ([String: [String: [String]]](), "")
        for line in try text("deploy/\(name)").split(separator: "\n") where !line.hasPrefix("#") {
            if line.hasPrefix("[") {
                section = String(line.dropFirst().dropLast())
            } else if let equals = line.firstIndex(of: "=") {
                let value = String(line[line.index(after: equals)...])
                sections[section, default: [:]][String(line[..<equals]), default: []].append(value)
            }
        }
        return sections
    }

    /// Seconds of a time span as the units write it.
    private static func seconds(_ span: String?) throws -> Double {
        let span = try #require(span)
        if span.hasSuffix("ms") { return try #require(Double(span.dropLast(2))) / 1_000 }
        return try #require(Double(span))
    }

    @Test("A crash restarts the server at once; a crash loop ends, raises the alarm, and is tried again after a pause")
    func crashLoop() throws {
        let server = try Self.unit("campanile.service")
        #expect(server["Service"]?["Restart"] == ["always"])
        let restart = try Self.seconds(server["Service"]?["RestartSec"]?.first)
        #expect(restart <= 1)
        // systemd reads the limit in [Unit] alone. Each start that crashes may take seconds, and must still count.
        let interval = try Self.seconds(server["Unit"]?["StartLimitIntervalSec"]?.first)
        let burst = try Self.seconds(server["Unit"]?["StartLimitBurst"]?.first)
        #expect(burst >= 2 && burst * (restart + 10) <= interval)
        #expect(server["Unit"]?["OnFailure"] == ["campanile-alarm.service"])

        let alarm = try #require(try Self.unit("campanile-alarm.service")["Service"]?["ExecStart"])
        func step(_ words: String) throws -> Int { try #require(alarm.firstIndex { $0.contains(words) }, "\(words)") }
        let (said, waited) = (try step("daemon.alert"), try step("/bin/sleep 60"))
        let (reset, started) = (try step("reset-failed campanile.service"), try step("start campanile.service"))
        #expect(said < waited && waited < reset && reset < started)
    }

    @Test(
        "systemd understands each line of the units",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze")))
    func units() async throws {
        let directory = try TestDirectory.make("units")
        let names = try FileManager.default.contentsOfDirectory(
            atPath: Self.root.appendingPathComponent("deploy").path
        ).filter { $0.hasSuffix(".service") || $0.hasSuffix(".socket") }
        #expect(names.count == 4)
        for name in names {
            // The program is not installed here.
            let unit = try Self.text("deploy/\(name)").replacing("/usr/bin/campanile", with: "/bin/true")
            try unit.write(toFile: "\(directory)/\(name)", atomically: true, encoding: .utf8)
        }
        let said = try await Self.run(["/usr/bin/systemd-analyze", "verify"] + names.map { "\(directory)/\($0)" })
        // What is installed on the machine is none of ours.
        let lines = said.split(separator: "\n").filter { $0.contains("campanile") }
        #expect(lines.isEmpty, "\(said)")
    }

    @Test("Each dependency of the package has one exact version")
    func versions() throws {
        let manifest = try Self.text("Package.swift")
        let dependencies = manifest.split(separator: "\n").filter { $0.contains(".package(") }
        #expect(dependencies.count == 3)
        for dependency in dependencies {
            #expect(dependency.contains(/, exact: "\d+\.\d+\.\d+"\)/), "\(dependency)")
        }
    }

    /// Whether an image's name says which one it is: by its digest, or by the most exact tag that its makers give.
    private static func isPinned(_ image: Substring) -> Bool {
        if image.contains(/@sha256:[0-9a-f]{64}$/) { return true }
        let parts = image.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { return false }
        let numbers = parts[1].prefix { $0.isNumber || $0 == "." || $0 == "-" }.split { !$0.isNumber }
        // Debian's point releases have two numbers; PostGIS's tags have PostgreSQL's and two of their own.
        return numbers.count >= (parts[0] == "debian" ? 2 : 3)
    }

    @Test("Images have digests or exact tags, the same in the image's file and in compose")
    func images() throws {
        for image in ["debian:bookworm-slim", "debian:12-slim", "debian", "nats:latest", "nats:2.10", "x@sha256:ab"]
            as [Substring]
        {
            #expect(!Self.isPinned(image), "\(image)")
        }
        #expect(Self.isPinned(Substring("debian:12-slim@sha256:" + String(repeating: "0a", count: 32))))
        let file = try Self.text("deploy/Dockerfile")
        let compose = try Self.text("docker-compose.yml")
        let arguments = file.matches(of: /(?m)^ARG ([A-Z]+_IMAGE)=(.+)$/).map { (name: $0.1, image: $0.2) }
        #expect(arguments.map(\.name) == ["BUILD_IMAGE", "RUNTIME_IMAGE"])
        for from in file.matches(of: /(?m)^FROM (\S+)/).map(\.1) {
            #expect(arguments.contains { from == "${\($0.name)}" }, "FROM \(from)")
        }
        for (name, image) in arguments {
            #expect(Self.isPinned(image), "\(image)")
            #expect(compose.contains("\(name): ${CAMPANILE_\(name):-\(image)}"), "\(image)")
        }
        let others = compose.matches(of: /(?m)^ +image: (.+)$/).map(\.1).filter { $0 != "campanile" }
        #expect(others.count == 2)
        for other in others {
            let image = try #require(other.firstMatch(of: /^\$\{[A-Z_]+:-(.+)\}$/)?.1, "\(other)")
            #expect(Self.isPinned(image), "\(image)")
        }
    }

    @Test("The servers of compose trust the proxy on their machine, which comes from the gateway of their network")
    func trustedProxy() throws {
        let compose = try Self.text("docker-compose.yml")
        let services = compose.components(separatedBy: "\n\n")
        let servers = services.filter { $0.contains(":8080\"") }
        #expect(servers.count == 3)
        let gateway = try #require(compose.firstMatch(of: /(?m)^ +gateway: (.+)$/)?.1)
        for server in servers {
            let own = server.contains("\n      CAMPANILE_TRUSTED_PROXY: \(gateway)\n")
            let isServersOwn = server.contains("environment: &environment")
            #expect(isServersOwn ? own : server.contains("<<: *environment"), "\(server)")
            #expect(server.contains("networks: [database, front]") || server.contains("<<: *"), "\(server)")
        }
        let address = try #require(gateway.firstMatch(of: /:-([0-9.]+)\.[0-9]+\}$/)?.1)
        #expect(compose.contains("subnet: ${CAMPANILE_FRONT_SUBNET:-\(address).0/24}"))
    }

    @Test("The server, the proxy's example and the articles agree on Strict-Transport-Security")
    func strictTransport() throws {
        let seconds = CommonFields.strictTransportSecondsMax
        #expect(seconds == 365 * 86_400)
        #expect(
            try Self.text("deploy/nginx.conf").contains(
                "add_header Strict-Transport-Security \"max-age=\(seconds)\" always;"))
        #expect(try Self.article("TLS").contains("Every answer has `Strict-Transport-Security` for a year"))
        #expect(
            try Self.article("RemainingRisks").contains(
                "every answer has `Strict-Transport-Security` (a year, without subdomains or preloading)"))
        #expect(try Self.article("ConformanceHTTP").contains("Strict-Transport-Security over TLS only"))
    }
}
