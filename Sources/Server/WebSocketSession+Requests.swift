import EventLoop
import WebSocket

/// How what was asked is answered: one request at a time, in order, in a task or without one.
extension WebSocketSession {
    /// Answers what waits, one request after the other: those that need no task now. On the loop.
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

    /// Nil when there is none, or it may not be answered yet.
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

    /// A request is answered: on to the next.
    private func goOn() {
        isWorking = false
        work()
        resumeTaking()
    }

    /// Goes on once the reply is out of the inbox, so that nothing overtakes it; and in a flood, in a turn that has the time.
    private func goOnBehindReply(to request: Request) {
        socket.loop.execute { [self] in
            answer(request, nil)
            guard !waiting.isEmpty, socket.loop.isTurnLong else { return goOn() }
            socket.loop.executeLater { [self] in goOn() }
        }
    }

    /// Answers a request that takes a task, and what came behind it meanwhile.
    private func goOn(_ first: Request, _ reply: @Sendable () async -> [UInt8]?) async {
        answer(first, await reply())
        isWorking = false
        while let request = nextRequest() {
            isWorking = true
            // The first of a flood must not hold up the others' requests.
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
        // A subscribe that was under way when the connection ended came after its farewell: the hub would keep it.
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

    /// Requests were answered: goes on with what was put off for them.
    func resumeTaking() {
        guard !isWorking else { return }
        guard isPaused || closeWaits else {
            if peerEnded, waiting.isEmpty { socket.closeAfterFlush() }
            return
        }
        takeEventsLater()
    }
}
