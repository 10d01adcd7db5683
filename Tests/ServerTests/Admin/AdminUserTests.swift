import CampanileClient
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Server

@Suite("Accounts, looked after by admins")
struct AdminUserTests {
    @Test(
        "Who is disabled is out everywhere at once, what they track ends for who watches, and they hear why after the right password only"
    )
    func disabling() async throws {
        let server = try await Shared.server
        let admin = try await Official(server, .admin)
        // Now, not before midnight: sessions of past days are counted below.
        let run = try await TestRun(on: server, startedAgo: 5)
        try await run.run(5)
        let session = await run.id
        let owner = await run.session.owner
        let email = "\(owner.username)@example.org"
        let spectator = try await Sight(server)
        #expect(try await spectator.watch(session: session) == nil)
        let signedIn = try await ChatClient(server)
        _ = try await signedIn.call(AccountLogin.self, .init(email: email, password: TestServer.password))
        let disabled = try await admin.client.call(
            AdminDisableUser.self, .init(account: owner.id, reason: "Spam"))
        #expect(disabled.state == .disabled)
        #expect(try await signedIn.isClosed(with: .tokenRevoked, .disabled))
        _ = try await eventually("the run ends") { spectator.updates.contains { $0.type == .ended } ? true : nil }
        let stranger = try await ChatClient(server)
        let right = try await stranger.refusal(AccountLogin.self, .init(email: email, password: TestServer.password))
        #expect(right?.code == 1008 && right?.message == "This account is disabled, please contact an admin")
        let wrong = try await stranger.refusal(AccountLogin.self, .init(email: email, password: "Wrong1234"))
        #expect(wrong?.code == 1007)
        // Again is harmless, and ends nothing else.
        _ = try await admin.client.call(AdminDisableUser.self, .init(account: owner.id, reason: "Spam"))
        let detail = try await admin.client.call(AdminUserGet.self, .init(account: owner.id))
        #expect(detail.disabledReason == "Spam" && detail.devices == 0 && !detail.tracking && detail.sessions == 0)
        #expect(try await admin.client.call(AdminEnableUser.self, .init(account: owner.id)).state == .active)
        _ = try await stranger.call(AccountLogin.self, .init(email: email, password: TestServer.password))
    }

    @Test(
        "Two admins who take each other's role at the same moment: one stays; the last is neither demoted, disabled nor removed"
    )
    func lastAdmin() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let admins = [try await Official(server, .admin), try await Official(server, .admin)]
        async let first = admins[0].client.refusal(
            AdminEditUser.self, .init(account: admins[1].id, role: .student, password: TestServer.password))
        async let second = admins[1].client.refusal(
            AdminEditUser.self, .init(account: admins[0].id, role: .student, password: TestServer.password))
        let refusals = [try? await first, try? await second].compactMap(\.self)
        // The one that came second is no admin any more, or was signed out before it was answered.
        #expect(refusals.count <= 1 || refusals.compactMap(\.self).contains { $0.code == 1002 })
        let database = try await server.database()
        defer { database.close() }
        let left = try await database.query("SELECT id FROM accounts WHERE role = 'admin'")
        #expect(left.count == 1)
        let last = try #require(admins.first { $0.id == (try? left.first?.int("id")) })
        let client = try await last.again(server)
        let demoted = try await client.refusal(
            AdminEditUser.self, .init(account: last.id, role: .lecturer, password: TestServer.password))
        #expect(demoted?.code == 1004 && demoted?.message == "this is the last admin: make another one first")
        for sql in [
            "UPDATE accounts SET disabled_at = now() WHERE id = \(last.id)",
            "DELETE FROM accounts WHERE id = \(last.id)",
        ] {
            let error = await #expect(throws: PostgresError.self) { _ = try await database.query(sql) }
            #expect(error?.constraint == "accounts_keep_admin")
        }
        await server.stop()
    }

    @Test(
        "An admin who is demoted at one node has lost the rights at the other at once, without anybody looking into the database"
    )
    func demotedElsewhere() async throws {
        let nodes = try await TwoNodes.start(pollInterval: .seconds(3_600))
        let admin = try await Official(nodes.first, .admin)
        let other = try await Official(nodes.first, .admin, at: nodes.second)
        #expect(try await other.client.refusal(AdminUsers.self, .init()) == nil)
        _ = try await admin.client.call(
            AdminEditUser.self, .init(account: other.id, role: .student, password: TestServer.password))
        #expect(try await other.client.isClosed(with: .tokenRevoked, .changed))
        let again = try await other.again(nodes.second)
        #expect(try await again.refusal(AdminUsers.self, .init())?.code == 1002)
        await nodes.stop()
    }

    @Test("What somebody tracks at one node ends when an admin at the other disables them, for who watches at either")
    func disabledElsewhere() async throws {
        let nodes = try await TwoNodes.start(pollInterval: .seconds(3_600))
        let admin = try await Official(nodes.first, .admin, at: nodes.second)
        let run = try await TestRun(on: nodes.first)
        try await run.run(5)
        let (account, session) = (await run.session.owner.id, await run.id)
        let sights = [try await Sight(nodes.first), try await Sight(nodes.second)]
        for sight in sights { #expect(try await sight.watch(session: session) == nil) }
        _ = try await admin.client.call(AdminDisableUser.self, .init(account: account, reason: "Spam"))
        for sight in sights {
            _ = try await eventually("the run ends") { sight.updates.contains { $0.type == .ended } ? true : nil }
        }
        await #expect(throws: (any Error).self) { try await run.run(1) }
        await nodes.stop()
    }

    @Test("Somebody whom an admin adds sets a password by the link, once, and is told; the link before stops working")
    func adding() async throws {
        let server = try await Shared.server
        let admin = try await Official(server, .admin)
        let name = TestServer.newName()
        let params = AdminAddUser.Params(username: name, email: "\(name)@example.org", role: .lecturer)
        let first = try await admin.client.call(AdminAddUser.self, params)
        #expect(
            first.user.invited && first.user.role == .lecturer && first.user.email == "\(name.prefix(1))•••@example.org"
        )
        #expect(try await admin.client.refusal(AdminAddUser.self, params)?.message == "Email Taken!!!")
        let second = try await admin.client.call(
            AdminWelcomeUser.self, .init(account: first.user.id, password: TestServer.password))
        let person = try await ChatClient(server)
        func token(_ welcome: Welcome) -> String { String(welcome.path.dropFirst("/welcome/".count)) }
        let old = try await person.refusal(AccountAccept.self, .init(token: token(first), password: "Secret123"))
        #expect(old?.code == 1003)
        let weak = try await person.refusal(AccountAccept.self, .init(token: token(second), password: "secret"))
        #expect(weak?.message == "Password must be between 8-20 characters long!!!")
        let signedIn = try await person.call(AccountAccept.self, .init(token: token(second), password: "Secret123"))
        #expect(signedIn.account.role == .lecturer)
        #expect(try await person.call(AccountMe.self, Empty()).account.username == name)
        let used = try await person.refusal(AccountAccept.self, .init(token: token(second), password: "Other1234"))
        #expect(used?.code == 1003)
        let late = try await admin.client.refusal(
            AdminWelcomeUser.self, .init(account: first.user.id, password: TestServer.password))
        #expect(late?.code == 1004)
        let database = try await server.database()
        defer { database.close() }
        let stored = try await database.query(
            "SELECT count(*) AS count FROM audit_log WHERE details::text LIKE $1", [.text("%\(token(second))%")])
        #expect(try stored.first?.int("count") == 0)
    }

    @Test("A link that is over a week old sets no password")
    func expired() async throws {
        let server = try await Shared.server
        let admin = try await Official(server, .admin)
        let name = TestServer.newName()
        let welcome = try await admin.client.call(
            AdminAddUser.self, .init(username: name, email: "\(name)@example.org", role: .student))
        let database = try await server.database()
        defer { database.close() }
        _ = try await database.query(
            "UPDATE welcomes SET expires_at = expires_at - interval '8 days' WHERE account_id = $1",
            [.int(welcome.user.id)])
        let person = try await ChatClient(server)
        let token = String(welcome.path.dropFirst("/welcome/".count))
        #expect(try await person.refusal(AccountAccept.self, .init(token: token, password: "Secret123"))?.code == 1003)
    }

    @Test(
        "A stolen sign-in of an admin makes no admin, takes over no address and no invitation, and removes nobody without the password, which cannot be guessed"
    )
    func stolen() async throws {
        let server = try await Shared.server
        let (admin, other) = (try await Official(server, .admin), try await Official(server, .admin))
        let victim = try await Official(server, .student)
        let thief = admin.client
        let (name, invited) = (TestServer.newName(), TestServer.newName())
        let welcome = try await other.client.call(
            AdminAddUser.self,
            .init(username: invited, email: "\(invited)@x.org", role: .admin, password: TestServer.password))
        let refusals = [
            try await thief.refusal(AdminWelcomeUser.self, .init(account: welcome.user.id)),
            try await thief.refusal(AdminAddUser.self, .init(username: name, email: "\(name)@x.org", role: .admin)),
            try await thief.refusal(AdminEditUser.self, .init(account: victim.id, role: .admin)),
            try await thief.refusal(AdminEditUser.self, .init(account: victim.id, email: "mine@x.org")),
            try await thief.refusal(AdminEditUser.self, .init(account: other.id, role: .student)),
            try await thief.refusal(AdminDisableUser.self, .init(account: other.id, reason: "mine now")),
        ]
        #expect(refusals.allSatisfy { $0?.code == -32602 && $0?.data?.field == "password" }, "\(refusals)")
        var codes: [Int] = []
        for guess in 0..<7 {
            let params = AdminDeleteUser.Params(
                account: victim.id, username: victim.username, password: "Guess123\(guess)")
            codes.append(try await thief.refusal(AdminDeleteUser.self, params)?.code ?? 0)
        }
        #expect(codes.prefix(5) == [1007, 1007, 1007, 1007, 1007] && codes.last == 1005, "\(codes)")
        #expect(try await victim.client.refusal(AccountMe.self, Empty()) == nil)
    }

    @Test(
        "A deleted account is gone with what it tracked, its connections are closed, and what was done stays written down"
    )
    func deleting() async throws {
        let server = try await Shared.server
        let admin = try await Official(server, .admin)
        let run = try await TestRun(on: server)
        try await run.run(5)
        let (account, session) = (await run.session.owner, await run.id)
        let spectator = try await Sight(server)
        #expect(try await spectator.watch(session: session) == nil)
        let person = try await ChatClient(server)
        _ = try await person.call(
            AccountLogin.self, .init(email: "\(account.username)@example.org", password: TestServer.password))
        let mistyped = try await admin.client.refusal(
            AdminDeleteUser.self, .init(account: account.id, username: "somebody", password: TestServer.password))
        #expect(mistyped?.code == 1008)
        _ = try await admin.client.call(
            AdminDeleteUser.self,
            .init(account: account.id, username: account.username, password: TestServer.password))
        #expect(try await person.isClosed(with: .tokenRevoked, .removed))
        _ = try await eventually("the run ends") { spectator.updates.contains { $0.type == .ended } ? true : nil }
        #expect(try await admin.client.refusal(AdminUserGet.self, .init(account: account.id))?.code == 1003)
        let database = try await server.database()
        defer { database.close() }
        for table in ["sessions", "tokens"] {
            let rows = try await database.query(
                "SELECT FROM \(table) WHERE account_id = $1", [.int(account.id)])
            #expect(rows.isEmpty)
        }
        let log = try await admin.client.call(AdminAudit.self, .init(account: account.id)).entries
        #expect(log.map(\.action) == ["user.delete", "user.disable"])
        #expect(log.allSatisfy { $0.subject?.name == account.username && $0.actorName == admin.username })
        #expect(log.allSatisfy { $0.address == "127.0.0.1" })
    }

    @Test("One's own account is not disabled or removed by oneself")
    func oneself() async throws {
        let server = try await Shared.server
        let admin = try await Official(server, .admin)
        let disabled = try await admin.client.refusal(AdminDisableUser.self, .init(account: admin.id, reason: "tired"))
        let removed = try await admin.client.refusal(
            AdminDeleteUser.self, .init(account: admin.id, username: admin.username, password: TestServer.password))
        #expect(disabled?.code == 1004 && removed?.code == 1004)
    }

    @Test("A search takes words as they are, and finds an address as a whole only, which it shows to nobody")
    func searching() async throws {
        let server = try await Shared.server
        let admin = try await Official(server, .admin)
        let (one, _) = (try await Official(server, .lecturer), try await Official(server, .student))
        func found(_ text: String) async throws -> [AdminUser] {
            try await admin.client.call(AdminUsers.self, .init(text: text, limit: 100)).users
        }
        #expect(try await found(one.username.uppercased()).map(\.id) == [one.id])
        #expect(try await found(String(one.username.dropFirst(2))).map(\.id) == [one.id])
        for pattern in ["%", "_", "%_%", "\\"] { #expect(try await found(pattern).isEmpty, "\(pattern)") }
        let byAddress = try await found(one.email.uppercased())
        #expect(byAddress.map(\.id) == [one.id] && byAddress.first?.email == "u•••@example.org")
        for part in ["@example.org", "example", String(one.email.dropFirst())] {
            #expect(try await found(part).isEmpty, "\(part)")
        }
        // Page by page, each once.
        var ids: [Int64] = []
        var before: Int64?
        repeat {
            let page = try await admin.client.call(
                AdminUsers.self, .init(role: .lecturer, state: .active, before: before, limit: 1))
            ids += page.users.map(\.id)
            before = page.next
        } while before != nil && ids.count < 200
        #expect(ids == ids.sorted(by: >) && Set(ids).count == ids.count && ids.contains(one.id))
    }

    @Test("Somebody who was registered and never logged in was never seen; the first use of the token counts at once")
    func neverSeen() async throws {
        let server = try await Shared.server
        let admin = try await Official(server, .admin)
        let name = TestServer.newName()
        let socket = try RawSocket(port: server.port)
        defer { socket.close() }
        let body = """
            {"jsonrpc":"2.0","id":1,"method":"account.register","params":{"username":"\(name)","email":"\(name)@example.org","password":"\(TestServer.password)"}}
            """
        try await socket.send(
            "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        let made = try #require(try await socket.response(headOnly: false).object()["result"] as? [String: Any])
        let token = try #require(made["token"] as? String)
        func lastSeen() async throws -> Timestamp? {
            try await admin.client.call(AdminUsers.self, .init(text: name, limit: 2)).users.first?.lastUsedAt
        }
        #expect(try await lastSeen() == nil)
        let client = try await ChatClient(server, token: token)
        #expect(try await lastSeen() != nil)
        client.close()
        let other = try await Official(server, .student)
        #expect(
            try await admin.client.call(AdminUsers.self, .init(text: other.username, limit: 2)).users.first?.lastUsedAt
                != nil)
    }

    @Test("An admin makes so many accounts and no more for a while")
    func limited() async throws {
        let server = try await TestServer.start { $0.rateLimits[.newUser] = Rate(perSecond: 0.001, burst: 2) }
        let admin = try await Official(server, .admin)
        var codes: [Int?] = []
        for _ in 0..<3 {
            let name = TestServer.newName()
            codes.append(
                try await admin.client.refusal(
                    AdminAddUser.self, .init(username: name, email: "\(name)@x.org", role: .student))?.code)
        }
        #expect(codes == [nil, nil, 1005])
        await server.stop()
    }
}
