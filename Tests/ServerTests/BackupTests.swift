import CampanileClient
import EventLoop
import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Server

@Suite("A backup that is restored")
struct BackupTests {
    private static let workers = WorkerPool(label: "backups", concurrentMax: 2, waitingMax: 64)

    private func backup(_ access: PrivateCluster.Access) -> DatabaseBackup {
        DatabaseBackup(owner: access.owner, loop: TestDatabase.shared.loop, workers: Self.workers)
    }

    private func migrator(_ access: PrivateCluster.Access) -> Migrator {
        Migrator(
            directory: Resources(root: TestServer.root).migrations.path, configuration: access.owner,
            applicationRole: access.application.user, extensions: ["postgis"], loop: TestDatabase.shared.loop,
            workers: Self.workers, logger: TestDatabase.logger)
    }

    /// Restores into a new database.
    private func restore(_ path: String) async throws -> PrivateCluster.Access {
        let access = try await TestDatabase.shared.makeDatabase()
        let backup = backup(access)
        try await backup.restore(path, try await backup.inspect(path), migrator: migrator(access))
        return access
    }

    private func connect(_ access: PrivateCluster.Access) async throws -> PostgresConnection {
        try await PostgresConnection.connect(configuration: access.owner, loop: TestDatabase.shared.loop)
    }

    /// What a device is given of a conversation, and where it stands.
    private final class Device: Sendable {
        private let state = Mutex((position: TopicPosition?.none, texts: [String](), recovered: [Bool]()))
        var position: TopicPosition? { state.withLock { $0.position } }
        var texts: [String] { state.withLock { $0.texts } }
        var recovered: [Bool] { state.withLock { $0.recovered } }

        func follow(_ conversation: Int64, on connection: CampanileConnection) async throws {
            try await connection.follow(log: "chat/\(conversation)", of: ChatEvent.self, since: position) { event in
                self.state.withLock { state in
                    switch event {
                    case .resumed(let reply):
                        state.recovered.append(reply.recovered)
                        // What it has is void: it loads the conversation anew.
                        if !reply.recovered { state.texts = [] }
                        for one in reply.publications { state.texts += Self.text(one.data) }
                        state.position = TopicPosition(epoch: reply.epoch, offset: reply.offset)
                    case .published(let epoch, let publication):
                        state.texts += Self.text(publication.data)
                        state.position = TopicPosition(epoch: epoch, offset: publication.offset)
                    }
                }
            }
        }

        /// Begins anew with what the conversation holds.
        func load(_ history: ChatHistory.Result) {
            state.withLock { $0.texts = history.items.reversed().flatMap { Self.text($0.event) } }
        }

        private static func text(_ event: ChatEvent) -> [String] {
            event.type == .message ? [event.text].compactMap { $0 } : []
        }
    }

    @Test(
        "Clients that were connected are told to load a conversation anew, and then miss nothing; their tokens have ended"
    )
    func conversation() async throws {
        let server = try await TestServer.start()
        let (writer, one) = try await server.register()
        let (reader, other) = try await server.register()
        let database = try await server.database()
        let conversation = try await Self.makeBuddies(one.account.id, other.account.id, database)
        database.close()
        func send(_ text: String, on connection: CampanileConnection) async throws {
            _ = try await connection.call(
                ChatSend.self, .init(conversation: conversation, id: UUID().uuidString, text: text))
        }
        let device = Device()
        try await device.follow(conversation, on: reader)
        for text in ["1", "2"] { try await send(text, on: writer) }
        let path = try TestDirectory.make("backup") + "/campanile.dump"
        #expect(try await backup(server.access).write(to: path) > 0)
        // The device sees what the backup does not hold.
        for text in ["3", "4", "5"] { try await send(text, on: writer) }
        _ = try await eventually("five messages") { device.texts == ["1", "2", "3", "4", "5"] ? true : nil }

        await server.stop()
        let restored = try await TestServer.start(over: try await restore(path))
        // Revocations made after the backup are lost, so no token is trusted.
        let refused = await #expect(throws: RPCError.self) { _ = try await restored.connect(token: one.token) }
        #expect(refused?.registered == .unauthenticated)
        var connections: [CampanileConnection] = []
        for account in [one.account, other.account] {
            let connection = try await restored.connect()
            _ = try await connection.call(
                AccountLogin.self, .init(email: account.email, password: TestServer.password))
            connections.append(connection)
        }
        // These offsets were given before to other messages.
        for text in ["6", "7", "8"] { try await send(text, on: connections[0]) }
        try await device.follow(conversation, on: connections[1])
        #expect(device.recovered.last == false)
        device.load(try await connections[1].call(ChatHistory.self, .init(conversation: conversation)))
        try await send("9", on: connections[0])
        _ = try await eventually("all messages") { device.texts == ["1", "2", "6", "7", "8", "9"] ? true : nil }
        for connection in connections + [writer, reader] { await connection.close() }
        await restored.stop()
    }

    private static func makeBuddies(_ one: Int64, _ other: Int64, _ database: PostgresConnection) async throws -> Int64
    {
        let row = try await database.query(
            """
            INSERT INTO buddies (low_id, high_id, conversation_id, matched_at)
            SELECT least(one, other), greatest(one, other), chat_open_direct(one, other, now()), now()
            FROM (VALUES ($1::bigint, $2::bigint)) AS pair (one, other) RETURNING conversation_id
            """, [.int(one), .int(other)]
        ).first
        return try #require(try row?.int("conversation_id"))
    }

    /// Columns of the schema whose name ends so.
    private func columns(ending suffix: String, _ connection: PostgresConnection) async throws -> Set<String> {
        Set(
            try await connection.query(
                """
                SELECT c.relname || '.' || a.attname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
                WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT a.attisdropped
                    AND a.attname LIKE '%' || $1
                """, [.text(suffix)]
            ).map { try $0.text("name") })
    }

    private func values(_ sql: String, _ connection: PostgresConnection) async throws -> [Int64] {
        try await connection.query("SELECT (\(sql)) AS value").map { try $0.int("value") }
    }

    @Test("Every epoch of the schema is new, every sequence is ahead of what was given, and every secret has ended")
    func marked() async throws {
        let access = try await TestDatabase.shared.makeDatabase()
        try await migrator(access).apply()
        let before = try await connect(access)
        try await before.script(BackupRows.all)
        let path = try TestDirectory.make("backup") + "/campanile.dump"
        _ = try await backup(access).write(to: path)
        let after = try await connect(try await restore(path))

        // A new column with an epoch, or with the digest of a secret, is covered by `restore_mark` or named here with its reason.
        let epochs = try await columns(ending: "epoch", after)
        #expect(epochs == ["topics.epoch", "conversations.epoch"])
        for column in epochs {
            let parts = column.split(separator: ".")
            let sql = "SELECT min(\(parts[1])) FROM \(parts[0])"
            #expect(try await values(sql, after)[0] > values("SELECT max(\(parts[1])) FROM \(parts[0])", before)[0])
        }
        let sequences = try await before.query(
            "SELECT sequencename, coalesce(last_value, 1) AS last FROM pg_sequences WHERE schemaname = 'public'")
        #expect(sequences.count > 20)
        for row in sequences {
            let name = try row.text("sequencename")
            #expect(try await values("SELECT last_value FROM public.\(name)", after)[0] >= row.int("last") + 1_000_000)
        }
        let live = Self.liveSecrets
        // A password is its owner's, who is told that it is as it was.
        #expect(try await columns(ending: "hash", after).subtracting(["accounts.password_hash"]) == Set(live.keys))
        for (column, sql) in live {
            #expect(try await values(sql, before)[0] > 0, "\(column) has no row to test with")
            #expect(try await values(sql, after)[0] == 0, "\(column)")
        }
        #expect(try await values("SELECT count(*) FROM reminder_addresses WHERE channel = 'push'", after)[0] == 0)
        #expect(try await values("SELECT count(*) FROM live_groups WHERE ended_at IS NULL", after)[0] == 0)
        // A device that saved a workout after the backup has a revision that is given again; its next save is a conflict.
        #expect(try await values("SELECT min(revision) FROM workouts", after)[0] == 1_003)
        #expect(try await values("SELECT max(revision) FROM workouts", after)[0] == 2_000_001_000)
        // Servers of before the restore have the old key, and so may a thief.
        func keys(_ connection: PostgresConnection) async throws -> [[UInt8]] {
            try await connection.query("SELECT key FROM node_keys").map { try $0.bytes("key") }
        }
        let (old, new) = (try await keys(before), try await keys(after))
        #expect(new.count == 1 && !old.isEmpty && !new.contains { old.contains($0) })
        before.close()
        after.close()
    }

    @Test("What was due before the restore is not sent again; what is due later is")
    func outboxes() async throws {
        let access = try await TestDatabase.shared.makeDatabase()
        try await migrator(access).apply()
        let before = try await connect(access)
        try await before.script(BackupRows.all)
        let path = try TestDirectory.make("backup") + "/campanile.dump"
        _ = try await backup(access).write(to: path)
        let restored = try await restore(path)
        let after = try await connect(restored)
        let reminders = try await after.query(
            "SELECT dedupe, state FROM reminders WHERE dedupe LIKE 'test/%' ORDER BY dedupe")
        #expect(
            try reminders.map { "\(try $0.text("dedupe")) \(try $0.text("state"))" }
                == ["test/due dropped", "test/later waiting", "test/sending doubtful"])
        // Nothing is left that planners would make of the time before.
        #expect(try await values("SELECT count(*) FROM reminders WHERE state = 'waiting'", after)[0] == 1)
        #expect(
            try await values("SELECT count(*) FROM reminder_plans WHERE until < now() - interval '1 hour'", after)[0]
                == 0)
        let notices = try await after.query("SELECT title, state FROM notices ORDER BY title")
        let states = try notices.map { "\(try $0.text("title")) \(try $0.text("state"))" }
        #expect(states == ["Due withdrawn", "Later scheduled"])
        #expect(try await values("SELECT count(*) FROM event_news", after)[0] == 0)
        before.close()
        after.close()
    }

    /// Functions that everybody may execute and that only the owner may, and what the server's role may do with which table.
    private func rights(_ access: PrivateCluster.Access) async throws -> (closed: Set<String>, rights: Set<String>) {
        let connection = try await connect(access)
        defer { connection.close() }
        let functions = try await connection.query(
            """
            SELECT p.oid::regprocedure::text AS name, EXISTS (
                SELECT FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a WHERE a.grantee = 0) AS is_open
            FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND p.proowner = current_user::regrole
            """
        ).map { (name: try $0.text("name"), isOpen: try $0.bool("is_open")) }
        let tables = try await connection.query(
            """
            SELECT c.relname || ' ' || p.name AS right FROM pg_class c, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS p (name)
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND c.relowner = current_user::regrole
                AND has_table_privilege($1, c.oid, p.name)
            """, [.text(access.application.user ?? "")]
        ).map { try $0.text("right") }
        return (
            Set(functions.filter { !$0.isOpen }.map(\.name)),
            Set(functions.filter(\.isOpen).map(\.name)).union(tables)
        )
    }

    @Test("Rights are a migrated database's, also when the backup names a role that is missing")
    func privileges() async throws {
        let access = try await TestDatabase.shared.makeDatabase()
        try await migrator(access).apply()
        let before = try await rights(access)
        #expect(before.closed.isSuperset(of: ["node_key_rotate()", "restore_mark(timestamp with time zone)"]))
        #expect(before.rights.count > 100)
        let administrator = try await PostgresConnection.connect(
            configuration: access.administrator, loop: TestDatabase.shared.loop)
        defer { administrator.close() }
        let role = "reader_\(access.owner.database ?? "")"
        try await administrator.script("CREATE ROLE \(role); GRANT SELECT ON accounts TO \(role)")
        let path = try TestDirectory.make("backup") + "/campanile.dump"
        _ = try await backup(access).write(to: path)
        try await administrator.script("DROP OWNED BY \(role); DROP ROLE \(role)")
        let after = try await rights(try await restore(path))
        #expect(after.closed == before.closed)
        #expect(after.rights == before.rights)
    }

    @Test("Only a database of Campanile is saved; the unfinished file of another backup is left alone")
    func writing() async throws {
        let access = try await TestDatabase.shared.makeDatabase()
        let directory = try TestDirectory.make("backup")
        let path = "\(directory)/campanile.dump"
        let error = await #expect(throws: BackupError.nothingToSave(database: access.owner.database ?? "")) {
            try await backup(access).write(to: path)
        }
        #expect(error?.description.contains("name another with --data or DATABASE_URL") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [])
        try await migrator(access).apply()
        let others = "\(path).unfinished"
        try "another's".write(toFile: others, atomically: true, encoding: .utf8)
        _ = try await backup(access).write(to: path)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == [
                "campanile.dump", "campanile.dump.unfinished",
            ])
    }

    private struct Stopped: Error {}

    @Test("A private PostgreSQL has its database until the backup is restored, and keeps it when that fails")
    func replaced() async throws {
        let loop = TestDatabase.shared.loop
        let configuration = ServerConfiguration(
            dataDirectory: try TestDirectory.make("replaced"), resources: Resources(root: TestServer.root))
        let access = try await DatabaseAccess.open(configuration, loop: loop, logger: TestDatabase.logger)
        func run(_ sql: String) async throws -> PostgresRows {
            let connection = try await PostgresConnection.connect(configuration: access.owner, loop: loop)
            defer { connection.close() }
            return try await connection.query(sql)
        }
        func topics() async throws -> [String] {
            try await run("SELECT name FROM topics WHERE name LIKE 'test/%' ORDER BY name").map { try $0.text("name") }
        }
        func databases() async throws -> [String] {
            try await run("SELECT datname::text FROM pg_database WHERE datname ^@ 'campanile' ORDER BY datname").map {
                try $0.text("datname")
            }
        }
        _ = try await run("INSERT INTO topics (name) VALUES ('test/saved')")
        let path = try TestDirectory.make("backup") + "/campanile.dump"
        let backup = access.backup(loop: loop, workers: Self.workers)
        _ = try await backup.write(to: path)
        _ = try await run("INSERT INTO topics (name) VALUES ('test/later')")
        let summary = try await backup.inspect(path)
        func fill(_ made: DatabaseAccess) async throws {
            try await made.backup(loop: loop, workers: Self.workers).restore(
                path, summary,
                migrator: made.migrator(configuration, loop: loop, workers: Self.workers, logger: TestDatabase.logger))
        }
        var kept: String?
        await #expect(throws: Stopped.self) {
            try await access.replace { made in
                try await fill(made)
                // A server that starts now, as after a kill, finds what it had.
                #expect(try await topics() == ["test/later", "test/saved"])
                let marks = try await run("SELECT 1 FROM pg_class WHERE relname = 'restore_unfinished'")
                #expect(marks.isEmpty)
                throw Stopped()
            } willKeep: {
                kept = $0
            }
        }
        #expect(kept == nil)
        #expect(try await databases() == ["campanile"])
        #expect(try await topics() == ["test/later", "test/saved"])
        try await access.replace(filling: fill) { kept = $0 }
        #expect(try await databases() == ["campanile", try #require(kept)])
        #expect(try await topics() == ["test/saved"])
        await access.close()
    }

    @Test("A database whose restore was interrupted is served by nobody; one with tables is not restored into")
    func interrupted() async throws {
        let access = try await TestDatabase.shared.makeDatabase()
        let backup = backup(access)
        #expect(try await backup.isEmpty())
        let database = try await connect(access)
        try await database.script("CREATE TABLE restore_unfinished ()")
        let name = access.owner.database ?? ""
        await #expect(throws: MigrationError.restoreUnfinished(database: name)) { try await migrator(access).apply() }
        try await database.script("DROP TABLE restore_unfinished")
        try await migrator(access).apply()
        #expect(try await !backup.isEmpty())
        let path = try TestDirectory.make("backup") + "/file"
        try "no backup".write(toFile: path, atomically: true, encoding: .utf8)
        await #expect(throws: BackupError.self) { try await backup.inspect(path) }
        await #expect(throws: BackupError.fileExists(path: path)) { try await backup.write(to: path) }
        database.close()
    }
}
