import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Attacks on signing in")
struct SignInAttackTests {
    private func login(
        _ world: World, _ email: String, _ password: String, device: String? = nil, address: String = "192.0.2.1"
    ) async throws -> SignedIn {
        let params = AccountLogin.Params(email: email, password: password, device: device)
        let known = try await world.accounts.knownDevice(params)
        return try await world.accounts.login(params, address: address, client: "tests", device: known).0
    }

    @Test("Wrong passwords from the owner's own address do not keep out a device that has signed in before")
    func lockout() async throws {
        let world = try await World()
        let name = World.name()
        let email = "\(name)@example.org"
        let device = try #require(try await world.register(name).0.device)
        for index in 0..<60 {
            // From the same address, and from many.
            _ = try? await login(world, email, "Wrong123", address: index < 5 ? "192.0.2.1" : "198.51.100.\(index)")
        }
        _ = await refusal(.rateLimited) { try await login(world, email, "Passw0rd") }
        let again = try await login(world, email, "Passw0rd", device: device)
        #expect(again.device == device)
    }

    @Test("Neither an invented device nor an attacker's own passes, and a known one has its own limit")
    func devices() async throws {
        let world = try await World()
        let (name, other) = (World.name(), World.name())
        let email = "\(name)@example.org"
        let device = try #require(try await world.register(name).0.device)
        let attackers = try #require(try await world.register(other).0.device)
        for _ in 0..<5 { _ = await refusal(.invalidCredentials) { try await login(world, email, "Wrong123") } }
        for invented in [attackers, Secrets.makeToken(), "", "x", String(repeating: "\0", count: 43)] {
            _ = await refusal(.rateLimited) { try await login(world, email, "Passw0rd", device: invented) }
        }
        for _ in 0..<5 {
            _ = await refusal(.invalidCredentials) { try await login(world, email, "Wrong123", device: device) }
        }
        let error = await refusal(.rateLimited) { try await login(world, email, "Passw0rd", device: device) }
        #expect(error?.data?.retryAfter == 1)
        world.clock.advance(bySeconds: 1)
        _ = try await login(world, email, "Passw0rd", device: device)
    }

    @Test("One device is known to each account that signed in there; signing out everywhere forgets all of an account")
    func forgotten() async throws {
        let world = try await World()
        let (name, other) = (World.name(), World.name())
        let (first, identity) = try await world.register(name)
        let device = try #require(first.device)
        _ = try await world.register(other)
        #expect(try await login(world, "\(other)@example.org", "Passw0rd", device: device).device == device)
        let params = AccountLogin.Params(email: " \(name.uppercased())@example.org", password: nil, device: device)
        #expect(try await world.accounts.knownDevice(params) != nil)
        _ = try await world.accounts.logoutEverywhere(identity)
        #expect(try await world.accounts.knownDevice(params) == nil)
        #expect(
            try await world.accounts.knownDevice(.init(email: "\(other)@example.org", password: nil, device: device))
                != nil)
    }

    @Test("An account has at most so many known devices: the one used longest ago goes")
    func bounded() async throws {
        let world = try await World()
        let name = World.name()
        let (first, identity) = try await world.register(name)
        for _ in 0..<Accounts.knownDevicesMax { _ = try await login(world, "\(name)@example.org", "Passw0rd") }
        let rows = try await world.pool.query(
            "SELECT count(*) AS count FROM known_devices WHERE account_id = $1", [.int(identity.account.id)])
        #expect(try rows[0].int("count") == Accounts.knownDevicesMax)
        let known = try await world.accounts.knownDevice(
            .init(email: "\(name)@example.org", password: nil, device: first.device))
        #expect(known == nil)
    }

    @Test("Wrong passwords of others do not keep somebody who is signed in from proving their own")
    func confirming() async throws {
        let world = try await World()
        let name = World.name()
        let identity = try await world.register(name).1
        for _ in 0..<10 { _ = try? await login(world, "\(name)@example.org", "Wrong123") }
        try await world.accounts.confirm("Passw0rd", of: identity)
        for _ in 0..<5 {
            _ = await refusal(.invalidCredentials) { try await world.accounts.confirm("Wrong123", of: identity) }
        }
        _ = await refusal(.rateLimited) { try await world.accounts.confirm("Passw0rd", of: identity) }
    }

    @Test(
        "Nobody registers, or is renamed to, a name that people take for the campus's own; the operator may give it",
        arguments: ["admin", "Operator", "ROOT", "Support", "everyone", "Campanile"])
    func reserved(name: String) async throws {
        let world = try await World()
        let error = await refusal(.rejected) { try await world.register(name, email: "\(World.name())@example.org") }
        #expect(error?.data?.field == "username" && error?.message.contains("reserved") == true)
    }

    @Test("The operator makes an account with a reserved name")
    func reservedByOperator() async throws {
        let world = try await World()
        let account = try await world.accounts.create(
            .init(username: "hostmaster", email: "\(World.name())@example.org", password: "Passw0rd"), role: .lecturer)
        #expect(account.username == "hostmaster")
    }

    @Test("What was revoked or expired long ago is removed, and what works is not")
    func pruned() async throws {
        let world = try await World()
        let (signedIn, identity) = try await world.register()
        let account = identity.account.id
        let session = try await world.start(identity)
        _ = try await world.tracking.makeLink(identity, .init(session: session.id))
        for (revoked, used) in [
            ("NULL", "0"), ("now() - interval '29 days'", "29"), ("now() - interval '31 days'", "31"), ("NULL", "211"),
        ] {
            _ = try await world.pool.query(
                """
                INSERT INTO tokens (account_id, hash, client, revoked_at, last_used_at)
                VALUES ($1, $2, 'x', \(revoked), now() - interval '\(used) days')
                """, [.int(account), .bytes(Secrets.randomBytes(32))])
        }
        for (expires, revoked) in [
            ("10 days", "NULL"), ("-31 days", "NULL"), ("10 days", "now() - interval '31 days'"),
        ] {
            _ = try await world.pool.query(
                "INSERT INTO links (session_id, hash, expires_at, revoked_at) VALUES ($1, $2, now() + interval '\(expires)', \(revoked))",
                [.int(session.id), .bytes(Secrets.randomBytes(32))])
        }
        _ = try await world.pool.query(
            "INSERT INTO known_devices VALUES ($1, $2, now() - interval '181 days')",
            [.int(account), .bytes(Secrets.randomBytes(32))])
        try await world.accounts.prune()
        let left = try await world.pool.query(
            """
            SELECT (SELECT count(*) FROM tokens WHERE account_id = $1) AS tokens,
                (SELECT count(*) FROM links WHERE session_id = $2) AS links,
                (SELECT count(*) FROM known_devices WHERE account_id = $1) AS devices
            """, [.int(account), .int(session.id)])[0]
        #expect(try left.int("tokens") == 3 && left.int("links") == 2 && left.int("devices") == 1)
        #expect(try await world.accounts.authenticate(token: signedIn.token).account.id == account)
    }
}
