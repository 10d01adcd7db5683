import Campus
import EventLoop
import Foundation
import Hub
import HubCore
import Logging
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

/// The services over a real database, with a clock that the test moves.
///
/// Most tests share one migrated database and tell themselves apart by their accounts.
struct World: Sendable {
    static let simulationKey = "the operator's key"
    /// Rows of zones 1 and 2, side by side on the equator, each about 1.1 km wide.
    static let zoneWidth = 0.01

    let clock: TestClock
    /// The same as the services have it; the kernel says nothing of it.
    let serverClock: ServerClock
    let access: PrivateCluster.Access
    let pool: PostgresPool
    let writer: GroupWriter
    let hub: Hub
    let campus: CampusMap
    let accounts: Accounts
    let tracking: Tracking
    let table: PublicationTable
    let publisher: TransactionWriter
    let publications: Publications
    var loop: EventLoop { pool.loop }

    /// On the shared database, through connections that all tests share.
    init() async throws { self.init(sharing: try await MigratedDatabase.shared.common()) }

    private init(sharing common: World) {
        self.init(
            access: common.access, clock: TestClock(), pool: common.pool, writer: common.writer,
            publisher: common.publisher)
    }

    /// On a database that the test made; close it.
    /// - Parameter patience: How long statements wait for a connection; all tests at once on a slow machine need more.
    init(
        access: PrivateCluster.Access, clock: TestClock = TestClock(), patience: Duration = .seconds(2),
        connections: Int = 2, publishTimeout: Duration = .seconds(10)
    ) {
        var configuration = access.application
        configuration.connectionsMax = connections
        configuration.acquireTimeout = patience
        let loop = TestDatabase.shared.loop
        var publishing = configuration
        publishing.queryTimeout = publishTimeout
        self.init(
            access: access, clock: clock,
            pool: PostgresPool(configuration: configuration, loop: loop, logger: TestDatabase.logger),
            writer: GroupWriter(
                configuration: configuration, loop: loop, logger: TestDatabase.logger),
            publisher: TransactionWriter(
                configuration: publishing, loop: loop, logger: TestDatabase.logger))
    }

    private init(
        access: PrivateCluster.Access, clock: TestClock, pool: PostgresPool, writer: GroupWriter,
        publisher: TransactionWriter,
        routes: WorkerPool = WorkerPool(label: "routes", concurrentMax: 1, waitingMax: 64)
    ) {
        (self.access, self.clock, self.pool, self.writer) = (access, clock, pool, writer)
        self.publisher = publisher
        table = PublicationTable(database: pool)
        hub = Hub(
            loop: pool.loop, now: { clock.now }, firstTickDelay: HubCore.tickInterval, store: table,
            monotonic: { clock.nanoseconds })
        campus = Self.campus
        accounts = Accounts(
            loop: pool.loop, database: pool, passwords: Passwords(cost: .init(logN: 4, r: 8, p: 1)),
            simulationKey: Self.simulationKey, monotonic: { clock.nanoseconds })
        serverClock = ServerClock(
            now: { clock.now }, uptime: { clock.nanoseconds }, isSynchronised: { false }, logger: TestDatabase.logger)
        tracking = Tracking(
            loop: pool.loop, database: pool, writer: writer, hub: hub, campus: campus, clock: serverClock,
            logger: TestDatabase.logger, routes: routes)
        publications = Publications(
            loop: pool.loop, table: table, writer: publisher, hub: hub, campus: campus, now: { clock.now },
            hasTestTopics: true, logger: TestDatabase.logger)
    }

    /// The services as they are after a restart: nothing in memory, the same database.
    /// - Parameter routes: Judges and draws long sessions.
    func restarted(routes: WorkerPool = WorkerPool(label: "routes", concurrentMax: 1, waitingMax: 64)) -> World {
        World(access: access, clock: clock, pool: pool, writer: writer, publisher: publisher, routes: routes)
    }

    func close() async {
        await publisher.close()
        await hub.logs.forgetAll()
        await writer.close()
        await pool.close()
    }

    private static let campus: CampusMap = {
        let zones = (1...2).compactMap { id -> Zone? in
            let west = Double(id - 1) * zoneWidth
            guard let box = try? GeoBox(south: -0.005, west: west, north: 0.005, east: west + zoneWidth),
                let polygon = try? box.polygon()
            else { return nil }
            return Zone(id: Int64(id), ref: "A\(id)", name: "Sector A\(id)", polygons: [polygon])
        }
        let map = CampusMap()
        map.replace(
            with: .init(
                info: CampusInfo(
                    id: 1, name: "Test", version: "1", bounds: nil,
                    zones: zones.map { ZoneInfo(id: $0.id, ref: $0.ref, name: $0.name) }),
                zones: ZoneIndex(zones: zones), geoJSON: []))
        return map
    }()

    // MARK: People

    static func name() -> String { "u" + UUID().uuidString.filter { $0 != "-" }.prefix(15).lowercased() }

    func register(
        _ username: String = World.name(), email: String? = nil, password: String = "Passw0rd",
        key: String? = nil, address: String = "192.0.2.1", client: ClientDescription = "tests"
    ) async throws -> (SignedIn, Identity) {
        try await accounts.register(
            .init(
                username: username, email: email ?? "\(username)@example.org", password: password, simulationKey: key),
            address: address, client: client)
    }

    func member() async throws -> Identity { try await register().1 }

    func simulated() async throws -> Identity { try await register(key: Self.simulationKey).1 }

    func login(_ email: String, _ password: String, address: String = "192.0.2.1") async throws -> (SignedIn, Identity)
    {
        try await accounts.login(.init(email: email, password: password), address: address, client: "tests")
    }

    // MARK: Sessions

    func start(
        _ identity: Identity, audience: Audience? = nil, title: String? = nil, at: Timestamp? = nil,
        clientID: String = UUID().uuidString, clock: SessionClock? = nil
    ) async throws -> Session {
        try await tracking.start(
            identity,
            .init(
                activity: .run, clientId: clientID, title: title, audience: audience, startedAt: at, clock: clock)
        ).session
    }

    @discardableResult
    func send(_ points: [TrackPoint], to session: Session, as identity: Identity) async throws -> TrackingPoints.Result
    {
        try await tracking.points(identity, .init(session: session.id, points: points))
    }

    func pause(_ session: Session, at: Timestamp? = nil, as who: Identity) async throws -> Session {
        try await tracking.pause(who, .init(session: session.id, at: at)).session
    }

    func resume(_ session: Session, at: Timestamp? = nil, as who: Identity) async throws -> Session {
        try await tracking.resume(who, .init(session: session.id, at: at)).session
    }

    @discardableResult
    func stop(_ session: Session, at: Timestamp? = nil, as who: Identity) async throws -> Session {
        try await tracking.stop(who, .init(session: session.id, at: at)).session
    }

    /// What the database holds of a session, and nobody's memory.
    func stored(_ session: Session) async throws -> Stored {
        let rows = try await pool.query(
            "SELECT seq, distance, moving, reason FROM points WHERE session_id = $1 ORDER BY seq", [.int(session.id)])
        let sums = try await pool.query(
            "SELECT distance, moving, points, last_seq FROM sessions WHERE id = $1", [.int(session.id)])
        return Stored(
            points: try rows.map { row in
                Stored.Point(
                    seq: try row.int("seq"), distance: try row.double("distance"), moving: try row.double("moving"),
                    reason: try row.optionalText("reason"))
            }, distance: try sums[0].double("distance"), moving: try sums[0].double("moving"),
            count: try sums[0].int("points"), lastSeq: try sums[0].int("last_seq"))
    }

    // MARK: Watching

    func watch(
        _ viewer: RecordingViewer, _ session: Int64, as identity: Identity? = nil, share: String? = nil
    ) async throws -> [UInt8]? {
        try await tracking.watch(
            viewer, session: session, identity: identity, share: share, reply: RecordingViewer.reply(.session(session)))
    }

    func watch(_ viewer: RecordingViewer, zone: Int64, as identity: Identity? = nil) async throws {
        try await hub.sessions.subscribe(
            viewer, zone: zone, viewer: Viewer(accountID: identity?.account.id),
            reply: RecordingViewer.reply(.zonePositions(zone)))
    }
}

/// Rows of one session.
struct Stored: Equatable {
    struct Point: Equatable {
        var seq: Int64
        var distance: Double
        var moving: Double
        var reason: String?
    }
    var points: [Point]
    var distance: Double
    var moving: Double
    var count: Int64
    var lastSeq: Int64
}

/// Databases with the product's schema.
actor MigratedDatabase {
    static let shared = MigratedDatabase()
    static let migrations = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../sql")
        .standardizedFileURL.path

    private var made: Task<World, any Error>?

    /// The one that tests share.
    func common() async throws -> World {
        if let made { return try await made.value }
        let task = Task { World(access: try await own(), patience: .seconds(120)) }
        made = task
        return try await task.value
    }

    /// One of the caller's own.
    func own() async throws -> PrivateCluster.Access {
        try await TestDatabase.shared.makeMigratedDatabase()
    }

    static func migrate(_ access: PrivateCluster.Access, directory: String) async throws {
        let migrator = Migrator(
            directory: directory, configuration: access.owner, applicationRole: PrivateCluster.applicationRole,
            loop: TestDatabase.shared.loop, workers: TestDatabase.shared.workers, logger: TestDatabase.logger)
        _ = try await migrator.apply()
    }
}

/// Runs `body` and gives the error a client would hear; records an issue when there is none, or one that is our fault.
func refusal(
    _ code: ErrorCode, sourceLocation: Testing.SourceLocation = #_sourceLocation,
    _ body: () async throws -> some Sendable
) async -> RPCError? {
    do {
        _ = try await body()
        Issue.record("expected \(code.name)", sourceLocation: sourceLocation)
        return nil
    } catch {
        let received = RPCError.clientError(error)
        #expect(received?.registered == code, "\(error)", sourceLocation: sourceLocation)
        return received
    }
}
