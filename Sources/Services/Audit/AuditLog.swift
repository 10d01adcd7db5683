import Postgres
import Wire

/// What admins did (N-7, W-7), in the transaction that does it: nothing is done that is not written down, and nothing is written down
/// that was not done. The server's role can add rows and read them; PostgreSQL lets it change or remove none.
public enum AuditLog {
    /// Characters of one detail; more is cut.
    static let detailCharactersMax = 500
    /// Old rows that one look removes; see `audit_prune`, which says what is old.
    static let prunedMax: Int64 = 10_000

    /// Something that was done.
    public struct Entry: Sendable {
        /// Such as `user.disable`: the kind of thing, and a verb.
        public var action: String
        /// What it was done to, as it is called now.
        public var subject: AuditEntry.Subject?
        /// What changed. Never a password, a token or a whole email address.
        public var details: [(name: String, value: String)]

        /// Memberwise.
        public init(
            _ action: String, subject: AuditEntry.Subject? = nil, details: [(name: String, value: String)] = []
        ) {
            self.action = action
            self.subject = subject
            self.details = details
        }
    }

    /// Writes down what is done, within the transaction that does it.
    /// - Parameter identity: Who does it; nil is the operator.
    public static func record(
        _ entry: Entry, by identity: Identity?, in transaction: PostgresTransaction
    ) async throws {
        _ = try await transaction.query(sql, parameters(entry, identity))
    }

    /// The same for what is not in a transaction.
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

    /// Who works at the command line.
    static let operatorName = "operator"
}
