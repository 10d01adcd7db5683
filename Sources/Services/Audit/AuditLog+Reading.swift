import Foundation
import Postgres
import Wire

/// Reads the audit log for admins.
public struct AuditReader: Sendable {
    /// Largest number of entries in a page.
    static let listedMax = 100
    static let listedDefault = 50
    static let actionCharactersMax = 60

    private let database: PostgresPool

    /// - Parameter database: Pool with the server's role.
    public init(database: PostgresPool) { self.database = database }

    private static let sql = """
        SELECT id, at, actor_id, actor_name, action, subject_kind, subject_id, subject_name, details::text AS details, address
        FROM audit_log
        WHERE ($1::bigint IS NULL OR id < $1)
            AND ($2::bigint IS NULL OR actor_id = $2 OR (subject_kind = 'user' AND subject_id = $2))
            AND ($3::text IS NULL OR action = $3 OR (right($3, 1) = '.' AND starts_with(action, $3)))
            AND NOT (subject_kind = 'report' AND EXISTS (SELECT FROM reports r WHERE r.id = subject_id AND r.reported_id = $5))
        ORDER BY id DESC LIMIT $4
        """

    /// Returns a page, newest first. It omits entries about reports against the reader.
    /// - Throws: ``Wire/RPCError`` `invalidParams`, ``Postgres/PostgresError``.
    public func list(_ params: AdminAudit.Params, for reader: Identity) async throws -> AdminAudit.Result {
        let limit = try Inputs.limit(params.limit, max: Self.listedMax, default: Self.listedDefault)
        let action = try Inputs.text(params.action, "action", charactersMax: Self.actionCharactersMax)
        let rows = try await database.query(
            Self.sql,
            [
                .optional(params.before), .optional(params.account), .optional(action.isEmpty ? nil : action),
                .int(Int64(limit) + 1), .int(reader.account.id),
            ])
        let entries = try rows.prefix(limit).map(Self.entry)
        return AdminAudit.Result(entries: entries, next: rows.count > limit ? entries.last?.id : nil)
    }

    private static func entry(_ row: PostgresRow) throws -> AuditEntry {
        let facts = try JSONDecoder().decode([String: String].self, from: Data(try row.text("details").utf8))
        let subject = try row.optionalText("subject_kind").map { kind in
            AuditEntry.Subject(
                kind: kind, id: try row.optionalInt("subject_id"), name: try row.optionalText("subject_name") ?? "")
        }
        return AuditEntry(
            id: try row.int("id"), at: Timestamp(milliseconds: try row.timestamp("at")),
            actor: try row.optionalInt("actor_id"), actorName: try row.text("actor_name"),
            action: try row.text("action"), subject: subject,
            details: facts.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: $0.value) },
            address: try row.optionalText("address"))
    }

    /// Removes entries older than two years; the SQL function `audit_prune` defines the limit.
    public func prune() async throws {
        _ = try await database.query("SELECT audit_prune($1::integer)", [.int(AuditLog.prunedMax)])
    }
}
