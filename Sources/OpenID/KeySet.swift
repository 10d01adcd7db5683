import CCjose
import Foundation

/// The public keys by which a provider signs (RFC 7517).
public struct KeySet: Sendable {
    /// Maximum bytes of a key set.
    public static let bytesMax = 131_072
    /// Maximum number of keys that are looked at; further ones are ignored.
    static let keysMax = 64
    /// Least bits of an RSA key (RFC 7518 §3.3).
    static let rsaBitsMin = 2_048

    let keys: [PublicKey]

    /// Reads a key set. Keys that cannot be used, such as those for encryption or of an unknown kind, are ignored (RFC 7517 §5).
    /// - Throws: ``OpenIDFailure/badMetadata(_:)``.
    public init(_ bytes: [UInt8]) throws(OpenIDFailure) {
        guard bytes.count <= Self.bytesMax,
            let document = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any],
            let listed = document["keys"] as? [[String: Any]]
        else { throw .badMetadata("its keys are no JSON Web Key Set") }
        keys = listed.prefix(Self.keysMax).compactMap(PublicKey.init)
    }

    /// Number of keys that can be used.
    public var count: Int { keys.count }

    /// The key that a token names. Without a name there must be no choice: to try one after the other would accept a token of a key that
    /// was published for something else.
    func key(_ id: String?, for algorithm: SignatureAlgorithm) throws(OpenIDFailure) -> PublicKey? {
        let fitting = keys.filter { $0.fits(algorithm) }
        if let id { return fitting.first { $0.id == id } }
        guard fitting.count <= 1 else { throw .badAnswer("the token does not name its key, and there are several") }
        return fitting.first
    }
}

/// A public key.
///
/// `@unchecked Sendable`: nothing changes the key after it is made, and OpenSSL verifies with one key on several threads.
final class PublicKey: @unchecked Sendable {
    private enum Kind: Equatable {
        case rsa(bits: Int)
        case ellipticCurve(cjose_jwk_ec_curve)
    }

    let id: String?
    private let algorithm: String?
    private let kind: Kind
    let key: OpaquePointer

    /// - Parameter members: Members of the JSON Web Key.
    init?(_ members: [String: Any]) {
        // Private members never reach the library.
        let wanted = ["kty", "n", "e", "crv", "x", "y"]
        let kept = members.filter { wanted.contains($0.key) && $0.value is String }
        guard
            ["n", "e", "x", "y"].allSatisfy({ name in
                (kept[name] as? String).map { Encoding.isBase64URL($0) } ?? true
            })
        else { return nil }
        guard let type = kept["kty"] as? String, ["RSA", "EC"].contains(type),
            (members["use"] as? String ?? "sig") == "sig",
            (members["key_ops"] as? [String])?.contains("verify") ?? true,
            let json = try? JSONSerialization.data(withJSONObject: kept)
        else { return nil }
        let text = Array(json).map { CChar(bitPattern: $0) }
        guard let key = cjose_jwk_import(text, text.count, nil) else { return nil }
        switch cjose_jwk_get_kty(key, nil) {
        case CJOSE_JWK_KTY_RSA:
            let bits = cjose_jwk_get_keysize(key, nil)
            guard bits >= KeySet.rsaBitsMin else {
                cjose_jwk_release(key)
                return nil
            }
            kind = .rsa(bits: bits)
        case CJOSE_JWK_KTY_EC: kind = .ellipticCurve(cjose_jwk_EC_get_curve(key, nil))
        default:
            cjose_jwk_release(key)
            return nil
        }
        self.key = key
        id = members["kid"] as? String
        algorithm = members["alg"] as? String
    }

    deinit { cjose_jwk_release(key) }

    func fits(_ algorithm: SignatureAlgorithm) -> Bool {
        if let named = self.algorithm, named != algorithm.rawValue { return false }
        switch algorithm {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: if case .rsa = kind { return true } else { return false }
        case .es256: return kind == .ellipticCurve(CJOSE_JWK_EC_P_256)
        case .es384: return kind == .ellipticCurve(CJOSE_JWK_EC_P_384)
        case .es512: return kind == .ellipticCurve(CJOSE_JWK_EC_P_521)
        }
    }
}
