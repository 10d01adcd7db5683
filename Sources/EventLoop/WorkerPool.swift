import DequeModule
import Dispatch
import Synchronization

/// Bounded thread pool for work that would block a loop: password hashing, files, subprocesses.
///
/// At most `concurrentMax` bodies run at once and at most `waitingMax` wait. Further bodies are rejected immediately, so a flood
/// costs its senders an error and does not cost the server its memory.
public final class WorkerPool: Sendable {
    /// The pool is full.
    public struct Overloaded: Error, CustomStringConvertible {
        public var description: String { "too much work is waiting: try again shortly" }
    }

    /// Body that runs on a worker and returns the closure that delivers its result. The worker delivers after it has freed its
    /// slot, so that a caller that submits again as soon as it has its result is not rejected because of its own finished work.
    private typealias Work = @Sendable () -> @Sendable () -> Void

    private struct State {
        var running = 0
        var waiting = Deque<Work>()
    }

    private let state = Mutex(State())
    private let queue: DispatchQueue
    private let concurrentMax: Int
    private let waitingMax: Int

    /// - Parameters:
    ///   - label: Name of the queue.
    ///   - concurrentMax: Bodies that may run at once, at least 1.
    ///   - waitingMax: Bodies that may wait.
    public init(label: String, concurrentMax: Int, waitingMax: Int) {
        queue = DispatchQueue(label: "campanile.\(label)", attributes: .concurrent)
        self.concurrentMax = max(1, concurrentMax)
        self.waitingMax = waitingMax
    }

    /// Runs `body` on a worker and returns its result.
    /// - Throws: ``Overloaded`` if the pool is full, or the error that `body` throws.
    public func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            let accepted = submit {
                let result = Result(catching: body)
                return { continuation.resume(with: result) }
            }
            if !accepted { continuation.resume(throwing: Overloaded()) }
        }
    }

    private func submit(_ body: @escaping Work) -> Bool {
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

    private func work(_ first: @escaping Work) {
        var current: Work? = first
        while let body = current {
            let deliver = body()
            current = next()
            deliver()
        }
    }

    private func next() -> Work? {
        state.withLock { state in
            let next = state.waiting.popFirst()
            if next == nil { state.running -= 1 }
            return next
        }
    }
}
