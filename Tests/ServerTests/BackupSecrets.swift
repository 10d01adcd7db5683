extension BackupTests {
    /// Columns with hashes of secrets, and the number of those that are in use.
    static let liveSecrets = [
        "tokens.hash": "SELECT count(*) FROM tokens WHERE revoked_at IS NULL",
        "tokens.next_hash": "SELECT count(next_hash) FROM tokens WHERE revoked_at IS NULL",
        "tokens.previous_hash": "SELECT count(previous_hash) FROM tokens WHERE revoked_at IS NULL",
        "links.hash": "SELECT count(*) FROM links WHERE revoked_at IS NULL",
        "shares.token_hash": "SELECT count(*) FROM shares WHERE ended_at IS NULL",
        "calendar_feeds.hash": "SELECT count(*) FROM calendar_feeds",
        // An expired one says that nobody has set a password yet.
        "welcomes.hash": "SELECT count(*) FROM welcomes WHERE expires_at > now()",
        "password_resets.hash": "SELECT count(*) FROM password_resets",
        "address_confirmations.link_hash": "SELECT count(link_hash) FROM address_confirmations",
        "address_confirmations.code_hash": "SELECT count(code_hash) FROM address_confirmations",
        "openid_attempts.state_hash": "SELECT count(*) FROM openid_attempts",
        "openid_attempts.secret_hash": "SELECT count(*) FROM openid_attempts",
        "openid_tickets.hash": "SELECT count(*) FROM openid_tickets",
        "openid_tickets.secret_hash": "SELECT count(*) FROM openid_tickets",
        "pending_sign_ins.hash": "SELECT count(*) FROM pending_sign_ins",
        "recovery_codes.hash": "SELECT count(*) FROM recovery_codes",
        "known_devices.hash": "SELECT count(*) FROM known_devices",
        "reminder_addresses.code_hash": "SELECT count(*) FROM reminder_addresses WHERE code_hash IS NOT NULL",
    ]
}
