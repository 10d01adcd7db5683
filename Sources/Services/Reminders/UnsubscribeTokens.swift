import Wire

/// Signed tokens of the links that stop mails. A token contains an address id and a kind; it identifies no person and permits nothing
/// else.
struct UnsubscribeTokens: Sendable {
    static let signatureBytes = 16

    private let key: [UInt8]

    init(key: [UInt8]) { self.key = key }

    func make(address: Int64, kind: ReminderKind) -> String {
        let index = UInt8(ReminderKind.allCases.firstIndex(of: kind) ?? 0)
        let content = withUnsafeBytes(of: address.bigEndian) { Array($0) } + [index]
        return Secrets.base64URL(content + signature(of: content))
    }

    /// Contents of a token; nil for an invalid token.
    func read(_ token: some StringProtocol) -> (address: Int64, kind: ReminderKind)? {
        guard token.utf8.count <= 64, let bytes = Secrets.decodeBase64(token), bytes.count == 9 + Self.signatureBytes,
            Secrets.areEqual(Array(bytes[9...]), signature(of: Array(bytes[..<9])))
        else { return nil }
        let kinds = ReminderKind.allCases
        guard kinds.indices.contains(Int(bytes[8])) else { return nil }
        return (bytes[..<8].reduce(0) { $0 << 8 | Int64($1) }, kinds[Int(bytes[8])])
    }

    private func signature(of content: [UInt8]) -> [UInt8] {
        Array(Secrets.mac(Array("unsubscribe\0".utf8) + content, key: key)[..<Self.signatureBytes])
    }
}

/// Unsubscribing from mails without signing in.
extension Reminders {
    /// Kind of reminder that a token stops; nil for an invalid token.
    public nonisolated func unsubscribing(_ token: some StringProtocol) -> ReminderKind? {
        unsubscribing.read(token)?.kind
    }

    /// Stops mails of a token's kind, or of all kinds. Idempotent, and harmless for a removed address.
    /// - Returns: The token's kind; nil for an invalid token.
    /// - Throws: ``Postgres/PostgresError``.
    @discardableResult
    public func unsubscribe(_ token: some StringProtocol & Sendable, all: Bool) async throws -> ReminderKind? {
        guard let (address, kind) = unsubscribing.read(token) else { return nil }
        let gone = (all ? ReminderKind.allCases : [kind]).map { "\($0.rawValue)/email" }
        _ = try await database.query(
            """
            INSERT INTO reminder_settings AS s (account_id, choices, leads, unread_minutes, hides_text)
            SELECT a.account_id, ARRAY(SELECT c FROM unnest(reminder_choices_default()) c WHERE c <> ALL ($2::text[])),
                reminder_leads_default(), $3, false
            FROM reminder_addresses a WHERE a.id = $1 AND a.channel = 'email'
            ON CONFLICT (account_id) DO UPDATE
                SET choices = ARRAY(SELECT c FROM unnest(s.choices) c WHERE c <> ALL ($2::text[]))
            """, [.int(address), .textArray(gone), .int(Int64(Self.unreadMinutesDefault))])
        return kind
    }
}
