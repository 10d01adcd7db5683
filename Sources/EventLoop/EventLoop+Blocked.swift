extension EventLoop {
    /// Interval between checks of the connections with blocked writes.
    static let blockedLookInterval = Duration.seconds(1)

    /// Registers a connection whose writes are blocked, so that the loop closes it if its peer does not read. On the loop.
    /// Amortised O(1).
    func watchBlocked(_ connection: SocketConnection) {
        preconditionIsolated()
        blockedWriters.append(connection)
        if blockedWriters.count == 1 { scheduleBlockedLook() }
    }

    private func scheduleBlockedLook() {
        schedule(after: Self.blockedLookInterval) { [weak self] in self?.lookAtBlocked() }
    }

    /// Closes stalled connections. O(connections with blocked writes).
    private func lookAtBlocked() {
        let now = Self.nowNanoseconds
        let looked = blockedWriters
        blockedWriters = []
        for connection in looked {
            if connection.checkStall(now: now, limit: stallNanosecondsMax) {
                blockedWriters.append(connection)
            } else {
                connection.isListedAsBlocked = false
            }
        }
        if !blockedWriters.isEmpty { scheduleBlockedLook() }
    }
}
