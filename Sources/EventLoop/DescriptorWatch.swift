import CEpoll

/// Watches a descriptor that another library owns, such as libpq's socket, on a loop.
///
/// Create, change and cancel it on the loop; the callback runs on the loop.
public final class DescriptorWatch {
    private let loop: EventLoop
    private var registration: Registration?

    private final class Handler: DescriptorHandler {
        let body: (_ readable: Bool, _ writable: Bool) -> Void
        init(body: @escaping (Bool, Bool) -> Void) { self.body = body }

        override func handle(events: UInt32) {
            // An error or hang-up is reported as both: the owner's next call on the descriptor finds the cause.
            let broken = events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
            body(broken || events & EPOLLIN.rawValue != 0, broken || events & EPOLLOUT.rawValue != 0)
        }
    }

    /// Starts watching for readability.
    /// - Parameters:
    ///   - body: Called on the loop whenever the descriptor is ready, level-triggered.
    /// - Throws: ``SystemError``.
    public init(
        descriptor: Int32, loop: EventLoop, _ body: @escaping (_ readable: Bool, _ writable: Bool) -> Void
    ) throws {
        self.loop = loop
        registration = try loop.register(descriptor, events: EPOLLIN.rawValue, handler: Handler(body: body))
    }

    /// Changes the readiness to watch for. Makes no system call if nothing changes.
    public func setInterest(reading: Bool, writing: Bool) {
        guard let registration else { return }
        loop.setEvents((reading ? EPOLLIN.rawValue : 0) | (writing ? EPOLLOUT.rawValue : 0), of: registration)
    }

    /// Stops watching. Call it before the descriptor is closed. Repeated calls do nothing.
    public func cancel() {
        if let registration { loop.unregister(registration) }
        registration = nil
    }
}
