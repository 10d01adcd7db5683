/// Who may call a method at all. What depends on the thing that is named (its owner, who it is shared with) is decided by the service
/// behind it; this is decided before anything of the request but its name is read.
public enum MethodAccess: Sendable, Hashable, CustomStringConvertible {
    /// Guests too.
    case everybody
    /// Whoever is signed in.
    case accounts
    /// Whoever is signed in with one of these roles.
    case roles([Role])

    /// Whether an account of this role may; nil is a guest.
    public func admits(_ role: Role?) -> Bool {
        switch self {
        case .everybody: true
        case .accounts: role != nil
        case .roles(let roles): role.map(roles.contains) ?? false
        }
    }

    /// Why an account of this role may not, and what to do; nil when it may.
    /// - Parameters:
    ///   - role: Nil is a guest.
    ///   - what: What it may not: a method's name, or a topic.
    public func refusal(of role: Role?, to what: String) -> RPCError? {
        guard !admits(role) else { return nil }
        guard role != nil else { return Self.needsAccount }
        return RPCError(.forbidden, "\(what) is for \(self): ask one of them, or sign in as one")
    }

    /// What a guest is told.
    public static let needsAccount = RPCError(
        .unauthenticated, "this needs an account: sign in with account.login or register first")

    /// For people: `everybody`, `accounts`, `admins and lecturers`.
    public var description: String {
        switch self {
        case .everybody: "everybody"
        case .accounts: "accounts"
        case .roles(let roles): roles.map(\.plural).joined(separator: " and ")
        }
    }
}

extension Role {
    /// Several of them, for people.
    public var plural: String {
        switch self {
        case .student: "students"
        case .lecturer: "lecturers"
        case .admin: "admins"
        case .rewards: "rewards managers"
        }
    }
}
