import CampanileClient
import Synchronization
import Wire

/// The record of a restart's clients: disconnections, reconnections, refusals and acknowledgements.
///
/// Written from the clients' loops, read from anywhere; each call holds a mutex for well under a microsecond.
final class RestartTally: Sendable {
    /// The measurements from the restart order until all clients were back.
    struct Restart: Sendable {
        let orderedAt: UInt64
        /// Times by client; 0 before it was disconnected, or came back.
        var leftAt: [UInt64]
        var backAt: [UInt64]
        /// Times of connection attempts in nanoseconds, ascending.
        var attempts: [UInt64] = []
        /// Number of attempts while no server was listening.
        var refused = 0
        /// Other failed attempts, by error message.
        var failures: [String: Int] = [:]
        /// Number of ended connections by close code; `none` without one.
        var closeCodes: [String: Int] = [:]
        /// The longest time from a point's recording to its acknowledgement.
        var delayMax = Duration.zero

        /// Number of clients that were disconnected and are back.
        var backCount: Int { backAt.count { $0 > 0 } }

        /// Seconds from the order until this fraction of the clients was connected and stayed connected.
        func seconds(untilBack part: Double) -> Double {
            let back = backAt.filter { $0 > 0 }.sorted()
            let needed = Int((Double(backAt.count) * part).rounded(.up))
            guard needed > 0, back.count >= needed else { return .infinity }
            return Double(back[needed - 1] - orderedAt) / 1e9
        }

        /// Seconds from the order until the first client was disconnected.
        var secondsUntilFirstLeft: Double {
            leftAt.filter { $0 > 0 }.min().map { Double($0 - orderedAt) / 1e9 } ?? .infinity
        }

        /// The quantile of the clients' time without a connection, in seconds.
        func secondsAway(quantile: Double) -> Double {
            let away = zip(leftAt, backAt).filter { $0.0 > 0 && $0.1 > 0 }.map { $0.1 - $0.0 }.sorted()
            guard !away.isEmpty else { return .infinity }
            return Double(away[min(away.count - 1, Int(Double(away.count) * quantile))]) / 1e9
        }

        /// The maximum number of `times` within any period of `milliseconds`, as a rate per second.
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

    /// The acknowledged points of one session.
    struct Ledger: Sendable {
        var points: [TrackPoint] = []
        var refused = 0
        /// Points that the server already had when they were sent again.
        var duplicates = 0
    }

    /// The event that notified a spectator of the session's finish.
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

    // MARK: Restart

    /// Records the time of the restart order.
    func beginRestart() {
        state.withLock { state in
            let none = [UInt64](repeating: 0, count: state.isConnected.count)
            state.restart = Restart(orderedAt: LoadLoop.now, leftAt: none, backAt: none)
        }
    }

    var restart: Restart? { state.withLock { $0.restart } }
    var connectedCount: Int { state.withLock { $0.isConnected.count { $0 } } }
    var backCount: Int { state.withLock { $0.restart?.backCount ?? 0 } }

    /// Records a client's new state.
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

    // MARK: Acknowledgements

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
    /// Number of streams that ended because this program was too slow; they were subscribed to again.
    var slowReaders: Int { state.withLock { $0.slowReaders } }
    /// Unexpected events, with their numbers.
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
            // It may have been back briefly, on a connection that did not last.
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
