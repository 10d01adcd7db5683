import Foundation
import Hub
import Postgres
import Wire

/// Reads live groups from PostgreSQL, for the hub and the service.
public struct LiveGroupTable: LiveGroupStore {
    let database: PostgresPool

    /// - Parameter database: Pool that holds the `live_groups` table.
    public init(database: PostgresPool) { self.database = database }

    static let columns = """
        g.id, g.version, g.plan ->> 'title' AS title, g.host_id, h.username AS host_name, g.event_id, g.conversation_id, g.created_at,
            g.ended_at, g.exercises, live_group_json(g.id)::text AS members
        """
    static let tables = "live_groups g JOIN accounts h ON h.id = g.host_id"

    /// - Throws: `PostgresError`.
    public func groups(_ ids: [UUID]) async throws -> [StoredLiveGroup] {
        try await database.query(
            "SELECT \(Self.columns) FROM \(Self.tables) WHERE g.id = ANY ($1::text[]::uuid[])",
            [.textArray(ids.map(\.uuidString))]
        ).map(StoredLiveGroup.init)
    }

    /// - Throws: `PostgresError`.
    public func changed(_ versions: [UUID: Int64]) async throws -> (changed: [StoredLiveGroup], gone: [UUID]) {
        let rows = try await database.query(
            """
            SELECT k.id FROM unnest($1::text[]::uuid[], $2::bigint[]) k (id, version)
            WHERE NOT EXISTS (SELECT FROM live_groups g WHERE g.id = k.id AND g.version = k.version)
            """, [.textArray(versions.keys.map(\.uuidString)), .intArray(Array(versions.values))])
        let ids = try rows.compactMap { UUID(uuidString: try $0.uuid("id")) }
        guard !ids.isEmpty else { return ([], []) }
        let found = try await groups(ids)
        return (found, Array(Set(ids).subtracting(found.map(\.id))))
    }

    static func group(_ id: UUID, _ transaction: PostgresTransaction) async throws -> StoredLiveGroup? {
        try await transaction.query(
            "SELECT \(columns) FROM \(tables) WHERE g.id = $1", [.uuid(id.uuidString)]
        ).first.map(StoredLiveGroup.init)
    }
}

extension StoredLiveGroup {
    init(_ row: PostgresRow) throws {
        func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }
        guard let id = UUID(uuidString: try row.uuid("id")) else { throw RPCError(.internalError, "an id is no UUID") }
        self.init(
            id: id, version: try row.int("version"), title: try row.text("title"), host: try row.int("host_id"),
            hostName: try row.text("host_name"), event: try row.optionalInt("event_id"),
            conversation: try row.optionalInt("conversation_id"), createdAt: time(try row.timestamp("created_at")),
            endedAt: try row.optionalTimestamp("ended_at").map(time), exercises: Set(try row.textArray("exercises")),
            members: try WireJSON.decode([StoredLiveMember].self, from: Array(try row.text("members").utf8)))
    }
}
