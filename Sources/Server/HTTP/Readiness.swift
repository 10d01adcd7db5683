import EventLoop
import Postgres
import Services
import Synchronization
import WebSocket

/// State for `/readyz`: whether the server can take traffic, with warnings for the operator. It is determined at most once in
/// ``validSeconds``: supervisors need no more, and a flood of requests does not reach the database. Usable from any thread.
final class Readiness: Sendable {
    /// Seconds for which a state is reused.
    static let validSeconds = 1.0

    enum State: Sendable, Equatable {
        /// Traffic may come; each warning states one fact.
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

    private struct Check {
        let task: Task<State, Never>
        var endedAt: UInt64?
    }

    private let last = Mutex<Check?>(nil)
    private let check: @Sendable () async -> State
    private let now: @Sendable () -> UInt64

    /// - Parameters:
    ///   - now: Monotonic clock in nanoseconds.
    ///   - check: Determines the state from the database.
    init(
        now: @escaping @Sendable () -> UInt64 = { EventLoop.nowNanoseconds },
        check: @escaping @Sendable () async -> State
    ) {
        (self.now, self.check) = (now, check)
    }

    func state() async -> State {
        let task = last.withLock { last in
            if let last, last.endedAt.map({ now() &- $0 < UInt64(Self.validSeconds * 1e9) }) ?? true {
                return last.task
            }
            let task = Task { [self] in
                let state = await check()
                self.last.withLock { $0?.endedAt = now() }
                return state
            }
            last = Check(task: task)
            return task
        }
        return await task.value
    }

    /// Checks that the database answers and accepts writes, and collects the warnings of the clock and about other nodes.
    static func check(_ pool: PostgresPool, _ clock: ServerClock, _ roster: NodeRoster) async -> State {
        do {
            let row = try await pool.query("SELECT current_setting('transaction_read_only') = 'on' AS is_read_only")
                .first
            guard let row, try !row.bool("is_read_only") else { return .notReady("the database takes no writes") }
        } catch {
            return .notReady("the database does not answer")
        }
        // The page is public, so details such as the number of devices are only in the log.
        let clockWarnings = clock.warning == nil ? [] : ["the server's clock is in doubt, see the log"]
        return .ready(warnings: roster.warnings + clockWarnings)
    }
}
