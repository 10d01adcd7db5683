/// Deferred work: long or bulky work runs in pieces, after the requests of all other connections. No connection waits for more than
/// one piece of another's work.
extension EventLoop {
    /// Whether this iteration has exceeded `iterationNanosecondsMax`. Long-running work checks this and defers the rest. On the loop.
    public var isIterationLong: Bool { Self.nowNanoseconds &- iterationStart > Self.iterationNanosecondsMax }

    /// Runs `body` in an iteration that has time for it, in order, at least one body in each iteration. On the loop.
    public func executeDeferred(_ body: @escaping () -> Void) {
        preconditionIsolated()
        later.append(body)
    }

    /// Returns immediately in a short iteration, otherwise when a later iteration has time for the next piece. Call it before each
    /// piece except the first. On the loop, in a task that runs there.
    public func yieldIfIterationIsLong() async {
        guard isIterationLong else { return }
        await yieldIteration()
    }

    /// Returns when a later iteration has time for the next piece. On the loop, in a task that runs there.
    public func yieldIteration() async {
        await withUnsafeContinuation { continuation in executeDeferred { continuation.resume() } }
    }

    /// Runs at least one piece of deferred work, and more while the iteration has time.
    func runDeferred() {
        // Responses to other connections are sent first.
        flushDirty()
        let start = Self.nowNanoseconds
        // Work that these pieces defer again runs in the next iteration.
        for _ in 0..<later.count {
            later.popFirst()?()
            // A task resumes through the inbox. Running the inbox here makes its time count.
            runInbox()
            if Self.nowNanoseconds &- start > Self.iterationNanosecondsMax { return }
        }
    }
}
