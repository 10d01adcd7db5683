import Bus
import EventLoop
import Hub
import Logging
import Postgres
import Services

/// The second part of a start: the database is open, and the server accepts connections, which wait at the gate until the services are
/// made.
struct ServerStart {
    let configuration: ServerConfiguration
    let files: StaticFiles
    let certificate: ServerCertificate?
    let passwords: Passwords
    let metrics: ServerMetrics
    let loops: [EventLoop]
    let gate: Gate
    let listener: Listener
    let database: DatabaseAccess
    let logger: Logger

    private var homeLoop: EventLoop { loops[0] }

    /// Makes the services, opens the gate and returns the running server.
    /// - Throws: Whatever keeps the server from starting; the listener, the roster and the database are closed then.
    func run() async throws -> CampanileServer {
        let clients = DatabaseClients(database.application, loop: homeLoop, metrics: metrics.postgres)
        let roster = NodeRoster(
            pool: clients.pool, name: configuration.nodes?.name ?? NodesConfiguration.defaultName,
            hasBus: configuration.nodes != nil, logger: logger)
        do {
            return try await serve(clients, roster)
        } catch {
            listener.stop()
            // A separate task, because this one may be cancelled. Servers that start later must not count this one.
            await Task { await roster.leave() }.value
            // A private cluster must not keep running after a failed start.
            await clients.close()
            await database.close()
            throw error
        }
    }

    private func serve(_ clients: DatabaseClients, _ roster: NodeRoster) async throws -> CampanileServer {
        let keys = try await NodeKeys.ring(clients.pool)
        let bus = try await Nodes.bus(
            configuration.nodes, keys: keys, pool: clients.pool, loop: homeLoop, metrics: metrics.bus)
        try await roster.refresh()
        let services = try await ServiceSet.make(
            configuration, loop: homeLoop, clients, passwords: passwords, metrics: metrics)
        let environment = CampanileServer.makeEnvironment(
            configuration, services, files, database: database, pool: clients.pool, bus: bus, roster: roster,
            metrics: metrics, logger: logger)
        let metricsListener = try Listener.forMetrics(environment, loop: homeLoop)
        await connect(services, environment)
        if configuration.isDemo { try await SampleRemoval(database: clients.pool).run() }
        try await services.hub.blocks.load(from: BlockTable(database: clients.pool))
        try await services.privacy.rules.readChanged()
        try await services.training.exercises.refresh()
        if configuration.nodes != nil { try await join(bus, services, environment) }
        try await services.tracking.restore(isAlone: configuration.nodes == nil)
        try Task.checkCancellation()
        gate.open(environment)
        return CampanileServer(
            database: database, listener: listener, environment: environment, clients: clients, bus: bus,
            roster: roster, upkeep: upkeep(services, clients, roster, keys), certificate: certificate,
            metricsListener: metricsListener)
    }

    /// Effects of a revocation of an account's grants in other services.
    private func connect(_ services: ServiceSet, _ environment: ServerEnvironment) async {
        await services.accounts.setRevocationHandler { environment.registry.revoke($0) }
        await services.accounts.setViewerRevoker { revoked in
            await services.tracking.cut(revoked.links)
            await services.sharing.ended(revoked.shares)
        }
        await services.accounts.setHiddenEnds { try await services.sharing.hiddenEnds(of: $0) }
    }

    private func join(_ bus: any Bus, _ services: ServiceSet, _ environment: ServerEnvironment) async throws {
        try await Nodes.join(
            bus, services,
            NodeServices(
                accounts: services.accounts, tracking: services.tracking, rules: services.privacy.rules,
                registry: environment.registry, rulesChanged: services.rulesChanged,
                reloadCampus: {
                    _ = await services.campusWatch.reload()
                    await services.routes.reloadClosures()
                }))
    }

    private func upkeep(
        _ services: ServiceSet, _ clients: DatabaseClients, _ roster: NodeRoster, _ keys: BusKeyring
    ) -> [Task<Void, Never>] {
        [
            CampanileServer.watchNodes(
                roster, keys, clients.pool, loop: homeLoop, every: configuration.nodesPollInterval),
            CampanileServer.watchBlocks(services.hub, loop: homeLoop, every: configuration.databasePollInterval),
            CampanileServer.watchOthers(services, loop: homeLoop, every: configuration.databasePollInterval),
            LoopLagProbe.start(loops), certificate?.watch(on: homeLoop), Task { await services.reminders.run() },
            services.accountMail.map { mail in Task { await mail.run() } },
            Task { await services.heatmap.run() }, Task { await services.routes.run() },
            Task { await services.hub.shares.confirmRegularly() },
        ].compactMap(\.self) + CampanileServer.startUpkeep(services, clients.pool, loop: homeLoop, logger: logger)
    }
}
