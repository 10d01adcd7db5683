import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Who is disabled")
struct DisabledTests {
    @Test(
        "A disabled account is on nobody's deck and has none, until it is enabled; decisions about it are refused meanwhile"
    )
    func decks() async throws {
        let world = try await BuddyWorld()
        let administration = Administration(
            loop: world.world.loop, database: world.world.pool, accounts: world.world.accounts,
            tracking: world.world.tracking)
        let (admin, viewer, other) = (
            try await world.admin(), try await world.person("Ana"), try await world.person("Bea")
        )
        #expect(try await world.accounts(viewer) == [other.account.id])
        _ = try await administration.disableUser(.init(account: other.account.id, reason: "spam"), by: admin)
        #expect(try await world.accounts(viewer).isEmpty)
        let refused = await #expect(throws: RPCError.self) { try await world.decide(viewer, other, accept: true) }
        #expect(refused?.registered == .notFound)
        _ = try await administration.enableUser(.init(account: other.account.id), by: admin)
        #expect(try await world.accounts(viewer) == [other.account.id])
        await world.close()
    }

    @Test("Who was an admin when the request came, and is none when it acts, does nothing")
    func demoted() async throws {
        let world = try await BuddyWorld()
        let administration = Administration(
            loop: world.world.loop, database: world.world.pool, accounts: world.world.accounts,
            tracking: world.world.tracking)
        let (admin, _, other) = (try await world.admin(), try await world.admin(), try await world.world.member())
        _ = try await world.world.accounts.setRole(.student, ofEmail: admin.account.email)
        let refused = await #expect(throws: RPCError.self) {
            _ = try await administration.disableUser(.init(account: other.account.id, reason: "mine"), by: admin)
        }
        #expect(refused?.registered == .forbidden)
        #expect(try await administration.user(.init(account: other.account.id), by: admin).user.state == .active)
        await world.close()
    }

    @Test("An address is shown by its first letter and its domain")
    func masked() {
        for (address, shown) in [
            ("jane.doe@northwestern.edu", "j•••@northwestern.edu"), ("é@x.org", "é•••@x.org"), ("", "•••"),
            ("@", "•••"),
        ] { #expect(Administration.masked(address) == shown) }
    }

    @Test("Who is told of a new account is told once it is there, and given the path")
    func welcome() async throws {
        let world = try await BuddyWorld()
        let received = Heard()
        let administration = Administration(
            loop: world.world.loop, database: world.world.pool, accounts: world.world.accounts,
            tracking: world.world.tracking, welcome: { await received.receive($0, $1, $2) })
        let admin = try await world.admin()
        let name = World.name()
        let made = try await administration.addUser(
            .init(username: name, email: "\(name)@example.org", role: .student), by: admin)
        #expect(await received.all == ["\(made.user.id) \(name)@example.org \(made.path)"])
        await world.close()
    }

    private actor Heard {
        private(set) var all: [String] = []
        func receive(_ account: Account, _ email: String, _ path: String) {
            all.append("\(account.id) \(email) \(path)")
        }
    }
}
