import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Mails about accounts are sent at least once")
struct AccountMailSendingTests {
    private let world: AccountMailWorld

    init() async throws { world = try await AccountMailWorld() }

    @Test("While the mail server is down, the mail waits; when it is back, the mail is sent with a link that works")
    func mailServerDown() async throws {
        _ = try await world.register("anna@example.org")
        try await world.request("anna@example.org")
        // Nothing listens on this port.
        let down = try world.another(port: 1)
        for _ in 0..<3 {
            try await world.settle(down)
            #expect(try await world.states("anna@example.org") == ["waiting"])
            world.clock.advance(bySeconds: AccountMail.retrySecondsMax * 1.5)
        }
        try await world.settle()
        let mail = try #require(world.mails(to: "anna@example.org").first)
        #expect(try await world.states("anna@example.org") == ["sent"])
        _ = try await world.reset(try AccountMailWorld.token(in: mail))
        await world.close()
    }

    @Test("A mail that is put off with 451 is tried again, and one that is refused is not")
    func refusals() async throws {
        for email in ["later-a@example.org", "gone-a@example.org", "bad-a@example.org"] {
            _ = try await world.register(email)
            try await world.request(email)
        }
        try await world.settle()
        #expect(try await world.states("later-a@example.org") == ["waiting"])
        world.clock.advance(bySeconds: AccountMail.retrySecondsFirst * 2)
        try await world.settle()
        #expect(try await world.states("later-a@example.org") == ["sent"])
        for email in ["gone-a@example.org", "bad-a@example.org"] {
            #expect(try await world.states(email) == ["failed"])
        }
        await world.close()
    }

    @Test("A mail whose server dies between claim and outcome is sent again by another one after the lease, not before")
    func lease() async throws {
        _ = try await world.register("anna@example.org")
        try await world.request("anna@example.org")
        let at = world.clock.now
        let claimed = try await world.pool.query(
            "SELECT id FROM account_mail_claim(4, $1, $2, 'dead')",
            [.timestamp(at.milliseconds), .timestamp(at.advanced(bySeconds: 120).milliseconds)])
        #expect(claimed.count == 1)
        world.clock.advance(bySeconds: 119)
        try await world.settle()
        #expect(world.server.said("mail").isEmpty)
        world.clock.advance(bySeconds: 2)
        try await world.settle()
        #expect(try await world.states("anna@example.org") == ["sent"])
        #expect(world.mails(to: "anna@example.org").count == 1)
        await world.close()
    }

    @Test("A mail that the mail server takes, and never says so, is sent three times and then counts as sent")
    func doubtful() async throws {
        _ = try await world.register("cut-a@example.org")
        try await world.request("cut-a@example.org")
        for sent in 1...3 {
            try await world.settle()
            #expect(world.mails(to: "cut-a@example.org").count == sent)
            #expect(try await world.states("cut-a@example.org") == [sent < 3 ? "waiting" : "sent"])
            world.clock.advance(bySeconds: AccountMail.retrySecondsMax * 1.5)
        }
        try await world.settle()
        #expect(world.mails(to: "cut-a@example.org").count == 3)
        await world.close()
    }

    @Test("After a restore no link works, and what waited is not sent")
    func restored() async throws {
        _ = try await world.register("anna@example.org")
        let token = try await world.token(for: "anna@example.org")
        try await world.request("anna@example.org")
        let owner = try await PostgresConnection.connect(
            configuration: world.world.access.owner, loop: world.world.loop)
        _ = try await owner.query("SELECT restore_mark()")
        owner.close()
        try await world.settle()
        #expect(try await world.states("anna@example.org") == ["sent", "dropped"])
        #expect(world.server.said("mail").count == 1)
        _ = await refusal(.notFound) { _ = try await world.reset(token) }
        await world.close()
    }

    @Test("A mail with which server after server dies is given up after 20 attempts")
    func attempts() async throws {
        _ = try await world.register("anna@example.org")
        try await world.request("anna@example.org")
        _ = try await world.pool.query("UPDATE account_mails SET attempts = $1", [.int(AccountMail.attemptsMax)])
        try await world.settle()
        #expect(try await world.states("anna@example.org") == ["failed"])
        #expect(world.server.said("mail").isEmpty)
        await world.close()
    }

    @Test("A mail of a kind that only a later release knows is dropped, and is no reset of a password")
    func unknownKind() async throws {
        let (_, identity) = try await world.register("anna@example.org")
        _ = try await world.pool.query(
            """
            INSERT INTO account_mails (kind, account_id, address, created_at, expires_at, next_at)
            VALUES ('later_kind', $1, 'anna@example.org', $2, $3, $2)
            """,
            [
                .int(identity.account.id), .timestamp(world.clock.now.milliseconds),
                .timestamp(world.clock.now.advanced(bySeconds: 3_600).milliseconds),
            ])
        try await world.settle()
        #expect(try await world.states("anna@example.org") == ["dropped"])
        #expect(world.server.said("mail").isEmpty)
        #expect(try await world.pool.query("SELECT FROM password_resets").isEmpty)
        await world.close()
    }

    @Test("The clock is set back by a day: what waits is sent at once; a changed password is told first")
    func clockSetBack() async throws {
        let (_, identity) = try await world.register("anna@example.org")
        try await world.request("anna@example.org")
        try await world.pool.transaction { [world] transaction in
            try await world.outbox.passwordChanged(of: identity.account.id, by: "tests", in: transaction)
        }
        _ = try await world.pool.query("UPDATE account_mails SET next_at = next_at + interval '1 day'")
        let at = world.clock.now
        let claimed = try await world.pool.query(
            "SELECT kind FROM account_mail_claim(1, $1, $2, 'one')",
            [.timestamp(at.milliseconds), .timestamp(at.advanced(bySeconds: 120).milliseconds)])
        #expect(try claimed.map { try $0.text("kind") } == ["password_changed"])
        try await world.mail.runOnce()
        _ = try await eventually("the link is sent") {
            world.mails(to: "anna@example.org").isEmpty ? nil : true
        }
        await world.close()
    }

    @Test("A request that cannot be sent within an hour fails, and the outbox never contains a link")
    func expiry() async throws {
        _ = try await world.register("anna@example.org")
        let token = try await world.token(for: "anna@example.org")
        let rows = try await world.pool.query("SELECT row_to_json(m)::text AS row FROM account_mails m")
        #expect(try rows.allSatisfy { try !$0.text("row").contains(token) })
        try await world.request("anna@example.org")
        world.clock.advance(bySeconds: 3_601)
        try await world.settle()
        #expect(try await world.states("anna@example.org") == ["sent", "dropped"])
        #expect(world.server.said("mail").count == 1)
        await world.close()
    }

    @Test("A change of the password sends a mail that names the client, without letting it write links")
    func passwordChanged() async throws {
        let (_, identity) = try await world.register("anna@example.org")
        _ = try await world.pool.query(
            "UPDATE tokens SET client = 'evil.example/<b>now</b>' WHERE id = $1", [.int(identity.tokenID)])
        _ = try await world.accounts.changePassword(
            identity, .init(password: AccountMailWorld.password, newPassword: "N3wPassword"))
        _ = await refusal(.invalidCredentials) {
            try await world.accounts.changePassword(
                identity, .init(password: "Wr0ngPassword", newPassword: "Another456"))
        }
        try await world.settle()
        let mails = world.mails(to: "anna@example.org")
        #expect(mails.count == 1)
        #expect(mails.first?.text("plain").contains("with \"evil example b now b\".") == true)
        await world.close()
    }

    @Test("Mails of yesterday and expired links are removed, and nothing younger")
    func pruning() async throws {
        _ = try await world.register("anna@example.org")
        _ = try await world.token(for: "anna@example.org")
        try await world.accounts.prune()
        #expect(try await world.states("anna@example.org") == ["sent"])
        #expect(try await world.pool.query("SELECT FROM password_resets").count == 1)
        _ = try await world.pool.query("UPDATE account_mails SET created_at = created_at - interval '25 hours'")
        _ = try await world.pool.query("UPDATE password_resets SET expires_at = expires_at - interval '61 minutes'")
        try await world.accounts.prune()
        #expect(try await world.states("anna@example.org").isEmpty)
        #expect(try await world.pool.query("SELECT FROM password_resets").isEmpty)
        await world.close()
    }
}
