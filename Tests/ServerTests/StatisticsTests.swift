import Foundation
import TestSupport
import Testing
import Wire

@testable import Server

/// Finding D6, on the whole server.
@Suite("Statistics of tables that grow")
struct StatisticsTests {
    @Test("A fresh server analyses them by itself, soon after they have grown")
    func fresh() async throws {
        let server = try await TestServer.start {
            $0.testEndpoints = true
            $0.rateLimits = .off
        }
        let database = try await server.database()
        // What is analysed from here on, the server has seen to.
        try await database.script(
            """
            ALTER TABLE topics SET (autovacuum_enabled = off);
            ALTER TABLE publications SET (autovacuum_enabled = off);
            """)
        let (connection, _) = try await server.register()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...200 {
                group.addTask {
                    _ = try await connection.call(
                        TestPublish.self, .init(topic: "test/\(number)", id: UUID().uuidString, data: "x"))
                }
            }
            try await group.waitForAll()
        }
        for table in ["topics", "publications"] {
            // Not known of a table that was never analysed.
            _ = try await eventually("\(table) is analysed") { () -> Bool? in
                let rows = try await database.query(
                    "SELECT reltuples >= 100 AS is_known FROM pg_class WHERE oid = $1::regclass", [.text(table)])
                return try rows[0].bool("is_known") ? true : nil
            }
        }
        await connection.close()
        database.close()
        await server.stop()
    }
}
