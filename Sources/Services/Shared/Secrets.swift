import COpenSSL
import Foundation

/// Random tokens and digests, by OpenSSL.
enum Secrets {
    /// Length of a token: 256 bits cannot be guessed.
    static let tokenBytes = 32
    /// Characters of a token in base64url.
    static let tokenCharacters = 43

    /// Cryptographically secure random bytes.
    static func randomBytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        // A server without secure random numbers must not continue.
        precondition(RAND_bytes(&bytes, Int32(count)) == 1, "the system's random generator failed")
        return bytes
    }

    /// A new token, URL-safe.
    static func makeToken() -> String { base64URL(randomBytes(tokenBytes)) }

    /// A new code of decimal digits for a person to type.
    static func makeCode(digits: Int) -> String {
        String((0..<digits).map { _ in "0123456789".randomElement() ?? "0" })
    }

    /// Stored digest of a token. A plain SHA-256 suffices because a random token cannot be guessed.
    static func hash(_ token: String) -> [UInt8] { hash(Array(token.utf8)) }

    static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        EVP_Digest(bytes, bytes.count, &digest, &length, EVP_sha256(), nil)
        return digest
    }

    /// HMAC-SHA-256 (RFC 2104).
    static func mac(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &digest, &length)
        return digest
    }

    /// Whether two byte arrays are equal, compared in constant time.
    static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
    }

    /// Hexadecimal text, two lower-case digits per byte.
    static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// URL-safe base64 without padding (RFC 4648 §5).
    static func base64URL(_ bytes: [UInt8]) -> String {
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let length = EVP_EncodeBlock(&text, bytes, Int32(bytes.count))
        return String(decoding: text[0..<Int(length)], as: UTF8.self)
            .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_").replacingOccurrences(
                of: "=", with: "")
    }

    /// Decodes standard base64 or base64url, padded or not; nil for malformed text.
    static func decodeBase64(_ text: some StringProtocol) -> [UInt8]? {
        var bare = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
            .replacingOccurrences(of: "=", with: "")
        let padding = (4 - bare.utf8.count % 4) % 4
        guard padding < 3 else { return nil }
        bare += String(repeating: "=", count: padding)
        let input = Array(bare.utf8)
        var bytes = [UInt8](repeating: 0, count: input.count / 4 * 3)
        let length = EVP_DecodeBlock(&bytes, input, Int32(input.count))
        guard length >= padding else { return nil }
        return Array(bytes[0..<(Int(length) - padding)])
    }
}
