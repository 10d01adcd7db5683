import EventLoop
import Synchronization

/// A running server from its start to its end: until it is told to stop, or another has taken its place.
///
/// The task that runs it is cancelled to stop it, which ends what may be waited for. What must not be cut short, a start or a
/// stop, has a task of its own.
public final class ServerRun: Sendable {
    /// How it ended.
    public enum Ending: Sendable {
        /// In order, as it was told to.
        case stopped
        /// Another one serves; call ``CampanileServer/sayFarewell()``.
        case replaced
    }

    private enum Outcome {
        /// The other server gave up before this one was asked to go.
        case unchanged
        case ended(Ending)
        /// The other server failed after this one had stopped: a new one on the same sockets.
        case servesAgain(CampanileServer)
    }

    /// Only cancellation ends it.
    private static let sleep = Duration.seconds(3_600)

    private let current: Mutex<CampanileServer>
    private let dataDirectory: String
    private let control: Mutex<ControlSocket?>
    private let startAgain: @Sendable ([ListeningSocket]) async throws -> CampanileServer
    private let note: @Sendable (String) -> Void

    /// - Parameters:
    ///   - server: It serves.
    ///   - control: Where it is asked to hand over; nil when it cannot be.
    ///   - dataDirectory: The server's.
    ///   - startAgain: Starts a server on the sockets that were to be handed over.
    ///   - note: Takes what went wrong with a hand-over.
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

    /// The one that serves; another one after a hand-over that failed late.
    public var server: CampanileServer { current.withLock { $0 } }

    /// Serves until the task is cancelled, which is how the server is told to stop: at once, whatever a hand-over waits for.
    /// Call it once.
    /// - Throws: What keeps the server from serving again.
    public func untilEnd() async throws -> Ending {
        while let (handOver, control) = await nextRequest() {
            switch try await hand(over: handOver, control) {
            case .unchanged: break
            case .ended(let ending): return ending
            case .servesAgain(let again):
                // In the background: its last answers may take longer than the next request for a hand-over.
                Task { [server] in await server.sayFarewell() }
                current.withLock { $0 = again }
                // The other one may have put its own socket in place before it failed.
                control.leave()
                makeControl()
            }
        }
        control.withLock { $0 }?.close()
        await Task { [server] in await server.stop() }.value
        return .stopped
    }

    /// - Returns: Nil when the task is cancelled.
    private func nextRequest() async -> (HandOver, ControlSocket)? {
        if let control = control.withLock({ $0 }) {
            for await handOver in control.requests where !Task.isCancelled { return (handOver, control) }
        }
        while !Task.isCancelled { try? await Task.sleep(for: Self.sleep) }
        return nil
    }

    private func hand(over handOver: HandOver, _ control: ControlSocket) async throws -> Outcome {
        let server = server
        // Kept until the other serves: while they are open, no connection is refused.
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
            // Not `close`: the other one may be putting its socket in place.
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
