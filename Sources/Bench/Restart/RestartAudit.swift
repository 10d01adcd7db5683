import Postgres

/// Compares the acknowledged points with PostgreSQL, like `deploy/fault-test`.
struct RestartAudit {
    /// Points acknowledged to runners.
    private(set) var acknowledged = 0
    /// Points acknowledged but not stored.
    private(set) var missing = 0
    /// Points stored with another position or time than sent.
    private(set) var changed = 0
    /// Points acknowledged twice to the uploader, or stored with two numbers.
    private(set) var doubled = 0
    /// Points stored but never acknowledged.
    private(set) var unacknowledged = 0
    /// Sessions that are not finished, or whose sums differ from their points.
    private(set) var wrongSessions = 0

    var isClean: Bool { missing + changed + doubled + unacknowledged + wrongSessions == 0 }

    /// Each fix has a unique time, so a point stored with two numbers appears as two rows with the same time.
    private static let sql = """
        WITH ledger AS (
            SELECT * FROM unnest($2::bigint[], $3::float8[], $4::float8[], $5::timestamptz[]) AS l (seq, lat, lon, at)),
        stored AS (SELECT * FROM points WHERE session_id = $1)
        SELECT (SELECT count(*) FROM ledger LEFT JOIN stored USING (seq) WHERE stored.seq IS NULL) AS missing,
               (SELECT count(*) FROM ledger l JOIN stored s USING (seq)
                 WHERE (s.lat, s.lon, s.at) IS DISTINCT FROM (l.lat, l.lon, l.at)) AS changed,
               (SELECT count(*) - count(DISTINCT seq) FROM ledger)
                 + (SELECT count(*) - count(DISTINCT at) FROM stored) AS doubled,
               (SELECT count(*) FROM stored LEFT JOIN ledger USING (seq) WHERE ledger.seq IS NULL) AS unacknowledged,
               (SELECT count(*) FROM sessions s WHERE s.id = $1 AND (s.state <> 'finished'
                 OR s.points <> (SELECT count(*) FROM stored)
                 OR abs(s.distance - (SELECT coalesce(sum(distance), 0) FROM stored)) > 0.001)) AS wrong
        """

    /// - Parameter ledgers: The acknowledged points, by session.
    static func run(_ ledgers: [Int64: RestartTally.Ledger], dataDirectory: String) async throws -> RestartAudit {
        try await BenchDatabase.with(dataDirectory) { database in
            var audit = RestartAudit()
            for (session, ledger) in ledgers {
                let points = ledger.points
                let rows = try await database.query(
                    sql,
                    [
                        .int(session), .intArray(points.map(\.seq)), .doubleArray(points.map(\.lat)),
                        .doubleArray(points.map(\.lon)), .timestampArray(points.map(\.time.milliseconds)),
                    ])
                guard let row = rows.first else { continue }
                audit.acknowledged += points.count
                audit.missing += Int(try row.int("missing"))
                audit.changed += Int(try row.int("changed"))
                audit.doubled += Int(try row.int("doubled"))
                audit.unacknowledged += Int(try row.int("unacknowledged"))
                audit.wrongSessions += Int(try row.int("wrong"))
            }
            return audit
        }
    }
}
