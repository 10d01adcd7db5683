import COpenSSL

/// Sec-WebSocket-Key and Sec-WebSocket-Accept (RFC 6455 §1.3).
enum HandshakeKey {
    /// RFC 6455 §1.3: the Globally Unique Identifier "in string form".
    private static let guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    static let nonceBytes = 16

    /// base64(SHA-1(key + GUID)) (RFC 6455 §4.2.2). Nil if OpenSSL's configuration forbids SHA-1.
    static func accept(for key: String) -> String? {
        let input = Array((key + guid).utf8)
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard EVP_Digest(input, input.count, &digest, &count, EVP_sha1(), nil) == 1 else { return nil }
        return base64(digest.prefix(Int(count)))
    }

    static func base64(_ bytes: some Collection<UInt8>) -> String {
        let input = Array(bytes)
        // EVP_EncodeBlock writes 4 characters for every 3 bytes or part of them, and a NUL.
        var text = [UInt8](repeating: 0, count: (input.count + 2) / 3 * 4 + 1)
        let count = EVP_EncodeBlock(&text, input, Int32(input.count))
        return String(decoding: text.prefix(Int(count)), as: UTF8.self)
    }

    /// RFC 6455 §4.2.1: "a base64-encoded value that, when decoded, is 16 bytes in length": 22 characters and "==".
    static func isValid(_ key: String) -> Bool {
        let bytes = Array(key.utf8)
        return bytes.count == 24 && bytes[22] == UInt8(ascii: "=") && bytes[23] == UInt8(ascii: "=")
            && bytes.prefix(22).allSatisfy {
                $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/")
            }
    }

    /// RFC 6455 §4.1: "a randomly selected 16-byte value"; from the system's cryptographic source.
    static func randomNonce() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<nonceBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
