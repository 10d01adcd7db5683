import EventLoop
import Postgres
import Wire

extension RPCError {
    /// Delay before a client retries while the database is unreachable.
    static let databaseRetrySeconds = 1.0
    /// Delay before a client retries while the database answers but rejects writes, which only an operator or a failover can end.
    static let databaseOperatorSeconds = 5.0

    /// The disk is full; the message is verbatim from requirement U-9.
    public static let storageFull = RPCError(
        .storageFull, "Insufficient Storage, please contact an admin", retryAfter: 60)

    /// Error response for a failure of the database; nil for a fault of the server's own statements.
    public init?(_ error: PostgresError) {
        switch error.outage {
        case .storageFull: self = .storageFull
        case .readOnly, .systemError:
            self.init(
                .unavailable, "nothing can be stored at the moment: send again in a few seconds",
                retryAfter: Self.databaseOperatorSeconds)
        case .busy:
            self.init(
                .unavailable, "the database is busy: send again in a second", retryAfter: Self.databaseRetrySeconds)
        case .exhausted, .unreachable:
            self.init(
                .unavailable, "the database is away: send again in a second", retryAfter: Self.databaseRetrySeconds)
        case nil where error.isRetryable:
            self.init(
                .unavailable, "the database is away: send again in a second", retryAfter: Self.databaseRetrySeconds)
        case nil where error.isForeignKeyViolation:
            // The referenced row existed when the request was checked.
            self.init(.conflict, "the object was removed at the same moment: load it again")
        case nil: return nil
        }
    }

    /// Error response for any error; nil for a fault of the server, which belongs in the log.
    public static func clientError(_ error: any Error) -> RPCError? {
        switch error {
        case let error as RPCError: error
        case let error as PostgresError: RPCError(error)
        case is WorkerPool.Overloaded:
            RPCError(.rateLimited, "the server is busy: send again in a few seconds", retryAfter: 3)
        default: nil
        }
    }
}
