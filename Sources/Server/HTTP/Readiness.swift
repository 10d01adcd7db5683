import EventLoop
import Postgres
import Services
import Synchronization
import WebSocket

/// What `/readyz` says: whether traffic may come, and what an operator should know although it may. Looked up at most once in
/// ``validSeconds``, however often it is asked: supervisors need no more, and a flood costs the database nothing. From any thread.
final class Readiness: Sendable {
    /// Seconds that an answer is given again.
    static let validSeconds = 1.0

    enum State: Sendable, Equatable {
        /// Traffic may come; what is wrong nevertheless, one plain fact each.
        case ready(warnings: [String])
        /// Traffic must not come, for this reason.
        case notReady(String)

        var response: HTTPResponse {
            switch self {
            case .ready(let warnings):
                .plain(200, (["ready"] + warnings.map { "warning: \($0)" }).joined(separator: "\n"))
            case .notReady(let reason): .plain(503, "not ready: \(reason)")
            }
        }
    }

    private struct Look {
        let task: Task<State, Never>
        var endedAt: UInt64?
    }

    private let last = Mutex<Look?>(nil)
    private let look: @Sendable () async -> State
    private let now: @Sendable () -> UInt64

    /// - Parameters:
    ///   - now: The monotonic clock in nanoseconds.
    ///   - look: Asks the database.
    init(
        now: @escaping @Sendable () -> UInt64 = { EventLoop.nowNanoseconds },
        look: @escaping @Sendable () async -> State
    ) {
        (self.now, self.look) = (now, look)
    }

    func state() async -> State {
        let task = last.withLock { last in
            if let last, last.endedAt.map({ now() &- $0 < UInt64(Self.validSeconds * 1e9) }) ?? true {
                return last.task
            }
            let task = Task { [self] in
                let state = await look()
                self.last.withLock { $0?.endedAt = now() }
                return state
            }
            last = Look(task: task)
            return task
        }
        return await task.value
    }

    /// Asks the database, which must answer and take writes, the clock, and what is known of other nodes.
    static func look(_ pool: PostgresPool, _ clock: ServerClock, _ roster: NodeRoster) async -> State {
        do {
            let row = try await pool.query("SELECT current_setting('transaction_read_only') = 'on' AS is_read_only")
                .first
            guard let row, try !row.bool("is_read_only") else { return .notReady("the database takes no writes") }
        } catch {
            return .notReady("the database does not answer")
        }
        // Everybody may ask: how many devices there are is for the log.
        let clockWarnings = clock.warning == nil ? [] : ["the server's clock is in doubt, see the log"]
        return .ready(warnings: roster.warnings + clockWarnings)
    }
}
