import DequeModule

/// One request at a time for each session: the next is judged only when the last is committed or given up, so the
/// state in memory never runs ahead of the database. On its owner's loop only.
final class SessionLocks {
    /// Requests that may wait for one session; a phone has one in flight.
    static let waitingMax = 64

    private var waiting: [Int64: Deque<CheckedContinuation<Bool, Never>>] = [:]

    /// - Returns: False when too many wait.
    func acquire(_ session: Int64, isolation: isolated (any Actor)? = #isolation) async -> Bool {
        await withCheckedContinuation { continuation in
            // Looked at in here: on the way into a continuation a task with an executor preference may give way, and a
            // release that slips in between look and entry would leave the session locked for ever.
            guard let queue = waiting[session] else {
                waiting[session] = []
                return continuation.resume(returning: true)
            }
            guard queue.count < Self.waitingMax else { return continuation.resume(returning: false) }
            waiting[session]?.append(continuation)
        }
    }

    /// - Returns: False when somebody has it.
    func acquireAtOnce(_ session: Int64) -> Bool {
        guard waiting[session] == nil else { return false }
        waiting[session] = []
        return true
    }

    func release(_ session: Int64) {
        if let next = waiting[session]?.popFirst() { next.resume(returning: true) } else { waiting[session] = nil }
    }
}
