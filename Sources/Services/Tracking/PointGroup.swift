import Campus
import Postgres
import Wire

/// New points of one session with their verdicts, and the session's totals including them.
struct PointWrite: Sendable {
    let record: SessionRecord
    let judged: [FilteredPoint]
}

/// Points of many sessions, committed by one statement. Of each session it writes both points and totals, or neither.
struct PointGroup: Sendable {
    /// Writes of the group, at most one per session.
    let writes: [PointWrite]

    /// A session that another server has taken over has a different fencing token: the statement does not update its row and inserts none
    /// of its points.
    private static let sql = """
        WITH sums AS (
            UPDATE sessions s SET distance = i.distance, moving = i.moving, points = i.points, last_seq = i.last_seq,
                last_fix_at = i.last_fix_at
            FROM unnest($1::bigint[], $2::bigint[], $3::float8[], $4::float8[], $5::bigint[], $6::bigint[],
                $7::timestamptz[]) AS i (id, fencing_token, distance, moving, points, last_seq, last_fix_at)
            WHERE s.id = i.id AND s.fencing_token = i.fencing_token
            RETURNING s.id),
        added AS (
            INSERT INTO points (session_id, seq, at, lat, lon, accuracy, altitude, speed, heading, distance, moving, reason)
            SELECT p.* FROM unnest($8::bigint[], $9::bigint[], $10::timestamptz[], $11::float8[], $12::float8[],
                $13::float8[], $14::float8[], $15::float8[], $16::float8[], $17::float8[], $18::float8[], $19::text[])
                AS p (session_id, seq, at, lat, lon, accuracy, altitude, speed, heading, distance, moving, reason)
            JOIN sums ON sums.id = p.session_id
            ON CONFLICT DO NOTHING)
        SELECT id FROM sums
        """

    var statement: PostgresStatement {
        let sessions = writes.map(\.record.session)
        let rows = writes.flatMap { write in write.judged.map { (session: write.record.session.id, judged: $0) } }
        let points = rows.map(\.judged.point)
        return PostgresStatement(
            Self.sql,
            [
                .intArray(sessions.map(\.id)), .intArray(writes.map(\.record.fencingToken)),
                .doubleArray(sessions.map(\.distance)), .doubleArray(sessions.map(\.moving)),
                .intArray(sessions.map { Int64($0.points) }), .intArray(writes.map(\.record.lastSeq)),
                .optionalTimestampArray(sessions.map { $0.lastFixAt?.milliseconds }),
                .intArray(rows.map(\.session)), .intArray(points.map(\.seq)),
                .timestampArray(points.map(\.time.milliseconds)), .doubleArray(points.map(\.lat)),
                .doubleArray(points.map(\.lon)), .optionalDoubleArray(points.map(\.accuracy)),
                .optionalDoubleArray(points.map(\.altitude)), .optionalDoubleArray(points.map(\.speed)),
                .optionalDoubleArray(points.map(\.heading)), .doubleArray(rows.map(\.judged.distance)),
                .doubleArray(rows.map(\.judged.moving)), .optionalTextArray(rows.map { $0.judged.reason?.rawValue }),
            ])
    }

    /// Ids of the sessions that this server still owned and has written.
    /// - Parameter answer: Answer to ``statement`` after the commit.
    func written(_ answer: PostgresRows) throws -> Set<Int64> { Set(try answer.map { try $0.int("id") }) }
}
