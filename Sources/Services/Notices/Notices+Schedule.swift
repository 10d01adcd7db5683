import Hub
import HubCore
import Postgres
import Wire

/// Scheduled publication and removal.
extension Notices {
    /// Largest number of scheduled notices that one statement publishes.
    static let duePerStatementMax: Int64 = 100
    /// Seconds for which an expired notice is kept; a client that was offline for less receives all changes.
    static let keptSeconds = 90.0 * 86_400
    /// Largest number of notices that one statement removes.
    static let prunedPerStatementMax: Int64 = 1_000

    /// Publishes due notices. Each node calls this periodically; every notice is published by one of them.
    /// - Throws: ``Postgres/PostgresError``.
    public func publishDue() async throws {
        while true {
            let rows = try await database.query(
                "SELECT kind, zone FROM notice_publish_due($1, $2::integer)",
                [.timestamp(now().milliseconds), .int(Self.duePerStatementMax)])
            guard !rows.isEmpty else { return }
            var topics: Set<Topic> = []
            for row in rows {
                guard let kind = NoticeAudience.Kind(rawValue: try row.text("kind")) else { continue }
                topics.formUnion(NoticeAudience(kind: kind, zone: try row.optionalInt("zone")).publicTopics)
            }
            await hub.notices.appended(topics: topics)
            guard rows.count == Int(Self.duePerStatementMax) else { return }
        }
    }

    /// Removes notices that expired long ago.
    /// - Throws: ``Postgres/PostgresError``.
    public func prune() async throws {
        let before = now().advanced(bySeconds: -Self.keptSeconds)
        while true {
            let rows = try await database.query(
                "SELECT notice_prune($1, $2::integer) AS count",
                [.timestamp(before.milliseconds), .int(Self.prunedPerStatementMax)])
            guard try rows.first?.int("count") == Self.prunedPerStatementMax else { return }
        }
    }
}
