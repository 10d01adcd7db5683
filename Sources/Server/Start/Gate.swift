import Bus
import EventLoop
import Foundation
import Hub
import Logging
import Metrics
import Postgres
import Services
import Synchronization
import WebSocket

/// Holds the connections that the server accepts once its database is open, until its services are made.
final class Gate: Sendable {
    /// Highest number of connections that wait for the start, equal to the highest number of open connections. After a restart all clients
    /// reconnect, and a refused client would only try again. The kernel alone would hold fewer (`ListeningSocket.backlogMax`).
    let waitingMax: Int

    private struct State {
        var environment: ServerEnvironment?
        var waiting: [SocketConnection] = []
    }
    private let state = Mutex(State())
    let metrics: TransportMetrics

    init(waitingMax: Int, metrics: TransportMetrics) {
        self.waitingMax = waitingMax
        self.metrics = metrics
    }

    func accept(_ socket: SocketConnection) {
        let environment = state.withLock { state in
            guard state.environment == nil else { return state.environment }
            // Beyond the limit the socket is released, which closes it.
            if state.waiting.count < waitingMax {
                state.waiting.append(socket)
            } else {
                metrics.refused[.starting]?.add()
            }
            return nil
        }
        if let environment { HTTPConnection(socket: socket, environment: environment).start() }
    }

    func open(_ environment: ServerEnvironment) {
        let waiting = state.withLock { state in
            state.environment = environment
            defer { state.waiting = [] }
            return state.waiting
        }
        for socket in waiting {
            socket.loop.execute { HTTPConnection(socket: socket, environment: environment).start() }
        }
    }
}
