import Authenticators
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Defence of second factors")
struct FactorDefenceTests {
    private let proof = OwnershipProof(password: FactorWorld.password)

    private func signIn(_ world: FactorWorld, _ email: String) async throws -> SignedIn {
        try await world.accounts.login(
            .init(email: email, password: FactorWorld.password), address: "192.0.2.66", client: "tests"
        ).0
    }

    private func valid(_ token: String, _ world: FactorWorld) async -> Bool {
        await (try? world.accounts.authenticate(token: token)) != nil
    }

    @Test(
        "Once a log-in needs a second factor, devices that logged in without one are signed out; others stay",
        .timeLimit(.minutes(1)))
    func otherDevices() async throws {
        let world = try await FactorWorld()
        // A student's passkey changes nothing for the password, an authenticator app does.
        let (own, anna) = try await world.base.register("anna@example.org")
        let annas = try await signIn(world, "anna@example.org")
        try await world.add(SoftwareAuthenticator(), to: anna)
        #expect(await valid(annas.token, world))
        _ = try await world.addTOTP(to: anna)
        #expect(await !valid(annas.token, world))
        #expect(await valid(own.token, world))
        // An admin's first passkey does as well, their second factor thereafter not.
        let (first, ada) = try await world.base.register("ada@example.org")
        let admin = try await world.makeAdmin(ada)
        let thiefs = try await signIn(world, "ada@example.org")
        let device = SoftwareAuthenticator()
        try await world.add(device, to: admin)
        #expect(await !valid(thiefs.token, world))
        let params = AccountPasskeyLogin.Params(
            passkey: world.signature(world.ready(device, for: admin), world.passkeys.beginSignIn().challenge))
        let both = try await world.passkeys.signIn(params, client: "tests").0
        _ = try await world.addTOTP(to: admin)
        #expect(await valid(both.token, world))
        #expect(await valid(first.token, world))
        await world.close()
    }

    @Test(
        "A new password by the operator removes a thief's recent passkey, and says what is left",
        .timeLimit(.minutes(1)))
    func operatorsPassword() async throws {
        let world = try await FactorWorld()
        let (_, anna) = try await world.base.register("anna@example.org")
        try await world.add(SoftwareAuthenticator(), to: anna, name: "Old")
        _ = try await world.pool.query("UPDATE passkeys SET created_at = now() - interval '8 days'")
        try await world.add(SoftwareAuthenticator(), to: anna, name: "Thief's")
        let account = try await world.accounts.resetPassword(ofEmail: "anna@example.org", to: "N3wPassword")
        #expect(try await world.accounts.factorsLeft(of: account.id) == ["the passkey \"Old\""])
        await world.close()
    }

    @Test(
        "First codes have their own number of tries, and none without a set-up of the device", .timeLimit(.minutes(1)))
    func setupTries() async throws {
        let world = try await FactorWorld()
        let (_, anna) = try await world.base.register("anna@example.org")
        for _ in 0..<8 {
            #expect(
                await world.refusal { _ = try await world.factors.confirmTOTP(.init(code: "000000"), by: anna) }
                    == SecondFactors.noSetup)
        }
        _ = try await world.factors.beginTOTP(.init(proof: proof), by: anna)
        for _ in 0..<SecondFactors.setupTriesMax {
            #expect(
                await world.refusal { _ = try await world.factors.confirmTOTP(.init(code: "000000"), by: anna) }?
                    .registered == .rejected)
        }
        let secret = try required(await world.pool.query("SELECT secret FROM totp_secrets").first).bytes("secret")
        let right = AccountConfirmTOTP.Params(code: world.code(TOTP(secret: secret)))
        #expect(
            await world.refusal { _ = try await world.factors.confirmTOTP(right, by: anna) } == SecondFactors.noSetup)
        // No guess at a sign-in was counted, so the owner does not wait.
        #expect(try await world.pool.query("SELECT FROM factor_guesses").isEmpty)
        _ = try await world.addTOTP(to: anna)
        await world.close()
    }

    @Test("The owner gets one mail a day about guesses, also when a right code is in between", .timeLimit(.minutes(1)))
    func guesses() async throws {
        let world = try await FactorWorld()
        let (_, anna) = try await world.base.register("anna@example.org")
        let (_, codes) = try await world.addTOTP(to: anna)
        func guess(_ count: Int64) async throws {
            for _ in 0..<count {
                // A day later the waits are forgotten.
                _ = try await world.pool.query("UPDATE factor_guesses SET last_at = now() - interval '25 hours'")
                let ticket = try await world.ticket("anna@example.org")
                #expect(
                    await world.refusal {
                        _ = try await world.factors.complete(.init(ticket: ticket, code: "000000"), client: "tests")
                    } == SecondFactors.wrongCode)
            }
        }
        func mails() async throws -> Int {
            try await world.subjects(to: "anna@example.org").filter { $0.contains("guessing") }.count
        }
        try await guess(SecondFactors.unnoticedFailures)
        #expect(try await mails() == 0)
        try await guess(2)
        #expect(try await mails() == 1)
        let ticket = try await world.ticket("anna@example.org")
        _ = try await world.factors.complete(.init(ticket: ticket, recoveryCode: codes[0]), client: "tests")
        try await guess(SecondFactors.unnoticedFailures + 1)
        #expect(try await mails() == 1)
        _ = try await world.pool.query("UPDATE factor_guesses SET noted_at = noted_at - interval '1 day'")
        try await guess(1)
        #expect(try await mails() == 2)
        await world.close()
    }

    @Test("A log-in in two steps on a new device sends one mail, after the second step", .timeLimit(.minutes(1)))
    func newDevice() async throws {
        let world = try await FactorWorld()
        let email = "anna@example.org"
        let (_, anna) = try await world.base.register(email)
        let (_, codes) = try await world.addTOTP(to: anna)
        let device = SoftwareAuthenticator()
        try await world.add(device, to: anna)
        func mails() async throws -> Int {
            try await world.base.settle()
            return world.base.mails(to: email).filter {
                $0.object("headers").text("subject").hasPrefix("New login")
            }.count
        }
        let ticket = try await world.ticket(email)
        _ = await world.refusal {
            _ = try await world.factors.complete(.init(ticket: ticket, code: "000000"), client: "tests")
        }
        #expect(try await mails() == 0)
        let done = try await world.factors.complete(.init(ticket: ticket, recoveryCode: codes[0]), client: "tests")
        #expect(try await mails() == 1)
        // A device that is known by now, and another one with a passkey as the second step.
        let again = try await world.ticket(email)
        _ = try await world.factors.complete(
            .init(ticket: again, recoveryCode: codes[1], device: done.0.device), client: "tests")
        #expect(try await mails() == 1)
        let other = try await world.ticket(email)
        let signature = world.signature(world.ready(device, for: anna), world.passkeys.beginSignIn().challenge)
        _ = try await world.factors.complete(.init(ticket: other, passkey: signature), client: "tests")
        #expect(try await mails() == 2)
        await world.close()
    }

    @Test("A stopped passkey is not the second factor that an admin needs", .timeLimit(.minutes(1)))
    func stopped() async throws {
        let world = try await FactorWorld()
        let (_, ada) = try await world.base.register("ada@example.org")
        let admin = try await world.makeAdmin(ada)
        try await world.add(SoftwareAuthenticator(), to: admin)
        _ = try await world.addTOTP(to: admin)
        _ = try await world.pool.query("UPDATE passkeys SET stopped_at = now()")
        #expect(
            await world.refusal { try await world.factors.removeTOTP(.init(proof: proof), by: admin) }
                == Identity.needsFactor)
        // The password alone does not sign in either.
        _ = try await world.ticket("ada@example.org")
        await world.close()
    }

    @Test("An account gets so many mails of a kind an hour, and a kind hides no other", .timeLimit(.minutes(1)))
    func mails() async throws {
        let world = try await FactorWorld()
        let (_, anna) = try await world.base.register("anna@example.org")
        _ = try await world.addTOTP(to: anna)
        for _ in 0..<(AccountMailOutbox.factorChangesPerHourMax + 2) {
            _ = try await world.factors.makeRecoveryCodes(.init(proof: proof), by: anna)
        }
        try await world.add(SoftwareAuthenticator(), to: anna)
        let subjects = try await world.subjects(to: "anna@example.org")
        #expect(subjects.filter { $0 == "New recovery codes" }.count == Int(AccountMailOutbox.factorChangesPerHourMax))
        #expect(subjects.contains("Passkey added"))
        await world.close()
    }

    @Test(
        "A challenge is the same however it is written, and is kept a while after it expired", .timeLimit(.minutes(1)))
    func challenges() async throws {
        let world = try await FactorWorld()
        let challenge = world.passkeys.beginSignIn().challenge
        let checked = try world.passkeys.challenges.check(challenge, .signIn)
        #expect(try world.passkeys.challenges.check(challenge + "=", .signIn) == checked)
        for minutes in [30, 90] {
            _ = try await world.pool.query(
                "INSERT INTO used_challenges VALUES (sha256($1::text::bytea), now() - make_interval(mins => $2::integer))",
                [.text("\(minutes)"), .int(Int64(minutes))])
        }
        try await world.accounts.prune()
        let left = try await world.pool.query("SELECT digest FROM used_challenges")
        #expect(try left.map { try $0.bytes("digest") } == [Secrets.hash("30")])
        await world.close()
    }

    @Test("An admin without the second factor sends notices to the people of own events alone, and sees own ones")
    func notices() async throws {
        let world = try await NoticeWorld()
        let (admin, other) = (try await world.member(.admin), try await world.member(.admin))
        let bare = Identity(account: admin.account, tokenID: admin.tokenID, adminsNeedFactor: true)
        let earlier = try await world.publish("mine", by: admin)
        let others = try await world.publish("theirs", by: other)
        let (own, foreign) = (try await world.event(by: admin), try await world.event(by: other))
        func isRefused(_ body: () async throws -> Void) async -> Bool {
            do { try await body() } catch { return error as? RPCError == MethodAccess.needsSecondFactor }
            return false
        }
        let audiences: [NoticeAudience] = [
            .campus, .init(kind: .zone, zone: 1), .init(kind: .role, role: .student),
            .init(kind: .event, event: foreign), .init(kind: .user, account: other.account.id),
        ]
        for audience in audiences {
            #expect(await isRefused { try await world.publish(to: audience, by: bare) }, "\(audience)")
            #expect(
                await isRefused { _ = try await world.notices.preview(.init(audience: audience), by: bare) },
                "\(audience)")
        }
        let people = NoticeAudience(kind: .event, event: own)
        #expect(await isRefused { try await world.publish(level: .emergency, by: bare) })
        #expect(await isRefused { try await world.publish(to: people, level: .emergency, by: bare) })
        #expect(await isRefused { try await world.correct(earlier, "changed", by: bare) })
        let mine = try await world.publish("run", to: people, by: bare)
        let listed = try await world.notices.sent(.init(), for: bare).notices.map(\.notice.number)
        #expect(listed == [mine.notice.number, earlier.notice.number])
        let status = NoticeParams(notice: others.notice.number)
        await #expect(throws: RPCError.self) { try await world.notices.status(of: status, for: bare) }
        // With one, everything is open at once, also on the same connection.
        _ = try await world.pool.query(
            "INSERT INTO totp_secrets (account_id, secret, confirmed_at) VALUES ($1, '\\x00', now())",
            [.int(admin.account.id)])
        try await world.publish(level: .emergency, by: bare)
        _ = try await world.notices.status(of: status, for: bare)
        await world.close()
    }
}
