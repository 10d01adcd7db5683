import Wire

/// What a mail's link to stop such mails holds: which address and which kind, signed. It names nobody, and can do nothing else.
struct UnsubscribeTokens: Sendable {
    static let signatureBytes = 16

    private let key: [UInt8]

    init(key: [UInt8]) { self.key = key }

    func make(address: Int64, kind: ReminderKind) -> String {
        let index = UInt8(ReminderKind.allCases.firstIndex(of: kind) ?? 0)
        let content = withUnsafeBytes(of: address.bigEndian) { Array($0) } + [index]
        return Secrets.base64URL(content + signature(of: content))
    }

    /// Nil for what was not made here.
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

/// Stopping mails without signing in.
extension Reminders {
    /// What the link in a mail is about; nil for one that is none of ours.
    public nonisolated func unsubscribing(_ token: some StringProtocol) -> ReminderKind? {
        unsubscribing.read(token)?.kind
    }

    /// Stops mails of a link's kind, or all of them. Harmless when repeated, and for an address that is gone.
    /// - Returns: What it was about; nil for a link that is none of ours.
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
