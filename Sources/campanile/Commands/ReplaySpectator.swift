import CampanileClient
import Synchronization
import Wire

/// A guest that subscribes to all zones and measures the time from a runner's send to the arrival of the position.
final class ReplaySpectator: Sendable {
    struct State {
        var latencies: [UInt64] = []
        /// States by zone and session.
        var runners: [Int64: [Int64: RunnerState]] = [:]
        var movingMax = 0
        var zones = 0
        var seen: Set<Int64> = []
    }

    private let state = Mutex(State())
    private let tally: ReplayTally
    private let client: ResilientClient

    init(address: ServerAddress, loops: ClientLoops, tally: ReplayTally) {
        self.tally = tally
        client = ResilientClient(address: address, loops: loops)
    }

    /// Subscribes to all zones, and returns once every snapshot has arrived.
    func start(zones: [ZoneInfo]) async throws {
        await client.start()
        state.withLock { $0.zones = zones.count }
        for zone in zones {
            let events = try await client.subscribe(to: .zone(zone.id))
            Task { await self.watch(zone.id, events) }
        }
    }

    func stop() async { await client.close() }

    var latencies: [UInt64] { state.withLock { $0.latencies } }
    var movingMax: Int { state.withLock { $0.movingMax } }
    var zoneCount: Int { state.withLock { $0.zones } }
    var seenCount: Int { state.withLock { $0.seen.count } }

    private func watch(_ zone: Int64, _ first: AsyncStream<LiveEvent<ZoneSnapshot, ZoneUpdate>>) async {
        var events = first
        while true {
            for await event in events {
                switch event {
                case .snapshot(let snapshot): take(zone, snapshot.runners, left: [], isAll: true, isTimed: false)
                case .update(let update):
                    take(zone, update.runners, left: update.left, isAll: update.full == true, isTimed: true)
                }
            }
            // The stream ends when this program reads too slowly, or with the client.
            guard let next = try? await client.subscribe(to: .zone(zone)) else { return }
            events = next
        }
    }

    private func take(_ zone: Int64, _ runners: [Runner], left: [ZoneUpdate.Left], isAll: Bool, isTimed: Bool) {
        let now = nowNanoseconds()
        let latencies: [UInt64] = runners.compactMap { runner in
            let sent = tally.takeSend(SentPosition(session: runner.session, lat: runner.lat, lon: runner.lon))
            // A snapshot contains positions of unknown age, so that it is not measured.
            return isTimed ? sent.map { now &- $0 } : nil
        }
        state.withLock { state in
            state.latencies += latencies
            if isAll { state.runners[zone] = [:] }
            for gone in left { state.runners[zone]?[gone.session] = nil }
            for runner in runners {
                state.runners[zone, default: [:]][runner.session] = runner.state
                state.seen.insert(runner.session)
            }
            let moving = Set(state.runners.values.flatMap { $0.filter { $0.value == .moving }.keys })
            state.movingMax = max(state.movingMax, moving.count)
        }
    }
}
