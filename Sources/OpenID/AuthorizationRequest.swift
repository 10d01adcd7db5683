/// The request by which a browser asks a provider who the person is (OpenID Connect Core 1.0 §3.1.2.1), with PKCE (RFC 7636).
///
/// Nonce and code verifier follow from the state and a key of the server's: the database keeps neither, and any server can finish what
/// another began.
public struct AuthorizationRequest: Sendable {
    /// Seconds that a person has to sign in at the provider.
    public static let attemptSecondsMax = 600.0

    public let nonce: String
    public let verifier: String
    private let state: String

    /// - Parameters:
    ///   - state: A random token.
    ///   - key: A secret of all servers of the campus.
    public init(state: String, key: [UInt8]) {
        self.state = state
        nonce = Encoding.base64URL(Encoding.mac("openid nonce \(state)", key: key))
        verifier = Encoding.base64URL(Encoding.mac("openid verifier \(state)", key: key))
    }

    /// URL to send the browser to.
    /// - Parameter redirectURI: URL at which the answer arrives.
    public func url(_ settings: ProviderSettings, _ metadata: ProviderMetadata, redirectURI: String) -> String {
        var fields = [
            ("response_type", "code"), ("client_id", settings.clientID), ("redirect_uri", redirectURI),
            ("scope", (["openid"] + settings.scopes.filter { $0 != "openid" }).joined(separator: " ")),
            ("state", state), ("nonce", nonce),
            ("code_challenge", Encoding.base64URL(Encoding.digest(Array(verifier.utf8)))),
            ("code_challenge_method", "S256"),
        ]
        if settings.responseMode != .query { fields.append(("response_mode", settings.responseMode.rawValue)) }
        let endpoint = metadata.authorizationEndpoint
        let separator = !endpoint.contains("?") ? "?" : endpoint.hasSuffix("?") || endpoint.hasSuffix("&") ? "" : "&"
        return endpoint + separator + Encoding.form(fields)
    }
}
