import Bus
import Campus
import EventLoop
import Synchronization
import TestSupport
import Wire

@testable import Hub

/// What PostgreSQL says in a test, when it says anything.
final class FakeBacking: NodeStorage {
    private struct State {
        var truth: [Int64: StoredSessionState] = [:]
        var isAway = false
        var surrendered: [Int64] = []
        var links: Set<Int64> = []
        var blocks: [StoredBlock] = []
    }
    private let state = Mutex(State())

    struct Away: Error {}

    var surrendered: [Int64] { state.withLock { $0.surrendered } }

    func set(_ id: Int64, _ audience: Audience, _ sessionState: SessionState = .running) {
        state.withLock { $0.truth[id] = StoredSessionState(audience: audience, state: sessionState) }
    }

    func store(_ block: StoredBlock) { state.withLock { $0.blocks.append(block) } }

    func set(links: Set<Int64>) { state.withLock { $0.links = links } }

    func set(isAway: Bool) { state.withLock { $0.isAway = isAway } }

    func truth(of sessions: [Int64]) async throws -> [Int64: StoredSessionState] {
        try state.withLock { state in
            guard !state.isAway else { throw Away() }
            return state.truth.filter { sessions.contains($0.key) }
        }
    }

    func working(links: [Int64]) async throws -> Set<Int64> {
        try state.withLock { state in
            guard !state.isAway else { throw Away() }
            return state.links
        }
    }

    func recheckTokens() async throws {}
    func rest(_ session: Int64?) async throws {}
    func surrender(_ session: Int64) async { state.withLock { $0.surrendered.append(session) } }
    func revoked(tokens: [Int64], _ cause: SignOutCause) {}
    func revokedLink() async {}
    func privacyChanged(of account: Int64) async {}
    func recheckPrivacy() async throws {}
    func campusChanged() async {}
}

extension FakeBacking: BlockStore {
    func blocks(above floor: Int64, changedSince version: Int64, limit: Int) async throws -> [StoredBlock] {
        try state.withLock { state in
            guard !state.isAway else { throw Away() }
            return Array(
                state.blocks.filter { $0.version > floor }.sorted { $0.version < $1.version }.prefix(limit))
        }
    }
}

/// Two hubs of one campus, on a network that loses what it is told to, over one PostgreSQL that says what it is told to.
struct TwoHubs: Sendable {
    struct Node: Sendable {
        let hub: Hub
        let bus: LocalBus
    }
    /// As PostgreSQL numbers them.
    private static let fencingTokens = Atomic<Int64>(0)

    let clock = TestClock()
    let loop = TestDatabase.shared.loop
    let network = LocalNetwork()
    let backing = FakeBacking()
    let ownerNode: Node
    let other: Node

    /// - Parameter silenceMax: Behind it a node is given up for lost, which a machine that is busy must not do where nothing is to be lost.
    init(silenceMax: Duration = .seconds(20)) async throws {
        var timing = BusTiming()
        timing.beatInterval = .milliseconds(50)
        timing.beatSpacingMin = .milliseconds(5)
        timing.silenceMax = silenceMax
        timing.settling = .milliseconds(50)
        let (clock, loop, network, backing) = (clock, loop, network, backing)
        func node(_ name: String) async throws -> Node {
            let bus = LocalBus(node: try BusNode(name: name), loop: loop, network: network, timing: timing)
            let hub = Hub(
                loop: loop, now: { clock.now }, firstTickDelay: .milliseconds(1),
                presenceInterval: .milliseconds(10), monotonic: { clock.nanoseconds })
            try await hub.blocks.load(from: backing)
            try await hub.join(bus, backing: backing, logger: TestDatabase.logger)
            // Round the fixes of the tests.
            await hub.sessions.setZones([7: try GeoBox(south: -0.001, west: -0.001, north: 0.001, east: 0.001)])
            return Node(hub: hub, bus: bus)
        }
        ownerNode = try await node("home")
        other = try await node("other")
        try await waitUntilMet()
    }

    func waitUntilMet() async throws {
        for node in [ownerNode, other] {
            _ = try await eventually("the hubs know each other") { await node.hub.isWithOthers ? true : nil }
        }
    }

    func session(
        _ id: Int64, _ audience: Audience = .public, state: SessionState = .running, metres: Double = 0
    ) -> Session {
        Session(
            id: id, clientId: "", owner: .init(id: id, username: "runner\(id)"), activity: .run, title: "Run",
            state: state, audience: audience, simulated: false, startedAt: clock.now, endedAt: nil,
            distance: metres, elapsed: 0, moving: 0, averageSpeed: 0, points: 0, lastFixAt: nil)
    }

    func fix(_ longitude: Double = 0) -> LiveFix {
        LiveFix(
            position: LatLon(0.0005, longitude), at: clock.now, speed: 3, heading: 90, isStationary: false, zone: 7)
    }

    /// A runner at a node, and in PostgreSQL.
    func begin(_ id: Int64, _ audience: Audience = .public, at node: Node) async {
        backing.set(id, audience)
        await node.hub.sessions.begin(
            session(id, audience), rate: 1, fencingToken: Self.fencingTokens.wrappingAdd(1, ordering: .relaxed).newValue
        )
        await node.hub.sessions.move(session(id, audience), fix: fix(), append: [])
    }

    func move(_ id: Int64, _ audience: Audience = .public, metres: Double, at node: Node) async {
        await node.hub.sessions.move(session(id, audience, metres: metres), fix: fix(metres / 1e7), append: [])
    }

    func stop() async {
        for node in [ownerNode, other] {
            await node.hub.leaveNodes()
            await node.bus.close()
        }
    }
}

extension Hub {
    /// It works with another node, and knows how things stand there.
    var isWithOthers: Bool { link.map { !$0.others.isEmpty && !$0.isInDoubt && !$0.isDisconnected } ?? false }
    var isInDoubt: Bool { link?.isInDoubt ?? false }
}

extension SessionFeed {
    var ownedSessionIDs: Set<Int64> { Set(nodes?.owned.keys.map { $0 } ?? []) }

    /// As if another node had said it.
    func receive(_ state: NodeSession, from node: NodeID) { take(state, from: node) }

    /// As if another node had answered it.
    func receive(answer: RouteStep, from node: NodeID) -> RouteAnswer? {
        nodes?.watches[answer.state.session.id].map { take(answer: answer, from: node, $0) }
    }

    func isHidden(_ id: Int64) -> Bool { live[id]?.isHidden ?? false }

    func announcedState(_ id: Int64) -> NodeSession? { state(of: id) }
    var isFollowingUnneeded: Bool { nodes?.listening.values.contains { $0.unwantedSince != nil } ?? false }
    func followedRegionCount() -> Int { nodes?.listening.count ?? 0 }
}

/// A viewer of zone 7 and what it has on its map.
final class ZoneMap: Sendable {
    let viewer: RecordingViewer
    private let state = Mutex((runners: [Int64: Runner](), mentions: [Int64: Int]()))

    init(on node: TwoHubs.Node, loop: EventLoop, _ who: Viewer = Viewer(accountID: nil)) async throws {
        viewer = RecordingViewer(loop: loop)
        try await node.hub.sessions.subscribe(
            viewer, zone: 7, viewer: who, reply: RecordingViewer.reply(.zonePositions(7)))
    }

    /// Everyone on it now.
    func runners() async throws -> [Int64: Runner] {
        for event in try await viewer.events() {
            state.withLock { state in
                switch event {
                case .zoneSnapshot(let snapshot): state.runners = Self.byID(snapshot.runners)
                case .zone(let update):
                    for left in update.left { state.runners[left.session] = nil }
                    state.runners.merge(Self.byID(update.runners)) { $1 }
                    for runner in update.runners { state.mentions[runner.session, default: 0] += 1 }
                default: break
                }
            }
        }
        return state.withLock { $0.runners }
    }

    /// Pushes that had its position.
    func mentions(of id: Int64) async throws -> Int {
        _ = try await runners()
        return state.withLock { $0.mentions[id] ?? 0 }
    }

    func waitFor(_ what: String, _ body: @Sendable ([Int64: Runner]) -> Bool) async throws {
        _ = try await eventually(what) { try await body(self.runners()) ? true : nil }
    }

    private static func byID(_ runners: [Runner]) -> [Int64: Runner] {
        Dictionary(runners.map { ($0.session, $0) }) { $1 }
    }
}
