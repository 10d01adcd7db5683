import Campus
import Hub
import Postgres
import Wire

/// Start, change and end of shares.
extension Sharing {
    /// Recipients of a new share.
    private struct Audience: Sendable {
        var person: Int64?
        var group: Int64?
        var tokenHash: [UInt8]?
    }

    /// Starts a share of the caller's location.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func start(_ params: SharingStart.Params, by identity: Identity) async throws -> SharingStart.Result {
        if params.audience == .campus { try identity.requireConfirmedAddress() }
        let account = identity.account.id
        let clientID = try Inputs.clientID(params.clientId, "clientId")
        let seconds = try Self.seconds(params.expiresIn)
        guard params.audience == .person || params.username == nil && params.account == nil else {
            throw RPCError.invalid(
                params.username == nil ? "account" : "username", "is for the audience person only")
        }
        guard params.audience == .group || params.group == nil else {
            throw RPCError.invalid("group", "is for the audience group only")
        }
        let at = now()
        let token = params.audience == .link ? Secrets.makeToken() : nil
        let (id, isNew) = try await database.transaction { transaction -> (Int64, Bool) in
            let locked = try await transaction.query(
                "SELECT 1 FROM accounts WHERE id = $1 AND disabled_at IS NULL FOR NO KEY UPDATE", [.int(account)])
            guard locked.first != nil else { throw RPCError(.unauthenticated, "sign in again") }
            try await identity.requireValidToken(in: transaction)
            let known = try await transaction.query(
                "SELECT id FROM shares WHERE account_id = $1 AND client_id = $2", [.int(account), .uuid(clientID)])
            if let row = known.first { return (try row.int("id"), false) }
            try await LocationSwitch.requireOn(for: account, in: transaction)
            try await Self.demandRoom(for: account, at: at, transaction)
            let audience = try await Self.audience(params, by: account, transaction)
            if let session = params.session {
                let rows = try await transaction.query(
                    "SELECT 1 FROM sessions WHERE id = $1 AND account_id = $2 AND state <> 'finished' FOR SHARE",
                    [.int(session), .int(account)])
                guard rows.first != nil else {
                    throw RPCError(
                        .notFound, "there is no such running session of yours: tracking.current lists them",
                        field: "session")
                }
            }
            let rows = try await transaction.query(
                """
                INSERT INTO shares (account_id, client_id, audience, person_id, conversation_id, precision, session_id,
                    secret, started_at, chosen_at, expires_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10) RETURNING id
                """,
                [
                    .int(account), .uuid(clientID), .text(params.audience.rawValue), .optional(audience.person),
                    .optional(audience.group), .text(params.precision.rawValue), .optional(params.session),
                    .int(Self.secret()), .timestamp(at.milliseconds),
                    .timestamp(at.advanced(bySeconds: seconds).milliseconds),
                ])
            guard let id = try rows.first?.int("id") else { throw RPCError(.internalError, "no share was made") }
            if let token {
                _ = try await transaction.query(
                    "UPDATE shares SET token_hash = $2 WHERE id = $1",
                    [.int(id), .bytes(Secrets.hash(Self.token(token, of: id)))])
            }
            return (id, true)
        }
        let share = try await changed(id, of: account)
        let link = isNew ? token.map { Self.token($0, of: id) } : nil
        return SharingStart.Result(share: share, path: link.map { "/l/\($0)" }, token: link)
    }

    /// The token starts with the share's id, from which the page knows which share to request.
    private static func token(_ secret: String, of share: Int64) -> String { "\(share).\(secret)" }

    private static func secret() -> Int64 {
        Secrets.randomBytes(8).reduce(0) { $0 << 8 | Int64($1) }
    }

    private static func seconds(_ seconds: Double) throws -> Double {
        guard seconds.isFinite, secondsRange.contains(seconds) else {
            throw RPCError.invalid("expiresIn", "must be 60 to 86400 seconds")
        }
        return seconds
    }

    private static func demandRoom(
        for account: Int64, at time: Timestamp, _ transaction: PostgresTransaction
    ) async throws {
        let rows = try await transaction.query(
            "SELECT count(*) AS count FROM shares WHERE account_id = $1 AND ended_at IS NULL AND expires_at > $2",
            [.int(account), .timestamp(time.milliseconds)])
        guard try rows.first?.int("count") ?? 0 < Int64(workingMax) else {
            throw RPCError(.conflict, "you have \(workingMax) shares: stop one first")
        }
    }

    private static func audience(
        _ params: SharingStart.Params, by account: Int64, _ transaction: PostgresTransaction
    ) async throws -> Audience {
        switch params.audience {
        case .campus, .link: return Audience()
        case .person:
            return Audience(
                person: try await person(params.username, params.account, for: account, transaction))
        case .group:
            guard let group = params.group else { throw RPCError.invalid("group", "say which") }
            let rows = try await transaction.query(
                """
                SELECT 1 FROM members m JOIN conversations c ON c.id = m.conversation_id
                WHERE m.conversation_id = $1 AND m.account_id = $2 AND m.state = 'joined' AND c.kind = 'group' AND c.is_open
                FOR SHARE OF m
                """, [.int(group), .int(account)])
            guard rows.first != nil else {
                throw RPCError(
                    .notFound, "there is no such group of yours: chat.list has them", field: "group")
            }
            return Audience(group: group)
        }
    }

    /// Finds one of the caller's buddies by account, or any person by username.
    static func person(
        _ username: String?, _ buddy: Int64?, for account: Int64, _ transaction: PostgresTransaction
    ) async throws -> Int64 {
        guard let buddy else {
            guard let username else { throw RPCError.invalid("username", "say whose") }
            return try await person(username, for: account, transaction)
        }
        guard username == nil else { throw RPCError.invalid("account", "is given in place of username") }
        let rows = try await transaction.query(
            """
            SELECT 1 FROM buddies b JOIN accounts a ON a.id = $2 AND a.disabled_at IS NULL
            WHERE b.low_id = least($1, $2) AND b.high_id = greatest($1, $2)
            """, [.int(account), .int(buddy)])
        guard rows.first != nil else {
            throw RPCError(.notFound, "there is no such buddy of yours: buddies.list has them", field: "account")
        }
        return buddy
    }

    /// Finds the account of a username. An account that blocks the caller is found like any other but never sees the share; a different
    /// answer would reveal the block.
    static func person(
        _ username: String, for account: Int64, _ transaction: PostgresTransaction
    ) async throws -> Int64 {
        let rows = try await transaction.query(
            """
            SELECT a.id, EXISTS (SELECT FROM blocks b WHERE b.is_on AND b.blocker_id = $2 AND b.blocked_id = a.id)
                AS is_blocked
            FROM accounts a WHERE a.username_key = $1 AND a.disabled_at IS NULL
            """, [.text(Inputs.key(Inputs.trimmed(username))), .int(account)])
        guard let row = rows.first, try !row.bool("is_blocked") else { throw noSuchUser }
        let id = try row.int("id")
        guard id != account else { throw RPCError.invalid("username", "is your own: choose another account") }
        return id
    }

    /// Changes a share's precision or expiry.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func change(_ params: SharingChange.Params, by identity: Identity) async throws -> SharingReply {
        guard params.precision != nil || params.expiresIn != nil else {
            throw RPCError.invalid("precision", "or expiresIn is to be given")
        }
        let at = now()
        let expiresAt = try params.expiresIn.map { at.advanced(bySeconds: try Self.seconds($0)) }
        return try await markingInDoubt([params.share], of: identity.account.id) {
            let rows = try await database.query(
                """
                UPDATE shares SET precision = coalesce($3, precision), expires_at = coalesce($4, expires_at),
                    chosen_at = CASE WHEN $3 <> precision THEN greatest($5, chosen_at + interval '1 millisecond') ELSE chosen_at END
                WHERE id = $1 AND account_id = $2 AND ended_at IS NULL AND expires_at > $5 RETURNING id
                """,
                [
                    .int(params.share), .int(identity.account.id), .optional(params.precision?.rawValue),
                    .optional(timestamp: expiresAt?.milliseconds), .timestamp(at.milliseconds),
                ])
            guard rows.first != nil else { throw Self.notYours }
            return SharingReply(share: try await changed(params.share, of: identity.account.id))
        }
    }

    /// Passes a committed change to the hub and notifies the people concerned. Repeating the request repeats this, because the server may
    /// have stopped in between or failed to read PostgreSQL after the commit.
    private func changed(_ id: Int64, of account: Int64) async throws -> Share {
        let stored = try await ShareTable(database: database, now: now).shares([id]).first
        if let stored {
            await hub.shares.changed(stored)
            try? await signalShare(id, of: account, person: stored.person, group: stored.group)
        }
        guard let share = try await shares("s.id = $2", [.int(id)], of: account).first else { throw Self.notYours }
        return share
    }

    // MARK: End

    /// Ends a share and returns its access log; for an ended share it only returns the log.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func stop(_ params: ShareParams, by identity: Identity) async throws -> SharingReceipt {
        let account = identity.account.id
        return try await markingInDoubt([params.share], of: account) {
            let known = try await database.query(
                "SELECT 1 FROM shares WHERE id = $1 AND account_id = $2", [.int(params.share), .int(account)])
            guard known.first != nil else { throw Self.notYours }
            try await end(params.share, of: account, with: [params.share])
            return try await receipt(params, of: identity)
        }
    }

    /// Ends all shares of the caller, voids unread answers, and forgets the reported locations. A pinned location stays, because without
    /// it the next share would reveal the true one.
    /// - Throws: ``Postgres/PostgresError``.
    public func stopAll(by identity: Identity) async throws -> SharingStopAll.Result {
        let account = identity.account.id
        await hub.shares.clearReports(of: account)
        let here = Array(await hub.shares.ids(of: account))
        return try await markingInDoubt(here, of: account) {
            try await voidAnswers(of: account)
            return SharingStopAll.Result(stopped: try await end(nil, of: account, with: here))
        }
    }

    /// Ends shares. Viewers of a share that hides its owner learn of the end later, see ``Campus/HiddenEndClock``. The `CASE` is
    /// necessary: `least` ignores nulls and would delay every other end until the share's expiry.
    private static let endSQL = """
        UPDATE shares s SET ended_at = greatest($3, started_at), end_reason = 'stopped', end_published_at = h.at,
            is_end_published = h.at IS NULL
        FROM (SELECT o.id, CASE WHEN u.at IS NOT NULL THEN least(u.at, o.expires_at) END AS at FROM shares o
            LEFT JOIN unnest($4::bigint[], $5::timestamptz[]) u (share, at) ON u.share = o.id
            WHERE o.account_id = $1 AND o.ended_at IS NULL AND ($2::bigint IS NULL OR o.id = $2)) h
        WHERE h.id = s.id AND s.ended_at IS NULL
        RETURNING s.id, s.person_id, s.conversation_id
        """

    /// Ends shares in the database and in the hub, and notifies the people concerned.
    /// - Parameters:
    ///   - share: Share to end; nil for all of the account's.
    ///   - known: Shares that may have ended already. The hub ends them again, in case an earlier server stopped in between or missed the
    ///     commit's answer.
    @discardableResult
    private func end(_ share: Int64?, of account: Int64, with known: [Int64]) async throws -> [Int64] {
        let hidden = try await hiddenEnds(of: account, share).sorted { $0.key < $1.key }
        let rows = try await database.query(
            Self.endSQL,
            [
                .int(account), .optional(share), .timestamp(now().milliseconds), .intArray(hidden.map(\.key)),
                .timestampArray(hidden.map(\.value.milliseconds)),
            ])
        let ids = try rows.map { try $0.int("id") }
        let held = try await held(Array(Set(ids + known)))
        await hub.shares.delayEnds(held)
        await hub.shares.end(Array(Set(ids + known).subtracting(held.keys)))
        for row in rows {
            let id = try row.int("id")
            try? await signalShare(
                id, of: account, person: row.optionalInt("person_id"), group: row.optionalInt("conversation_id"),
                isEndDelayed: held[id] != nil)
        }
        return ids
    }

    /// Returns an account's active shares whose location is hidden now, each with the time at which its viewers would learn of an end
    /// now.
    /// - Parameter share: Restricts the call to one share; nil for all.
    /// - Throws: ``Postgres/PostgresError``.
    public func hiddenEnds(of account: Int64, _ share: Int64? = nil) async throws -> [Int64: Timestamp] {
        await hub.shares.hiddenEnds(
            of: try await ShareTable(database: database, now: now).started(
                "account_id = $1 AND ($2::bigint IS NULL OR id = $2)", [.int(account), .optional(share)]))
    }

    /// Ends delivery of shares whose end is committed, on all nodes. If the database cannot be read, all of them count as hidden until it
    /// can.
    public func ended(_ shares: [Int64]) async {
        guard !shares.isEmpty else { return }
        let later = now().advanced(bySeconds: Double(HiddenEndClock.stepMilliseconds) / 1_000)
        let held = (try? await held(shares)) ?? shares.reduce(into: [:]) { $0[$1] = later }
        await hub.shares.delayEnds(held)
        await hub.shares.end(shares.filter { held[$0] == nil })
    }

    /// Returns those of the given shares that have ended and whose viewers learn of it later, with that time.
    private func held(_ shares: [Int64]) async throws -> [Int64: Timestamp] {
        try await ShareTable(database: database, now: now).held("id = ANY ($1::bigint[])", .intArray(shares))
    }

    /// Runs a restriction of shares. If it fails, the shares are in doubt: the hub withholds them until it has read their state from
    /// PostgreSQL.
    private func markingInDoubt<Value: Sendable>(
        _ shares: [Int64], of account: Int64, _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch {
            let own = await hub.shares.ids(of: account)
            let doubtful = shares.filter(own.contains)
            if !doubtful.isEmpty { await hub.shares.markInDoubt(doubtful) }
            throw error
        }
    }
}
