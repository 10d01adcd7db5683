import Postgres
import Wire

/// A token that is worth nothing any more, and why.
public struct Revocation: Sendable, Equatable {
    /// The token's number.
    public let token: Int64
    /// Why, as far as the one who says it knows.
    public let cause: SignOutCause
    /// The account's role now, where it was looked up: a connection that came with another hears that the account was changed.
    public let role: Role?

    /// - Parameters:
    ///   - token: Its number.
    ///   - cause: Why.
    ///   - role: The account's role now; nil when it was not looked up.
    public init(token: Int64, cause: SignOutCause, role: Role? = nil) {
        (self.token, self.cause, self.role) = (token, cause, role)
    }

    /// From `id`, and the account's `role` and `is_disabled`: both null when the account is gone.
    init(row: PostgresRow) throws {
        role = try row.optionalText("role").flatMap(Role.init)
        token = try row.int("id")
        cause = role == nil ? .removed : try row.bool("is_disabled") ? .disabled : .signedOut
    }

    /// What a connection is told that came with this role.
    public func cause(for role: Role?) -> SignOutCause {
        guard cause == .signedOut, let now = self.role, let role, now != role else { return cause }
        return .changed
    }
}
