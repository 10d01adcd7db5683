import Foundation
import TestSupport
import Testing
import Wire

@testable import OpenID
@testable import Services

/// Answers that were right, and then changed. `CAMPANILE_MUTATIONS=100000 swift test --filter OpenIDMutationTests` tries as many
/// as it says: nine tokens for each callback, which takes a provider and a database.
@Suite("Changed answers of a provider")
struct OpenIDMutationTests {
    private static let count = ProcessInfo.processInfo.environment["CAMPANILE_MUTATIONS"].flatMap(Int.init) ?? 2_000

    /// Changes a text: a byte, a part that is left out, repeated or moved, or one of another text.
    private static func mutated<G: RandomNumberGenerator>(_ text: String, _ other: String, using random: inout G)
        -> String
    {
        var bytes = Array(text.utf8)
        for _ in 0...Int.random(in: 0...2, using: &random) {
            let place = Int.random(in: 0...max(0, bytes.count - 1), using: &random)
            let end = min(bytes.count, place + Int.random(in: 1...40, using: &random))
            switch Int.random(in: 0..<7, using: &random) {
            case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<7, using: &random)
            case 1 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes.removeSubrange(place..<end)
            case 3: bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &random))
            case 4: bytes = Array(bytes.prefix(place)) + Array(other.utf8.dropFirst(place))
            case 5: bytes.insert(Array(".&=%".utf8).randomElement(using: &random) ?? 0, at: place)
            default: bytes.removeLast(min(bytes.count, 1))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("A token that was changed in any place proves nothing")
    func tokens() async throws {
        let world = try await OpenIDWorld(["normal", "es256", "ps256"])
        let total = Self.count * 9 / 10
        var random = SeededGenerator(seed: 23)
        for name in ["normal", "es256", "ps256"] {
            let (exchange, tokens, keys) = try await Self.tokens(world, name)
            let (_, others, _) = try await Self.tokens(world, "normal")
            let now = Double(Timestamp.now.milliseconds) / 1_000
            guard case .proven = try exchange.identity(tokens, keys: keys, now: now) else {
                Issue.record("the token is right before it is changed")
                return
            }
            let signed = tokens.idToken.split(separator: ".").prefix(2)
            for _ in 0..<(total / 3) {
                let text = Self.mutated(tokens.idToken, others.idToken, using: &random)
                // The bits behind a signature's last byte may differ: what is signed is the same.
                guard text.split(separator: ".", omittingEmptySubsequences: false).prefix(2) != signed[...] else {
                    continue
                }
                let changed = TokenExchange.Tokens(idToken: text, accessToken: tokens.accessToken)
                if let outcome = try? exchange.identity(changed, keys: keys, now: now), outcome != .unknownKey {
                    Issue.record("\(name): \(text)")
                }
            }
        }
        await world.close()
    }

    /// What the provider answers, right to the last bit.
    private static func tokens(
        _ world: OpenIDWorld, _ name: String
    ) async throws -> (TokenExchange, TokenExchange.Tokens, KeySet) {
        let settings = try required(world.openID.settings(of: name))
        let secret = Secrets.makeToken()
        let request = AuthorizationRequest(state: secret, key: [1])
        let metadata = try ProviderMetadata(
            try TokenExchange.document(settings.discoveryURL, answerBytesMax: ProviderMetadata.bytesMax).send()
                .document,
            of: settings)
        let uri = world.openID.redirectURI(of: settings)
        let page = TokenExchange.Request(
            url: request.url(settings, metadata, redirectURI: uri), headers: ["Accept: application/json"], form: nil,
            answerBytesMax: 10_000)
        let answer = try JSONDecoder().decode([String: String].self, from: Data(try page.send().body))
        let callback = try Callback(form: Array(try required(answer["form"]).utf8))
        let exchange = TokenExchange(settings, metadata, nonce: request.nonce)
        let tokenRequest = try exchange.tokenRequest(
            for: callback, verifier: request.verifier, redirectURI: uri, now: 0)
        let keys = try KeySet(
            try TokenExchange.document(metadata.keysURL, answerBytesMax: KeySet.bytesMax).send().document)
        return (exchange, try exchange.tokens(try tokenRequest.send()), keys)
    }

    @Test("An answer that was changed in any place gives no ticket, unless state and code are as they were")
    func callbacks() async throws {
        let world = try await OpenIDWorld(["normal"])
        var random = SeededGenerator(seed: 23)
        var visit = try await world.visit("normal")
        var other = visit
        for _ in 0..<Self.count / 10 {
            let form = Self.mutated(visit.form, other.form, using: &random)
            let original = try Callback(form: Array(visit.form.utf8))
            let read = try? Callback(form: Array(form.utf8))
            let proof = try? await world.finish("normal", .init(secret: visit.secret, form: form))
            if proof != nil { #expect(read?.state == original.state && read?.code == original.code, "\(form)") }
            if read?.state == original.state {
                other = visit
                visit = try await world.visit("normal")
            }
        }
        #expect(try await world.pool.query("SELECT FROM provider_identities").isEmpty)
        #expect(try await world.pool.query("SELECT FROM accounts").isEmpty)
        await world.close()
    }
}
