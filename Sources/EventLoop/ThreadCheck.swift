import Glibc

/// Whether the process can have the threads that it needs. Dispatch tries for ever to make one, in silence and deaf to signals, when
/// memory, address space or the number of threads is limited: so it is asked before Dispatch is used.
public enum ThreadCheck {
    /// Threads of a server at work beside its event loops and Swift's own, of which there is one a core: worker pools and Dispatch's.
    static let workersMax = 12

    /// Threads that a process needs: those of a server at work, and as many again, as their stacks (8 MiB each) stand for the memory that
    /// it needs besides. With 16 a server of two loops on two cores passed under `ulimit -v 300000` and hung later.
    /// - Parameters:
    ///   - loops: Event loops.
    ///   - cores: Processor cores.
    public static func threads(loops: Int, cores: Int = sysconf(Int32(_SC_NPROCESSORS_ONLN))) -> Int {
        2 * (max(1, loops) + max(1, cores) + workersMax)
    }

    /// The limit is too low.
    public struct TooFew: Error, CustomStringConvertible {
        /// How many could be made.
        public let made: Int
        /// How many are needed.
        public let needed: Int
        /// Why not more (`errno`).
        public let code: Int32
        /// One plain fact and what to do.
        public var description: String {
            "only \(made) threads could be started, \(needed) are needed: "
                + "\(String(cString: strerror(code)).lowercased()); raise the limits of address space (ulimit -v), of processes "
                + "(ulimit -u, TasksMax) or the memory"
        }
    }

    /// Starts as many threads at once, which end at once. Blocks for a moment.
    /// - Throws: ``TooFew``.
    public static func run(count: Int) throws(TooFew) {
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
        guard failure == 0 else { throw TooFew(made: threads.count, needed: count, code: failure) }
    }
}
