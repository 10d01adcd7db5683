import Bus
import Foundation
import Postgres
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
        let first = try await TestServer.start { $0.nodesPollInterval = .milliseconds(50) }
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
            $0.nodesPollInterval = .milliseconds(50)
            $0.nodes = nodes
        }
        let second = try await first.startBeside()
        for server in [first, second] { try await says(server, "another server is called north as well") }
        await second.stop()
        await first.stop()
    }

    @Test("doctor does not take a server that crashed for one that runs beside its successor of the same name")
    func successor() async throws {
        let server = try await TestServer.start()
        let database = try await server.database()
        defer { database.close() }
        let pool = PostgresPool(configuration: server.access.application, loop: TestDatabase.shared.loop)
        // Nobody touches these rows: the first server crashed ten seconds ago, and the second started five seconds ago.
        func write(secondStarted seconds: Int) async throws {
            try await database.script(
                """
                DELETE FROM nodes;
                INSERT INTO nodes (run, name, has_bus, started_at, seen_at) VALUES
                ('first', 'north', true, now() - interval '60 s', now() - interval '10 s'),
                ('second', 'north', true, now() - interval '\(seconds) s', now())
                """)
        }
        await server.stop()
        try await write(secondStarted: 5)
        #expect(try await NodesCheck.troubles(pool) == [])
        try await write(secondStarted: 20)
        #expect(try await NodesCheck.troubles(pool).first?.contains("another server is called north as well") == true)
        await pool.close()
    }

    @Test("A start that fails after it said that the server lives takes that back")
    func failedStart() async throws {
        let first = try await TestServer.start { $0.metricsPort = 0 }
        let taken = try #require(await first.metricsPort)
        await #expect(throws: (any Error).self) { _ = try await first.startBeside { $0.metricsPort = taken } }
        let database = try await first.database()
        defer { database.close() }
        let count = try await database.query("SELECT count(*) AS n FROM nodes").first?.int("n")
        #expect(count == 1)
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
