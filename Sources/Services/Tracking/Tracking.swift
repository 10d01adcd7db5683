import Campus
import DequeModule
import EventLoop
import Foundation
import Hub
import Logging
import Postgres
import Wire

/// Tracking sessions (U-4, U-5, B-8): filters points, stores them and publishes them through the hub.
///
/// An actor on its loop. A session's requests are handled one at a time, and nothing is acknowledged before its commit.
public actor Tracking {
    /// Largest length of a title.
    static let titleCharactersMax = TextLimit.sessionTitle.max
    /// Title of a session without one (U-4.1).
    static let titleDefault = "Urban Adventure"
    /// Largest number of points of a session; more than two days at one point a second.
    static let sessionPointsMax = 200_000
    /// Largest sequence number.
    static let seqMax: Int64 = 1_000_000_000
    /// Largest number of unfinished sessions of an account.
    static let unfinishedPerAccountMax = 5
    /// Largest number of sessions in memory; a further one evicts an arbitrary one, which its next request loads again.
    static let recordsMax = 50_000

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let database: PostgresPool
    let writer: GroupWriter
    let hub: Hub
    let campus: CampusMap
    let blocks: BlockTable
    let rules: PrivacyRules
    let now: @Sendable () -> Timestamp
    let clock: ServerClock
    let logger: Logger
    let routes: WorkerPool
    var records: [Int64: SessionRecord] = [:]
    let locks = SessionLocks()
    lazy var pointGroups = makePointGroups()
    /// Whether this is the only node that serves the campus.
    var isAlone = true
    /// Receives the positions of accounts that track themselves.
    var located: (@Sendable (Int64, LocatedFix) -> Void)?
    /// Counts revoked links, so that a pending subscription detects a revocation.
    var linkRevocations: UInt64 = 0

    /// - Parameters:
    ///   - writer: Group writer of points and other changes, whose `groupWindow` is 0; see `DatabaseClients`.
    ///   - rules: Suppression areas of accounts; nil creates a separate cache.
    ///   - clock: The server's wall clock.
    ///   - routes: Workers that filter and draw long sessions, which would block the loop.
    public init(
        loop: EventLoop, database: PostgresPool, writer: GroupWriter, hub: Hub, campus: CampusMap,
        rules: PrivacyRules? = nil, clock: ServerClock = ServerClock(),
        logger: Logger = Logger(label: "campanile.tracking"),
        routes: WorkerPool = WorkerPool(label: "routes", concurrentMax: 1, waitingMax: 64)
    ) {
        self.loop = loop
        self.database = database
        blocks = BlockTable(database: database)
        self.writer = writer
        self.hub = hub
        self.campus = campus
        self.rules = rules ?? PrivacyRules(loop: loop, database: database, campus: campus)
        self.clock = clock
        now = clock.now
        self.logger = logger
        self.routes = routes
    }

    /// Sets the handler of positions.
    /// - Parameter located: Called on the hub's loop with each position of a live session that may be drawn.
    public func setLocated(_ located: @escaping @Sendable (Int64, LocatedFix) -> Void) { self.located = located }

    // MARK: Start

    /// Starts a session, or returns the one that was started with the same client id.
    /// - Throws: ``Wire/RPCError``.
    public func start(_ identity: Identity, _ params: TrackingStart.Params) async throws -> SessionReply {
        guard UUID(uuidString: params.clientId) != nil else {
            throw RPCError.invalid("clientId", "must be a UUID, such as one of crypto.randomUUID()")
        }
        if params.audience ?? .private != .private { try identity.requireConfirmedAddress() }
        let title = try Self.title(params.title)
        let sessionClock = try Self.clock(params.clock, for: identity)
        if let startedAt = params.startedAt { try clock.check([startedAt], of: identity.account.id, now: now()) }
        let startedAt = try startTime(params.startedAt)
        if let existing = try await find(clientID: params.clientId, of: identity) {
            return SessionReply(session: existing.session)
        }
        let places = await liveSuppressionAreas(of: identity.account.id)
        guard var record = try await insert(params, title, sessionClock, startedAt, identity) else {
            guard let existing = try await find(clientID: params.clientId, of: identity) else {
                throw RPCError(.internalError, "the session was not stored")
            }
            return SessionReply(session: existing.session)
        }
        // A concurrent start with the same client id may have found the row, and its points may be here already.
        return try await withLock(record.session.id, for: identity) {
            if let known = records[record.session.id] { return SessionReply(session: known.session) }
            record.shown = try PublicPart.draw(record, [], places).part
            keep(record)
            let (session, own) = views(of: record)
            await hub.sessions.begin(session, rate: record.clock.speed, own: own, fencingToken: record.fencingToken)
            await hub.notices.refreshHold(of: identity.account.id)
            return SessionReply(session: record.session)
        }
    }

    /// Inserts the session's row.
    /// - Returns: Nil if a session with that client id exists.
    private func insert(
        _ params: TrackingStart.Params, _ title: String, _ clock: SessionClock, _ startedAt: Timestamp,
        _ identity: Identity
    ) async throws -> SessionRecord? {
        try await database.transaction { transaction in
            // Serialises the starts of an account, so that the limit holds and a repeated request finds the first session.
            _ = try await transaction.query(
                "SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE", [.int(identity.account.id)])
            let rows = try await transaction.query(
                """
                WITH s AS (
                    INSERT INTO sessions (account_id, client_id, activity, title, audience, simulated, clock_kind,
                        clock_speed, started_at, fencing_token)
                    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, nextval('session_fencing_tokens'))
                    ON CONFLICT (account_id, client_id) DO NOTHING RETURNING *)
                SELECT \(SessionRecord.columns), s.fencing_token FROM s JOIN accounts a ON a.id = s.account_id
                """,
                [
                    .int(identity.account.id), .uuid(params.clientId), .text(params.activity.rawValue), .text(title),
                    .text((params.audience ?? .private).rawValue), .bool(identity.account.simulated),
                    .text(clock.kind.rawValue), .double(clock.speed), .timestamp(startedAt.milliseconds),
                ])
            guard let row = rows.first else { return nil }
            if now().seconds(since: startedAt) < LocationSwitch.lateSeconds {
                try await LocationSwitch.requireOn(for: identity.account.id, in: transaction)
            }
            let unfinished = try await transaction.query(
                "SELECT count(*) AS n FROM sessions WHERE account_id = $1 AND state <> 'finished'",
                [.int(identity.account.id)])
            guard try unfinished.first?.int("n") ?? 0 <= Self.unfinishedPerAccountMax else {
                throw RPCError(
                    .conflict, "\(Self.unfinishedPerAccountMax) sessions are running already: stop one first")
            }
            var record = try SessionRecord(row, pauses: [])
            record.fencingToken = try row.int("fencing_token")
            return record
        }
    }

    static func title(_ text: String?) throws -> String {
        guard !Inputs.trimmed(text).isEmpty else { return titleDefault }
        return try Inputs.name(text, "title", charactersMax: titleCharactersMax)
    }

    private static func clock(_ clock: SessionClock?, for identity: Identity) throws -> SessionClock {
        guard let clock, clock.kind == .recorded else { return SessionClock(kind: .live, speed: 1) }
        guard identity.account.simulated else {
            throw RPCError(
                .forbidden, "only simulated accounts may use a recorded clock", field: "clock")
        }
        guard clock.speed.isFinite, (0.1...1_000).contains(clock.speed) else {
            throw RPCError.invalid("clock.speed", "must be 0.1 to 1000")
        }
        return clock
    }

    private func startTime(_ startedAt: Timestamp?) throws -> Timestamp {
        let now = now()
        guard let startedAt else { return now }
        guard startedAt.seconds(since: now) <= ServerClock.aheadSecondsMax else {
            throw RPCError.invalid("startedAt", "is in the future: correct the clock by hello's serverTime")
        }
        guard now.seconds(since: startedAt) <= TimeRules.startedAgoSecondsMax else {
            throw RPCError.invalid("startedAt", "is more than 24 h ago")
        }
        return min(startedAt, now)
    }

    /// Lists the caller's unfinished sessions, newest first.
    public func current(_ identity: Identity) async throws -> [Session] {
        try await list(
            "WHERE s.account_id = $1 AND s.state <> 'finished' ORDER BY s.started_at DESC, s.id DESC",
            [.int(identity.account.id)])
    }

    // MARK: Loading

    /// Loads the sessions that were unfinished when the server stopped. Call it once, before serving.
    /// - Parameter isAlone: Whether this is the only node. With several nodes, a session is loaded when a client tracks it here; until
    ///   then it is shown as stored.
    public func restore(isAlone: Bool = true) async throws {
        self.isAlone = isAlone
        guard isAlone else { return try await rest(nil) }
        let rows = try await database.query("SELECT id FROM sessions WHERE state <> 'finished' ORDER BY id")
        for row in rows {
            let id = try row.int("id")
            do {
                if let found = try await find(id) { _ = try await load(found) }
            } catch let error where !(error is PostgresError) {
                // One unreadable row must not keep the server from starting.
                logger.error("a session could not be loaded", metadata: ["session": "\(id)", "error": "\(error)"])
            }
        }
    }

    /// Returns the record of a session for writing, from memory or from the database. Call it with the session's lock held.
    /// - Throws: ``Wire/RPCError`` `notFound` for a session that does not exist or is not the caller's.
    func record(_ id: Int64, ownedBy identity: Identity) async throws -> SessionRecord {
        let kept = records[id]
        if let kept, kept.fencingToken != 0 {
            guard kept.session.owner.id == identity.account.id else { throw Self.notYours }
            return kept
        }
        guard let taken = try await take(id, of: identity) else { throw Self.notYours }
        guard var kept, kept.isAsStored(taken), kept.session.audience == taken.session.audience,
            kept.session.title == taken.session.title
        else {
            return try await load(taken)
        }
        // No other server has written the session since this one loaded it.
        kept.fencingToken = taken.fencingToken
        records[id] = kept
        return kept
    }

    /// Makes this server the owner of a session by drawing a new fencing token. Writes by the previous owner fail from then on, and the
    /// committed ones are visible.
    /// - Returns: Nil for a session that does not exist or is not the caller's.
    private func take(_ id: Int64, of identity: Identity) async throws -> SessionRecord? {
        let rows = try await database.query(
            """
            WITH s AS (
                UPDATE sessions SET fencing_token = nextval('session_fencing_tokens') WHERE id = $1 AND account_id = $2 RETURNING *)
            SELECT \(SessionRecord.columns), s.fencing_token FROM s JOIN accounts a ON a.id = s.account_id
            """, [.int(id), .int(identity.account.id)])
        guard let row = rows.first else { return nil }
        var record = try SessionRecord(row, pauses: try await pauses(of: [id])[id] ?? [])
        record.fencingToken = try row.int("fencing_token")
        return record
    }

    static let notYours = RPCError(.notFound, "there is no such session of yours", field: "session")

    /// Completes a session's record from its stored points and, unless it is finished, publishes it through the hub.
    func load(_ found: SessionRecord) async throws -> SessionRecord {
        guard found.session.state != .finished else {
            // The hub may still show the session if the answer to the stop's commit was lost.
            await end(found)
            return found
        }
        var record = found
        let places = await liveSuppressionAreas(of: record.session.owner.id)
        let stored = try await withStoredPoints(of: record.session.id) { try StoredPoints(of: found, $0, places) }
        record.resume(from: stored)
        keep(record)
        let (session, own) = views(of: record, fix: liveFix(of: record), route: stored.drawn.pieces)
        await hub.sessions.begin(
            session, rate: record.clock.speed, route: stored.shown.routeShown(stored.drawn.pieces),
            fix: shownFix(of: record), own: own, fencingToken: record.fencingToken)
        return record
    }

    /// The last shown point as a fix with its true age.
    func liveFix(of record: SessionRecord) -> LiveFix? {
        record.lastShown.map { liveFix(at: $0, of: record, isStanding: record.filter.isStanding) }
    }

    func liveFix(at shown: SessionRecord.ShownPoint, of record: SessionRecord, isStanding: Bool) -> LiveFix {
        let time = now()
        let at = record.clock.kind == .live ? min(Timestamp(milliseconds: shown.milliseconds), time) : time
        return LiveFix(
            position: shown.position, at: at, speed: shown.speed, heading: shown.heading, isStationary: isStanding,
            zone: campus.zone(at: shown.position))
    }

    func keep(_ record: SessionRecord) {
        if records.count >= Self.recordsMax, records[record.session.id] == nil, let idle = records.keys.first {
            records[idle] = nil
        }
        records[record.session.id] = record
    }

    private func find(clientID: String, of identity: Identity) async throws -> SessionRecord? {
        try await find("s.account_id = $1 AND s.client_id = $2", [.int(identity.account.id), .uuid(clientID)])
    }

    func find(_ id: Int64) async throws -> SessionRecord? { try await find("s.id = $1", [.int(id)]) }

    private func find(_ condition: String, _ parameters: [PostgresValue]) async throws -> SessionRecord? {
        let rows = try await database.query(
            "SELECT \(SessionRecord.columns) FROM sessions s JOIN accounts a ON a.id = s.account_id WHERE \(condition)",
            parameters)
        guard let row = rows.first else { return nil }
        return try SessionRecord(row, pauses: try await pauses(of: [try row.int("id")])[try row.int("id")] ?? [])
    }

    func pauses(of sessions: [Int64]) async throws -> [Int64: [GPSFilter.Pause]] {
        guard !sessions.isEmpty else { return [:] }
        let rows = try await database.query(
            """
            SELECT session_id, from_at, to_at FROM pauses WHERE session_id = ANY($1::bigint[])
            ORDER BY session_id, from_at
            """, [.intArray(sessions)])
        var pauses: [Int64: [GPSFilter.Pause]] = [:]
        for row in rows {
            pauses[try row.int("session_id"), default: []].append(
                .init(
                    fromMilliseconds: try row.timestamp("from_at"), toMilliseconds: try row.optionalTimestamp("to_at")))
        }
        return pauses
    }

    func list(_ condition: String, _ parameters: [PostgresValue]) async throws -> [Session] {
        let rows = try await database.query(
            "SELECT \(SessionRecord.columns) FROM sessions s JOIN accounts a ON a.id = s.account_id \(condition)",
            parameters)
        let pauses = try await pauses(of: try rows.map { try $0.int("id") })
        return try rows.map { try SessionRecord($0, pauses: pauses[try $0.int("id")] ?? []).session }
    }
}
