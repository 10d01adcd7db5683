import DequeModule
import Dispatch
import Synchronization

/// A bounded place for work that would block a loop: password hashing, files, subprocesses.
///
/// At most `concurrentMax` bodies run at once and at most `waitingMax` wait; one more is refused at once, so a flood costs
/// its senders an error and not the server its memory.
public final class WorkerPool: Sendable {
    /// The pool is full.
    public struct Overloaded: Error, CustomStringConvertible {
        /// One plain fact and what to do.
        public var description: String { "too much work is waiting: try again shortly" }
    }

    private struct State {
        var running = 0
        var waiting = Deque<@Sendable () -> Void>()
    }

    private let state = Mutex(State())
    private let queue: DispatchQueue
    private let concurrentMax: Int
    private let waitingMax: Int

    /// - Parameters:
    ///   - label: Names the queue.
    ///   - concurrentMax: Bodies that may run at once, at least 1.
    ///   - waitingMax: Bodies that may wait.
    public init(label: String, concurrentMax: Int, waitingMax: Int) {
        queue = DispatchQueue(label: "campanile.\(label)", attributes: .concurrent)
        self.concurrentMax = max(1, concurrentMax)
        self.waitingMax = waitingMax
    }

    /// Runs `body` on a worker and gives back what it returns.
    /// - Throws: ``Overloaded`` when the pool is full, or what `body` throws.
    public func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            let accepted = submit { continuation.resume(with: Result(catching: body)) }
            if !accepted { continuation.resume(throwing: Overloaded()) }
        }
    }

    private func submit(_ body: @escaping @Sendable () -> Void) -> Bool {
        enum Outcome { case start, wait, refuse }
        let outcome: Outcome = state.withLock { state in
            if state.running < concurrentMax {
                state.running += 1
                return .start
            }
            guard state.waiting.count < waitingMax else { return .refuse }
            state.waiting.append(body)
            return .wait
        }
        if outcome == .start { queue.async { self.work(body) } }
        return outcome != .refuse
    }

    private func work(_ first: @Sendable () -> Void) {
        first()
        while let next = next() { next() }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            let next = state.waiting.popFirst()
            if next == nil { state.running -= 1 }
            return next
        }
    }
}
