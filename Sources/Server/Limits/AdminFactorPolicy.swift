/// Whether admins need a second factor: a passkey or an authenticator app.
public enum AdminFactorPolicy: String, Sendable, Codable, CaseIterable {
    /// Admins without one may do everything.
    case optional
    /// What admins may do is closed to admins without one.
    case required
}
