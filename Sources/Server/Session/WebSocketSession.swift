import EventLoop
import Hub
import HubCore
import Metrics
import Services
import Synchronization
import WebSocket
import Wire

/// One WebSocket connection: receives frames, sends replies and publications.
///
/// Requests are handled one at a time, in order, and the number that wait is bounded. Above the bound the session neither decodes nor
/// reads input, so that TCP slows down the peer. `@unchecked Sendable`: confined to the connection's loop, which every entry checks.
final class WebSocketSession: @unchecked Sendable, SocketConnectionDelegate, TimerWheelMember, Subscriber, Caller,
    IncompleteInputOwner
{
    /// Rate limit of pings and pongs: many times the need of keep-alive, and too low to keep a loop busy.
    static let controlFramesRate = Rate(perSecond: 20, burst: 200)
    /// Number of queued bytes above which requests wait until the queue is empty. This slows down a peer that sends requests without
    /// reading, without closing its connection.
    static let answerBelowBytes = 262_144
    /// Time that a connection has to complete the request in flight, after its token was revoked or when the server stops.
    static let leaveGraceTime = Duration.seconds(1)
    /// Number of queued bytes above which, if the network does not accept them, positions are skipped until the queue is empty (B-1).
    static let conflateAboveBytes = 16_384
    /// Number of queued bytes above which positions are skipped in any case: the limit of what one iteration may add.
    static let conflateAlwaysAboveBytes = 1_048_576
    /// Limit of unsent bytes in the kernel: as much as a slow phone reads in a few seconds.
    static let unsentBytesMax: Int32 = 16_384
    /// Number of queued bytes above which the session closes the connection; the client reconnects and resumes.
    static let reliableBytesMax = 2 * 1_048_576

    private static let nextID = Atomic<UInt64>(1)

    let subscriberID = nextID.wrappingAdd(1, ordering: .relaxed).oldValue
    let socket: SocketConnection
    let environment: ServerEnvironment
    var protocolCore: WebSocketConnection
    var requests = RequestQueue()
    var intake = SessionIntake()
    private(set) var end = SessionEnd.open
    var unfinished = IncompleteInputState()
    /// Pong that waits because the peer does not read.
    private var latePong: [UInt8] = []
    private var controlFrames = TokenBucket()
    private var skipped = SkippedTopics()
    private var keepAlive = KeepAlive()
    var sweepPosition = SweepPosition()
    private var helloTimer: LoopTimer?
    var isClosed: Bool { end.isClosed }

    private(set) var identity: Identity?
    var clientName = "unknown"
    var platform: String?
    var isOutdated = false
    var hasSentHello = false {
        didSet {
            guard hasSentHello else { return }
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
        keepAlive.received()
        // Decompression takes up to milliseconds, and waits if the iteration is already long.
        let decodes = protocolCore.deflate == nil || !socket.loop.isIterationLong
        protocolCore.receive(bytes, decoding: decodes)
        if decodes { takeEvents() } else { decodeEventsLater() }
    }

    /// Decodes received bytes while there is room for requests: a kilobyte may decompress to a megabyte or to hundreds of requests.
    private func takeEvents() {
        var isAnother = false
        var isCloseNext = false
        defer { countUnfinished(isAnother: isAnother) }
        while requests.hasRoom {
            // Earlier requests are completed and answered before the peer's close.
            if !requests.isIdle, protocolCore.isCloseNext() {
                isCloseNext = true
                break
            }
            guard let event = protocolCore.nextEvent() else { break }
            if isWhole(event) { isAnother = true }
            handle(event)
            if protocolCore.hasUnread, socket.loop.isIterationLong { return decodeEventsLater() }
        }
        guard protocolCore.state != .closed else { return socket.closeAfterFlush() }
        perform(intake.decoded(hasRoom: requests.hasRoom, isCloseNext: isCloseNext, isIdle: requests.isIdle))
    }

    /// Decodes in a loop iteration that has time, after the other connections: a kilobyte may contain dozens of requests or decompress to a
    /// megabyte.
    private func decodeEventsLater() { perform(intake.postpone()) }

    /// Resumes reading and decoding after requests were handled.
    func resumeReading() {
        guard !requests.isBusy else { return }
        perform(intake.answered(isIdle: requests.isIdle))
    }

    private func perform(_ actions: SessionIntake.Actions) {
        if actions.isEmpty { return }
        if socket.isOpen {
            if actions.contains(.startReading) { socket.setReading(true) }
            if actions.contains(.stopReading) { socket.setReading(false) }
        }
        if actions.contains(.schedule) {
            socket.loop.executeDeferred { [self] in
                intake.begin()
                takeEvents()
            }
        }
        if actions.contains(.closeAfterFlush) { socket.closeAfterFlush() }
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

    func giveUpUnfinished(_ excess: IncompleteInputLimiter.Excess) {
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
            enqueue(RequestQueue.Request(bytes: message, isBinary: false))
        case .binary(let message):
            socket.loop.metrics.messagesIn.addUnshared(1)
            guard message.first == TrackFrame.kind else {
                return close(.unsupportedData, "only frames of points may be binary: send JSON-RPC as text")
            }
            enqueue(RequestQueue.Request(bytes: message, isBinary: true))
        case .ping: if countControlFrame() { sendPong(answer) }
        case .pong: _ = countControlFrame()
        case .closed(let code, _):
            socket.send(answer)
            // 1005 stands for a close frame without a code.
            finish(with: code?.rawValue ?? 1005)
        case .failed(let code, _):
            socket.send(answer)
            finish(with: code.rawValue)
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

    private func enqueue(_ request: RequestQueue.Request) {
        guard protocolCore.state == .open else { return }
        requests.append(request)
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
        leave(CloseCode(rawValue: CampanileCloseCode.tokenRevoked.rawValue), cause.reason)
    }

    /// Closes for the stop of the server, after the reply to the request in flight. On the loop.
    func depart(_ code: CloseCode, _ reason: String) { leave(code, reason) }

    private func leave(_ code: CloseCode, _ reason: String) {
        socket.loop.preconditionIsolated()
        guard requests.isBusy else { return close(code, reason) }
        guard end.leave(code, reason) else { return }
        socket.loop.schedule(after: Self.leaveGraceTime) { [weak self] in self?.close(code, reason) }
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
                skipped.insert(delivery.topic, now: EventLoop.nowNanoseconds)
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
        if intake.waitsForReplies { resumeReading() }
        guard !skipped.isEmpty else { return }
        let (topics, isSlow) = skipped.end(now: EventLoop.nowNanoseconds)
        Task(executorPreference: socket.loop) { [environment] in
            await environment.services.hub.refresh(self, topics: topics, isSlow: isSlow)
        }
    }

    // MARK: Keep-alive and closing

    private static let ping = FrameEncoder.ping()

    private var keepAliveRing: TimerWheel { socket.loop.timerWheel(every: environment.configuration.pingInterval) }

    /// Sends a ping or aborts the connection, so that half-open connections end and intermediaries see the others as active.
    func visit() {
        // A paused connection cannot deliver a pong. Its waiting requests or the deadline of its full queue end that state.
        guard protocolCore.state == .open, !intake.isPaused else { return }
        switch keepAlive.visit() {
        case .none: break
        case .ping: socket.send(Self.ping)
        case .abort: socket.abort()
        }
    }

    /// Sends a close frame and closes. Does nothing while closing. On the loop.
    func close(_ code: CloseCode, _ reason: String) {
        socket.loop.preconditionIsolated()
        guard protocolCore.state == .open else { return }
        protocolCore.close(code: code, reason: reason)
        let frame = protocolCore.takeOutput()
        finish(with: code.rawValue)
        socket.send(frame)
        // The socket lingers for the peer's close frame for a limited time.
        socket.closeAfterFlush(within: SocketConnection.lingerMax)
    }

    func connectionReachedEnd(_ connection: SocketConnection) {
        intake.endPeer()
        takeEvents()
    }

    func connectionClosed(_ connection: SocketConnection, error: (any Error)?) {
        environment.metrics.transport.webSocketsOpen.add(-1)
        if socket.isSecure { environment.metrics.transport.tlsOpen.add(-1) }
        if error is SendQueueOverflow { environment.metrics.transport.overflow.add() }
        finish(with: 1006)
    }

    /// Counts the close code and removes the session everywhere. The first code counts; later calls do nothing.
    private func finish(with code: UInt16) {
        guard end.close() else { return }
        environment.metrics.transport.closed(code)
        helloTimer?.cancel()
        helloTimer = nil
        keepAliveRing.remove(self)
        requests.removeAll()
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
