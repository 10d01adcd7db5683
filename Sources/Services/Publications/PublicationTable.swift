import Hub
import HubCore
import Postgres
import Wire

/// Reads reliable topics from PostgreSQL. Rows of `topics` are never deleted; publications are deleted only from a topic's beginning.
public struct PublicationTable: PublicationStore {
    /// Largest number of publications that one statement removes.
    static let prunedPerStatementMax: Int64 = 5_000

    private let database: PostgresPool

    /// - Parameter database: Pool with the server's role.
    public init(database: PostgresPool) { self.database = database }

    /// See ``Hub/PublicationStore``. Another server may create the same topic concurrently.
    public func open(_ topic: Topic) async throws -> TopicPosition {
        if let position = try await positions(of: [topic])[topic] { return position }
        _ = try await database.query(
            "INSERT INTO topics (name) VALUES ($1) ON CONFLICT (name) DO NOTHING", [.text(topic.description)])
        guard let position = try await positions(of: [topic])[topic] else {
            throw RPCError(.internalError, "the topic was not stored")
        }
        return position
    }

    /// See ``Hub/PublicationStore``.
    public func positions(of topics: [Topic]) async throws -> [Topic: TopicPosition] {
        let rows = try await database.query(
            "SELECT name, epoch, head_offset FROM topics WHERE name = ANY($1::text[])",
            [.textArray(topics.map(\.description))])
        var positions: [Topic: TopicPosition] = [:]
        for row in rows {
            guard let topic = Topic(try row.text("name")) else { continue }
            positions[topic] = try Self.head(row)
        }
        return positions
    }

    /// See ``Hub/PublicationStore``.
    public func read(
        _ topic: Topic, after offset: Int64, countMax: Int, bytesMax: Int
    ) async throws -> PublicationPage {
        try await page(of: topic, sql: Self.forwards, offset, countMax: countMax, bytesMax: bytesMax)
    }

    /// Reads the publications before an offset, newest first.
    func readBackwards(
        _ topic: Topic, before offset: Int64, countMax: Int, bytesMax: Int
    ) async throws -> PublicationPage {
        try await page(of: topic, sql: Self.backwards, offset, countMax: countMax, bytesMax: bytesMax)
    }

    private static let forwards = sql(where: "p.at_offset > $2", order: "")
    private static let backwards = sql(where: "p.at_offset < $2", order: "DESC")

    /// Builds one statement, so that head and publications come from one snapshot.
    private static func sql(where condition: StaticString, order: StaticString) -> String {
        """
        SELECT t.epoch, t.head_offset, q.at_offset, q.data
        FROM topics t LEFT JOIN LATERAL (
            SELECT r.at_offset, r.data FROM (
                SELECT p.at_offset, p.data,
                    sum(octet_length(p.data)) OVER (ORDER BY p.at_offset \(order)) - octet_length(p.data) AS before
                FROM (SELECT p.at_offset, p.data::text AS data FROM publications p
                    WHERE p.topic_id = t.id AND \(condition) ORDER BY p.at_offset \(order) LIMIT $3) p) r
            WHERE r.before < $4) q ON true
        WHERE t.name = $1
        ORDER BY q.at_offset \(order)
        """
    }

    private func page(
        of topic: Topic, sql: String, _ offset: Int64, countMax: Int, bytesMax: Int
    ) async throws -> PublicationPage {
        let rows = try await database.query(
            sql, [.text(topic.description), .int(offset), .int(Int64(countMax)), .int(Int64(bytesMax))])
        guard let first = rows.first else { throw RPCError(.notFound, "there is no such topic", field: "topic") }
        // Without matching publications the join returns one row with nulls after the head.
        guard try !first.isNull("at_offset") else {
            return PublicationPage(head: try Self.head(first), publications: [])
        }
        return PublicationPage(
            head: try Self.head(first),
            publications: try rows.map {
                StoredPublication(offset: try $0.int("at_offset"), data: Array(try $0.text("data").utf8))
            })
    }

    private static func head(_ row: PostgresRow) throws -> TopicPosition {
        TopicPosition(epoch: try row.int("epoch"), offset: try row.int("head_offset"))
    }

    /// Removes publications beyond the retention limits from each topic's beginning, so that a topic never has a gap. Concurrent calls by
    /// several servers are harmless.
    /// - Parameters:
    ///   - keptMax: Number of publications kept per topic.
    ///   - time: Publications before it are removed.
    /// - Returns: Number of removed publications.
    func prune(keptMax: Int64, before time: Timestamp) async throws -> Int {
        var removed = 0
        for row in try await database.query("SELECT id FROM topics ORDER BY id") {
            while true {
                let rows = try await database.query(
                    """
                    WITH oldest AS (
                        SELECT p.topic_id, p.at_offset FROM publications p JOIN topics t ON t.id = p.topic_id
                        WHERE p.topic_id = $1 AND p.at_offset <= greatest(t.head_offset - $2,
                            coalesce((SELECT f.at_offset - 1 FROM publications f WHERE f.topic_id = $1 AND f.at >= $3
                                ORDER BY f.at_offset LIMIT 1), t.head_offset))
                        ORDER BY p.at_offset LIMIT $4)
                    DELETE FROM publications p USING oldest o
                    WHERE p.topic_id = o.topic_id AND p.at_offset = o.at_offset
                    """,
                    [
                        .int(try row.int("id")), .int(keptMax), .timestamp(time.milliseconds),
                        .int(Self.prunedPerStatementMax),
                    ])
                removed += rows.affected
                if rows.affected < Self.prunedPerStatementMax { break }
            }
        }
        return removed
    }
}
