import CampanileClient
import Foundation
import Glibc
import Postgres
import Synchronization
import TestSupport
import Testing
import Wire

@Suite("Conversations through restarts, kills and a full disk")
struct ChatOutageTests {
    /// What one device is given of a conversation, over as many connections as it takes.
    fileprivate final class Device: Sendable {
        struct State: Sendable {
            var position: TopicPosition?
            var offsets: [Int64] = []
            var events: [ChatEvent] = []
            var recovered: [Bool] = []
        }
        private let state = Mutex(State())
        var now: State { state.withLock { $0 } }

        func open(_ conversation: Int64, on connection: CampanileConnection) async throws {
            try await connection.follow(log: "chat/\(conversation)", of: ChatEvent.self, since: now.position) { event in
                self.state.withLock { state in
                    switch event {
                    case .resumed(let reply):
                        state.recovered.append(reply.recovered)
                        for one in reply.publications { state.take(one) }
                        state.position = TopicPosition(epoch: reply.epoch, offset: reply.offset)
                    case .published(let epoch, let publication):
                        state.take(publication)
                        state.position = TopicPosition(epoch: epoch, offset: publication.offset)
                    }
                }
            }
        }

        func waitFor(_ offset: Int64) async throws {
            _ = try await eventually("offset \(offset)") { self.now.offsets.last ?? 0 >= offset ? true : nil }
        }
    }

    /// Two buddies and their conversation.
    private struct Pair {
        let tokens: [String]
        let accounts: [Int64]
        let conversation: Int64

        init(_ server: TestServer, _ database: PostgresConnection) async throws {
            var (tokens, accounts) = ([String](), [Int64]())
            for _ in 0..<2 {
                let (connection, signedIn) = try await server.register()
                tokens.append(signedIn.token)
                accounts.append(signedIn.account.id)
                await connection.close()
            }
            let row = try await database.query(
                """
                INSERT INTO buddies (low_id, high_id, conversation_id, matched_at)
                SELECT least(one, other), greatest(one, other), chat_open_direct(one, other, now()), now()
                FROM (VALUES ($1::bigint, $2::bigint)) AS pair (one, other) RETURNING conversation_id
                """, [.int(accounts[0]), .int(accounts[1])]
            ).first
            conversation = try #require(try row?.int("conversation_id"))
            (self.tokens, self.accounts) = (tokens, accounts)
        }

        func send(
            _ text: String, id: String = UUID().uuidString, on connection: CampanileConnection
        ) async throws -> ChatPosition {
            try await connection.call(ChatSend.self, .init(conversation: conversation, id: id, text: text))
        }

        /// What the log has of messages: each text by its offset.
        func stored(_ database: PostgresConnection) async throws -> [Int64: String] {
            let rows = try await database.query(
                "SELECT at_offset, body FROM chat_log WHERE conversation_id = $1 AND kind = 'message'",
                [.int(conversation)])
            return Dictionary(
                uniqueKeysWithValues: try rows.map { (try $0.int("at_offset"), try $0.text("body")) })
        }
    }

    @Test(
        "Who comes back after a restart of the server gets by offset what it missed of a conversation, once and in order"
    )
    func restart() async throws {
        let server = try await TestServer.start()
        let database = try await server.database()
        let pair = try await Pair(server, database)
        let device = Device()
        let reader = try await server.connect(token: pair.tokens[1])
        try await device.open(pair.conversation, on: reader)
        var writer = try await server.connect(token: pair.tokens[0])
        let first = try #require(try await pair.send("1", on: writer).offset)
        try await device.waitFor(first)
        await reader.close()

        let id = UUID().uuidString
        let missed = try await pair.send("2", id: id, on: writer)
        let edit = try await writer.call(
            ChatEdit.self, .init(conversation: pair.conversation, message: first, text: "one"))
        await writer.close()
        try await server.startAgain()

        writer = try await server.connect(token: pair.tokens[0])
        #expect(try await pair.send("2", id: id, on: writer) == missed)
        let again = try await server.connect(token: pair.tokens[1])
        try await device.open(pair.conversation, on: again)
        let last = try #require(try await pair.send("3", on: writer).offset)
        try await device.waitFor(last)
        let now = device.now
        #expect(now.recovered == [false, true])
        #expect(now.offsets == Array(first...last))
        #expect(now.events.map(\.type) == [.message, .message, .edited, .message])
        #expect(now.events.map(\.text) == ["1", "2", "one", "3"])
        #expect(edit.offset == first + 2)
        let list = try await again.call(ChatList.self).conversations
        #expect(list.map(\.unread) == [3])
        for connection in [writer, again] { await connection.close() }
        database.close()
        await server.stop()
    }

    /// A reload takes as long as it takes until PostgreSQL's processes have seen it.
    private func waitUntilCommitsWait(_ database: PostgresConnection, probe: PostgresConnection) async throws {
        _ = try await eventually("commits wait") { () -> Bool? in
            let isOver = Atomic<Bool>(false)
            let committing = Task {
                _ = try? await probe.query("SELECT pg_logical_emit_message(true, 'probe', '')")
                isOver.store(true, ordering: .relaxed)
            }
            var hasWaited = false
            // Until it is over, which it is not by itself once it waits.
            while !isOver.load(ordering: .relaxed) {
                try await Task.sleep(for: .milliseconds(50))
                let waiting = try await database.query(
                    "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
                if !waiting.isEmpty { hasWaited = true }
            }
            await committing.value
            return hasWaited ? true : nil
        }
        probe.close()
    }

    @Test(
        "Killed between commit and acknowledgement: readers get the message, lists hear of it, sent again it is the same"
    )
    func killedBehindTheCommit() async throws {
        // A cluster of its own: it is killed.
        let server = try await TestServer.start { ($0.databaseURL, $0.ownerDatabaseURL) = (nil, nil) }
        let postgres = server.dataDirectory + "/postgres"
        func administrator() async throws -> PostgresConnection {
            try await PostgresConnection.connect(
                configuration: PostgresConfiguration(
                    connectionString:
                        "host=\(postgres)/socket user=postgres dbname=campanile passfile=\(postgres)/pgpass"),
                loop: TestDatabase.shared.loop)
        }
        var database = try await administrator()
        let pair = try await Pair(server, database)
        let (writer, reader) = (
            try await server.connect(token: pair.tokens[0]), try await server.connect(token: pair.tokens[1])
        )
        let device = Device()
        try await device.open(pair.conversation, on: reader)
        // Of the same account, with nothing open.
        let other = try await server.connect(token: pair.tokens[1])
        let signals = Mutex<[UserSignal]>([])
        try await other.follow(user: pair.accounts[1]) { signal in signals.withLock { $0.append(signal) } }
        // From here on a commit is on the disk, and then waits for a standby that there is not.
        try await database.script("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        try await database.script("SELECT pg_reload_conf()")
        try await waitUntilCommitsWait(database, probe: try await administrator())
        let id = UUID().uuidString
        let sending = Task { try await pair.send("committed", id: id, on: writer) }
        _ = try await eventually("a commit waits") {
            try await database.query("SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'").isEmpty ? nil : true
        }
        #expect(device.now.offsets.isEmpty)
        // For the one that comes after.
        try await database.script("ALTER SYSTEM RESET synchronous_standby_names")
        let process = try #require(
            try String(contentsOfFile: postgres + "/data/postmaster.pid", encoding: .utf8).split(separator: "\n").first
                .flatMap { pid_t($0) })
        kill(process, SIGKILL)
        let refusal = await #expect(throws: RPCError.self) { _ = try await sending.value }
        #expect(refusal?.registered == .unavailable)

        database.close()
        // Nobody sends it again: the look into the log finds it.
        _ = try await eventually("the message is given") { device.now.offsets.count == 1 ? true : nil }
        _ = try await eventually("the list is told") { signals.withLock { $0.isEmpty } ? nil : true }
        #expect(
            signals.withLock { $0 } == [UserSignal(type: .conversation, conversation: pair.conversation)])
        #expect(try await other.call(ChatList.self).conversations.map(\.unread) == [1])
        let place = try await eventually("it is sent again") { () -> ChatPosition? in
            try? await pair.send("committed", id: id, on: writer)
        }
        let next = try await pair.send("after", on: writer)
        try await device.waitFor(try #require(next.offset))
        #expect(place.offset == device.now.offsets.first)
        #expect(device.now.offsets == [place.offset, next.offset])
        #expect(device.now.events.map(\.text) == ["committed", "after"])
        database = try await administrator()
        #expect(try await pair.stored(database).values.sorted() == ["after", "committed"])
        database.close()
        for connection in [writer, reader, other] { await connection.close() }
        await server.stop()
    }

    @Test(
        "While the disk is full what is written is refused in the requirement's words, and goes through afterwards, once"
    )
    func fullDisk() async throws {
        let server = try await TestServer.start()
        let database = try await server.database()
        let pair = try await Pair(server, database)
        let (writer, reader) = (
            try await server.connect(token: pair.tokens[0]), try await server.connect(token: pair.tokens[1])
        )
        let device = Device()
        try await device.open(pair.conversation, on: reader)
        let before = try await pair.send("before", on: writer)
        let message = try #require(before.offset)
        // As PostgreSQL says it when a table cannot grow.
        try await database.script(
            """
            CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
            END $$;
            CREATE TRIGGER no_room BEFORE INSERT OR UPDATE ON chat_log FOR EACH ROW EXECUTE FUNCTION no_room()
            """)
        let id = UUID().uuidString
        let writes: [@Sendable () async throws -> Void] = [
            { _ = try await pair.send("during", id: id, on: writer) },
            {
                _ = try await writer.call(
                    ChatEdit.self, .init(conversation: pair.conversation, message: message, text: "edited"))
            },
            {
                _ = try await writer.call(
                    ChatReact.self,
                    .init(conversation: pair.conversation, message: message, emoji: .fire, on: true))
            },
        ]
        for write in writes {
            let refusal = await #expect(throws: RPCError.self) { try await write() }
            #expect(refusal?.registered == .storageFull)
            #expect(refusal?.message == "Insufficient Storage, please contact an admin")
            #expect(refusal?.data?.retryAfter ?? 0 > 0)
        }
        try await database.script("DROP TRIGGER no_room ON chat_log")
        let place = try await pair.send("during", id: id, on: writer)
        #expect(try await pair.send("during", id: id, on: writer) == place)
        try await device.waitFor(message + 1)
        #expect(place.offset == message + 1)
        #expect(device.now.offsets == [message, message + 1])
        #expect(try await pair.stored(database) == [message: "before", message + 1: "during"])
        for connection in [writer, reader] { await connection.close() }
        database.close()
        await server.stop()
    }
}

extension ChatOutageTests.Device.State {
    fileprivate mutating func take(_ publication: Publication<ChatEvent>) {
        offsets.append(publication.offset)
        events.append(publication.data)
    }
}
