extension EventLoop {
    /// Interval between checks of the connections with blocked writes.
    static let stallCheckInterval = Duration.seconds(1)

    /// Registers a connection whose writes are blocked, so that the loop closes it if its peer does not read. On the loop.
    /// Amortised O(1).
    func watchBlocked(_ connection: SocketConnection) {
        preconditionIsolated()
        blockedWriters.append(connection)
        if blockedWriters.count == 1 { scheduleStallCheck() }
    }

    private func scheduleStallCheck() {
        schedule(after: Self.stallCheckInterval) { [weak self] in self?.checkBlockedWriters() }
    }

    /// Closes stalled connections. O(connections with blocked writes).
    private func checkBlockedWriters() {
        let now = Self.nowNanoseconds
        let candidates = blockedWriters
        blockedWriters = []
        for connection in candidates {
            if connection.checkStall(now: now, limit: stallNanosecondsMax) {
                blockedWriters.append(connection)
            } else {
                connection.isListedAsBlocked = false
            }
        }
        if !blockedWriters.isEmpty { scheduleStallCheck() }
    }
}
