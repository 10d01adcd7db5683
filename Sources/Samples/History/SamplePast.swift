import Postgres
import Wire

/// Moves what the samples just made into the past.
///
/// The protocol refuses times of long ago: a session starts at most 24 hours ago, and a message has the time of its arrival. This is right
/// for people, whose history must not be invented. A demonstration needs a month of it, so the samples use the product as everybody does,
/// which makes all derived values (distances, pauses, splits, unread messages), and then their rows get earlier times, in the database.
/// Only rows of simulated accounts change, and no client has seen them before.
struct SamplePast: Sendable {
    let database: PostgresPool

    /// Moves a finished session of a simulated account, with its points and pauses, so that it began at `start`.
    func move(session: Int64, to start: Timestamp) async throws {
        try await database.transaction { transaction in
            let values: [PostgresValue] = [.int(session), .timestamp(start.milliseconds)]
            let rows = try await transaction.query(
                "SELECT FROM sessions WHERE id = $1 AND simulated FOR UPDATE", [values[0]])
            guard !rows.isEmpty else { throw SampleFailure("session \(session) is not a sample's") }
            for statement in Self.sessionMoves { _ = try await transaction.query(statement, values) }
        }
    }

    /// The session's own row is last, because the others need its present start.
    private static let sessionMoves = [
        """
        UPDATE points p SET at = p.at + ($2::timestamptz - s.started_at),
            received_at = p.received_at + ($2::timestamptz - s.started_at)
        FROM sessions s WHERE s.id = $1 AND p.session_id = s.id
        """,
        """
        UPDATE pauses p SET from_at = p.from_at + ($2::timestamptz - s.started_at),
            to_at = p.to_at + ($2::timestamptz - s.started_at)
        FROM sessions s WHERE s.id = $1 AND p.session_id = s.id
        """,
        """
        UPDATE sessions SET started_at = $2, ended_at = ended_at + ($2::timestamptz - started_at),
            last_fix_at = last_fix_at + ($2::timestamptz - started_at),
            created_at = created_at + ($2::timestamptz - started_at),
            end_published_at = end_published_at + ($2::timestamptz - started_at)
        WHERE id = $1
        """,
    ]

    /// Moves the events of a conversation through `offset` that are later than `time` to it; they keep their order.
    func move(_ conversation: Int64, through offset: Int64, to time: Timestamp) async throws {
        let values: [PostgresValue] = [.int(conversation), .int(offset), .timestamp(time.milliseconds)]
        try await database.transaction { transaction in
            _ = try await transaction.query(
                "UPDATE chat_log SET at = $3 WHERE conversation_id = $1 AND at_offset <= $2 AND at > $3", values)
            _ = try await transaction.query(
                "UPDATE members SET since = $2 WHERE conversation_id = $1 AND since > $2", [values[0], values[2]])
            _ = try await transaction.query(
                "UPDATE conversations SET created_at = $2 WHERE id = $1 AND created_at > $2", [values[0], values[2]])
            _ = try await transaction.query(
                "UPDATE buddies SET matched_at = $2 WHERE conversation_id = $1 AND matched_at > $2",
                [values[0], values[2]])
        }
    }

    /// Records visits of a campus place on days before today, which the protocol learns from stays alone.
    func visit(_ place: Int64, by account: Int64, daysAgo: [Int]) async throws {
        for days in daysAgo {
            _ = try await database.query(
                """
                INSERT INTO visits (account_id, kind, subject_id, day) VALUES ($1, 'place', $2, CURRENT_DATE - $3::int)
                ON CONFLICT DO NOTHING
                """, [.int(account), .int(place), .int(Int64(days))])
        }
    }
}
