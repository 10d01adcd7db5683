import EventLoop
import Foundation
import Postgres
import Wire

/// Everything about somebody, for themselves.
extension PersonalData {
    /// Points in one GPX file; the next file goes on.
    static let trackPointsMax: Int64 = 200_000
    /// Bytes of the JSON; whoever has more is told, and gets it from the operator.
    static let exportBytesMax = 64 << 20

    /// All kinds of data but points, which ``tracks(of:after:)`` gives.
    /// - Returns: UTF-8 of `{"exportedAt", "kinds": {NAME: [row, …]}}`.
    /// - Throws: `rateLimited` while another is made, `rejected` for more than ``exportBytesMax``, ``Postgres/PostgresError``.
    public func json(of identity: Identity) async throws -> [UInt8] {
        try await alone(identity.account.id) {
            var json: [UInt8] = Array("{\"exportedAt\":\"\(now())\",\"kinds\":{".utf8)
            for (index, kind) in PersonalDataKind.all.enumerated() {
                let rows = try await database.query(
                    "SELECT coalesce(json_agg(row_to_json(r)), '[]')::text AS rows FROM (\(kind.sql)) AS r",
                    [.int(identity.account.id)])
                json.append(contentsOf: "\(index == 0 ? "" : ",")\n\"\(kind.name)\":".utf8)
                json.append(contentsOf: try rows.first?.text("rows").utf8 ?? "[]".utf8)
                guard json.count <= Self.exportBytesMax else {
                    throw RPCError(.rejected, "there is more of you than a file holds: ask the operator for it")
                }
                await Task.yield()
            }
            json.append(contentsOf: "\n}}\n".utf8)
            return json
        }
    }

    /// Recorded sessions as GPX 1.1, a track each, whole: what is hidden from others is in it.
    /// - Parameter after: Sessions with a higher number.
    /// - Returns: The file, and what the next begins after; nil when this is the last.
    /// - Throws: `rateLimited` while another is made, ``Postgres/PostgresError``.
    public func tracks(of identity: Identity, after: Int64) async throws -> (gpx: [UInt8], next: Int64?) {
        try await alone(identity.account.id) {
            let rows = try await database.query(
                """
                SELECT id, title, activity, points FROM (
                    SELECT id, title, activity, points, sum(points) OVER (ORDER BY id) - points AS before FROM sessions
                    WHERE account_id = $1 AND id > $2) s
                WHERE before < $3 ORDER BY id LIMIT 10000
                """, [.int(identity.account.id), .int(after), .int(Self.trackPointsMax)])
            var gpx: [UInt8] = Array(Self.gpxHead.utf8)
            var last = after
            for row in rows {
                last = try row.int("id")
                let type = try row.text("activity") == "cycle" ? "cycling" : "running"
                gpx.append(
                    contentsOf: "<trk><name>\(Self.escaped(try row.text("title")))</name><type>\(type)</type>\n".utf8)
                try await appendPoints(of: last, to: &gpx)
                gpx.append(contentsOf: "</trk>\n".utf8)
            }
            gpx.append(contentsOf: "</gpx>\n".utf8)
            let more = try await database.query(
                "SELECT EXISTS (SELECT FROM sessions WHERE account_id = $1 AND id > $2) AS more",
                [.int(identity.account.id), .int(last)])
            return (gpx, try more.first?.bool("more") == true ? last : nil)
        }
    }

    /// Points of one statement's answer.
    private static let pointsPerPage: Int64 = 20_000

    /// PostgreSQL writes the points: a part for each piece without a pause is not told apart, as they are points as they were stored.
    private func appendPoints(of session: Int64, to gpx: inout [UInt8]) async throws {
        var seq: Int64 = 0
        gpx.append(contentsOf: "<trkseg>\n".utf8)
        while true {
            let rows = try await database.query(
                """
                SELECT max(seq) AS last, count(*) AS n, string_agg(
                    '<trkpt lat="' || lat || '" lon="' || lon || '">' || coalesce('<ele>' || altitude || '</ele>', '')
                    || '<time>' || to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '</time></trkpt>',
                    E'\\n' ORDER BY seq) AS xml
                FROM (SELECT * FROM points WHERE session_id = $1 AND seq > $2 ORDER BY seq LIMIT $3) p
                """, [.int(session), .int(seq), .int(Self.pointsPerPage)])
            guard let row = rows.first, let xml = try row.optionalText("xml") else { break }
            gpx.append(contentsOf: xml.utf8)
            gpx.append(0x0A)
            seq = try row.int("last")
            guard try row.int("n") == Self.pointsPerPage else { break }
        }
        gpx.append(contentsOf: "</trkseg>".utf8)
    }

    private static let gpxHead = """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="Campanile" xmlns="http://www.topografix.com/GPX/1/1">

        """

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { escaped, character in
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.append(character)
            }
        }
    }
}
