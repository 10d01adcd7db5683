import Hub
import Postgres
import Wire

/// Requests for a person's current location, each answered once.
extension Sharing {
    /// Largest number of open questions by one account.
    static let openRequestsMax = 10
    /// Largest number of questions by one account to another within an hour.
    static let questionsToOneMax = 3
    /// Seconds for which a question stays open, and for which an answer can be read.
    static let questionSeconds = 600.0
    /// Largest number of questions in each list.
    static let questionsListedMax = 100

    private static let noQuestion = RPCError(
        .notFound, "there is no such question: sharing.requests lists them", field: "request")

    private static let columns = """
        w.id, w.from_id, f.username AS from_username, share_name(w.to_id, w.from_id) AS from_name, w.to_id,
        t.username AS to_username, share_name(w.from_id, w.to_id) AS to_name, w.state, w.at, w.expires_at
        """
    private static let tables =
        "where_requests w JOIN accounts f ON f.id = w.from_id JOIN accounts t ON t.id = w.to_id"

    private func request(_ row: PostgresRow) throws -> WhereRequest {
        func person(_ which: String) throws -> SharingPerson {
            SharingPerson(
                account: try row.int("\(which)_id"), name: try row.text("\(which)_name"),
                username: try row.text("\(which)_username"))
        }
        var state: WhereRequest.State = try row.choice("state")
        let expiresAt = Timestamp(milliseconds: try row.timestamp("expires_at"))
        // A voided answer looks like any other until it is read, because a change of its state would reveal the time of the change.
        if state == .open || state == .answered, expiresAt <= now() { state = .expired }
        return WhereRequest(
            id: try row.int("id"), from: try person("from"), to: try person("to"), state: state,
            at: Timestamp(milliseconds: try row.timestamp("at")), expiresAt: expiresAt)
    }

    private func requests(_ condition: String, _ parameters: [PostgresValue]) async throws -> [WhereRequest] {
        try await database.query(
            """
            SELECT \(Self.columns) FROM \(Self.tables) WHERE \(condition)
            ORDER BY w.id DESC LIMIT \(Self.questionsListedMax)
            """, parameters
        ).map(request)
    }

    /// Asks a person for their location.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func ask(_ params: SharingAsk.Params, by identity: Identity) async throws -> LocationRequestReply {
        let account = identity.account.id
        let clientID = try Inputs.clientID(params.clientId, "clientId")
        let at = now()
        let (id, asked) = try await database.transaction { transaction -> (Int64, Int64?) in
            _ = try await transaction.query(Accounts.lock, [.intArray([account])])
            let person = try await Self.person(
                params.username, params.account, for: account, transaction)
            let rows = try await transaction.query(
                "SELECT * FROM where_ask($1, $2, $3, $4, $5, $6, $7)",
                [
                    .int(account), .int(person), .uuid(clientID), .timestamp(at.milliseconds),
                    .timestamp(at.advanced(bySeconds: Self.questionSeconds).milliseconds),
                    .int(Int64(Self.openRequestsMax)), .int(Int64(Self.questionsToOneMax)),
                ])
            guard let row = rows.first else { throw RPCError(.internalError, "the question was not stored") }
            switch try row.optionalText("refusal") {
            case "person":
                throw RPCError(
                    .rateLimited,
                    "you asked them \(Self.questionsToOneMax) times within an hour: wait until they answer",
                    retryAfter: 3_600)
            case "open":
                throw RPCError(.conflict, "\(Self.openRequestsMax) of your questions wait: wait for their answers")
            default: return (try row.int("request"), try row.bool("is_new") ? person : nil)
            }
        }
        if let asked { await signalRequest(id, to: asked, by: account) }
        return try await own(id, of: account)
    }

    private func signalRequest(_ request: Int64, to account: Int64, by author: Int64) async {
        await hub.signals.publish([AccountSignal(account, UserSignal(type: .where, request: request))], by: author)
    }

    private func own(_ id: Int64, of account: Int64) async throws -> LocationRequestReply {
        let found = try await requests("w.id = $1 AND w.from_id = $2", [.int(id), .int(account)])
        guard let request = found.first else { throw Self.noQuestion }
        return LocationRequestReply(request: request)
    }

    /// Removes all questions by and to an account that is disabled or removed, and notifies the other accounts.
    /// - Throws: ``Postgres/PostgresError``; the questions are void regardless once the account is disabled.
    public static func endQuestions(of account: Int64, _ database: PostgresPool, _ hub: Hub) async throws {
        let rows = try await database.query(
            "DELETE FROM where_requests WHERE $1 IN (from_id, to_id) RETURNING id, from_id, to_id", [.int(account)])
        let signals = try rows.map { row in
            let from = try row.int("from_id")
            return AccountSignal(
                from == account ? try row.int("to_id") : from, UserSignal(type: .where, request: try row.int("id")))
        }
        await hub.signals.publish(signals, by: account)
    }

    /// Lists open questions to the caller, and the caller's own of the last day.
    /// - Throws: ``Postgres/PostgresError``.
    public func requests(of identity: Identity) async throws -> SharingRequests.Result {
        let account = identity.account.id
        let time = now()
        let toMe = try await requests(
            "w.to_id = $1 AND w.state = 'open' AND w.expires_at > $2 AND NOT is_blocked($1, w.from_id)",
            [.int(account), .timestamp(time.milliseconds)])
        let mine = try await requests(
            "w.from_id = $1 AND w.at > $2",
            [.int(account), .timestamp(time.advanced(bySeconds: -Timestamp.daySeconds).milliseconds)])
        return SharingRequests.Result(toMe: toMe, mine: mine)
    }

    /// Answers a question once with the caller's location, or declines it.
    /// - Throws: ``Wire/RPCError``: `conflict` while the location is unknown or hidden; ``Postgres/PostgresError``.
    public func answer(_ params: SharingAnswer.Params, by identity: Identity) async throws -> LocationRequestReply {
        let account = identity.account.id
        let time = now()
        var location: SharedLocation?
        if let precision = params.precision { location = try await answerable(of: account, as: precision) }
        let json = try location.map { String(decoding: try WireJSON.encode($0), as: UTF8.self) }
        let rows = try await database.transaction { transaction in
            try await identity.requireValidToken(in: transaction)
            return try await transaction.query(
                """
                UPDATE where_requests w SET state = $3, answer = $4::text::json,
                    expires_at = CASE WHEN $4::text IS NULL THEN w.expires_at ELSE $5 END
                WHERE w.id = $1 AND w.to_id = $2 AND w.state = 'open' AND w.expires_at > $6
                    AND NOT is_blocked($2, w.from_id)
                RETURNING w.from_id
                """,
                [
                    .int(params.request), .int(account), .text(json == nil ? "declined" : "answered"),
                    .optional(json), .timestamp(time.advanced(bySeconds: Self.questionSeconds).milliseconds),
                    .timestamp(time.milliseconds),
                ])
        }
        guard let asker = try rows.first?.int("from_id") else { throw Self.noQuestion }
        await signalRequest(params.request, to: asker, by: account)
        let found = try await requests("w.id = $1 AND w.to_id = $2", [.int(params.request), .int(account)])
        guard let request = found.first else { throw Self.noQuestion }
        return LocationRequestReply(request: request, location: location)
    }

    private func answerable(of account: Int64, as precision: Precision) async throws -> SharedLocation {
        if let shown = await hub.shares.shownLocation(of: account, as: precision) { return shown }
        guard await hub.shares.location(of: account) == nil else {
            throw RPCError(
                .conflict,
                "your location is hidden in a private zone or a residence: answer elsewhere, or decline")
        }
        throw RPCError(.conflict, "your location is not known yet, so send it first: location.report takes it")
    }

    /// Reads and clears an answer, so that only one of several concurrent readers gets it. A void answer becomes read without content.
    /// Blocks are checked again because the check at the answer's time may have missed a concurrent block.
    private static let readSQL = """
        WITH known AS (
            SELECT id, CASE WHEN NOT is_blocked(from_id, to_id) THEN answer END AS answer FROM where_requests
            WHERE id = $1 AND from_id = $2 AND state = 'answered' AND expires_at > $3 FOR UPDATE)
        UPDATE where_requests w SET state = 'read', answer = NULL FROM known k WHERE w.id = k.id
        RETURNING w.to_id, k.answer::text AS answer
        """

    /// Reads an answer once.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func answered(_ params: SharingAnswered.Params, by identity: Identity) async throws -> LocationRequestReply {
        let rows = try await database.query(
            Self.readSQL, [.int(params.request), .int(identity.account.id), .timestamp(now().milliseconds)])
        var reply = try await own(params.request, of: identity.account.id)
        if let row = rows.first, let answer = try row.optionalText("answer") {
            let location = try WireJSON.decode(SharedLocation.self, from: Array(answer.utf8))
            if await isShown(location, of: try row.int("to_id")) { reply.location = location }
        }
        return reply
    }

    /// Whether an exact answer may still be read under the current rules, because the map may have marked a residence there since. Only
    /// exact answers have a source. The coordinates of the others are the centre of a building or zone, which may be suppressed although
    /// the author is elsewhere.
    private func isShown(_ location: SharedLocation, of account: Int64) async -> Bool {
        guard let lat = location.lat, let lon = location.lon, let accuracy = location.accuracy,
            let source = location.source, source != .manual
        else { return true }
        try? await prepare(account)
        return await !hub.shares.isHidden(LatLon(lat, lon), within: accuracy, of: account)
    }

    /// Voids the caller's unread answers, as part of stopping all sharing.
    /// - Throws: ``Postgres/PostgresError``.
    func voidAnswers(of account: Int64) async throws {
        _ = try await database.query("SELECT where_void($1)", [.int(account)])
    }
}
