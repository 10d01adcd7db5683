import Authenticators
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Second factors")
struct SecondFactorTests {
    @Test(
        "With an authenticator app, the password alone gets a ticket, and each code works once", .timeLimit(.minutes(1))
    )
    func totp() async throws {
        let world = try await FactorWorld()
        let (_, identity) = try await world.base.register("anna@example.org")
        let (totp, codes) = try await world.addTOTP(to: identity)
        #expect(codes.count == 10 && Set(codes).count == 10)
        #expect(await world.refusal { _ = try await world.addTOTP(to: identity) } == SecondFactors.hasTOTP)
        let error = await world.refusal {
            _ = try await world.accounts.login(
                .init(email: "anna@example.org", password: FactorWorld.password), address: "192.0.2.9", client: "tests")
        }
        #expect(error?.registered == .secondFactorRequired && error?.data?.factors == [.totp, .recoveryCode])
        let ticket = try required(error?.data?.ticket)
        #expect(await !valid(ticket, world))
        // The code that set it up was used.
        for code in [world.code(totp), "000000", "", "12345"] {
            let refused = await world.refusal { _ = try await complete(world, ticket, code) }
            #expect(refused?.registered == .invalidCredentials)
        }
        world.base.clock.advance(bySeconds: 60)
        let (signedIn, _) = try await complete(world, ticket, world.code(totp))
        #expect(await valid(signedIn.token, world))
        #expect(
            await world.refusal { _ = try await complete(world, ticket, world.code(totp, steps: 1)) }
                == SecondFactors.unknownTicket)
        // Nobody who saw the code can use it within its minute, nor an earlier one.
        let second = try await world.ticket("anna@example.org")
        for steps in [0, -1] as [Int64] {
            #expect(
                await world.refusal { _ = try await complete(world, second, world.code(totp, steps: steps)) }
                    == SecondFactors.wrongCode)
        }
        _ = try await complete(world, second, world.code(totp, steps: 1))
        await world.close()
    }

    private func valid(_ token: String, _ world: FactorWorld) async -> Bool {
        await (try? world.accounts.authenticate(token: token)) != nil
    }

    private func complete(
        _ world: FactorWorld, _ ticket: String, _ code: String, by factors: SecondFactors? = nil
    ) async throws -> (SignedIn, Identity) {
        try await (factors ?? world.factors).complete(.init(ticket: ticket, code: code), client: "tests")
    }

    @Test(
        "A recovery code works once, however it is typed, and the owner gets a mail; new ones end the old",
        .timeLimit(.minutes(1)))
    func recoveryCodes() async throws {
        let world = try await FactorWorld()
        let (_, identity) = try await world.base.register("anna@example.org")
        let (_, codes) = try await world.addTOTP(to: identity)
        let stored = try await world.pool.query("SELECT hash FROM recovery_codes")
        #expect(try stored.allSatisfy { try $0.bytes("hash").count == 32 } && stored.count == 10)
        func use(_ code: String) async throws -> RPCError? {
            let ticket = try await world.ticket("anna@example.org")
            return await world.refusal {
                _ = try await world.factors.complete(.init(ticket: ticket, recoveryCode: code), client: "tests")
            }
        }
        #expect(try await use(codes[0].uppercased().replacing("-", with: " ")) == nil)
        #expect(try await use(codes[0]) == SecondFactors.wrongRecoveryCode)
        #expect(try await use(String(codes[1].dropLast())) == SecondFactors.wrongRecoveryCode)
        #expect(try await use(codes[1]) == nil)
        #expect(try await world.factors.state(identity).recoveryCodes == 8)
        let new = try await world.factors.makeRecoveryCodes(
            .init(proof: .init(password: FactorWorld.password)), by: identity
        ).recoveryCodes
        #expect(try await use(codes[2]) == SecondFactors.wrongRecoveryCode)
        #expect(try await use(new[0]) == nil)
        // Several are sent at once.
        let subjects = try await world.subjects(to: "anna@example.org").sorted()
        #expect(
            subjects == [
                "A recovery code was used", "A recovery code was used", "A recovery code was used",
                "New recovery codes", "Two-step log-in is on",
            ])
        #expect(world.base.mails(to: "anna@example.org").contains { $0.text("plain").contains("8 codes are left") })
        try await world.factors.removeTOTP(.init(proof: .init(password: FactorWorld.password)), by: identity)
        #expect(try await world.pool.query("SELECT FROM recovery_codes").isEmpty)
        #expect(await world.base.logsIn("anna@example.org", FactorWorld.password))
        await world.close()
    }

    @Test(
        "Parallel guesses on several servers and tickets share one limit, which the right code does not break",
        .timeLimit(.minutes(1)))
    func guesses() async throws {
        let world = try await FactorWorld()
        let (_, identity) = try await world.base.register("anna@example.org")
        let (totp, _) = try await world.addTOTP(to: identity)
        let servers = [world.factors, try await world.another()]
        var tickets: [String] = []
        for _ in 0..<4 { tickets.append(try await world.ticket("anna@example.org")) }
        let errors = await withTaskGroup(of: RPCError?.self) { group in
            for guess in 0..<24 {
                let (server, ticket) = (servers[guess % 2], tickets[guess % 4])
                group.addTask {
                    await world.refusal { _ = try await complete(world, ticket, "99999\(guess % 10)", by: server) }
                }
            }
            return await group.reduce(into: [RPCError?]()) { $0.append($1) }
        }
        let compared = errors.filter { $0?.registered == .invalidCredentials }.count
        let limited = errors.filter { $0?.registered == .rateLimited }.count
        #expect(compared == Int(SecondFactors.freeFailures) && compared + limited == errors.count)
        world.base.clock.advance(bySeconds: 60)
        #expect(
            await world.refusal { _ = try await complete(world, tickets[0], world.code(totp)) }?.registered
                == .rateLimited)
        _ = try await world.pool.query("UPDATE factor_guesses SET last_at = last_at - interval '2 seconds'")
        _ = try await complete(world, tickets[0], world.code(totp))
        // A ticket has its own largest number of tries, whatever the waits.
        for _ in 0..<12 {
            _ = try await world.pool.query("DELETE FROM factor_guesses")
            _ = await world.refusal { _ = try await complete(world, tickets[1], "000000") }
        }
        world.base.clock.advance(bySeconds: 60)
        _ = try await world.pool.query("DELETE FROM factor_guesses")
        #expect(
            await world.refusal { _ = try await complete(world, tickets[1], world.code(totp)) }
                == SecondFactors.unknownTicket)
        await world.close()
    }

    @Test("A ticket is its account's, expires, and ends with the password and with all grants", .timeLimit(.minutes(1)))
    func tickets() async throws {
        let world = try await FactorWorld()
        let (_, anna) = try await world.base.register("anna@example.org")
        let (_, eve) = try await world.base.register("eve@example.org")
        let (totp, _) = try await world.addTOTP(to: anna)
        let (evesTOTP, evesCodes) = try await world.addTOTP(to: eve)
        let key = SoftwareAuthenticator()
        try await world.add(key, to: eve)
        world.base.clock.advance(bySeconds: 60)
        let ticket = try await world.ticket("anna@example.org")
        #expect(
            await world.refusal { _ = try await complete(world, ticket, world.code(evesTOTP)) }
                == SecondFactors.wrongCode)
        #expect(
            await world.refusal {
                _ = try await world.factors.complete(.init(ticket: ticket, recoveryCode: evesCodes[0]), client: "tests")
            } == SecondFactors.wrongRecoveryCode)
        let signature = world.signature(world.ready(key, for: eve), world.passkeys.beginSignIn().challenge)
        #expect(
            await world.refusal {
                _ = try await world.factors.complete(.init(ticket: ticket, passkey: signature), client: "tests")
            }?.registered == .invalidCredentials)
        #expect(
            await world.refusal { _ = try await world.factors.complete(.init(ticket: ticket), client: "tests") }?
                .registered == .invalidParams)
        _ = try await world.accounts.logoutEverywhere(anna)
        #expect(
            await world.refusal { _ = try await complete(world, ticket, world.code(totp)) }
                == SecondFactors.unknownTicket)
        let late = try await world.ticket("anna@example.org")
        _ = try await world.pool.query("UPDATE pending_sign_ins SET expires_at = now()")
        #expect(
            await world.refusal { _ = try await complete(world, late, world.code(totp)) } == SecondFactors.unknownTicket
        )
        // Eve's own passkey completes her own sign-in.
        let own = try await world.ticket("eve@example.org")
        var again = world.ready(key, for: eve)
        again.counter += 1
        let answer = world.signature(again, world.passkeys.beginSignIn().challenge)
        let done = try await world.factors.complete(.init(ticket: own, passkey: answer), client: "tests")
        #expect(done.1.account.id == eve.account.id)
        await world.close()
    }

    @Test("An admin's passkey is a second factor of the password; others keep both ways", .timeLimit(.minutes(1)))
    func admins() async throws {
        let world = try await FactorWorld()
        let (_, anna) = try await world.base.register("anna@example.org")
        try await world.add(SoftwareAuthenticator(), to: anna)
        #expect(await world.base.logsIn("anna@example.org", FactorWorld.password))
        let (_, ada) = try await world.base.register("ada@example.org")
        let admin = try await world.makeAdmin(ada)
        #expect(admin.lacksSecondFactor)
        let added = try await world.add(SoftwareAuthenticator(), to: admin)
        #expect(added.recoveryCodes?.count == 10)
        let ticket = try await world.ticket("ada@example.org")
        // The only one stays, as long as the server requires it.
        let removal = AccountRemovePasskey.Params(
            passkey: added.passkey.id, proof: .init(password: FactorWorld.password))
        #expect(await world.refusal { try await world.passkeys.remove(removal, by: admin) } == Identity.needsFactor)
        let reset = try await world.accounts.resetSecondFactor(ofEmail: "ada@example.org")
        #expect(reset.id == ada.account.id)
        #expect(
            await world.refusal {
                _ = try await world.factors.complete(
                    .init(ticket: ticket, recoveryCode: added.recoveryCodes?[0]), client: "tests")
            } == SecondFactors.unknownTicket)
        #expect(await world.base.logsIn("ada@example.org", FactorWorld.password))
        #expect(
            try await world.subjects(to: "ada@example.org").sorted() == ["Passkey added", "Two-step log-in was reset"])
        let entries = try await world.pool.query(
            "SELECT actor_name FROM audit_log WHERE action = 'user.resetSecondFactor' AND subject_id = $1",
            [.int(ada.account.id)])
        #expect(try entries.map { try $0.text("actor_name") } == ["operator"])
        #expect(
            await world.refusal { _ = try await world.accounts.resetSecondFactor(ofEmail: "ada@example.org") }?
                .registered == .conflict)
        await world.close()
    }

    @Test(
        "Whoever becomes an admin with a passkey and without recovery codes gets a mail, and makes them with the passkey",
        .timeLimit(.minutes(1)))
    func promoted() async throws {
        let world = try await FactorWorld()
        let administration = Administration(
            loop: world.base.world.loop, database: world.pool, accounts: world.accounts,
            tracking: world.base.world.tracking)
        _ = try await world.base.register("ada@example.org")
        _ = try await world.accounts.setRole(.admin, ofEmail: "ada@example.org")
        let (_, boss) = try await world.accounts.login(
            .init(email: "ada@example.org", password: FactorWorld.password), address: "192.0.2.9", client: "tests")
        for (email, isByOperator) in [("anna@example.org", true), ("bert@example.org", false)] {
            let (_, student) = try await world.base.register(email)
            let device = SoftwareAuthenticator()
            // The password of a student does not need the passkey, so there is nothing to recover.
            #expect(try await world.add(device, to: student).recoveryCodes == nil)
            #expect(try await world.factors.state(student).isOn == false)
            if isByOperator {
                _ = try await world.accounts.setRole(.admin, ofEmail: email)
            } else {
                _ = try await administration.editUser(
                    .init(account: student.account.id, role: .admin, password: FactorWorld.password), by: boss)
            }
            // Both may be sent at once.
            #expect(try await world.subjects(to: email).sorted() == ["Make recovery codes", "Passkey added"])
            let admin = try await world.signIn(world.ready(device, for: student))
            let state = try await world.factors.state(admin)
            #expect(state.isOn && state.recoveryCodes == 0)
            let codes = try await world.factors.makeRecoveryCodes(
                .init(proof: .init(password: FactorWorld.password)), by: admin
            ).recoveryCodes
            let ticket = try await world.ticket(email)
            let done = try await world.factors.complete(
                .init(ticket: ticket, recoveryCode: codes[0]), client: "tests")
            #expect(done.1.account.id == student.account.id)
        }
        // Without a passkey the password alone signs in.
        #expect(try await world.subjects(to: "ada@example.org") == [])
        await world.close()
    }

    @Test(
        "A secret waits for its first code on its own device, for minutes, and is no factor until then",
        .timeLimit(.minutes(1)))
    func setup() async throws {
        let world = try await FactorWorld()
        let (_, identity) = try await world.base.register("anna@example.org")
        let begun = try await world.factors.beginTOTP(
            .init(proof: .init(password: FactorWorld.password)), by: identity)
        #expect(begun.secret.count == 32 && begun.address.contains(begun.secret) && begun.rows.count >= 21)
        #expect(await world.base.logsIn("anna@example.org", FactorWorld.password))
        let secret = try required(await world.pool.query("SELECT secret FROM totp_secrets").first).bytes("secret")
        let code = world.code(TOTP(secret: secret))
        let (_, device) = try await world.accounts.login(
            .init(email: "anna@example.org", password: FactorWorld.password), address: "192.0.2.9", client: "tests")
        #expect(
            await world.refusal { _ = try await world.factors.confirmTOTP(.init(code: code), by: device) }
                == SecondFactors.noSetup)
        #expect(
            await world.refusal { _ = try await world.factors.confirmTOTP(.init(code: "000000"), by: identity) }?
                .registered == .rejected)
        _ = try await world.pool.query("UPDATE totp_secrets SET created_at = now() - interval '16 minutes'")
        #expect(
            await world.refusal { _ = try await world.factors.confirmTOTP(.init(code: code), by: identity) }
                == SecondFactors.noSetup)
        #expect(
            await world.refusal {
                _ = try await world.factors.makeRecoveryCodes(
                    .init(proof: .init(password: FactorWorld.password)), by: identity)
            } == SecondFactors.noFactor)
        await world.close()
    }
}
