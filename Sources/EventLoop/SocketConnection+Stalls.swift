/// Detection of peers that do not read. See ``EventLoop/watchBlocked(_:)``.
extension SocketConnection {
    /// Handles a full send buffer of the kernel: waits for writability and starts the stall clock.
    func blocked() {
        countQueued()
        if !wantsWrite {
            wantsWrite = true
            updateInterest()
        }
        guard !isListedAsBlocked else { return }
        isListedAsBlocked = true
        stallWindowStart = EventLoop.nowNanoseconds
        stallWindowBytes = 0
        loop.watchBlocked(self)
    }

    /// Checks whether the peer reads, and closes the connection if it is stalled. The loop calls it periodically.
    /// - Returns: False if the connection needs no further checks.
    func checkStall(now: UInt64, limit: UInt64) -> Bool {
        guard phase != .closed, wantsWrite, queuedBytes > 0 else { return false }
        guard stallWindowBytes < Self.stallBytesMin else {
            // Restarts the clock as soon as the peer took enough bytes. The bytes that the kernel took at first must not extend the
            // limit.
            stallWindowStart = now
            stallWindowBytes = 0
            return true
        }
        guard now &- stallWindowStart >= limit else { return true }
        finish(error: WriteStalled())
        return false
    }
}
