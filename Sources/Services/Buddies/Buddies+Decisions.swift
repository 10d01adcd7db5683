import Postgres
import Wire

/// Decisions and matches (W-4, W-5).
extension Buddies {
    /// Accepts or passes a person. A repeated decision has no effect. An acceptance can be withdrawn before it is matched; a pass is
    /// final.
    ///
    /// A pass is never revealed: accepting a person who passed has the same answer as accepting one who has not decided.
    /// - Throws: ``Wire/RPCError``: ``notSuggested``; `conflict`; `rateLimited` after ``decisionsPerDayMax``.
    public func decide(_ identity: Identity, _ params: BuddiesDecide.Params) async throws -> BuddiesDecide.Result {
        let pair = Pair(identity.account.id, params.account)
        _ = try await standing(pair.one).requireReady(today: today)
        guard pair.one != pair.other else { throw Self.notSuggested }
        let time = now()
        let candidates = candidateParameters(of: pair.one)
        let outcome = try await database.transaction { transaction in
            let before = try await Decision.read(transaction, pair, candidates, at: time)
            return try await before.take(params.accept, pair, transaction, at: time)
        }
        if outcome.isNew, let conversation = outcome.result.conversation {
            await events.opened(conversation, pair.accounts)
        }
        return outcome.result
    }

    /// Ends a match for both accounts; neither is suggested to the other again.
    /// - Throws: ``Wire/RPCError`` `notFound` if the account is not a buddy.
    public func remove(_ identity: Identity, _ params: AccountParams) async throws -> BuddiesRemove.Result {
        let pair = Pair(identity.account.id, params.account)
        let time = now()
        let conversation = try await database.transaction { transaction in
            _ = try await transaction.query(Accounts.lock, [.intArray(pair.accounts)])
            return try await Self.part(pair, transaction, at: time)
        }
        guard let conversation else {
            throw RPCError(.notFound, "this is no buddy of yours", field: "account")
        }
        await events.closed(conversation, pair.accounts)
        return params
    }

    /// Ends a match if there is one. Call it under ``Accounts/lock``.
    /// - Returns: The conversation that ended with the match.
    static func part(_ pair: Pair, _ transaction: PostgresTransaction, at time: Timestamp) async throws -> Int64? {
        let rows = try await transaction.query(
            "DELETE FROM buddies WHERE low_id = $1 AND high_id = $2 RETURNING conversation_id",
            [.int(pair.low), .int(pair.high)])
        guard let row = rows.first else { return nil }
        _ = try await transaction.batch([
            PostgresStatement(
                """
                UPDATE buddy_decisions SET accepts = false
                WHERE (account_id = $1 AND other_id = $2) OR (account_id = $2 AND other_id = $1)
                """, [.int(pair.one), .int(pair.other)]),
            PostgresStatement(
                "SELECT chat_close_direct($1, $2, $3)",
                [.int(pair.one), .int(pair.other), .timestamp(time.milliseconds)]),
        ])
        return try row.int("conversation_id")
    }
}

/// State between two accounts at the time of a decision. Read under ``Accounts/lock``.
private struct Decision {
    /// Outcome of a decision.
    struct Outcome: Sendable {
        let result: BuddiesDecide.Result
        /// Whether this decision produced a match.
        var isNew = false
    }

    /// Earlier decision of the caller; `theirs` is the other account's.
    let mine: Bool?
    let theirs: Bool?
    /// Conversation of the two if they are buddies.
    let conversation: Int64?
    /// Whether the other account could be on the deck.
    let isCandidate: Bool
    /// Number of decisions in the last 24 hours; `first` is the time of the first of them.
    let count: Int
    let first: Int64?
    let buddies: Int

    static func read(
        _ transaction: PostgresTransaction, _ pair: Pair, _ candidates: [PostgresValue], at time: Timestamp
    ) async throws -> Decision {
        let yesterday = time.advanced(bySeconds: -Timestamp.daySeconds)
        // The second statement's snapshot is taken under the first statement's locks.
        let answers = try await transaction.batch([
            PostgresStatement(Accounts.lock, [.intArray(pair.accounts)]),
            PostgresStatement(sql, candidates + [.int(pair.other), .timestamp(yesterday.milliseconds)]),
        ])
        guard let row = answers.last?.first else { throw RPCError(.internalError, "the decision cannot be read") }
        return Decision(
            mine: try row.optionalBool("mine"), theirs: try row.optionalBool("theirs"),
            conversation: try row.optionalInt("conversation"), isCandidate: try row.bool("is_candidate"),
            count: Int(try row.int("count")), first: try row.optionalTimestamp("first"),
            buddies: Int(try row.int("buddies")))
    }

    private static let sql = """
        SELECT (SELECT accepts FROM buddy_decisions WHERE account_id = $1 AND other_id = $4) AS mine,
            (SELECT accepts FROM buddy_decisions WHERE account_id = $4 AND other_id = $1) AS theirs,
            (SELECT conversation_id FROM buddies WHERE low_id = least($1, $4::bigint) AND high_id = greatest($1, $4::bigint))
                AS conversation,
            (SELECT count(*) FROM buddies WHERE low_id = $1 OR high_id = $1) AS buddies,
            EXISTS (SELECT \(Candidates.relation) AND b.account_id = $4) AS is_candidate, count(recent.at), min(recent.at) AS first
        FROM (SELECT at FROM buddy_decisions WHERE account_id = $1 AND at > $5) recent
        """

    func take(
        _ accepts: Bool, _ pair: Pair, _ transaction: PostgresTransaction, at time: Timestamp
    ) async throws -> Outcome {
        if let conversation {
            guard accepts else {
                throw RPCError(.conflict, "you are buddies: buddies.remove ends that", field: "accept")
            }
            return Outcome(result: .init(matched: true, conversation: conversation))
        }
        let open = Outcome(result: .init(matched: false, conversation: nil))
        switch mine {
        case accepts: return open
        case false: throw RPCError(.conflict, "you passed this person, which is final", field: "accept")
        case true:
            _ = try await transaction.query(
                "UPDATE buddy_decisions SET accepts = false WHERE account_id = $1 AND other_id = $2",
                [.int(pair.one), .int(pair.other)])
            return open
        default: break
        }
        guard isCandidate else { throw Buddies.notSuggested }
        try requireRoom(accepts, at: time)
        _ = try await transaction.query(
            "INSERT INTO buddy_decisions (account_id, other_id, accepts, at) VALUES ($1, $2, $3, $4)",
            [.int(pair.one), .int(pair.other), .bool(accepts), .timestamp(time.milliseconds)])
        guard accepts, theirs == true else { return open }
        return Outcome(
            result: .init(matched: true, conversation: try await Self.match(pair, transaction, at: time)), isNew: true)
    }

    private func requireRoom(_ accepts: Bool, at time: Timestamp) throws {
        if count >= Buddies.decisionsPerDayMax {
            let end = Timestamp(milliseconds: first ?? time.milliseconds).advanced(bySeconds: Timestamp.daySeconds)
            throw RPCError(
                .rateLimited, "you decided \(Buddies.decisionsPerDayMax) times within a day: try again later",
                retryAfter: max(1, end.seconds(since: time)))
        }
        guard !accepts || buddies < Buddies.buddiesMax else {
            throw RPCError(.conflict, "you have \(Buddies.buddiesMax) buddies: remove one first")
        }
    }

    private static func match(
        _ pair: Pair, _ transaction: PostgresTransaction, at time: Timestamp
    ) async throws -> Int64 {
        let rows = try await transaction.query(
            """
            INSERT INTO buddies (low_id, high_id, conversation_id, matched_at)
            SELECT $1, $2, chat_open_direct($1, $2, $3), $3 RETURNING conversation_id
            """, [.int(pair.low), .int(pair.high), .timestamp(time.milliseconds)])
        guard let row = rows.first else { throw RPCError(.internalError, "the match was not stored") }
        return try row.int("conversation_id")
    }
}
