import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Passkeys of accounts")
struct PasskeyServiceTests {
    @Test("A passkey is added, signs in, gets a name and is removed; each change is mailed", .timeLimit(.minutes(1)))
    func life() async throws {
        let world = try await FactorWorld()
        let (_, identity) = try await world.base.register("anna@example.org")
        let device = SoftwareAuthenticator()
        let added = try await world.add(device, to: identity, name: " Phone <b> ")
        #expect(added.passkey.name == "Phone <b>" && added.recoveryCodes == nil)
        let used = world.ready(device, for: identity)
        let signedIn = try await world.signIn(used)
        #expect(signedIn.account.id == identity.account.id && signedIn.account.hasSecondFactor)
        let listed = try await world.passkeys.list(identity)
        #expect(listed.passkeys.count == 1 && listed.passkeys[0].lastUsedAt != nil && listed.site == "localhost")
        let renamed = try await world.passkeys.rename(.init(passkey: added.passkey.id, name: "Laptop"), by: identity)
        #expect(renamed.name == "Laptop")
        // The same authenticator is on the account already.
        #expect(await world.refusal { try await world.add(device, to: identity) }?.registered == .conflict)
        let wrong = AccountRemovePasskey.Params(passkey: added.passkey.id, proof: .init(password: "Wrong1234"))
        #expect(
            await world.refusal { try await world.passkeys.remove(wrong, by: identity) }?.registered
                == .invalidCredentials)
        try await world.passkeys.remove(
            .init(passkey: added.passkey.id, proof: .init(password: FactorWorld.password)), by: identity)
        #expect(
            await world.refusal { try await world.signIn(world.ready(used, for: identity)) }?.registered
                == .invalidCredentials)
        #expect(try await world.subjects(to: "anna@example.org").sorted() == ["Passkey added", "Passkey removed"])
        #expect(
            world.base.mails(to: "anna@example.org").contains { $0.text("plain").contains("the passkey \"Phone b\"") })
        await world.close()
    }

    @Test("A challenge works once, for minutes, for its purpose, its account and its device", .timeLimit(.minutes(1)))
    func challenges() async throws {
        let world = try await FactorWorld()
        let (_, identity) = try await world.base.register("anna@example.org")
        let (_, other) = try await world.base.register("eve@example.org")
        let password = OwnershipProof(password: FactorWorld.password)
        let begun = try await world.passkeys.begin(.init(proof: password), by: identity)
        func add(_ challenge: String, _ by: Identity) async -> RPCError? {
            let answer = SoftwareAuthenticator().register(challenge)
            return await world.refusal {
                _ = try await world.passkeys.add(
                    .init(
                        name: "x", clientDataJSON: answer.clientDataJSON, authenticatorData: answer.authenticatorData),
                    by: by)
            }
        }
        let elsewhere = Identity(account: identity.account, tokenID: identity.tokenID + 1_000)
        for (challenge, by) in [
            (begun.challenge, other), (begun.challenge, elsewhere),
            (world.passkeys.beginSignIn().challenge, identity), ("AAAA", identity), ("", identity), ("é", identity),
            (String(begun.challenge.dropLast(2)) + "AA", identity),
        ] {
            #expect(await add(challenge, by)?.message == Passkeys.lateAnswer.message)
        }
        #expect(await add(begun.challenge, identity) == nil)
        #expect(await add(begun.challenge, identity)?.message == Passkeys.lateAnswer.message)
        let late = try await world.passkeys.begin(.init(proof: password), by: identity)
        world.base.clock.advance(bySeconds: PasskeyChallenges.validSeconds)
        #expect(await add(late.challenge, identity)?.message == Passkeys.lateAnswer.message)
        // A sign-in, sent again.
        let device = SoftwareAuthenticator()
        try await world.add(device, to: identity)
        let challenge = world.passkeys.beginSignIn().challenge
        let sent = world.signature(world.ready(device, for: identity), challenge)
        _ = try await world.passkeys.signIn(.init(passkey: sent), client: "tests")
        let again = await world.refusal {
            _ = try await world.passkeys.signIn(.init(passkey: sent), client: "tests")
        }
        #expect(again?.message == Passkeys.lateAnswer.message)
        // Another server over the same database knows that it was used.
        let node = try await world.another()
        #expect(
            await world.refusal { _ = try await node.passkeys.signIn(.init(passkey: sent), client: "tests") }?.message
                == Passkeys.lateAnswer.message)
        await world.close()
    }

    @Test("What is wrong with an answer is refused, and signs nobody in", .timeLimit(.minutes(1)))
    func refused() async throws {
        let world = try await FactorWorld()
        let (_, identity) = try await world.base.register("anna@example.org")
        let (_, other) = try await world.base.register("eve@example.org")
        let device = SoftwareAuthenticator()
        try await world.add(device, to: identity)
        let theirs = SoftwareAuthenticator()
        try await world.add(theirs, to: other)
        let ready = world.ready(device, for: identity)
        let before = try await world.pool.query("SELECT FROM tokens").count
        let changes: [(ErrorCode, (inout SoftwareAuthenticator) -> Void)] = [
            (.rejected, { $0.origin = "https://evil.example" }), (.rejected, { $0.site = "evil.example" }),
            (.rejected, { $0.flags = 0x01 }), (.rejected, { $0.flags = 0x04 }),
            (.rejected, { $0.type = "webauthn.create" }), (.rejected, { $0.moreClientData = #","crossOrigin":true"# }),
            (.invalidCredentials, { $0.userHandle = nil }),
            (
                .invalidCredentials,
                {
                    $0.userHandle = SoftwareAuthenticator.base64URL(
                        world.passkeys.challenges.handle(of: other.account.id))
                }
            ),
            // Another key, for Anna's id.
            (.rejected, { $0 = SoftwareAuthenticator(id: $0.id) }),
            (.invalidCredentials, { $0 = SoftwareAuthenticator() }),
        ]
        for (code, change) in changes {
            var changed = ready
            change(&changed)
            changed.userHandle = changed.userHandle ?? (code == .rejected ? ready.userHandle : nil)
            #expect(await world.refusal { try await world.signIn(changed) }?.registered == code)
        }
        #expect(try await world.pool.query("SELECT FROM tokens").count == before)
        _ = try await world.pool.query(
            "UPDATE accounts SET disabled_at = now() WHERE id = $1", [.int(identity.account.id)])
        #expect(await world.refusal { try await world.signIn(ready) } == Accounts.disabled)
        // Proofs of ownership are the caller's own.
        let proof = try await world.passkeys.beginProof(other)
        let removal = AccountRemovePasskey.Params(
            passkey: 1, proof: .init(passkey: world.signature(ready, proof.challenge)))
        #expect(
            await world.refusal { try await world.passkeys.remove(removal, by: other) }?.registered
                == .invalidCredentials)
        await world.close()
    }

    @Test(
        "A counter that goes back stops the passkey for everybody, and the owner gets one mail", .timeLimit(.minutes(1))
    )
    func cloned() async throws {
        let world = try await FactorWorld()
        let (_, identity) = try await world.base.register("anna@example.org")
        let device = SoftwareAuthenticator()
        try await world.add(device, to: identity)
        let clone = world.ready(device, for: identity)
        let original = world.ready(clone, for: identity)
        try await world.signIn(original)
        for device in [clone, original, world.ready(original, for: identity)] {
            #expect(await world.refusal { try await world.signIn(device) } == Passkeys.stopped)
        }
        #expect(try await world.passkeys.list(identity).passkeys[0].stoppedAt != nil)
        #expect(
            try await world.subjects(to: "anna@example.org").sorted()
                == ["Passkey added", "Your passkey may have been copied"])
        // An authenticator that does not count stays at 0.
        var uncounted = SoftwareAuthenticator()
        uncounted.counter = 0
        try await world.add(uncounted, to: identity)
        for _ in 0..<2 { try await world.signIn(world.ready(uncounted, for: identity)) }
        await world.close()
    }

    @Test(
        "A passkey proves ownership instead of the password, and an account has a largest number of them",
        .timeLimit(.minutes(1)))
    func proofs() async throws {
        let world = try await FactorWorld()
        let (_, identity) = try await world.base.register("anna@example.org")
        #expect(await world.refusal { _ = try await world.passkeys.beginProof(identity) } == Accounts.needsPassword)
        let device = SoftwareAuthenticator()
        try await world.add(device, to: identity)
        let challenge = try await world.passkeys.beginProof(identity)
        #expect(challenge.passkeys == [SoftwareAuthenticator.base64URL(device.id)])
        let proof = OwnershipProof(passkey: world.signature(world.ready(device, for: identity), challenge.challenge))
        _ = try await world.passkeys.begin(.init(proof: proof), by: identity)
        #expect(
            await world.refusal { _ = try await world.passkeys.begin(.init(proof: proof), by: identity) }?.message
                == Passkeys.lateAnswer.message)
        #expect(
            await world.refusal { _ = try await world.passkeys.begin(.init(proof: .init()), by: identity) }
                == Accounts.needsPassword)
        _ = try await world.pool.query(
            """
            INSERT INTO passkeys (account_id, credential_id, algorithm, public_key, sign_count, is_backup_eligible, is_backed_up, name)
            SELECT $1, ('x' || n)::bytea, -7, '', 0, false, false, 'x' FROM generate_series(2, $2) n
            """, [.int(identity.account.id), .int(Int64(Passkeys.perAccountMax))])
        #expect(await world.refusal { try await world.add(SoftwareAuthenticator(), to: identity) } == Passkeys.tooMany)
        await world.close()
    }

    @Test(
        "Whoever registers with somebody's address cannot leave a passkey or an app on the account",
        .timeLimit(.minutes(1)))
    func preHijacking() async throws {
        let world = try await FactorWorld()
        let (_, eve) = try await world.base.registerProvisionally("anna@example.org")
        #expect(
            await world.refusal { try await world.add(SoftwareAuthenticator(), to: eve) }
                == MethodAccess.needsConfirmedAddress)
        #expect(
            await world.refusal { _ = try await world.addTOTP(to: eve) } == MethodAccess.needsConfirmedAddress)
        await world.close()
    }

    @Test(
        "A reset by mail removes what a thief of the password added within a week, and keeps the rest and admins'",
        .timeLimit(.minutes(1)))
    func reset() async throws {
        let world = try await FactorWorld()
        for (email, isAdmin) in [("anna@example.org", false), ("ada@example.org", true)] {
            var (_, identity) = try await world.base.register(email)
            if isAdmin { identity = try await world.makeAdmin(identity) }
            let old = SoftwareAuthenticator()
            try await world.add(old, to: identity, name: "Old")
            _ = try await world.pool.query(
                "UPDATE passkeys SET created_at = now() - interval '8 days' WHERE account_id = $1",
                [.int(identity.account.id)])
            try await world.add(SoftwareAuthenticator(), to: identity, name: "New")
            try await world.base.request(email)
            try await world.base.settle()
            let mail = try required(world.base.mails(to: email).last { $0.text("plain").contains("/reset/") })
            _ = try await world.base.reset(try AccountMailWorld.token(in: mail))
            let names = try await world.passkeys.list(identity).passkeys.map(\.name)
            #expect(names == (isAdmin ? ["Old", "New"] : ["Old"]))
            try await world.base.settle()
            let changed = try required(
                world.base.mails(to: email).last {
                    $0.object("headers").text("subject") == "Your password was changed"
                })
            #expect(changed.text("plain").contains(isAdmin ? "\"Old\", \"New\"" : "\"Old\""))
            try await world.signIn(world.ready(old, for: identity))
        }
        await world.close()
    }
}
