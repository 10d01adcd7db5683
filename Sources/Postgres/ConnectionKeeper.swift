import EventLoop
import Logging

/// Keeps one connection open: connects again, ever more slowly, whenever it is lost. On the loop only.
final class ConnectionKeeper {
    static let backoffFirst: Duration = .milliseconds(50)
    static let backoffMax: Duration = .seconds(2)

    private(set) var connection: PostgresConnection?
    /// The one that is being opened.
    private var connecting: PostgresConnection?
    /// Why there is no connection.
    private(set) var lastFailure = PostgresError.unavailable(reason: "not connected yet")
    /// A connection is open.
    var onOpen: ((PostgresConnection) -> Void)?
    /// The connection that was open is lost; its statements have been answered with the error.
    var onLost: ((PostgresError) -> Void)?

    private let configuration: PostgresConfiguration
    private let loop: EventLoop
    private let logger: Logger
    private var backoff = ConnectionKeeper.backoffFirst
    private var isStopped = false
    private var hasComplained = false

    init(configuration: PostgresConfiguration, loop: EventLoop, logger: Logger) {
        self.configuration = configuration
        self.loop = loop
        self.logger = logger
    }

    func start() {
        loop.preconditionIsolated()
        guard !isStopped, connection == nil else { return }
        let candidate = PostgresConnection(configuration: configuration, loop: loop, logger: logger)
        connecting = candidate
        candidate.start { [self] result in
            connecting = nil
            switch result {
            case .success:
                if isStopped {
                    candidate.close(.unavailable(reason: "the connection was closed"))
                } else {
                    open(candidate)
                }
            case .failure(let error):
                complain(error)
                failed(error)
            }
        }
    }

    /// Closes the connection and stays away.
    func stop() {
        loop.preconditionIsolated()
        isStopped = true
        connecting?.close(.unavailable(reason: "the connection was closed"))
        connection?.close(.unavailable(reason: "the connection was closed"))
    }

    private func open(_ opened: PostgresConnection) {
        if hasComplained { logger.notice("\(configuration): connected again") }
        hasComplained = false
        backoff = Self.backoffFirst
        connection = opened
        opened.onClose = { [self] error in
            connection = nil
            complain(error)
            failed(error)
            onLost?(error)
        }
        onOpen?(opened)
    }

    /// One line for each reason and half minute, whichever of the connections to this database meets it first: also the reason why
    /// connecting again fails, which may be another one than that of the loss.
    private func complain(_ error: PostgresError) {
        guard !isStopped else { return }
        hasComplained = true
        RepeatedLine.shared.log("\(configuration): \(error)", level: .warning, logger: logger)
    }

    private func failed(_ error: PostgresError) {
        lastFailure = error
        guard !isStopped else { return }
        // Half of the delay is random, so the connections of many servers do not come back in the same instant.
        let delay = backoff * Double.random(in: 0.5...1)
        backoff = min(backoff * 2, Self.backoffMax)
        loop.schedule(after: delay) { [weak self] in self?.start() }
    }
}
