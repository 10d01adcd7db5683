import EventLoop
import Synchronization

/// Whether the database answers, for `/readyz`. Looked up at most once in ``validSeconds``, however often it is asked: supervisors need no
/// more, and a flood costs the database nothing. From any thread.
final class Readiness: Sendable {
    /// Seconds that an answer is given again.
    static let validSeconds = 1.0

    private struct Look {
        let task: Task<Bool, Never>
        var endedAt: UInt64?
    }

    private let last = Mutex<Look?>(nil)
    private let look: @Sendable () async -> Bool
    private let now: @Sendable () -> UInt64

    /// - Parameters:
    ///   - now: The monotonic clock in nanoseconds.
    ///   - look: Asks the database.
    init(
        now: @escaping @Sendable () -> UInt64 = { EventLoop.nowNanoseconds }, look: @escaping @Sendable () async -> Bool
    ) {
        (self.now, self.look) = (now, look)
    }

    func isReady() async -> Bool {
        let task = last.withLock { last in
            if let last, last.endedAt.map({ now() &- $0 < UInt64(Self.validSeconds * 1e9) }) ?? true {
                return last.task
            }
            let task = Task { [self] in
                let isReady = await look()
                self.last.withLock { $0?.endedAt = now() }
                return isReady
            }
            last = Look(task: task)
            return task
        }
        return await task.value
    }
}
