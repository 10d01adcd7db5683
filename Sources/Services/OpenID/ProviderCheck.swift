import OpenID

/// Findings of `campanile doctor` about a provider.
public struct ProviderCheck: Sendable {
    /// Algorithms by which the provider signs, as far as Campanile accepts them, in alphabetical order.
    public let algorithms: [String]
    /// Number of keys that can be used.
    public let keys: Int
    /// Whether the provider says that it supports PKCE by SHA-256.
    public let namesPKCE: Bool

    /// Loads configuration and keys, as a sign-in does. Blocks: call it on a worker thread.
    /// - Throws: ``OpenID/OpenIDFailure``.
    public init(of settings: ProviderSettings, authorityFile: String?) throws(OpenIDFailure) {
        func load(_ url: String, _ bytesMax: Int) throws(OpenIDFailure) -> [UInt8] {
            try TokenExchange.document(url, answerBytesMax: bytesMax).send(authorityFile: authorityFile).document
        }
        let metadata = try ProviderMetadata(
            try load(settings.discoveryURL, ProviderMetadata.bytesMax), of: settings)
        algorithms = metadata.algorithms.map(\.rawValue).sorted()
        namesPKCE = metadata.namesPKCE
        keys = try KeySet(try load(metadata.keysURL, KeySet.bytesMax)).count
        guard keys > 0 else { throw .badMetadata("it has no key that can be used") }
    }
}
