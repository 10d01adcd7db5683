extension EventLoop {
    /// Between two looks at the connections whose writes wait.
    static let blockedLookInterval = Duration.seconds(1)

    /// Sees to it that a connection whose peer does not read ends. On the loop. Amortised O(1).
    func watchBlocked(_ connection: SocketConnection) {
        preconditionIsolated()
        blockedWriters.append(connection)
        if blockedWriters.count == 1 { scheduleBlockedLook() }
    }

    private func scheduleBlockedLook() {
        schedule(after: Self.blockedLookInterval) { [weak self] in self?.lookAtBlocked() }
    }

    /// O(connections whose writes wait).
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
