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
            WHERE a.attnum > 0 AND NOT a.attisdropped
                AND (a.atttypid = 'bytea'::regtype OR a.attname ~ '(token|hash|secret|endpoint|password)')
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
        _ = try await account.victim.client.ask("account.logoutEverywhere")
        try await elsewhere.waitUntilCut()
        await nodes.stop()
    }

    @Test("A grant that is made while the account is signed out is not made, or goes as well")
    func race() async throws {
        let server = try await Self.server()
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
                        + (SELECT count(*) FROM shares WHERE account_id = $1 AND ended_at IS NULL) AS left
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
                ),
            ] {
                guard (try? account.thief.post(method, params)) != nil else { return }
            }
            await Task.yield()
        }
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

    private static func server() async throws -> TestServer {
        try await TestServer.start {
            $0.othersPollInterval = .milliseconds(100)
            $0.rateLimits = .off
        }
    }
}
