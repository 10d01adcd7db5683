import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Change of an account's address by its owner")
struct AddressChangeTests {
    private let world: AccountMailWorld

    init() async throws { world = try await AccountMailWorld() }

    private func change(
        _ identity: Identity, to email: String, password: String = AccountMailWorld.password
    ) async throws -> OwnAccount {
        try await world.accounts.changeEmail(identity, .init(email: email, password: password))
    }

    @Test(
        "The new address replaces the old one when its code is entered: it logs in, the old one does not, and gets a mail"
    )
    func changes() async throws {
        let (_, identity) = try await world.register("old@example.org")
        let waiting = try await change(identity, to: " New@example.org ")
        #expect(waiting.confirming == "New@example.org" && waiting.account.email == "old@example.org")
        #expect(await world.logsIn("new@example.org", AccountMailWorld.password) == false)
        let code = try await world.confirmation(to: "New@example.org").code
        #expect(world.mails(to: "old@example.org").isEmpty)
        let own = try await world.accounts.confirmEmail(identity, .init(code: code))
        #expect(own.account.email == "New@example.org" && own.account.isEmailConfirmed && own.confirming == nil)
        #expect(await world.logsIn("new@example.org", AccountMailWorld.password))
        #expect(await world.logsIn("old@example.org", AccountMailWorld.password) == false)
        try await world.settle()
        let notice = try #require(world.mails(to: "old@example.org").last)
        #expect(notice.object("headers").text("subject") == "Your email was changed" && notice.count("defects") == 0)
        #expect(!notice.text("plain").contains("New@example.org"))
        await world.close()
    }

    @Test(
        "A wrong password, a malformed address or a server without mail changes nothing; the present address cancels a change"
    )
    func refused() async throws {
        let (_, identity) = try await world.register("old@example.org")
        #expect(
            await refusal(.invalidCredentials) {
                try await change(identity, to: "new@example.org", password: "Wrong12345")
            }
                != nil)
        #expect(
            await refusal(.invalidParams) { try await change(identity, to: "new@example.org", password: "") }?.data?
                .field
                == "password")
        for wrong in ["", "nonsense", "a@b"] {
            #expect(await refusal(.rejected) { try await change(identity, to: wrong) }?.message == "Invalid Email!!!")
        }
        let silent = Accounts(loop: world.world.loop, database: world.pool, simulationKey: nil)
        let params = AccountChangeEmail.Params(email: "new@example.org", password: AccountMailWorld.password)
        #expect(await refusal(.conflict) { try await silent.changeEmail(identity, params) } == Accounts.cannotConfirm)
        #expect(await refusal(.conflict) { try await silent.sendConfirmation(identity) } == Accounts.cannotConfirm)
        _ = try await change(identity, to: "new@example.org")
        let code = try await world.confirmation(to: "new@example.org").code
        #expect(try await change(identity, to: "old@example.org").confirming == nil)
        #expect(
            await refusal(.rejected) { try await world.accounts.confirmEmail(identity, .init(code: code)) }
                == Accounts.codeOver)
        await world.close()
    }

    @Test("An address changes 20 times a day, whether or not it is confirmed; the error says when again")
    func dailyLimit() async throws {
        let (_, identity) = try await world.register("old@example.org")
        let minutes = 15.0
        for number in 0..<DailyChange.addressesPerDayMax {
            _ = try await change(identity, to: "new\(number)@example.org")
            // To keep to the present one is no change.
            _ = try await change(identity, to: "old@example.org")
            world.clock.advance(bySeconds: minutes * 60)
        }
        let error = await refusal(.conflict) { try await change(identity, to: "another@example.org") }
        let wait = try #require(error?.data?.retryAfter)
        #expect(wait == 86_400 - Double(DailyChange.addressesPerDayMax) * minutes * 60)
        let again = LocalTime.text(world.clock.now.advanced(bySeconds: wait))
        #expect(error?.message == "your email was changed 20 times within a day: change it again after \(again)")
        #expect(error?.data?.field == "email")
        world.clock.advance(bySeconds: wait)
        #expect(try await change(identity, to: "another@example.org").confirming == "another@example.org")
        await world.close()
    }

    @Test(
        "A provisional account corrects its address at once: the code goes to the new one, and that of the old one ends"
    )
    func corrects() async throws {
        let (_, identity) = try await world.registerProvisionally("typo@example.org")
        let old = try await world.confirmation(to: "typo@example.org")
        let own = try await change(identity, to: "anna@example.org")
        #expect(own.account.email == "anna@example.org" && own.confirming == "anna@example.org")
        #expect(await world.logsIn("anna@example.org", AccountMailWorld.password))
        #expect(
            await refusal(.notFound) { try await world.accounts.confirmEmail(identity, .init(token: old.token)) }
                == Accounts.unknownConfirmation)
        let code = try await world.confirmation(to: "anna@example.org").code
        #expect(try await world.accounts.confirmEmail(identity, .init(code: code)).account.isEmailConfirmed)
        // The first address may be a stranger's.
        try await world.settle()
        #expect(world.mails(to: "typo@example.org").count == 1)
        await world.close()
    }

    @Test(
        "An address that another account owns is asked for like a free one; its owner gets a mail, and nobody else can confirm it"
    )
    func owned() async throws {
        let (owner, _) = try await world.register("anna@example.org")
        let (_, identity) = try await world.register("bert@example.org")
        let waiting = try await change(identity, to: "anna@example.org")
        #expect(waiting.confirming == "anna@example.org")
        try await world.settle()
        let mail = try #require(world.mails(to: "anna@example.org").last)
        #expect(mail.text("plain").contains("Hi \(owner.account.username),"))
        #expect(
            await refusal(.rejected) { try await world.accounts.confirmEmail(identity, .init(code: "00000000")) }
                != nil)
        // One that confirms it meanwhile comes first.
        _ = try await change(identity, to: "carl@example.org")
        let code = try await world.confirmation(to: "carl@example.org").code
        _ = try await world.register("carl@example.org")
        #expect(
            await refusal(.conflict) { try await world.accounts.confirmEmail(identity, .init(code: code)) }
                == Accounts.addressOwned)
        #expect(try await world.accounts.own(identity).account.email == "bert@example.org")
        await world.close()
    }
}

/// The classes of account pre-hijacking (Sudhodanan and Paverd, arXiv 2205.10174) that need no identity provider.
/// ProviderHijackingTests has the others.
@Suite("Account pre-hijacking")
struct PreHijackingTests {
    private let world: AccountMailWorld

    init() async throws { world = try await AccountMailWorld() }

    @Test(
        "Who registers somebody's address first neither keeps it nor sees anything of the account that its owner makes")
    func registeredFirst() async throws {
        let (attackers, attacker) = try await world.registerProvisionally("victim@example.org", password: "Attack3rs")
        try await world.settle()
        let (victims, victim) = try await world.registerProvisionally("victim@example.org", password: "V1ctimsOwn")
        #expect(attackers.account.id != victims.account.id)
        #expect(await world.logsIn("victim@example.org", "V1ctimsOwn"))
        // The first mail has the attacker's code, which the victim cannot use by accident, the second the victim's.
        let code = try await world.confirmation(to: "victim@example.org").code
        _ = try await world.accounts.confirmEmail(victim, .init(code: code))
        #expect(try await world.accounts.authenticate(token: attackers.token).account.id == attackers.account.id)
        _ = try? await world.accounts.sendConfirmation(attacker)
        try await world.settle()
        #expect(
            world.mails(to: "victim@example.org").last?.object("headers").text("subject")
                == "You already have an account")
        // A reset is for the owner alone.
        _ = try await world.reset(try await world.token(for: "victim@example.org"))
        #expect(await world.logsIn("victim@example.org", "N3wPassword"))
        #expect(try await world.accounts.own(victim).account.isEmailConfirmed)
        #expect(try await world.accounts.own(attacker).account.confirmBy != nil)
        await world.close()
    }

    @Test(
        "Unexpired session: after the owner of the address resets the password, the attacker's devices and grants are gone"
    )
    func session() async throws {
        let (attackers, identity) = try await world.registerProvisionally("victim@example.org", password: "Attack3rs")
        let session = try await world.world.start(identity)
        _ = try await world.world.tracking.makeLink(identity, .init(session: session.id))
        _ = try await world.reset(try await world.token(for: "victim@example.org"))
        #expect(await (try? world.accounts.authenticate(token: attackers.token)) == nil)
        #expect(await world.logsIn("victim@example.org", "Attack3rs") == false)
        #expect(try await world.pool.query("SELECT FROM links WHERE revoked_at IS NULL").isEmpty)
        await world.close()
    }

    @Test("Trojan identifier: no address but the owner's is left that could log in or get reminders after a reset")
    func identifier() async throws {
        let (_, identity) = try await world.registerProvisionally("victim@example.org", password: "Attack3rs")
        _ = try await world.pool.query(
            """
            INSERT INTO reminder_addresses (account_id, channel, address, address_key, state, created_at)
            VALUES ($1, 'email', 'attacker@example.org', 'attacker@example.org', 'on', now())
            """, [.int(identity.account.id)])
        _ = try await world.reset(try await world.token(for: "victim@example.org"))
        #expect(try await world.pool.query("SELECT FROM reminder_addresses").isEmpty)
        await world.close()
    }

    @Test(
        "Unexpired change of the address: one that the attacker began before the owner resets or changes the password ends"
    )
    func addressChange() async throws {
        for way in ["reset", "change"] {
            let (_, attacker) = try await world.register("\(way)@example.org")
            _ = try await world.accounts.changeEmail(
                attacker, .init(email: "attacker.\(way)@example.org", password: AccountMailWorld.password))
            let proof = try await world.confirmation(to: "attacker.\(way)@example.org")
            let owner: Identity
            if way == "reset" {
                _ = try await world.reset(try await world.token(for: "reset@example.org"))
                owner = try await world.accounts.login(
                    .init(email: "reset@example.org", password: "N3wPassword"), address: "192.0.2.9", client: "tests"
                ).1
            } else {
                owner = try await world.accounts.login(
                    .init(email: "change@example.org", password: AccountMailWorld.password), address: "192.0.2.9",
                    client: "tests"
                ).1
                _ = try await world.accounts.changePassword(
                    owner, .init(password: AccountMailWorld.password, newPassword: "N3wPassword"))
            }
            // Even with the owner's own device in hand.
            for identity in [attacker, owner] {
                for params in [AccountConfirmEmail.Params(code: proof.code), .init(token: proof.token)] {
                    #expect(await (try? world.accounts.confirmEmail(identity, params)) == nil)
                }
            }
            #expect(try await world.accounts.own(owner).account.email == "\(way)@example.org")
        }
        await world.close()
    }

    @Test(
        "A link that resets the password, mailed to the attacker's own address, confirms no address that the account takes later"
    )
    func resetLink() async throws {
        let (_, attacker) = try await world.registerProvisionally("attacker@example.org", password: "Attack3rs")
        let first = try await world.token(for: "attacker@example.org")
        _ = try await world.accounts.changeEmail(attacker, .init(email: "victim@example.org", password: "Attack3rs"))
        #expect(await refusal(.notFound) { try await world.reset(first) } == Accounts.unknownReset)
        #expect(try await world.accounts.own(attacker).account.isEmailConfirmed == false)
        // Nor does one of the owner of an address after it was replaced.
        let (_, owner) = try await world.register("old@example.org")
        let second = try await world.token(for: "old@example.org")
        _ = try await world.accounts.changeEmail(
            owner, .init(email: "new@example.org", password: AccountMailWorld.password))
        let code = try await world.confirmation(to: "new@example.org").code
        _ = try await world.accounts.confirmEmail(owner, .init(code: code))
        #expect(await refusal(.notFound) { try await world.reset(second) } == Accounts.unknownReset)
        await world.close()
    }

    @Test(
        "Trojan passkey: one added to an account whose address nobody confirmed is gone once its owner proves the address, however old"
    )
    func passkey() async throws {
        // Registered while the server sent no mail.
        let accounts = Accounts(
            loop: world.world.loop, database: world.pool, passwords: world.accounts.passwords, simulationKey: nil)
        let administration = Administration(
            loop: world.world.loop, database: world.pool, accounts: world.accounts, tracking: world.world.tracking)
        let (_, admin) = try await world.register("boss@example.org")
        _ = try await world.pool.query("UPDATE accounts SET role = 'admin' WHERE id = $1", [.int(admin.account.id)])
        for way in ["reset", "edit", "owner"] {
            let params = AccountRegister.Params(
                username: World.name(), email: "\(way)@example.org", password: AccountMailWorld.password)
            let (_, identity) =
                way == "owner"
                ? try await world.register("owner@example.org")
                : try await accounts.register(params, address: "192.0.2.1", client: "tests")
            let account = identity.account.id
            for table in [
                "passkeys (account_id, credential_id, algorithm, public_key, sign_count, is_backup_eligible, is_backed_up, "
                    + "name, created_at) VALUES ($1, int8send($1), -7, '', 0, false, false, 'Trojan', now() - interval '30 days')",
                "totp_secrets (account_id, secret, confirmed_at) VALUES ($1, '', now() - interval '30 days')",
            ] { _ = try await world.pool.query("INSERT INTO \(table)", [.int(account)]) }
            if way == "edit" {
                _ = try await administration.editUser(
                    .init(account: account, email: "edited@example.org", password: AccountMailWorld.password),
                    by: admin.with(try await world.accounts.own(admin).account))
            } else {
                _ = try await world.reset(try await world.token(for: "\(way)@example.org"))
            }
            let isOwners = way == "owner"
            #expect(try await world.accounts.factorsLeft(of: account).count == (isOwners ? 2 : 0), "\(way)")
        }
        await world.close()
    }

    @Test("The operator gives no role and no password to an account that has not confirmed the address")
    func operators() async throws {
        _ = try await world.registerProvisionally("boss@example.org", password: "Attack3rs")
        #expect(
            await refusal(.notFound) { try await world.accounts.setRole(.admin, ofEmail: "boss@example.org") } != nil)
        let error = await refusal(.notFound) {
            try await world.accounts.resetPassword(ofEmail: "boss@example.org", to: "N3wPassword")
        }
        #expect(error?.data?.field == "email")
        await world.close()
    }

    @Test(
        "Guesses at an owner's password wait as long when somebody registers provisionally with the address and logs in between"
    )
    func guesses() async throws {
        _ = try await world.register("victim@example.org")
        _ = try await world.registerProvisionally("victim@example.org", password: "Attack3rs")
        var isThrottled = false
        for round in 0..<20 where !isThrottled {
            for password in ["Guess\(round)234", "Attack3rs"] {
                do {
                    _ = try await world.accounts.login(
                        .init(email: "victim@example.org", password: password), address: "192.0.2.66", client: "tests")
                } catch let error as RPCError where error.registered == .rateLimited {
                    isThrottled = true
                } catch {}
            }
        }
        #expect(isThrottled)
        await world.close()
    }
}
