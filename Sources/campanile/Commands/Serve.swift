import ArgumentParser
import Dispatch
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

    func run() async throws {
        do {
            var configuration = try data.configuration()
            try listen.apply(to: &configuration)
            try http.apply(to: &configuration)
            let stop = StopSignal()
            let reload = ReloadSignal()
            let server = try await CampanileServer.start(configuration)
            reload.onSignal {
                do {
                    try await server.reloadCertificate()
                } catch {
                    // The server has logged why, and goes on with the certificate it has.
                }
            }
            Terminal.say("Campanile listens on \(server.url)")
            if let address = server.metricsAddress { Terminal.say("Metrics at http://\(address)/metrics") }
            if let note = listen.trustNote(configuration) { Terminal.note(note) }
            if try await server.campusStore.version() == 0 {
                Terminal.say("No campus yet: campanile import FILE (OpenStreetMap extract or GeoJSON zones)")
            }
            await stop.wait()
            Terminal.say("Stopping")
            await server.stop()
        } catch {
            throw CommandFailure(error)
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
/// `@unchecked Sendable`: the source is set up in `init`, and `onSignal` is called once.
final class ReloadSignal: @unchecked Sendable {
    private let source: any DispatchSourceSignal

    init() {
        signal(SIGHUP, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
    }

    /// - Parameter body: Runs at each signal from now on.
    func onSignal(_ body: @escaping @Sendable () async -> Void) {
        source.setEventHandler { Task { await body() } }
        source.activate()
    }

    deinit { source.cancel() }
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
