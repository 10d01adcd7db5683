import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Resetting a forgotten password by a mailed link")
struct PasswordResetTests {
    private let world: AccountMailWorld

    init() async throws { world = try await AccountMailWorld() }

    @Test(
        "The mailed link sets the password once: the new one logs in, devices and grants end, and the owner gets a mail"
    )
    func reset() async throws {
        let (here, identity) = try await world.register("anna@example.org")
        _ = try await world.accounts.login(
            .init(email: "anna@example.org", password: AccountMailWorld.password), address: "10.0.0.8", client: "other")
        let session = try await world.world.start(identity)
        _ = try await world.world.tracking.makeLink(identity, .init(session: session.id))
        _ = try await world.pool.query(
            "INSERT INTO welcomes (account_id, hash, expires_at) VALUES ($1, '\\x01', now() + interval '1 day')",
            [.int(identity.account.id)])

        try await world.request(" ANNA@example.org ")
        try await world.settle()
        func mailed(_ subject: String) throws -> TestPython.Line {
            try #require(
                world.mails(to: "anna@example.org").first { $0.object("headers").text("subject") == subject })
        }
        let mail = try mailed("Reset your password")
        #expect(mail.text("plain").contains("Hi \(here.account.username),") && mail.count("defects") == 0)
        let token = try AccountMailWorld.token(in: mail)
        #expect(mail.text("html").contains("href=\"\(AccountMailWorld.site)/reset/\(token)\""))
        #expect(!mail.text("html").contains("src="))

        #expect(try await world.reset(token) == 2)
        #expect(await (try? world.accounts.authenticate(token: here.token)) == nil)
        #expect(await world.logsIn("anna@example.org", "N3wPassword"))
        #expect(await world.logsIn("anna@example.org", AccountMailWorld.password) == false)
        for (what, sql) in [
            ("links", "SELECT FROM links WHERE session_id = \(session.id) AND revoked_at IS NULL"),
            ("welcome link", "SELECT FROM welcomes WHERE account_id = \(identity.account.id)"),
            ("reset links", "SELECT FROM password_resets"),
        ] { #expect(try await world.pool.query(sql).isEmpty, "\(what)") }

        try await world.settle()
        let notice = try mailed("Your password was changed")
        #expect(notice.text("plain").contains("with the web app."))
        let lines = notice.text("plain").split(whereSeparator: \.isNewline)
        #expect(lines.contains("Reset password: \(AccountMailWorld.site)/reset"))
        // Between the two, the mail about the second device.
        #expect(world.server.said("mail").count == 3)
        await world.close()
    }

    @Test("A link that was used, is late, is unknown, or whose account is disabled gets one and the same error")
    func refused() async throws {
        let (_, identity) = try await world.register("anna@example.org")
        let used = try await world.token(for: "anna@example.org")
        let other = try await world.token(for: "anna@example.org")
        let poor = await refusal(.rejected) { try await world.reset(used, "short") }
        #expect(poor?.data?.field == "password" && poor?.message == "Password must be between 8-20 characters long!!!")
        _ = try await world.reset(used)
        let late = try await world.token(for: "anna@example.org")
        _ = try await world.pool.query("UPDATE password_resets SET expires_at = now() - interval '1 second'")
        for wrong in [used, other, late, "", "nonsense", String(repeating: "A", count: 43)] {
            let error = await refusal(.notFound) { try await world.reset(wrong, "Another456") }
            #expect(error == Accounts.unknownReset, "\(wrong)")
        }
        let disabled = try await world.token(for: "anna@example.org")
        // Without the revocation that disabling an account comes with.
        _ = try await world.pool.query(
            "UPDATE accounts SET disabled_at = now() WHERE id = $1", [.int(identity.account.id)])
        let error = await refusal(.notFound) { try await world.reset(disabled, "Another456") }
        #expect(error == Accounts.unknownReset)
        await world.close()
    }

    @Test("Of two links that are used at the same moment one works, and the other is refused")
    func atOnce() async throws {
        _ = try await world.register("anna@example.org")
        for round in 0..<5 {
            // Each round would use up more of the day's requests.
            _ = try await world.pool.query("DELETE FROM account_mails")
            let first = try await world.token(for: "anna@example.org")
            let second = try await world.token(for: "anna@example.org")
            let passwords = [first: "First123\(round)", second: "Second12\(round)"]
            let done = await withTaskGroup(of: String?.self) { [world] group in
                for (token, password) in passwords {
                    group.addTask { await (try? world.reset(token, password)).map { _ in password } }
                }
                return await group.reduce(into: [String]()) { if let password = $1 { $0.append(password) } }
            }
            #expect(done.count == 1)
            for password in passwords.values {
                #expect(await world.logsIn("anna@example.org", password) == done.contains(password))
            }
        }
        await world.close()
    }

    @Test(
        "An address without an account gets the same answer by the same statements and leaves the same row, but no mail"
    )
    func unknownAddress() async throws {
        _ = try await world.register("anna@example.org")
        let columns = "kind, account_id, client, created_at, expires_at, state, attempts, next_at, node, error, sent_at"
        func row(_ address: String) async throws -> String {
            try await world.pool.query(
                """
                SELECT (SELECT row_to_json(r)::text FROM (SELECT \(columns)) r) AS row FROM account_mails
                WHERE address = $1
                """, [.text(address)])[0].text("row")
        }
        for address in ["anna@example.org", "nobody@example.org"] { try await world.request(address) }
        #expect(try await row("anna@example.org") == row("nobody@example.org"))
        // The function that a request calls reads no table but the outbox.
        let source = try await world.pool.query(
            "SELECT prosrc AS source FROM pg_proc WHERE proname = 'account_mail_request'")[0].text("source")
        #expect(!source.contains("accounts"))
        try await world.settle()
        #expect(world.server.said("mail").map { $0.text("to") } == ["anna@example.org"])
        #expect(world.server.said("rcpt").count == 1)
        #expect(try await world.states("nobody@example.org") == ["dropped"])
        let malformed = await refusal(.rejected) { try await world.request("nobody") }
        #expect(malformed?.message == "Invalid Email!!!")
        await world.close()
    }

    @Test("Six requests within an hour send five mails, also for another spelling, and the next hour sends again")
    func limitOfAnAddress() async throws {
        _ = try await world.register("anna@example.org")
        for email in ["anna@example.org", "ANNA@example.org"] + Array(repeating: "Anna@Example.org", count: 4) {
            try await world.request(email)
        }
        for _ in 0..<6 { try await world.request("nobody@example.org") }
        try await world.settle()
        #expect(world.server.said("mail").count == 5)
        #expect(try await world.states("nobody@example.org").count == 5)
        // All five work: a stranger's request does not end the owner's link.
        let first = try AccountMailWorld.token(in: try #require(world.mails(to: "anna@example.org").first))
        world.clock.advance(bySeconds: 3_601)
        try await world.request("anna@example.org")
        try await world.settle()
        #expect(world.server.said("mail").count == 6)
        _ = try await world.reset(first)
        await world.close()
    }

    @Test("Disabled, simulated and erasing accounts get no mail")
    func noMail() async throws {
        let changes = ["disabled_at = now()", "simulated = true", "erasing_at = now(), disabled_at = now()"]
        for (number, change) in changes.enumerated() {
            let email = "a\(number)@example.org"
            let (_, identity) = try await world.register(email)
            try await world.request(email)
            try await world.pool.transaction { [world] transaction in
                try await world.outbox.passwordChanged(of: identity.account.id, by: "tests", in: transaction)
            }
            _ = try await world.pool.query("UPDATE accounts SET \(change) WHERE id = $1", [.int(identity.account.id)])
            try await world.settle()
            #expect(try await world.states(email) == ["dropped", "dropped"], "\(change)")
        }
        #expect(world.server.said("rcpt").isEmpty)
        #expect(try await world.pool.query("SELECT FROM password_resets").isEmpty)
        await world.close()
    }

    @Test("A link that is made while the grants of the account are revoked is not made, or goes as well")
    func revocation() async throws {
        let (_, identity) = try await world.register("anna@example.org")
        let token = try await world.token(for: "anna@example.org")
        _ = try await world.accounts.logoutEverywhere(identity)
        let error = await refusal(.notFound) { try await world.reset(token) }
        #expect(error == Accounts.unknownReset)
        let made = try await world.pool.transaction { [world] transaction in
            _ = try await transaction.query(
                "UPDATE accounts SET email_key = 'new@example.org', email = 'new@example.org' WHERE id = $1",
                [.int(identity.account.id)])
            let made = Task {
                try await world.pool.query(
                    "SELECT FROM account_mail_make_link('anna@example.org', '\\x02', 3600)")
            }
            _ = try await eventually("it waits") {
                let waiting = try await world.pool.query(
                    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
                return waiting.isEmpty ? nil : true
            }
            _ = try await transaction.query("SELECT FROM account_revoke_grants($1)", [.int(identity.account.id)])
            return made
        }
        #expect(try await made.value.isEmpty)
        #expect(try await world.pool.query("SELECT FROM password_resets").isEmpty)
        await world.close()
    }

    @Test("A server without a mail server refuses the request and says what to do")
    func noMailServer() async throws {
        let error = await refusal(.conflict) {
            try await world.world.accounts.requestReset(.init(email: "anna@example.org"))
        }
        #expect(error?.message.contains("ask a campus admin") == true)
        await world.close()
    }

    @Test("After a reset the owner logs in at once, however often the forgotten password was guessed wrong here")
    func guesses() async throws {
        _ = try await world.register("anna@example.org")
        let token = try await world.token(for: "anna@example.org")
        for number in 0..<7 {
            let params = AccountLogin.Params(email: "anna@example.org", password: "Guess123\(number)")
            _ = try? await world.accounts.login(params, address: "192.0.2.7", client: "tests")
        }
        _ = try await world.reset(token)
        _ = try await world.accounts.login(
            .init(email: "anna@example.org", password: "N3wPassword"), address: "192.0.2.7", client: "tests")
        await world.close()
    }
}
