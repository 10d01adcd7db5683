import EventLoop
import Logging

/// Certificate of the server. It is read again on request and after its file has changed.
final class ServerCertificate: Sendable {
    /// Interval of checking the files.
    static let checkInterval = Duration.seconds(60)

    let context: TLSContext
    private let file: String
    private let logger: Logger
    private let workers = WorkerPool(label: "certificate", concurrentMax: 1, waitingMax: 16)

    init(_ context: TLSContext, file: String, logger: Logger) {
        self.context = context
        self.file = file
        self.logger = logger
    }

    /// Reads the files. New handshakes use them; open connections continue.
    /// - Throws: `TLSError`, already logged; the present certificate remains in use.
    func reload() async throws {
        let context = context
        do {
            try await workers.run { try context.reload() }
            logger.notice("certificate read", metadata: ["file": "\(file)"])
        } catch {
            logger.error(
                "the certificate could not be read again: the one in use stays", metadata: ["error": "\(error)"])
            throw error
        }
    }

    /// Checks the files periodically, so that a program that renews certificates need not notify the server.
    func watch(on loop: EventLoop) -> Task<Void, Never> {
        Task {
            let context = context
            while !Task.isCancelled {
                await loop.sleep(for: Self.checkInterval)
                guard !Task.isCancelled, (try? await workers.run { context.needsReload }) == true else { continue }
                try? await reload()
            }
        }
    }
}
