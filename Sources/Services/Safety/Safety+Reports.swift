import Postgres
import Wire

/// Submission of reports to the admins.
extension Safety {
    /// Largest number of reports by one account within 24 hours.
    public static let reportsPerDayMax = 20
    static let noteCharactersMax = TextLimit.reportNote.max
    /// Common answer for accounts that do not exist and for those unknown to the caller.
    static let notReportable = RPCError(
        .notFound,
        "you cannot report this account: name a conversation that you share, or a person who is suggested to you, "
            + "or shares or trains with you",
        field: "account")

    /// A validated report that is not stored yet.
    struct Draft: Sendable {
        let id: String
        let pair: Pair
        let reason: ReportReason
        let note: String?
        let conversation: Int64?
        let messages: [Int64]
        let event: Int64?
    }

    /// Stores a report for the admins, with a copy of the evidence. A repeated report is stored once. The reported account is not
    /// notified.
    /// - Throws: ``Wire/RPCError``: `invalidParams`, ``notReportable``, `rateLimited` after ``reportsPerDayMax``.
    public func report(_ identity: Identity, _ params: SafetyReport.Params) async throws -> SafetyReport.Result {
        let draft = try Self.draft(params, by: identity.account.id)
        let time = now()
        let (number, isNew) = try await database.transaction { transaction in
            try await Self.store(draft, transaction, at: time)
        }
        if isNew { await events.reported(draft.pair.other) }
        return SafetyReport.Result(report: number)
    }

    private static func draft(_ params: SafetyReport.Params, by reporter: Int64) throws -> Draft {
        let messages = params.messages ?? []
        guard params.account != reporter else {
            throw RPCError.invalid("account", "is your own: report another account")
        }
        guard messages.count <= evidenceMax else {
            throw RPCError.invalid("messages", "a report holds at most \(evidenceMax)")
        }
        guard messages.isEmpty || params.conversation != nil else {
            throw RPCError.invalid("conversation", "is needed to find the messages")
        }
        guard params.event == nil || params.conversation == nil else {
            throw RPCError.invalid("event", "or conversation: a report is about one of them")
        }
        let note = try Inputs.text(
            params.note, "note", charactersMax: noteCharactersMax, isAllowed: Inputs.isLayout)
        return Draft(
            id: try Inputs.clientID(params.id), pair: Pair(reporter, params.account), reason: params.reason,
            note: note.isEmpty ? nil : note, conversation: params.conversation, messages: messages,
            event: params.event)
    }

    private static func store(
        _ draft: Draft, _ transaction: PostgresTransaction, at time: Timestamp
    ) async throws -> (number: Int64, isNew: Bool) {
        let reporter = PostgresValue.int(draft.pair.one)
        let yesterday = time.advanced(bySeconds: -Timestamp.daySeconds)
        let answers = try await transaction.batch([
            PostgresStatement(Accounts.lock, [.intArray([draft.pair.one])]),
            PostgresStatement(
                "SELECT id FROM reports WHERE reporter_id = $1 AND client_id = $2", [reporter, .uuid(draft.id)]),
            PostgresStatement(
                "SELECT count(*) AS count, min(at) AS first FROM reports WHERE reporter_id = $1 AND at > $2",
                [reporter, .timestamp(yesterday.milliseconds)]),
        ])
        if let known = answers[1].first { return (try known.int("id"), false) }
        if let recent = answers[2].first, try recent.int("count") >= reportsPerDayMax {
            let end = Timestamp(milliseconds: try recent.timestamp("first")).advanced(bySeconds: Timestamp.daySeconds)
            throw RPCError(
                .rateLimited, "you reported \(reportsPerDayMax) times within a day: you can still block people",
                retryAfter: max(1, end.seconds(since: time)))
        }
        var evidence: [Report.Evidence] = []
        var event: Report.ReportedEvent?
        if let number = draft.event {
            event = try await self.event(number, draft, transaction)
        } else if let conversation = draft.conversation {
            evidence = try await self.evidence(draft, in: conversation, transaction)
        } else {
            let rows = try await transaction.query(
                KnownAccounts.isKnown, KnownAccounts.parameters(of: draft.pair, at: time))
            guard try rows.first?.bool("is_known") == true else { throw notReportable }
        }
        let rows = try await transaction.query(
            """
            INSERT INTO reports (reporter_id, reported_id, client_id, reason, note, conversation_id, evidence, at, pictures, event)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::uuid[], $10) RETURNING id
            """,
            [
                reporter, .int(draft.pair.other), .uuid(draft.id), .text(draft.reason.rawValue), .optional(draft.note),
                .optional(draft.conversation),
                .text(String(decoding: try WireJSON.encode(evidence), as: UTF8.self)), .timestamp(time.milliseconds),
                .textArray(evidence.compactMap(\.picture)),
                .optional(try event.map { String(decoding: try WireJSON.encode($0), as: UTF8.self) }),
            ])
        guard let row = rows.first else { throw RPCError(.internalError, "the report was not stored") }
        return (try row.int("id"), true)
    }
}
