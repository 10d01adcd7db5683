import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Lifetime and rotation of tokens")
struct RotationTests {
    private func isValid(_ token: String, _ world: World) async -> Bool {
        await (try? world.accounts.authenticate(token: token)) != nil
    }

    /// Lets time pass for a token: moves its times back.
    private func age(_ identity: Identity, bySeconds seconds: Double, _ world: World) async throws {
        _ = try await world.pool.query(
            """
            UPDATE tokens SET hash_at = hash_at - make_interval(secs => $2), next_at = next_at - make_interval(secs => $2),
                created_at = created_at - make_interval(secs => $2), last_used_at = last_used_at - make_interval(secs => $2)
            WHERE id = $1
            """, [.int(identity.tokenID), .double(seconds)])
    }

    private func rotated(_ token: String, _ identity: Identity, _ world: World) async throws -> String {
        try #require(try await world.accounts.rotate(token, of: identity))
    }

    @Test("A token is replaced once a day; the old one works until the new one is used, and ten minutes longer")
    func rotation() async throws {
        let world = try await World()
        let (signedIn, identity) = try await world.register()
        #expect(try await world.accounts.rotate(signedIn.token, of: identity) == nil)
        try await age(identity, bySeconds: Accounts.rotationSeconds + 1, world)
        let next = try await rotated(signedIn.token, identity, world)
        // The reply may be lost: nothing has changed, and the same request soon after brings no further token.
        #expect(await isValid(signedIn.token, world))
        #expect(try await world.accounts.rotate(signedIn.token, of: identity) == nil)
        #expect(try await world.accounts.authenticate(token: next).tokenID == identity.tokenID)
        #expect(await isValid(signedIn.token, world))
        #expect(await isValid(next, world))
        // The token in use is young again, and the replaced one brings no successor.
        #expect(try await world.accounts.rotate(next, of: identity) == nil)
        #expect(try await world.accounts.rotate(signedIn.token, of: identity) == nil)
        #expect(try await world.accounts.devices(of: identity).count == 1)
    }

    @Test(
        "A replaced token that is used later shows that there is a copy: the device is signed out, whoever has which token"
    )
    func copied() async throws {
        let world = try await World()
        let (signedIn, identity) = try await world.register()
        let (other, _) = try await world.login("\(signedIn.account.username)@example.org", "Passw0rd")
        try await age(identity, bySeconds: Accounts.rotationSeconds + 1, world)
        let next = try await rotated(signedIn.token, identity, world)
        #expect(await isValid(next, world))
        try await age(identity, bySeconds: Double(Accounts.replacedSeconds) + 1, world)
        #expect(await isValid(next, world))
        #expect(await isValid(signedIn.token, world) == false)
        #expect(await isValid(next, world) == false)
        #expect(await isValid(other.token, world))
    }

    @Test("A new token that got lost is replaced by another after an hour, and does not work any more then")
    func lost() async throws {
        let world = try await World()
        let (signedIn, identity) = try await world.register()
        try await age(identity, bySeconds: Accounts.rotationSeconds + 1, world)
        let lost = try await rotated(signedIn.token, identity, world)
        try await age(identity, bySeconds: Accounts.unusedSeconds + 1, world)
        let next = try await rotated(signedIn.token, identity, world)
        #expect(await isValid(lost, world) == false)
        #expect(await isValid(next, world))
    }

    @Test("However often tokens are used at the same moment, one stays in use and the sign-in remains")
    func concurrently() async throws {
        let world = try await World()
        let (signedIn, identity) = try await world.register()
        try await age(identity, bySeconds: Accounts.rotationSeconds + 1, world)
        let next = try await rotated(signedIn.token, identity, world)
        let second = Accounts(loop: world.loop, database: world.pool, simulationKey: nil)
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<40 {
                let accounts = index % 2 == 0 ? world.accounts : second
                group.addTask { _ = try? await accounts.authenticate(token: index % 3 == 0 ? signedIn.token : next) }
            }
        }
        _ = try await world.accounts.authenticate(token: next)
        let rows = try await world.pool.query(
            "SELECT hash = $2 AND previous_hash = $3 AND next_hash IS NULL AS is_right FROM tokens WHERE id = $1",
            [.int(identity.tokenID), .bytes(Secrets.hash(next)), .bytes(Secrets.hash(signedIn.token))])
        #expect(try rows[0].bool("is_right"))
    }

    @Test("A token ends a year after the sign-in, however it is used, and is removed a month later")
    func absolute() async throws {
        let world = try await World()
        let (signedIn, identity) = try await world.register()
        let day = 86_400.0
        try await age(identity, bySeconds: Double(Accounts.tokenDaysMax) * day - 60, world)
        _ = try await world.pool.query(
            "UPDATE tokens SET last_used_at = now() WHERE id = $1", [.int(identity.tokenID)])
        #expect(await isValid(signedIn.token, world))
        try await age(identity, bySeconds: 120, world)
        #expect(await isValid(signedIn.token, world) == false)
        func isKept() async throws -> Bool {
            try await world.accounts.prune()
            return try await !world.pool.query("SELECT FROM tokens WHERE id = $1", [.int(identity.tokenID)]).isEmpty
        }
        #expect(try await isKept())
        try await age(identity, bySeconds: Double(Accounts.expiredKeptDays) * day, world)
        #expect(try await isKept() == false)
    }

    @Test(
        "The list of devices has what each says of itself and where it was used last, cut and without control characters"
    )
    func description() async throws {
        let world = try await World()
        let phone = ClientDescription(program: "campanile-web 1", platform: "Firefox on Android", address: "192.0.2.1")
        let (signedIn, identity) = try await world.register(client: phone)
        let first = try #require(try await world.accounts.devices(of: identity).first)
        #expect(first.platform == "Firefox on Android" && first.address == "192.0.2.1")
        let hostile = ClientDescription(
            program: "x", platform: "\u{0}\n\u{202E}" + String(repeating: "🏃", count: 200), address: "2001:db8::1")
        _ = try await world.accounts.authenticate(token: signedIn.token, client: hostile)
        let second = try #require(try await world.accounts.devices(of: identity).first)
        #expect(second.client == "campanile-web 1" && second.address == "2001:db8::1")
        #expect(second.platform.map { $0.unicodeScalars.count } == 80)
        // A request that does not say leaves it as it is.
        _ = try await world.accounts.authenticate(token: signedIn.token, recordsUse: false)
        #expect(try await world.accounts.devices(of: identity).first?.address == "2001:db8::1")
    }
}
