import CCjose
import COpenSSL
import Foundation

/// Apple's client secret: a token that the operator's key signs (Apple, "Creating a client secret").
///
/// `@unchecked Sendable`: nothing changes the key after it is made.
public final class AppleSecret: @unchecked Sendable, Equatable {
    /// Audience of the secret.
    static let audience = "https://appleid.apple.com"
    /// Seconds for which a secret is valid. Apple accepts half a year; each sign-in makes its own, so minutes suffice.
    static let secondsMax = 300.0

    private let teamID: String
    private let keyID: String
    private let clientID: String
    private let key: OpaquePointer

    /// - Parameter pem: The `.p8` file with the private key.
    /// - Throws: ``ProviderSettings/Invalid``.
    public init(teamID: String, keyID: String, clientID: String, pem: [UInt8]) throws(ProviderSettings.Invalid) {
        for (name, value) in [("appleTeamId", teamID), ("appleKeyId", keyID)]
        where value.utf8.count != 10 || !value.utf8.allSatisfy({ (48...57).contains($0) || (65...90).contains($0) }) {
            throw ProviderSettings.Invalid("\(name) must be 10 capital letters and digits")
        }
        guard let key = Self.key(pem) else {
            throw ProviderSettings.Invalid("appleKeyFile must be the .p8 file of a key on P-256, as Apple gives it")
        }
        (self.teamID, self.keyID, self.clientID, self.key) = (teamID, keyID, clientID, key)
    }

    deinit { cjose_jwk_release(key) }

    public static func == (a: AppleSecret, b: AppleSecret) -> Bool { a === b }

    private static func key(_ pem: [UInt8]) -> OpaquePointer? {
        guard let bio = BIO_new_mem_buf(pem, Int32(clamping: pem.count)) else { return nil }
        defer { BIO_free(bio) }
        // Refuse to provide a pass phrase: OpenSSL would otherwise prompt at the terminal.
        guard let key = PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil) else { return nil }
        defer { EVP_PKEY_free(key) }
        var name = [CChar](repeating: 0, count: 32)
        var length = 0
        guard EVP_PKEY_get_id(key) == EVP_PKEY_EC, EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1,
            name.prefix(length).elementsEqual("prime256v1".utf8.map { CChar($0) }),
            var d = number("priv", of: key), var x = number("qx", of: key), var y = number("qy", of: key)
        else { return nil }
        return d.withUnsafeMutableBufferPointer { d in
            x.withUnsafeMutableBufferPointer { x in
                y.withUnsafeMutableBufferPointer { y in
                    var parts = cjose_jwk_ec_keyspec(
                        crv: CJOSE_JWK_EC_P_256, d: d.baseAddress, dlen: d.count, x: x.baseAddress, xlen: x.count,
                        y: y.baseAddress, ylen: y.count)
                    return cjose_jwk_create_EC_spec(&parts, nil)
                }
            }
        }
    }

    private static func number(_ name: String, of key: OpaquePointer) -> [UInt8]? {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(key, name, &number) == 1, let number else { return nil }
        defer { BN_clear_free(number) }
        var bytes = [UInt8](repeating: 0, count: 32)
        return BN_bn2binpad(number, &bytes, 32) == 32 ? bytes : nil
    }

    /// A new secret.
    /// - Parameter now: Seconds since 1970.
    /// - Throws: ``OpenIDFailure/badAnswer(_:)`` if the library fails.
    func make(now: Double) throws(OpenIDFailure) -> String {
        let claims: [String: Any] = [
            "iss": teamID, "iat": Int(now), "exp": Int(now + Self.secondsMax), "aud": Self.audience, "sub": clientID,
        ]
        guard let payload = try? JSONSerialization.data(withJSONObject: claims), let header = cjose_header_new(nil)
        else {
            throw .badAnswer("the client secret could not be made")
        }
        defer { cjose_header_release(header) }
        cjose_header_set(header, "alg", SignatureAlgorithm.es256.rawValue, nil)
        cjose_header_set(header, "kid", keyID, nil)
        let bytes = Array(payload)
        guard let token = cjose_jws_sign(key, header, bytes, bytes.count, nil) else {
            throw .badAnswer("the client secret could not be signed")
        }
        defer { cjose_jws_release(token) }
        var text: UnsafePointer<CChar>?
        guard cjose_jws_export(token, &text, nil), let text else {
            throw .badAnswer("the client secret could not be signed")
        }
        return String(cString: text)
    }
}
