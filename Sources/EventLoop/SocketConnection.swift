import CEpoll
import DequeModule
import Glibc
import Metrics

/// One TCP connection on one loop, plain or TLS, with a bounded write queue.
///
/// Everything is called on the loop. Writes are collected during a turn and leave in one system call at its end; shared
/// byte arrays are queued by reference, never copied (plain) or copied once into the record buffer (TLS).
///
/// Thousands of these are idle at any time, so an idle one holds no memory but its own properties, and room for a few arrays when it
/// was sent several at once.
///
/// `@unchecked Sendable`: confined to `loop`; every entry checks ``EventLoop/preconditionIsolated()``.
public final class SocketConnection: DescriptorHandler, @unchecked Sendable {
    /// Queued bytes beyond which the connection is closed.
    public static let sendQueueBytesMax = 4 * 1_048_576
    /// Within this, a peer that has bytes waiting must take ``stallBytesMin`` of them, or it is closed as gone. Long
    /// enough for a slow reader: its kernel opens the window again when a segment fits, and one of the loopback's 64 KiB
    /// behind a receive buffer of 128 KiB takes 65 s at 2 kB/s.
    public static let stallMax = Duration.seconds(150)
    /// What a peer must take within ``stallMax``.
    public static let stallBytesMin = 1_024
    /// Arrays given to one `sendmsg`.
    static let vectorsPerWriteMax = 64
    /// As many bytes of several arrays are copied together: for a few small ones that takes less time than the kernel needs to
    /// take them one by one.
    static let gatheredBytesMax = 8_192
    /// A queue of so many arrays keeps its memory when it is empty.
    static let keptArraysMax = 8
    /// Reads per readiness, so one fast sender does not starve its loop.
    static let readsPerEventMax = 4
    /// How long a closing connection waits for the peer's end, so that the last answer is not lost to a reset.
    public static let lingerMax = Duration.seconds(2)
    /// What a peer must take a second, on average, of what is queued when its connection closes.
    public static let flushBytesPerSecondMin = 512
    /// Bytes a closing connection reads and throws away while it waits.
    static let lingerBytesMax = 1_048_576

    enum Phase { case connecting, handshaking, open, flushingToClose, lingering, closed }

    /// The loop it lives on.
    public let loop: EventLoop

    // What every message needs comes first, in few cache lines.

    /// Who hears of it. Kept until the connection is closed. Unchecked, as the next: read and replaced whole, never changed
    /// in place by a call that could come back to it.
    @exclusivity(unchecked) public private(set) var delegate: (any SocketConnectionDelegate)?
    /// For its memory to be fetched ahead.
    @exclusivity(unchecked) private(set) var delegateAddress: UnsafeRawPointer?
    /// Bytes accepted by ``send(_:)`` and not yet with the kernel.
    @exclusivity(unchecked) public internal(set) var queuedBytes = 0

    let descriptor: Int32
    var phase: Phase
    var registration: Registration?
    /// What waits to be sent: mostly nothing or one array, which has its place here; more are in `tail`.
    @exclusivity(unchecked) var head: [UInt8] = []
    var tail = Deque<[UInt8]>()
    var headOffset = 0
    /// `tail` has had more than ``keptArraysMax``.
    var isTailLong = false
    var tls: TLSSession?
    /// It waits for its turn in a handshake: nothing is watched for.
    var isParked = false
    /// Its place among the accepted ones, given back when it is closed.
    var ticket: AdmissionTicket?
    var isDirty = false
    /// Within ``handle(events:)``, which flushes at its end.
    private(set) var isHandling = false
    private var wantsRead = true
    var wantsWrite = false
    /// In the loop's list of blocked writers.
    var isListedAsBlocked = false
    /// Of `queuedBytes`, what the loop's gauge knows.
    var countedBytes = 0
    /// Bytes the kernel took since `stallWindowStart`.
    var stallWindowBytes = 0
    var stallWindowStart: UInt64 = 0
    /// The peer, such as `127.0.0.1:4711`.
    public let peer: SocketAddress
    private var lingeredBytes = 0
    var lingerTimer: LoopTimer?
    /// The timer allows for what is still to be sent.
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

    /// The kernel did not take all of what was to be sent, and has not asked for more since.
    public var isBlocked: Bool { wantsWrite }

    /// True once the handshake (TLS) is through, or at once (plain).
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

    /// From now on somebody else owns the connection: HTTP gives it to what it was upgraded to. On the loop.
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

    /// Bytes of the peer wait in the kernel, and this connection has not read them yet. On the loop.
    public var hasUnreadInput: Bool {
        guard isOpen else { return false }
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
    }

    /// Stops or goes on reading; the kernel's buffer then slows the peer down. On the loop.
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
        // What the connection was answered leaves at once, so that its peer works while the next one is served.
        if isDirty { flush() }
    }

    private func handleReadiness(_ events: UInt32) {
        switch phase {
        case .closed: return
        case .connecting: return finishConnect()
        case .handshaking: return loop.handshakes.advance(self, events: events)
        case .open, .flushingToClose, .lingering: break
        }
        // These two cannot be masked: while nothing is read they would be told again and again. The peer is gone.
        if phase == .open, !wantsRead, events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 {
            return finish(error: SystemError(call: "recv", code: ECONNRESET))
        }
        if events & EPOLLOUT.rawValue != 0 { flush() }
        let ends = EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue
        if events & (EPOLLIN.rawValue | ends) != 0, phase != .closed {
            readAvailable(toTheEnd: events & ends != 0)
        }
    }

    /// Reads what there is, up to a limit beyond which it goes on after the other connections had their turn.
    /// - Parameter toTheEnd: The peer's end was announced: it comes behind the last bytes, however few these are.
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
                // What the kernel still holds is announced again; what OpenSSL has taken is not.
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
        // The end stays readable for ever: stop asking. The owner decides, or has decided to send the rest.
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

    /// What epoll is asked to tell.
    ///
    /// Plain connections are told of changes only (`EPOLLET`), which saves the kernel a second look at every socket that was
    /// read: `readAvailable` reads until a short read says that nothing is left, or goes on later by itself. An end that
    /// comes with the last bytes would not be told again, hence `EPOLLRDHUP`. OpenSSL does not say whether the socket was
    /// emptied, so TLS is told as long as there is something.
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
            // An attempt that failed is the caller's to hear, who may try another address: nothing was connected.
            return completion(.failure(error ?? SystemError(call: "connect", code: ECONNABORTED)))
        }
        delegate?.connectionClosed(self, error: error)
    }

    deinit {
        // Never started: nobody else can close it.
        if phase != .closed {
            tls?.free()
            close(descriptor)
        }
    }
}
