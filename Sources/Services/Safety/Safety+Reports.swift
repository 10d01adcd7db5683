import Postgres
import Wire

/// Telling the admins.
extension Safety {
    /// Reports of one account within 24 hours.
    public static let reportsPerDayMax = 20
    static let noteCharactersMax = 1_000
    /// One answer for who does not exist and for whom the caller has nothing to do with.
    static let notReportable = RPCError(
        .notFound, "there is nobody like that to report: name a conversation you share, or somebody suggested to you",
        field: "account")

    /// A report that was checked.
    struct Draft: Sendable {
        let id: String
        let pair: Pair
        let reason: ReportReason
        let note: String?
        let conversation: Int64?
        let messages: [Int64]
    }

    /// Tells the admins, with a copy of what it is about. Sent again it is the same report. The other is not told.
    /// - Throws: ``Wire/RPCError``: `invalidParams`, ``notReportable``, `rateLimited` after ``reportsPerDayMax``.
    public func report(_ identity: Identity, _ params: SafetyReport.Params) async throws -> SafetyReport.Result {
        let draft = try Self.draft(params, by: identity.account.id)
        let time = now()
        let candidates: [PostgresValue] = [
            .int(draft.pair.one), .int(Int64(BuddyCatalogue.rulesVersion)), .text(CalendarDay(time).description),
        ]
        let (number, isNew) = try await database.transaction { transaction in
            try await Self.store(draft, transaction, candidates, at: time)
        }
        if isNew { await events.reported() }
        return SafetyReport.Result(report: number)
    }

    private static func draft(_ params: SafetyReport.Params, by reporter: Int64) throws -> Draft {
        let messages = params.messages ?? []
        guard params.account != reporter else { throw RPCError.invalid("account", "is your own: report somebody else") }
        guard messages.count <= evidenceMax else {
            throw RPCError.invalid("messages", "a report holds at most \(evidenceMax)")
        }
        guard messages.isEmpty || params.conversation != nil else {
            throw RPCError.invalid("conversation", "is needed to find the messages")
        }
        let note = try Inputs.text(
            params.note, "note", charactersMax: noteCharactersMax, isAllowed: Inputs.isLayout)
        return Draft(
            id: try Inputs.clientID(params.id), pair: Pair(reporter, params.account), reason: params.reason,
            note: note.isEmpty ? nil : note, conversation: params.conversation, messages: messages)
    }

    private static func store(
        _ draft: Draft, _ transaction: PostgresTransaction, _ candidates: [PostgresValue], at time: Timestamp
    ) async throws -> (number: Int64, isNew: Bool) {
        let reporter = PostgresValue.int(draft.pair.one)
        let yesterday = time.advanced(bySeconds: -Buddies.daySeconds)
        let answers = try await transaction.batch([
            PostgresStatement(Buddies.lock, [.intArray([draft.pair.one])]),
            PostgresStatement(
                "SELECT id FROM reports WHERE reporter_id = $1 AND client_id = $2", [reporter, .uuid(draft.id)]),
            PostgresStatement(
                "SELECT count(*) AS count, min(at) AS first FROM reports WHERE reporter_id = $1 AND at > $2",
                [reporter, .timestamp(yesterday.milliseconds)]),
        ])
        if let known = answers[1].first { return (try known.int("id"), false) }
        if let recent = answers[2].first, try recent.int("count") >= reportsPerDayMax {
            let end = Timestamp(milliseconds: try recent.timestamp("first")).advanced(bySeconds: Buddies.daySeconds)
            throw RPCError(
                .rateLimited, "you reported \(reportsPerDayMax) times within a day: block whom you do not want to meet",
                retryAfter: max(1, end.seconds(since: time)))
        }
        let evidence: [Report.Evidence]
        if let conversation = draft.conversation {
            evidence = try await self.evidence(draft, in: conversation, transaction)
        } else {
            let rows = try await transaction.query(acquaintanceSQL, candidates + [.int(draft.pair.other)])
            guard try rows.first?.bool("is_known") == true else { throw notReportable }
            evidence = []
        }
        let rows = try await transaction.query(
            """
            INSERT INTO reports (reporter_id, reported_id, client_id, reason, note, conversation_id, evidence, at, pictures)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::uuid[]) RETURNING id
            """,
            [
                reporter, .int(draft.pair.other), .uuid(draft.id), .text(draft.reason.rawValue), .optional(draft.note),
                .optional(draft.conversation),
                .text(String(decoding: try WireJSON.encode(evidence), as: UTF8.self)), .timestamp(time.milliseconds),
                .textArray(evidence.compactMap(\.picture)),
            ])
        guard let row = rows.first else { throw RPCError(.internalError, "the report was not stored") }
        return (try row.int("id"), true)
    }

    /// Memberships `i` of one who may know of the other's, `u`: who joined knows the members; who left, those until then; who was invited,
    /// only by whom. Otherwise the answer would tell whether somebody is in a group.
    static func sharedSQL(_ reporter: String, _ reported: String) -> String {
        """
        SELECT FROM members i JOIN members u USING (conversation_id) JOIN conversations c ON c.id = conversation_id
        WHERE i.account_id = \(reporter) AND u.account_id = \(reported) AND (c.kind = 'direct' OR i.state = 'joined'
            OR i.invited_by = u.account_id OR u.invited_by = i.account_id
            OR EXISTS (SELECT FROM read_spans s WHERE s.conversation_id = c.id AND s.account_id = i.account_id
                AND (u.state = 'joined' AND u.from_offset < s.until_offset
                    OR EXISTS (SELECT FROM read_spans o WHERE o.conversation_id = c.id AND o.account_id = u.account_id
                        AND o.from_offset < s.until_offset))))
        """
    }

    /// Somebody on the deck, or who was there once and was decided on; a buddy; who is or was in the same conversation; whom one
    /// blocked: who blocks first must be able to report afterwards.
    private static let acquaintanceSQL = """
        SELECT EXISTS (SELECT \(Candidates.relation) AND b.account_id = $4)
            OR EXISTS (SELECT FROM buddy_decisions WHERE account_id = $1 AND other_id = $4)
            OR EXISTS (SELECT FROM blocks WHERE blocker_id = $1 AND blocked_id = $4)
            OR EXISTS (\(sharedSQL("$1", "$4"))) AS is_known
        """
}
