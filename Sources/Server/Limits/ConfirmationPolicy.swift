/// What a provisional account may do until its address is confirmed (T-1).
public enum ConfirmationPolicy: String, Sendable, Codable, CaseIterable {
    /// Everything but what is for the campus.
    case optional
    /// Nothing but confirming the address, signing out, and deleting the account.
    case required
}
