import Bus
import EventLoop
import Logging
import Postgres
import Services

/// Periodic background work of the server.
extension CampanileServer {
    /// Interval of cleanups: abandoned sessions, old publications, lifted blocks, unused pictures.
    static let upkeepInterval = Duration.seconds(3_600)
    /// Interval of publishing event changes that no server has published, for example because it stopped after its commit.
    static let eventChangesInterval = Duration.seconds(5)
    /// Interval of publishing notices that are due.
    static let schedulingInterval = Duration.seconds(1)
    /// Interval of looking for tables that have doubled. A new server uses plans for empty tables for at most this long.
    static let statisticsInterval = Duration.seconds(2)
    /// Highest number of tables analysed in one pass.
    static let analysedTablesMax: Int64 = 4

    /// Analyses tables that have doubled since their last analysis, which invalidates older plans.
    private static func refreshStatistics(_ pool: PostgresPool) async throws {
        _ = try await pool.query("SELECT statistics_refresh($1::integer)", [.int(analysedTablesMax)])
    }

    /// Interval of comparing the clock with that of the database.
    static let clockInterval = Duration.seconds(60)
    /// Interval of looking for a campus that search does not know yet.
    static let searchInterval = Duration.seconds(2)
    /// Interval of ending live groups that nobody uses any more.
    static let togetherInterval = Duration.seconds(Together.idleCheckSeconds)
    /// Interval of completing account erasures that another server began.
    static let erasingInterval = Duration.seconds(60)

    /// Renews this node's registration, reads the list of other nodes, and reads the keys of the bus again.
    static func watchNodes(
        _ roster: NodeRoster, _ keys: BusKeyring, _ pool: PostgresPool, loop: EventLoop, every interval: Duration
    ) -> Task<Void, Never> {
        Task {
            while !Task.isCancelled {
                await loop.sleep(for: interval)
                guard !Task.isCancelled else { return }
                // While the database is unreachable, nothing changes there.
                try? await roster.refresh()
                if let (sealing, others) = try? await NodeKeys.read(pool) { keys.replace(sealing, others: others) }
            }
        }
    }

    static func startUpkeep(
        _ services: ServiceSet, _ pool: PostgresPool, loop: EventLoop, logger: Logger
    ) -> [Task<Void, Never>] {
        let repeating = RepeatedWork(loop: loop, logger: logger)
        return [
            repeating("abandoned sessions could not be finished") { try await services.tracking.finishAbandoned() },
            repeating("statistics of tables that grow could not be refreshed", every: statisticsInterval) {
                try await refreshStatistics(pool)
            },
            repeating("the database's clock could not be compared", every: clockInterval) {
                try await services.clock.compare(with: pool)
            },
            repeating("old publications could not be removed") { try await services.publications.prune() },
            repeating("pictures of deleted messages could not be removed") { try await services.chat.prune() },
            repeating("scheduled notices could not be published", every: schedulingInterval) {
                try await services.notices.publishDue()
            },
            repeating("search could not be renewed", every: searchInterval) { await services.search.refresh() },
            repeating("opening hours could not be evaluated", every: searchInterval) {
                await services.search.evaluateOpeningHours()
            },
            repeating("old notices could not be removed") { try await services.notices.prune() },
            repeating("lifted blocks could not be removed") { try await services.safety.prune() },
            repeating("exercises could not be loaded", every: searchInterval) {
                try await services.training.exercises.refresh()
            },
            repeating("old removals of trainings could not be forgotten") {
                try await services.training.trainings.prune()
            },
            repeating("old closures could not be removed") { try await services.routes.prune() },
            repeating("events long over could not be removed") { try await services.events.prune() },
            repeating("event changes could not be published", every: eventChangesInterval) {
                try await services.events.publishPendingChanges()
            },
            repeating("old entries of the audit log could not be removed") { try await services.audit.prune() },
            repeating("unused pictures could not be removed") { try await services.pictures.removeUnused() },
            repeating("accounts could not be erased", every: erasingInterval) {
                try await services.personalData.finishErasing()
            },
            repeating("old searches and visits could not be removed") { try await services.personalPlaces.prune() },
            repeating("ends of shares could not be published", every: schedulingInterval) {
                try await services.sharing.publishEnds()
            },
            repeating("old shares could not be removed") { try await services.sharing.prune() },
            repeating("idle live groups could not be ended", every: togetherInterval) {
                try await services.together.endIdle()
            },
            repeating("old live groups could not be removed") { try await services.together.prune() },
            repeating("old reminders could not be removed") { try await services.reminders.prune() },
            repeating("sign-ins by providers that are over could not be removed", every: erasingInterval) {
                try await services.openID?.prune()
            },
            repeating("revoked tokens could not be removed") { try await services.accounts.prune() },
            repeating("accounts without a confirmed address could not be removed") {
                try await services.accounts.eraseExpiredProvisional()
            },
        ]
    }
}

/// Starts tasks that repeat work until they are cancelled.
private struct RepeatedWork {
    let loop: EventLoop
    let logger: Logger

    /// Runs the work at once and after each interval.
    /// - Parameter failure: Logged once while the work fails.
    func callAsFunction(
        _ failure: Logger.Message, every interval: Duration = CampanileServer.upkeepInterval,
        _ body: @escaping @Sendable () async throws -> Void
    ) -> Task<Void, Never> {
        Task { [loop, logger] in
            var isFailing = false
            while !Task.isCancelled {
                do {
                    try await body()
                    isFailing = false
                } catch  where Task.isCancelled {
                    // The server is stopping and has closed the database.
                    return
                } catch {
                    if !isFailing { logger.warning(failure, metadata: ["error": "\(error)"]) }
                    isFailing = true
                }
                await loop.sleep(for: interval)
            }
        }
    }
}
