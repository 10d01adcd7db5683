import OpenID
import TestSupport
import Testing
import Wire

@testable import Services

/// The basic cases of the OpenID Foundation's conformance tests of relying parties, and more, each played by a provider that is not ours.
@Suite("Answers of a provider of OpenID Connect")
struct ProviderRulesTests {
    /// Cases by the beginning of the reason for the refusal.
    private static let refused: [(name: String, reason: String)] = [
        // rp-nonce-invalid
        ("nonce-invalid", "the ID token is for another attempt (nonce)"),
        ("no-nonce", "the ID token is for another attempt (nonce)"),
        // rp-id_token-aud
        ("aud", "the ID token is for another app (aud)"), ("no-aud", "the ID token is for another app (aud)"),
        ("aud-many", "the ID token is for other apps as well (aud)"),
        ("azp", "the ID token was issued to another app (azp)"),
        // rp-id_token-kid-absent-multiple-jwks
        ("kid-absent-multi", "the token does not name its key"),
        // rp-id_token-sig-none
        ("sig-none", "the ID token is not signed"), ("sig-cut", "the ID token is not signed"),
        ("sig-zero", "the ID token is not signed by an accepted algorithm"),
        ("hs256", "the ID token is not signed by an accepted algorithm"),
        ("hs256-secret", "the ID token is not signed by an accepted algorithm"),
        ("crit", "the ID token demands an extension"),
        // rp-id_token-issuer-mismatch
        ("issuer", "the ID token is of another issuer (iss)"),
        // rp-id_token-bad-sig-rs256
        ("bad-sig", "the ID token's signature is wrong"), ("kid-unknown", "the ID token is signed by none of its keys"),
        // rp-id_token-iat
        ("no-iat", "the ID token was not issued just now (iat)"),
        ("iat-old", "the ID token was not issued just now (iat)"),
        ("iat-future", "the ID token was not issued just now (iat)"),
        ("expired", "the ID token has expired"), ("no-exp", "the ID token has expired"),
        // rp-id_token-sub
        ("no-sub", "the ID token does not say who the person is (sub)"),
        ("sub-long", "the ID token does not say who the person is (sub)"),
        ("sub-number", "the ID token does not say who the person is (sub)"),
        ("at-hash", "the ID token is for another access token (at_hash)"),
        // rp-userinfo-bad-sub-claim
        ("bad-userinfo-sub", "its userinfo endpoint answered about another person (sub)"),
        ("no-id-token", "the token endpoint gave no ID token"),
        ("token-type", "the access token is of an unknown kind"),
        ("token-moved", "its token endpoint answered 307"), ("no-code", "it has no authorisation code"),
        // RFC 9207
        ("iss-missing", "it does not name its issuer (iss)"), ("iss-wrong", "it is of another issuer (iss)"),
    ]

    @Test("Each answer that breaks a rule is refused, with the rule that it breaks, and leaves no ticket")
    func refused() async throws {
        let world = try await OpenIDWorld(Self.refused.map(\.name))
        for (name, reason) in Self.refused {
            guard case .badAnswer(let given)? = try await world.failure(name) else {
                Issue.record("\(name) is not refused")
                continue
            }
            #expect(given.hasPrefix(reason), "\(name)")
        }
        #expect(try await world.pool.query("SELECT FROM openid_tickets").isEmpty)
        #expect(try await world.pool.query("SELECT FROM openid_attempts").isEmpty)
        await world.close()
    }

    @Test("Each answer that keeps the rules gives a ticket, whatever the algorithm and the way of the client's secret")
    func accepted() async throws {
        // rp-response_type-code, rp-scope-userinfo-claims, rp-token_endpoint-client_secret_basic and _post, rp-id_token-sig-rs256,
        // rp-id_token-kid-absent-single-jwks, rp-userinfo-bearer-header
        let names = [
            "normal", "userinfo", "post", "kid-absent-single", "es256", "ps256", "azp-own", "aud-list", "at-hash-right",
            "text-verified", "iss-right", "both",
        ]
        let world = try await OpenIDWorld(names)
        for name in names {
            let result = try await world.redeem(try await world.prove(name))
            #expect(result.next == .register && result.email == "anna@example.org" && result.isEmailVerified, "\(name)")
            #expect(result.username == "anna", "\(name)")
            let way = world.provider.said("token").last { $0.text("case") == name }?.text("way")
            #expect(way == (["post", "both"].contains(name) ? "post" : "basic"), "\(name)")
        }
        let userinfo = world.provider.said("userinfo").filter { $0.text("case") == "userinfo" }
        #expect(userinfo.count == 1 && userinfo.allSatisfy { $0.text("scheme") == "Bearer" })
        await world.close()
    }

    @Test("A provider's errors and a broken configuration differ from an outage")
    func errors() async throws {
        let names = [
            "denied", "error", "token-down", "token-long", "no-userinfo", "meta-issuer", "meta-plain", "meta-html",
            "meta-moved", "meta-long",
        ]
        let world = try await OpenIDWorld(names)
        #expect(try await world.failure("denied") == .denied)
        #expect(try await world.failure("error") == .refused)
        #expect(try await world.failure("token-down")?.isTransient == true)
        #expect(try await world.failure("no-userinfo")?.isTransient == true)
        #expect(
            try await world.failure("token-long")
                == .badMetadata("an answer is longer than \(TokenExchange.answerBytesMax) bytes"))
        for (name, reason) in [
            ("meta-issuer", "it names another issuer"), ("meta-plain", "token_endpoint is missing or no https URL"),
            ("meta-html", "it is not a document of OpenID Connect Discovery"), ("meta-moved", "it answered 302"),
            ("meta-long", "an answer is longer than \(ProviderMetadata.bytesMax) bytes"),
        ] { #expect(try await world.failure(name) == .badMetadata(reason), "\(name)") }
        await world.close()
    }

    @Test("Apple's way: a posted form, a signed secret, a verified address as text, and the name beside the answer")
    func apple() async throws {
        let provider = try await TestPython.start("openid")
        let secret = try AppleSecret(
            teamID: "TEAM123456", keyID: "KEY1234567", clientID: "campanile",
            pem: Array(provider.greeting.text("appleKey").utf8))
        provider.end()
        // The key of that provider is not this one's.
        let stranger = try await OpenIDWorld(["apple"]) { $0.credential = .apple(secret) }
        guard case .badAnswer(let reason)? = try await stranger.failure("apple") else {
            Issue.record("another key is refused")
            return
        }
        #expect(reason.contains("refused the code or this server's secret"))
        await stranger.close()
        let world = try await OpenIDWorld(["apple"], isOwn: true)
        let own = try AppleSecret(
            teamID: "TEAM123456", keyID: "KEY1234567", clientID: "campanile",
            pem: Array(world.provider.greeting.text("appleKey").utf8))
        var settings = world.openID.settings[0]
        settings.credential = .apple(own)
        settings.responseMode = .formPost
        let apple = OpenIDSignIn(
            loop: world.mail.world.loop, database: world.pool, accounts: world.accounts, settings: [settings],
            site: AccountMailWorld.site, logger: TestDatabase.logger)
        let person = OpenIDWorld.Person(sub: "001.apple", email: "x1@privaterelay.appleid.example")
        let visit = try await world.visit("apple", as: person, apple)
        let result = try await world.redeem(try await world.finish("apple", visit, apple))
        #expect(result.isEmailVerified && result.username == "BertaApple" && result.email == person.email)
        #expect(world.provider.said("authorize").last?.object("query").text("response_mode") == "form_post")
        #expect(world.provider.said("token").last?.text("way") == "apple")
        #expect(throws: ProviderSettings.Invalid.self) {
            try AppleSecret(teamID: "TEAM123456", keyID: "KEY1234567", clientID: "x", pem: Array("no key".utf8))
        }
        await world.close()
    }

    @Test("Keys that the provider changes are loaded again, but not for each token that names an unknown key")
    func rotation() async throws {
        let world = try await OpenIDWorld(["normal", "kid-unknown"], isOwn: true)
        _ = try await world.prove("normal")
        _ = try await world.prove("normal")
        func loads(_ name: String) -> Int { world.provider.said("keys").count { $0.text("case") == name } }
        #expect(loads("normal") == 1)
        try await world.control("rotate=normal")
        // Right after a load the new key is unknown.
        #expect(try await world.failure("normal") != nil && loads("normal") == 1)
        world.clock.advance(bySeconds: 31)
        _ = try await world.prove("normal")
        #expect(loads("normal") == 2)
        for _ in 0..<5 { #expect(try await world.failure("kid-unknown") != nil) }
        #expect(loads("kid-unknown") == 1)
        await world.close()
    }

    @Test("While a provider is away attempts fail at once, and it is asked again after a while; passwords work as ever")
    func outage() async throws {
        let world = try await OpenIDWorld(["normal"], isOwn: true)
        try await world.control("down=normal")
        for _ in 0..<3 {
            await #expect(throws: OpenIDFailure.self) { try await world.visit("normal") }
        }
        _ = try await world.mail.register("bert@example.org")
        #expect(await world.mail.logsIn("bert@example.org", AccountMailWorld.password))
        try await world.control("up=normal")
        await #expect(throws: OpenIDFailure.self) { try await world.visit("normal") }
        world.clock.advance(bySeconds: 5)
        _ = try await world.prove("normal")
        #expect(world.provider.said("discovery").count == 1)
        await world.close()
    }
}
