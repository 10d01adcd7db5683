import Wire

/// Rule for registration.
public enum RegistrationPolicy: String, Sendable, Codable, CaseIterable {
    /// Everybody can register.
    case open
    /// Registration is closed. Admins create accounts, and people get a welcome link.
    case closed

    static let refusal = RPCError(
        .forbidden, "registration is closed on this server: ask an admin of the campus to add you")
}
