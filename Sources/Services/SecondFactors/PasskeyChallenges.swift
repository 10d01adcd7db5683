import Wire

/// Makes and checks challenges for passkeys. A challenge is authenticated by a key that all servers share, so none is stored until it is
/// used: however many a guest asks for, the database does not grow.
struct PasskeyChallenges: Sendable {
    /// Purpose of a challenge. It is valid for nothing else.
    enum Purpose: UInt8, Sendable {
        /// A new passkey, of this account on this device.
        case registration = 1
        /// A sign-in.
        case signIn = 2
        /// A proof that a signed-in caller owns the account, on this device.
        case proof = 3
    }

    /// A challenge that is valid, and is used by storing its digest.
    struct Checked: Sendable, Equatable {
        let digest: [UInt8]
        let expiresAt: Timestamp
    }

    /// Seconds for which a challenge is valid.
    static let validSeconds = 300.0
    private static let randomBytes = 16
    private static let bytes = 1 + 8 + randomBytes + 32

    let key: [UInt8]
    let now: @Sendable () -> Timestamp

    /// A new challenge, in base64url.
    /// - Parameter identity: The caller; nil for a sign-in.
    func make(_ purpose: Purpose, for identity: Identity? = nil) -> String {
        let until = now().advanced(bySeconds: Self.validSeconds)
        let head = [purpose.rawValue] + Self.bytes(until.milliseconds) + Secrets.randomBytes(Self.randomBytes)
        return Secrets.base64URL(head + mac(head, identity))
    }

    /// - Throws: ``Wire/RPCError`` `rejected` for a challenge that is not this server's, for something or somebody else, or too old.
    func check(_ challenge: String, _ purpose: Purpose, for identity: Identity? = nil) throws -> Checked {
        guard challenge.utf8.count <= 2 * Self.bytes, let bytes = Secrets.decodeBase64(challenge),
            bytes.count == Self.bytes, bytes[0] == purpose.rawValue
        else { throw Passkeys.lateAnswer }
        let head = Array(bytes.prefix(1 + 8 + Self.randomBytes))
        guard Secrets.areEqual(Array(bytes.dropFirst(head.count)), mac(head, identity)) else {
            throw Passkeys.lateAnswer
        }
        // Authenticated, thus in range.
        let until = Timestamp(milliseconds: head[1..<9].reduce(0) { $0 << 8 | Int64($1) })
        guard until > now() else { throw Passkeys.lateAnswer }
        // Of the bytes: several texts decode to the same ones.
        return Checked(digest: Secrets.hash(bytes), expiresAt: until)
    }

    /// Handle of an account in its passkeys: it names the account to this server alone (WebAuthn §14.6.1).
    func handle(of account: Int64) -> [UInt8] { Secrets.mac([0] + Self.bytes(account), key: key) }

    private func mac(_ head: [UInt8], _ identity: Identity?) -> [UInt8] {
        Secrets.mac(
            head + Self.bytes(identity?.account.id ?? 0) + Self.bytes(identity?.tokenID ?? 0), key: key)
    }

    private static func bytes(_ number: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
}
