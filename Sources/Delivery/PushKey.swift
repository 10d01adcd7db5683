import COpenSSL

/// A key pair on P-256: the server's (RFC 8292), a message's, or in tests a browser's.
///
/// `@unchecked Sendable`: OpenSSL counts references to a key, and concurrent use is safe because nothing changes the key.
public final class PushKey: @unchecked Sendable {
    /// Bytes of a public key: 4, x and y (SEC 1 §2.3.3).
    public static let publicBytes = 65

    /// The bytes are not a P-256 key, or OpenSSL failed.
    public struct Failed: Error, CustomStringConvertible {
        public let description: String
    }

    private let key: OpaquePointer
    /// The public key as an uncompressed point.
    public let publicKey: [UInt8]

    private init(owning key: OpaquePointer) throws(Failed) {
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = EVP_PKEY_get1_encoded_public_key(key, &bytes)
        let point = Array(UnsafeBufferPointer(start: bytes, count: count))
        campanile_OPENSSL_free(bytes)
        self.key = key
        publicKey = point
        guard EVP_PKEY_get_id(key) == EVP_PKEY_EC, Self.isP256(key), point.count == Self.publicBytes else {
            throw Failed(description: "the key is not one of P-256")
        }
    }

    deinit { EVP_PKEY_free(key) }

    private static func isP256(_ key: OpaquePointer) -> Bool {
        var name = [CChar](repeating: 0, count: 32)
        var length = 0
        guard EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1 else { return false }
        return name.prefix(length).elementsEqual("prime256v1".utf8.map { CChar($0) })
    }

    /// Generates a key pair.
    public static func make() throws(Failed) -> PushKey {
        guard let key = campanile_EVP_EC_gen_P256() else { throw Failed(description: "no key could be made") }
        return try PushKey(owning: key)
    }

    /// - Parameter der: A private key in the format of ``der``.
    public convenience init(der: [UInt8]) throws(Failed) {
        let key = der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var next = buffer.baseAddress
            return d2i_AutoPrivateKey(nil, &next, buffer.count)
        }
        guard let key else { throw Failed(description: "the key cannot be read") }
        try self.init(owning: key)
    }

    /// - Parameter pem: An unencrypted private key, such as `openssl ecparam -name prime256v1 -genkey -noout` creates.
    public convenience init(pem: [UInt8]) throws(Failed) {
        guard let bio = BIO_new_mem_buf(pem, Int32(pem.count)) else { throw Failed(description: "no memory") }
        defer { BIO_free(bio) }
        // Refuse to provide a pass phrase: OpenSSL would otherwise prompt at the terminal.
        guard let key = PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil) else {
            throw Failed(description: "there is no private key in PEM that can be read without a pass phrase")
        }
        try self.init(owning: key)
    }

    /// The private key in DER (RFC 5915), for storage that only the server can read.
    public var der: [UInt8] {
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = i2d_PrivateKey(key, &bytes)
        defer { campanile_OPENSSL_free(bytes) }
        return count > 0 ? Array(UnsafeBufferPointer(start: bytes, count: Int(count))) : []
    }

    /// Whether bytes are a point of the curve.
    public static func isPublicKey(_ point: [UInt8]) -> Bool {
        guard let key = try? make(), let peer = try? key.peer(point) else { return false }
        EVP_PKEY_free(peer)
        return true
    }

    /// - Throws: ``Failed`` if the bytes are not a point of the curve, which OpenSSL checks.
    private func peer(_ point: [UInt8]) throws(Failed) -> OpaquePointer {
        guard point.count == Self.publicBytes, let peer = EVP_PKEY_new() else {
            throw Failed(description: "the other's key is not one of P-256")
        }
        guard EVP_PKEY_copy_parameters(peer, key) == 1,
            EVP_PKEY_set1_encoded_public_key(peer, point, point.count) == 1
        else {
            EVP_PKEY_free(peer)
            throw Failed(description: "the other's key is not one of P-256")
        }
        return peer
    }

    /// The shared secret with the owner of a public key (SEC 1 §3.3.1).
    func agree(with point: [UInt8]) throws(Failed) -> [UInt8] {
        let peer = try peer(point)
        defer { EVP_PKEY_free(peer) }
        guard let context = EVP_PKEY_CTX_new(key, nil) else { throw Failed(description: "no memory") }
        defer { EVP_PKEY_CTX_free(context) }
        var secret = [UInt8](repeating: 0, count: 32)
        var length = secret.count
        guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, peer) == 1,
            EVP_PKEY_derive(context, &secret, &length) == 1, length == secret.count
        else { throw Failed(description: "no secret could be agreed on") }
        return secret
    }

    /// An ES256 signature: r and s, 32 bytes each (RFC 7518 §3.4).
    func sign(_ bytes: [UInt8]) throws(Failed) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw Failed(description: "no memory") }
        defer { EVP_MD_CTX_free(context) }
        var der = [UInt8](repeating: 0, count: 80)
        var length = der.count
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
            EVP_DigestSign(context, &der, &length, bytes, bytes.count) == 1
        else { throw Failed(description: "nothing could be signed") }
        let signature = der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var next = buffer.baseAddress
            return d2i_ECDSA_SIG(nil, &next, length)
        }
        guard let signature else { throw Failed(description: "nothing could be signed") }
        defer { ECDSA_SIG_free(signature) }
        var raw = [UInt8](repeating: 0, count: 64)
        raw.withUnsafeMutableBufferPointer { raw in
            guard let base = raw.baseAddress else { return }
            BN_bn2binpad(ECDSA_SIG_get0_r(signature), base, 32)
            BN_bn2binpad(ECDSA_SIG_get0_s(signature), base + 32, 32)
        }
        return raw
    }
}
