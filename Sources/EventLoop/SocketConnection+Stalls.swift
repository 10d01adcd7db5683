/// Peers that do not read. See ``EventLoop/watchBlocked(_:)``.
extension SocketConnection {
    /// The kernel takes no more: its readiness is waited for, and the clock runs.
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

    /// Looks whether the peer reads. On the loop, by its sweep.
    /// - Returns: False when the connection need not be looked at any more.
    func checkStall(now: UInt64, limit: UInt64) -> Bool {
        guard phase != .closed, wantsWrite, queuedBytes > 0 else { return false }
        guard stallWindowBytes < Self.stallBytesMin else {
            // The clock begins again as soon as it took enough: what a kernel took at first does not buy a second limit.
            stallWindowStart = now
            stallWindowBytes = 0
            return true
        }
        guard now &- stallWindowStart >= limit else { return true }
        finish(error: WriteStalled())
        return false
    }
}
