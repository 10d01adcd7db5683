import CampanileClient
import Synchronization
import Wire

/// What happens to the clients of a restart: when each went and came back, what was refused, what was acknowledged.
///
/// Fed from the clients' loops, read from anywhere; each call holds a mutex for well under a microsecond.
final class RestartTally: Sendable {
    /// From the order to restart until everyone was back.
    struct Restart: Sendable {
        let orderedAt: UInt64
        /// By client; 0 before it went, or came back.
        var leftAt: [UInt64]
        var backAt: [UInt64]
        /// In the order of time, nanoseconds.
        var attempts: [UInt64] = []
        /// Nobody listened.
        var refused = 0
        /// Attempts that failed otherwise, by what was said.
        var failures: [String: Int] = [:]
        /// How connections ended, by close code; `none` without one.
        var closeCodes: [String: Int] = [:]
        /// The longest that a point waited from its recording to its acknowledgement.
        var delayMax = Duration.zero

        /// Clients that went and are back.
        var backCount: Int { backAt.count { $0 > 0 } }

        /// Seconds from the order until this part of the clients was back for good.
        func seconds(untilBack part: Double) -> Double {
            let back = backAt.filter { $0 > 0 }.sorted()
            let needed = Int((Double(backAt.count) * part).rounded(.up))
            guard needed > 0, back.count >= needed else { return .infinity }
            return Double(back[needed - 1] - orderedAt) / 1e9
        }

        /// Seconds from the order until the first client was sent away.
        var secondsUntilFirstLeft: Double {
            leftAt.filter { $0 > 0 }.min().map { Double($0 - orderedAt) / 1e9 } ?? .infinity
        }

        /// The quantile of the seconds that a client was away.
        func secondsAway(quantile: Double) -> Double {
            let away = zip(leftAt, backAt).filter { $0.0 > 0 && $0.1 > 0 }.map { $0.1 - $0.0 }.sorted()
            guard !away.isEmpty else { return .infinity }
            return Double(away[min(away.count - 1, Int(Double(away.count) * quantile))]) / 1e9
        }

        /// The most of `times` within any stretch of `milliseconds`, as a rate per second.
        static func peak(_ times: [UInt64], milliseconds: UInt64) -> Double {
            let sorted = times.filter { $0 > 0 }.sorted()
            var (first, most) = (0, 0)
            for (last, time) in sorted.enumerated() {
                while time - sorted[first] >= milliseconds * 1_000_000 { first += 1 }
                most = max(most, last - first + 1)
            }
            return Double(most) * 1_000 / Double(milliseconds)
        }
    }

    /// What has been acknowledged of one session.
    struct Ledger: Sendable {
        var points: [TrackPoint] = []
        var refused = 0
        /// Points that the server had already when they were sent again.
        var duplicates = 0
    }

    /// How a spectator learnt that the session it watches is finished.
    enum Finish: Sendable { case push, snapshot }

    fileprivate struct State {
        var restart: Restart?
        var isConnected: [Bool]
        var ledgers: [Int64: Ledger] = [:]
        var finishes: [Int: Finish] = [:]
        var haveRunnersFinished = false
        var slowReaders = 0
        var troubles: [String: Int] = [:]
    }
    private let state: Mutex<State>

    init(clients: Int) { state = Mutex(State(isConnected: Array(repeating: false, count: clients))) }

    // MARK: A restart

    /// The order to restart is given now.
    func beginRestart() {
        state.withLock { state in
            let none = [UInt64](repeating: 0, count: state.isConnected.count)
            state.restart = Restart(orderedAt: LoadLoop.now, leftAt: none, backAt: none)
        }
    }

    var restart: Restart? { state.withLock { $0.restart } }
    var connectedCount: Int { state.withLock { $0.isConnected.count { $0 } } }
    var backCount: Int { state.withLock { $0.restart?.backCount ?? 0 } }

    /// A client's state began.
    func client(_ index: Int, is new: ResilientClient.State) {
        let now = LoadLoop.now
        state.withLock { state in
            switch new {
            case .connecting:
                state.restart?.attempts.append(now)
            case .connected:
                state.isConnected[index] = true
                if state.restart?.leftAt[index] != 0 { state.restart?.backAt[index] = now }
            case .waiting(_, let reason):
                state.gone(index, reason, now)
            case .ended(let error):
                state.gone(index, error, now)
                if error as? ClientError != .closed { state.troubles["client ended: \(error)", default: 0] += 1 }
            }
        }
    }

    // MARK: What must not be lost

    func acknowledged(_ acknowledgement: TrackAcknowledgement) {
        state.withLock { state in
            let id = acknowledgement.session.id
            state.ledgers[id, default: Ledger()].points += acknowledgement.points
            state.ledgers[id, default: Ledger()].refused += acknowledgement.refused.count
            state.ledgers[id, default: Ledger()].duplicates += acknowledgement.duplicates
            if let restart = state.restart { state.restart?.delayMax = max(restart.delayMax, acknowledgement.delay) }
        }
    }

    func sawFinish(_ index: Int, _ how: Finish) { state.withLock { $0.finishes[index] = how } }
    func hasSeenFinish(_ index: Int) -> Bool { state.withLock { $0.finishes[index] != nil } }
    func runnersFinished() { state.withLock { $0.haveRunnersFinished = true } }
    func readerFellBehind() { state.withLock { $0.slowReaders += 1 } }
    func trouble(_ text: String) { state.withLock { $0.troubles[text, default: 0] += 1 } }

    var haveRunnersFinished: Bool { state.withLock { $0.haveRunnersFinished } }
    var ledgers: [Int64: Ledger] { state.withLock { $0.ledgers } }
    /// Streams that ended because this program was too slow for them; they were subscribed to again.
    var slowReaders: Int { state.withLock { $0.slowReaders } }
    /// What should not have happened, and how often.
    var troubles: [String: Int] { state.withLock { $0.troubles } }
    var finishCount: Int { state.withLock { $0.finishes.count } }
    func finishCount(_ how: Finish) -> Int { state.withLock { $0.finishes.values.count { $0 == how } } }
}

extension RestartTally.State {
    fileprivate mutating func gone(_ index: Int, _ reason: any Error, _ now: UInt64) {
        let wasConnected = isConnected[index]
        isConnected[index] = false
        guard restart != nil else { return }
        if wasConnected {
            if restart?.leftAt[index] == 0 { restart?.leftAt[index] = now }
            // It may have been back already, on a connection that did not last.
            restart?.backAt[index] = 0
            restart?.closeCodes[Self.closeCode(reason), default: 0] += 1
        } else if case ClientError.unreachable(let text)? = reason as? ClientError, text.hasPrefix("connect:") {
            restart?.refused += 1
        } else {
            restart?.failures["\(reason)", default: 0] += 1
        }
    }

    private static func closeCode(_ reason: any Error) -> String {
        if case ClientError.disconnected(_, let code?)? = reason as? ClientError { "\(code)" } else { "none" }
    }
}
