import DequeModule

/// One request at a time for each session: the next is judged only when the last is committed or given up, so the
/// state in memory never runs ahead of the database. On its owner's loop only.
final class SessionLocks {
    /// Requests that may wait for one session; a phone has one in flight.
    static let waitingMax = 64

    private var waiting: [Int64: Deque<CheckedContinuation<Void, Never>>] = [:]

    /// - Returns: False when too many wait.
    func acquire(_ session: Int64, isolation: isolated (any Actor)? = #isolation) async -> Bool {
        guard let queue = waiting[session] else {
            waiting[session] = []
            return true
        }
        guard queue.count < Self.waitingMax else { return false }
        await withCheckedContinuation { waiting[session, default: []].append($0) }
        return true
    }

    func release(_ session: Int64) {
        if let next = waiting[session]?.popFirst() { next.resume() } else { waiting[session] = nil }
    }
}
