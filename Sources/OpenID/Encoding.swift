import COpenSSL

/// Texts of the protocol: base64url (RFC 7515 §2), digests, and forms (RFC 6749 appendix B).
enum Encoding {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// base64url without padding.
    static func base64URL(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var (bits, count) = (UInt32(0), 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(alphabet[Int(bits >> UInt32(count) & 63)])
            }
        }
        if count > 0 { text.append(alphabet[Int(bits << UInt32(6 - count) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether text is base64url without padding and may be given to libcjose, which ends the process on text of an impossible length.
    static func isBase64URL(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.count % 4 != 1
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
                default: false
                }
            }
    }

    /// Standard base64 with padding, for HTTP's basic authentication (RFC 7617).
    static func base64(_ bytes: [UInt8]) -> String {
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let length = EVP_EncodeBlock(&text, bytes, Int32(clamping: bytes.count))
        return String(decoding: text.prefix(Int(length)), as: UTF8.self)
    }

    /// Digest of the hash function that belongs to an algorithm.
    static func digest(_ bytes: [UInt8], bits: Int = 256) -> [UInt8] {
        let function =
            switch bits {
            case 384: EVP_sha384()
            case 512: EVP_sha512()
            default: EVP_sha256()
            }
        var digest = [UInt8](repeating: 0, count: bits / 8)
        var length: UInt32 = 0
        EVP_Digest(bytes, bytes.count, &digest, &length, function, nil)
        return digest
    }

    /// HMAC-SHA-256 (RFC 2104).
    static func mac(_ text: String, key: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        let bytes = Array(text.utf8)
        HMAC(EVP_sha256(), key, Int32(clamping: key.count), bytes, bytes.count, &digest, &length)
        return digest
    }

    /// Whether two texts are equal, compared in constant time.
    static func areEqual(_ a: String, _ b: String) -> Bool {
        let (a, b) = (Array(a.utf8), Array(b.utf8))
        return a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
    }

    /// Encodes fields as `application/x-www-form-urlencoded`.
    static func form(_ fields: [(String, String)]) -> String {
        fields.map { "\(escaped($0.0))=\(escaped($0.1))" }.joined(separator: "&")
    }

    /// Percent-encodes everything but the unreserved characters of RFC 3986 §2.3.
    static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: escaped.append(byte)
            default: escaped += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// Decodes a form; nil for malformed percent-encoding or text that is not UTF-8.
    static func fields(_ form: some Collection<UInt8>) -> [(String, String)]? {
        var fields: [(String, String)] = []
        for pair in form.split(separator: UInt8(ascii: "&")) {
            let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = unescaped(sides[0]), let value = sides.count > 1 ? unescaped(sides[1]) : "" else {
                return nil
            }
            fields.append((name, value))
        }
        return fields
    }

    private static func unescaped(_ text: some Collection<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(0x20)
            case UInt8(ascii: "%"):
                guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
                else {
                    return nil
                }
                bytes.append(value)
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
