import Campus
import EventLoop
import Foundation
import Hub
import HubCore
import Postgres
import Wire

/// Shares of live locations (N-2, B-4, B-5) with an audience, a precision and an expiry. The hub applies each committed change on all
/// nodes before the request is answered.
///
/// An actor on the hub's loop.
public actor Sharing {
    /// Largest number of active shares of an account.
    static let workingMax = 20
    /// Permitted duration of a share, in seconds.
    static let secondsRange = 60.0...86_400
    /// Largest number of shares of each audience in a list of received shares.
    static let listedMax = 200
    /// Largest number of ended shares in a page.
    static let pageMax = 50
    /// Largest number of entries in an access log.
    static let watchesMax = 1_000
    /// Days for which ended shares are kept with their access logs.
    static let keptDays = 30.0
    /// Largest number of ended shares that one call announces.
    static let endsMax = 500
    /// Largest number of shares that one statement removes.
    static let removedMax: Int64 = 200

    static let notYours = RPCError(
        .notFound, "there is no such share of yours: sharing.mine lists the present ones", field: "share")
    static let notShared = RPCError(
        .notFound, "there is no such share, or it is not shared with you: ask its owner", field: "topic")
    static let noSuchUser = RPCError(
        .notFound, "there is no account with this username: check the spelling", field: "username")

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let database: PostgresPool
    private let openings: GroupWriter
    let hub: Hub
    let now: @Sendable () -> Timestamp
    private let clock: ServerClock
    let prepare: @Sendable (Int64) async throws -> Void
    private let isLocationOn: @Sendable (Int64) -> Bool

    /// - Parameters:
    ///   - loop: The hub's loop.
    ///   - openings: Group writer of access records.
    ///   - prepare: Loads an account's privacy rules; until then the account is hidden.
    ///   - isLocationOn: Whether an account has not switched its location off.
    ///   - clock: The server's wall clock.
    public init(
        loop: EventLoop, database: PostgresPool, openings: GroupWriter, hub: Hub,
        prepare: @escaping @Sendable (Int64) async throws -> Void = { _ in },
        isLocationOn: @escaping @Sendable (Int64) -> Bool = { _ in true }, clock: ServerClock = ServerClock()
    ) {
        self.loop = loop
        self.database = database
        self.openings = openings
        self.hub = hub
        self.clock = clock
        now = clock.now
        self.prepare = prepare
        self.isLocationOn = isLocationOn
    }

    // MARK: Own location

    /// Reports the caller's location.
    /// - Throws: ``Wire/RPCError``: `invalidParams`; `conflict` while the location is switched off; `unavailable` if the hub has no
    ///   room, or if the time is in the future and the server's clock is not trusted.
    public func report(_ params: LocationReport.Params, by identity: Identity) async throws -> MyLocation {
        let fix = try fix(params, of: identity.account.id)
        // If PostgreSQL does not answer, the account is hidden, and the next report retries.
        try? await prepare(identity.account.id)
        guard isLocationOn(identity.account.id) else { throw LocationSwitch.off }
        do {
            try await hub.shares.locate(fix, of: identity.account.id)
        } catch is ShareFeed.TooManyLocations {
            throw RPCError(
                .unavailable, "too many people are located at the moment: try again in a minute", retryAfter: 60)
        }
        return await hub.shares.myLocation(of: identity.account.id)
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

    /// Returns the caller's location as this server knows it.
    public func location(of identity: Identity) async -> MyLocation {
        await hub.shares.myLocation(of: identity.account.id)
    }

    /// Forgets the caller's location and voids unread answers.
    /// - Throws: ``Postgres/PostgresError`` if the answers could not be voided; the location is forgotten regardless.
    public func clear(by identity: Identity) async throws -> MyLocation {
        await hub.shares.clearLocation(of: identity.account.id)
        try await voidAnswers(of: identity.account.id)
        return await hub.shares.myLocation(of: identity.account.id)
    }

    // MARK: Viewing

    /// Subscribes a connection to a share. The access record is committed before the first delivery.
    /// - Parameters:
    ///   - identity: Identity of the viewer; nil for a guest.
    ///   - token: Token of a link.
    ///   - reply: Encodes the reply around the snapshot as JSON.
    /// - Throws: ``Wire/RPCError``: ``notShared`` for any refusal; ``Postgres/PostgresError``.
    public func watch(
        _ subscriber: any Subscriber, _ id: Int64, identity: Identity?, token: String?,
        reply: @Sendable (ShareSnapshot) -> [UInt8]
    ) async throws {
        let account = identity?.account.id
        let hash: PostgresValue = token.map { .bytes(Secrets.hash($0)) } ?? .null
        let at = now()
        // Written in groups, because many viewers may open the same share at once, and separate transactions would each wait for the
        // previous commit.
        let answers = try await openings.write([
            PostgresStatement(
                "SELECT share_open($1, $2, $3, $4) AS opening",
                [.int(id), .optional(account), hash, .timestamp(at.milliseconds)]),
            PostgresStatement(
                """
                SELECT \(ShareTable.columns), s.audience = 'group' OR $2::bigint IS NULL OR person_is_buddy(s.account_id, $2)
                    AS is_counted FROM \(ShareTable.tables) WHERE s.id = $1
                """, [.int(id), .optional(account)]),
        ])
        guard let opening = try answers[0].first?.optionalInt("opening"), let row = answers[1].first else {
            throw Self.notShared
        }
        let share = try StoredShare(row)
        do {
            try await hub.shares.watch(
                subscriber, share, account: account, opening: opening, byLink: share.audience == .link,
                isCounted: try row.bool("is_counted"), reply: reply)
        } catch {
            // The owner has no access record: 0 is the number of access that lasts until the end of any share.
            if opening != 0 { try? await ShareTable(database: database).close(openings: [opening], at: now()) }
            if error is ShareFeed.ShareClosed { throw Self.notShared }
            throw error
        }
    }

    // MARK: Expiry

    private static let endsSQL = """
        WITH over AS (
            SELECT id FROM shares WHERE ended_at IS NOT NULL AND NOT is_end_published
                AND (end_published_at IS NULL OR end_published_at <= $2)
            ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)
        UPDATE shares s SET is_end_published = true FROM over o WHERE s.id = o.id
        RETURNING s.id, s.account_id, s.audience, s.person_id, s.conversation_id
        """

    /// Ends expired shares, and announces all ended shares that nobody has announced yet: ends by a session, by a block, or by a server
    /// that stopped in between. Call it once a second.
    /// - Throws: ``Postgres/PostgresError``.
    public func publishEnds() async throws {
        let at = PostgresValue.timestamp(now().milliseconds)
        _ = try await database.query(
            """
            UPDATE shares SET ended_at = expires_at, end_reason = 'expired' WHERE ended_at IS NULL AND expires_at <= $1
            """, [at])
        _ = try await database.query(
            "UPDATE where_requests SET answer = NULL WHERE answer IS NOT NULL AND expires_at <= $1", [at])
        let rows = try await database.query(Self.endsSQL, [.int(Int64(Self.endsMax)), at])
        guard !rows.isEmpty else { return }
        await hub.shares.end(try rows.map { try $0.int("id") })
        for row in rows {
            try await signalShare(
                row.int("id"), of: row.int("account_id"), person: row.optionalInt("person_id"),
                group: row.optionalInt("conversation_id"))
            await Task.yield()
        }
    }

    /// Notifies the owner and the recipients that a share started, changed or ended.
    /// - Parameter isEndDelayed: Whether the share ended and viewers learn of it later; only the owner's devices are notified then.
    func signalShare(_ share: Int64, of owner: Int64, person: Int64?, group: Int64?, isEndDelayed: Bool = false)
        async throws
    {
        var accounts = [owner] + (isEndDelayed ? [] : [person].compactMap(\.self))
        if let group, !isEndDelayed {
            let rows = try await database.query(
                "SELECT account_id FROM members WHERE conversation_id = $1 AND state = 'joined' AND account_id <> $2",
                [.int(group), .int(owner)])
            accounts += try rows.map { try $0.int("account_id") }
        }
        let signal = UserSignal(type: .share, share: share)
        await hub.signals.publish(accounts.map { AccountSignal($0, signal) }, by: owner)
    }

    /// Removes ended shares and old questions after their retention time.
    /// - Throws: ``Postgres/PostgresError``.
    public func prune() async throws {
        let before = now().advanced(bySeconds: -Self.keptDays * Timestamp.daySeconds)
        try await remove("ended_at < $1", [.timestamp(before.milliseconds)])
        _ = try await database.query(
            "DELETE FROM where_requests WHERE at < $1",
            [.timestamp(now().advanced(bySeconds: -Timestamp.daySeconds).milliseconds)])
    }

    /// Removes ended and announced shares with their access logs, in small batches so that no statement takes long.
    /// - Returns: Number of removed shares.
    @discardableResult
    func remove(_ condition: String, _ parameters: [PostgresValue]) async throws -> Int {
        var removed = 0
        while true {
            let rows = try await database.query(
                """
                DELETE FROM shares WHERE id = ANY (ARRAY(
                    SELECT id FROM shares WHERE \(condition) AND ended_at IS NOT NULL AND is_end_published LIMIT \(Self.removedMax)))
                """, parameters)
            removed += rows.affected
            guard Int64(rows.affected) == Self.removedMax else { return removed }
        }
    }
}
