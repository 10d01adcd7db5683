import EventLoop

/// Suspends one task of an actor until a timer fires or `signal()` is called. Confined to the actor's loop.
///
/// A signal without a waiting task is remembered, and the next wait returns immediately.
final class WakeUp {
    private let loop: EventLoop
    private var continuation: CheckedContinuation<Void, Never>?
    private var timer: LoopTimer?
    private var isSignalled = false

    init(loop: EventLoop) { self.loop = loop }

    /// Waits for a signal or the limit.
    /// - Parameter limit: Nil waits for a signal only.
    func wait(for limit: Duration?, isolation: isolated (any Actor)? = #isolation) async {
        await withCheckedContinuation { continuation in
            // Check inside the closure: the loop may run another job before a continuation's body.
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
