import EventLoop
import Foundation
import Postgres
import Wire

/// Everything about somebody, for themselves, in files of which each says where the next begins.
extension PersonalData {
    /// Bytes of one file of JSON, but for its frame; what does not fit is in the next.
    public static let exportBytesMax = 16 << 20
    /// Rows of one kind in one file.
    static let exportRowsMax: Int64 = 100_000
    /// Points in one GPX file, of some 250 bytes each; the next file goes on.
    static let trackPointsMax: Int64 = 50_000
    /// Sessions in one GPX file.
    static let tracksMax: Int64 = 1_000

    /// A file, and where the next one begins; nil when it is the last.
    public struct ExportFile: Sendable {
        /// UTF-8.
        public let bytes: [UInt8]
        /// The `after` of the next.
        public let next: String?
    }

    // MARK: JSON

    /// Rows of a kind behind the first `$2`, as many as there are bytes for. A row that is larger than a file is named only.
    private static func rowsSQL(_ kind: PersonalDataKind) -> String {
        """
        SELECT coalesce(string_agg(line, E',\\n' ORDER BY n) FILTER (WHERE through <= $4::bigint), '') AS lines,
            count(*) FILTER (WHERE through <= $4::bigint) AS given, count(*) AS known
        FROM (
            SELECT n, line, sum(octet_length(line) + 2) OVER (ORDER BY n) AS through
            FROM (
                SELECT n, CASE WHEN octet_length(line) + 2 > \(exportBytesMax)
                    THEN '{"leftOut":"' || octet_length(line) || ' bytes"}' ELSE line END AS line
                FROM (SELECT row_number() OVER () AS n, row_to_json(r)::text AS line
                    FROM (\(kind.sql) OFFSET $2::bigint LIMIT $3::bigint + 1) AS r) AS numbered) AS lines) AS summed
        """
    }

    private static let note = """
        Pictures are fetched by their paths, and recorded points from /account/tracks.gpx, with Authorization: Bearer TOKEN.
        """

    /// All kinds of data but points, which ``tracks(of:after:)`` gives.
    /// - Parameter after: What an earlier file said; nil begins.
    /// - Returns: `{"exportedAt", "note", "kinds": {NAME: [row, …]}}`. A file that goes on has no kinds that earlier ones had all of.
    /// - Throws: `invalidParams`, ``Postgres/PostgresError``.
    public func json(of identity: Identity, after: String?) async throws -> ExportFile {
        var (index, skipped) = try Self.place(after)
        var json: [UInt8] = Array("{\"exportedAt\":\"\(now())\",\"note\":\"\(Self.note)\",\"kinds\":{".utf8)
        var left = Self.exportBytesMax
        var isFirst = true
        while index < PersonalDataKind.all.count {
            let kind = PersonalDataKind.all[index]
            let rows = try await database.query(
                Self.rowsSQL(kind),
                [.int(identity.account.id), .int(skipped), .int(Self.exportRowsMax), .int(Int64(left))])
            guard let row = rows.first else { break }
            let lines = try row.text("lines")
            let given = min(try row.int("given"), Self.exportRowsMax + 1)
            json.append(contentsOf: "\(isFirst ? "" : ",")\n\"\(kind.name)\":[".utf8)
            json.append(contentsOf: lines.utf8)
            json.append(contentsOf: "]".utf8)
            left -= lines.utf8.count
            isFirst = false
            guard try row.int("known") == given, given <= Self.exportRowsMax else {
                json.append(contentsOf: "\n}}\n".utf8)
                return ExportFile(bytes: json, next: "\(kind.name).\(skipped + given)")
            }
            (index, skipped) = (index + 1, 0)
            await Task.yield()
        }
        json.append(contentsOf: "\n}}\n".utf8)
        return ExportFile(bytes: json, next: nil)
    }

    /// The kind to go on with, and how many rows of it were given.
    private static func place(_ after: String?) throws -> (index: Int, skipped: Int64) {
        guard let after else { return (0, 0) }
        let parts = after.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let index = PersonalDataKind.all.firstIndex(where: { $0.name == parts[0] }),
            let skipped = Int64(parts[1]), (0...Int64(Int32.max)).contains(skipped)
        else { throw badAfter }
        return (index, skipped)
    }

    private static let badAfter = RPCError.invalid("after", "is not that of a Link header")

    // MARK: GPX

    /// Recorded sessions as GPX 1.1, a track each, whole: what is hidden from others is in it. A session that is longer than a file
    /// goes on in the next, as another track of its name.
    /// - Parameter after: What an earlier file said; nil begins.
    /// - Throws: `invalidParams`, ``Postgres/PostgresError``.
    public func tracks(of identity: Identity, after: String?) async throws -> ExportFile {
        var (session, seq) = try Self.track(after)
        let rows = try await database.query(
            """
            SELECT id, title, activity FROM sessions WHERE account_id = $1 AND (id > $2 OR id = $2 AND $3) ORDER BY id LIMIT $4
            """, [.int(identity.account.id), .int(session), .bool(seq > 0), .int(Self.tracksMax + 1)])
        var gpx: [UInt8] = Array(Self.gpxHead.utf8)
        var left = Self.trackPointsMax
        var next: String?
        for (number, row) in rows.enumerated() {
            guard left > 0, number < Self.tracksMax else {
                next = "\(session)"
                break
            }
            let id = try row.int("id")
            if id != session { (session, seq) = (id, 0) }
            let type = try row.text("activity") == "cycle" ? "cycling" : "running"
            let name = Self.escaped(try row.text("title"))
            gpx.append(contentsOf: "<trk><name>\(name)</name><type>\(type)</type>\n<trkseg>\n".utf8)
            let isWhole = try await appendPoints(of: session, after: &seq, atMost: &left, to: &gpx)
            gpx.append(contentsOf: "</trkseg></trk>\n".utf8)
            guard isWhole else {
                next = "\(session).\(seq)"
                break
            }
        }
        gpx.append(contentsOf: "</gpx>\n".utf8)
        return ExportFile(bytes: gpx, next: next)
    }

    /// The last session that was given, and the last point of it when there are more.
    private static func track(_ after: String?) throws -> (session: Int64, seq: Int64) {
        guard let after else { return (0, 0) }
        let parts = after.split(separator: ".", omittingEmptySubsequences: false).map { Int64($0) }
        guard (1...2).contains(parts.count), let session = parts[0], session >= 0,
            let seq = parts.count == 2 ? parts[1] : 0,
            seq >= 0
        else { throw badAfter }
        return (session, seq)
    }

    /// Points of one statement's answer.
    private static let pointsPerPage: Int64 = 10_000

    private static let pointsSQL = """
        SELECT max(seq) AS last, count(*) AS n, string_agg(
            '<trkpt lat="' || lat || '" lon="' || lon || '">' || coalesce('<ele>' || altitude || '</ele>', '')
            || '<time>' || to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '</time>'
            || CASE WHEN coalesce(accuracy, speed, heading) IS NULL THEN '' ELSE '<extensions>'
                || coalesce('<c:accuracy>' || accuracy || '</c:accuracy>', '')
                || coalesce('<c:speed>' || speed || '</c:speed>', '')
                || coalesce('<c:heading>' || heading || '</c:heading>', '') || '</extensions>' END
            || '</trkpt>', E'\\n' ORDER BY seq) AS xml
        FROM (SELECT * FROM points WHERE session_id = $1 AND seq > $2 ORDER BY seq LIMIT $3) p
        """

    /// PostgreSQL writes the points: a part for each piece without a pause is not told apart, as they are points as they were stored.
    /// - Returns: Whether there are no more; `seq` is the last that was given.
    private func appendPoints(
        of session: Int64, after seq: inout Int64, atMost left: inout Int64, to gpx: inout [UInt8]
    ) async throws -> Bool {
        while left > 0 {
            let page = min(left, Self.pointsPerPage)
            let rows = try await database.query(Self.pointsSQL, [.int(session), .int(seq), .int(page)])
            guard let row = rows.first, let xml = try row.optionalText("xml") else { return true }
            gpx.append(contentsOf: xml.utf8)
            gpx.append(0x0A)
            seq = try row.int("last")
            let count = try row.int("n")
            left -= count
            guard count == page else { return true }
        }
        return false
    }

    /// Accuracy and heading are metres and degrees, speed metres a second: GPX 1.1 has no elements of its own for them.
    private static let gpxHead = """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="Campanile" xmlns="http://www.topografix.com/GPX/1/1" xmlns:c="urn:campanile:gpx:1">

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
