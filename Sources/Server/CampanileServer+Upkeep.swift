import EventLoop
import Logging
import Services

/// What the server does by itself, now and then.
extension CampanileServer {
    /// Between two looks for what was forgotten: sessions left running, old publications, lifted blocks, pictures never sent.
    static let upkeepInterval = Duration.seconds(3_600)
    /// Between two looks for news of events that nobody told, as when a server died behind its commit.
    static let newsInterval = Duration.seconds(5)
    /// Between two looks for notices that are due.
    static let dueInterval = Duration.seconds(1)
    /// Between two looks for accounts that a server began to erase and did not finish.
    static let erasingInterval = Duration.seconds(60)

    static func keepUp(_ services: ServiceSet, loop: EventLoop, logger: Logger) -> [Task<Void, Never>] {
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
