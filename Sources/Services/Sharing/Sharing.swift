import Campus
import EventLoop
import Foundation
import Hub
import Postgres
import Wire

/// Shares of live locations (N-2, B-4, B-5): with whom, how exactly, until when. What is committed here the hub does at once, on all
/// nodes, before it is answered.
///
/// An actor on its loop, which is the hub's.
public actor Sharing {
    /// Shares of one account that work at a time.
    static let workingMax = 20
    /// Seconds that a share lasts.
    static let secondsRange = 60.0...86_400
    /// Shares of each audience in a list of what is shared with one.
    static let listedMax = 200
    /// Shares that are over in one page.
    static let pageMax = 50
    /// Entries of a receipt.
    static let watchesMax = 1_000
    /// Days that shares which are over are kept, with who watched them.
    static let keptDays = 30.0
    /// Shares whose end is told at a time.
    static let endsMax = 500
    /// Shares that one statement removes.
    static let removedMax: Int64 = 200

    static let notYours = RPCError(
        .notFound, "there is no such share of yours: sharing.mine lists those that work", field: "share")
    static let notShared = RPCError(
        .notFound, "there is no such share, or it is not shared with you: ask its owner", field: "topic")
    static let nobody = RPCError(
        .notFound, "there is nobody with this username: look at how it is written", field: "username")

    /// The loop it runs on.
    public nonisolated let loop: EventLoop
    /// The service runs on its loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let database: PostgresPool
    private let openings: GroupWriter
    let hub: Hub
    let now: @Sendable () -> Timestamp
    private let clock: ServerClock
    let prepare: @Sendable (Int64) async throws -> Void

    /// - Parameters:
    ///   - loop: The hub's.
    ///   - openings: Writes down who watches.
    ///   - prepare: Has in memory what an account tells of where it is; until then it is dark.
    ///   - clock: The server's wall clock.
    public init(
        loop: EventLoop, database: PostgresPool, openings: GroupWriter, hub: Hub,
        prepare: @escaping @Sendable (Int64) async throws -> Void = { _ in },
        clock: ServerClock = ServerClock()
    ) {
        self.loop = loop
        self.database = database
        self.openings = openings
        self.hub = hub
        self.clock = clock
        now = clock.now
        self.prepare = prepare
    }

    // MARK: Where I am

    /// Where the caller is.
    /// - Throws: ``Wire/RPCError``: `invalidParams`; `unavailable` when there is no room, or when the time is in the future by a clock that
    ///   is not trusted.
    public func report(_ params: LocationReport.Params, by identity: Identity) async throws -> MyLocation {
        let fix = try fix(params, of: identity.account.id)
        // When PostgreSQL does not answer it is dark, and the next report asks again.
        try? await prepare(identity.account.id)
        do {
            try await hub.locate(fix, of: identity.account.id)
        } catch is Hub.TooManyLocations {
            throw RPCError(
                .unavailable, "too many people are located at the moment: try again in a minute", retryAfter: 60)
        }
        return await hub.myLocation(of: identity.account.id)
    }

    private func fix(_ params: LocationReport.Params, of account: Int64) throws -> LocatedFix {
        func check(_ name: String, _ value: Double?, _ range: ClosedRange<Double>) throws {
            guard let value, !(value.isFinite && range.contains(value)) else { return }
            throw RPCError.invalid(
                name, "must be \(range.lowerBound.formatted()) to \(range.upperBound.formatted())")
        }
        try check("lat", params.lat, -90...90)
        try check("lon", params.lon, -180...180)
        try check("accuracy", params.accuracy, 0...100_000)
        guard params.accuracy > 0 else { throw RPCError.invalid("accuracy", "must be above 0") }
        try check("heading", params.heading, 0...360)
        try check("speed", params.speed, 0...1_000)
        let time = now()
        let at = params.at ?? time
        if params.at != nil { try clock.check([at], of: account, now: time) }
        guard at.seconds(since: time) <= ServerClock.aheadSecondsMax else {
            throw RPCError.invalid("at", "is in the future: correct the clock by hello's serverTime")
        }
        guard time.seconds(since: at) < ShareLimits.keptSeconds else {
            throw RPCError.invalid("at", "is more than 15 minutes ago: report where you are now")
        }
        return LocatedFix(
            point: try GeoPoint(latitude: params.lat, longitude: params.lon), accuracy: params.accuracy,
            heading: params.heading, speed: params.speed, source: params.source, at: min(at, time))
    }

    /// Where the caller is, as this server has it.
    public func location(of identity: Identity) async -> MyLocation { await hub.myLocation(of: identity.account.id) }

    /// Forgets where the caller is, and voids answers that nobody has read yet.
    /// - Throws: ``Postgres/PostgresError`` when the answers could not be voided; the location is forgotten all the same.
    public func clear(by identity: Identity) async throws -> MyLocation {
        await hub.clearLocation(of: identity.account.id)
        try await voidAnswers(of: identity.account.id)
        return await hub.myLocation(of: identity.account.id)
    }

    // MARK: Watching

    /// A connection watches a share: who it is gets committed before anything is sent to it.
    /// - Parameters:
    ///   - identity: Nil for a guest.
    ///   - token: Of a link.
    ///   - reply: Encodes the reply around the snapshot as JSON.
    /// - Throws: ``Wire/RPCError``: ``notShared`` whatever the reason; ``Postgres/PostgresError``.
    public func watch(
        _ subscriber: any Subscriber, _ id: Int64, identity: Identity?, token: String?,
        reply: @Sendable (ShareSnapshot) -> [UInt8]
    ) async throws {
        let account = identity?.account.id
        let hash: PostgresValue = token.map { .bytes(Secrets.hash($0)) } ?? .null
        let at = now()
        // Many come at once, to the same share: each by itself would wait for the commit of all before it.
        let answers = try await openings.write([
            PostgresStatement(
                "SELECT share_open($1, $2, $3, $4) AS opening",
                [.int(id), .optional(account), hash, .timestamp(at.milliseconds)]),
            PostgresStatement(
                """
                SELECT \(ShareTable.columns), s.audience = 'group' OR $2::bigint IS NULL OR share_acquainted(s.account_id, $2)
                    AS is_counted FROM \(ShareTable.tables) WHERE s.id = $1
                """, [.int(id), .optional(account)]),
        ])
        guard let opening = try answers[0].first?.optionalInt("opening"), let row = answers[1].first else {
            throw Self.notShared
        }
        let share = try StoredShare(row)
        do {
            try await hub.watch(
                subscriber, share, account: account, opening: opening, byLink: share.audience == .link,
                isCounted: try row.bool("is_counted"), reply: reply)
        } catch {
            // The owner has none: 0 is the number of what goes on to the end of a share, whosever it is.
            if opening != 0 { try? await ShareTable(database: database).close(openings: [opening], at: now()) }
            if error is Hub.ShareClosed { throw Self.notShared }
            throw error
        }
    }

    // MARK: What ended by itself

    private static let endsSQL = """
        WITH over AS (
            SELECT id FROM shares WHERE ended_at IS NOT NULL AND NOT is_told AND (end_told_at IS NULL OR end_told_at <= $2)
            ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)
        UPDATE shares s SET is_told = true FROM over o WHERE s.id = o.id
        RETURNING s.id, s.account_id, s.audience, s.person_id, s.conversation_id
        """

    /// Ends what is over by the clock, and tells everybody concerned of what has ended, whoever ended it: a session, a block, a server
    /// that stopped amid it. Call it once a second.
    /// - Throws: ``Postgres/PostgresError``.
    public func tellEnds() async throws {
        let at = PostgresValue.timestamp(now().milliseconds)
        _ = try await database.query(
            """
            UPDATE shares SET ended_at = expires_at, end_reason = 'expired' WHERE ended_at IS NULL AND expires_at <= $1
            """, [at])
        _ = try await database.query(
            "UPDATE where_requests SET answer = NULL WHERE answer IS NOT NULL AND expires_at <= $1", [at])
        let rows = try await database.query(Self.endsSQL, [.int(Int64(Self.endsMax)), at])
        guard !rows.isEmpty else { return }
        await hub.endShares(try rows.map { try $0.int("id") })
        for row in rows {
            try await tell(
                row.int("id"), of: row.int("account_id"), person: row.optionalInt("person_id"),
                group: row.optionalInt("conversation_id"))
            await Task.yield()
        }
    }

    /// Tells those with whom a share is that it began, is another or ended.
    /// - Parameter isHeld: It ended, and viewers learn it later: the owner's devices alone are told.
    func tell(_ share: Int64, of owner: Int64, person: Int64?, group: Int64?, isHeld: Bool = false) async throws {
        var accounts = [owner] + (isHeld ? [] : [person].compactMap(\.self))
        if let group, !isHeld {
            let rows = try await database.query(
                "SELECT account_id FROM members WHERE conversation_id = $1 AND state = 'joined' AND account_id <> $2",
                [.int(group), .int(owner)])
            accounts += try rows.map { try $0.int("account_id") }
        }
        let signal = UserSignal(type: .share, share: share)
        await hub.tell(accounts.map { AccountSignal($0, signal) }, by: owner)
    }

    /// Removes what has been kept long enough.
    /// - Throws: ``Postgres/PostgresError``.
    public func prune() async throws {
        let before = now().advanced(bySeconds: -Self.keptDays * Timestamp.daySeconds)
        try await remove("ended_at < $1", [.timestamp(before.milliseconds)])
        _ = try await database.query(
            "DELETE FROM where_requests WHERE at < $1",
            [.timestamp(now().advanced(bySeconds: -Timestamp.daySeconds).milliseconds)])
    }

    /// Removes shares that are over and of whose end everybody was told, with who watched them: a few at a time, so that no statement
    /// takes long.
    /// - Returns: How many.
    @discardableResult
    func remove(_ condition: String, _ parameters: [PostgresValue]) async throws -> Int {
        var removed = 0
        while true {
            let rows = try await database.query(
                """
                DELETE FROM shares WHERE id = ANY (ARRAY(
                    SELECT id FROM shares WHERE \(condition) AND ended_at IS NOT NULL AND is_told LIMIT \(Self.removedMax)))
                """, parameters)
            removed += rows.affected
            guard Int64(rows.affected) == Self.removedMax else { return removed }
        }
    }
}
