import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Confirmation of the address of a new account")
struct ConfirmationTests {
    private let world: AccountMailWorld

    init() async throws { world = try await AccountMailWorld() }

    private func confirm(
        _ identity: Identity, code: String? = nil, token: String? = nil
    ) async throws -> OwnAccount {
        try await world.accounts.confirmEmail(identity, .init(code: code, token: token))
    }

    private func confirmed(_ identity: Identity) async throws -> Identity {
        Identity(account: try await world.accounts.own(identity).account, tokenID: identity.tokenID)
    }

    @Test("A new account is provisional for 14 days; the mailed code confirms its address, once, and so does the link")
    func confirms() async throws {
        for way in ["code", "link"] {
            let email = "\(way)@example.org"
            let (signedIn, identity) = try await world.registerProvisionally(email)
            let until = try #require(signedIn.account.confirmBy)
            #expect(until.seconds(since: world.clock.now) == 14 * Timestamp.daySeconds)
            #expect(!signedIn.account.isEmailConfirmed && signedIn.message == "Account successfully registered")
            #expect(try await world.accounts.own(identity).confirming == email)
            let (code, token) = try await world.confirmation(to: email)
            let mail = try #require(world.mails(to: email).last)
            #expect(
                mail.count("defects") == 0 && mail.text("plain").contains(code) && !mail.text("html").contains("src="))
            let own =
                way == "code"
                ? try await confirm(identity, code: "\(code.prefix(4)) \(code.suffix(4))")
                : try await confirm(identity, token: token)
            #expect(own.account.isEmailConfirmed && own.account.confirmBy == nil && own.confirming == nil)
            #expect(try await world.accounts.authenticate(token: signedIn.token).account == own.account)
            #expect(await refusal(.rejected) { try await confirm(identity, code: code) } == Accounts.codeOver)
            #expect(
                await refusal(.notFound) { try await confirm(identity, token: token) } == Accounts.unknownConfirmation)
            #expect(
                await refusal(.conflict) { try await world.accounts.sendConfirmation(identity) }
                    == Accounts.confirmedAlready)
        }
        await world.close()
    }

    @Test(
        "A link works for the account that requested it alone, and neither it nor the code works late or after a newer mail"
    )
    func refused() async throws {
        let (_, anna) = try await world.registerProvisionally("anna@example.org")
        let (_, bert) = try await world.registerProvisionally("bert@example.org")
        let old = try await world.confirmation(to: "anna@example.org")
        for wrong in [old.token, "", "nonsense", String(repeating: "A", count: 43)] {
            #expect(
                await refusal(.notFound) { try await confirm(bert, token: wrong) } == Accounts.unknownConfirmation,
                "\(wrong)")
        }
        for malformed in [nil, "", "1234567", "123456789", "1234567a", "１２３４５６７８"] {
            #expect(await refusal(.invalidParams) { try await confirm(anna, code: malformed) }?.data?.field == "code")
        }
        _ = try await world.accounts.sendConfirmation(anna)
        let new = try await world.confirmation(to: "anna@example.org")
        #expect(await refusal(.notFound) { try await confirm(anna, token: old.token) } == Accounts.unknownConfirmation)
        if old.code != new.code {
            let left = await refusal(.rejected) { try await confirm(anna, code: old.code) }
            #expect(left?.message == "That's not the latest code. You have 4 more tries.")
        }
        _ = try await world.pool.query("UPDATE address_confirmations SET expires_at = now() - interval '1 second'")
        #expect(await refusal(.rejected) { try await confirm(anna, code: new.code) } == Accounts.codeOver)
        #expect(await refusal(.notFound) { try await confirm(anna, token: new.token) } == Accounts.unknownConfirmation)
        await world.close()
    }

    @Test(
        "Of twenty guesses at the same moment five are compared; then the right code is refused as well, until a new one is sent"
    )
    func guesses() async throws {
        let (_, identity) = try await world.registerProvisionally("anna@example.org")
        let right = try await world.confirmation(to: "anna@example.org").code
        let wrong = (0..<21).map { String(format: "%08d", $0) }.filter { $0 != right }.prefix(20)
        let compared = await withTaskGroup(of: Bool.self) { [world] group in
            for code in wrong {
                group.addTask {
                    let error = await refusal(.rejected) {
                        try await world.accounts.confirmEmail(identity, .init(code: code))
                    }
                    return error != Accounts.codeOver
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(compared == 5)
        #expect(await refusal(.rejected) { try await confirm(identity, code: right) } == Accounts.codeOver)
        _ = try await world.accounts.sendConfirmation(identity)
        let next = try await world.confirmation(to: "anna@example.org").code
        #expect(try await confirm(identity, code: next).account.isEmailConfirmed)
        await world.close()
    }

    @Test(
        "An address that has an account registers like any other: the answers, the stored rows and the log-ins are the same"
    )
    func noEnumeration() async throws {
        let (owner, ownersIdentity) = try await world.register("anna@example.org")
        var replies: [String] = []
        for email in ["anna@example.org", "nobody@example.org"] {
            var seen: [String] = []
            for password in ["Another456", "Another789"] {
                let (signedIn, identity) = try await world.registerProvisionally(email, password: password)
                var account = signedIn.account
                (account.id, account.username, account.email) = (0, "", "")
                seen.append("\(account) \(signedIn.message ?? "")")
                try await world.settle()
                let code = await refusal(.rejected) { try await confirm(identity, code: "00000000") }
                let link = await refusal(.notFound) { try await confirm(identity, token: "nonsense") }
                seen += [code?.message ?? "right", link?.message ?? "right"]
                seen.append(
                    try await world.pool.query(
                        """
                        SELECT (SELECT row_to_json(r)::text FROM (SELECT m.kind, m.client, m.created_at, m.state, m.attempts,
                            c.expires_at IS NULL AS never) r) AS row
                        FROM account_mails m JOIN address_confirmations c USING (account_id) WHERE m.account_id = $1
                        """, [.int(identity.account.id)])[0].text("row"))
            }
            for password in ["Another456", "Another789", "Another000"] {
                seen.append("\(await world.logsIn(email, password))")
            }
            let device = try await world.accounts.login(
                .init(email: email, password: "Another789"), address: "192.0.2.9", client: "tests"
            ).0.device
            let known = try await world.accounts.knownDevice(.init(email: email, password: nil, device: device))
            replies.append((seen + ["\(known == nil)"]).joined(separator: "\n"))
        }
        #expect(replies[0] == replies[1])
        #expect(replies[0].hasSuffix("false\ntrue\nfalse\ntrue"))
        // The owner logs in as before, and gets a mail that the other account cannot use.
        let owners = try await world.accounts.login(
            .init(email: "anna@example.org", password: AccountMailWorld.password), address: "192.0.2.9", client: "tests"
        )
        #expect(owners.0.account.id == owner.account.id)
        try await world.settle()
        // The owner's log-in on a new device has its own mail.
        let mails = world.mails(to: "anna@example.org").filter {
            !$0.object("headers").text("subject").hasPrefix("New login")
        }
        #expect(mails.count == 2)
        let mail = try #require(mails.last)
        #expect(mail.object("headers").text("subject") == "You already have an account")
        #expect(
            mail.text("plain").contains("Hi \(owner.account.username),") && !mail.text("plain").contains("/confirm/"))
        #expect(try await world.accounts.own(ownersIdentity).account == owner.account)
        await world.close()
    }

    @Test(
        "A log-in computes as many hashes for an address without an account as for one with an owner and a stranger's account"
    )
    func hashes() async throws {
        _ = try await world.register("owned@example.org")
        for email in ["owned@example.org", "owned@example.org", "new@example.org"] {
            _ = try await world.registerProvisionally(email, password: "Another456")
        }
        for email in ["owned@example.org", "new@example.org", "nobody@example.org"] {
            let before = world.accounts.passwords.computed.value
            #expect(await world.logsIn(email, "Wrong12345") == false)
            #expect(world.accounts.passwords.computed.value - before == 2, "\(email)")
        }
        await world.close()
    }

    @Test(
        "An account gets five mails an hour, an address twenty, also when accounts are deleted; a registration beyond succeeds without a mail"
    )
    func limits() async throws {
        let (_, identity) = try await world.registerProvisionally("anna@example.org")
        for _ in 0..<4 { _ = try await world.accounts.sendConfirmation(identity) }
        let again = await refusal(.rateLimited) { try await world.accounts.sendConfirmation(identity) }
        #expect(again == Accounts.tooManyCodes)
        let change = AccountChangeEmail.Params(email: "anna2@example.org", password: AccountMailWorld.password)
        let changed = await refusal(.rateLimited) { try await world.accounts.changeEmail(identity, change) }
        #expect(changed == Accounts.tooManyCodes)
        #expect(try await world.accounts.own(identity).account.email == "anna@example.org")
        for _ in 0..<15 {
            let (_, other) = try await world.registerProvisionally("ANNA@example.org")
            _ = try await world.pool.query("DELETE FROM accounts WHERE id = $1", [.int(other.account.id)])
        }
        let (_, beyond) = try await world.registerProvisionally("Anna@example.org")
        let refused = await refusal(.rateLimited) { try await world.accounts.sendConfirmation(beyond) }
        #expect(refused == Accounts.tooManyCodes)
        try await world.settle()
        #expect(world.mails(to: "anna@example.org").count == 5 && world.mails(to: "Anna@example.org").isEmpty)
        world.clock.advance(bySeconds: 3_601)
        _ = try await world.accounts.sendConfirmation(beyond)
        await world.close()
    }

    @Test(
        "Only addresses of the operator's domains register or replace another; an admin's and the operator's own may be others"
    )
    func domains() async throws {
        let domains = try #require(EmailDomains("campus.example, staff.campus.example"))
        let accounts = Accounts(
            loop: world.world.loop, database: world.pool, passwords: Passwords(cost: .init(logN: 4, r: 8, p: 1)),
            simulationKey: nil, mail: world.outbox, domains: domains)
        func register(_ email: String, byOperator: Bool = false) async throws -> Identity {
            try await accounts.register(
                .init(username: World.name(), email: email, password: AccountMailWorld.password), address: "192.0.2.1",
                client: "tests", byOperator: byOperator
            ).1
        }
        for wrong in ["a@example.org", "a@xcampus.example", "a@sub.campus.example", "campus.example@example.org"] {
            let error = await refusal(.rejected) { try await register(wrong) }
            #expect(error?.data?.field == "email")
            #expect(
                error?.message == "Use a campus email: one that ends with @campus.example or @staff.campus.example",
                "\(wrong)")
        }
        let identity = try await register("Anna@CAMPUS.example")
        _ = try await register("b@staff.campus.example")
        _ = try await register("root@example.org", byOperator: true)
        let change = AccountChangeEmail.Params(email: "a@example.org", password: AccountMailWorld.password)
        #expect(await refusal(.rejected) { try await accounts.changeEmail(identity, change) }?.data?.field == "email")
        for text in [
            "", ",", "@campus.example", "campus", "a b.example",
            Array(repeating: "a.bc", count: 33).joined(separator: ","),
        ] {
            #expect(EmailDomains(text) == nil, "\(text)")
        }
        await world.close()
    }

    @Test(
        "A provisional account is erased when its time is over; one that was confirmed stays, and so does one from before"
    )
    func removal() async throws {
        let (_, late) = try await world.registerProvisionally("late@example.org")
        let (_, done) = try await world.registerProvisionally("done@example.org")
        let code = try await world.confirmation(to: "done@example.org").code
        _ = try await confirm(done, code: code)
        let (_, before) = try await world.register("before@example.org")
        _ = try await world.pool.query(
            "UPDATE accounts SET email_confirmed_at = NULL WHERE id = $1", [.int(before.account.id)])
        try await world.accounts.eraseExpiredProvisional()
        #expect(try await world.pool.query("SELECT FROM accounts WHERE erasing_at IS NOT NULL").isEmpty)
        _ = try await world.pool.query(
            "UPDATE accounts SET confirm_by = now() - interval '1 second' WHERE confirm_by IS NOT NULL")
        try await world.accounts.eraseExpiredProvisional()
        let erased = try await world.pool.query("SELECT id FROM accounts WHERE erasing_at IS NOT NULL").map {
            try $0.int("id")
        }
        #expect(erased == [late.account.id])
        #expect(await world.logsIn("late@example.org", AccountMailWorld.password) == false)
        await world.close()
    }

    @Test("The password of a provisional account cannot be changed, but it can be reset, which confirms the address")
    func passwords() async throws {
        let (_, identity) = try await world.registerProvisionally("anna@example.org")
        let error = await refusal(.forbidden) {
            try await world.accounts.changePassword(
                identity, .init(password: AccountMailWorld.password, newPassword: "N3wPassword"))
        }
        #expect(error == MethodAccess.needsConfirmedAddress)
        _ = try await world.reset(try await world.token(for: "anna@example.org"))
        let account = try await confirmed(identity).account
        #expect(account.isEmailConfirmed && account.confirmBy == nil)
        await world.close()
    }
}
