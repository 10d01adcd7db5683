/// A change of the passkeys or the second factors of an account, or an attack on them, of which its owner gets a mail. The raw value is
/// the kind of the mail.
enum FactorChange: String, Sendable, CaseIterable {
    case passkeyAdded = "passkey_added"
    case passkeyRemoved = "passkey_removed"
    /// Its counter went back: somebody may have a copy.
    case passkeyStopped = "passkey_stopped"
    case totpAdded = "totp_added"
    case totpRemoved = "totp_removed"
    case recoveryCodesMade = "recovery_codes_made"
    /// A sign-in now takes a second factor, and the account has no recovery codes.
    case recoveryCodesMissing = "recovery_codes_missing"
    case recoveryCodeUsed = "recovery_code_used"
    /// Many wrong codes were entered after the right password.
    case codesGuessed = "second_factor_guessed"
    /// An admin or the operator removed all.
    case factorsReset = "second_factors_reset"
}
