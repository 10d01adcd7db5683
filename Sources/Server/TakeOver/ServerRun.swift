import EventLoop
import Synchronization

/// The life of a running server: until it is stopped or another server replaces it.
///
/// Cancelling the task that runs it stops the server and ends all waiting. Operations that must complete, starts and stops, run in their
/// own tasks.
public final class ServerRun: Sendable {
    /// Reason of the end.
    public enum Ending: Sendable {
        /// The server was stopped in order.
        case stopped
        /// Another server serves; call ``CampanileServer/sayFarewell()``.
        case replaced
    }

    private enum Outcome {
        /// The other server gave up before this one stopped.
        case unchanged
        case ended(Ending)
        /// The other server failed after this one had stopped; a new server on the same sockets.
        case servesAgain(CampanileServer)
    }

    /// Only cancellation ends this wait.
    private static let sleep = Duration.seconds(3_600)

    private let current: Mutex<CampanileServer>
    private let dataDirectory: String
    private let control: Mutex<ControlSocket?>
    private let startAgain: @Sendable ([ListeningSocket]) async throws -> CampanileServer
    private let note: @Sendable (String) -> Void

    /// - Parameters:
    ///   - server: The running server.
    ///   - control: Socket for take-over requests; nil if the server cannot be taken over.
    ///   - dataDirectory: Data directory of the server.
    ///   - startAgain: Starts a server on the sockets that were to be handed over.
    ///   - note: Receives failures of hand-overs.
    public init(
        _ server: CampanileServer, control: ControlSocket?, dataDirectory: String,
        startAgain: @escaping @Sendable ([ListeningSocket]) async throws -> CampanileServer,
        note: @escaping @Sendable (String) -> Void
    ) {
        current = Mutex(server)
        self.control = Mutex(control)
        self.dataDirectory = dataDirectory
        self.startAgain = startAgain
        self.note = note
    }

    /// The server that serves; a new one after a hand-over that failed late.
    public var server: CampanileServer { current.withLock { $0 } }

    /// Serves until the task is cancelled, which stops the server immediately, even during a hand-over. Call it once.
    /// - Throws: The error that prevents the server from serving again.
    public func untilEnd() async throws -> Ending {
        while let (handOver, control) = await nextRequest() {
            switch try await hand(over: handOver, control) {
            case .unchanged: break
            case .ended(let ending): return ending
            case .servesAgain(let again):
                // In the background, because sending the last responses may take longer than the next hand-over request takes to arrive.
                Task { [server] in await server.sayFarewell() }
                current.withLock { $0 = again }
                // The other server may have put its own socket in place before it failed.
                control.leave()
                makeControl()
            }
        }
        control.withLock { $0 }?.close()
        await Task { [server] in await server.stop() }.value
        return .stopped
    }

    /// - Returns: Nil if the task is cancelled.
    private func nextRequest() async -> (HandOver, ControlSocket)? {
        if let control = control.withLock({ $0 }) {
            for await handOver in control.requests where !Task.isCancelled { return (handOver, control) }
        }
        while !Task.isCancelled { try? await Task.sleep(for: Self.sleep) }
        return nil
    }

    private func hand(over handOver: HandOver, _ control: ControlSocket) async throws -> Outcome {
        let server = server
        // Kept until the other server serves: no connection is refused while they are open.
        let sockets = server.sockets
        do {
            try await handOver.offer(sockets)
            try Task.checkCancellation()
        } catch {
            if !Task.isCancelled { note("a server that wanted to take over did not: \(error)") }
            return .unchanged
        }
        await Task { await server.stop(isHandingOver: true) }.value
        do {
            try await handOver.complete(control)
            return .ended(.replaced)
        } catch  where Task.isCancelled {
            // Not `close`, because the other server may be putting its socket in place.
            control.leave()
            await Task { await server.finishStop() }.value
            return .ended(.stopped)
        } catch {
            note("the server that was to take over failed, serving again: \(error)")
            return .servesAgain(try await Task { [startAgain] in try await startAgain(sockets) }.value)
        }
    }

    private func makeControl() {
        do {
            let next = try ControlSocket(dataDirectory: dataDirectory)
            control.withLock { $0 = next }
        } catch {
            control.withLock { $0 = nil }
            note("this server cannot be taken over: \(error)")
        }
    }
}
