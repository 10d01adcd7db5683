import DequeModule
import EventLoop
import Hub
import Services
import Synchronization
import WebSocket
import Wire

/// One WebSocket connection: frames in, replies and pushes out.
///
/// Requests are handled one at a time, in order; what waits is bounded, and then reading stops, so that the peer is
/// slowed down by TCP. `@unchecked Sendable`: confined to the connection's loop, which every entry checks.
final class WebSocketSession: @unchecked Sendable, SocketConnectionDelegate, Subscriber, Caller {
    /// Between two keep-alive pings; a peer that answers none of two is gone.
    static let pingInterval = Duration.seconds(25)
    /// Requests that wait before reading stops.
    static let waitingRequestsMax = 64
    /// Bytes of waiting requests before reading stops.
    static let waitingBytesMax = 4 * 1_048_576
    /// With more than this queued, requests wait until the queue is empty: a peer that asks and does not read is slowed
    /// down, not cut off.
    static let answerBelowBytes = 262_144
    /// How long a connection whose token was revoked may take to answer the request under way.
    static let revokedGraceTime = Duration.seconds(1)
    /// With more than this queued, positions are skipped until the queue is empty (B-1).
    static let conflateAboveBytes = 65_536
    /// With more than this queued, the reliable lane gives up: reconnect and resume.
    static let reliableBytesMax = 2 * 1_048_576

    private static let nextID = Atomic<UInt64>(1)

    let subscriberID = nextID.wrappingAdd(1, ordering: .relaxed).oldValue
    private let socket: SocketConnection
    private let environment: ServerEnvironment
    private var protocolCore: WebSocketConnection
    private var waiting = Deque<[UInt8]>()
    private var waitingBytes = 0
    private var isWorking = false
    /// The peer will send no more, but may still read: it gets the answers to what it asked.
    private var peerEnded = false
    private var isRevoked = false
    private var farewell: (code: CloseCode, reason: String)?
    private var skipped: Set<Topic> = []
    private var unansweredPings = 0
    private var helloTimer: LoopTimer?
    private var pingTimer: LoopTimer?
    private var isClosed = false

    private(set) var identity: Identity?
    var clientName = "unknown"
    var hasSaidHello = false {
        didSet { if hasSaidHello { helloTimer?.cancel() } }
    }

    var subscriberLoop: EventLoop { socket.loop }
    var address: String { socket.peer.host }
    var subscriber: (any Subscriber)? { self }

    init(socket: SocketConnection, environment: ServerEnvironment, limits: WebSocketLimits) {
        self.socket = socket
        self.environment = environment
        protocolCore = WebSocketConnection(role: .server, limits: limits)
    }

    /// Starts the clocks and takes what came right behind the handshake. On the loop.
    func open(remainder: [UInt8]) {
        socket.loop.preconditionIsolated()
        environment.registry.add(self)
        helloTimer = socket.loop.schedule(after: environment.configuration.helloTimeout) { [weak self] in
            self?.close(CloseCode(rawValue: CampanileCloseCode.helloTimeout.rawValue), "no hello in time")
        }
        schedulePing()
        if !remainder.isEmpty { remainder.withUnsafeBytes { receive($0) } }
    }

    // MARK: Bytes in

    func connection(_ connection: SocketConnection, received bytes: UnsafeRawBufferPointer) { receive(bytes) }

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        unansweredPings = 0
        protocolCore.receive(bytes)
        while let event = protocolCore.nextEvent() {
            // The core's own answers go out before anything that follows from the event.
            socket.send(protocolCore.takeOutput())
            handle(event)
        }
        socket.send(protocolCore.takeOutput())
        if protocolCore.state == .closed { socket.closeAfterFlush() }
    }

    private func handle(_ event: WebSocketEvent) {
        switch event {
        case .text(let message): enqueue(message)
        case .binary:
            close(.unsupportedData, "binary messages are not understood: send JSON-RPC as text")
        case .ping, .pong: break
        case .closed, .failed: end()
        }
    }

    private func enqueue(_ message: [UInt8]) {
        guard protocolCore.state == .open else { return }
        waiting.append(message)
        waitingBytes += message.count
        if waiting.count > Self.waitingRequestsMax || waitingBytes > Self.waitingBytesMax { socket.setReading(false) }
        work()
    }

    private func work() {
        guard !isWorking, !waiting.isEmpty, socket.queuedBytes <= Self.answerBelowBytes else { return }
        isWorking = true
        Task(executorPreference: socket.loop) { await self.handleWaiting() }
    }

    private func handleWaiting() async {
        while !isClosed, socket.queuedBytes <= Self.answerBelowBytes, let message = waiting.popFirst() {
            waitingBytes -= message.count
            let reply = await environment.router.handle(message, from: self)
            socket.loop.preconditionIsolated()
            if let reply, protocolCore.state == .open { sendReliable(FrameEncoder.text(reply)) }
            if isRevoked { closeRevoked() }
            if let farewell { close(farewell.code, farewell.reason) }
            if waiting.count <= Self.waitingRequestsMax / 2, waitingBytes <= Self.waitingBytesMax / 2, !isClosed,
                !peerEnded
            {
                socket.setReading(true)
            }
        }
        isWorking = false
        // A subscribe that was under way when the connection ended came after its farewell: the hub would keep it.
        if isClosed { await environment.services.hub.disconnect(self) }
        if peerEnded, waiting.isEmpty { socket.closeAfterFlush() }
    }

    func become(_ identity: Identity?) {
        socket.loop.preconditionIsolated()
        guard !isClosed else { return }
        let isValid = environment.registry.move(self, from: self.identity?.tokenID, to: identity?.tokenID)
        self.identity = identity
        // Revoked between the look into the database and now.
        if !isValid { revoked() }
    }

    /// The token it came with is not valid any more: closes, behind the answer to the request under way, which may be
    /// the logout itself. On the loop.
    func revoked() {
        socket.loop.preconditionIsolated()
        guard isWorking else { return closeRevoked() }
        isRevoked = true
        socket.loop.schedule(after: Self.revokedGraceTime) { [weak self] in self?.closeRevoked() }
    }

    private func closeRevoked() {
        close(CloseCode(rawValue: CampanileCloseCode.tokenRevoked.rawValue), "signed out")
    }

    // MARK: Bytes out

    func deliver(_ delivery: Delivery) {
        socket.loop.preconditionIsolated()
        guard protocolCore.state == .open, !delivery.frame.isEmpty else { return }
        switch delivery.lane {
        case .reliable: sendReliable(delivery.frame)
        case .conflating:
            if socket.queuedBytes > Self.conflateAboveBytes {
                skipped.insert(delivery.topic)
            } else if !skipped.contains(delivery.topic) {
                socket.send(delivery.frame)
            }
        }
    }

    private func sendReliable(_ frame: [UInt8]) {
        // A large snapshot on an empty queue is no sign of slowness.
        guard socket.queuedBytes == 0 || socket.queuedBytes + frame.count <= Self.reliableBytesMax else {
            return close(
                CloseCode(rawValue: CampanileCloseCode.tooSlow.rawValue), "too slow: connect again and resume")
        }
        socket.send(frame)
    }

    func connectionDrained(_ connection: SocketConnection) {
        work()
        guard !skipped.isEmpty else { return }
        let topics = skipped
        skipped.removeAll()
        let viewer = viewer
        Task(executorPreference: socket.loop) { [environment] in
            for topic in topics { await environment.services.hub.refresh(self, topic: topic, viewer: viewer) }
        }
    }

    // MARK: Clocks and ends

    private func schedulePing() {
        pingTimer = socket.loop.schedule(after: Self.pingInterval) { [weak self] in
            guard let self, protocolCore.state == .open else { return }
            guard unansweredPings < 2 else { return socket.abort() }
            unansweredPings += 1
            socket.send(FrameEncoder.ping([]))
            schedulePing()
        }
    }

    /// Says why and closes. On the loop. Harmless when closing already.
    func close(_ code: CloseCode, _ reason: String) {
        socket.loop.preconditionIsolated()
        guard protocolCore.state == .open else { return }
        protocolCore.close(code: code, reason: reason)
        socket.send(protocolCore.takeOutput())
        end()
        // The peer's close frame may come; the socket lingers for it and no longer.
        socket.closeAfterFlush()
    }

    /// The server stops: closes behind the answer to the request under way. On the loop.
    func depart(_ code: CloseCode, _ reason: String) {
        guard isWorking else { return close(code, reason) }
        farewell = (code, reason)
        socket.loop.schedule(after: Self.revokedGraceTime) { [weak self] in self?.close(code, reason) }
    }

    func connectionReachedEnd(_ connection: SocketConnection) {
        peerEnded = true
        if !isWorking, waiting.isEmpty { connection.closeAfterFlush() }
    }

    func connectionClosed(_ connection: SocketConnection, error: (any Error)?) { end() }

    private func end() {
        guard !isClosed else { return }
        isClosed = true
        helloTimer?.cancel()
        pingTimer?.cancel()
        waiting.removeAll()
        environment.registry.remove(self)
        Task(executorPreference: socket.loop) { [environment] in await environment.services.hub.disconnect(self) }
    }
}
