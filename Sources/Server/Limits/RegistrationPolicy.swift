import Wire

/// What a provisional account may do until its address is confirmed (T-1).
public enum ConfirmationPolicy: String, Sendable, Codable, CaseIterable {
    /// Everything but what is for the campus.
    case optional
    /// Nothing but confirming the address, signing out, and deleting the account.
    case required
}

/// Rule for registration.
public enum RegistrationPolicy: String, Sendable, Codable, CaseIterable {
    /// Everybody can register.
    case open
    /// Registration is closed. Admins create accounts, and people get a welcome link.
    case closed

    static let refusal = RPCError(
        .forbidden, "registration is closed on this server: ask an admin of the campus to add you")
}
