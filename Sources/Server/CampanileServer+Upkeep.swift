import EventLoop
import Logging
import Services

/// What the server does by itself, now and then.
extension CampanileServer {
    /// Between two looks for what was forgotten: sessions left running, old publications, lifted blocks, pictures never sent.
    static let upkeepInterval = Duration.seconds(3_600)

    static func keepUp(_ services: ServiceSet, loop: EventLoop, logger: Logger) -> [Task<Void, Never>] {
        func repeating(
            _ failure: Logger.Message, _ body: @escaping @Sendable () async throws -> Void
        ) -> Task<Void, Never> {
            Task {
                while !Task.isCancelled {
                    do {
                        try await body()
                    } catch {
                        logger.warning(failure, metadata: ["error": "\(error)"])
                    }
                    await loop.sleep(for: upkeepInterval)
                }
            }
        }
        return [
            repeating("abandoned sessions could not be finished") { try await services.tracking.finishAbandoned() },
            repeating("old publications could not be removed") { try await services.publications.prune() },
            repeating("pictures of deleted messages could not be removed") { try await services.chat.prune() },
            repeating("lifted blocks could not be removed") { try await services.safety.prune() },
            repeating("unused pictures could not be removed") { try await services.pictures.removeUnused() },
            repeating("old reminders could not be removed") { try await services.reminders.prune() },
        ]
    }
}
