import EventLoop
import Logging

/// Keeps one connection open and reconnects with exponential backoff when it is lost. Confined to the loop.
final class ReconnectingConnection {
    static let backoffFirst: Duration = .milliseconds(50)
    static let backoffMax: Duration = .seconds(2)

    private(set) var connection: PostgresConnection?
    /// The connection that is being established.
    private var connecting: PostgresConnection?
    /// Reason of the last connection failure or loss.
    private(set) var lastFailure = PostgresError.unavailable(reason: "not connected yet")
    /// Called when a connection has opened.
    var onOpen: ((PostgresConnection) -> Void)?
    /// Called when an open connection was lost. Its statements have already failed with the error.
    var onLost: ((PostgresError) -> Void)?

    private let configuration: PostgresConfiguration
    private let loop: EventLoop
    private let logger: Logger
    private var backoff = ReconnectingConnection.backoffFirst
    private var isStopped = false
    private var hasLoggedFailure = false

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

    /// Closes the connection and does not reconnect.
    func stop() {
        loop.preconditionIsolated()
        isStopped = true
        connecting?.close(.unavailable(reason: "the connection was closed"))
        connection?.close(.unavailable(reason: "the connection was closed"))
    }

    private func open(_ opened: PostgresConnection) {
        if hasLoggedFailure { logger.notice("\(configuration): connected again") }
        hasLoggedFailure = false
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

    /// Logs one warning per reason in half a minute, for all connections to this database together.
    ///
    /// Reconnecting may fail for another reason than the loss, so both are logged.
    private func complain(_ error: PostgresError) {
        guard !isStopped else { return }
        hasLoggedFailure = true
        LogRateLimit.shared.log("\(configuration): \(error)", level: .warning, logger: logger)
    }

    private func failed(_ error: PostgresError) {
        lastFailure = error
        guard !isStopped else { return }
        // A random factor of 0.5 to 1 keeps many servers from reconnecting at the same moment.
        let delay = backoff * Double.random(in: 0.5...1)
        backoff = min(backoff * 2, Self.backoffMax)
        loop.schedule(after: delay) { [weak self] in self?.start() }
    }
}
