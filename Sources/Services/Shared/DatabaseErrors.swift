import EventLoop
import Postgres
import Wire

extension RPCError {
    /// Seconds a client waits before it sends again while the database is away.
    static let databaseRetrySeconds = 1.0
    /// The same while the database answers and takes no writes, which ends when an operator or a failover ends it.
    static let databaseOperatorSeconds = 5.0

    /// The disk is full: word for word, requirement U-9.
    public static let storageFull = RPCError(
        .storageFull, "Insufficient Storage, please contact an admin", retryAfter: 60)

    /// What a client hears when the database could not do its work. Nil when it is our fault.
    public init?(_ error: PostgresError) {
        switch error.outage {
        case .storageFull: self = .storageFull
        case .readOnly, .systemError:
            self.init(
                .unavailable, "nothing can be stored at the moment: send again in a few seconds",
                retryAfter: Self.databaseOperatorSeconds)
        case .exhausted, .busy, .unreachable:
            self.init(
                .unavailable, "the database is away: send again in a second", retryAfter: Self.databaseRetrySeconds)
        case nil where error.isRetryable:
            self.init(
                .unavailable, "the database is away: send again in a second", retryAfter: Self.databaseRetrySeconds)
        case nil where error.isForeignKeyViolation:
            // It was there when the request was judged.
            self.init(.conflict, "what this is about was removed at the same moment: load it again")
        case nil: return nil
        }
    }

    /// Any error as a client may hear it; nil when it is our fault and belongs in the log.
    public static func hearable(_ error: any Error) -> RPCError? {
        switch error {
        case let error as RPCError: error
        case let error as PostgresError: RPCError(error)
        case is WorkerPool.Overloaded:
            RPCError(.rateLimited, "too much is going on: send again in a few seconds", retryAfter: 3)
        default: nil
        }
    }
}
