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
import Wire

/// The complete server: database, services, hub and listener, started in the order of their dependencies.
public final class CampanileServer: Sendable {
    /// Time limit for requests in flight when the server stops.
    static let drainTimeMax = Duration.seconds(5)
    /// Time limit for sending the last replies and close frames, and for peers to close.
    static let closeTimeMax = Duration.milliseconds(300)
    /// The same limit while part of a response is unsent and no other server serves.
    static let sendingTimeMax = Duration.seconds(1)
    /// The same limit while another server serves.
    static let handedOverSendingTimeMax = Duration.seconds(10)
    /// Interval of counting the remaining connections.
    static let drainPollInterval = Duration.milliseconds(5)

    /// Address on which the server listens.
    public let address: SocketAddress
    /// Address of the metrics port, if one is configured.
    public var metricsAddress: SocketAddress? { metricsListener?.address }
    /// Whether the server uses TLS.
    public let isSecure: Bool

    private let access: DatabaseAccess
    private let listener: Listener
    private let metricsListener: Listener?
    let environment: ServerEnvironment
    private let clients: DatabaseClients
    /// Bus to the other nodes.
    let bus: any Bus
    private let roster: NodeRoster
    private let upkeep: [Task<Void, Never>]
    private let certificate: ServerCertificate?

    init(
        database: DatabaseAccess, listener: Listener, environment: ServerEnvironment,
        clients: DatabaseClients, bus: any Bus, roster: NodeRoster, upkeep: [Task<Void, Never>],
        certificate: ServerCertificate?,
        metricsListener: Listener?
    ) {
        self.metricsListener = metricsListener
        access = database
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

    /// Starts the server and returns once it listens.
    /// - Parameter sockets: Inherited or taken-over sockets to listen on, instead of the configured host and port.
    /// - Throws: An error that names the unusable resource and what to do: port, file, database or migration.
    public static func start(
        _ configuration: ServerConfiguration, sockets: [ListeningSocket] = [], passwords: Passwords = Passwords(),
        logger: Logger = Logger(label: "campanile")
    ) async throws -> CampanileServer {
        // Cheap checks come first, so that a bad certificate or a missing file is reported without waiting for a database.
        let files = try configuration.resources.readFiles()
        let certificate = try configuration.tls.map {
            ServerCertificate(
                try TLSContext(certificateFile: $0.certificate, keyFile: $0.key), file: $0.certificate,
                logger: Logger(label: "campanile.tls"))
        }
        let metrics = ServerMetrics()
        let loops = try makeLoops(configuration, metrics)
        DescriptorLimit.raise()
        let gate = Gate(waitingMax: configuration.admissionLimits().connectionsMax, metrics: metrics.transport)
        // Bound before the rest of the start, so that a port in use is reported immediately.
        let sockets = try sockets.isEmpty ? bind(configuration) : sockets
        let database = try await DatabaseAccess.open(configuration, loop: loops[0], logger: logger)
        // Until here connections wait in the kernel: if the start fails, another server can accept them.
        let listener = listen(
            configuration, on: sockets, loops: loops, tls: certificate?.context, gate: gate, logger: logger)
        let start = ServerStart(
            configuration: configuration, files: files, certificate: certificate, passwords: passwords,
            metrics: metrics,
            loops: loops, gate: gate, listener: listener, database: database, logger: logger)
        return try await start.run()
    }

    private static func makeLoops(_ configuration: ServerConfiguration, _ metrics: ServerMetrics) throws -> [EventLoop]
    {
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
        return loops
    }

    private static func bind(_ configuration: ServerConfiguration) throws -> [ListeningSocket] {
        do {
            return try ListeningSocket.bind(host: configuration.host, port: configuration.port)
        } catch let error as SystemError where error.code == EADDRINUSE {
            throw PortInUse(host: configuration.host, port: configuration.port)
        } catch let error as SystemError {
            throw PortUnavailable(configuration, error)
        } catch let error as SocketAddress.ResolutionError {
            throw PortUnavailable("\(error)", "give an address of this machine with --host")
        }
    }

    /// Starts to accept connections.
    private static func listen(
        _ configuration: ServerConfiguration, on sockets: [ListeningSocket], loops: [EventLoop], tls: TLSContext?,
        gate: Gate, logger: Logger
    ) -> Listener {
        let admission = ConnectionAdmission(
            configuration.admissionLimits(), loopCount: loops.count, metrics: gate.metrics)
        if let wanted = configuration.connectionsMax, wanted > admission.limits.connectionsMax {
            logger.warning(
                "fewer connections than asked for: raise the limit of open files (ulimit -n, LimitNOFILE)",
                metadata: ["connections": "\(admission.limits.connectionsMax)"])
        }
        return Listener(sockets: sockets, loops: loops, tls: tls, admission: admission) { gate.accept($0) }
    }

    /// Error for a port that cannot be bound for a reason other than being in use.
    public struct PortUnavailable: Error, CustomStringConvertible {
        /// One fact and what to do.
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

    /// Error for a port in use.
    public struct PortInUse: Error, CustomStringConvertible {
        let host: String
        let port: UInt16
        /// One fact and what to do.
        public var description: String {
            "port \(port) on \(host) is in use: stop the other program, or choose another with --port"
        }
    }

    static func makeEnvironment(
        _ configuration: ServerConfiguration, _ services: ServiceSet, _ files: StaticFiles,
        database: DatabaseAccess, pool: PostgresPool, bus: any Bus, roster: NodeRoster, metrics: ServerMetrics,
        logger: Logger
    ) -> ServerEnvironment {
        let storage = StorageAlarm(logger: logger) { database.isStorageFull }
        var router = Router(
            logger: logger, storage: storage, limits: RequestLimits(configuration.rateLimits, metrics: metrics.limits),
            metrics: metrics.rpc, requiresConfirmation: configuration.confirmation == .required)
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
            services,
            versions: ServerVersions(
                server: ServerConfiguration.version, webApp: files.version, oldestProtocol: configuration.oldestProtocol
            ),
            figures: figures, registration: configuration.registration)
        let pages = Pages(
            router: router, services: services, files: files, configuration: configuration,
            metrics: MetricsEndpoint(
                registry: metrics.registry, token: configuration.metricsToken,
                workers: WorkerPool(label: "metrics", concurrentMax: 1, waitingMax: 4),
                report: report),
            readiness: Readiness { await Readiness.check(pool, services.clock, roster) })
        return ServerEnvironment(
            configuration: configuration, router: router, services: services, pages: pages,
            registry: registry, metrics: metrics, figures: figures)
    }

    static func watchBlocks(_ hub: Hub, loop: EventLoop, every interval: Duration) -> Task<Void, Never> {
        Task {
            while !Task.isCancelled {
                await loop.sleep(for: interval)
                guard !Task.isCancelled else { return }
                // While the database is unreachable, nobody can create a block.
                try? await hub.blocks.readChanges()
            }
        }
    }

    static func watchOthers(
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
                await services.campusWatch.reloadAndNotifyNodes()
                await services.routes.reloadClosures()
            }
        }
    }

    /// Numbers of open, accepted and refused connections, for metrics.
    public var admissionStatistics: ConnectionAdmission.Statistics { listener.admission.statistics }

    /// Key for creating simulated accounts.
    public func simulationKey() throws -> String {
        try environment.configuration.simulationKey
            ?? SimulationKey.readOrMake(in: environment.configuration.dataDirectory)
    }

    /// Waits until replies have the campus's destinations and opening hours, which are read after the start.
    public func waitForSearch() async {
        await environment.services.search.refresh()
        await environment.services.search.evaluateOpeningHours()
    }

    /// Store of the campus, for `demo`.
    public var campusStore: CampusStore { CampusStore(database: clients.pool) }

    /// The database, for the past of the samples of `demo`.
    public var database: PostgresPool { clients.pool }

    /// Sets an account's role and revokes its grants, for `demo`.
    /// - Throws: ``Wire/RPCError`` `notFound`.
    public func setRole(_ role: Role, ofEmail email: String) async throws {
        _ = try await environment.services.accounts.setRole(role, ofEmail: email)
    }

    /// Loads the newest stored campus immediately instead of waiting for the next poll.
    public func reloadCampus() async throws {
        let services = environment.services
        await services.campusWatch.replace(with: try await campusStore.load())
        await services.routes.reload()
        await services.hub.announceCampusChange()
    }

    /// Reads the certificate and key again; open connections continue. Does nothing without TLS.
    /// - Throws: `TLSError` that names the unusable file; the present certificate then remains in use.
    public func reloadCertificate() async throws {
        try await certificate?.reload()
    }

    /// Checks the parts of a configuration that need no database: files, certificate and key.
    /// - Throws: The same errors as ``start(_:sockets:passwords:logger:)``.
    public static func check(_ configuration: ServerConfiguration) throws {
        _ = try configuration.resources.readFiles()
        if let tls = configuration.tls { _ = try TLSContext(certificateFile: tls.certificate, keyFile: tls.key) }
    }

    /// Listening sockets, to hand over to another server. They stay open after a stop while they are referenced.
    public var sockets: [ListeningSocket] { listener.sockets }

    /// Stops the server: refuses new connections, completes requests in flight, closes WebSockets with 1012 and a reconnect delay, commits
    /// accepted writes, and shuts down the private cluster. Slow readers cannot delay the stop beyond fixed limits.
    /// - Parameter isHandingOver: True leaves the private cluster running for another server to adopt, and the last responses unsent: call
    ///   ``sayFarewell()`` once the other server may start.
    public func stop(isHandingOver: Bool = false) async {
        await listener.close()
        await metricsListener?.close()
        for task in upkeep { task.cancel() }
        environment.registry.closeAll()
        // Reminders finish sending in parallel with the requests in flight, because the outcome of interrupted ones would be unknown.
        async let remindersStopped: Void = environment.services.reminders.stop()
        async let accountMailStopped: Void? = environment.services.accountMail?.stop()
        await wait(upTo: Self.drainTimeMax) { environment.registry.count == 0 }
        if !isHandingOver { await drainSends(within: Self.sendingTimeMax) }
        await remindersStopped
        _ = await accountMailStopped
        await clients.closeWriters()
        await environment.services.hub.logs.forgetAll()
        // After the last commit, so that its publications go out before this node leaves.
        await environment.services.hub.leaveNodes()
        await bus.close()
        await roster.leave()
        await clients.close()
        if isHandingOver { await access.leave() } else { await access.close() }
    }

    /// Sends the rest of the last responses after a handing-over stop, while the other server already serves. Connections that do not read
    /// within the limit are aborted; cancelling the task aborts all of them. The loops end with their last connection.
    public func sayFarewell() async {
        await drainSends(within: Self.handedOverSendingTimeMax) { Task.isCancelled }
    }

    /// Completes a handing-over stop when no server may serve any more. The private cluster continues if another server has adopted it.
    public func finishStop() async {
        await drainSends(within: Self.sendingTimeMax)
        await access.closeUnlessAdopted()
    }

    private func drainSends(within limit: Duration, unless isOver: () -> Bool = { false }) async {
        await wait(upTo: Self.closeTimeMax) { openCount == 0 || isOver() }
        await wait(upTo: limit - Self.closeTimeMax) { environment.registry.sendingCount == 0 || isOver() }
        environment.registry.abortSending()
    }

    private var openCount: Int {
        listener.admission.statistics.open + (metricsListener?.admission.statistics.open ?? 0)
    }

    private func wait(upTo limit: Duration, until isDone: () -> Bool) async {
        let deadline = ContinuousClock.now + limit
        while !isDone(), ContinuousClock.now < deadline { await clients.pool.loop.wait(for: Self.drainPollInterval) }
    }
}
