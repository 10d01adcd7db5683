import Bus
import Foundation
import TestSupport
import Testing

@testable import Server

/// Servers over one database that cannot work together say so.
@Suite("Servers that use the same database")
struct NodeRosterTests {
    private func ready(_ server: TestServer) async throws -> String {
        let socket = try RawSocket(port: server.port)
        defer { socket.close() }
        try await socket.send("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n")
        let response = try await socket.response()
        #expect(response.status == 200)
        return response.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func says(_ server: TestServer, _ words: String) async throws {
        _ = try await eventually("readyz says: \(words)") { try await ready(server).contains(words) ? true : nil }
    }

    @Test("Without NATS each says that another one is there, and no more when it is gone")
    func withoutNATS() async throws {
        let first = try await TestServer.start { $0.nodesLookInterval = .milliseconds(50) }
        #expect(try await ready(first) == "ready")
        let second = try await first.startBeside()
        for server in [first, second] {
            try await says(server, "warning: this server has no NATS, and others (")
        }
        await second.stop()
        _ = try await eventually("it is alone again") { try await ready(first) == "ready" ? true : nil }
        await first.stop()
    }

    @Test("Two of the same name say so")
    func sameName() async throws {
        let nats = try await TestNATS.start()
        let nodes = NodesConfiguration(nats: try NATSConfiguration(nats.url), name: "north")
        let first = try await TestServer.start {
            $0.nodesLookInterval = .milliseconds(50)
            $0.nodes = nodes
        }
        let second = try await first.startBeside()
        for server in [first, second] { try await says(server, "another server is called north as well") }
        await second.stop()
        await first.stop()
    }

    @Test("What is wrong is told by who sees it")
    func troubles() {
        func troubles(_ own: (String, Bool), _ others: [(String, Bool)]) -> [String] {
            NodeRoster.troubles(
                .init(name: own.0, hasBus: own.1), others: others.map { .init(name: $0.0, hasBus: $0.1) })
        }
        #expect(troubles(("a", false), []) == [])
        #expect(troubles(("a", true), [("b", true), ("c", true)]) == [])
        #expect(troubles(("a", true), [("b", true), ("a", true)]).count == 1)
        #expect(troubles(("a", true), [("b", false)]).first?.hasPrefix("b uses the same database without NATS") == true)
        // Names of servers without NATS are the machine's, which may well be the same.
        #expect(troubles(("a", false), [("a", false)]).count == 1)
    }
}
