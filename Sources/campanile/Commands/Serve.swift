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
            let server = try await start(configuration)
            let control = control(configuration)
            let current = Mutex(server)
            reload.onSignal {
                // The server logs why a certificate cannot be used, and goes on with the one it has.
                try? await current.withLock { $0 }.reloadCertificate()
            }
            try await say(server, configuration)
            for await event in events(stop, control) {
                let running = current.withLock { $0 }
                switch event {
                case .stop:
                    Terminal.say("Stopping")
                    control?.close()
                    return await running.stop()
                case .handOver(let handOver):
                    guard let again = try await self.handOver(running, to: handOver, configuration) else {
                        control?.close()
                        return Terminal.say("Another server has taken over")
                    }
                    current.withLock { $0 = again }
                }
            }
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Starts on sockets of one's own, of the supervisor's, or of the server that is replaced.
    private func start(_ configuration: ServerConfiguration) async throws -> CampanileServer {
        let inherited = try InheritedSockets.take()
        guard takeOver else { return try await CampanileServer.start(configuration, sockets: inherited) }
        // Before the running server is asked to go: what would fail must not cost it anything.
        try CampanileServer.check(configuration)
        guard let takeOver = try await TakeOver.begin(dataDirectory: configuration.dataDirectory) else {
            Terminal.note("No server runs with this data directory: starting one")
            return try await CampanileServer.start(configuration, sockets: inherited)
        }
        Terminal.note("Taking over from the running server")
        try await takeOver.proceed()
        let server = try await CampanileServer.start(configuration, sockets: takeOver.sockets)
        try await takeOver.finish()
        return server
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
        case handOver(HandOver)
    }

    private func events(_ stop: StopSignal, _ control: ControlSocket?) -> AsyncStream<Event> {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingOldest(8))
        Task {
            await stop.wait()
            continuation.yield(.stop)
        }
        if let control {
            Task { for await handOver in control.requests { continuation.yield(.handOver(handOver)) } }
        }
        return events
    }

    private func control(_ configuration: ServerConfiguration) -> ControlSocket? {
        do {
            return try ControlSocket(dataDirectory: configuration.dataDirectory)
        } catch {
            Terminal.note("campanile: this server cannot be taken over: \(error)")
            return nil
        }
    }

    /// - Returns: Nil when the other server has taken over; else the one that goes on.
    private func handOver(
        _ server: CampanileServer, to handOver: HandOver, _ configuration: ServerConfiguration
    ) async throws -> CampanileServer? {
        // Kept until the other serves: while they are open, no connection is refused.
        let sockets = server.sockets
        do {
            try await handOver.offer(sockets)
        } catch {
            Terminal.note("campanile: a server that wanted to take over did not: \(error)")
            return server
        }
        await server.stop(isHandingOver: true)
        do {
            try await handOver.complete()
            return nil
        } catch {
            Terminal.note("campanile: the server that was to take over failed, serving again: \(error)")
            return try await CampanileServer.start(configuration, sockets: sockets)
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
