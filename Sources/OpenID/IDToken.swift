import Foundation

/// Claims about a person, of an ID token or of the userinfo endpoint (OpenID Connect Core 1.0 §5.1).
struct Claims: Decodable, Sendable {
    /// Maximum bytes of a subject, all ASCII (§2).
    static let subjectBytesMax = 255
    /// Maximum bytes of any other claim that is used; longer ones are ignored.
    static let textBytesMax = 512

    let issuer: String?
    let subject: String?
    let audiences: [String]?
    let authorizedParty: String?
    let expiresAt: Double?
    let issuedAt: Double?
    let nonce: String?
    let accessTokenHash: String?
    let email: String?
    let isEmailVerified: Bool
    /// Names of the person, the most fitting for a user name first.
    let names: [String]

    private enum Key: String, CodingKey {
        case iss, sub, aud, azp, exp, iat, nonce, email, nickname, name
        case accessTokenHash = "at_hash"
        case isEmailVerified = "email_verified"
        case preferredUsername = "preferred_username"
        case givenName = "given_name"
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        func text(_ key: Key) -> String? { try? members.decodeIfPresent(String.self, forKey: key) }
        func shortText(_ key: Key) -> String? { text(key).flatMap { $0.utf8.count <= Self.textBytesMax ? $0 : nil } }
        issuer = text(.iss)
        subject = text(.sub)
        audiences = text(.aud).map { [$0] } ?? (try? members.decodeIfPresent([String].self, forKey: .aud))
        authorizedParty = members.contains(.azp) ? text(.azp) ?? "" : nil
        expiresAt = try? members.decodeIfPresent(Double.self, forKey: .exp)
        issuedAt = try? members.decodeIfPresent(Double.self, forKey: .iat)
        nonce = text(.nonce)
        accessTokenHash = members.contains(.accessTokenHash) ? text(.accessTokenHash) ?? "" : nil
        email = shortText(.email)
        // Apple's is a text.
        isEmailVerified =
            (try? members.decodeIfPresent(Bool.self, forKey: .isEmailVerified)) ?? (text(.isEmailVerified) == "true")
        names = [Key.preferredUsername, .nickname, .givenName, .name].compactMap(shortText)
    }
}

/// The rules that an ID token must keep (OpenID Connect Core 1.0 §3.1.3.7).
public struct IDTokenRules: Sendable {
    /// Seconds by which the clocks of the provider and of this server may differ.
    public static let skewSecondsMax = 120.0
    /// Seconds since the token was issued: as long as an attempt lasts.
    public static let ageSecondsMax = AuthorizationRequest.attemptSecondsMax

    let issuer: String
    let clientID: String
    let nonce: String
    let algorithms: Set<SignatureAlgorithm>

    /// - Parameter nonce: The nonce of the attempt.
    public init(_ settings: ProviderSettings, _ metadata: ProviderMetadata, nonce: String) {
        (issuer, clientID) = (settings.issuer, settings.clientID)
        (self.nonce, algorithms) = (nonce, metadata.algorithms)
    }

    /// Outcome of the check of a token.
    enum Outcome {
        case valid(Claims)
        /// The token's key is not in the set: the provider may have changed its keys.
        case unknownKey
    }

    /// Verifies an ID token.
    /// - Parameters:
    ///   - accessToken: The access token beside it.
    ///   - now: Seconds since 1970.
    /// - Throws: ``OpenIDFailure/badAnswer(_:)``.
    func check(_ text: String, keys: KeySet, accessToken: String?, now: Double) throws(OpenIDFailure) -> Outcome {
        let token = try SignedToken(text, accepting: algorithms)
        guard let key = try keys.key(token.keyID, for: token.algorithm) else { return .unknownKey }
        let payload: [UInt8]
        do {
            payload = try token.payload(signedBy: key)
        } catch {
            // Without a name the provider's only key may be a new one.
            if token.keyID == nil { return .unknownKey }
            throw error
        }
        guard let claims = try? JSONDecoder().decode(Claims.self, from: Data(payload)) else {
            throw .badAnswer("the ID token has no claims")
        }
        try check(claims, now: now)
        if let hash = claims.accessTokenHash {
            // §3.1.3.6: the left half of the hash of the access token's text.
            let digest = Encoding.digest(Array((accessToken ?? "").utf8), bits: token.algorithm.hashBits)
            guard accessToken != nil, Encoding.areEqual(hash, Encoding.base64URL(digest.prefix(digest.count / 2)))
            else {
                throw .badAnswer("the ID token is for another access token (at_hash)")
            }
        }
        return .valid(claims)
    }

    private func check(_ claims: Claims, now: Double) throws(OpenIDFailure) {
        guard claims.issuer == issuer else { throw .badAnswer("the ID token is of another issuer (iss)") }
        guard let audiences = claims.audiences, audiences.contains(clientID) else {
            throw .badAnswer("the ID token is for another app (aud)")
        }
        // §3.1.3.7 rule 3: no other audience is trusted.
        guard audiences.allSatisfy({ $0 == clientID }) else {
            throw .badAnswer("the ID token is for other apps as well (aud)")
        }
        guard claims.authorizedParty ?? clientID == clientID else {
            throw .badAnswer("the ID token was issued to another app (azp)")
        }
        guard let expiresAt = claims.expiresAt, expiresAt > now - Self.skewSecondsMax else {
            throw .badAnswer("the ID token has expired, or does not say when it does (exp)")
        }
        guard let issuedAt = claims.issuedAt, issuedAt < now + Self.skewSecondsMax,
            issuedAt > now - Self.ageSecondsMax - Self.skewSecondsMax
        else { throw .badAnswer("the ID token was not issued just now (iat): compare the clocks") }
        guard let given = claims.nonce, Encoding.areEqual(given, nonce) else {
            throw .badAnswer("the ID token is for another attempt (nonce)")
        }
        guard let subject = claims.subject, Self.isSubject(subject) else {
            throw .badAnswer("the ID token does not say who the person is (sub)")
        }
    }

    static func isSubject(_ text: String) -> Bool {
        (1...Claims.subjectBytesMax).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}
