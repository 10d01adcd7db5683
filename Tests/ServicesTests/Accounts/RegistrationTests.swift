import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Registration")
struct RegistrationTests {
    static let empty = "Username/Email/Password cannot be Empty!!!"
    static let username = "Username must be between 4-20 characters long!!!"
    static let characters = "Your username cannot contain invalid characters!!!"
    static let email = "Invalid Email!!!"
    static let password = "Password must be between 8-20 characters long!!!"
    static let strength = "At least 1 capital [A-Z] and 1 number [0-9]!!!"

    struct Case: Sendable, CustomTestStringConvertible {
        var username: String?
        var email: String?
        var password: String?
        var message: String
        var field: String
        var testDescription: String { "\(field): \(message)" }

        init(_ username: String?, _ email: String?, _ password: String?, _ message: String, _ field: String) {
            (self.username, self.email, self.password) = (username, email, password)
            (self.message, self.field) = (message, field)
        }
    }

    static let good = "a@b.de"
    static let cases = [
        Case(nil, good, "Passw0rd", empty, "username"), Case("", good, "Passw0rd", empty, "username"),
        Case("  \n", good, "Passw0rd", empty, "username"), Case("runner", nil, "Passw0rd", empty, "email"),
        Case("runner", " ", "Passw0rd", empty, "email"), Case("runner", good, nil, empty, "password"),
        Case("runner", good, "", empty, "password"), Case("run", good, "Passw0rd", username, "username"),
        Case(String(repeating: "a", count: 21), good, "Passw0rd", username, "username"),
        Case(String(repeating: "a", count: 10_000), good, "Passw0rd", username, "username"),
        Case("run ner", good, "Passw0rd", characters, "username"),
        Case("runné", good, "Passw0rd", characters, "username"),
        Case("run_ner", good, "Passw0rd", characters, "username"),
        Case("🏃🏃🏃🏃", good, "Passw0rd", characters, "username"),
        Case("عداءعداء", good, "Passw0rd", characters, "username"),
        Case("run\0ner", good, "Passw0rd", characters, "username"),
        Case("run\u{200B}ner", good, "Passw0rd", characters, "username"),
        Case("a';DROP TABLE", good, "Passw0rd", characters, "username"),
        Case("r٣nner", good, "Passw0rd", characters, "username"),
        Case("runner", "plain", "Passw0rd", email, "email"), Case("runner", "@b.de", "Passw0rd", email, "email"),
        Case("runner", "a@.de", "Passw0rd", email, "email"), Case("runner", "a@b.", "Passw0rd", email, "email"),
        Case("runner", "a@b", "Passw0rd", email, "email"), Case("runner", "a@b@c.de", "Passw0rd", email, "email"),
        Case("runner", "a b@c.de", "Passw0rd", email, "email"), Case("runner", "a\0@b.de", "Passw0rd", email, "email"),
        Case("runner", "a@b..de", "Passw0rd", email, "email"),
        Case("runner", "a\u{200B}@b.de", "Passw0rd", email, "email"),
        Case("runner", "a\u{202E}@b.de", "Passw0rd", email, "email"),
        Case("runner", "a\u{A0}@b.de", "Passw0rd", email, "email"),
        Case("runner", String(repeating: "a", count: 10_000) + "@b.de", "Passw0rd", email, "email"),
        Case("runner", "a" + String(repeating: "\u{301}", count: 10_000) + "@b.de", "Passw0rd", email, "email"),
        Case("runner", good, "Passw0r", password, "password"),
        Case("runner", good, "Passw0rd" + String(repeating: "a", count: 13), password, "password"),
        Case("runner", good, String(repeating: "aB3", count: 4_000), password, "password"),
        Case("runner", good, "passw0rd", strength, "password"), Case("runner", good, "Password", strength, "password"),
        Case("runner", good, "Ünïcöde٣", strength, "password"),
    ]

    @Test("Registration says word for word what is wrong, and which field it is", arguments: cases)
    func messages(wrong: Case) async throws {
        let world = try await World()
        let error = await refusal(.rejected) {
            try await world.accounts.register(
                .init(username: wrong.username, email: wrong.email, password: wrong.password), address: "a", client: "c"
            )
        }
        #expect(error?.message == wrong.message)
        #expect(error?.data?.field == wrong.field)
    }

    @Test("Registration accepts values at the edge of the rules, trims them, and keeps the case")
    func accepted() async throws {
        let world = try await World()
        let name = "Ab" + World.name().prefix(2).uppercased()
        let email = "\(World.name())+run'ner\"@Sub.Exämple.org"
        let (signedIn, identity) = try await world.register("  \(name) ", email: "\t\(email)\n", password: "A2345678")
        #expect(signedIn.message == "Account successfully registered")
        #expect(signedIn.account.username == name)
        #expect(signedIn.account.email == email)
        #expect(signedIn.account.role == .student)
        #expect(!signedIn.account.simulated)
        #expect(try await world.accounts.authenticate(token: signedIn.token) == identity)
        for password in ["Aa3 ' OR 1=1; --", "P0\0ssword", "P0🏃🏃🏃🏃🏃🏃🏃🏃🏃🏃🏃🏃🏃🏃🏃🏃🏃🏃", "P0مرورمرور"] {
            let name = World.name()
            _ = try await world.register(name, password: password)
            _ = try await world.login("\(name)@example.org", password)
            await #expect(throws: RPCError.self) { try await world.login("\(name)@example.org", password + "x") }
        }
    }

    @Test("Registration accepts a name or an email once, in whatever case", arguments: ["username", "email"])
    func taken(field: String) async throws {
        let world = try await World()
        let (name, email) = (World.name(), "\(World.name())é@example.org")
        _ = try await world.register(name, email: email)
        let other = field == "email" ? (World.name(), email.uppercased()) : (name.uppercased(), "x\(email)")
        let error = await refusal(.rejected) { try await world.register(other.0, email: other.1) }
        #expect(error?.message == (field == "email" ? "Email Taken!!!" : "Username Taken!!!"))
        #expect(error?.data?.field == field)
        if field == "email" {
            // The same letter in its other Unicode form.
            let decomposed = email.replacing("é", with: "e\u{301}")
            #expect(
                await refusal(.rejected) { try await world.register(email: decomposed) }?.message == "Email Taken!!!")
        }
    }

    @Test("Registration lets exactly one of many simultaneous attempts win", arguments: ["username", "email"])
    func race(field: String) async throws {
        let world = try await World()
        let (name, email) = (World.name(), "\(World.name())@example.org")
        let outcomes = await withTaskGroup(of: RPCError?.self) { group in
            for index in 0..<8 {
                group.addTask {
                    do {
                        let spelled = index % 2 == 0 ? (name, email) : (name.uppercased(), email.uppercased())
                        _ = try await world.register(
                            field == "username" ? spelled.0 : World.name(),
                            email: field == "email" ? spelled.1 : "\(World.name())@example.org")
                        return nil
                    } catch {
                        return RPCError.clientError(error) ?? RPCError(.internalError, "\(error)")
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let losers = outcomes.compactMap(\.self)
        #expect(losers.count == 7)
        #expect(Set(losers.map(\.message)) == [field == "email" ? "Email Taken!!!" : "Username Taken!!!"])
        #expect(Set(losers.map(\.data?.field)) == [field])
    }

    @Test(
        "Registration makes a simulated account with the operator's key, refuses a wrong one, and slows down guessing it"
    )
    func simulationKey() async throws {
        let world = try await World()
        #expect(try await world.simulated().account.simulated)
        for _ in 0..<5 {
            let error = await refusal(.forbidden) { try await world.register(key: "guess", address: "203.0.113.9") }
            #expect(error?.data?.field == "simulationKey")
        }
        // The right key too, or the answer would tell.
        let error = await refusal(.rateLimited) {
            try await world.register(key: World.simulationKey, address: "203.0.113.9")
        }
        #expect(error?.data?.retryAfter == 1)
        _ = try await world.register(key: World.simulationKey, address: "203.0.113.10")
        _ = try await world.register(address: "203.0.113.9")
        world.clock.advance(bySeconds: 1)
        _ = try await world.register(key: World.simulationKey, address: "203.0.113.9")
    }

    @Test("Registration without a key on the server makes no simulated account with any key")
    func noSimulationKey() async throws {
        let world = try await World()
        let accounts = Accounts(
            loop: world.loop, database: world.pool, passwords: Passwords(cost: .init(logN: 4, r: 8, p: 1)),
            simulationKey: nil)
        for key in ["", "null"] {
            _ = await refusal(.forbidden) {
                try await accounts.register(
                    .init(username: World.name(), email: "a@b.de", password: "Passw0rd", simulationKey: key),
                    address: "a", client: "c")
            }
        }
    }
}
