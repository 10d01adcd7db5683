import CampanileClient
import Synchronization
import Wire

/// Median, 99th percentile and maximum of durations.
struct LatencySummary: Sendable, Codable {
    let count: Int
    let p50Milliseconds: Double
    let p99Milliseconds: Double
    let maxMilliseconds: Double

    /// Nil for an empty array.
    init?(nanoseconds: [UInt64]) {
        guard !nanoseconds.isEmpty else { return nil }
        let sorted = nanoseconds.sorted()
        func at(_ part: Double) -> Double {
            Double(sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))]) / 1_000_000
        }
        count = sorted.count
        p50Milliseconds = at(0.5)
        p99Milliseconds = at(0.99)
        maxMilliseconds = at(1)
    }

    var text: String { "p50 \(milliseconds(p50Milliseconds)) ms, p99 \(milliseconds(p99Milliseconds)) ms" }

    var textWithMax: String { "\(text), max \(milliseconds(maxMilliseconds)) ms" }

    private func milliseconds(_ value: Double) -> String { fixed(value, value < 10 ? 1 : 0) }
}

/// Progress of all runners of a replay, for the progress line and the report.
final class ReplayTally: Sendable {
    /// Number of latest replies whose latency the progress line summarises.
    static let recentMax = 1_000
    /// Number of replies whose latency the report summarises; later ones are left out.
    static let latenciesMax = 1_000_000

    struct Runner: Sendable {
        var acknowledged = 0
        var refused: [String: Int] = [:]
        var isActive = false
        /// Time since which a reply is due, in nanoseconds of the monotonic clock.
        var waitingSince: UInt64?
    }

    struct State: Sendable {
        var runners: [Runner]
        var retries = 0
        var latencies: [UInt64] = []
        /// Longest time from a point to its acknowledgement, including outages.
        var longestDelay: UInt64 = 0
        var reconnections = 0
        /// Time at which each position was first sent, for the spectator.
        var sends: [SentPosition: UInt64] = [:]
    }

    let pointsTotal: Int
    private let remembersSends: Bool
    private let state: Mutex<State>

    init(plans: [ReplayPlan], remembersSends: Bool) {
        pointsTotal = plans.reduce(0) { $0 + $1.points.count }
        self.remembersSends = remembersSends
        state = Mutex(State(runners: Array(repeating: Runner(), count: plans.count)))
    }

    var snapshot: State { state.withLock { $0 } }

    func runner(_ index: Int) -> Runner { state.withLock { $0.runners[index] } }

    func setActive(_ isActive: Bool, _ index: Int) { state.withLock { $0.runners[index].isActive = isActive } }

    /// Records that the runner waits for a reply, unless it waits already.
    func waits(_ index: Int) {
        let now = nowNanoseconds()
        state.withLock { $0.runners[index].waitingSince = $0.runners[index].waitingSince ?? now }
    }

    func waitsNoMore(_ index: Int) { state.withLock { $0.runners[index].waitingSince = nil } }

    /// Handlers for the events of a runner's uploader.
    func events(of index: Int, ledger: ReplayLedger?) -> TrackEvents {
        TrackEvents(
            onStarted: { _ in self.waitsNoMore(index) },
            onSend: { session, points, now in self.sent(session, points, now) },
            onAcknowledged: { acknowledgement in
                ledger?.append(acknowledgement)
                self.acknowledged(acknowledgement, index)
            },
            onRetry: { _ in self.state.withLock { $0.retries += 1 } })
    }

    private func sent(_ session: Int64, _ points: [TrackPoint], _ now: UInt64) {
        guard remembersSends else { return }
        state.withLock { state in
            for point in points {
                let key = SentPosition(session: session, lat: point.lat, lon: point.lon)
                state.sends[key] = state.sends[key] ?? now
            }
        }
    }

    private func acknowledged(_ acknowledgement: TrackAcknowledgement, _ index: Int) {
        state.withLock { state in
            state.runners[index].acknowledged += acknowledgement.points.count
            for remark in acknowledgement.refused { state.runners[index].refused[remark.reason, default: 0] += 1 }
            state.runners[index].waitingSince = nil
            state.longestDelay = max(
                state.longestDelay, acknowledgement.acknowledgedNanoseconds &- acknowledgement.addedNanoseconds)
            if state.latencies.count < Self.latenciesMax {
                state.latencies.append(
                    acknowledgement.acknowledgedNanoseconds &- acknowledgement.sentNanoseconds)
            }
        }
    }

    func addReconnections(_ count: Int) { state.withLock { $0.reconnections += count } }

    /// Removes and returns the time at which a position was first sent.
    func takeSend(_ key: SentPosition) -> UInt64? { state.withLock { $0.sends.removeValue(forKey: key) } }
}

/// A position of a session as a key for recognising it in a publication, rounded to a ten-millionth of a degree, about a centimetre.
struct SentPosition: Hashable, Sendable {
    let session: Int64
    let lat: Int64
    let lon: Int64

    init(session: Int64, lat: Double, lon: Double) {
        self.session = session
        self.lat = Int64((lat * 1e7).rounded())
        self.lon = Int64((lon * 1e7).rounded())
    }
}
