/// Work that may wait: a flood, or what takes a millisecond or more, goes piece by piece, behind what all other connections
/// ask for. Nobody waits for more than one piece of somebody else.
extension EventLoop {
    /// Whether this turn has taken long enough: who has much to do looks, and puts the rest off. On the loop.
    public var isTurnLong: Bool { Self.nowNanoseconds &- turnStart > Self.turnNanosecondsMax }

    /// Runs `body` when a turn has time for it: in order, at least one a turn. On the loop.
    public func executeLater(_ body: @escaping () -> Void) {
        preconditionIsolated()
        later.append(body)
    }

    /// Returns at once while the turn is short, else when a later one has time for the next piece. Called before each piece
    /// but the first. On the loop, in a task that runs there.
    public func yieldIfTurnIsLong() async {
        guard isTurnLong else { return }
        await yieldTurn()
    }

    /// Returns when a later turn has time for the next piece. On the loop, in a task that runs there.
    public func yieldTurn() async {
        await withUnsafeContinuation { continuation in executeLater { continuation.resume() } }
    }

    /// At least one piece, and more while the turn has time.
    func runLater() {
        // Everybody else's answers leave first.
        flushDirty()
        let start = Self.nowNanoseconds
        // What these put off is for the next turn.
        for _ in 0..<later.count {
            later.popFirst()?()
            // A task that goes on does so by the inbox: it runs now, so that what it takes is seen.
            runInbox()
            if Self.nowNanoseconds &- start > Self.turnNanosecondsMax { return }
        }
    }
}
