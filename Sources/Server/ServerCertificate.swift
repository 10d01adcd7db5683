import EventLoop
import Logging

/// The server's certificate in use, and when it is read again: when told to, and when its file has changed.
final class ServerCertificate: Sendable {
    /// Between two looks at the files.
    static let lookInterval = Duration.seconds(60)

    let context: TLSContext
    private let file: String
    private let logger: Logger
    private let workers = WorkerPool(label: "certificate", concurrentMax: 1, waitingMax: 16)

    init(_ context: TLSContext, file: String, logger: Logger) {
        self.context = context
        self.file = file
        self.logger = logger
    }

    /// Reads the files; handshakes from now on use them, open connections stay.
    /// - Throws: `TLSError`, already logged; the certificate in use stays.
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

    /// Looks at the files from time to time; a client that renews certificates need not tell us.
    func watch(on loop: EventLoop) -> Task<Void, Never> {
        Task {
            let context = context
            while !Task.isCancelled {
                await loop.sleep(for: Self.lookInterval)
                guard !Task.isCancelled, (try? await workers.run { context.needsReload }) == true else { continue }
                try? await reload()
            }
        }
    }
}
