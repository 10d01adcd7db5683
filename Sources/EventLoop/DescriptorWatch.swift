import CEpoll

/// Watches a descriptor that another library owns, such as libpq's socket, on a loop.
///
/// Made, changed and cancelled on the loop; the callback runs on the loop.
public final class DescriptorWatch {
    private let loop: EventLoop
    private var registration: Registration?

    private final class Handler: DescriptorHandler {
        let body: (_ readable: Bool, _ writable: Bool) -> Void
        init(body: @escaping (Bool, Bool) -> Void) { self.body = body }

        override func handle(events: UInt32) {
            // An error or hang-up is told as both: the owner's next call finds out which.
            let broken = events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
            body(broken || events & EPOLLIN.rawValue != 0, broken || events & EPOLLOUT.rawValue != 0)
        }
    }

    /// Starts watching for reading.
    /// - Parameters:
    ///   - body: Called on the loop whenever the descriptor is ready, level-triggered.
    /// - Throws: ``SystemError``.
    public init(
        descriptor: Int32, loop: EventLoop, _ body: @escaping (_ readable: Bool, _ writable: Bool) -> Void
    ) throws {
        self.loop = loop
        registration = try loop.register(descriptor, events: EPOLLIN.rawValue, handler: Handler(body: body))
    }

    /// Says what to watch for. No system call when nothing changes.
    public func setInterest(reading: Bool, writing: Bool) {
        guard let registration else { return }
        loop.setEvents((reading ? EPOLLIN.rawValue : 0) | (writing ? EPOLLOUT.rawValue : 0), of: registration)
    }

    /// Stops watching. Call it before the descriptor is closed. Harmless when called again.
    public func cancel() {
        if let registration { loop.unregister(registration) }
        registration = nil
    }
}
