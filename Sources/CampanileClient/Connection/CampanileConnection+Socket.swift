import EventLoop
import WebSocket
import Wire

/// Forwards socket events to the actor. Both run on the same loop.
final class SocketBridge: SocketConnectionDelegate, Sendable {
    private let connection: CampanileConnection

    init(_ connection: CampanileConnection) { self.connection = connection }

    func connection(_ socket: SocketConnection, received bytes: UnsafeRawBufferPointer) {
        // The call is synchronous, and the bytes do not outlive it.
        nonisolated(unsafe) let bytes = bytes
        connection.assumeIsolated { $0.received(bytes) }
    }

    func connectionReachedEnd(_ socket: SocketConnection) {
        connection.assumeIsolated { $0.reachedEnd() }
    }

    func connectionClosed(_ socket: SocketConnection, error: (any Error)?) {
        connection.assumeIsolated { $0.socketClosed(error) }
    }
}

extension CampanileConnection {
    // MARK: Opening

    func open(_ loops: ClientLoops) async throws {
        let limit = options.connectTimeout
        connectTimer = loop.schedule(after: limit) { self.end(.timeout(limit)) }
        let bridge = SocketBridge(self)
        Task {
            // A connection attempt cannot be cancelled. `opened` drops a socket that connects too late.
            do {
                let tls = address.isSecure ? try loops.tlsContext() : nil
                let socket = try await SocketConnection.connect(
                    host: address.host, port: address.port, loop: loop, tls: tls, resolver: loops.resolver,
                    delegate: bridge)
                opened(socket)
            } catch {
                end(.unreachable("\(error)"))
            }
        }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            if phase == .ended { continuation.resume(throwing: ending) } else { opening = continuation }
        }
    }

    private func opened(_ socket: SocketConnection) {
        guard phase == .connecting else { return socket.abort() }
        self.socket = socket
        phase = .upgrading
        socket.send(handshake.request)
    }

    private func upgrade(_ response: HTTPResponse) throws(ClientError) {
        do {
            guard try handshake.verify(response).subprotocol != nil else {
                throw ClientError.protocolViolation("it did not agree on the subprotocol \(Self.subprotocol)")
            }
        } catch let error as HandshakeError {
            // A proxy answers 502 to 504 while its server is down. An overloaded server answers 429 or 503.
            if case .refused(let status) = error, status == 429 || (500...599).contains(status) {
                throw .unreachable("\(error)")
            }
            throw .protocolViolation("\(error)")
        } catch {
            throw error as? ClientError ?? .protocolViolation("\(error)")
        }
        phase = .open
        connectTimer?.cancel()
        opening?.resume()
        opening = nil
        scheduleKeepAlive()
    }

    // MARK: Receiving

    func received(_ bytes: UnsafeRawBufferPointer) {
        unansweredPings = 0
        switch phase {
        case .connecting, .ended: return
        case .open, .closing:
            websocket.receive(bytes)
            drain()
        case .upgrading:
            do {
                parser.append(bytes)
                guard let response = try parser.next() else { return }
                try upgrade(response)
                parser.takeRemainder().withUnsafeBytes { websocket.receive($0) }
                drain()
            } catch {
                end(error as? ClientError ?? .protocolViolation("\(error)"))
            }
        }
    }

    private func drain() {
        while phase != .ended, let event = websocket.nextEvent() {
            // Take the output first: a pong, or the answer to a close frame, is generated with its event.
            let output = websocket.takeOutput()
            if !output.isEmpty { socket?.send(output) }
            switch event {
            case .text(let bytes): take(bytes)
            case .binary(let bytes): take(binary: bytes)
            case .ping, .pong: break
            case .closed(let code, let reason):
                end(.disconnected(reason: reason.isEmpty ? "the server closed it" : reason, closeCode: code?.rawValue))
            case .failed(_, let reason): end(.protocolViolation(reason))
            }
        }
    }

    /// The members of a message that identify its receiver.
    private struct Envelope: Decodable {
        struct Params: Decodable { let topic: String? }
        let id: RequestID?
        let method: String?
        let params: Params?
        let error: RPCError?
    }

    private func take(_ bytes: [UInt8]) {
        guard let envelope = try? WireJSON.decode(Envelope.self, from: bytes) else {
            return end(.protocolViolation("a message is not JSON-RPC 2.0"))
        }
        if envelope.method == "push", let topic = envelope.params?.topic {
            // A push may arrive after its topic was unsubscribed from.
            if let sink = topics[topic] { take(sink.update(bytes), of: sink) }
        } else if case .number(let id)? = envelope.id {
            finishCall(id, envelope.error.map { .failure($0) } ?? .success(bytes))
        }
        // A newer server may send other messages. Ignore them.
    }

    // MARK: Keep-alive

    private func scheduleKeepAlive() {
        keepAliveTimer = loop.schedule(after: options.keepAliveInterval) { self.keepAlive() }
    }

    private func keepAlive() {
        guard phase == .open else { return }
        guard unansweredPings < Self.unansweredPingsMax else {
            return end(
                .disconnected(reason: "nothing came from the server, not even an answer to a ping", closeCode: nil))
        }
        unansweredPings += 1
        socket?.send(FrameEncoder.ping(mask: FrameEncoder.randomMask()))
        scheduleKeepAlive()
    }

    // MARK: Ending

    /// Closes the connection and waits at most two seconds for the server's close frame. Requests in flight fail with
    /// ``ClientError/closed``.
    public func close() async {
        if phase == .open {
            phase = .closing
            websocket.close(code: .normal)
            socket?.send(websocket.takeOutput())
            closeTimer = loop.schedule(after: Self.closeTimeout) { self.end(.closed) }
            failCalls(ClientError.closed)
        } else if phase != .closing {
            end(.closed)
        }
        await untilEnded()
    }

    /// Drops the socket without a close frame, for a connection that does not respond.
    func abandon(_ reason: String) { end(.disconnected(reason: reason, closeCode: nil)) }

    func reachedEnd() {
        end(.disconnected(reason: "the server closed the socket without a goodbye", closeCode: nil))
    }

    func socketClosed(_ error: (any Error)?) {
        let reason = error.map { "\($0)" } ?? "the socket was closed"
        end(phase == .connecting ? .unreachable(reason) : .disconnected(reason: reason, closeCode: nil))
    }

    private func failCalls(_ error: any Error) {
        for id in calls.keys.sorted() { finishCall(id, .failure(error)) }
    }

    func end(_ error: ClientError) {
        guard phase != .ended else { return }
        // After a call of `close()`, the reason is `closed`, whatever the socket reports.
        ending = phase == .closing ? .closed : error
        phase = .ended
        for timer in [connectTimer, keepAliveTimer, closeTimer] { timer?.cancel() }
        let socket = socket
        self.socket = nil
        // If the WebSocket has closed, flush the queue, which includes the close frame. Otherwise drop the socket immediately.
        if websocket.state == .closed { socket?.closeAfterFlush() } else { socket?.abort() }
        opening?.resume(throwing: ending)
        opening = nil
        failCalls(ending)
        for sink in topics.values { sink.finish() }
        topics.removeAll()
        positionSink?.finish()
        positionSink = nil
        for waiter in endWaiters { waiter.resume() }
        endWaiters.removeAll()
    }
}
