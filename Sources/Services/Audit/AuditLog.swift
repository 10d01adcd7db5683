import Postgres
import Wire

/// Record of administrative actions (N-7, W-7), written in the transaction of each action, so that the log and the actions always agree.
/// PostgreSQL permits the server's role to insert and read rows, but not to change or delete them.
public enum AuditLog {
    /// Largest length of one detail; longer values are truncated.
    static let detailCharactersMax = 500
    /// Largest number of old rows that one call of `audit_prune` removes.
    static let prunedMax: Int64 = 10_000

    /// An administrative action.
    public struct Entry: Sendable {
        /// Kind of object and verb, such as `user.disable`.
        public var action: String
        /// Object of the action, with its current name.
        public var subject: AuditEntry.Subject?
        /// Changed values; never a password, a token or a complete email address.
        public var details: [(name: String, value: String)]

        public init(
            _ action: String, subject: AuditEntry.Subject? = nil, details: [(name: String, value: String)] = []
        ) {
            self.action = action
            self.subject = subject
            self.details = details
        }
    }

    /// Records an action within its transaction.
    /// - Parameter identity: The admin; nil for the operator.
    public static func record(
        _ entry: Entry, by identity: Identity?, in transaction: PostgresTransaction
    ) async throws {
        _ = try await transaction.query(sql, parameters(entry, identity))
    }

    /// Records an action outside a transaction.
    static func record(_ entry: Entry, by identity: Identity?, in database: PostgresPool) async throws {
        _ = try await database.query(sql, parameters(entry, identity))
    }

    private static let sql = """
        INSERT INTO audit_log (actor_id, actor_name, action, subject_kind, subject_id, subject_name, details, address)
        VALUES ($1, $2, $3, $4, $5, $6, coalesce(
            (SELECT jsonb_object_agg(d.name, d.value) FROM unnest($7::text[], $8::text[]) AS d (name, value)), '{}'), $9)
        """

    private static func parameters(_ entry: Entry, _ identity: Identity?) -> [PostgresValue] {
        [
            .optional(identity?.account.id), .text(identity?.account.username ?? operatorName), .text(entry.action),
            .optional(entry.subject?.kind), .optional(entry.subject?.id), .optional(entry.subject?.name),
            .textArray(entry.details.map(\.name)),
            .textArray(entry.details.map { String($0.value.prefix(detailCharactersMax)) }),
            .optional(identity?.address),
        ]
    }

    /// Actor name of command-line actions.
    static let operatorName = "operator"
}
