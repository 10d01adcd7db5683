import Foundation

/// Metadata that a provider publishes about itself (OpenID Connect Discovery 1.0 §3).
public struct ProviderMetadata: Sendable, Equatable {
    /// Path below the issuer at which a provider publishes it (§4).
    public static let path = "/.well-known/openid-configuration"
    /// Maximum bytes of the document.
    public static let bytesMax = 65_536
    /// Maximum bytes of a URL in it.
    static let urlBytesMax = 2_048

    public let issuer: String
    public let authorizationEndpoint: String
    public let tokenEndpoint: String
    public let userinfoEndpoint: String?
    public let keysURL: String
    /// Algorithms by which it signs ID tokens, as far as Campanile accepts them.
    public let algorithms: Set<SignatureAlgorithm>
    /// Whether the provider says that it supports PKCE by SHA-256. A provider that does not say so may support it all the same (RFC 8414
    /// §2).
    public let namesPKCE: Bool
    /// Ways to authenticate a client at the token endpoint.
    let authenticationMethods: [String]
    /// Whether each of its responses names the issuer (RFC 9207 §3).
    let namesIssuerInResponse: Bool

    private struct Document: Decodable {
        let issuer: String?
        let authorizationEndpoint, tokenEndpoint, userinfoEndpoint, keysURL: String?
        let responseTypes, algorithms, authenticationMethods, challengeMethods: [String]?
        let namesIssuerInResponse: Bool?

        enum CodingKeys: String, CodingKey {
            case issuer
            case authorizationEndpoint = "authorization_endpoint"
            case tokenEndpoint = "token_endpoint"
            case userinfoEndpoint = "userinfo_endpoint"
            case keysURL = "jwks_uri"
            case responseTypes = "response_types_supported"
            case algorithms = "id_token_signing_alg_values_supported"
            case authenticationMethods = "token_endpoint_auth_methods_supported"
            case challengeMethods = "code_challenge_methods_supported"
            case namesIssuerInResponse = "authorization_response_iss_parameter_supported"
        }
    }

    /// Reads the document of a provider.
    /// - Throws: ``OpenIDFailure/badMetadata(_:)``.
    public init(_ bytes: [UInt8], of settings: ProviderSettings) throws(OpenIDFailure) {
        guard bytes.count <= Self.bytesMax, let document = try? JSONDecoder().decode(Document.self, from: Data(bytes))
        else {
            throw .badMetadata("it is not a document of OpenID Connect Discovery")
        }
        // §4.3: "MUST be identical to the Issuer URL that was used as the prefix". A mix-up of providers begins where it is not.
        guard document.issuer == settings.issuer else { throw .badMetadata("it names another issuer") }
        issuer = settings.issuer
        // Otherwise a provider elsewhere could have this server send requests to services of its own machine.
        let allowsPlain = ProviderURL(settings.issuer)?.isPlain == true
        func url(_ text: String?, _ name: String) throws(OpenIDFailure) -> String {
            guard let text, let url = ProviderURL(text), allowsPlain || !url.isPlain else {
                throw .badMetadata("\(name) is missing or no https URL")
            }
            return url.text
        }
        authorizationEndpoint = try url(document.authorizationEndpoint, "authorization_endpoint")
        tokenEndpoint = try url(settings.tokenEndpoint ?? document.tokenEndpoint, "token_endpoint")
        userinfoEndpoint = document.userinfoEndpoint.flatMap { try? url($0, "userinfo_endpoint") }
        keysURL = try url(document.keysURL, "jwks_uri")
        // The member is required, but a provider may publish the code flow elsewhere, as Facebook does: the token endpoint decides.
        if let types = document.responseTypes, settings.tokenEndpoint == nil, !types.contains("code") {
            throw .badMetadata("it has no authorisation code flow")
        }
        algorithms = Set(
            (document.algorithms ?? ["RS256"]).compactMap(SignatureAlgorithm.init))
        guard !algorithms.isEmpty else { throw .badMetadata("it signs by no algorithm that Campanile accepts") }
        namesPKCE = document.challengeMethods?.contains("S256") == true
        authenticationMethods = document.authenticationMethods ?? ["client_secret_basic"]
        namesIssuerInResponse = document.namesIssuerInResponse == true
    }
}

/// URL of a provider: `https`, or `http` to this machine, without user, password and fragment.
public struct ProviderURL: Sendable, Equatable {
    public let text: String
    /// Whether it is `http` to this machine.
    public let isPlain: Bool

    public init?(_ text: String) {
        guard text.utf8.count <= ProviderMetadata.urlBytesMax, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty, parts.user == nil,
            parts.password == nil, parts.fragment == nil
        else { return nil }
        isPlain = parts.scheme == "http"
        guard parts.scheme == "https" || isPlain && Self.loopback.contains(host) else { return nil }
        self.text = text
    }

    private static let loopback: Set = ["localhost", "127.0.0.1", "[::1]", "::1"]
}
