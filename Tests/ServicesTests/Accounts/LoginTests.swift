import Dispatch
import EventLoop
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Login")
struct LoginTests {
    @Test(
        "Login says word for word what is missing or malformed",
        arguments: [
            (nil, "Passw0rd", "Email/Password cannot be Empty!!!", "email"),
            (" ", "Passw0rd", "Email/Password cannot be Empty!!!", "email"),
            ("a@b.de", nil, "Email/Password cannot be Empty!!!", "password"),
            ("a@b.de", "", "Email/Password cannot be Empty!!!", "password"),
            ("nobody", "Passw0rd", "Invalid Email!!!", "email"), ("a\0@b.de", "Passw0rd", "Invalid Email!!!", "email"),
            ("' OR '1'='1", "Passw0rd", "Invalid Email!!!", "email"),
        ] as [(String?, String?, String, String)])
    func messages(email: String?, password: String?, message: String, field: String) async throws {
        let world = try await World()
        let error = await refusal(.rejected) {
            try await world.accounts.login(.init(email: email, password: password), address: "a", client: "c")
        }
        #expect(error?.message == message)
        #expect(error?.data?.field == field)
    }

    @Test("Login takes the email in any case, and a new token each time")
    func anyCase() async throws {
        let world = try await World()
        let name = World.name()
        let (first, _) = try await world.register(name)
        let (second, identity) = try await world.login(" \(name.uppercased())@EXAMPLE.org ", "Passw0rd")
        #expect(second.token != first.token)
        #expect(second.message == nil)
        #expect(identity.account == first.account)
        #expect(try await world.accounts.authenticate(token: first.token).account == first.account)
    }

    @Test("Login answers a wrong password and an unknown address alike, and hashes for both")
    func alike() async throws {
        let world = try await World()
        let name = World.name()
        _ = try await world.register(name)
        let wrong = await refusal(.invalidCredentials) { try await world.login("\(name)@example.org", "Passw0rd2") }
        let unknown = await refusal(.invalidCredentials) { try await world.login("no\(name)@example.org", "Passw0rd") }
        #expect(wrong == unknown)
        // A pool of workers that is full refuses to hash: both need it.
        let full = WorkerPool(label: "full", concurrentMax: 1, waitingMax: 0)
        let accounts = Accounts(
            loop: world.loop, database: world.pool, passwords: Passwords(cost: .init(logN: 4, r: 8, p: 1), pool: full),
            simulationKey: nil)
        let started = AsyncStream<Void>.makeStream()
        let hold = DispatchSemaphore(value: 0)
        async let occupied: Void = full.run {
            started.continuation.finish()
            hold.wait()
        }
        for await _ in started.stream {}
        for email in ["\(name)@example.org", "no\(name)@example.org"] {
            await #expect(throws: WorkerPool.Overloaded.self) {
                try await accounts.login(.init(email: email, password: "Passw0rd"), address: "a", client: "c")
            }
        }
        hold.signal()
        try await occupied
        #expect(try await Passwords(cost: .init(logN: 4, r: 8, p: 1)).verify("", against: nil) == false)
    }

    @Test("Login slows down guessing more and more, and locks out nobody at another address; success forgives")
    func throttled() async throws {
        let world = try await World()
        let name = World.name()
        _ = try await world.register(name)
        let email = "\(name)@example.org"
        for _ in 0..<5 {
            _ = await refusal(.invalidCredentials) { try await world.login(email, "Wrong123") }
        }
        for wait in [1.0, 2, 4, 8] {
            // The right password is not even looked at, in whatever case the address is written.
            let error = await refusal(.rateLimited) { try await world.login(email.uppercased(), "Passw0rd") }
            #expect(error?.data?.retryAfter == wait)
            world.clock.advance(bySeconds: wait)
            _ = await refusal(.invalidCredentials) { try await world.login(email, "Wrong123") }
        }
        _ = try await world.login(email, "Passw0rd", address: "198.51.100.7")
        _ = await refusal(.rateLimited) { try await world.login(email, "Passw0rd") }
        world.clock.advance(bySeconds: 16)
        _ = try await world.login(email, "Passw0rd")
        for _ in 0..<5 {
            _ = await refusal(.invalidCredentials) { try await world.login(email, "Wrong123") }
        }
    }

    @Test("Login counts simultaneous guesses before any of them is answered")
    func parallelGuesses() async throws {
        let world = try await World()
        let name = World.name()
        _ = try await world.register(name)
        let codes = await withTaskGroup(of: ErrorCode?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    do {
                        _ = try await world.login("\(name)@example.org", "Wrong123")
                        return nil
                    } catch { return RPCError.clientError(error)?.registered }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.filter { $0 == .invalidCredentials }.count == 5)
        #expect(codes.filter { $0 == .rateLimited }.count == 15)
    }

    @Test("Login slows down guessing from many addresses a little")
    func manyAddresses() async throws {
        let world = try await World()
        let name = World.name()
        _ = try await world.register(name)
        for index in 0..<50 {
            _ = await refusal(.invalidCredentials) {
                try await world.login("\(name)@example.org", "Wrong123", address: "198.51.100.\(index)")
            }
        }
        let error = await refusal(.rateLimited) {
            try await world.login("\(name)@example.org", "Passw0rd", address: "203.0.113.1")
        }
        #expect(error?.data?.retryAfter == 1)
    }

    @Test("Login does not count an outage of the database as a guess")
    func outage() async throws {
        let world = World(access: try await MigratedDatabase.shared.common().access)
        let name = World.name()
        _ = try await world.register(name)
        await world.pool.close()
        for _ in 0..<10 {
            _ = await refusal(.unavailable) { try await world.login("\(name)@example.org", "Passw0rd") }
        }
        await world.close()
    }

    @Test("Login with a password that is reset meanwhile gets no token")
    func resetMeanwhile() async throws {
        let world = try await World()
        let name = World.name()
        let (_, identity) = try await world.register(name)
        _ = try await world.accounts.logoutEverywhere(identity)
        let resetting = try await PostgresConnection.connect(
            configuration: world.access.administrator, loop: world.loop)
        defer { resetting.close() }
        let process = try #require(try await resetting.query("SELECT pg_backend_pid() AS id").first).int("id")
        _ = try await resetting.query("BEGIN")
        _ = try await resetting.query(
            "UPDATE accounts SET password_hash = 'new' WHERE id = $1", [.int(identity.account.id)])
        // The login still sees the old hash, and is held at the account's row when it wants its token.
        let login = Task { try await world.login("\(name)@example.org", "Passw0rd") }
        var isEndDelayed = false
        while !isEndDelayed {
            isEndDelayed =
                try await resetting.query(
                    "SELECT FROM pg_stat_activity WHERE $1::int = ANY(pg_blocking_pids(pid))", [.int(process)]
                ).isEmpty == false
        }
        _ = try await resetting.query("COMMIT")
        _ = await refusal(.invalidCredentials) { try await login.value }
        #expect(try await world.accounts.devices(of: identity).isEmpty)
    }
}
