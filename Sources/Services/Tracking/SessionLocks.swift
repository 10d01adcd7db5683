import DequeModule

/// Locks that admit one request per session at a time. The next request is judged after the previous one has committed or failed, so that
/// the state in memory is never ahead of the database. Confined to its owner's loop.
final class SessionLocks {
    /// Largest number of requests waiting for one session; a phone has one in flight.
    static let waitingMax = 64

    private var waiting: [Int64: Deque<CheckedContinuation<Bool, Never>>] = [:]

    /// Waits for the session's lock.
    /// - Returns: False if too many requests wait.
    func acquire(_ session: Int64, isolation: isolated (any Actor)? = #isolation) async -> Bool {
        await withCheckedContinuation { continuation in
            // Checked inside the continuation's body: a task with an executor preference may yield on its way into a continuation, and a
            // release between an earlier check and the entry would leave the session locked forever.
            guard let queue = waiting[session] else {
                waiting[session] = []
                return continuation.resume(returning: true)
            }
            guard queue.count < Self.waitingMax else { return continuation.resume(returning: false) }
            waiting[session]?.append(continuation)
        }
    }

    /// Acquires the lock without waiting.
    /// - Returns: False if the session is locked.
    func tryAcquire(_ session: Int64) -> Bool {
        guard waiting[session] == nil else { return false }
        waiting[session] = []
        return true
    }

    func release(_ session: Int64) {
        if let next = waiting[session]?.popFirst() { next.resume(returning: true) } else { waiting[session] = nil }
    }
}
