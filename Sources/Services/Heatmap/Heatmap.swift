import COpenSSL
import Campus
import EventLoop
import Hub
import Postgres
import Wire

/// Who counts in the heatmap. Answered from memory, on the hub's loop; for an account of which nothing is known the answer is the careful
/// one.
public protocol HeatmapMembers: Sendable {
    /// Whether an account has switched it on, and may still be counted at all.
    func isCounted(_ account: Int64) -> Bool
    /// Whether an account shows nothing at a position that is known so exactly.
    func isDark(_ account: Int64, at position: LatLon, within metres: Double) -> Bool
}

/// How many people are where, about (N-1.6): takes positions, counts those who want to be counted, and has the hub publish what may be
/// told of it. What it knows is in memory only.
///
/// An actor on its loop, which is the hub's.
public actor Heatmap {
    /// How long the node that publishes waits for the others' counts.
    static let gatherTime = Duration.seconds(1)
    private static let secretBytes = 32

    /// The loop it runs on.
    public nonisolated let loop: EventLoop
    /// The service runs on its loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let hub: Hub
    private let members: any HeatmapMembers
    private let secret: HeatmapPicture.Secret
    private let now: @Sendable () -> Timestamp
    private let monotonic: @Sendable () -> UInt64
    private let gatherTime: Duration
    private var crowd = HeatmapCrowd()
    private var picture: HeatmapPicture

    /// - Parameters:
    ///   - loop: The hub's.
    ///   - secret: Of the campus, the same on all nodes.
    ///   - now: The server's wall clock.
    ///   - monotonic: Nanoseconds that tell who is not heard of any more.
    ///   - gatherTime: How long the node that publishes waits for the others' counts.
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
        picture = HeatmapPicture(secret: self.secret)
    }

    /// Time for the others' counts to come.
    public static var defaultGatherTime: Duration { gatherTime }

    /// With the secret that all servers of this database share; the first makes it.
    /// - Throws: ``Postgres/PostgresError``.
    public static func make(
        loop: EventLoop, database: PostgresPool, hub: Hub, members: any HeatmapMembers
    ) async throws -> Heatmap {
        let secret = try await StoredSecrets(database: database).secret("heatmap") { Secrets.randomBytes(secretBytes) }
        return Heatmap(loop: loop, hub: hub, members: members, secret: secret)
    }

    /// Numbers that nobody without the key can tell from dice: HMAC-SHA256.
    public static func secret(from key: [UInt8]) -> HeatmapPicture.Secret {
        { place, window, look in
            var input = Array("heatmap\0".utf8)
            for word in [place.bits, UInt64(bitPattern: window), UInt64(look)] {
                withUnsafeBytes(of: word.bigEndian) { input.append(contentsOf: $0) }
            }
            var digest = [UInt8](repeating: 0, count: 32)
            var length: UInt32 = 0
            HMAC(EVP_sha256(), key, Int32(key.count), input, input.count, &digest, &length)
            return digest[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    // MARK: Who is where

    /// Somebody is there now, as their device says. On the hub's loop it is done at once.
    /// - Parameter accuracy: Metres.
    public nonisolated func note(account: Int64, position: LatLon, accuracy: Double) {
        let take: @Sendable () -> Void = { [self] in
            assumeIsolated { $0.take(account, position, accuracy) }
        }
        if loop.isCurrent { take() } else { loop.execute(take) }
    }

    private func take(_ account: Int64, _ position: LatLon, _ accuracy: Double) {
        guard accuracy <= HeatmapRules.accuracyMax, members.isCounted(account),
            !members.isDark(account, at: position, within: accuracy),
            let point = try? GeoPoint(latitude: position.latitude, longitude: position.longitude)
        else { return crowd.forget(account) }
        crowd.note(account, at: point, now: monotonic())
    }

    /// An account's settings or private zones changed, or it is gone: it counts again from its next position on, if it does.
    public nonisolated func forget(account: Int64) {
        let forget: @Sendable () -> Void = { [self] in assumeIsolated { $0.crowd.forget(account) } }
        if loop.isCurrent { forget() } else { loop.execute(forget) }
    }

    // MARK: Epochs

    /// Publishes at the end of each epoch until the task is cancelled.
    public func run() async {
        let length = HeatmapRules.epochSeconds * 1_000
        while !Task.isCancelled {
            // A timer may be early by less than that.
            let wait = length - now().milliseconds % length + 5
            await loop.sleep(for: .milliseconds(wait))
            guard !Task.isCancelled else { return }
            await endEpoch()
        }
    }

    /// The epoch that ended last is counted and published, or told to the node that publishes.
    func endEpoch() async {
        let epoch = HeatmapRules.epoch(at: now())
        let reports = crowd.reports(now: monotonic(), isCounted: members.isCounted)
        if await hub.leadsHeatmap, await hub.sharesHeatmap { await loop.sleep(for: gatherTime) }
        guard await hub.leadsHeatmap else {
            // What another node has published since cannot be compared with it.
            picture = HeatmapPicture(secret: secret)
            return await hub.tell(heatmap: reports)
        }
        let people = HeatmapCrowd.distinct([reports] + (await hub.heatmapCounts))
        _ = picture.end(epoch, with: people)
        let ended = Timestamp(milliseconds: epoch * HeatmapRules.epochSeconds * 1_000)
        await hub.publish(heatmap: HeatmapUpdate(serverTime: ended, cells: picture.cells))
    }

    // MARK: Along a route

    /// How many people are along a route: of what is published, nothing else.
    /// - Throws: ``Wire/RPCError`` naming `route`.
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
        let published = await hub.heatmapByPlace()
        guard let parts = HeatmapRoute.parts(of: route, over: published.people) else {
            throw RPCError.invalid(
                "route",
                "is at most \(Int(HeatmapRoute.lengthMax / 1_000)) km long and crosses at most \(HeatmapRoute.cutsMax) edges of cells: ask for parts of it"
            )
        }
        return HeatmapAlong.Result(serverTime: published.serverTime, parts: parts)
    }
}
