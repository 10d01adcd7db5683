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

/// The whole server: database, services, hub, listener, in the order they need each other.
public final class CampanileServer: Sendable {
    /// How long requests under way may take when the server stops.
    static let drainTimeMax = Duration.seconds(5)
    /// How long what was answered and said last may take to leave, and peers to close.
    static let farewellTimeMax = Duration.milliseconds(300)
    /// How long that may take while some of an answer is still to be sent: nobody is served meanwhile.
    static let sendingTimeMax = Duration.seconds(1)
    /// The same when another server serves meanwhile.
    static let leisureTimeMax = Duration.seconds(10)
    /// Between two looks at how many connections are left.
    static let drainLookInterval = Duration.milliseconds(5)

    /// Where it listens.
    public let address: SocketAddress
    /// Where scrapers are answered, if a port was set for them.
    public var metricsAddress: SocketAddress? { metricsListener?.address }
    /// True when it speaks TLS.
    public let isSecure: Bool

    private let database: DatabaseAccess
    private let listener: Listener
    private let metricsListener: Listener?
    let environment: ServerEnvironment
    private let clients: DatabaseClients
    /// By which it talks to the other nodes.
    let bus: any Bus
    private let roster: NodeRoster
    private let upkeep: [Task<Void, Never>]
    private let certificate: ServerCertificate?

    private init(
        database: DatabaseAccess, listener: Listener, environment: ServerEnvironment,
        clients: DatabaseClients, bus: any Bus, roster: NodeRoster, upkeep: [Task<Void, Never>],
        certificate: ServerCertificate?,
        metricsListener: Listener?
    ) {
        self.metricsListener = metricsListener
        self.database = database
        self.listener = listener
        self.environment = environment
        self.clients = clients
        self.bus = bus
        self.roster = roster
        self.upkeep = upkeep
        self.certificate = certificate
        isSecure = certificate != nil
        address = listener.address
    }

    /// Starts everything and returns once it listens.
    /// - Parameter sockets: Listened on instead of the configuration's host and port: inherited, or taken over.
    /// - Throws: What cannot be used, saying what to do: ports, files, the database, migrations.
    public static func start(
        _ configuration: ServerConfiguration, sockets: [ListeningSocket] = [], passwords: Passwords = Passwords(),
        logger: Logger = Logger(label: "campanile")
    ) async throws -> CampanileServer {
        // What is cheap to find wrong comes first: a bad certificate or a missing file must not wait for a database.
        let files = try StaticFiles(webApp: configuration.resources.webApp, leaflet: configuration.resources.leaflet)
        let certificate = try configuration.tls.map {
            ServerCertificate(
                try TLSContext(certificateFile: $0.certificate, keyFile: $0.key), file: $0.certificate,
                logger: Logger(label: "campanile.tls"))
        }
        let metrics = ServerMetrics()
        let loops = try (0..<max(1, configuration.loopCount)).map {
            try EventLoop(
                label: "loop-\($0)",
                metrics: LoopMetrics(metrics.registry, loop: "loop-\($0)", transport: metrics.transport))
        }
        for loop in loops {
            loop.execute {
                loop.unfinishedInput.timeMax = configuration.messageTimeout
                loop.unfinishedInput.bytesMax = configuration.unfinishedBytesMax
            }
        }
        let home = loops[0]
        let gate = Gate(waitingMax: configuration.admissionLimits().connectionsMax, metrics: metrics.transport)
        let listener = try listen(
            configuration, on: sockets, loops: loops, tls: certificate?.context, gate: gate, logger: logger)
        let database: DatabaseAccess
        do {
            database = try await DatabaseAccess.open(configuration, loop: home, logger: logger)
        } catch {
            listener.stop()
            throw error
        }
        let clients = DatabaseClients(database.application, loop: home, metrics: metrics.postgres)
        let roster = NodeRoster(
            pool: clients.pool, name: configuration.nodes?.name ?? NodesConfiguration.defaultName,
            hasBus: configuration.nodes != nil, logger: logger)
        do {
            let keys = try await NodeKeys.ring(clients.pool)
            let bus = try await Nodes.bus(
                configuration.nodes, keys: keys, pool: clients.pool, loop: home, metrics: metrics.bus)
            try await roster.look()
            let services = try await ServiceSet.make(
                configuration, loop: home, clients, passwords: passwords, metrics: metrics)
            let environment = makeEnvironment(
                configuration, services, files, database: database, pool: clients.pool, bus: bus, roster: roster,
                metrics: metrics, logger: logger)
            let scraped = try Listener.forMetrics(environment, loop: home)
            await services.accounts.setRevocationHandler { environment.registry.revoke($0) }
            await services.accounts.setViewerCutter { revoked in
                await services.tracking.cut(revoked.links)
                await services.sharing.ended(revoked.shares)
            }
            await services.accounts.setHiddenEnds { try await services.sharing.hiddenEnds(of: $0) }
            if configuration.isDemo { try await services.accounts.removeSimulated() }
            try await services.hub.loadBlocks(from: BlockTable(database: clients.pool))
            try await services.privacy.rules.readChanged()
            if configuration.nodes != nil {
                try await Nodes.join(
                    bus, services,
                    NodeServices(
                        accounts: services.accounts, tracking: services.tracking, rules: services.privacy.rules,
                        registry: environment.registry, rulesChanged: services.rulesChanged,
                        lookAtCampus: { _ = await services.campusWatch.look() }))
            }
            try await services.tracking.restore(isAlone: configuration.nodes == nil)
            try Task.checkCancellation()
            gate.open(environment)
            return CampanileServer(
                database: database, listener: listener, environment: environment, clients: clients, bus: bus,
                roster: roster,
                upkeep: [
                    watchNodes(roster, keys, clients.pool, loop: home, every: configuration.nodesLookInterval),
                    watchBlocks(services.hub, loop: home, every: configuration.othersPollInterval),
                    watchOthers(services, loop: home, every: configuration.othersPollInterval),
                    LoopLagProbe.start(loops), certificate?.watch(on: home), Task { await services.reminders.run() },
                    Task { await services.heatmap.run() }, Task { await services.hub.confirmSharesRegularly() },
                ].compactMap(\.self) + keepUp(services, clients.pool, loop: home, logger: logger),
                certificate: certificate,
                metricsListener: scraped)
        } catch {
            listener.stop()
            // In a task of its own, as this one may be cancelled: servers that start later must not count this one.
            await Task { await roster.leave() }.value
            // A private cluster must not outlive a start that failed.
            await clients.close()
            await database.close()
            throw error
        }
    }

    /// The port is bound early, so that a taken one is told at once.
    private static func listen(
        _ configuration: ServerConfiguration, on sockets: [ListeningSocket], loops: [EventLoop], tls: TLSContext?,
        gate: Gate, logger: Logger
    ) throws -> Listener {
        DescriptorLimit.raise()
        let admission = ConnectionAdmission(
            configuration.admissionLimits(), loopCount: loops.count, metrics: gate.metrics)
        if let wanted = configuration.connectionsMax, wanted > admission.limits.connectionsMax {
            logger.warning(
                "fewer connections than asked for: raise the limit of open files (ulimit -n, LimitNOFILE)",
                metadata: ["connections": "\(admission.limits.connectionsMax)"])
        }
        do {
            let sockets =
                try sockets.isEmpty
                ? ListeningSocket.bind(host: configuration.host, port: configuration.port) : sockets
            return Listener(sockets: sockets, loops: loops, tls: tls, admission: admission) { gate.accept($0) }
        } catch let error as SystemError where error.code == EADDRINUSE {
            throw PortInUse(host: configuration.host, port: configuration.port)
        } catch let error as SystemError {
            throw NoPort(configuration, error)
        } catch let error as SocketAddress.ResolutionError {
            throw NoPort("\(error)", "give an address of this machine with --host")
        }
    }

    /// The port cannot be had for another reason.
    public struct NoPort: Error, CustomStringConvertible {
        /// One plain fact and what to do.
        public let description: String

        init(_ fact: String, _ advice: String) { description = "\(fact); \(advice)" }

        init(_ configuration: ServerConfiguration, _ error: SystemError) {
            let advice =
                switch error.code {
                case EADDRNOTAVAIL: "give an address of this machine with --host"
                case EACCES: "choose one from 1024 on with --port, or allow it with CAP_NET_BIND_SERVICE"
                default: "choose another with --host or --port"
                }
            let reason = String(cString: strerror(error.code)).lowercased()
            self.init("port \(configuration.port) on \(configuration.host) cannot be had: \(reason)", advice)
        }
    }

    /// The port is taken.
    public struct PortInUse: Error, CustomStringConvertible {
        let host: String
        let port: UInt16
        /// One plain fact and what to do.
        public var description: String {
            "port \(port) on \(host) is in use: stop the other program, or choose another with --port"
        }
    }

    private static func makeEnvironment(
        _ configuration: ServerConfiguration, _ services: ServiceSet, _ files: StaticFiles,
        database: DatabaseAccess, pool: PostgresPool, bus: any Bus, roster: NodeRoster, metrics: ServerMetrics,
        logger: Logger
    ) -> ServerEnvironment {
        let storage = StorageAlarm(logger: logger) { database.isStorageFull }
        var router = Router(
            logger: logger, storage: storage, limits: RequestLimits(configuration.rateLimits, metrics: metrics.limits),
            metrics: metrics.rpc)
        let registry = ConnectionRegistry()
        let report: @Sendable () async -> Void = {
            await pool.report()
            await services.hub.report()
        }
        let figures = Figures(
            registry: metrics.registry, connections: registry,
            node: configuration.nodes?.name ?? NodesConfiguration.defaultName, others: { bus.nodes.map(\.name) },
            report: report)
        router.addAll(
            services, version: ServerConfiguration.version, figures: figures, registration: configuration.registration)
        let pages = Pages(
            router: router, services: services, files: files, configuration: configuration,
            metrics: MetricsEndpoint(
                registry: metrics.registry, token: configuration.metricsToken,
                workers: WorkerPool(label: "metrics", concurrentMax: 1, waitingMax: 4),
                report: report),
            readiness: Readiness { await Readiness.look(pool, services.clock, roster) })
        return ServerEnvironment(
            configuration: configuration, router: router, services: services, pages: pages,
            registry: registry, metrics: metrics, figures: figures)
    }

    private static func watchBlocks(_ hub: Hub, loop: EventLoop, every interval: Duration) -> Task<Void, Never> {
        Task {
            while !Task.isCancelled {
                await loop.sleep(for: interval)
                guard !Task.isCancelled else { return }
                // While the database is away no block can be made.
                try? await hub.readBlocks()
            }
        }
    }

    private static func watchOthers(
        _ services: ServiceSet, loop: EventLoop, every interval: Duration
    ) -> Task<Void, Never> {
        Task {
            while !Task.isCancelled {
                await loop.sleep(for: interval)
                guard !Task.isCancelled else { return }
                try? await services.accounts.announceRevoked()
                try? await services.tracking.cutRevokedLinks()
                for account in (try? await services.privacy.rules.readChanged()) ?? [] {
                    await services.rulesChanged(account)
                }
                await services.campusWatch.lookAndTell()
            }
        }
    }

    /// How many connections are open, were taken and were refused, for metrics.
    public var admissionStatistics: ConnectionAdmission.Statistics { listener.admission.statistics }

    /// The key for samples and recordings.
    public func simulationKey() throws -> String {
        try environment.configuration.simulationKey
            ?? SimulationKey.readOrMake(in: environment.configuration.dataDirectory)
    }

    /// Stores a campus and shows it at once; for `demo`.
    public var campusStore: CampusStore { CampusStore(database: clients.pool) }

    /// Shows the newest stored campus now, without waiting for the next look.
    public func reloadCampus() async throws {
        let services = environment.services
        await services.campusWatch.replace(with: try await campusStore.load())
        await services.hub.tellCampus()
    }

    /// Reads certificate and key again; open connections stay. Harmless without TLS.
    /// - Throws: `TLSError` naming the file that cannot be used; the certificate in use stays then.
    public func reloadCertificate() async throws {
        try await certificate?.reload()
    }

    /// What the configuration names and can be looked at without a database: files, certificate and key.
    /// - Throws: What cannot be used, as ``start(_:sockets:passwords:logger:)`` does.
    public static func check(_ configuration: ServerConfiguration) throws {
        _ = try StaticFiles(webApp: configuration.resources.webApp, leaflet: configuration.resources.leaflet)
        if let tls = configuration.tls { _ = try TLSContext(certificateFile: tls.certificate, keyFile: tls.key) }
    }

    /// What it listens on, to be handed over; keep it, and the sockets stay open when the server stops.
    public var sockets: [ListeningSocket] { listener.sockets }

    /// Stops: no new connections, requests under way are answered, WebSockets hear 1012 and when to come back, accepted
    /// writes are committed, the private cluster is shut down. How long that takes is not up to those who read slowly.
    /// - Parameter isHandingOver: Leaves the private cluster running, for another server to adopt, and the last answers on
    ///   their way: call ``sayFarewell()`` once the other server may start.
    public func stop(isHandingOver: Bool = false) async {
        await listener.close()
        await metricsListener?.close()
        for task in upkeep { task.cancel() }
        environment.registry.closeAll()
        // What is being sent, beside the requests under way: else nobody would know of it.
        async let remindersStopped: Void = environment.services.reminders.stop()
        await wait(upTo: Self.drainTimeMax) { environment.registry.count == 0 }
        if !isHandingOver { await sendTheRest(within: Self.sendingTimeMax) }
        await remindersStopped
        await clients.closeWriters()
        await environment.services.hub.forgetLogs()
        // Behind the last commit: what it tells goes out before the farewell.
        await environment.services.hub.leaveNodes()
        await bus.close()
        await roster.leave()
        await clients.close()
        if isHandingOver { await database.leave() } else { await database.close() }
    }

    /// After a stop that hands over, while the other server serves already: sends the rest of the last answers to those who
    /// take it, and gives up the others; all of them when the task is cancelled. The loops end by themselves with their last
    /// connection.
    public func sayFarewell() async {
        await sendTheRest(within: Self.leisureTimeMax) { Task.isCancelled }
    }

    /// After a stop that hands over, when nobody may serve any more: does what that stop left out. The private cluster goes
    /// on if another server has adopted it.
    public func finishStop() async {
        await sendTheRest(within: Self.sendingTimeMax)
        await database.closeUnlessAdopted()
    }

    private func sendTheRest(within limit: Duration, unless isOver: () -> Bool = { false }) async {
        await wait(upTo: Self.farewellTimeMax) { openCount == 0 || isOver() }
        await wait(upTo: limit - Self.farewellTimeMax) { environment.registry.sendingCount == 0 || isOver() }
        environment.registry.abortSending()
    }

    private var openCount: Int {
        listener.admission.statistics.open + (metricsListener?.admission.statistics.open ?? 0)
    }

    private func wait(upTo limit: Duration, until isDone: () -> Bool) async {
        let deadline = ContinuousClock.now + limit
        while !isDone(), ContinuousClock.now < deadline { await clients.pool.loop.wait(for: Self.drainLookInterval) }
    }
}

/// Holds connections that come while the server starts: the port is bound early, so that a taken one is told at once.
private final class Gate: Sendable {
    /// Connections that may wait for the start: as many as may be open. After a restart everybody comes, and to close on them
    /// would only have them come again.
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
            // Beyond the limit the socket is dropped, which closes it.
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
