import Postgres

/// Removal of expired tokens, links and known devices, and of old mails.
extension Accounts {
    /// Days that a token or link is kept after it was revoked or expired: the export of personal data lists former devices.
    static let expiredKeptDays = 30
    /// Largest number of rows that one statement removes.
    static let prunedPerStepMax = 1_000
    /// Largest number of statements of one kind in one call.
    static let pruneStepsMax = 100

    /// Removes tokens, links and known devices that expired more than ``expiredKeptDays`` ago, expired links that reset a password,
    /// sign-ins that waited for a second factor, used challenges of passkeys, mails older than ``AccountMailOutbox/keptDays``, former
    /// usernames that are free again, and changes that no limit counts any more. Welcome links stay, because their row marks an account
    /// without a password. Call it periodically.
    /// - Throws: ``Postgres/PostgresError``.
    public func prune() async throws {
        let before = "now() - interval '\(Self.expiredKeptDays) days'"
        for (table, condition) in [
            ("tokens", "revoked_at < \(before)"),
            ("tokens", "last_used_at < \(before) - interval '\(Self.tokenIdleDays) days'"),
            ("tokens", "created_at < \(before) - interval '\(Self.tokenDaysMax) days'"),
            ("links", "revoked_at < \(before)"), ("links", "expires_at < \(before)"),
            ("known_devices", "last_used_at < now() - interval '\(Self.knownDeviceDays) days'"),
            ("password_resets", "expires_at < now()"),
            ("pending_sign_ins", "expires_at < now()"),
            // Servers whose clocks differ may still accept one.
            ("used_challenges", "expires_at < now() - interval '1 hour'"),
            ("account_mails", "created_at < now() - interval '\(AccountMailOutbox.keptDays) days'"),
            ("username_changes", "changed_at < now() - interval '\(Self.usernameHeldDays) days'"),
            ("account_changes", "changed_at < now() - interval '1 day'"),
            ("address_mails", "requested_at < now() - interval '\(AccountMailOutbox.keptDays) days'"),
        ] {
            for _ in 0..<Self.pruneStepsMax {
                let gone = try await database.query(
                    """
                    DELETE FROM \(table) WHERE ctid = ANY (ARRAY(
                        SELECT ctid FROM \(table) WHERE \(condition) LIMIT \(Self.prunedPerStepMax) FOR UPDATE SKIP LOCKED))
                    """)
                guard gone.affected == Self.prunedPerStepMax else { break }
            }
        }
    }
}
