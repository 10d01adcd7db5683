import COpenSSL

/// The beginning of what an authenticator says (WebAuthn §6.1): the hash of the site's domain, the flags, and the counter.
struct AuthenticatorData {
    /// Largest length that is accepted: a passkey with an RSA key and the longest id has 2 kB.
    static let bytesMax = 4_096
    private static let headerBytes = 37
    /// The AAGUID.
    private static let modelBytes = 16

    let bytes: [UInt8]
    /// Whether the passkey may be in several devices.
    var isBackupEligible: Bool { flags & 0x08 != 0 }
    /// Whether the passkey is in several devices, or in a backup.
    var isBackedUp: Bool { flags & 0x10 != 0 }
    /// Number of signatures; 0 from an authenticator that does not count.
    let counter: UInt32
    private let flags: UInt8

    /// - Throws: ``PasskeyFault``: `malformed`, `otherSite`, `notPresent`, `notVerified`, `wrongBackupState`.
    init(_ bytes: [UInt8], at site: RelyingParty) throws {
        guard bytes.count >= Self.headerBytes, bytes.count <= Self.bytesMax else { throw PasskeyFault.malformed }
        self.bytes = bytes
        flags = bytes[32]
        counter = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        guard Array(bytes[0..<32]) == Self.sha256(Array(site.id.utf8)) else { throw PasskeyFault.otherSite }
        guard flags & 0x01 != 0 else { throw PasskeyFault.notPresent }
        guard flags & 0x04 != 0 else { throw PasskeyFault.notVerified }
        guard isBackupEligible || !isBackedUp else { throw PasskeyFault.wrongBackupState }
        guard BoundedCBOR.fits(bytes.dropFirst(try Self.cborOffset(bytes))) else { throw PasskeyFault.malformed }
    }

    /// Where CBOR begins: behind the header, or behind the id of a new passkey.
    private static func cborOffset(_ bytes: [UInt8]) throws -> Int {
        guard bytes[32] & 0x40 != 0 else { return headerBytes }
        let idStart = headerBytes + modelBytes + 2
        guard bytes.count >= idStart else { throw PasskeyFault.malformed }
        let offset = idStart + Int(bytes[idStart - 2]) << 8 + Int(bytes[idStart - 1])
        guard offset <= bytes.count else { throw PasskeyFault.malformed }
        return offset
    }

    private static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        EVP_Digest(bytes, bytes.count, &digest, &length, EVP_sha256(), nil)
        return digest
    }
}
