import EventLoop
import Foundation
import Postgres
import Wire

/// Export of a person's data in a sequence of files, each with a cursor to the next.
extension PersonalData {
    /// Largest size of a JSON file without its frame, in bytes; the next file continues.
    public static let exportBytesMax = 16 << 20
    /// Largest number of rows of one kind in one file.
    static let exportRowsMax: Int64 = 100_000
    /// Largest number of points in a GPX file, at about 250 bytes each; the next file continues.
    static let trackPointsMax: Int64 = 50_000
    /// Largest number of sessions in a GPX file.
    static let tracksMax: Int64 = 1_000

    /// A file of an export, with a cursor to the next one.
    public struct ExportFile: Sendable {
        /// Contents in UTF-8.
        public let bytes: [UInt8]
        /// Value of `after` for the next file; nil for the last.
        public let next: String?
    }

    // MARK: JSON

    /// Selects as many rows of a kind after the first `$2` as fit. A row larger than a file is replaced by a note of its size.
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

    /// Exports all kinds of data except points, which ``tracks(of:after:)`` exports.
    /// - Parameter after: Cursor of the previous file; nil starts.
    /// - Returns: `{"exportedAt", "note", "kinds": {NAME: [row, …]}}`. A later file omits kinds that earlier files completed.
    /// - Throws: `invalidParams`, ``Postgres/PostgresError``.
    public func json(of identity: Identity, after: String?) async throws -> ExportFile {
        var (index, skipped) = try Self.cursor(after)
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

    /// Kind at which to continue, and number of its rows that were exported.
    private static func cursor(_ after: String?) throws -> (index: Int, skipped: Int64) {
        guard let after else { return (0, 0) }
        let parts = after.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let index = PersonalDataKind.all.firstIndex(where: { $0.name == parts[0] }),
            let skipped = Int64(parts[1]), (0...Int64(Int32.max)).contains(skipped)
        else { throw badAfter }
        return (index, skipped)
    }

    private static let badAfter = RPCError.invalid("after", "is not that of a Link header")

    // MARK: GPX

    /// Exports recorded sessions as GPX 1.1, one track each, including the parts that are hidden from others. A session that exceeds a
    /// file continues in the next as another track with the same name.
    /// - Parameter after: Cursor of the previous file; nil starts.
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
            let name = Markup.escaped(try row.text("title"))
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

    /// Last exported session, and its last exported point if it has more.
    private static func track(_ after: String?) throws -> (session: Int64, seq: Int64) {
        guard let after else { return (0, 0) }
        let parts = after.split(separator: ".", omittingEmptySubsequences: false).map { Int64($0) }
        guard (1...2).contains(parts.count), let session = parts[0], session >= 0,
            let seq = parts.count == 2 ? parts[1] : 0,
            seq >= 0
        else { throw badAfter }
        return (session, seq)
    }

    /// Largest number of points per statement.
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

    /// Appends the stored points of a session as one segment; pauses do not split it. PostgreSQL formats the points.
    /// - Returns: Whether no more points follow; `seq` is the last exported one.
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

    /// Start of the file. Accuracy in metres, heading in degrees and speed in m/s are extension elements, because GPX 1.1 defines none.
    private static let gpxHead = """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="Campanile" xmlns="http://www.topografix.com/GPX/1/1" xmlns:c="urn:campanile:gpx:1">

        """
}
