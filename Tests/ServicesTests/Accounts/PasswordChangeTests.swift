import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Changing the password")
struct PasswordChangeTests {
    private static let old = "Secr3tPassw0rd"
    private static let new = "N3wPassword"

    private func isValid(_ token: String, _ world: World) async -> Bool {
        await (try? world.accounts.authenticate(token: token)) != nil
    }

    private func logsIn(_ password: String, _ account: Account, _ world: World) async -> Bool {
        let params = AccountLogin.Params(email: account.email, password: password)
        return await (try? world.accounts.login(params, address: "10.0.0.9", client: "tests")) != nil
    }

    @Test(
        "The new password logs in and the old one does not; this device and its pushes stay, all others and the account's grants end"
    )
    func change() async throws {
        // PostgreSQL's clock says which links have not expired.
        let world = World(access: try await MigratedDatabase.shared.own(), clock: TestClock(start: .now))
        let (here, identity) = try await world.register(password: Self.old)
        let (there, _) = try await world.accounts.login(
            .init(email: here.account.email, password: Self.old), address: "10.0.0.8", client: "other")
        let session = try await world.start(identity)
        _ = try await world.tracking.makeLink(identity, .init(session: session.id))
        let (_, other) = try await world.accounts.login(
            .init(email: here.account.email, password: Self.old), address: "10.0.0.8", client: "third")
        for (name, token) in [("here", identity.tokenID), ("elsewhere", other.tokenID)] {
            _ = try await world.pool.query(
                """
                INSERT INTO reminder_addresses
                    (account_id, channel, address, address_key, state, public_key, secret, created_at, token_id)
                VALUES ($1, 'push', $2, $2, 'on', '\\x04', '\\x01', $3, $4)
                """,
                [
                    .int(here.account.id), .text("https://push.example/\(name)"),
                    .timestamp(world.clock.now.milliseconds), .int(token),
                ])
        }
        let count = try await world.accounts.changePassword(identity, .init(password: Self.old, newPassword: Self.new))
        #expect(count == 2)
        #expect(await isValid(here.token, world))
        #expect(await isValid(there.token, world) == false)
        #expect(await logsIn(Self.new, here.account, world))
        #expect(await logsIn(Self.old, here.account, world) == false)
        let browsers = try await world.pool.query(
            "SELECT address FROM reminder_addresses WHERE account_id = $1", [.int(here.account.id)])
        #expect(try browsers.map { try $0.text("address") } == ["https://push.example/here"])
        let links = try await world.pool.query(
            "SELECT FROM links WHERE session_id = $1 AND revoked_at IS NULL", [.int(session.id)])
        #expect(links.isEmpty)
        await world.close()
    }

    @Test("A wrong current password, a poor new one and the same one again change nothing")
    func refused() async throws {
        let world = try await World()
        let (here, identity) = try await world.register(password: Self.old)
        func change(_ password: String, _ newPassword: String) async throws {
            _ = try await world.accounts.changePassword(identity, .init(password: password, newPassword: newPassword))
        }
        let wrong = await refusal(.invalidCredentials) { try await change("Wr0ngPassword", Self.new) }
        #expect(wrong?.data?.field == "password")
        for poor in ["", "Short1", "nocapital1", "NoNumberAtAll", String(repeating: "Long1", count: 5), Self.old] {
            let error = await refusal(.rejected) { try await change(Self.old, poor) }
            #expect(error?.data?.field == "newPassword", "\(poor)")
        }
        #expect(await logsIn(Self.old, here.account, world))
    }

    @Test("Guesses of the current password with a stolen token are slowed down")
    func guesses() async throws {
        let world = try await World()
        let (_, identity) = try await world.register(password: Self.old)
        var codes: [ErrorCode?] = []
        for number in 0..<7 {
            do {
                _ = try await world.accounts.changePassword(
                    identity, .init(password: "Guess\(number)word", newPassword: Self.new))
            } catch let error as RPCError { codes.append(error.registered) }
        }
        #expect(codes.first == .invalidCredentials && codes.last == .rateLimited)
    }

    @Test("Of two changes at the same moment one succeeds, and its password is the one that logs in")
    func atOnce() async throws {
        let world = try await World()
        let (here, identity) = try await world.register(password: Self.old)
        let passwords = ["First1234", "Second1234"]
        let done = await withTaskGroup(of: String?.self) { group in
            for password in passwords {
                group.addTask {
                    let params = AccountChangePassword.Params(password: Self.old, newPassword: password)
                    return await (try? world.accounts.changePassword(identity, params)).map { _ in password }
                }
            }
            return await group.reduce(into: [String]()) { if let password = $1 { $0.append(password) } }
        }
        #expect(done.count == 1)
        for password in passwords { #expect(await logsIn(password, here.account, world) == done.contains(password)) }
    }
}
