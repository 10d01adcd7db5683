import COpenSSL
import Campus
import EventLoop
import Hub
import Postgres
import Wire

/// Decides which accounts the heatmap counts. Answers from memory on the hub's loop; for unknown accounts it gives the more private
/// answer.
public protocol HeatmapMembers: Sendable {
    /// Whether an account has enabled the heatmap and may be counted.
    func isCounted(_ account: Int64) -> Bool
    /// Whether an account is hidden at a position, given its accuracy in metres.
    func isHidden(_ account: Int64, at position: LatLon, within metres: Double) -> Bool
}

/// Approximate density of people (N-1.6). Collects positions of accounts that permit it, counts them, and publishes the anonymised counts
/// through the hub. All data is in memory only.
///
/// An actor on the hub's loop.
public actor Heatmap {
    /// Time for which the publishing node waits for the counts of other nodes.
    static let gatherTime = Duration.seconds(1)
    private static let secretBytes = 32

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let hub: Hub
    private let members: any HeatmapMembers
    private let secret: HeatmapSnapshot.Secret
    private let now: @Sendable () -> Timestamp
    private let monotonic: @Sendable () -> UInt64
    private let gatherTime: Duration
    private var crowd = HeatmapCrowd()
    private var snapshot: HeatmapSnapshot

    /// Creates the service of the heatmap.
    /// - Parameters:
    ///   - loop: The hub's loop.
    ///   - secret: Secret of the campus, the same on all nodes.
    ///   - now: The server's wall clock.
    ///   - monotonic: Monotonic clock in nanoseconds, by which positions expire.
    ///   - gatherTime: Time for which the publishing node waits for the counts of other nodes.
    public init(
        loop: EventLoop, hub: Hub, members: any HeatmapMembers, secret: [UInt8],
        now: @escaping @Sendable () -> Timestamp = { .now },
        monotonic: @escaping @Sendable () -> UInt64 = { EventLoop.nowNanoseconds },
        gatherTime: Duration = Heatmap.defaultGatherTime
    ) {
        self.loop = loop
        self.hub = hub
        self.members = members
        self.secret = Self.secret(from: secret)
        self.now = now
        self.monotonic = monotonic
        self.gatherTime = gatherTime
        snapshot = HeatmapSnapshot(secret: self.secret)
    }

    /// Default of `gatherTime`.
    public static var defaultGatherTime: Duration { gatherTime }

    /// Creates the service with the secret that all servers of the database share; the first server creates it.
    /// - Throws: ``Postgres/PostgresError``.
    public static func make(
        loop: EventLoop, database: PostgresPool, hub: Hub, members: any HeatmapMembers
    ) async throws -> Heatmap {
        let secret = try await StoredSecrets(database: database).secret("heatmap") { Secrets.randomBytes(secretBytes) }
        return Heatmap(loop: loop, hub: hub, members: members, secret: secret)
    }

    /// Pseudorandom function keyed by `key` (HMAC-SHA256), whose output nobody without the key can distinguish from random numbers.
    public static func secret(from key: [UInt8]) -> HeatmapSnapshot.Secret {
        { place, window, evaluation in
            var input = Array("heatmap\0".utf8)
            for word in [place.bits, UInt64(bitPattern: window), UInt64(evaluation)] {
                withUnsafeBytes(of: word.bigEndian) { input.append(contentsOf: $0) }
            }
            var digest = [UInt8](repeating: 0, count: 32)
            var length: UInt32 = 0
            HMAC(EVP_sha256(), key, Int32(key.count), input, input.count, &digest, &length)
            return digest[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    // MARK: Positions

    /// Records an account's current position, inline if called on the hub's loop.
    /// - Parameter accuracy: Accuracy in metres.
    public nonisolated func note(account: Int64, position: LatLon, accuracy: Double) {
        let take: @Sendable () -> Void = { [self] in
            assumeIsolated { $0.take(account, position, accuracy) }
        }
        if loop.isCurrent { take() } else { loop.execute(take) }
    }

    private func take(_ account: Int64, _ position: LatLon, _ accuracy: Double) {
        guard accuracy <= HeatmapRules.accuracyMax, members.isCounted(account),
            !members.isHidden(account, at: position, within: accuracy),
            let point = try? GeoPoint(latitude: position.latitude, longitude: position.longitude)
        else { return crowd.forget(account) }
        crowd.note(account, at: point, now: monotonic())
    }

    /// Forgets an account after a change of its settings or private zones, or its removal. Its next position counts again if permitted.
    public nonisolated func forget(account: Int64) {
        let forget: @Sendable () -> Void = { [self] in assumeIsolated { $0.crowd.forget(account) } }
        if loop.isCurrent { forget() } else { loop.execute(forget) }
    }

    // MARK: Epochs

    /// Publishes at the end of each epoch until the task is cancelled.
    public func run() async {
        let length = HeatmapRules.epochSeconds * 1_000
        while !Task.isCancelled {
            // Timers can fire up to 5 ms early.
            let wait = length - now().milliseconds % length + 5
            await loop.sleep(for: .milliseconds(wait))
            guard !Task.isCancelled else { return }
            await endEpoch()
        }
    }

    /// Counts the epoch that just ended and publishes the result, or sends it to the publishing node.
    func endEpoch() async {
        let epoch = HeatmapRules.epoch(at: now())
        let reports = crowd.reports(now: monotonic(), isCounted: members.isCounted)
        if await hub.heatmap.isPublisher, await hub.heatmap.hasOtherNodes { await loop.sleep(for: gatherTime) }
        guard await hub.heatmap.isPublisher else {
            // Noise state is only comparable with counts that this node published itself.
            snapshot = HeatmapSnapshot(secret: secret)
            return await hub.heatmap.sendCount(reports)
        }
        let people = HeatmapCrowd.distinct([reports] + (await hub.heatmap.otherCounts))
        _ = snapshot.end(epoch, with: people)
        let ended = Timestamp(milliseconds: epoch * HeatmapRules.epochSeconds * 1_000)
        await hub.heatmap.publish(HeatmapUpdate(serverTime: ended, cells: snapshot.cells))
    }

    // MARK: Along a route

    /// Returns the published numbers of people along a route.
    /// - Throws: ``Wire/RPCError`` with the field `route`.
    public func along(_ params: HeatmapAlong.Params) async throws -> HeatmapAlong.Result {
        guard (2...HeatmapRoute.positionsMax).contains(params.route.count) else {
            throw RPCError.invalid("route", "has 2 to \(HeatmapRoute.positionsMax) positions")
        }
        let route = try params.route.map { position in
            guard let point = try? GeoPoint(latitude: position.latitude, longitude: position.longitude),
                abs(point.latitude) <= HeatmapRoute.latitudeMax
            else {
                throw RPCError.invalid(
                    "route",
                    "has latitudes of -\(Int(HeatmapRoute.latitudeMax)) to \(Int(HeatmapRoute.latitudeMax)), longitudes of -180 to 180"
                )
            }
            return point
        }
        let published = await hub.heatmap.publishedByPlace()
        guard let parts = HeatmapRoute.parts(of: route, over: published.people) else {
            throw RPCError.invalid(
                "route",
                "is at most \(Int(HeatmapRoute.lengthMax / 1_000)) km long and crosses at most \(HeatmapRoute.cutsMax) edges of cells: "
                    + "ask for parts of it"
            )
        }
        return HeatmapAlong.Result(serverTime: published.serverTime, parts: parts)
    }
}
