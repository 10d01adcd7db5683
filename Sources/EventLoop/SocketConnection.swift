import CEpoll
import DequeModule
import Glibc
import Metrics

/// TCP connection on one loop, plain or TLS, with a bounded write queue.
///
/// All methods are called on the loop. Writes are collected during an iteration and leave in one system call at its end. Shared
/// byte arrays are queued by reference. A plain connection copies only small arrays, to join them; TLS copies each array once into
/// the record buffer.
///
/// Thousands of connections are idle at any time. An idle connection holds no memory besides its own properties, and capacity for a
/// few arrays if several were queued at once.
///
/// `@unchecked Sendable`: confined to `loop`; every entry checks ``EventLoop/preconditionIsolated()``.
public final class SocketConnection: DescriptorHandler, @unchecked Sendable {
    /// Queued bytes beyond which the connection is closed.
    public static let sendQueueBytesMax = 4 * 1_048_576
    /// Time within which a peer with queued bytes must take ``stallBytesMin`` of them; otherwise the connection is closed. Long
    /// enough for a slow reader: its kernel reopens the window when a segment fits. A loopback segment of 64 KiB behind a receive
    /// buffer of 128 KiB takes 65 s at 2 kB/s.
    public static let stallMax = Duration.seconds(150)
    /// Bytes that a peer must take within ``stallMax``.
    public static let stallBytesMin = 1_024
    /// Arrays passed to one `sendmsg`.
    static let vectorsPerWriteMax = 64
    /// Bytes of several arrays that are copied into one buffer. For a few small arrays, copying takes less time than the kernel
    /// needs to take them one by one.
    static let gatheredBytesMax = 8_192
    /// Length up to which an empty queue keeps its memory.
    static let keptArraysMax = 8
    /// Reads for each readiness event, so that one fast sender does not starve its loop.
    static let readsPerEventMax = 4
    /// How long a closing connection waits for the peer to close, so that a reset does not destroy the last response.
    public static let lingerMax = Duration.seconds(2)
    /// Bytes per second, on average, that a peer must take of the queued bytes when its connection closes.
    public static let flushBytesPerSecondMin = 512
    /// Bytes that a closing connection reads and discards while it waits.
    static let lingerBytesMax = 1_048_576

    enum Phase { case connecting, handshaking, open, flushingToClose, lingering, closed }

    public let loop: EventLoop

    // Properties that every message uses come first, within few cache lines.

    /// Receives the connection's events. Retained until the connection is closed. Exclusivity is unchecked: the property is read and
    /// replaced as a whole, never modified in place by a call that could re-enter.
    @exclusivity(unchecked) public private(set) var delegate: (any SocketConnectionDelegate)?
    /// Address of the delegate, for prefetching.
    @exclusivity(unchecked) private(set) var delegateAddress: UnsafeRawPointer?
    /// Bytes accepted by ``send(_:)`` that the kernel has not taken yet.
    @exclusivity(unchecked) public internal(set) var queuedBytes = 0

    let descriptor: Int32
    var phase: Phase
    var registration: Registration?
    /// First array of the queue. Usually it is the only one; further ones are in `tail`.
    @exclusivity(unchecked) var head: [UInt8] = []
    var tail = Deque<[UInt8]>()
    var headOffset = 0
    /// `tail` has had more than ``keptArraysMax`` arrays.
    var isTailLong = false
    var tls: TLSSession?
    /// Waits for its next handshake step; no events are watched.
    var isParked = false
    /// Admission of an accepted connection, released when the connection is closed.
    var ticket: ConnectionSlot?
    var isDirty = false
    /// Within ``handle(events:)``, which flushes at its end.
    private(set) var isHandling = false
    private var wantsRead = true
    var wantsWrite = false
    /// In the loop's list of blocked writers.
    var isListedAsBlocked = false
    /// The part of `queuedBytes` that the loop's gauge includes.
    var countedBytes = 0
    /// Bytes the kernel took since `stallWindowStart`.
    var stallWindowBytes = 0
    var stallWindowStart: UInt64 = 0
    /// The peer, such as `127.0.0.1:4711`.
    public let peer: SocketAddress
    private var lingeredBytes = 0
    var lingerTimer: LoopTimer?
    /// The linger timer includes the time to send the queued bytes.
    var isFlushTimed = false
    var connectCompletion: ((Result<Void, any Error>) -> Void)?

    init(
        descriptor: Int32, peer: SocketAddress, loop: EventLoop, tls: TLSSession?, phase: Phase
    ) {
        self.descriptor = descriptor
        self.peer = peer
        self.loop = loop
        self.tls = tls
        self.phase = phase
        super.init()
    }

    /// True until the connection starts to close.
    public var isOpen: Bool { phase == .open || phase == .handshaking || phase == .connecting }

    /// Whether the kernel did not take all queued bytes, and is not writable again yet.
    public var isBlocked: Bool { wantsWrite }

    /// Whether the connection uses TLS.
    public var isSecure: Bool { tls != nil }

    /// Starts reading. On the loop, once.
    public func start(delegate: any SocketConnectionDelegate) throws {
        loop.preconditionIsolated()
        adopt(delegate)
        if phase == .open, tls != nil {
            phase = .handshaking
            loop.handshakes.watch(self)
        }
        let registration = try loop.register(descriptor, events: interest, handler: self)
        loop.setOwner(delegate, of: registration)
        self.registration = registration
        if isDirty { loop.markDirty(self) }
    }

    /// Replaces the delegate, for example when HTTP hands the connection over after an upgrade. On the loop.
    public func setDelegate(_ delegate: any SocketConnectionDelegate) {
        loop.preconditionIsolated()
        guard phase != .closed else { return }
        adopt(delegate)
        if let registration { loop.setOwner(delegate, of: registration) }
    }

    private func adopt(_ delegate: any SocketConnectionDelegate) {
        self.delegate = delegate
        delegateAddress = UnsafeRawPointer(Unmanaged.passUnretained(delegate as AnyObject).toOpaque())
    }

    func onConnected(_ completion: @escaping (Result<Void, any Error>) -> Void) { connectCompletion = completion }

    // MARK: Reading

    /// Whether the kernel holds bytes from the peer that this connection has not read yet. On the loop.
    public var hasUnreadInput: Bool {
        guard isOpen else { return false }
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
    }

    /// Pauses or resumes reading. While reading is paused, the kernel's full buffer slows the peer down. On the loop.
    public func setReading(_ reading: Bool) {
        loop.preconditionIsolated()
        wantsRead = reading
        updateInterest()
        // TLS may hold bytes that no readiness event will announce.
        if reading, tls?.hasPending == true, phase == .open { loop.execute { self.readAvailable() } }
    }

    override func handle(events: UInt32) {
        isHandling = true
        handleReadiness(events)
        isHandling = false
        // Responses leave immediately, so that the peer can work while the next connection is served.
        if isDirty { flush() }
    }

    private func handleReadiness(_ events: UInt32) {
        switch phase {
        case .closed: return
        case .connecting: return finishConnect()
        case .handshaking: return loop.handshakes.advance(self, events: events)
        case .open, .flushingToClose, .lingering: break
        }
        // These two events cannot be masked: while reading is paused, they would be reported repeatedly. The peer is gone.
        if phase == .open, !wantsRead, events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 {
            return finish(error: SystemError(call: "recv", code: ECONNRESET))
        }
        if events & EPOLLOUT.rawValue != 0 { flush() }
        let ends = EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue
        if events & (EPOLLIN.rawValue | ends) != 0, phase != .closed {
            readAvailable(toTheEnd: events & ends != 0)
        }
    }

    /// Reads available bytes, up to a limit. Beyond it, reading continues after the other connections are served.
    /// - Parameter toTheEnd: The peer's end of stream was announced. It follows the last bytes, so a short read does not stop the
    ///   loop.
    func readAvailable(toTheEnd: Bool = false) {
        for _ in 0..<Self.readsPerEventMax {
            guard phase != .closed, wantsRead || phase == .lingering else { return }
            switch read(into: loop.readBuffer) {
            case .bytes(let count):
                loop.receivedBytes &+= count
                let bytes = UnsafeRawBufferPointer(rebasing: loop.readBuffer[0..<count])
                if phase == .open {
                    delegate?.connection(self, received: bytes)
                } else {
                    lingeredBytes += count
                    if lingeredBytes > Self.lingerBytesMax { return finish(error: nil) }
                }
                // Epoll announces again the bytes that the kernel still holds, but not those that OpenSSL has taken.
                if count < loop.readBuffer.count, tls?.hasPending != true, !toTheEnd { return }
            case .wouldBlock: return
            case .end: return reachedEnd()
            case .failed(let error): return finish(error: error)
            }
        }
        loop.execute { self.readAvailable(toTheEnd: toTheEnd) }
    }

    private func reachedEnd() {
        guard phase == .open || queuedBytes > 0 else { return finish(error: nil) }
        // The end of stream stays readable: stop watching. The delegate decides, or has decided, whether to send the rest.
        setReading(false)
        if phase == .open { delegate?.connectionReachedEnd(self) }
    }

    enum IOResult {
        case bytes(Int), wouldBlock, end
        case failed(any Error)
    }

    @inline(__always)
    private func read(into buffer: UnsafeMutableRawBufferPointer) -> IOResult {
        if let tls { return tls.read(into: buffer) }
        while true {
            let count = campanile_recv(descriptor, buffer.baseAddress, buffer.count)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return .wouldBlock
            default: return .failed(SystemError(call: "recv", code: errno))
            }
        }
    }

    func updateInterest() {
        if let registration { loop.setEvents(interest, of: registration) }
    }

    /// Event mask for epoll.
    ///
    /// Plain connections are edge-triggered (`EPOLLET`), which saves the kernel a second check of every socket that was read. This
    /// is safe because `readAvailable` reads until a short read shows that nothing is left, or continues later by itself. An end of
    /// stream that arrives with the last bytes would not be announced again, hence `EPOLLRDHUP`. OpenSSL does not report whether it
    /// emptied the socket, so TLS connections are level-triggered.
    private var interest: UInt32 {
        if isParked { return 0 }
        if phase == .connecting { return EPOLLOUT.rawValue }
        let reading = wantsRead || phase == .lingering
        return (tls == nil ? EPOLLET.rawValue : 0) | (wantsWrite ? EPOLLOUT.rawValue : 0)
            | (reading ? EPOLLIN.rawValue | EPOLLRDHUP.rawValue : 0)
    }

    func finish(error: (any Error)?) {
        guard phase != .closed else { return }
        phase = .closed
        lingerTimer?.cancel()
        if let registration { loop.unregister(registration) }
        registration = nil
        tls?.free()
        close(descriptor)
        ticket = nil
        head = []
        tail = Deque()
        queuedBytes = 0
        countQueued()
        let delegate = delegate
        self.delegate = nil
        if let completion = connectCompletion {
            connectCompletion = nil
            // A failed attempt is reported to the caller, which may try another address, and not to the delegate: the connection
            // never opened.
            return completion(.failure(error ?? SystemError(call: "connect", code: ECONNABORTED)))
        }
        delegate?.connectionClosed(self, error: error)
    }

    deinit {
        // Never started: no other code can close it.
        if phase != .closed {
            tls?.free()
            close(descriptor)
        }
    }
}
