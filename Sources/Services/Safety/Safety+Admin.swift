import Postgres
import Wire

/// Reports as admins read and close them.
extension Safety {
    static let reportsDefault = 20
    static let reportsPageMax = 100
    /// Largest size of evidence, notes and resolutions in a page, in bytes; one report has at most about half of it.
    static let reportsPageBytesMax = 1_048_576
    static let resolutionCharactersMax = TextLimit.reportResolution.max

    /// Condition that excludes reports about the admin, who must not read or close them.
    private static func areOthers(_ admin: String) -> String { "reported_id IS DISTINCT FROM \(admin)" }

    /// Returns a page of reports about other accounts, newest first.
    /// - Throws: ``Wire/RPCError``: `forbidden` if the caller is not an admin; `invalidParams`.
    public func reports(_ identity: Identity, _ params: ReportsList.Params) async throws -> ReportsList.Result {
        try Self.requireAdmin(identity)
        let limit = params.limit ?? Self.reportsDefault
        guard (1...Self.reportsPageMax).contains(limit) else {
            throw RPCError.invalid("limit", "must be 1 to \(Self.reportsPageMax)")
        }
        let state = params.closed == true ? "IS NOT NULL" : "IS NULL"
        let rows = try await database.query(
            """
            SELECT r.*, (SELECT count(*) FROM reports o WHERE o.reported_id = r.reported_id) AS of_account, p.is_last
            FROM (SELECT id, row_number() OVER w AS nth, sum(bytes) OVER w AS bytes, lead(id) OVER w IS NULL AS is_last
                FROM (SELECT id, bytes FROM reports WHERE closed_at \(state) AND ($1::bigint IS NULL OR id < $1) AND \(Self.areOthers("$4"))
                    ORDER BY id DESC LIMIT $2 + 1) s
                WINDOW w AS (ORDER BY id DESC)) p
            JOIN reports r USING (id) WHERE p.nth <= $2 AND (p.nth = 1 OR p.bytes <= $3) ORDER BY id DESC
            """,
            [
                .optional(params.before), .int(Int64(limit)), .int(Int64(Self.reportsPageBytesMax)),
                .int(identity.account.id),
            ])
        let page = Array(rows)
        let accounts = try page.flatMap {
            [try $0.optionalInt("reporter_id"), try $0.optionalInt("reported_id")].compactMap(\.self)
        }
        let people = try await people.people(
            Array(Set(accounts)), seenBy: identity.account.id, vouched: true)
        let open = try await database.query(
            "SELECT count(*) AS count FROM reports WHERE closed_at IS NULL AND \(Self.areOthers("$1"))",
            [.int(identity.account.id)])
        return ReportsList.Result(
            reports: try page.map { try Self.report($0, people) },
            next: try page.last?.bool("is_last") == false ? try page.last?.int("id") : nil,
            open: Int(try open.first?.int("count") ?? 0))
    }

    /// Closes a report about another account. Repeating the request with the same text is harmless.
    /// - Throws: ``Wire/RPCError``: `forbidden`, `notFound`, `conflict` if it was closed with another text, `invalidParams`.
    public func close(_ identity: Identity, _ params: ReportsClose.Params) async throws -> ReportsClose.Result {
        try Self.requireAdmin(identity)
        let resolution = try Inputs.text(
            params.resolution, "resolution", charactersMax: Self.resolutionCharactersMax, isAllowed: Inputs.isLayout)
        guard !resolution.isEmpty else { throw RPCError.invalid("resolution", "say what was done about it") }
        let at = now()
        let isNew = try await database.transaction { transaction in
            try await identity.requireAdmin(in: transaction)
            let rows = try await transaction.query(
                """
                UPDATE reports r SET closed_at = $2, closed_by = $3, resolution = $4 WHERE id = $1 AND closed_at IS NULL
                    AND \(Self.areOthers("$3"))
                RETURNING reason, (SELECT username FROM accounts a WHERE a.id = r.reported_id) AS reported
                """,
                [.int(params.report), .timestamp(at.milliseconds), .int(identity.account.id), .text(resolution)])
            guard let row = rows.first else { return false }
            try await AuditLog.record(
                .init(
                    "report.close",
                    subject: .init(
                        kind: "report", id: params.report, name: try row.optionalText("reported") ?? "a gone account"),
                    details: [("reason", try row.text("reason")), ("resolution", resolution)]),
                by: identity, in: transaction)
            return true
        }
        guard !isNew else { return ReportsClose.Result(report: params.report) }
        let rows = try await database.query(
            "SELECT resolution FROM reports WHERE id = $1 AND \(Self.areOthers("$2"))",
            [.int(params.report), .int(identity.account.id)])
        guard let row = rows.first else { throw RPCError(.notFound, "there is no such report", field: "report") }
        guard try row.optionalText("resolution") == resolution else {
            throw RPCError(.conflict, "the report is closed already: reports.list with closed true shows how")
        }
        return ReportsClose.Result(report: params.report)
    }

    private static func requireAdmin(_ identity: Identity) throws {
        guard identity.isAdmin else {
            throw RPCError(.forbidden, "reports are read by admins")
        }
    }

    private static func report(_ row: PostgresRow, _ people: [Int64: Person]) throws -> Report {
        guard let reason = ReportReason(rawValue: try row.text("reason")) else {
            throw PostgresError.decoding(column: "reason", expected: "a reason")
        }
        // Admins judge the reported account, so the reporter's picture is omitted.
        var reporter = try row.optionalInt("reporter_id").flatMap { people[$0] }
        reporter?.picture = nil
        return Report(
            id: try row.int("id"), at: Timestamp(milliseconds: try row.timestamp("at")), reporter: reporter,
            reported: try row.optionalInt("reported_id").flatMap { people[$0] },
            // The report itself is the only known one about a removed account.
            reportsOfAccount: max(1, Int(try row.int("of_account"))), reason: reason,
            note: try row.optionalText("note"),
            conversation: try row.optionalInt("conversation_id"),
            evidence: try WireJSON.decode([Report.Evidence].self, from: Array(try row.text("evidence").utf8)),
            event: try row.optionalText("event").map {
                try WireJSON.decode(Report.ReportedEvent.self, from: Array($0.utf8))
            },
            closedAt: try row.optionalTimestamp("closed_at").map { Timestamp(milliseconds: $0) },
            resolution: try row.optionalText("resolution"))
    }
}
