import Foundation

/// Facts that a provider has proved about a person.
public struct ProvenIdentity: Sendable, Equatable {
    public let issuer: String
    /// The person's number or name at the provider; never given to another person.
    public let subject: String
    /// The person's address as the provider has it; nil if it gives none.
    public let email: String?
    /// Whether the provider has verified that the person reads mail to it.
    public let isEmailVerified: Bool
    /// Names of the person, for a suggestion.
    public let names: [String]
}

/// The requests of the server to the provider, and the checks of the answers. It does no I/O: the caller sends.
public struct TokenExchange: Sendable {
    /// A request to send.
    public struct Request: Sendable, Equatable {
        public let url: String
        public let headers: [String]
        /// Body of a POST; nil for a GET.
        public let form: String?
        /// Maximum bytes of the answer.
        public let answerBytesMax: Int

        public init(url: String, headers: [String], form: String?, answerBytesMax: Int) {
            (self.url, self.headers, self.form, self.answerBytesMax) = (url, headers, form, answerBytesMax)
        }
    }

    /// An answer to a request.
    public struct Answer: Sendable {
        public let status: Int
        public let body: [UInt8]

        public init(status: Int, body: [UInt8]) { (self.status, self.body) = (status, body) }
    }

    /// Maximum bytes of the token endpoint's and the userinfo endpoint's answers.
    public static let answerBytesMax = 65_536

    private let settings: ProviderSettings
    private let metadata: ProviderMetadata
    private let rules: IDTokenRules

    public init(_ settings: ProviderSettings, _ metadata: ProviderMetadata, nonce: String) {
        (self.settings, self.metadata) = (settings, metadata)
        rules = IDTokenRules(settings, metadata, nonce: nonce)
    }

    /// Request for a document of the provider's.
    public static func document(_ url: String, answerBytesMax: Int) -> Request {
        Request(url: url, headers: ["Accept: application/json"], form: nil, answerBytesMax: answerBytesMax)
    }

    // MARK: Tokens

    /// The request that exchanges the authorisation code (OpenID Connect Core 1.0 §3.1.3.1).
    /// - Throws: ``OpenIDFailure`` of the answer that `callback` is.
    public func tokenRequest(
        for callback: Callback, verifier: String, redirectURI: String, now: Double
    ) throws(OpenIDFailure) -> Request {
        var fields = [
            ("grant_type", "authorization_code"), ("code", try callback.authorizationCode(of: metadata)),
            ("redirect_uri", redirectURI), ("code_verifier", verifier),
        ]
        var headers = ["Accept: application/json", "Content-Type: application/x-www-form-urlencoded"]
        switch settings.credential {
        case .secret(let secret) where usesBasic(secret):
            // RFC 6749 §2.3.1: both are encoded as in a form first.
            let pair = "\(Encoding.escaped(settings.clientID)):\(Encoding.escaped(secret))"
            headers.append("Authorization: Basic \(Encoding.base64(Array(pair.utf8)))")
        case .secret(let secret): fields += [("client_id", settings.clientID), ("client_secret", secret)]
        case .apple(let key):
            fields += [("client_id", settings.clientID), ("client_secret", try key.make(now: now))]
        case .none: fields.append(("client_id", settings.clientID))
        }
        return Request(
            url: metadata.tokenEndpoint, headers: headers, form: Encoding.form(fields),
            answerBytesMax: Self.answerBytesMax)
    }

    /// Whether the secret goes into the head of the request. Some providers do not decode it there, as RFC 6749 demands, so a secret that
    /// encoding changes goes into the form where the provider takes both.
    private func usesBasic(_ secret: String) -> Bool {
        let methods = metadata.authenticationMethods
        guard methods.contains("client_secret_basic") else { return false }
        return !methods.contains("client_secret_post")
            || Encoding.escaped(settings.clientID + secret) == settings.clientID + secret
    }

    /// The tokens of an answer.
    public struct Tokens: Sendable, Equatable {
        let idToken: String
        let accessToken: String?
    }

    private struct TokenAnswer: Decodable {
        let idToken, accessToken, tokenType: String?

        enum CodingKeys: String, CodingKey {
            case idToken = "id_token"
            case accessToken = "access_token"
            case tokenType = "token_type"
        }
    }

    /// Reads the token endpoint's answer (§3.1.3.3).
    /// - Throws: ``OpenIDFailure``.
    public func tokens(_ answer: Answer) throws(OpenIDFailure) -> Tokens {
        switch answer.status {
        case 200: break
        case 429, 500...: throw .unreachable("its token endpoint answered \(answer.status)")
        case 400..<500:
            throw .badAnswer("its token endpoint refused the code or this server's secret (\(answer.status))")
        default: throw .badAnswer("its token endpoint answered \(answer.status)")
        }
        guard let read = try? JSONDecoder().decode(TokenAnswer.self, from: Data(answer.body)), let token = read.idToken
        else { throw .badAnswer("the token endpoint gave no ID token") }
        guard read.tokenType?.lowercased() ?? "bearer" == "bearer" else {
            throw .badAnswer("the access token is of an unknown kind (token_type)")
        }
        return Tokens(idToken: token, accessToken: read.accessToken)
    }

    // MARK: The person

    /// Outcome of the check of the tokens.
    public enum Outcome: Sendable, Equatable {
        case proven(ProvenIdentity)
        /// The ID token's key is not in the set: load the keys again.
        case unknownKey
        /// The address is not in the ID token: send this request, and pass the answer to ``TokenExchange/identity(_:userinfo:)``.
        case needsUserinfo(ProvenIdentity, Request)
    }

    /// Verifies the ID token.
    /// - Throws: ``OpenIDFailure/badAnswer(_:)``.
    public func identity(
        _ tokens: Tokens, keys: KeySet, names: [String] = [], now: Double
    ) throws(OpenIDFailure) -> Outcome {
        switch try rules.check(tokens.idToken, keys: keys, accessToken: tokens.accessToken, now: now) {
        case .unknownKey: return .unknownKey
        case .valid(let claims):
            let identity = identity(claims, names: names)
            guard claims.email == nil, let url = metadata.userinfoEndpoint, let token = tokens.accessToken,
                Self.isHeaderText(token)
            else { return .proven(identity) }
            // §5.3.1; RFC 6750 §2.1
            let request = Request(
                url: url, headers: ["Accept: application/json", "Authorization: Bearer \(token)"], form: nil,
                answerBytesMax: Self.answerBytesMax)
            return .needsUserinfo(identity, request)
        }
    }

    private static func isHeaderText(_ token: String) -> Bool {
        !token.isEmpty && token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private func identity(_ claims: Claims, names: [String], subject: String? = nil) -> ProvenIdentity {
        ProvenIdentity(
            issuer: settings.issuer, subject: subject ?? claims.subject ?? "", email: claims.email,
            isEmailVerified: claims.email != nil && claims.isEmailVerified && settings.verifiesEmail,
            names: claims.names + names)
    }

    /// Adds the claims of the userinfo endpoint (§5.3.2).
    /// - Throws: ``OpenIDFailure``.
    public func identity(_ known: ProvenIdentity, userinfo answer: Answer) throws(OpenIDFailure) -> ProvenIdentity {
        guard answer.status == 200, let claims = try? JSONDecoder().decode(Claims.self, from: Data(answer.body)) else {
            throw answer.status >= 500
                ? .unreachable("its userinfo endpoint answered \(answer.status)")
                : .badAnswer("its userinfo endpoint gave no claims")
        }
        // "The sub Claim in the UserInfo Response MUST be verified to exactly match the sub Claim in the ID Token".
        guard claims.subject == known.subject else {
            throw .badAnswer("its userinfo endpoint answered about another person (sub)")
        }
        return identity(claims, names: known.names, subject: known.subject)
    }
}
