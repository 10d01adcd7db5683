import CCjose

/// A JSON Web Signature in compact form (RFC 7515 §7.1).
///
/// The library reads the header, and the rules about it use what the library read: two parsers that disagree about a header would let a
/// token choose its algorithm.
struct SignedToken: ~Copyable {
    /// Maximum bytes of a token.
    static let bytesMax = 16_384
    /// Maximum bytes of a key's name.
    static let keyIDBytesMax = 512

    let algorithm: SignatureAlgorithm
    let keyID: String?
    private let token: OpaquePointer

    /// - Throws: ``OpenIDFailure/badAnswer(_:)`` for text that is no token, or one by an algorithm that is not accepted.
    init(_ text: String, accepting algorithms: Set<SignatureAlgorithm>) throws(OpenIDFailure) {
        let bytes = text.utf8.map { CChar(bitPattern: $0) }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard bytes.count <= Self.bytesMax, parts.count == 3, parts.prefix(2).allSatisfy(Encoding.isBase64URL),
            parts[2].isEmpty || Encoding.isBase64URL(parts[2])
        else { throw .badAnswer("the ID token is no signed token") }
        guard !parts[2].isEmpty else { throw .badAnswer("the ID token is not signed") }
        // The library refuses a token without a signature, as it has no algorithm `none`.
        guard let token = cjose_jws_import(bytes, bytes.count, nil) else {
            throw .badAnswer("the ID token is no signed token")
        }
        guard let header = cjose_jws_get_protected(token) else {
            cjose_jws_release(token)
            throw .badAnswer("the ID token has no header")
        }
        let name = cjose_header_get(header, "alg", nil).map { String(cString: $0) }
        guard let algorithm = name.flatMap(SignatureAlgorithm.init), algorithms.contains(algorithm) else {
            cjose_jws_release(token)
            throw .badAnswer("the ID token is not signed by an accepted algorithm")
        }
        // RFC 7515 §4.1.11: extensions that must be understood are not.
        if let critical = cjose_header_get_raw(header, "crit", nil) {
            free(critical)
            cjose_jws_release(token)
            throw .badAnswer("the ID token demands an extension")
        }
        let id = cjose_header_get(header, "kid", nil).map { String(cString: $0) }
        guard id?.utf8.count ?? 0 <= Self.keyIDBytesMax else {
            cjose_jws_release(token)
            throw .badAnswer("the name of the ID token's key is too long")
        }
        self.algorithm = algorithm
        keyID = id
        self.token = token
    }

    deinit { cjose_jws_release(token) }

    /// Verifies the signature.
    /// - Returns: The signed bytes.
    /// - Throws: ``OpenIDFailure/badAnswer(_:)``.
    func payload(signedBy key: PublicKey) throws(OpenIDFailure) -> [UInt8] {
        guard cjose_jws_verify(token, key.key, nil) else { throw .badAnswer("the ID token's signature is wrong") }
        var bytes: UnsafeMutablePointer<UInt8>?
        var count = 0
        // The bytes stay the library's.
        guard cjose_jws_get_plaintext(token, &bytes, &count, nil), let bytes else {
            throw .badAnswer("the ID token is empty")
        }
        return Array(UnsafeBufferPointer(start: bytes, count: count))
    }
}
