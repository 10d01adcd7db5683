import EventLoop
import WebSocket

/// Handling of requests: one at a time, in order, in a task or on the synchronous path.
extension WebSocketSession {
    /// Handles waiting requests one after the other, as long as they need no task. On the loop.
    func work() {
        while let request = nextRequest() {
            isWorking = true
            switch start(request) {
            case .done(let reply): answer(request, reply)
            case .sent: return goOnBehindReply(to: request)
            case .underWay: return
            case .waiting(let reply):
                Task(executorPreference: socket.loop) { await self.goOn(request, reply) }
                return
            }
            isWorking = false
        }
    }

    /// Next request; nil if there is none or it may not be handled yet.
    private func nextRequest() -> Request? {
        guard !isWorking, !isClosed, socket.queuedBytes <= Self.answerBelowBytes, let request = waiting.popFirst()
        else { return nil }
        waitingBytes -= request.bytes.count
        return request
    }

    private func start(_ request: Request) -> Router.Answering {
        let completion: @Sendable ([UInt8]?) -> Void = { [self] reply in
            answer(request, reply)
            goOn()
        }
        return request.isBinary
            ? environment.router.start(frame: request.bytes, from: self, completion: completion)
            : environment.router.start(request.bytes, from: self, completion: completion)
    }

    /// Continues with the next request after a reply.
    private func goOn() {
        isWorking = false
        work()
        resumeTaking()
    }

    /// Continues once the reply has left the inbox, so that no later reply overtakes it; under load, in an iteration that has time.
    private func goOnBehindReply(to request: Request) {
        socket.loop.execute { [self] in
            answer(request, nil)
            guard !waiting.isEmpty, socket.loop.isTurnLong else { return goOn() }
            socket.loop.executeLater { [self] in goOn() }
        }
    }

    /// Handles a request that needs a task, and the requests that arrived in the meantime.
    private func goOn(_ first: Request, _ reply: @Sendable () async -> [UInt8]?) async {
        answer(first, await reply())
        isWorking = false
        while let request = nextRequest() {
            isWorking = true
            // A flood on one connection must not delay the requests of others.
            await socket.loop.yieldIfTurnIsLong()
            guard !isClosed else { break }
            switch start(request) {
            case .done(let reply): answer(request, reply)
            case .sent: return goOnBehindReply(to: request)
            case .underWay: return
            case .waiting(let reply): answer(request, await reply())
            }
            isWorking = false
        }
        // A subscription that completed after the connection ended would stay in the hub.
        if isClosed { return await environment.services.hub.disconnect(self) }
        resumeTaking()
    }

    private func answer(_ request: Request, _ reply: [UInt8]?) {
        socket.loop.preconditionIsolated()
        if let reply, protocolCore.state == .open {
            socket.loop.metrics.repliesOut.addUnshared(1)
            sendReliable(request.isBinary ? protocolCore.binaryFrame(reply) : protocolCore.textFrame(reply))
        }
        if let revocation { closeRevoked(revocation) }
        if let farewell { close(farewell.code, farewell.reason) }
    }

    /// Resumes reading and decoding after requests were handled.
    func resumeTaking() {
        guard !isWorking else { return }
        guard isPaused || closeWaits else {
            if peerEnded, waiting.isEmpty { socket.closeAfterFlush() }
            return
        }
        takeEventsLater()
    }
}
