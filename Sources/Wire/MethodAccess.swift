/// The callers that may use a method at all. The server checks this rule before it decodes the method's parameters. Rules that depend on
/// the object of a request, such as its owner or its shares, are checked by the service of the method.
public enum MethodAccess: Sendable, Hashable, CustomStringConvertible {
    /// Everybody including guests.
    case everybody
    /// Signed-in accounts.
    case accounts
    /// Signed-in accounts that are not provisional: ``Account/confirmBy`` is nil.
    case confirmed
    /// Signed-in accounts with one of these roles.
    case roles([Role])

    /// Whether an account of this role has access, apart from the confirmation of its address; nil stands for a guest.
    public func admits(_ role: Role?) -> Bool {
        switch self {
        case .everybody: true
        case .accounts, .confirmed: role != nil
        case .roles(let roles): role.map(roles.contains) ?? false
        }
    }

    /// Returns the error for an account of this role, or nil if it has access.
    /// - Parameters:
    ///   - role: Nil for a guest.
    ///   - what: Subject of the error: the name of a method or a topic.
    public func refusal(of role: Role?, to what: String) -> RPCError? {
        guard !admits(role) else { return nil }
        guard role != nil else { return Self.needsAccount }
        return RPCError(.forbidden, "\(what) is for \(self): ask one of them, or sign in as one")
    }

    /// Returns the error for an account, or nil if it has access.
    /// - Parameters:
    ///   - account: Nil for a guest.
    ///   - what: Subject of the error: the name of a method or a topic.
    ///   - requiresConfirmation: Whether this is closed to provisional accounts although it is open to accounts.
    public func refusal(of account: Account?, to what: String, requiresConfirmation: Bool) -> RPCError? {
        if let refusal = refusal(of: account?.role, to: what) { return refusal }
        guard account?.confirmBy != nil, self == .confirmed || (requiresConfirmation && self != .everybody) else {
            return nil
        }
        return Self.needsConfirmedAddress
    }

    /// Error for a guest.
    public static let needsAccount = RPCError(
        .unauthenticated, "this needs an account: sign in with account.login or register first")

    /// Error for a provisional account.
    public static let needsConfirmedAddress = RPCError(
        .forbidden, "Confirm your email address first: enter the code that was mailed to you", field: "email")

    /// Error for an admin without the second factor that the server requires.
    public static let needsSecondFactor = RPCError(
        .forbidden, "Admins need two-step log-in: add a passkey or an authenticator app on your account page",
        field: "secondFactor")

    /// Text to display: `everybody`, `accounts`, `admins and lecturers`.
    public var description: String {
        switch self {
        case .everybody: "everybody"
        case .accounts: "accounts"
        case .confirmed: "accounts with a confirmed address"
        case .roles(let roles): roles.map(\.plural).joined(separator: " and ")
        }
    }
}

extension Role {
    /// Plural of the role's name, to display.
    public var plural: String {
        switch self {
        case .student: "students"
        case .lecturer: "lecturers"
        case .admin: "admins"
        case .rewards: "rewards managers"
        }
    }
}
