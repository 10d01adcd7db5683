import Glibc

/// Whether the process can have the threads that it needs. Dispatch tries for ever to make one, in silence and deaf to signals, when
/// memory, address space or the number of threads is limited: so it is asked before Dispatch is used.
public enum ThreadCheck {
    /// Threads of a small server at work: event loops, worker pools, Swift's and Dispatch's own; and as many again, as their stacks (8 MiB
    /// each) stand for the memory that the server needs besides. With 16 a server under `ulimit -v 300000` passed and hung later.
    public static let threadsMin = 32

    /// The limit is too low.
    public struct TooFew: Error, CustomStringConvertible {
        /// How many could be made.
        public let made: Int
        /// Why not more (`errno`).
        public let code: Int32
        /// One plain fact and what to do.
        public var description: String {
            "only \(made) threads could be started, \(ThreadCheck.threadsMin) are needed: "
                + "\(String(cString: strerror(code)).lowercased()); raise the limits of address space (ulimit -v), of processes "
                + "(ulimit -u, TasksMax) or the memory"
        }
    }

    /// Starts as many threads at once, which end at once. Blocks for a moment.
    /// - Throws: ``TooFew``.
    public static func run(count: Int = threadsMin) throws(TooFew) {
        let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        gate.initialize(to: pthread_mutex_t())
        defer { gate.deallocate() }
        pthread_mutex_init(gate, nil)
        pthread_mutex_lock(gate)
        var threads: [pthread_t] = []
        var failure: Int32 = 0
        while threads.count < count, failure == 0 {
            var thread = pthread_t()
            failure = pthread_create(
                &thread, nil,
                { gate in
                    // Held back until all are there.
                    let gate = gate?.assumingMemoryBound(to: pthread_mutex_t.self)
                    if let gate {
                        pthread_mutex_lock(gate)
                        pthread_mutex_unlock(gate)
                    }
                    return nil
                }, gate)
            if failure == 0 { threads.append(thread) }
        }
        pthread_mutex_unlock(gate)
        for thread in threads { pthread_join(thread, nil) }
        pthread_mutex_destroy(gate)
        guard failure == 0 else { throw TooFew(made: threads.count, code: failure) }
    }
}
