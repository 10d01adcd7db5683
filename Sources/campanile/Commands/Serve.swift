import ArgumentParser
import CommandSupport
import Dispatch
import EventLoop
import Foundation
import Postgres
import Server
import Synchronization

/// `campanile serve`.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the server until it is stopped (Ctrl-C, SIGTERM).",
        discussion: """
            Without DATABASE_URL a private PostgreSQL is started in the data directory. The schema is brought up to date
            first. The web app is at /, the WebSocket at /ws, POST /rpc takes the same requests, /healthz and /readyz
            tell a supervisor how it is.
            """)

    @OptionGroup var data: DataOptions
    @OptionGroup var listen: ListenOptions
    @OptionGroup var http: HTTPOptions
    @OptionGroup var nodes: NodeOptions
    @OptionGroup var reminders: ReminderOptions
    @OptionGroup var openID: OpenIDOptions
    @OptionGroup var log: LogOptions

    @Flag(
        help: ArgumentHelp(
            "Take the place of the server that runs with this data directory, without a connection being refused.",
            discussion: "If none is running, the server starts normally."))
    var takeOver = false

    func run() async throws {
        do {
            var configuration = try data.configuration()
            configuration.adminSecondFactor = .required
            try listen.apply(to: &configuration)
            try http.apply(to: &configuration)
            try nodes.apply(to: &configuration)
            try reminders.apply(to: &configuration)
            try openID.apply(to: &configuration)
            try HTTPOptions.checkConfirmation(configuration)
            try ThreadCheck.run(count: ThreadCheck.threads(loops: configuration.loopCount))
            let stop = StopSignal { Terminal.output("Stopping") }
            let reload = ReloadSignal()
            let started = try await stop.whileRunning("start") { [configuration, takeOver] in
                try await Self.start(configuration, takeOver: takeOver)
            }
            guard let (server, control) = started else { return }
            let run = ServerRun(
                server, control: control, dataDirectory: configuration.dataDirectory,
                startAgain: { [configuration] in try await CampanileServer.start(configuration, sockets: $0) },
                note: { Terminal.progress("campanile: \($0)") })
            reload.onSignal {
                // The server logs why it cannot use a certificate, and continues with the present one.
                try? await run.server.reloadCertificate()
            }
            try await printAddresses(server, configuration)
            let running = Task {
                guard case .replaced = try await run.untilEnd() else { return }
                Terminal.output("Another server has taken over")
                await run.server.sayFarewell()
            }
            Task {
                await stop.wait()
                running.cancel()
            }
            try await running.value
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Starts a server on its own sockets, on those of the supervisor, or on those of the server that it replaces.
    private static func start(
        _ configuration: ServerConfiguration, takeOver isTakingOver: Bool
    ) async throws -> (CampanileServer, ControlSocket?) {
        let inherited = try InheritedSockets.take()
        guard isTakingOver else {
            let server = try await CampanileServer.start(configuration, sockets: inherited)
            return (server, control(configuration))
        }
        // Checked before the running server is asked to stop, so that a failure does not affect it.
        try CampanileServer.check(configuration)
        guard let takeOver = try await TakeOver.begin(dataDirectory: configuration.dataDirectory) else {
            Terminal.progress("No server runs with this data directory: starting one")
            let server = try await CampanileServer.start(configuration, sockets: inherited)
            return (server, control(configuration))
        }
        Terminal.progress("Taking over from the running server")
        try await takeOver.proceed()
        let server = try await CampanileServer.start(configuration, sockets: takeOver.sockets)
        let control = control(configuration)
        do {
            try await takeOver.finish(control)
        } catch {
            // The path may belong to the other server again.
            control?.leave()
            await server.stop()
            throw error
        }
        return (server, control)
    }

    private func printAddresses(_ server: CampanileServer, _ configuration: ServerConfiguration) async throws {
        Terminal.output("Campanile listens on \(server.url)")
        if let address = server.metricsAddress { Terminal.output("Metrics at http://\(address)/metrics") }
        if configuration.answersThisMachineAlone, !["127.0.0.1", "::1", "localhost"].contains(server.address.host) {
            Terminal.progress(
                "Without TLS only this machine is answered: see --tls-certificate, --trusted-proxy and --plain-http")
        }
        if let nodes = configuration.nodes { Terminal.output("Node \(nodes.name), by NATS at \(nodes.nats)") }
        if let note = listen.trustNote(configuration) { Terminal.progress(note) }
        if configuration.accountMail == nil {
            Terminal.progress(
                "No mail server (--mail-url): people cannot reset a forgotten password, and addresses are not confirmed"
            )
        }
        if try await server.campusStore.version() == 0 {
            Terminal.output("No campus yet: campanile import FILE (OpenStreetMap extract or GeoJSON zones)")
        }
    }

    private static func control(_ configuration: ServerConfiguration) -> ControlSocket? {
        do {
            return try ControlSocket(dataDirectory: configuration.dataDirectory)
        } catch {
            Terminal.progress("campanile: this server cannot be taken over: \(error)")
            return nil
        }
    }
}

extension CampanileServer {
    /// Address to open in a browser.
    var url: String {
        let host = ["0.0.0.0", "::"].contains(address.host) ? "localhost" : address.host
        return "\(isSecure ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(address.port)/"
    }
}

/// Handles SIGHUP. Until a handler is set, the signal is ignored, so that it does not end the process.
///
/// `@unchecked Sendable`: the source is set up in `init` and only retained afterwards.
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

    /// - Parameter body: Runs at each later signal.
    func onSignal(_ body: @escaping @Sendable () async -> Void) {
        self.body.value.withLock { $0 = body }
    }
}
