import Campus
import Foundation
import Hub
import HubCore
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Plans of prepared statements")
struct PlanTests {
    /// Statements that come thousands of times a second, with new contents each time.
    private struct Hot {
        let topic: Topic
        let record: SessionRecord
        private var seq: Int64

        init(_ connection: PostgresConnection) async throws {
            topic = try #require(Topic("campus/notices"))
            let row = try #require(
                try await connection.query(
                    "SELECT \(SessionRecord.columns), s.fencing_token FROM sessions s JOIN accounts a ON a.id = s.account_id WHERE s.id = 1"
                ).first)
            record = try SessionRecord(row, pauses: [])
            seq = 1_000_000
        }

        mutating func next() throws -> [(name: String, statements: [PostgresStatement])] {
            let now = Timestamp(milliseconds: 1_795_190_400_000)
            let drafts = (0..<8).map { _ in
                Draft(
                    topic: topic, clientID: UUID().uuidString.lowercased(), authorID: 1, at: now, data: Array("1".utf8))
            }
            let messages = (0..<8).map { _ in
                OutgoingMessage(
                    conversation: 1, author: 1, clientID: UUID().uuidString.lowercased(), at: now, text: "Hello",
                    picture: nil,
                    reply: nil)
            }
            var updated = record
            let judged = try (0..<8).map { _ in
                seq += 1
                let point = TrackPoint(seq: seq, lat: 0, lon: 0, time: now)
                return FilteredPoint(point: point, verdict: updated.filter.accept(try GPSFilter.Fix(point)))
            }
            return [
                ("publications", PublicationGroup(drafts: drafts).statements),
                ("messages", MessageGroup(messages: messages).statements),
                ("points", [PointGroup(writes: [PointWrite(record: updated, judged: judged)]).statement]),
            ]
        }
    }

    private func connect(_ configuration: PostgresConfiguration) async throws -> PostgresConnection {
        try await PostgresConnection.connect(
            configuration: configuration, loop: TestDatabase.shared.loop, logger: TestDatabase.logger)
    }

    /// Rows of tables that a transaction reads, by scans and by indexes.
    private func rowsRead(_ statements: [PostgresStatement], _ connection: PostgresConnection) async throws -> Int64 {
        func count() async throws -> Int64 {
            try await connection.query(
                "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint AS n FROM pg_stat_xact_user_tables"
            ).first?.int("n") ?? 0
        }
        _ = try await connection.query("BEGIN")
        let before = try await count()
        for statement in statements { _ = try await connection.query(statement.sql, statement.parameters) }
        let after = try await count()
        _ = try await connection.query("ROLLBACK")
        return after - before
    }

    @Test("Plans that were made for empty tables read no more rows of full ones than plans made afterwards")
    func freshAndFull() async throws {
        let access = try await MigratedDatabase.shared.own()
        let owner = try await connect(access.owner)
        try await owner.script(
            """
            INSERT INTO accounts (username, username_key, email, email_key, password_hash)
            SELECT 'u' || n, 'u' || n, 'u' || n, 'u' || n, 'x' FROM generate_series(1, 2) n;
            INSERT INTO topics (name) VALUES ('campus/notices');
            INSERT INTO sessions (account_id, client_id, activity, title, simulated, started_at)
            VALUES (1, gen_random_uuid(), 'run', 'Run', false, now());
            SELECT chat_open_direct(1, 2, now());
            """)
        let old = try await connect(access.application)
        var hot = try await Hot(old)
        // PostgreSQL plans the first five executions anew in any case, and then perhaps once for all.
        for _ in 0..<8 {
            for (_, statements) in try hot.next() {
                for statement in statements { _ = try await old.query(statement.sql, statement.parameters) }
            }
        }
        try await owner.script(Self.filling)
        // What the server does every two seconds.
        _ = try await eventually("the tables are analysed") {
            let rows = try await old.query("SELECT statistics_refresh(4) AS name")
            return rows.isEmpty ? true : nil
        }
        var read: [String: Int64] = [:]
        for (name, statements) in try hot.next() { read[name] = try await rowsRead(statements, old) }
        try await owner.script("ANALYZE")
        let new = try await connect(access.application)
        for (name, statements) in try hot.next() {
            let best = try await rowsRead(statements, new)
            let rows = try #require(read[name])
            #expect(rows <= 2 * best + 200, "\(name): \(rows) rows, with a plan of full tables \(best)")
        }
        for connection in [owner, old, new] { connection.close() }
    }

    @Test("Plans end when a table has doubled, and not before")
    func refreshed() async throws {
        let access = try await MigratedDatabase.shared.own()
        let (owner, server) = (try await connect(access.owner), try await connect(access.application))
        func refresh() async throws -> [String] {
            try await server.query("SELECT statistics_refresh(100) AS name").map { try $0.text("name") }
        }
        func add(_ count: Int) async throws {
            try await owner.script(
                "INSERT INTO topics (name) SELECT gen_random_uuid() FROM generate_series(1, \(count))")
            try await owner.script("SELECT pg_stat_force_next_flush()")
        }
        try await owner.script("ALTER TABLE topics SET (autovacuum_enabled = off)")
        // One that was never analysed is due at its first row.
        try await owner.script("ANALYZE topics")
        for (count, isDue) in [(50, false), (60, true), (60, false), (60, true)] {
            try await add(count)
            let names = try await refresh()
            #expect(names.contains("topics") == isDue, "after \(count) more")
        }
        for connection in [owner, server] { connection.close() }
    }

    @Test(
        "Plans are kept while rows of a small table are updated, however often; a table that was never analysed is analysed"
    )
    func updated() async throws {
        let access = try await MigratedDatabase.shared.own()
        let (owner, server) = (try await connect(access.owner), try await connect(access.application))
        func refresh() async throws -> [String] {
            try await server.query("SELECT statistics_refresh(100) AS name").map { try $0.text("name") }
        }
        try await owner.script(
            """
            ALTER TABLE topics SET (autovacuum_enabled = off);
            INSERT INTO topics (name) VALUES ('hot');
            SELECT pg_stat_force_next_flush()
            """)
        #expect(try await refresh().contains("topics"))
        for _ in 0..<3 {
            try await owner.script(
                """
                DO $$ BEGIN FOR n IN 1..500 LOOP UPDATE topics SET head_offset = head_offset + 1 WHERE name = 'hot'; END LOOP; END $$;
                SELECT pg_stat_force_next_flush()
                """)
            #expect(try await !refresh().contains("topics"))
        }
        for connection in [owner, server] { connection.close() }
    }

    private static let filling = """
        INSERT INTO accounts (username, username_key, email, email_key, password_hash)
        SELECT 'u' || n, 'u' || n, 'u' || n, 'u' || n, 'x' FROM generate_series(3, 2000) n;
        INSERT INTO publications (topic_id, at_offset, client_id, author_id, at, data)
        SELECT t.id, t.head_offset + n, gen_random_uuid(), 1, now(), '1' FROM topics t, generate_series(1, 20000) n
        WHERE t.name = 'campus/notices';
        UPDATE topics SET head_offset = head_offset + 20000 WHERE name = 'campus/notices';
        INSERT INTO chat_log (conversation_id, at_offset, kind, author_id, at, client_id, body)
        SELECT c.id, c.head_offset + n, 'message', 1 + n % 2, now(), gen_random_uuid(), 'Hello'
        FROM conversations c, generate_series(1, 20000) n;
        UPDATE conversations SET head_offset = head_offset + 20000;
        INSERT INTO sessions (account_id, client_id, activity, title, simulated, started_at, state, ended_at)
        SELECT n, gen_random_uuid(), 'run', 'Run', false, now(), 'finished', now() FROM generate_series(1, 2000) n;
        INSERT INTO points (session_id, seq, at, lat, lon, distance, moving)
        SELECT 1 + n % 2000, 1 + n / 2000, now(), 0, 0, 0, 0 FROM generate_series(0, 19999) n;
        SELECT pg_stat_force_next_flush();
        """
}
