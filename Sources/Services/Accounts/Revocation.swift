import Postgres
import Wire

/// A token that is no longer valid, with the cause.
public struct Revocation: Sendable, Equatable {
    /// The token's id.
    public let token: Int64
    /// Cause, as far as the sender knows it.
    public let cause: SignOutCause
    /// The account's current role if it was looked up; a connection with a different role reports the cause `changed`.
    public let role: Role?

    /// - Parameter role: The account's current role; nil if it was not looked up.
    public init(token: Int64, cause: SignOutCause, role: Role? = nil) {
        (self.token, self.cause, self.role) = (token, cause, role)
    }

    /// Reads `id` and the account's `role` and `is_disabled`, both null for a removed account.
    init(row: PostgresRow) throws {
        role = try row.optionalText("role").flatMap(Role.init)
        token = try row.int("id")
        cause = role == nil ? .removed : try row.bool("is_disabled") ? .disabled : .signedOut
    }

    /// Cause to report to a connection that authenticated with this role.
    public func cause(for role: Role?) -> SignOutCause {
        guard cause == .signedOut, let now = self.role, let role, now != role else { return cause }
        return .changed
    }
}
