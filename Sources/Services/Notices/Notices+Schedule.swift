import Hub
import Postgres
import Wire

/// What the service does by itself.
extension Notices {
    /// Scheduled notices published by one statement.
    static let duePerLookMax: Int64 = 100
    /// How long a notice is kept when it holds no more: who was away for less is told of everything.
    static let keptSeconds = 90.0 * 86_400
    /// Notices removed by one statement.
    static let prunedPerStatementMax: Int64 = 1_000

    /// Publishes what is due. Each node looks again and again, and they share it out.
    /// - Throws: ``Postgres/PostgresError``.
    public func publishDue() async throws {
        while true {
            let rows = try await database.query(
                "SELECT kind, zone FROM notice_publish_due($1, $2::integer)",
                [.timestamp(now().milliseconds), .int(Self.duePerLookMax)])
            guard !rows.isEmpty else { return }
            var topics: Set<Topic> = []
            for row in rows {
                guard let kind = NoticeAudience.Kind(rawValue: try row.text("kind")) else { continue }
                topics.formUnion(NoticeAudience(kind: kind, zone: try row.optionalInt("zone")).publicTopics)
            }
            await hub.noticesGrew(topics: topics)
            guard rows.count == Int(Self.duePerLookMax) else { return }
        }
    }

    /// Removes what has not held for long.
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
