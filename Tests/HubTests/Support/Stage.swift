import Campus
import EventLoop
import TestSupport
import Wire

@testable import Hub
@testable import HubCore

/// A hub of a test's own, with sessions that need no database.
struct Stage: Sendable {
    static let secondLoop: EventLoop = {
        do { return try EventLoop(label: "second") } catch { fatalError("no event loop: \(error)") }
    }()

    let clock = TestClock()
    let loop = TestDatabase.shared.loop
    let hub: Hub
    let guest = Viewer(accountID: nil)
    let member = Viewer(accountID: 1)

    /// - Parameter firstTickDelay: Of the hub's own ticks. Where a test makes them, one of the hub's would come in between on a busy machine.
    init(firstTickDelay: Duration = .seconds(2)) {
        let clock = clock
        hub = Hub(
            loop: loop, now: { clock.now }, firstTickDelay: firstTickDelay, presenceInterval: .seconds(3_600),
            monotonic: { clock.nanoseconds })
    }

    func viewer(_ loop: EventLoop? = nil) -> RecordingViewer { RecordingViewer(loop: loop ?? self.loop) }

    func session(_ id: Int64, _ audience: Audience = .public, state: SessionState = .running, metres: Double = 0)
        -> Session
    {
        Session(
            id: id, clientId: "", owner: .init(id: id, username: "runner\(id)"), activity: .run, title: "Run",
            state: state, audience: audience, simulated: false, startedAt: clock.now, endedAt: nil, distance: metres,
            elapsed: 0, moving: 0, averageSpeed: 0, points: 0, lastFixAt: nil)
    }

    func fix(_ zone: Int64?, _ longitude: Double = 0, isStationary: Bool = false) -> LiveFix {
        LiveFix(
            position: LatLon(0, longitude), at: clock.now, speed: 3, heading: 90, isStationary: isStationary, zone: zone
        )
    }

    /// Puts a runner into a zone and sends it to whoever watches already.
    func place(_ id: Int64, _ audience: Audience = .public, zone: Int64?) async {
        await hub.sessions.begin(session(id, audience), rate: 1)
        await hub.sessions.move(
            session(id, audience), fix: fix(zone), append: [.init(points: [LatLon(0, 0)], startsPiece: true)])
        await hub.tickNow()
    }

    /// A runner goes on, along the equator.
    func move(_ id: Int64, _ longitude: Double, _ audience: Audience = .public, zone: Int64? = nil) async {
        await hub.sessions.move(session(id, audience), fix: fix(zone, longitude), append: [])
    }

    /// A map looks somewhere, or away.
    func view(
        _ map: MapClient, _ viewport: Viewport?, _ encoding: PositionEncoding, as viewer: Viewer? = nil
    ) async {
        await hub.sessions.view(map, viewport, encoding: encoding, viewer: viewer ?? guest, reply: MapClient.reply)
        await map.settle()
    }

    /// A map has no backlog any more, and gets what it has skipped.
    func catchUp(_ map: MapClient, isSlow: Bool) async {
        map.setBacklog(false)
        await map.settle()
        await hub.refresh(map, topics: map.takeSkipped(), isSlow: isSlow)
        await map.settle()
    }

    func watch(_ viewer: RecordingViewer, zone: Int64, as who: Viewer? = nil) async throws {
        let topic = Topic.zonePositions(zone)
        try await hub.sessions.subscribe(viewer, zone: zone, viewer: who ?? guest, reply: RecordingViewer.reply(topic))
    }

    @discardableResult
    func watch(_ viewer: RecordingViewer, session: Int64, _ access: SessionAccess = .stranger) async throws -> Bool {
        try await hub.sessions.subscribe(
            viewer, session: session, access: access, reply: RecordingViewer.reply(.session(session)))
    }
}

extension SessionAccess {
    static let stranger = SessionAccess(isOwner: false, isMember: false)
    static let member = SessionAccess(isOwner: false, isMember: true)
    static let owner = SessionAccess(isOwner: true, isMember: true)
    static func link(_ id: Int64, until end: Timestamp? = nil) -> SessionAccess {
        SessionAccess(isOwner: false, isMember: false, linkID: id, expiresAt: end)
    }
}

extension Feed {
    /// Does several things in one turn of the loop, so that no tick can come between.
    func inOneIteration<R: Sendable>(_ body: @Sendable (isolated Self) throws -> R) rethrows -> R { try body(self) }
}

extension Hub {
    /// Everything that subscribers leave behind.
    var subscriberTablesAreEmpty: Bool {
        sessions.now { $0.areaFeeds.count == 0 && $0.views.isEmpty && $0.sessionViewers.isEmpty }
            && core.subscriptions.isEmpty && presence.now { $0.sets.isEmpty }
    }
}

extension Actor {
    /// Does something with a feed within ``Hub/inOneTurn(_:)``.
    nonisolated func now<R: Sendable>(_ body: (isolated Self) throws -> R) rethrows -> R { try assumeIsolated(body) }
}

extension SessionFeed {
    /// Zones somebody watches.
    var watchedZoneCount: Int { areaFeeds.count }

    var privateRunnerCount: Int { areaFeeds.privateRunners }

    var occupiedZones: [Int64: Set<Int64>] { areaFeeds.occupiedZones }
}

extension ZoneUpdate {
    var sessions: [Int64] { runners.map(\.session) }
}
