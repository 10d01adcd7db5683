import EventLoop
import Hub
import Services
import WebSocket
import Wire

/// A connection while it speaks HTTP/1.1. Requests are answered in order; an upgrade hands it over to ``WebSocketSession``.
///
/// States: `idle` → `receiving` → `answering` → `idle`, with `sending` in between if the peer reads the response slowly, and `admitting`
/// within `receiving` before the body of a picture. `closing` and `handedOver` are final. `@unchecked Sendable`: confined to the
/// connection's loop.
final class HTTPConnection: @unchecked Sendable, SocketConnectionDelegate, IncompleteInputOwner {
    /// Time for the first request of a new connection when the server stops.
    static let firstRequestGraceTime = Duration.milliseconds(200)
    /// Highest number of requests on one connection. The last response has `Connection: close`.
    static let requestsMax = 10_000
    /// Unsent bytes above which the next request waits, which slows down a client that sends requests without reading.
    static let answerBelowBytes = 262_144
    /// Number of consecutive 429 responses after which the connection is closed.
    static let consecutive429Max = 100

    /// Resources that a connection may request.
    enum Site: Sendable {
        /// The application: web app, `/rpc`, WebSockets.
        case application
        /// The metrics port, which serves nothing else.
        case metrics
    }

    enum Phase {
        /// Between two requests.
        case idle
        /// Part of a request has arrived.
        case receiving
        /// The head of an upload has arrived, and the check of its sender is in progress.
        case admitting
        /// A request is in flight.
        case answering
        /// Much of a response is unsent; requests wait.
        case sending
        /// The last response is being sent.
        case closing
        /// The connection is a WebSocket.
        case handedOver
    }

    let socket: SocketConnection
    let environment: ServerEnvironment
    let site: Site
    var parser = HTTPRequestParser()
    var phase = Phase.idle
    private var isReading = true
    var peerEnded = false
    private var requestCount = 0
    private var limitedCount = 0
    var clock: LoopTimer?
    /// Deadline of the present phase on the monotonic clock in nanoseconds; `.max` for none.
    private var deadline = UInt64.max
    private var requestedAt: UInt64 = 0
    private var isCounted = false
    /// Number of unsent bytes when a sending deadline was set; nil for other deadlines.
    private var unsentAtDeadlineSet: Int?
    /// Rest of the response that is not in the socket's queue yet.
    private var feed: AnswerFeed?
    /// Objects that responses keep alive until they are sent.
    private var holds: [any AnyObject & Sendable] = []
    /// The upload whose body is arriving.
    var upload: Upload?
    var unfinished = IncompleteInputState()
    /// Latest time by which all queued responses must be sent, on the monotonic clock in nanoseconds.
    private var sendLimit: UInt64 = 0

    init(socket: SocketConnection, environment: ServerEnvironment, site: Site = .application) {
        self.socket = socket
        self.environment = environment
        self.site = site
        if site == .application { parser.asksBefore = Pages.isUpload }
    }

    var loop: EventLoop { socket.loop }

    func start() {
        do {
            try socket.start(delegate: self)
            environment.registry.add(self)
            let metrics = environment.metrics.transport
            metrics.accepted.add()
            metrics.httpOpen.add(1)
            if socket.isSecure { metrics.tlsOpen.add(1) }
            isCounted = true
            // The first request has the same time limit as any other, from its first byte.
            setDeadline(environment.configuration.requestTimeout)
            wind()
            if environment.registry.isStopping { stop() }
        } catch {
            socket.abort()
        }
    }

    /// Address of the client, to which limits and throttles refer. No other place derives it.
    func callerAddress(of request: HTTPRequest) -> String {
        let trusted = environment.configuration.trustedProxies
        guard !trusted.isEmpty else { return socket.peer.host }
        let field = request.headers.all("X-Forwarded-For").joined(separator: ",")
        return ForwardedAddress.client(peer: socket.peer.host, forwardedFor: field, trusted: trusted)
    }

    // MARK: Time

    // Each connection has one timer, which checks the deadline and schedules itself again. Requests only change the deadline, so that a
    // flood of them leaves no timers behind. The timer's interval is at most the shortest limit, so that it misses no deadline.

    func setDeadline(_ limit: Duration?) {
        deadline = limit.map { EventLoop.nowNanoseconds &+ $0.nanoseconds } ?? .max
        unsentAtDeadlineSet = nil
    }

    /// Sets the deadline by which the peer must read some of the unsent bytes.
    private func setSendDeadline() {
        setDeadline(environment.configuration.writeStallTimeout)
        unsentAtDeadlineSet = unsentBytes
    }

    private var unsentBytes: Int { socket.queuedBytes + (feed?.bytes ?? 0) }

    /// Extends the limit for sending by the time for more bytes, from now or from the end of the unsent ones.
    private func extendSendLimit(by bytes: Int, bytesPerSecondMin: Int) {
        if unsentBytes == 0 {
            sendLimit = EventLoop.nowNanoseconds &+ environment.configuration.writeStallTimeout.nanoseconds
        }
        sendLimit &+= UInt64(bytes) &* 1_000_000_000 / UInt64(max(1, bytesPerSecondMin))
    }

    private func wind() {
        let configuration = environment.configuration
        let shortest = min(configuration.requestTimeout, configuration.idleTimeout, configuration.writeStallTimeout)
        let now = EventLoop.nowNanoseconds
        let left = min(shortest.nanoseconds, deadline > now ? deadline - now : 0)
        clock = socket.loop.schedule(after: .nanoseconds(Int64(clamping: left))) { [weak self] in
            guard let self, phase != .handedOver, socket.isOpen else { return }
            if EventLoop.nowNanoseconds >= deadline { expire() }
            if socket.isOpen { wind() }
        }
    }

    private func expire() {
        // Unsent bytes take precedence: a slow reader that makes progress has more time, up to the limit.
        if unsentBytes > 0 {
            guard unsentBytes < unsentAtDeadlineSet ?? .max, EventLoop.nowNanoseconds < sendLimit else {
                return socket.abort()
            }
            return setSendDeadline()
        }
        switch phase {
        case .receiving:
            if let limit = uploadLimit, EventLoop.nowNanoseconds < limit { return deadline = limit }
            respond(.plain(408, "the request took too long"), keepAlive: false)
            close()
        case .idle where environment.registry.isStopping && socket.hasUnreadInput:
            // Input arrived just before the deadline; the loop reads it in its next iteration.
            setDeadline(Self.firstRequestGraceTime)
        case .idle, .sending, .closing: close()
        case .admitting, .answering, .handedOver: setDeadline(nil)
        }
    }

    // MARK: Requests

    func connection(_ connection: SocketConnection, received bytes: UnsafeRawBufferPointer) {
        guard phase != .closing else { return }
        parser.append(bytes)
        switch phase {
        case .idle, .receiving: advance()
        // Pipelined requests wait in the kernel until this one is answered and sent.
        default: setReading(false)
        }
    }

    func setReading(_ reading: Bool) {
        guard isReading != reading, !peerEnded else { return }
        isReading = reading
        socket.setReading(reading)
    }

    func advance() {
        while phase == .idle || phase == .receiving, socket.isOpen {
            guard unsentBytes <= Self.answerBelowBytes, feed == nil else {
                phase = .sending
                setReading(false)
                return setSendDeadline()
            }
            do {
                guard let request = try parser.next() else {
                    guard let head = parser.pending else { return wait() }
                    return admit(head)
                }
                answer(request)
            } catch {
                respond(.plain(error.status, error.message), keepAlive: false)
                return close()
            }
        }
    }

    /// Waits for the rest of a request or for the next one.
    private func wait() {
        if parser.takeContinueIsDue() { socket.send(HTTPResponse.continueBytes) }
        if peerEnded { return close() }
        if upload != nil { return setReading(true) }
        countUnfinished()
        guard phase != .closing else { return }
        let configuration = environment.configuration
        if parser.isIdle {
            phase = .idle
            if requestCount > 0 { setDeadline(configuration.idleTimeout) }
        } else if phase != .receiving {
            // The time limit starts at the first byte; later bytes do not extend it (slow-loris). A stopping server has set a deadline
            // already.
            phase = .receiving
            guard !environment.registry.isStopping else { return setReading(true) }
            setDeadline(configuration.requestTimeout)
        }
        setReading(true)
    }

    private func countUnfinished() {
        loop.unfinishedInput.update(self, bytes: parser.unfinishedBytes, isAnother: false)
    }

    func forgetUnfinished() { loop.unfinishedInput.update(self, bytes: 0, isAnother: false) }

    func giveUpUnfinished(_ excess: IncompleteInputLimiter.Excess) {
        guard phase == .idle || phase == .receiving else { return }
        switch excess {
        case .time: respond(.plain(408, "the request took too long"), keepAlive: false)
        case .memory:
            respond(.plain(503, "too many requests are half sent: send it again, whole"), keepAlive: false)
        }
        close()
    }

    private func answer(_ request: HTTPRequest) {
        phase = .answering
        forgetUnfinished()
        setDeadline(nil)
        requestCount += 1
        requestedAt = EventLoop.nowNanoseconds
        let upload = upload
        self.upload = nil
        guard isPrivateEnough(request) else { return refuse(request, Pages.needsTLS) }
        if request.isWebSocketUpgrade { return upgrade(request) }
        let address = callerAddress(of: request)
        Task(executorPreference: socket.loop) { await self.finish(request, address: address, upload: upload) }
    }

    private func finish(_ request: HTTPRequest, address: String, upload: Upload?) async {
        let response =
            switch site {
            case .application:
                await environment.pages.respond(
                    to: request, address: address, loop: loop, isSecure: socket.isSecure, upload: upload)
            case .metrics: await environment.pages.respondToScraper(request)
            }
        socket.loop.preconditionIsolated()
        guard phase == .answering else { return }
        limitedCount = response.status == 429 ? limitedCount + 1 : 0
        let keepAlive =
            request.keepAlive && requestCount < Self.requestsMax && limitedCount < Self.consecutive429Max
            && !environment.registry.isStopping
        environment.metrics.http.duration.observe(EventLoop.nowNanoseconds &- requestedAt)
        respond(response, to: request, keepAlive: keepAlive)
        guard keepAlive else { return close() }
        phase = .idle
        setDeadline(environment.configuration.idleTimeout)
        advance()
    }

    /// Sends head and body one after the other: the bytes of a file are shared, not copied.
    func respond(_ response: HTTPResponse, to request: HTTPRequest? = nil, keepAlive: Bool) {
        environment.metrics.http.answered(response.status)
        let fields = environment.pages.common.lines(isSecure: isStrict(request), hasPolicies: response.needsPolicies)
        let head = response.head(keepAlive: keepAlive, common: fields)
        let hasBody = response.hasBody && request?.method != "HEAD"
        extendSendLimit(
            by: head.count + (hasBody ? response.contentLength : 0),
            bytesPerSecondMin: response.bytesPerSecondMin ?? environment.configuration.sentBytesPerSecondMin)
        socket.send(head)
        guard hasBody else { return }
        if let hold = response.hold { holds.append(hold) }
        if response.bodyTail.isEmpty, socket.queuedBytes + response.body.count <= SocketConnection.sendQueueBytesMax {
            socket.send(response.body)
        } else {
            feed = AnswerFeed(response.body, response.bodyTail)
            advanceFeed()
        }
    }

    /// Queues as much of the response as the socket's queue can hold.
    private func advanceFeed() {
        while let feed, socket.isOpen {
            if feed.bytes == 0 { return self.feed = nil }
            let room = SocketConnection.sendQueueBytesMax
            guard let bytes = feed.next(queued: socket.queuedBytes, queueBytesMax: room) else { return }
            socket.send(bytes)
        }
    }

    /// Whether to send Strict-Transport-Security. Not for `localhost`, since a browser would then use TLS for every program on that
    /// machine.
    private func isStrict(_ request: HTTPRequest?) -> Bool {
        guard socket.isSecure, let host = request?.headers["Host"] else { return false }
        return HTTPAuthority(host)?.host != "localhost"
    }

    // MARK: Closing

    /// Closes the connection once everything is sent, as long as the peer makes progress.
    func close() {
        phase = .closing
        upload = nil
        forgetUnfinished()
        guard unsentBytes > 0 else { return depart() }
        environment.registry.answered(self, socket: socket)
        setSendDeadline()
    }

    /// Prepares the connection for the stop of the server. A request in flight is still answered. On the loop.
    func stop() {
        guard phase != .admitting, phase != .answering, phase != .handedOver, phase != .closing else { return }
        guard upload == nil, phase != .sending else { return close() }
        // The next request may already be in transit; a peer that sent it before noticing the close would get no response. The last
        // response has `Connection: close` (RFC 9112 §9.6), after which the peer sends nothing more on this connection.
        clock?.cancel()
        setDeadline(
            requestCount == 0 ? Self.firstRequestGraceTime : environment.configuration.keptAliveGraceTime)
        wind()
    }

    /// Unregisters the connection once everything is sent, so that a stopping server does not wait for its peer.
    private func depart() {
        environment.registry.remove(self)
        socket.closeAfterFlush()
    }

    func connectionDrained(_ connection: SocketConnection) {
        // The socket reports again when the newly queued bytes are sent.
        if feed != nil { return advanceFeed() }
        if unsentBytes == 0 { holds = [] }
        switch phase {
        case .closing: depart()
        case .sending:
            phase = .idle
            advance()
        case .idle, .receiving, .admitting, .answering, .handedOver: break
        }
    }

    func connectionReachedEnd(_ connection: SocketConnection) {
        // A client may shut down its side after its last request; it still gets the response.
        peerEnded = true
        if phase == .idle || phase == .receiving { close() }
    }

    func connectionClosed(_ connection: SocketConnection, error: (any Error)?) {
        clock?.cancel()
        feed = nil
        holds = []
        upload = nil
        forgetUnfinished()
        environment.registry.remove(self)
        if isCounted {
            let metrics = environment.metrics.transport
            if error is SendQueueOverflow { metrics.overflow.add() }
            metrics.httpOpen.add(-1)
            if socket.isSecure { metrics.tlsOpen.add(-1) }
        }
        phase = .closing
    }
}
