/// Algorithms of signatures that Campanile accepts (RFC 7518 §3.1).
///
/// `none` and those with a shared secret (HS…) are not among them: a token without a signature proves nothing, and a published key must
/// never be taken for a secret.
public enum SignatureAlgorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"

    /// Bits of the hash function.
    var hashBits: Int {
        switch self {
        case .rs256, .ps256, .es256: 256
        case .rs384, .ps384, .es384: 384
        case .rs512, .ps512, .es512: 512
        }
    }
}
