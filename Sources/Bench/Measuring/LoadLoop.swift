import CEpoll
import Glibc

/// An epoll loop for the client's sockets. Not thread-safe: used by one thread.
final class LoadLoop {
    private static let eventsMax = 512
    private let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    private var events = [epoll_event](repeating: epoll_event(), count: eventsMax)
    private var sockets: [LoadSocket?] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 262_144, alignment: 16)

    deinit {
        close(epoll)
        buffer.deallocate()
    }

    /// Watches a socket.
    /// - Parameter isConnecting: Also passes the socket to `body` once it is writable. Then call ``connected(_:)``.
    func add(_ socket: LoadSocket, isConnecting: Bool = false) {
        socket.setNonBlocking()
        while sockets.count <= Int(socket.descriptor) { sockets.append(nil) }
        sockets[Int(socket.descriptor)] = socket
        let events = EPOLLIN.rawValue | (isConnecting ? EPOLLOUT.rawValue : 0)
        var event = epoll_event(events: events, data: epoll_data_t(fd: socket.descriptor))
        epoll_ctl(epoll, EPOLL_CTL_ADD, socket.descriptor, &event)
    }

    /// Stops watching for writability after the connection is established.
    func connected(_ socket: LoadSocket) {
        var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(fd: socket.descriptor))
        epoll_ctl(epoll, EPOLL_CTL_MOD, socket.descriptor, &event)
    }

    func remove(_ socket: LoadSocket) {
        var event = epoll_event()
        epoll_ctl(epoll, EPOLL_CTL_DEL, socket.descriptor, &event)
        sockets[Int(socket.descriptor)] = nil
    }

    /// Waits up to `milliseconds` and passes each readable socket to `body`.
    func poll(milliseconds: Int32, _ body: (LoadSocket) -> Void) {
        let count = epoll_wait(epoll, &events, Int32(Self.eventsMax), milliseconds)
        for index in 0..<max(0, Int(count)) {
            guard let socket = sockets[Int(events[index].data.fd)] else { continue }
            body(socket)
            if socket.hasEnded { remove(socket) }
        }
    }

    /// Passes each socket that is readable now to `body`, without waiting.
    func pollAll(_ body: (LoadSocket) -> Void) {
        var count: Int
        repeat {
            count = Int(epoll_wait(epoll, &events, Int32(Self.eventsMax), 0))
            for index in 0..<max(0, count) {
                guard let socket = sockets[Int(events[index].data.fd)] else { continue }
                body(socket)
                if socket.hasEnded { remove(socket) }
            }
        } while count == Self.eventsMax
    }

    /// Monotonic nanoseconds.
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// CPU seconds of this process, the client.
    static var cpuSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
