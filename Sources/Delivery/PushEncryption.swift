import COpenSSL

/// Encryption of a push message for one browser (RFC 8291), in one record (RFC 8188). The push service cannot read it.
public enum PushEncryption {
    /// Maximum plaintext bytes: a push service's limit (RFC 8030 §7.2: 4,096 bytes) less the header, the tag and the padding
    /// delimiter.
    public static let plaintextBytesMax = 3_993
    /// Plaintexts are padded to the next multiple, so that their length reveals little.
    static let paddedBytes = 1_024
    static let saltBytes = 16
    /// Bytes of a browser's authentication secret.
    public static let secretBytes = 16
    /// Record size (RFC 8291 §4).
    private static let recordBytes: UInt32 = 4_096
    private static let tagBytes = 16

    /// The plaintext exceeds ``plaintextBytesMax``, or OpenSSL failed.
    public struct Failed: Error {}

    /// Encrypts a message.
    /// - Parameters:
    ///   - plaintext: At most ``plaintextBytesMax`` bytes.
    ///   - browser: The browser's public key.
    ///   - secret: The browser's authentication secret.
    /// - Returns: The body of a request with `Content-Encoding: aes128gcm`.
    public static func encrypt(_ plaintext: [UInt8], for browser: [UInt8], secret: [UInt8]) throws -> [UInt8] {
        var salt = [UInt8](repeating: 0, count: saltBytes)
        guard RAND_bytes(&salt, Int32(saltBytes)) == 1 else { throw Failed() }
        let padded = min((plaintext.count / paddedBytes + 1) * paddedBytes, plaintextBytesMax)
        // A new key for each message (RFC 8291 §3.1).
        return try encrypt(
            plaintext, for: browser, secret: secret, key: try PushKey.make(), salt: salt,
            paddedTo: max(padded, plaintext.count))
    }

    static func encrypt(
        _ plaintext: [UInt8], for browser: [UInt8], secret: [UInt8], key: PushKey, salt: [UInt8], paddedTo length: Int
    ) throws -> [UInt8] {
        guard plaintext.count <= plaintextBytesMax, secret.count == secretBytes else { throw Failed() }
        // RFC 8291 §3.4
        let shared = hmac(secret, try key.agree(with: browser))
        let input = hmac(shared, Array("WebPush: info\0".utf8) + browser + key.publicKey + [1])
        let random = hmac(salt, input)
        let contentKey = Array(hmac(random, Array("Content-Encoding: aes128gcm\0".utf8) + [1])[..<16])
        let nonce = Array(hmac(random, Array("Content-Encoding: nonce\0".utf8) + [1])[..<12])
        // RFC 8188 §2: the delimiter 2 ends the last record's content; zero padding follows.
        let record = plaintext + [2] + [UInt8](repeating: 0, count: max(0, length - plaintext.count))
        let size = withUnsafeBytes(of: recordBytes.bigEndian) { Array($0) }
        let header = salt + size + [UInt8(key.publicKey.count)] + key.publicKey
        return header + (try seal(record, key: contentKey, nonce: nonce))
    }

    private static func seal(_ plaintext: [UInt8], key: [UInt8], nonce: [UInt8]) throws -> [UInt8] {
        guard let context = EVP_CIPHER_CTX_new() else { throw Failed() }
        defer { EVP_CIPHER_CTX_free(context) }
        var sealed = [UInt8](repeating: 0, count: plaintext.count)
        var tag = [UInt8](repeating: 0, count: tagBytes)
        var (length, rest) = (Int32(0), Int32(0))
        var end = [UInt8](repeating: 0, count: 16)
        // 12 bytes are GCM's default nonce length.
        guard EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), nil, key, nonce) == 1,
            EVP_EncryptUpdate(context, &sealed, &length, plaintext, Int32(plaintext.count)) == 1,
            Int(length) == plaintext.count, EVP_EncryptFinal_ex(context, &end, &rest) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagBytes), &tag) == 1
        else { throw Failed() }
        return sealed + tag
    }

    /// HMAC-SHA-256. Each step of HKDF (RFC 5869) is one HMAC if the output has at most one block.
    private static func hmac(_ key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        HMAC(EVP_sha256(), key, Int32(key.count), bytes, bytes.count, &digest, &length)
        return digest
    }
}
