import COpenSSL

/// SHA-256 (FIPS 180-4) by OpenSSL.
enum SHA256 {
    /// The digest, 32 bytes.
    static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        let isDone = EVP_Digest(bytes, bytes.count, &digest, &length, EVP_sha256(), nil)
        precondition(isDone == 1, "OpenSSL has no SHA-256")
        return Array(digest.prefix(Int(length)))
    }

    /// The digest in lower-case hexadecimal, 64 characters.
    static func hexDigest(_ bytes: [UInt8]) -> String {
        digest(bytes).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
