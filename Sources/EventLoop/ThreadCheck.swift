import Glibc

/// Checks at the start that the process can create the threads it needs. When memory, address space or the number of threads is
/// limited, Dispatch retries thread creation without end, without a message, and ignores signals. The check therefore runs before
/// Dispatch is used.
public enum ThreadCheck {
    /// Threads of a running server besides its event loops and Swift's own pool (one thread for each core): worker pools and
    /// Dispatch's threads.
    static let workersMax = 12

    /// Threads that a process must be able to create: twice the number of a running server. The second half stands for the other
    /// memory it needs, by the size of thread stacks (8 MiB each). With 16 threads, a server of two loops on two cores passed under
    /// `ulimit -v 300000` and hung later.
    /// - Parameters:
    ///   - loops: Event loops.
    ///   - cores: Processor cores.
    public static func threads(loops: Int, cores: Int = sysconf(Int32(_SC_NPROCESSORS_ONLN))) -> Int {
        2 * (max(1, loops) + max(1, cores) + workersMax)
    }

    /// The process cannot create enough threads.
    public struct TooFew: Error, CustomStringConvertible {
        /// Threads that were created.
        public let made: Int
        /// Threads that are needed.
        public let needed: Int
        /// `errno` of the failed creation.
        public let code: Int32
        public var description: String {
            "only \(made) threads could be started, \(needed) are needed: "
                + "\(String(cString: strerror(code)).lowercased()); raise the limits of address space (ulimit -v), of processes "
                + "(ulimit -u, TasksMax) or the memory"
        }
    }

    /// Creates `count` threads at the same time and ends them again. Blocks for a moment.
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
                    // Holds the thread until all are created.
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
