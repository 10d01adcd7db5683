import Bus
import EventLoop
import Logging
import Postgres
import Services

/// What the server does by itself, now and then.
extension CampanileServer {
    /// Between two looks for what was forgotten: sessions left running, old publications, lifted blocks, pictures never sent.
    static let upkeepInterval = Duration.seconds(3_600)
    /// Between two looks for news of events that nobody told, as when a server died behind its commit.
    static let newsInterval = Duration.seconds(5)
    /// Between two looks for notices that are due.
    static let dueInterval = Duration.seconds(1)
    /// Between two looks for tables that have doubled: so long may a fresh server work with plans of empty tables.
    static let statisticsInterval = Duration.seconds(2)
    /// Tables analysed at one look.
    static let analysedTablesMax: Int64 = 4

    /// Analyses tables that have doubled since they were analysed last; plans that were made before end with that.
    private static func refreshStatistics(_ pool: PostgresPool) async throws {
        _ = try await pool.query("SELECT statistics_refresh($1::integer)", [.int(analysedTablesMax)])
    }

    /// Between two comparisons of the clock with the database's.
    static let clockInterval = Duration.seconds(60)
    /// Between two looks for accounts that a server began to erase and did not finish.
    static let erasingInterval = Duration.seconds(60)

    /// Says that this server lives, looks who else does, and reads the keys of the bus again.
    static func watchNodes(
        _ roster: NodeRoster, _ keys: BusKeyring, _ pool: PostgresPool, loop: EventLoop, every interval: Duration
    ) -> Task<Void, Never> {
        Task {
            while !Task.isCancelled {
                await loop.sleep(for: interval)
                guard !Task.isCancelled else { return }
                // While the database is away nothing changes there.
                try? await roster.look()
                if let (sealing, others) = try? await NodeKeys.read(pool) { keys.replace(sealing, others: others) }
            }
        }
    }

    static func keepUp(
        _ services: ServiceSet, _ pool: PostgresPool, loop: EventLoop, logger: Logger
    ) -> [Task<Void, Never>] {
        func repeating(
            _ failure: Logger.Message, every interval: Duration = upkeepInterval,
            _ body: @escaping @Sendable () async throws -> Void
        ) -> Task<Void, Never> {
            Task {
                // Of a trouble that lasts, one line.
                var isFailing = false
                while !Task.isCancelled {
                    do {
                        try await body()
                        isFailing = false
                    } catch  where Task.isCancelled {
                        // The server stops, and has closed the database.
                        return
                    } catch {
                        if !isFailing { logger.warning(failure, metadata: ["error": "\(error)"]) }
                        isFailing = true
                    }
                    await loop.sleep(for: interval)
                }
            }
        }
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
            repeating("scheduled notices could not be published", every: dueInterval) {
                try await services.notices.publishDue()
            },
            repeating("old notices could not be removed") { try await services.notices.prune() },
            repeating("lifted blocks could not be removed") { try await services.safety.prune() },
            repeating("events long over could not be removed") { try await services.events.prune() },
            repeating("news of events could not be told", every: newsInterval) {
                try await services.events.tellNews()
            },
            repeating("old entries of the audit log could not be removed") { try await services.audit.prune() },
            repeating("unused pictures could not be removed") { try await services.pictures.removeUnused() },
            repeating("accounts could not be erased", every: erasingInterval) {
                try await services.personalData.finishErasing()
            },
            repeating("old searches and visits could not be removed") { try await services.personalPlaces.prune() },
            repeating("ends of shares could not be told", every: dueInterval) {
                try await services.sharing.tellEnds()
            },
            repeating("old shares could not be removed") { try await services.sharing.prune() },
            repeating("old reminders could not be removed") { try await services.reminders.prune() },
            repeating("revoked tokens could not be removed") { try await services.accounts.prune() },
        ]
    }
}
