import EventLoop
import Hub
import Services
import WebSocket
import Wire

/// One connection while it speaks HTTP/1.1: requests are answered in order; an upgrade hands it to ``WebSocketSession``.
///
/// `@unchecked Sendable`: confined to the connection's loop.
final class HTTPConnection: @unchecked Sendable, SocketConnectionDelegate {
    /// How long a connection that has asked nothing yet may take for it when the server stops.
    static let firstRequestGraceTime = Duration.milliseconds(200)

    private let socket: SocketConnection
    private let environment: ServerEnvironment
    private var parser = HTTPRequestParser()
    private var isBusy = false
    private var hasAnswered = false
    private var peerEnded = false
    private var upgraded: WebSocketSession?
    private var timer: LoopTimer?

    init(socket: SocketConnection, environment: ServerEnvironment) {
        self.socket = socket
        self.environment = environment
    }

    var loop: EventLoop { socket.loop }

    func start() {
        do {
            try socket.start(delegate: self)
            environment.registry.add(self)
            restartTimer(environment.configuration.requestTimeout)
            if environment.registry.isStopping { stop() }
        } catch {
            socket.abort()
        }
    }

    private func restartTimer(_ limit: Duration) {
        timer?.cancel()
        timer = socket.loop.schedule(after: limit) { [weak self] in
            guard let self, upgraded == nil, !isBusy else { return }
            if !parser.isIdle {
                respond(HTTPResponse(status: 408, text: "the request took too long"), keepAlive: false)
            }
            environment.registry.remove(self)
            socket.closeAfterFlush()
        }
    }

    // MARK: Requests

    func connection(_ connection: SocketConnection, received bytes: UnsafeRawBufferPointer) {
        if let upgraded { return upgraded.connection(connection, received: bytes) }
        if parser.isIdle { restartTimer(environment.configuration.requestTimeout) }
        parser.append(bytes)
        advance()
    }

    private func advance() {
        while !isBusy, upgraded == nil, socket.isOpen {
            do {
                guard let request = try parser.next() else {
                    if parser.takeContinueIsDue() { socket.send(HTTPResponse.continueBytes) }
                    if peerEnded { socket.closeAfterFlush() }
                    return
                }
                answer(request)
            } catch {
                respond(HTTPResponse(status: error.status, text: error.message), keepAlive: false)
                return socket.closeAfterFlush()
            }
        }
    }

    private func answer(_ request: HTTPRequest) {
        if request.path == "/ws" || request.isWebSocketUpgrade { return upgrade(request) }
        isBusy = true
        timer?.cancel()
        // What is pipelined waits in the kernel until this one is answered.
        socket.setReading(false)
        let address = socket.peer.host
        Task(executorPreference: socket.loop) { await self.finish(request, address: address) }
    }

    private func finish(_ request: HTTPRequest, address: String) async {
        let response = await environment.pages.respond(to: request, address: address)
        socket.loop.preconditionIsolated()
        isBusy = false
        hasAnswered = true
        let keepAlive = request.keepAlive && !environment.registry.isStopping
        respond(response, keepAlive: keepAlive, headOnly: request.method == "HEAD")
        guard keepAlive else {
            environment.registry.remove(self)
            return socket.closeAfterFlush()
        }
        // The next request may have begun to arrive behind this one: then its clock runs.
        let configuration = environment.configuration
        restartTimer(parser.isIdle ? configuration.idleTimeout : configuration.requestTimeout)
        socket.setReading(true)
        advance()
    }

    private func respond(_ response: HTTPResponse, keepAlive: Bool, headOnly: Bool = false) {
        var response = response
        Pages.addSecurityHeaders(to: &response, environment: environment)
        socket.send(response.encoded(keepAlive: keepAlive, headOnly: headOnly))
    }

    // MARK: Upgrade

    private func upgrade(_ request: HTTPRequest) {
        timer?.cancel()
        guard request.path == "/ws" else { return refuse(HTTPResponse(status: 404, text: "WebSockets are at /ws")) }
        guard environment.configuration.allowsOrigin(of: request, isSecure: socket.isSecure) else {
            return refuse(HTTPResponse(status: 403, text: "this origin may not connect: see --allow-origin"))
        }
        guard !environment.registry.isStopping else {
            return refuse(HTTPResponse(status: 503, text: "the server restarts: connect again shortly"))
        }
        switch ServerHandshake.respond(to: request, subprotocols: ["campanile.v1"]) {
        case .refuse(let response): refuse(response)
        case .accept(let response, _):
            socket.send(response)
            let session = WebSocketSession(
                socket: socket, environment: environment, limits: environment.configuration.webSocketLimits)
            upgraded = session
            environment.registry.remove(self)
            session.open(remainder: parser.takeRemainder())
        }
    }

    private func refuse(_ response: HTTPResponse) {
        respond(response, keepAlive: false)
        socket.closeAfterFlush()
    }

    // MARK: Ends

    /// The server stops: a request under way is still answered. On the loop.
    func stop() {
        guard !isBusy, upgraded == nil else { return }
        // The first request of a connection just made may be on its way.
        guard hasAnswered else { return restartTimer(Self.firstRequestGraceTime) }
        environment.registry.remove(self)
        socket.closeAfterFlush()
    }

    func connectionDrained(_ connection: SocketConnection) { upgraded?.connectionDrained(connection) }

    func connectionReachedEnd(_ connection: SocketConnection) {
        if let upgraded { return upgraded.connectionReachedEnd(connection) }
        // A client may send its last request and shut its side down: it still gets the answer.
        peerEnded = true
        if !isBusy { connection.closeAfterFlush() }
    }

    func connectionClosed(_ connection: SocketConnection, error: (any Error)?) {
        timer?.cancel()
        environment.registry.remove(self)
        upgraded?.connectionClosed(connection, error: error)
        upgraded = nil
    }
}
