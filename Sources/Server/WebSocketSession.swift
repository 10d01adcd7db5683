import DequeModule
import EventLoop
import Hub
import Metrics
import Services
import Synchronization
import WebSocket
import Wire

/// One WebSocket connection: receives frames, sends replies and publications.
///
/// Requests are handled one at a time, in order, and the number that wait is bounded. Above the bound the session neither decodes nor
/// reads input, so that TCP slows down the peer. `@unchecked Sendable`: confined to the connection's loop, which every entry checks.
final class WebSocketSession: @unchecked Sendable, SocketConnectionDelegate, SweepMember, Subscriber, Caller,
    UnfinishedInputOwner
{
    /// Number of unanswered pings after which the session treats the peer as gone.
    static let unansweredPingsMax: UInt8 = 2
    /// Number of waiting requests at which the session stops decoding and reading.
    static let waitingRequestsMax = 64
    /// Number of bytes of waiting requests at which the session stops decoding. The last request may have the full message size.
    static let waitingBytesMax = 262_144
    /// Rate limit of pings and pongs: many times the need of keep-alive, and too low to keep a loop busy.
    static let controlFramesRate = Rate(perSecond: 20, burst: 200)
    /// Number of queued bytes above which requests wait until the queue is empty. This slows down a peer that sends requests without
    /// reading, without closing its connection.
    static let answerBelowBytes = 262_144
    /// Time that a connection with a revoked token has to complete the request in flight.
    static let revokedGraceTime = Duration.seconds(1)
    /// Number of queued bytes above which, if the network does not accept them, positions are skipped until the queue is empty (B-1).
    static let conflateAboveBytes = 16_384
    /// Number of queued bytes above which positions are skipped in any case: the limit of what one iteration may add.
    static let conflateAlwaysAboveBytes = 1_048_576
    /// Duration of skipping after which a connection counts as slow: two ticks.
    static let slowAfter = Duration.milliseconds(400)
    /// Interval between two periods of skipping below which a connection counts as slow, even after short periods.
    static let slowWithin = Duration.seconds(2)
    /// Limit of unsent bytes in the kernel: as much as a slow phone reads in a few seconds.
    static let unsentBytesMax: Int32 = 16_384
    /// Number of queued bytes above which the session closes the connection; the client reconnects and resumes.
    static let reliableBytesMax = 2 * 1_048_576

    private static let nextID = Atomic<UInt64>(1)

    let subscriberID = nextID.wrappingAdd(1, ordering: .relaxed).oldValue
    let socket: SocketConnection
    let environment: ServerEnvironment
    var protocolCore: WebSocketConnection
    /// A request before decoding.
    struct Request {
        let bytes: [UInt8]
        let isBinary: Bool
    }
    var waiting = Deque<Request>()
    var waitingBytes = 0
    var isWorking = false
    /// Whether received bytes wait undecoded and the session does not read.
    private(set) var isPaused = false
    /// Whether the loop will call ``takeEvents()``.
    private var willTakeEvents = false
    /// Whether the peer's close waits for earlier requests.
    private(set) var closeWaits = false
    var unfinished = UnfinishedPlace()
    /// Pong that waits because the peer does not read.
    private var latePong: [UInt8] = []
    private var controlFrames = TokenBucket()
    /// Whether the peer has ended its side. It may still read, and gets the replies to its requests.
    private(set) var peerEnded = false
    /// Reason why the token of the connection was revoked; nil while it is valid.
    private(set) var revocation: SignOutCause?
    private(set) var farewell: (code: CloseCode, reason: String)?
    private var skipped: Set<Topic> = []
    /// Time at which the first of them was skipped, and time of the last refresh; nanoseconds.
    private var skippedSince: UInt64 = 0
    private var refreshedAt: UInt64 = 0
    private var unansweredPings: UInt8 = 0
    /// Whether data arrived since the last visit, which makes a ping unnecessary.
    private var hasHeard = false
    var sweepPosition = SweepPosition()
    private var helloTimer: LoopTimer?
    private(set) var isClosed = false
    private var isEndCounted = false

    private(set) var identity: Identity?
    var clientName = "unknown"
    var hasSaidHello = false {
        didSet {
            guard hasSaidHello else { return }
            helloTimer?.cancel()
            helloTimer = nil
        }
    }

    var subscriberLoop: EventLoop { socket.loop }
    let address: String
    var refusals = TokenBucket()
    var subscriber: (any Subscriber)? { self }

    init(
        socket: SocketConnection, environment: ServerEnvironment, deflate: DeflateAgreement?, address: String
    ) {
        self.socket = socket
        self.address = address
        self.environment = environment
        protocolCore = WebSocketConnection(
            role: .server, limits: environment.configuration.webSocketLimits, deflate: deflate)
    }

    /// Starts the timers and processes the bytes that followed the handshake. On the loop.
    func open(remainder: [UInt8]) {
        socket.loop.preconditionIsolated()
        environment.registry.add(self)
        socket.limitUnsent(bytes: Self.unsentBytesMax)
        helloTimer = socket.loop.schedule(after: environment.configuration.helloTimeout) { [self] in
            close(CloseCode(rawValue: CampanileCloseCode.helloTimeout.rawValue), "no hello in time")
        }
        keepAliveRing.add(self)
        if !remainder.isEmpty { remainder.withUnsafeBytes { receive($0) } }
    }

    // MARK: Receiving

    func connection(_ connection: SocketConnection, received bytes: UnsafeRawBufferPointer) { receive(bytes) }

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        unansweredPings = 0
        hasHeard = true
        // Decompression takes up to milliseconds, and waits if the iteration is already long.
        let decodes = protocolCore.deflate == nil || !socket.loop.isTurnLong
        protocolCore.receive(bytes, decoding: decodes)
        if decodes { takeEvents() } else { takeEventsLater() }
    }

    private var hasRoom: Bool { waiting.count < Self.waitingRequestsMax && waitingBytes < Self.waitingBytesMax }

    /// Decodes received bytes as long as there is room for requests: a kilobyte may decompress to a megabyte or to hundreds of requests.
    private func takeEvents() {
        var isAnother = false
        defer { countUnfinished(isAnother: isAnother) }
        closeWaits = false
        while hasRoom {
            // Earlier requests are completed and answered before the peer's close.
            if isWorking || !waiting.isEmpty, protocolCore.isCloseNext() {
                closeWaits = true
                break
            }
            guard let event = protocolCore.nextEvent() else { break }
            if isWhole(event) { isAnother = true }
            handle(event)
            if protocolCore.hasUnread, socket.loop.isTurnLong { return takeEventsLater() }
        }
        if protocolCore.state == .closed { return socket.closeAfterFlush() }
        if isPaused == hasRoom, socket.isOpen {
            isPaused = !hasRoom
            if !peerEnded { socket.setReading(hasRoom) }
        }
        if peerEnded, !isWorking, waiting.isEmpty { socket.closeAfterFlush() }
    }

    /// Decodes in a loop iteration that has time, after the other connections: a kilobyte may contain dozens of requests or decompress to a
    /// megabyte.
    func takeEventsLater() {
        guard !willTakeEvents else { return }
        willTakeEvents = true
        if !isPaused, !peerEnded, socket.isOpen { socket.setReading(false) }
        isPaused = true
        socket.loop.executeLater { [self] in
            willTakeEvents = false
            takeEvents()
        }
    }

    /// Whether a message that is incomplete now began after this event. A control frame between the frames of a message does not restart
    /// the time limit of the message.
    private func isWhole(_ event: WebSocketEvent) -> Bool {
        switch event {
        case .text, .binary: true
        default: !protocolCore.isWithinMessage
        }
    }

    private func countUnfinished(isAnother: Bool) {
        loop.unfinishedInput.update(self, bytes: protocolCore.unfinishedBytes, isAnother: isAnother)
    }

    func giveUpUnfinished(_ excess: UnfinishedInput.Excess) {
        switch excess {
        case .time: close(.policyViolation, "a message must be whole in time: send shorter ones")
        case .memory: close(.tryAgainLater, "too many messages are half sent: connect again and send it whole")
        }
    }

    private func handle(_ event: WebSocketEvent) {
        // The protocol core's own reply goes out before any effect of the event.
        let answer = protocolCore.takeOutput()
        switch event {
        case .text(let message):
            socket.loop.metrics.messagesIn.addUnshared(1)
            enqueue(Request(bytes: message, isBinary: false))
        case .binary(let message):
            socket.loop.metrics.messagesIn.addUnshared(1)
            guard message.first == TrackFrame.kind else {
                return close(.unsupportedData, "only frames of points may be binary: send JSON-RPC as text")
            }
            enqueue(Request(bytes: message, isBinary: true))
        case .ping: if countControlFrame() { sendPong(answer) }
        case .pong: _ = countControlFrame()
        case .closed(let code, _):
            socket.send(answer)
            // 1005 stands for a close frame without a code.
            ended(with: code?.rawValue ?? 1005)
            end()
        case .failed(let code, _):
            socket.send(answer)
            ended(with: code.rawValue)
            end()
        }
    }

    /// Counts a control frame.
    /// - Returns: Whether the frame is within the limit. Otherwise the connection is closed.
    private func countControlFrame() -> Bool {
        guard controlFrames.take(Self.controlFramesRate, now: EventLoop.nowNanoseconds) != nil else { return true }
        close(CloseCode(rawValue: CampanileCloseCode.tooManyRequests.rawValue), "too many pings or pongs")
        return false
    }

    /// Sends a pong, or keeps it for later. RFC 6455 §5.5.3: an endpoint with unsent pongs for previous pings "MAY elect to send a Pong
    /// frame for only the most recently processed Ping frame". A peer that does not read therefore has at most one pong waiting.
    private func sendPong(_ pong: [UInt8]) {
        if socket.queuedBytes <= Self.answerBelowBytes { socket.send(pong) } else { latePong = pong }
    }

    private func enqueue(_ request: Request) {
        guard protocolCore.state == .open else { return }
        waiting.append(request)
        waitingBytes += request.bytes.count
        work()
    }

    func become(_ identity: Identity?) {
        socket.loop.preconditionIsolated()
        guard !isClosed else { return }
        let revocation = environment.registry.move(self, from: self.identity, to: identity)
        self.identity = identity
        self.identity?.address = address
        // The token was revoked between its check in the database and now.
        if let revocation { revoked(revocation) }
    }

    /// Closes the connection after its token was revoked, once the request in flight, possibly the logout itself, is answered. On the loop.
    func revoked(_ cause: SignOutCause) {
        socket.loop.preconditionIsolated()
        guard isWorking else { return closeRevoked(cause) }
        guard revocation == nil else { return }
        revocation = cause
        socket.loop.schedule(after: Self.revokedGraceTime) { [weak self] in self?.closeRevoked(cause) }
    }

    func closeRevoked(_ cause: SignOutCause) {
        close(CloseCode(rawValue: CampanileCloseCode.tokenRevoked.rawValue), cause.reason)
    }

    // MARK: Sending

    func prepare() { EventLoop.prefetch(socket) }

    func deliver(_ delivery: Delivery) {
        socket.loop.preconditionIsolated()
        guard protocolCore.state == .open, !delivery.frame.isEmpty else { return }
        switch delivery.lane {
        case .reliable:
            socket.loop.metrics.reliableOut.addUnshared(delivery.messages.count)
            forEachFrame(of: delivery, sendReliable)
        case .conflating:
            if socket.queuedBytes > Self.conflateAboveBytes, isBacklogged {
                if skipped.isEmpty { skippedSince = EventLoop.nowNanoseconds }
                skipped.insert(delivery.topic)
                socket.loop.metrics.conflated.addUnshared(1)
            } else if !skipped.contains(delivery.topic) {
                socket.loop.metrics.conflatingOut.addUnshared(1)
                forEachFrame(of: delivery) { socket.send($0) }
            } else {
                socket.loop.metrics.conflated.addUnshared(1)
            }
        }
    }

    /// Whether queued bytes are a backlog. Bytes queued in this iteration, such as a crowded area, are none, because no send was attempted.
    private var isBacklogged: Bool {
        socket.isBlocked || socket.queuedBytes > Self.conflateAlwaysAboveBytes
    }

    /// Passes the frames of a delivery. Without compression they are one array, which many connections share.
    private func forEachFrame(of delivery: Delivery, _ body: ([UInt8]) -> Void) {
        guard protocolCore.deflate != nil else { return body(delivery.frame) }
        for message in delivery.messages { body(protocolCore.frame(of: message)) }
    }

    func sendReliable(_ frame: [UInt8]) {
        // A large snapshot on an empty queue does not indicate a slow reader.
        guard socket.queuedBytes == 0 || socket.queuedBytes + frame.count <= Self.reliableBytesMax else {
            environment.metrics.transport.tooSlow.add()
            return close(
                CloseCode(rawValue: CampanileCloseCode.tooSlow.rawValue), "too slow: connect again and resume")
        }
        socket.send(frame)
    }

    func connectionDrained(_ connection: SocketConnection) {
        if !latePong.isEmpty, protocolCore.state == .open {
            socket.send(latePong)
            latePong = []
        }
        work()
        if isPaused || closeWaits || peerEnded { resumeTaking() }
        guard !skipped.isEmpty else { return }
        let topics = skipped
        skipped.removeAll()
        let now = EventLoop.nowNanoseconds
        let isSlow =
            now &- skippedSince > Self.slowAfter.nanoseconds || now &- refreshedAt < Self.slowWithin.nanoseconds
        refreshedAt = now
        Task(executorPreference: socket.loop) { [environment] in
            await environment.services.hub.refresh(self, topics: topics, isSlow: isSlow)
        }
    }

    // MARK: Keep-alive and closing

    private static let ping = FrameEncoder.ping()

    private var keepAliveRing: SweepRing { socket.loop.sweepRing(every: environment.configuration.pingInterval) }

    /// Sends a ping or aborts the connection, so that half-open connections end and intermediaries see the others as active.
    func visit() {
        // A paused connection cannot deliver a pong. Its waiting requests or the deadline of its full queue end that state.
        guard protocolCore.state == .open, !isPaused else { return }
        if hasHeard {
            hasHeard = false
            return
        }
        guard unansweredPings < Self.unansweredPingsMax else { return socket.abort() }
        unansweredPings += 1
        socket.send(Self.ping)
    }

    /// Sends a close frame and closes. Does nothing while closing. On the loop.
    func close(_ code: CloseCode, _ reason: String) {
        socket.loop.preconditionIsolated()
        guard protocolCore.state == .open else { return }
        ended(with: code.rawValue)
        protocolCore.close(code: code, reason: reason)
        socket.send(protocolCore.takeOutput())
        end()
        // The socket lingers for the peer's close frame for a limited time.
        socket.closeAfterFlush(within: SocketConnection.lingerMax)
    }

    /// Closes for the stop of the server, after the reply to the request in flight. On the loop.
    func depart(_ code: CloseCode, _ reason: String) {
        guard isWorking else { return close(code, reason) }
        farewell = (code, reason)
        socket.loop.schedule(after: Self.revokedGraceTime) { [weak self] in self?.close(code, reason) }
    }

    func connectionReachedEnd(_ connection: SocketConnection) {
        peerEnded = true
        takeEvents()
    }

    func connectionClosed(_ connection: SocketConnection, error: (any Error)?) {
        ended(with: 1006)
        environment.metrics.transport.webSocketsOpen.add(-1)
        if socket.isSecure { environment.metrics.transport.tlsOpen.add(-1) }
        if error is SendQueueOverflow { environment.metrics.transport.overflow.add() }
        end()
    }

    /// Counts the end once, with its first reason.
    private func ended(with code: UInt16) {
        guard !isEndCounted else { return }
        isEndCounted = true
        environment.metrics.transport.closed(code)
    }

    private func end() {
        guard !isClosed else { return }
        isClosed = true
        helloTimer?.cancel()
        helloTimer = nil
        keepAliveRing.remove(self)
        waiting = []
        waitingBytes = 0
        // The socket may linger for the peer's close; input from the last read is discarded.
        protocolCore.discardInput()
        countUnfinished(isAnother: false)
        environment.registry.remove(self)
        disconnect()
    }

    private func disconnect() {
        Task(executorPreference: socket.loop) { [environment] in await environment.services.hub.disconnect(self) }
    }
}
