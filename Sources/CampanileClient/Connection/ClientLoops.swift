import EventLoop
import Synchronization

/// The event loops that a program's connections share. One suffices for a phone; a load generator uses one per core.
///
/// Keep it for the life of the program: it owns threads' queues, not connections.
public final class ClientLoops: Sendable {
    /// Maximum of concurrent name resolutions. Each blocks a thread.
    static let resolutionsConcurrentMax = 4
    /// Maximum of queued name resolutions. Further ones fail.
    static let resolutionsWaitingMax = 4_096

    let resolver: WorkerPool
    private let loops: [EventLoop]
    private let nextLoop = Atomic<Int>(0)
    private let authorityFile: String?
    private let tls = Mutex<TLSContext?>(nil)

    /// - Parameters:
    ///   - count: Number of loops, at least 1.
    ///   - authorityFile: PEM file with the certificate authorities to trust instead of the system's, for servers with a private
    ///     certificate.
    /// - Throws: `SystemError` if the kernel has no descriptor left.
    public init(count: Int = 1, authorityFile: String? = nil) throws {
        loops = try (0..<max(1, count)).map { try EventLoop(label: "client-\($0)") }
        resolver = WorkerPool(
            label: "client-resolver", concurrentMax: Self.resolutionsConcurrentMax,
            waitingMax: Self.resolutionsWaitingMax)
        self.authorityFile = authorityFile
    }

    /// The next loop, round robin.
    func next() -> EventLoop {
        let (old, _) = nextLoop.wrappingAdd(1, ordering: .relaxed)
        return loops[Int(old.magnitude % UInt(loops.count))]
    }

    /// The shared TLS context, created for the first secure connection.
    func tlsContext() throws -> TLSContext {
        try tls.withLock { tls in
            if let tls { return tls }
            let made = try TLSContext.client(authorityFile: authorityFile)
            tls = made
            return made
        }
    }
}
