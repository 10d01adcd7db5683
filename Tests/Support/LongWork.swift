import Foundation
import Glibc

/// Computes for long on a thread of its own, after what everybody else does. On one of the few threads that all tasks share it would hold up
/// the tests beside it, and what they are in time for.
/// - Throws: What `body` throws.
public func longWork<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { done in
        let thread = Thread {
            // On Linux, of this thread alone (setpriority(2), NOTES).
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 15)
            done.resume(with: .init(catching: body))
        }
        thread.stackSize = 8 << 20
        thread.start()
    }
}
