import CampanileClient
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Server
@testable import Services

/// Accounts that cannot be erased at once.
@Suite("Erasing under way")
struct ErasingTests {
    /// Keeps the row of an account from going.
    private func hold(_ account: Int64, _ owner: PostgresConnection) async throws {
        _ = try await owner.query("CREATE SCHEMA held")
        try await patiently("CREATE TABLE held.held (account_id bigint REFERENCES public.accounts)", owner)
        _ = try await owner.query("INSERT INTO held.held VALUES ($1)", [.int(account)])
    }

    /// Does what locks a whole table that the server works on, until nothing is in the way.
    private func patiently(_ sql: String, _ owner: PostgresConnection) async throws {
        for _ in 0..<50 {
            do {
                _ = try await owner.query(sql)
                return
            } catch let error as PostgresError where error.isRolledBack {
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        Issue.record("it could not be done: \(sql)")
    }

    private func isThere(_ account: Int64, _ database: PostgresConnection) async throws -> Bool {
        try await !database.query("SELECT FROM accounts WHERE id = $1", [.int(account)]).isEmpty
    }

    @Test(
        "Who deletes an account that cannot be removed now is told that it goes by itself, and is out; no admin enables it; it keeps no other, and goes when it can"
    )
    func stuck() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let owner = try await server.database()
        defer { owner.close() }
        let people = [try await ChatPerson(server), try await ChatPerson(server), try await ChatPerson(server)]
        try await hold(people[1].id, owner)
        let answer = try await people[1].client.call(
            AccountDelete.self, .init(password: TestServer.password, username: people[1].username))
        #expect(answer.message.hasPrefix("Your account is being deleted"))
        #expect(try await people[1].client.isClosed(with: .tokenRevoked))
        let again = try await ChatClient(server)
        #expect(
            try await again.refusal(
                AccountLogin.self, .init(email: "\(people[1].username)@example.org", password: TestServer.password))?
                .code
                == 1008)
        let admin = try await Official(server, .admin)
        let refused = try await admin.client.refusal(AdminEnableUser.self, .init(account: people[1].id))
        #expect(refused?.code == 1004 && refused?.message.contains("cannot be stopped") == true)
        _ = try await owner.query(
            "UPDATE accounts SET erasing_at = now(), disabled_at = now(), disabled_reason = 'is being deleted' WHERE id = ANY ($1)",
            [.intArray([people[0].id, people[2].id])])
        try await server.startAgain()
        for other in [people[0], people[2]] {
            _ = try await eventually("the others are gone") { try await self.isThere(other.id, owner) ? nil : true }
        }
        #expect(try await isThere(people[1].id, owner))
        try await patiently("DROP SCHEMA held CASCADE", owner)
        try await server.startAgain()
        _ = try await eventually("it is gone") { try await self.isThere(people[1].id, owner) ? nil : true }
        await server.stop()
    }

    @Test(
        "The statement that removes the row finds no log, no picture and no session left of the account, however much there was"
    )
    func pieces() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let owner = try await server.database()
        defer { owner.close() }
        let (who, friend) = (try await ChatPerson(server, lastName: "A"), try await ChatPerson(server, lastName: "B"))
        let direct = try await who.match(friend)
        let group = try await who.makeGroup("Lunch", with: [friend])
        try await friend.join(group)
        for conversation in [direct, group] {
            _ = try await owner.query(
                """
                INSERT INTO chat_log (conversation_id, at_offset, kind, author_id, at, client_id, body)
                SELECT c.id, c.head_offset + n, CASE n % 20 WHEN 0 THEN 'message' ELSE 'reaction' END, $2, now(), gen_random_uuid(), 'x'
                FROM conversations c, generate_series(1, 12000) n WHERE c.id = $1
                """, [.int(conversation), .int(who.id)])
            _ = try await owner.query(
                "UPDATE conversations SET head_offset = head_offset + 12000 WHERE id = $1", [.int(conversation)])
        }
        _ = try await owner.query(
            """
            INSERT INTO pictures (id, owner_id, purpose, width, height, "full", thumb)
            SELECT gen_random_uuid(), $1, 'chat', 1, 1, 'x', 'x' FROM generate_series(1, 50)
            """, [.int(who.id)])
        for statement in Self.watchSQL { _ = try await owner.query(statement) }
        let done = try await who.client.call(
            AccountDelete.self, .init(password: TestServer.password, username: who.username))
        #expect(done.message == "Account deleted")
        let found = try await owner.query("SELECT events, conversations, pictures, sessions FROM seen.seen")
        #expect(found.count == 1)
        for column in ["events", "conversations", "pictures", "sessions"] {
            #expect(try found.first?.int(column) == 0, "\(column)")
        }
        let left = try await owner.query(
            "SELECT count(*) AS n, count(deleted_at) AS deleted FROM chat_log WHERE conversation_id = $1 AND kind = 'message'",
            [.int(group)])
        #expect(try left.first?.int("n") == 600 && left.first?.int("deleted") == 600)
        await server.stop()
    }

    /// Writes down what there is when the row goes, before the triggers that remove it.
    private static let watchSQL = [
        "CREATE SCHEMA seen", "GRANT USAGE ON SCHEMA seen TO PUBLIC",
        "CREATE TABLE seen.seen (events bigint, conversations bigint, pictures bigint, sessions bigint)",
        "GRANT INSERT ON seen.seen TO PUBLIC",
        """
        CREATE FUNCTION seen.look() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO seen.seen SELECT
                (SELECT count(*) FROM chat_log l WHERE OLD.id IN (l.author_id, l.member_id)
                    OR l.conversation_id IN (SELECT c.id FROM conversations c WHERE OLD.id IN (c.low_id, c.high_id))),
                (SELECT count(*) FROM members m WHERE m.account_id = OLD.id),
                (SELECT count(*) FROM pictures p WHERE p.owner_id = OLD.id),
                (SELECT count(*) FROM sessions s WHERE s.account_id = OLD.id);
            RETURN OLD;
        END $$
        """,
        "CREATE TRIGGER a_look BEFORE DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION seen.look()",
    ]

    @Test("A step of erasing goes on behind what the one before has erased, and reads none of it again")
    func steps() async throws {
        let server = try await Shared.server
        let database = try await server.database()
        defer { database.close() }
        let who = try await ChatPerson(server)
        let group = try await who.makeGroup("Steps", with: [])
        for number in 0..<5 { try await who.send("words \(number)", in: group) }
        var erased: [Int64] = []
        for step in 1...3 {
            let rows = try await database.query("SELECT chat_erase AS id FROM chat_erase($1, now(), 2)", [.int(who.id)])
            let left = try await database.query(
                "SELECT count(*) AS n FROM chat_log WHERE author_id = $1 AND kind = 'message'", [.int(who.id)])
            erased.append(Int64(rows.count))
            #expect(
                try left.first?.int("n") == Int64(max(0, 5 - 2 * step)), "what is done is found by its author no more")
        }
        #expect(erased == [2, 2, 1])
    }

    @Test(
        "While an account is erased its other windows write nothing in its conversations; what is written in one that it is asked to again goes with it"
    )
    func lateWords() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let traces = try await Traces(server)
        let who = traces.who
        let owner = try await server.database()
        defer { owner.close() }
        let window = try await ChatClient(server, token: who.token)
        _ = try await window.call(AccountMe.self, Empty())
        // Erasing waits for this session, behind the words.
        _ = try await owner.query("BEGIN")
        _ = try await owner.query("SELECT FROM sessions WHERE account_id = $1 FOR UPDATE", [.int(who.id)])
        async let deleted = who.client.call(
            AccountDelete.self, .init(password: TestServer.password, username: who.username))
        let database = try await server.database()
        defer { database.close() }
        _ = try await eventually("the words are erased") {
            try await database.query(
                "SELECT FROM chat_log WHERE author_id = $1", [.int(who.id)]
            ).isEmpty ? true : nil
        }
        let late = ChatSend.Params(conversation: traces.group, id: UUID().uuidString, text: "late \(traces.word)")
        #expect(try await window.refusal(ChatSend.self, late) != nil, "it is in no conversation any more")
        // It makes another, and comes into the old one by an invitation that was accepted at the same moment.
        let own = try await window.call(
            GroupCreate.self, .init(id: UUID().uuidString, name: "Late \(traces.word)", invite: [])
        ).conversation
        _ = try await window.call(
            ChatSend.self, .init(conversation: own, id: UUID().uuidString, text: "late \(traces.word)"))
        _ = try await database.query(
            """
            INSERT INTO members (conversation_id, account_id, role, state, since) VALUES ($1, $2, 'member', 'joined', now())
            ON CONFLICT (conversation_id, account_id) DO UPDATE SET state = 'joined'
            """, [.int(traces.group), .int(who.id)])
        _ = try await window.call(ChatSend.self, late)
        _ = try await owner.query("COMMIT")
        #expect(try await deleted.message == "Account deleted")
        let left = try await database.query(
            "SELECT body FROM chat_log WHERE body LIKE $1 OR client_id = $2",
            [.text("%\(traces.word)%"), .uuid(late.id)])
        #expect(try left.count == 1 && left.first?.optionalText("body") == nil)
        #expect(try await database.query("SELECT FROM conversations WHERE id = $1", [.int(own)]).isEmpty)
        await server.stop()
    }
}
