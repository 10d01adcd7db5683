import EventLoop
import Services
import WebSocket

/// Upgrades to WebSocket: checks the request and hands the connection over to a session.
extension HTTPConnection {
    func upgrade(_ request: HTTPRequest) {
        let configuration = environment.configuration
        if isTest(request) { return upgradeToTest(request) }
        guard site == .application, request.path == "/ws" else { return refuse(request, 404, "WebSockets are at /ws") }
        guard configuration.allowsHost(of: request) else {
            return refuse(request, 421, "this server does not answer for that host: see --host-name")
        }
        guard configuration.allowsOrigin(of: request, isSecure: socket.isSecure) else {
            return refuse(request, 403, "this origin may not connect: see --allow-origin")
        }
        guard !environment.registry.isStopping else {
            return refuse(request, 503, "the server restarts: connect again shortly")
        }
        let deflate = environment.configuration.deflate
        switch ServerHandshake.respond(to: request, subprotocols: ["campanile.v1"], deflate: deflate) {
        case .refuse(let response): refuse(request, response)
        case .accept(let response, _, let deflate):
            let session = WebSocketSession(
                socket: socket, environment: environment, deflate: deflate, address: callerAddress(of: request))
            handOver(to: session, response) { session.open(remainder: $0) }
        }
    }

    /// Whether the request may come over this connection. Supervisors ask for the state of the server by plain HTTP.
    func isPrivateEnough(_ request: HTTPRequest) -> Bool {
        guard site == .application, !Pages.isForSupervisors(request.path) else { return true }
        return environment.configuration.allowsTransport(
            of: request, from: socket.peer.host, isSecure: socket.isSecure)
    }

    private func isTest(_ request: HTTPRequest) -> Bool {
        environment.configuration.testEndpoints && site == .application && request.path.hasPrefix("/test/")
    }

    private func upgradeToTest(_ request: HTTPRequest) {
        let isEcho = request.path == EchoSession.path
        let deflate = isEcho ? EchoSession.deflate : environment.configuration.deflate
        switch ServerHandshake.respond(to: request, subprotocols: [], deflate: deflate) {
        case .refuse(let response): refuse(request, response)
        case .accept(let response, _, let deflate):
            if isEcho {
                let session = EchoSession(socket: socket, deflate: deflate)
                handOver(to: session, response, isTest: true) { session.open(remainder: $0) }
            } else {
                let isListener = !request.query.contains { $0.0 == "publish" }
                let session = TestRoomSession(
                    socket: socket, room: environment.testRoom, deflate: deflate, isListener: isListener)
                handOver(to: session, response, isTest: true) { _ in }
            }
        }
    }

    /// Hands the socket over to a session. This object no longer uses it.
    /// - Parameters:
    ///   - isTest: True for test sessions, which do not count the end of their connection; it is then not counted as open either.
    ///   - open: Starts the session with the bytes that followed the handshake.
    private func handOver(
        to session: any SocketConnectionDelegate, _ response: [UInt8], isTest: Bool = false, open: ([UInt8]) -> Void
    ) {
        socket.send(response)
        environment.metrics.http.answered(101)
        phase = .handedOver
        clock?.cancel()
        clock = nil
        environment.registry.remove(self)
        let metrics = environment.metrics.transport
        metrics.httpOpen.add(-1)
        if !isTest { metrics.webSocketsOpen.add(1) } else if socket.isSecure { metrics.tlsOpen.add(-1) }
        // Earlier responses may have stopped reading; the session does not know of this.
        setReading(true)
        socket.setDelegate(session)
        open(parser.takeRemainder())
        if peerEnded { session.connectionReachedEnd(socket) }
    }

    private func refuse(_ request: HTTPRequest, _ status: Int, _ reason: String) {
        refuse(request, .plain(status, reason))
    }

    /// Refuses a request whose body is not read, or an upgrade, at which the parser has stopped: this is the last response.
    func refuse(_ request: HTTPRequest, _ response: HTTPResponse) {
        respond(response, to: request, keepAlive: false)
        close()
    }
}
