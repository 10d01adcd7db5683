import Campus
import EventLoop
import Foundation
import Hub
import Logging
import Postgres
import Routing
import Wire

/// Routes through the campus and its buildings, and walks, which are live routes (N-1, N-3, B-9).
///
/// An actor on the hub's loop. Searches and everything that takes longer run on workers with immutable maps and weights; a change makes
/// new ones beside them, so that no request waits.
public actor Routes {
    /// Highest number of walks of a server.
    static let walksMax = 20_000
    /// Longest walk, in seconds.
    static let walkSecondsMax = 10_800.0
    /// Seconds for which a walk waits for its owner after its connection was lost.
    static let graceSeconds = 120.0
    /// Highest number of profiles whose weights are kept. The one that was used the longest time ago goes first.
    static let profilesMax = 32
    /// Searches that run at once.
    static let searchesMax = 2
    /// Searches that may wait; further requests get `unavailable`.
    static let searchesWaitingMax = 512
    /// Highest number of unended closures.
    static let closuresMax = 500
    /// Days for which an ended closure is kept.
    static let closureKeptDays = 30.0
    /// Interval of looking at the times of closures, the published heatmap and the version of the campus.
    static let tickInterval = Duration.seconds(1)
    /// Seconds between two attempts to read the network.
    static let loadRetrySeconds = 10.0

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Whether there is something to find routes on.
    enum Availability {
        case loading
        /// No import has brought a network.
        case missing
        /// The stored network cannot be used; the reason.
        case broken(String)
        case ready(RouteMap)
    }

    /// The weights of a profile, and when they were used.
    struct CachedWeights {
        var weights: RouteWeights
        var usedAt: UInt64
    }

    let database: PostgresPool
    let hub: Hub
    let campus: CampusMap
    let events: Events
    let sharing: Sharing
    let now: @Sendable () -> Timestamp
    let monotonic: @Sendable () -> UInt64
    let metrics: RouteMetrics
    let logger: Logger
    let searchers = WorkerPool(label: "routes", concurrentMax: searchesMax, waitingMax: searchesWaitingMax)
    let builder = WorkerPool(label: "route-graph", concurrentMax: 1, waitingMax: 4)
    let finders = RouteFinders()

    var availability = Availability.loading
    var conditions = RouteConditions()
    /// Grows with each change of the map or the conditions.
    var generation: UInt64 = 0
    var weights: [RouteProfile: CachedWeights] = [:]
    private var uses: UInt64 = 0
    /// Closures that have not ended, the latest start first.
    var closures: [Closure] = []
    var walks: [UUID: LiveWalk] = [:] { didSet { metrics.walks.set(walks.count) } }
    /// Sends new routes after the last change; the next change waits for it.
    var rerouting: Task<Void, Never>?
    var isReroutingForCrowd = false
    /// Floor plans by building, of the present map.
    var floors: [Int64: [BuildingFloor]] = [:]

    private let store: CampusStore
    /// The campus version whose network was read; nil before the first.
    private var readVersion: String?
    private var readAgainAt: UInt64 = 0
    /// The last of the changes that run one after the other.
    private var lastChange: Task<Void, Never>?
    private var changesWaiting = 0
    private var sweptAt: UInt64 = 0

    /// - Parameters:
    ///   - loop: The hub's loop.
    ///   - now: The server's wall clock.
    ///   - monotonic: Monotonic nanoseconds, by which walks end.
    public init(
        loop: EventLoop, database: PostgresPool, hub: Hub, campus: CampusMap, events: Events, sharing: Sharing,
        metrics: RouteMetrics = RouteMetrics(), now: @escaping @Sendable () -> Timestamp = { .now },
        monotonic: @escaping @Sendable () -> UInt64 = { EventLoop.nowNanoseconds },
        logger: Logger = Logger(label: "campanile.routes")
    ) {
        self.loop = loop
        self.database = database
        self.hub = hub
        self.campus = campus
        self.events = events
        self.sharing = sharing
        self.metrics = metrics
        self.now = now
        self.monotonic = monotonic
        self.logger = logger
        store = CampusStore(database: database)
    }

    /// Number of walks on this server.
    package var walkCount: Int { walks.count }

    // MARK: Map

    /// The present map.
    /// - Throws: ``Wire/RPCError`` with the reason why there is none.
    func map() throws -> RouteMap {
        switch availability {
        case .ready(let map): return map
        case .loading:
            throw RPCError(.unavailable, "the paths of the campus are being read: ask again in a moment", retryAfter: 1)
        case .missing:
            throw RPCError(.conflict, "the map has no paths yet: ask the operator to import one with footways")
        case .broken(let reason):
            throw RPCError(
                .conflict, "the paths of the map cannot be used (\(reason)): ask the operator to import it again")
        }
    }

    /// Follows the campus, its closures and the heatmap until the task is cancelled.
    public func run() async {
        await hub.routes.setLost { [weak self] walk in self?.assumeIsolated { $0.lost(walk) } }
        await reload()
        while !Task.isCancelled {
            await loop.sleep(for: Self.tickInterval)
            guard !Task.isCancelled else { return }
            await tick()
        }
    }

    /// Looks once whether anything has changed.
    func tick() async {
        endOldWalks()
        if campus.snapshot.info.version != readVersion, monotonic() >= readAgainAt { return await reload() }
        guard changesWaiting == 0 else { return }
        let isDue = Self.closed(closures, at: now()) != conditions.closed
        if await hub.heatmap.published.cells != conditions.cells || isDue {
            await change { await $0.applyConditions() }
        }
    }

    /// Reads the network if it has another version, and the closures. While the database is unreachable, everything stays as it is.
    public func reload() async {
        await change { await $0.readAll() }
    }

    /// Reads the closures again, after a change here or on another node.
    public func reloadClosures() async {
        await change { routes in
            await routes.readClosures()
            await routes.applyConditions()
        }
    }

    /// Runs a change after the ones before it.
    private func change(_ body: @escaping @Sendable (isolated Routes) async -> Void) async {
        let before = lastChange
        changesWaiting += 1
        let task = Task {
            await before?.value
            await body(self)
        }
        lastChange = task
        await task.value
        changesWaiting -= 1
    }

    private func readAll() async {
        let version = campus.snapshot.info.version
        do {
            let stored = try await store.networkVersion()
            if case .ready(let map) = availability, map.version == stored {
                readVersion = version
            } else {
                try await readNetwork()
                readVersion = version
            }
        } catch {
            readAgainAt = monotonic() &+ UInt64(Self.loadRetrySeconds * 1e9)
            if !database.isClosing {
                logger.warning("the network for routes could not be read", metadata: ["error": "\(error)"])
            }
        }
        await readClosures()
        await applyConditions()
    }

    private func readNetwork() async throws {
        guard let (version, bytes) = try await store.network() else { return replaceMap(.missing) }
        do {
            let map = try await builder.run { try RouteMap(version: version, bytes: bytes) }
            replaceMap(.ready(map))
        } catch let error as WorkerPool.Overloaded {
            throw error
        } catch {
            // The same bytes fail again, so that there is no further attempt before the next import.
            logger.error("the network for routes cannot be used: import the map again", metadata: ["error": "\(error)"])
            replaceMap(.broken("\(error)"))
        }
    }

    /// Replaces the map. Routes of another map mean nothing on this one, so that walks end.
    private func replaceMap(_ next: Availability) {
        availability = next
        generation += 1
        weights = [:]
        floors = [:]
        finders.clear()
        conditions = RouteConditions()
        if case .ready(let map) = next { metrics.vertices.set(map.graph.vertexCount) } else { metrics.vertices.set(0) }
        for walk in walks.keys { end(walk, message: "the map has changed: start the route again") }
    }

    // MARK: Weights

    /// The weights of a profile for the present conditions.
    /// - Throws: ``Wire/RPCError``.
    func weights(_ profile: RouteProfile) async throws -> RouteWeights {
        uses += 1
        if let known = weights[profile] {
            weights[profile]?.usedAt = uses
            return known.weights
        }
        let (map, conditions, generation) = (try map(), conditions, generation)
        let made = try await search {
            RouteWeights(map.graph, profile: profile, crowd: conditions.crowd, closures: conditions.closed)
        }
        // With a change in between the weights are those at the time of the request, and are not kept.
        if generation == self.generation { keep(made) }
        return made
    }

    private func keep(_ made: RouteWeights) {
        weights[made.profile] = CachedWeights(weights: made, usedAt: uses)
        guard weights.count > Self.profilesMax else { return }
        let walked = Set(walks.values.map(\.profile))
        let oldest = weights.filter { !walked.contains($0.key) }.min { $0.value.usedAt < $1.value.usedAt }
        if let oldest = oldest ?? weights.min(by: { $0.value.usedAt < $1.value.usedAt }) { weights[oldest.key] = nil }
    }

    /// Runs a search on a worker.
    /// - Throws: ``Wire/RPCError`` `unavailable` if too many wait.
    func search<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        do {
            return try await searchers.run(body)
        } catch is WorkerPool.Overloaded {
            throw RPCError(.unavailable, "too many routes are being found: ask again in a moment", retryAfter: 1)
        }
    }

    // MARK: Ends of walks

    /// Ends walks that last too long, or whose owner has not come back.
    private func endOldWalks() {
        let time = monotonic()
        guard time &- sweptAt > 5_000_000_000 || time < sweptAt else { return }
        sweptAt = time
        for walk in walks.values {
            if let lostAt = walk.lostAt, Double(time &- min(time, lostAt)) / 1e9 > Self.graceSeconds {
                walks[walk.id] = nil
            } else if Double(time &- min(time, walk.startedAt)) / 1e9 > Self.walkSecondsMax {
                end(walk.id, message: "the route is three hours old: start it again")
            }
        }
    }

    /// Ends a walk and notifies its owner.
    func end(_ id: UUID, message: String) {
        guard let walk = walks.removeValue(forKey: id) else { return }
        let update = RouteUpdate(version: walk.version + 1, reason: RouteChange(kind: .end), message: message)
        metrics.updates[.end]?.add()
        hub.routes.assumeIsolated { feed in
            feed.send(RouteFeed.push(update, to: id), to: id)
            feed.close(id)
        }
    }

    /// Ends the walks of an account, which is being erased.
    public func endWalks(of account: Int64) {
        for walk in walks.values where walk.account == account { end(walk.id, message: "the account was removed") }
    }

    /// The connection of a walk has closed.
    private func lost(_ walk: UUID) { walks[walk]?.lostAt = monotonic() }
}
