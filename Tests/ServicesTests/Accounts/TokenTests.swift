import Postgres
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Tokens and roles")
struct TokenTests {
    private func isValid(_ token: String, _ world: World) async throws -> Bool {
        do {
            _ = try await world.accounts.authenticate(token: token)
            return true
        } catch let error as RPCError where error.registered == .unauthenticated {
            return false
        }
    }

    @Test("only hashes of tokens, links and passwords are anywhere in the database")
    func onlyHashes() async throws {
        let world = World(access: try await MigratedDatabase.shared.own())
        let (signedIn, identity) = try await world.register(password: "Secr3tPassw0rd")
        let session = try await world.start(identity)
        let link = try await world.tracking.makeLink(identity, .init(session: session.id))
        let columns = try await world.pool.query(
            """
            SELECT table_name, column_name FROM information_schema.columns
            WHERE table_schema = 'public' AND table_name NOT IN ('spatial_ref_sys', 'geometry_columns', 'geography_columns')
            """)
        #expect(columns.count > 30)
        let secrets = [signedIn.token, link.token, String(link.token.split(separator: ".")[1]), "Secr3tPassw0rd"]
        for column in columns {
            let (table, name) = (try column.text("table_name"), try column.text("column_name"))
            for secret in secrets {
                // As text, as the bytes of the text, and as the bytes it stands for; bytea is written as hex.
                let forms = [secret, hex(Array(secret.utf8)), hex(Secrets.decodeBase64(secret) ?? [0, 1, 2, 3])]
                for form in forms {
                    let hits = try await world.pool.query(
                        "SELECT count(*) AS n FROM \(table) WHERE position($1 IN \"\(name)\"::text) > 0", [.text(form)])
                    #expect(try hits[0].int("n") == 0, "\(table).\(name)")
                }
            }
        }
        #expect(
            try await world.pool.query("SELECT FROM tokens WHERE hash = $1", [.bytes(Secrets.hash(signedIn.token))])
                .count == 1)
        await world.close()
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test("a token works until it is logged out, and then never again")
    func logout() async throws {
        let world = try await World()
        let (signedIn, identity) = try await world.register()
        #expect(try await isValid(signedIn.token, world))
        #expect(try await world.accounts.logout(identity, device: nil) == 1)
        #expect(try await isValid(signedIn.token, world) == false)
        _ = await refusal(.notFound) { try await world.accounts.logout(identity, device: nil) }
    }

    @Test(
        "what is no token is unauthenticated, whatever it is made of",
        arguments: [
            "", "\0", "' OR '1'='1", String(repeating: "x", count: 10_000), "🏃", "\u{202E}abc", "\u{200B}",
        ])
    func hostileTokens(token: String) async throws {
        let world = try await World()
        let error = await refusal(.unauthenticated) { try await world.accounts.authenticate(token: token) }
        #expect(error?.data?.field == "token")
    }

    @Test(
        "thousands of tokens at once are told whose each is, in a few statements, and a wrong one among them harms nobody"
    )
    func manyAtOnce() async throws {
        let world = World(access: try await MigratedDatabase.shared.own())
        let count = 3_000
        _ = try await world.pool.query(
            """
            WITH made AS (
                INSERT INTO accounts (username, username_key, email, email_key, password_hash)
                SELECT 'many' || n, 'many' || n, 'many' || n, 'many' || n, '-' FROM generate_series(0, $1::int - 1) AS n
                RETURNING id, username)
            INSERT INTO tokens (account_id, hash, client, last_used_at)
            SELECT id, sha256(convert_to(username, 'UTF8')), 'tests', now() - interval '1 hour' FROM made
            """, [.int(Int64(count))])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<count {
                group.addTask {
                    // Each twice: two devices may have the same token, and a connection may be made while its last one goes.
                    for _ in 0..<2 {
                        let identity = try await world.accounts.authenticate(token: "many\(index)")
                        #expect(identity.account.username == "many\(index)")
                    }
                    let wrong = await refusal(.unauthenticated) {
                        try await world.accounts.authenticate(token: "wrong\(index)")
                    }
                    #expect(wrong?.data?.field == "token")
                }
            }
            try await group.waitForAll()
        }
        let used = try await world.pool.query(
            "SELECT count(*) AS n FROM tokens WHERE last_used_at > now() - interval '10 minutes'")
        #expect(try used[0].int("n") == Int64(count))
        await world.close()
    }

    @Test("Hello never waits for, nor fails because of, a session that has locked the token's row")
    func lockedToken() async throws {
        let world = World(access: try await MigratedDatabase.shared.own())
        let (signedIn, identity) = try await world.register()
        let other = try await PostgresConnection.connect(
            configuration: world.access.owner, loop: TestDatabase.shared.loop)
        try await other.script("BEGIN; SELECT FROM tokens WHERE id = \(identity.tokenID) FOR UPDATE")
        #expect(try await world.accounts.authenticate(token: signedIn.token) == identity)
        try await other.script("ROLLBACK")
        other.close()
        await world.close()
    }

    @Test("logging out everywhere ends every token of the account and nobody else's, and says which")
    func everywhere() async throws {
        let world = try await World()
        let revoked = Shared<[Int64]>([])
        await world.accounts.setRevocationHandler { all in revoked.withLock { $0 += all.map(\.token) } }
        let name = World.name()
        let (first, identity) = try await world.register(name)
        let (second, other) = try await world.login("\(name)@example.org", "Passw0rd")
        let (stranger, _) = try await world.register()
        #expect(try await world.accounts.logoutEverywhere(identity) == 2)
        #expect(Set(revoked.withLock { $0 }) == [identity.tokenID, other.tokenID])
        for token in [first.token, second.token] { #expect(try await isValid(token, world) == false) }
        #expect(try await isValid(stranger.token, world))
        #expect(try await world.accounts.logoutEverywhere(identity) == 0)
    }

    @Test("An account lists its devices and logs out another of its own, never somebody else's")
    func devices() async throws {
        let world = try await World()
        let name = World.name()
        let (_, phone) = try await world.register(name, client: "phone\u{0}\n 1.0")
        let (laptopIn, laptop) = try await world.login("\(name)@example.org", "Passw0rd")
        let (strangerIn, stranger) = try await world.register()
        let devices = try await world.accounts.devices(of: phone)
        #expect(devices.map(\.id) == [laptop.tokenID, phone.tokenID])
        #expect(devices.map(\.current) == [false, true])
        #expect(devices.map(\.client) == ["tests", "phone 1.0"])
        for id in [stranger.tokenID, 0, -1, .max] {
            let error = await refusal(.notFound) { try await world.accounts.logout(phone, device: id) }
            #expect(error?.data?.field == "device")
        }
        #expect(try await isValid(strangerIn.token, world))
        #expect(try await world.accounts.logout(phone, device: laptop.tokenID) == 1)
        #expect(try await isValid(laptopIn.token, world) == false)
        #expect(try await world.accounts.devices(of: phone).map(\.id) == [phone.tokenID])
    }

    @Test(
        "The name of a client is cleaned",
        arguments: [
            ("", "unknown"), (" \u{0} \n", "unknown"),
            (String(repeating: "x", count: 10_000), String(repeating: "x", count: 80)),
            ("a" + String(repeating: "\u{301}", count: 10_000), "a" + String(repeating: "\u{301}", count: 79)),
            ("Robert'); DROP TABLE tokens;--", "Robert'); DROP TABLE tokens;--"), ("🏃 1", "🏃 1"),
        ])
    func clientNames(name: String, kept: String) async throws {
        let world = try await World()
        let (_, identity) = try await world.register(client: ClientDescription(program: name))
        #expect(try await world.accounts.devices(of: identity).map(\.client) == [kept])
    }

    @Test("the twenty-first device signs out the one used longest ago, also when many sign in at once")
    func devicesMax() async throws {
        let world = try await World()
        let name = World.name()
        let (first, identity) = try await world.register(name)
        let (second, _) = try await world.login("\(name)@example.org", "Passw0rd")
        for _ in 3...20 { _ = try await world.login("\(name)@example.org", "Passw0rd") }
        // Used now: the second is the stalest.
        #expect(try await isValid(first.token, world))
        _ = try await world.login("\(name)@example.org", "Passw0rd")
        #expect(try await isValid(second.token, world) == false)
        #expect(try await isValid(first.token, world))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<10 {
                group.addTask {
                    _ = try await world.login("\(name)@example.org", "Passw0rd", address: "10.0.0.\(index)")
                }
            }
            try await group.waitForAll()
        }
        let rows = try await world.pool.query(
            "SELECT count(*) AS n FROM tokens WHERE account_id = $1 AND revoked_at IS NULL", [.int(identity.account.id)]
        )
        #expect(try rows[0].int("n") == 20)
    }

    @Test("roles are the operator's to give", arguments: Role.allCases)
    func roles(role: Role) async throws {
        let world = try await World()
        let (name, other) = (World.name(), World.name())
        // The last admin would stay one.
        _ = try await world.accounts.create(
            .init(username: other, email: "\(other)@example.org", password: "Passw0rd"), role: .admin)
        let account = try await world.accounts.create(
            .init(username: name, email: "\(name)@example.org", password: "Passw0rd"), role: role)
        #expect(account.role == role)
        #expect(try await world.login("\(name)@example.org", "Passw0rd").0.account.role == role)
        // Making an account at the command line leaves no token behind.
        let tokens = try await world.pool.query(
            "SELECT count(*) AS n FROM tokens WHERE account_id = $1 AND revoked_at IS NULL", [.int(account.id)])
        #expect(try tokens[0].int("n") == 1)
        #expect(try await world.accounts.setRole(.student, ofEmail: "\(name)@EXAMPLE.org").role == .student)
        _ = await refusal(.notFound) { try await world.accounts.setRole(role, ofEmail: "no\(name)@example.org") }
    }

    @Test("a reset password replaces the old one and signs out everywhere")
    func reset() async throws {
        let world = try await World()
        let name = World.name()
        let (signedIn, _) = try await world.register(name)
        let weak = await refusal(.rejected) {
            try await world.accounts.resetPassword(ofEmail: "\(name)@example.org", to: "weak")
        }
        #expect(weak?.message == "Password must be between 8-20 characters long!!!")
        #expect(try await isValid(signedIn.token, world))
        _ = try await world.accounts.resetPassword(ofEmail: "\(name)@EXAMPLE.org", to: "NewPassw0rd")
        #expect(try await isValid(signedIn.token, world) == false)
        _ = await refusal(.invalidCredentials) { try await world.login("\(name)@example.org", "Passw0rd") }
        _ = try await world.login("\(name)@example.org", "NewPassw0rd")
        _ = await refusal(.notFound) {
            try await world.accounts.resetPassword(ofEmail: "no\(name)@example.org", to: "NewPassw0rd")
        }
    }
}

/// A value that tasks of a test share.
final class Shared<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    init(_ value: Value) { mutex = Mutex(value) }

    func withLock<R: Sendable>(_ body: (inout Value) -> R) -> R { mutex.withLock { body(&$0) } }
}

@Suite("Passwords and the throttle")
struct PasswordTests {
    private let passwords = Passwords(cost: .init(logN: 4, r: 8, p: 1))

    @Test("Passwords are hashed with a salt of their own, in the PHC format, by RFC 7914")
    func format() async throws {
        let one = try await passwords.hash("Passw0rd")
        let two = try await passwords.hash("Passw0rd")
        #expect(one != two)
        #expect(one.hasPrefix("$scrypt$ln=4,r=8,p=1$"))
        #expect(try await passwords.verify("Passw0rd", against: one))
        #expect(try await passwords.verify("passw0rd", against: one) == false)
        // RFC 7914 §12, second vector, less the second half of its 64 bytes: scrypt's output is a prefix of a longer one.
        let vector = "$scrypt$ln=10,r=8,p=16$TmFDbA$/bq+HJ00cgB4VucZDQHp/nxq18vII3gw53N2Y0s3MWI"
        #expect(try await passwords.verify("password", against: vector))
    }

    @Test(
        "a stored hash that cannot be read, or would eat the machine, is refused",
        arguments: [
            "", "$scrypt$", "plain", "$argon2$ln=4,r=8,p=1$AA$AA", "$scrypt$ln=63,r=8,p=1$AA$AA",
            "$scrypt$ln=22,r=32,p=1$AA$AA", "$scrypt$ln=4,r=8$AA$AA", "$scrypt$ln=4,r=8,p=1$A$AA",
            "$scrypt$ln=99999999999999999999,r=8,p=1$AA$AA",
        ])
    func unreadable(stored: String) async {
        _ = await refusal(.internalError) { try await passwords.verify("Passw0rd", against: stored) }
    }

    @Test("The throttle forgets failures after an hour, and the half with the oldest when too many keys fail")
    func throttle() {
        let clock = TestClock()
        var throttle = Throttle(freeFailures: 2, waitSecondsMax: 8, now: { clock.nanoseconds })
        for _ in 0..<10 { throttle.fail("a") }
        #expect(throttle.wait(for: "a") == 8)
        #expect(throttle.wait(for: "b") == nil)
        clock.advance(bySeconds: Throttle.forgetSeconds + 1)
        throttle.fail("a")
        #expect(throttle.wait(for: "a") == nil)
        throttle.forgive("a")
        throttle.forgive("a")
        throttle.fail("a")
        #expect(throttle.wait(for: "a") == nil)
        throttle.fail("a")
        #expect(throttle.wait(for: "a") == 1)
        clock.advance(bySeconds: 0.001)
        for index in 0...Throttle.keysMax { throttle.fail("k\(index)") }
        #expect(throttle.wait(for: "a") == nil)
    }
}
