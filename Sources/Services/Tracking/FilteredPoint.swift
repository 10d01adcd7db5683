import Campus
import Postgres
import Wire

/// A point with the GPS filter's verdict.
struct FilteredPoint: Sendable {
    var point: TrackPoint
    /// Distance counted, in metres.
    var distance: Double
    /// Moving time counted, in seconds.
    var moving: Double
    /// Reason why nothing was counted; nil if the point counted.
    var reason: GPSFilter.Reason?

    var position: LatLon { LatLon(point.lat, point.lon) }

    init(point: TrackPoint, verdict: GPSFilter.Verdict) {
        self.point = point
        switch verdict {
        case .counted(let metres, let seconds): (distance, moving, reason) = (metres, seconds, nil)
        case .notCounted(let why): (distance, moving, reason) = (0, 0, why)
        }
    }

    init(_ row: PostgresRow) throws {
        point = TrackPoint(
            seq: try row.int("seq"), lat: try row.double("lat"), lon: try row.double("lon"),
            time: Timestamp(milliseconds: try row.timestamp("at")), accuracy: try row.optionalDouble("accuracy"))
        distance = try row.double("distance")
        moving = try row.double("moving")
        reason = try row.optionalText("reason").flatMap(GPSFilter.Reason.init(rawValue:))
    }

    func hasSameVerdict(as other: FilteredPoint) -> Bool {
        distance == other.distance && moving == other.moving && reason == other.reason
    }
}

extension GPSFilter.Fix {
    /// - Throws: `GeoError` for a position out of range.
    init(_ point: TrackPoint) throws {
        self.init(
            sequence: point.seq, point: try GeoPoint(latitude: point.lat, longitude: point.lon),
            timeMilliseconds: point.time.milliseconds, accuracyMetres: point.accuracy)
    }
}

extension GeoPoint {
    /// - Throws: `GeoError` for a position out of range.
    init(_ position: LatLon) throws { try self.init(latitude: position.latitude, longitude: position.longitude) }
}

/// Statements that store and read points.
extension Tracking {
    /// Largest number of points that are processed inline on the loop, which takes about a millisecond and does not wait behind long
    /// sessions.
    static let loopPointsMax = 500

    /// Reads all points of a session in order and passes them to `body`, on a worker unless there are few.
    /// - Throws: `PostgresError`, `WorkerPool.Overloaded`, or errors of `body`.
    func withStoredPoints<T: Sendable>(
        of session: Int64, _ body: @escaping @Sendable ([FilteredPoint]) throws -> T
    ) async throws -> T {
        let rows = try await database.query(
            """
            SELECT seq, at, lat, lon, accuracy, distance, moving, reason FROM points WHERE session_id = $1 ORDER BY seq
            """, [.int(session)])
        guard rows.count > Self.loopPointsMax else { return try body(try rows.map(FilteredPoint.init)) }
        return try await routes.run { try body(try rows.map(FilteredPoint.init)) }
    }

    /// Builds one statement that inserts any number of points. Existing points stay unchanged.
    func insertion(of judged: [FilteredPoint], into record: SessionRecord) -> PostgresStatement {
        let points = judged.map(\.point)
        return PostgresStatement(
            """
            INSERT INTO points (session_id, seq, at, lat, lon, accuracy, altitude, speed, heading, distance, moving, reason)
            SELECT $1::bigint, * FROM unnest($2::bigint[], $3::timestamptz[], $4::float8[], $5::float8[], $6::float8[],
                $7::float8[], $8::float8[], $9::float8[], $10::float8[], $11::float8[], $12::text[])
            ON CONFLICT DO NOTHING
            """,
            [
                .int(record.session.id), .intArray(points.map(\.seq)), .timestampArray(points.map(\.time.milliseconds)),
                .doubleArray(points.map(\.lat)), .doubleArray(points.map(\.lon)),
                .optionalDoubleArray(points.map(\.accuracy)), .optionalDoubleArray(points.map(\.altitude)),
                .optionalDoubleArray(points.map(\.speed)), .optionalDoubleArray(points.map(\.heading)),
                .doubleArray(judged.map(\.distance)), .doubleArray(judged.map(\.moving)),
                .optionalTextArray(judged.map { $0.reason?.rawValue }),
            ])
    }

    /// Builds the statement that stores the session's totals.
    func sums(of record: SessionRecord) -> PostgresStatement {
        PostgresStatement(
            """
            UPDATE sessions SET distance = $2, moving = $3, points = $4, last_seq = $5, last_fix_at = $6
            WHERE id = $1
            """,
            [
                .int(record.session.id), .double(record.session.distance), .double(record.session.moving),
                .int(Int64(record.session.points)), .int(record.lastSeq),
                .optional(timestamp: record.session.lastFixAt?.milliseconds),
            ])
    }
}
