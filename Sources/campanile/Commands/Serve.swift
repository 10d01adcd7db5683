import ArgumentParser
import Dispatch
import EventLoop
import Foundation
import Server
import Synchronization

/// `campanile serve`.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the server until it is told to stop (Ctrl-C, SIGTERM).",
        discussion: """
            Without DATABASE_URL a private PostgreSQL is started in the data directory. The schema is brought up to date
            first. The web app is at /, the WebSocket at /ws, POST /rpc takes the same requests, /healthz and /readyz
            tell a supervisor how it is.
            """)

    @OptionGroup var data: DataOptions
    @OptionGroup var listen: ListenOptions
    @OptionGroup var http: HTTPOptions
    @OptionGroup var log: LogOptions

    @Flag(
        help: ArgumentHelp(
            "Take the place of the server that runs with this data directory, without a connection being refused.",
            discussion: "Without one running, it is a start like any other."))
    var takeOver = false

    func run() async throws {
        do {
            var configuration = try data.configuration()
            try listen.apply(to: &configuration)
            try http.apply(to: &configuration)
            let stop = StopSignal()
            let reload = ReloadSignal()
            let (events, told) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingOldest(8))
            Task {
                await stop.wait()
                told.yield(.stop)
            }
            var (server, control) = try await start(configuration, telling: told)
            let current = Mutex(server)
            reload.onSignal {
                // The server logs why a certificate cannot be used, and goes on with the one it has.
                try? await current.withLock { $0 }.reloadCertificate()
            }
            try await say(server, configuration)
            for await event in events {
                switch event {
                case .stop:
                    Terminal.say("Stopping")
                    control?.close()
                    return await server.stop()
                case .handOver(let handOver, let asked):
                    switch try await self.handOver(server, asked, to: handOver, configuration) {
                    case .unchanged: break
                    case .replaced:
                        Terminal.say("Another server has taken over")
                        return await server.sayFarewell()
                    case .servesAgain(let again):
                        // In the background: its last answers may take longer than the next request for a hand-over.
                        Task { [server] in await server.sayFarewell() }
                        server = again
                        current.withLock { $0 = again }
                        // The other one may have put its own socket in place before it failed.
                        asked.leave()
                        control = self.control(configuration, telling: told)
                    }
                }
            }
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Starts on sockets of one's own, of the supervisor's, or of the server that is replaced.
    private func start(
        _ configuration: ServerConfiguration, telling told: AsyncStream<Event>.Continuation
    ) async throws -> (CampanileServer, ControlSocket?) {
        let inherited = try InheritedSockets.take()
        guard takeOver else {
            let server = try await CampanileServer.start(configuration, sockets: inherited)
            return (server, control(configuration, telling: told))
        }
        // Before the running server is asked to go: what would fail must not cost it anything.
        try CampanileServer.check(configuration)
        guard let takeOver = try await TakeOver.begin(dataDirectory: configuration.dataDirectory) else {
            Terminal.note("No server runs with this data directory: starting one")
            let server = try await CampanileServer.start(configuration, sockets: inherited)
            return (server, control(configuration, telling: told))
        }
        Terminal.note("Taking over from the running server")
        try await takeOver.proceed()
        let server = try await CampanileServer.start(configuration, sockets: takeOver.sockets)
        let control = control(configuration, telling: told)
        try await takeOver.finish(control)
        return (server, control)
    }

    private func say(_ server: CampanileServer, _ configuration: ServerConfiguration) async throws {
        Terminal.say("Campanile listens on \(server.url)")
        if let address = server.metricsAddress { Terminal.say("Metrics at http://\(address)/metrics") }
        if let note = listen.trustNote(configuration) { Terminal.note(note) }
        if try await server.campusStore.version() == 0 {
            Terminal.say("No campus yet: campanile import FILE (OpenStreetMap extract or GeoJSON zones)")
        }
    }

    // MARK: Being replaced

    private enum Event: Sendable {
        case stop
        case handOver(HandOver, ControlSocket)
    }

    private func control(
        _ configuration: ServerConfiguration, telling told: AsyncStream<Event>.Continuation
    ) -> ControlSocket? {
        do {
            let control = try ControlSocket(dataDirectory: configuration.dataDirectory)
            Task { for await handOver in control.requests { told.yield(.handOver(handOver, control)) } }
            return control
        } catch {
            Terminal.note("campanile: this server cannot be taken over: \(error)")
            return nil
        }
    }

    private enum Outcome {
        /// The other server gave up before this one was asked to go.
        case unchanged
        case replaced
        /// The other server failed after this one had stopped: a new one on the same sockets.
        case servesAgain(CampanileServer)
    }

    private func handOver(
        _ server: CampanileServer, _ control: ControlSocket, to handOver: HandOver,
        _ configuration: ServerConfiguration
    ) async throws -> Outcome {
        // Kept until the other serves: while they are open, no connection is refused.
        let sockets = server.sockets
        do {
            try await handOver.offer(sockets)
        } catch {
            Terminal.note("campanile: a server that wanted to take over did not: \(error)")
            return .unchanged
        }
        await server.stop(isHandingOver: true)
        do {
            try await handOver.complete(control)
            return .replaced
        } catch {
            Terminal.note("campanile: the server that was to take over failed, serving again: \(error)")
            return .servesAgain(try await CampanileServer.start(configuration, sockets: sockets))
        }
    }
}

extension CampanileServer {
    /// What to open in a browser.
    var url: String {
        let host = ["0.0.0.0", "::"].contains(address.host) ? "localhost" : address.host
        return "\(isSecure ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(address.port)/"
    }
}

/// SIGHUP as something to act on; until then it is only kept from ending the process.
///
/// `@unchecked Sendable`: the source is set up in `init` and only kept alive afterwards.
final class ReloadSignal: @unchecked Sendable {
    private let source: any DispatchSourceSignal
    private let body = Body()

    private final class Body: Sendable {
        let value = Mutex<(@Sendable () async -> Void)?>(nil)
    }

    init() {
        signal(SIGHUP, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
        source.setEventHandler { [body] in
            guard let body = body.value.withLock({ $0 }) else { return }
            Task { await body() }
        }
        source.activate()
    }

    /// - Parameter body: Runs at each signal from now on.
    func onSignal(_ body: @escaping @Sendable () async -> Void) {
        self.body.value.withLock { $0 = body }
    }
}

/// SIGINT and SIGTERM as something to wait for. Make it before what takes long: a signal that comes meanwhile is kept.
///
/// `@unchecked Sendable`: the sources are set up in `init` and only kept alive afterwards.
final class StopSignal: @unchecked Sendable {
    private let sources: [any DispatchSourceSignal]
    private let signals: AsyncStream<Void>

    init() {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
        self.signals = signals
        let counter = Counter()
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                // A second one ends the process at once.
                if counter.next() > 1 { _exit(130) }
                continuation.yield()
            }
            source.activate()
            return source
        }
    }

    /// Returns at the first signal since this was made.
    func wait() async {
        for await _ in signals { return }
    }

    private final class Counter: Sendable {
        private let count = Atomic<Int>(0)
        func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
    }
}
