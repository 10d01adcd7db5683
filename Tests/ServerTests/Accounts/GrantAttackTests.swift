import Delivery
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Server
@testable import Services

@Suite("What a thief of an account keeps: nothing")
struct GrantAttackTests {
    @Test("The comment of each table of accounts with a secret says whether it is a grant, and each grant is tried")
    func schema() async throws {
        let server = try await TestServer.start()
        let database = try await server.database()
        defer { database.close() }
        let rows = try await database.query(
            """
            WITH RECURSIVE of_account AS (
                SELECT 'accounts'::regclass::oid AS id
                UNION SELECT k.conrelid FROM pg_constraint k JOIN of_account o ON k.confrelid = o.id WHERE k.contype = 'f')
            SELECT c.relname AS name, coalesce(obj_description(c.oid, 'pg_class'), '') AS comment
            FROM of_account o JOIN pg_class c ON c.oid = o.id JOIN pg_attribute a ON a.attrelid = c.oid
            WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attname <> 'fencing_token'
                AND (a.atttypid = 'bytea'::regtype OR a.attname ~ '(token|hash|secret|endpoint|password)'
                    OR obj_description(c.oid, 'pg_class') LIKE 'grant: %')
            GROUP BY c.oid, c.relname ORDER BY 1
            """)
        var grants: Set<String> = []
        for row in rows {
            let (table, comment) = (try row.text("name"), try row.text("comment"))
            let isGrant = comment.hasPrefix("grant: ")
            #expect(
                isGrant || comment.hasPrefix("no grant: "),
                "\(table): say with COMMENT ON TABLE whether it is a 'grant: …' that account_revoke_grants() revokes")
            if isGrant { grants.insert(table) }
        }
        #expect(grants == Set(GrantKind.allCases.map(\.rawValue)), "each kind is tried by GrantKind")
        await server.stop()
    }

    @Test("Whatever ends a theft ends every grant at once, and cuts everybody who watches", arguments: Rescue.allCases)
    func rescue(_ rescue: Rescue) async throws {
        let server = try await Self.server()
        let admin = try await Official(server, .admin)
        let account = try await RobbedAccount(server)
        for kind in GrantKind.allCases { #expect(try await account.works(kind), "\(kind) before") }
        try await account.watch()
        try await rescue.run(account, by: admin)
        try await account.waitUntilCut()
        for kind in GrantKind.allCases { #expect(try await !account.works(kind), "\(kind) after \(rescue)") }
        await server.stop()
    }

    @Test("Watchers at another node are cut as well")
    func nodes() async throws {
        let nodes = try await TwoNodes.start(pollInterval: .seconds(3_600))
        let account = try await RobbedAccount(nodes.first)
        let guest = try await ChatClient(nodes.second)
        let thief = try await ChatClient(nodes.second, token: account.thiefToken)
        let elsewhere = account.watched(by: guest, thief: thief)
        try await elsewhere.watch()
        // On a busy machine the victim's connection ends before the answer, which waits for the other node.
        try account.victim.client.post("account.logoutEverywhere")
        try await elsewhere.waitUntilCut()
        await nodes.stop()
    }

    @Test("A grant that is made while the account is signed out is not made, or goes as well")
    func race() async throws {
        let server = try await Self.server { try Self.remind(&$0) }
        for _ in 0..<10 {
            let account = try await RobbedAccount(server)
            async let made: Void = Self.makeGrants(account)
            async let ended = account.victim.client.ask("account.logoutEverywhere")
            _ = try await (made, ended)
            let database = try await server.database()
            defer { database.close() }
            _ = try await eventually("no grant is left") { () -> Bool? in
                let rows = try await database.query(
                    """
                    SELECT (SELECT count(*) FROM calendar_feeds WHERE account_id = $1)
                        + (SELECT count(*) FROM links l JOIN sessions s ON s.id = l.session_id
                            WHERE s.account_id = $1 AND l.revoked_at IS NULL)
                        + (SELECT count(*) FROM shares WHERE account_id = $1 AND ended_at IS NULL)
                        + (SELECT count(*) FROM reminder_addresses WHERE account_id = $1) AS left
                    """, [.int(account.victim.id)])
                return try rows[0].int("left") == 0 ? true : nil
            }
        }
        await server.stop()
    }

    /// Sends many requests at once; those that are behind the revocation are refused, or the connection is closed before.
    private static func makeGrants(_ account: RobbedAccount) async throws {
        for _ in 0..<5 {
            for (method, params) in [
                ("tracking.link", #"{"session":\#(account.session)}"#), ("events.calendar", "{}"),
                (
                    "sharing.start",
                    #"{"clientId":"\#(UUID().uuidString)","audience":"link","precision":"exact","expiresIn":600}"#
                ), Self.mail(of: account.victim.id), Self.push(of: account.victim.id),
            ] as [(String, String)] {
                guard (try? account.thief.post(method, params)) != nil else { return }
            }
            await Task.yield()
        }
    }

    private static func mail(of account: Int64) -> (method: String, params: String) {
        ("reminders.setAddress", #"{"channel":"email","address":"late\#(account)@example.org"}"#)
    }

    /// With the keys of RFC 8291 §5.
    private static func push(of account: Int64) -> (method: String, params: String) {
        (
            "reminders.subscribePush",
            """
            {"endpoint":"https://push.example/late\(account)","keys":{"auth":"BTBZMqHH6r4Tts7J_aSIgg","p256dh":\
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"}}
            """
        )
    }

    /// A request by a stolen sign-in that locks the account's row.
    enum LateRequest: String, CaseIterable {
        case mail, push, addUser, editUser, disableUser, enableUser, signOutUser, welcomeUser

        var isOfAdmins: Bool { self != .mail && self != .push }

        /// - Parameters:
        ///   - account: The stolen one.
        ///   - target: Somebody else.
        func request(by account: Int64, on target: Int64) -> (method: String, params: String) {
            switch self {
            case .mail: GrantAttackTests.mail(of: account)
            case .push: GrantAttackTests.push(of: account)
            case .addUser:
                ("admin.addUser", #"{"username":"late\#(account)","email":"late\#(account)@x.org","role":"lecturer"}"#)
            case .editUser: ("admin.editUser", #"{"account":\#(target),"role":"lecturer"}"#)
            case .disableUser: ("admin.disableUser", #"{"account":\#(target),"reason":"x"}"#)
            case .enableUser, .signOutUser, .welcomeUser:
                ("admin.\(rawValue)", #"{"account":\#(target),"password":"\#(TestServer.password)"}"#)
            }
        }
    }

    @Test(
        "A request that waits while its sign-in is revoked does nothing afterwards: no address, no browser, no act of an admin"
    )
    func late() async throws {
        let server = try await Self.server { try Self.remind(&$0) }
        // An administrator sees what others' sessions wait for.
        let database = try await PostgresConnection.connect(
            configuration: server.access.administrator, loop: TestDatabase.shared.loop)
        for late in LateRequest.allCases { try await send(late, to: server, database) }
        database.close()
        await server.stop()
    }

    /// Transactions that wait for a row, each by its process and beginning.
    private func waiting(_ database: PostgresConnection) async throws -> Set<String> {
        Set(
            try await database.query(
                """
                SELECT pid || ' ' || xact_start AS name FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock' AND xact_start IS NOT NULL
                """
            ).map { try $0.text("name") })
    }

    private func send(_ late: LateRequest, to server: TestServer, _ database: PostgresConnection) async throws {
        let owner = try await Official(server, late.isOfAdmins ? .admin : .student)
        let (thief, target) = (try await owner.again(server), try await ChatPerson(server))
        // Each act would have something to do.
        if late == .enableUser {
            _ = try await database.query("UPDATE accounts SET disabled_at = now() WHERE id = $1", [.int(target.id)])
        }
        if late == .welcomeUser {
            _ = try await database.query(
                "INSERT INTO welcomes (account_id, hash, expires_at) VALUES ($1, '\\x01', now() + interval '1 week')",
                [.int(target.id)])
        }
        func done() async throws -> Int64 {
            try await database.query(
                """
                SELECT (SELECT count(*) FROM reminder_addresses WHERE account_id = $1)
                    + (SELECT count(*) FROM audit_log WHERE actor_id = $1) AS count
                """, [.int(owner.id)])[0].int("count")
        }
        let before = try await done()
        let lock = try await server.database()
        defer { lock.close() }
        try await lock.script("BEGIN")
        _ = try await lock.query("SELECT FROM accounts WHERE id = $1 FOR UPDATE", [.int(owner.id)])
        // The revocation is first in the queue.
        try owner.client.post("account.logoutEverywhere")
        _ = try await eventually("the revocation waits") { try await waiting(database).count == 1 ? true : nil }
        let (method, params) = late.request(by: owner.id, on: target.id)
        try thief.post(method, params)
        let all = try await eventually("the request waits behind it") { () -> Set<String>? in
            let names = try await waiting(database)
            return names.count == 2 ? names : nil
        }
        try await lock.script("ROLLBACK")
        _ = try await eventually("both are over") { () -> Bool? in
            let rows = try await database.query("SELECT pid || ' ' || xact_start AS name FROM pg_stat_activity")
            return all.isDisjoint(with: try rows.compactMap { try $0.optionalText("name") }) ? true : nil
        }
        let rows = try await database.query(
            "SELECT count(*) AS count FROM tokens WHERE account_id = $1 AND revoked_at IS NULL", [.int(owner.id)])
        #expect(try rows[0].int("count") == 0)
        #expect(try await done() == before, "\(late)")
    }

    @Test("A welcome link that was ended can be made anew by an admin, as nobody has set a password yet")
    func welcomeAgain() async throws {
        let server = try await Self.server()
        let admin = try await Official(server, .admin)
        let name = TestServer.newName()
        let first = try await admin.client.call(
            AdminAddUser.self, .init(username: name, email: "\(name)@example.org", role: .student))
        _ = try await admin.client.call(
            AdminEditUser.self, .init(account: first.user.id, role: .admin, password: TestServer.password))
        let person = try await ChatClient(server)
        let old = AccountAccept.Params(
            token: String(first.path.split(separator: "/").last ?? ""), password: "Another456")
        #expect(try await person.refusal(AccountAccept.self, old)?.registered == .notFound)
        let second = try await admin.client.call(
            AdminWelcomeUser.self, .init(account: first.user.id, password: TestServer.password))
        let new = AccountAccept.Params(
            token: String(second.path.split(separator: "/").last ?? ""), password: "Another456")
        #expect(try await person.call(AccountAccept.self, new).account.role == .admin)
        await server.stop()
    }

    @Test("Welcome links that an admin made end with the admin's grants: a thief may have made them")
    func linksOfAnAdmin() async throws {
        let server = try await Self.server()
        let (admin, other) = (try await Official(server, .admin), try await Official(server, .admin))
        func add(_ admin: Official) async throws -> Welcome {
            let name = TestServer.newName()
            return try await admin.client.call(
                AdminAddUser.self, .init(username: name, email: "\(name)@example.org", role: .student))
        }
        let (own, others) = (try await add(admin), try await add(other))
        #expect(try await admin.client.ask("account.logoutEverywhere").contains("result"))
        func accept(_ welcome: Welcome) async throws -> RPCError? {
            let token = String(welcome.path.split(separator: "/").last ?? "")
            return try await ChatClient(server).refusal(
                AccountAccept.self, .init(token: token, password: "Another456"))
        }
        #expect(try await accept(own)?.registered == .notFound)
        #expect(try await accept(others) == nil)
        await server.stop()
    }

    @Test(
        "A browser gets no more reminders once its device is logged out from another one; those of other devices go on")
    func browserOfDevice() async throws {
        let server = try await Self.server { try Self.remind(&$0) }
        let owner = try await ChatPerson(server)
        func signIn() async throws -> ChatClient {
            let client = try await ChatClient(server)
            let signedIn = try await client.call(
                AccountLogin.self, .init(email: "\(owner.username)@example.org", password: TestServer.password))
            return try await ChatClient(server, token: signedIn.token)
        }
        let (phone, tablet) = (try await signIn(), try await signIn())
        for (client, number) in [(phone, 1), (tablet, 2)] {
            let push = Self.push(of: owner.id)
            let params = push.params.replacing("late\(owner.id)", with: "device\(number)-\(owner.id)")
            #expect(try await client.ask(push.method, params).contains("result"))
        }
        let devices = try await phone.call(AccountDevices.self, Empty()).devices
        let lost = try #require(devices.first { $0.current })
        _ = try await owner.client.call(AccountLogout.self, .init(device: lost.id))
        let database = try await server.database()
        defer { database.close() }
        let left = try await database.query(
            "SELECT address FROM reminder_addresses WHERE account_id = $1 AND channel = 'push'", [.int(owner.id)])
        #expect(try left.map { try $0.text("address") } == ["https://push.example/device2-\(owner.id)"])
        await server.stop()
    }

    private static func server(
        _ change: (inout ServerConfiguration) throws -> Void = { _ in }
    ) async throws -> TestServer {
        try await TestServer.start {
            $0.databasePollInterval = .milliseconds(100)
            $0.rateLimits = .off
            try change(&$0)
        }
    }

    /// Mail and Web Push are set up; what is sent finds nobody.
    private static func remind(_ configuration: inout ServerConfiguration) throws {
        configuration.reminders.publicURL = "https://campus.example"
        configuration.reminders.mail = .init(
            server: try MailServer(url: "smtp+plain://localhost:9"),
            from: try #require(MailAddress("campus@example.org")))
        configuration.reminders.pushContact = "mailto:campus@example.org"
        configuration.reminders.pushAllowedHosts = ["push.example"]
    }
}
