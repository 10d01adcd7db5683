import DequeModule
import EventLoop
import Hub
import Metrics
import Services
import Synchronization
import WebSocket
import Wire

/// One WebSocket connection: frames in, replies and pushes out.
///
/// Requests are handled one at a time, in order; what waits is bounded. Beyond that, what arrived is not even decoded, and
/// reading stops, so that the peer is slowed down by TCP. `@unchecked Sendable`: confined to the connection's loop, which
/// every entry checks.
final class WebSocketSession: @unchecked Sendable, SocketConnectionDelegate, SweepMember, Subscriber, Caller,
    UnfinishedInputOwner
{
    /// Pings that may stay unanswered; then the peer is gone.
    static let unansweredPingsMax: UInt8 = 2
    /// With as many requests waiting no further one is decoded, and reading stops until these are answered.
    static let waitingRequestsMax = 64
    /// With as many bytes of requests waiting no further one is decoded. The last may be as long as a message may.
    static let waitingBytesMax = 262_144
    /// Pings and pongs that a peer may send: many times what keep-alive needs, and too few to keep a loop busy.
    static let controlFramesRate = Rate(perSecond: 20, burst: 200)
    /// With more than this queued, requests wait until the queue is empty: a peer that asks and does not read is slowed
    /// down, not cut off.
    static let answerBelowBytes = 262_144
    /// How long a connection whose token was revoked may take to answer the request under way.
    static let revokedGraceTime = Duration.seconds(1)
    /// With more than this queued that the network did not take, positions are skipped until the queue is empty (B-1).
    static let conflateAboveBytes = 16_384
    /// With more than this queued positions are skipped whatever the network does: all that one turn may add.
    static let conflateAlwaysAboveBytes = 1_048_576
    /// Who was skipped for longer is slow: two ticks.
    static let slowAfter = Duration.milliseconds(400)
    /// Who is skipped again so soon is slow, however short each time was.
    static let slowWithin = Duration.seconds(2)
    /// What the kernel may hold of it beyond what the network takes: as much as a slow phone reads in some seconds.
    static let unsentBytesMax: Int32 = 16_384
    /// With more than this queued, the reliable lane gives up: reconnect and resume.
    static let reliableBytesMax = 2 * 1_048_576

    private static let nextID = Atomic<UInt64>(1)

    let subscriberID = nextID.wrappingAdd(1, ordering: .relaxed).oldValue
    let socket: SocketConnection
    let environment: ServerEnvironment
    var protocolCore: WebSocketConnection
    /// A request, as it came.
    struct Request {
        let bytes: [UInt8]
        let isBinary: Bool
    }
    var waiting = Deque<Request>()
    var waitingBytes = 0
    var isWorking = false
    /// What arrived waits undecoded, and nothing is read.
    private(set) var isPaused = false
    /// The loop will call ``takeEvents()``.
    private var willTakeEvents = false
    /// The peer's close waits for the requests before it.
    private(set) var closeWaits = false
    var unfinished = UnfinishedPlace()
    /// The pong that is owed to a peer that does not read.
    private var latePong: [UInt8] = []
    private var controlFrames = TokenBucket()
    /// The peer will send no more, but may still read: it gets the answers to what it asked.
    private(set) var peerEnded = false
    /// Its token is worth nothing any more, and why.
    private(set) var revocation: SignOutCause?
    private(set) var farewell: (code: CloseCode, reason: String)?
    private var skipped: Set<Topic> = []
    /// When the first of them was skipped, and when those before were told again; nanoseconds.
    private var skippedSince: UInt64 = 0
    private var refreshedAt: UInt64 = 0
    private var unansweredPings: UInt8 = 0
    /// Something arrived since the last visit: no ping is needed.
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

    /// Starts the clocks and takes what came right behind the handshake. On the loop.
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

    // MARK: Bytes in

    func connection(_ connection: SocketConnection, received bytes: UnsafeRawBufferPointer) { receive(bytes) }

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        unansweredPings = 0
        hasHeard = true
        // To decompress takes up to milliseconds, and waits when others have had the turn.
        let decodes = protocolCore.deflate == nil || !socket.loop.isTurnLong
        protocolCore.receive(bytes, decoding: decodes)
        if decodes { takeEvents() } else { takeEventsLater() }
    }

    private var hasRoom: Bool { waiting.count < Self.waitingRequestsMax && waitingBytes < Self.waitingBytesMax }

    /// Decodes as much of what arrived as there is room for: a kilobyte may stand for a megabyte, or for hundreds of requests.
    private func takeEvents() {
        var isAnother = false
        defer { countUnfinished(isAnother: isAnother) }
        closeWaits = false
        while hasRoom {
            // Who asks and closes gets its answers first, and what it asked is done.
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

    /// In a turn that has time for it, behind the other connections: a kilobyte may hold dozens of requests, or stand for a
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

    /// What is unfinished now began behind this event. A control frame amid a message's frames does not set that one's clock
    /// back.
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
        // The core's own answer goes out before anything that follows from the event.
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

    /// - Returns: False when it was one too many, and the connection is closed.
    private func countControlFrame() -> Bool {
        guard controlFrames.take(Self.controlFramesRate, now: EventLoop.nowNanoseconds) != nil else { return true }
        close(CloseCode(rawValue: CampanileCloseCode.tooManyRequests.rawValue), "too many pings or pongs")
        return false
    }

    /// RFC 6455 §5.5.3: who has not sent the pongs for previous pings "MAY elect to send a Pong frame for only the most
    /// recently processed Ping frame". So however many come, a peer that does not read is owed one.
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
        // Revoked between the look into the database and now.
        if let revocation { revoked(revocation) }
    }

    /// The token it came with is not valid any more: closes, behind the answer to the request under way, which may be
    /// the logout itself. On the loop.
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

    // MARK: Bytes out

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

    /// What was queued in this turn, such as the picture of a crowd, is no backlog: nobody has tried to send it yet.
    private var isBacklogged: Bool {
        socket.isBlocked || socket.queuedBytes > Self.conflateAlwaysAboveBytes
    }

    /// Whoever does not compress gets all of a delivery as one array, which many share.
    private func forEachFrame(of delivery: Delivery, _ body: ([UInt8]) -> Void) {
        guard protocolCore.deflate != nil else { return body(delivery.frame) }
        for message in delivery.messages { body(protocolCore.frame(of: message)) }
    }

    func sendReliable(_ frame: [UInt8]) {
        // A large snapshot on an empty queue is no sign of slowness.
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

    // MARK: Clocks and ends

    private static let ping = FrameEncoder.ping()

    private var keepAliveRing: SweepRing { socket.loop.sweepRing(every: environment.configuration.pingInterval) }

    /// Half-open connections end here; intermediaries see that the others are in use.
    func visit() {
        // Who is not listened to cannot answer; the requests that wait, or the clock of its full queue, will end that.
        guard protocolCore.state == .open, !isPaused else { return }
        if hasHeard {
            hasHeard = false
            return
        }
        guard unansweredPings < Self.unansweredPingsMax else { return socket.abort() }
        unansweredPings += 1
        socket.send(Self.ping)
    }

    /// Says why and closes. On the loop. Harmless when closing already.
    func close(_ code: CloseCode, _ reason: String) {
        socket.loop.preconditionIsolated()
        guard protocolCore.state == .open else { return }
        ended(with: code.rawValue)
        protocolCore.close(code: code, reason: reason)
        socket.send(protocolCore.takeOutput())
        end()
        // The peer's close frame may come; the socket lingers for it and no longer.
        socket.closeAfterFlush(within: SocketConnection.lingerMax)
    }

    /// The server stops: closes behind the answer to the request under way. On the loop.
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

    /// Counts the end once, by its first reason.
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
        // The socket may linger for the peer's end; what came with the last read is of no interest.
        protocolCore.discardInput()
        countUnfinished(isAnother: false)
        environment.registry.remove(self)
        disconnect()
    }

    private func disconnect() {
        Task(executorPreference: socket.loop) { [environment] in await environment.services.hub.disconnect(self) }
    }
}
