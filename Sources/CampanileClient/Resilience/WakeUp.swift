import EventLoop

/// Suspends one task of an actor until a timer or an event wakes it, whichever is first. On the actor's loop only.
///
/// An event that comes while nobody waits is remembered: the next wait returns at once.
final class WakeUp {
    private let loop: EventLoop
    private var continuation: CheckedContinuation<Void, Never>?
    private var timer: LoopTimer?
    private var isSignalled = false

    init(loop: EventLoop) { self.loop = loop }

    /// - Parameter limit: Nil waits for an event alone.
    func wait(for limit: Duration?, isolation: isolated (any Actor)? = #isolation) async {
        await withCheckedContinuation { continuation in
            // Looked at in here: the way into a continuation may itself give the loop to another job.
            loop.preconditionIsolated()
            guard !isSignalled else { return continuation.resume() }
            self.continuation = continuation
            if let limit { timer = loop.schedule(after: limit) { self.signal() } }
        }
        isSignalled = false
    }

    func signal() {
        isSignalled = true
        timer?.cancel()
        timer = nil
        continuation?.resume()
        continuation = nil
    }
}
