import Wire

/// Who may register.
public enum RegistrationPolicy: String, Sendable, Codable, CaseIterable {
    /// Everybody.
    case open
    /// Nobody: admins add people, who get a welcome link.
    case closed

    static let refusal = RPCError(
        .forbidden, "registration is closed on this server: ask an admin of the campus to add you")
}
