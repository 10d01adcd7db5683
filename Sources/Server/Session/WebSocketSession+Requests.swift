import EventLoop
import WebSocket

/// Handling of requests: one at a time, in order, in a task or on the synchronous path.
extension WebSocketSession {
    /// Handles waiting requests one after the other, until one needs a task. On the loop.
    func work() {
        while let request = nextRequest() {
            switch start(request) {
            case .done(let reply): answer(request, reply)
            case .sent: return continueAfterReply(to: request)
            case .inFlight: return
            case .needsTask(let reply):
                Task(executorPreference: socket.loop) { await self.goOn(request, reply) }
                return
            }
            requests.finish()
        }
    }

    /// Next request; nil if there is none or it may not be handled yet.
    private func nextRequest() -> RequestQueue.Request? {
        guard !isClosed, socket.queuedBytes <= Self.answerBelowBytes else { return nil }
        return requests.next()
    }

    private func start(_ request: RequestQueue.Request) -> Router.Answering {
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
        requests.finish()
        work()
        resumeReading()
    }

    /// Continues once the reply has left the inbox, so that no later reply overtakes it; under load, in an iteration that has time.
    private func continueAfterReply(to request: RequestQueue.Request) {
        socket.loop.execute { [self] in
            answer(request, nil)
            guard !requests.isEmpty, socket.loop.isIterationLong else { return goOn() }
            socket.loop.executeDeferred { [self] in goOn() }
        }
    }

    /// Handles a request that needs a task, and the requests that arrived in the meantime.
    private func goOn(_ first: RequestQueue.Request, _ reply: @Sendable () async -> [UInt8]?) async {
        answer(first, await reply())
        requests.finish()
        while let request = nextRequest() {
            // A flood on one connection must not delay the requests of others.
            await socket.loop.yieldIfIterationIsLong()
            guard !isClosed else { break }
            switch start(request) {
            case .done(let reply): answer(request, reply)
            case .sent: return continueAfterReply(to: request)
            case .inFlight: return
            case .needsTask(let reply): answer(request, await reply())
            }
            requests.finish()
        }
        // A subscription that completed after the connection ended would stay in the hub.
        if isClosed { return await environment.services.hub.disconnect(self) }
        resumeReading()
    }

    private func answer(_ request: RequestQueue.Request, _ reply: [UInt8]?) {
        socket.loop.preconditionIsolated()
        if let reply, protocolCore.state == .open {
            socket.loop.metrics.repliesOut.addUnshared(1)
            sendReliable(request.isBinary ? protocolCore.binaryFrame(reply) : protocolCore.textFrame(reply))
        }
        if let farewell = end.farewell { close(farewell.code, farewell.reason) }
    }
}
