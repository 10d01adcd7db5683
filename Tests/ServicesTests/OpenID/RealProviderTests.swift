import Delivery
import Foundation
import OpenID
import TestSupport
import Testing
import Wire

@testable import Services

/// Providers that are not ours, with a change of their keys in between.
@Suite("Sign-in by real providers")
struct RealProviderTests {
    @Test(
        "glewlwyd (C, librhonabwy) and oidc-provider-mock (Python, Authlib) sign people in, before and after they change their keys",
        arguments: ["glewlwyd", "oidcmock"])
    func signIn(_ name: String) async throws {
        let provider = try await TestPython.start(name, [try TestDirectory.make(name)])
        let mail = try await AccountMailWorld()
        var settings = ProviderSettings(
            name: name, label: name, issuer: provider.greeting.text("issuer"), clientID: "campanile",
            credential: .secret("s3cret&+/ %"))
        // glewlwyd gives its claims with any scope, and refuses scopes that it does not know.
        if name == "glewlwyd" { settings.scopes = [] }
        let clock = mail.clock
        let openID = OpenIDSignIn(
            loop: mail.world.loop, database: mail.pool, accounts: mail.accounts, settings: [settings],
            site: AccountMailWorld.site, now: { clock.now }, logger: TestDatabase.logger)
        let world = OpenIDWorld(mail: mail, provider: provider, openID: openID)

        let first = try await prove(world, name)
        let result = try await world.redeem(first)
        #expect(result.next == .register && result.email == "anna@example.org")
        // glewlwyd does not say whether an address is verified.
        #expect(result.isEmailVerified == (name == "oidcmock"))
        let account = try await openID.register(
            .init(ticket: first.ticket, secret: first.secret, username: "annaberg"), client: "tests", isSeen: true
        ).0.account
        #expect(account.email == "anna@example.org" && account.isEmailConfirmed == result.isEmailVerified)
        #expect(try await world.redeem(try await prove(world, name)).signedIn?.account.id == account.id)

        try await provider.control("rotate=1")
        clock.advance(bySeconds: 31)
        #expect(try await world.redeem(try await prove(world, name)).signedIn?.account.id == account.id)
        await world.close()
    }

    /// The way of a browser, which the script takes at the provider.
    private func prove(_ world: OpenIDWorld, _ name: String) async throws -> OpenIDProof {
        let secret = Secrets.makeToken()
        let url = try await world.openID.start(name, secretHash: Secrets.base64URL(Secrets.hash(secret)))
        let query = url.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let request = TokenExchange.Request(
            url: "http://127.0.0.1:\(world.provider.port)/visit?url=\(query)", headers: [], form: nil,
            answerBytesMax: 10_000)
        let answer = try await OpenIDWorld.workers.run { try request.send() }
        let form = try JSONDecoder().decode([String: String].self, from: Data(answer.body))["form"]
        return try await world.finish(name, .init(secret: secret, form: try required(form)))
    }
}
