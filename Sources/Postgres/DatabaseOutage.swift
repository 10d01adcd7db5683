/// A condition that keeps the database from executing a correct statement. The client may send its request again.
public enum DatabaseOutage: String, Sendable, CaseIterable {
    /// There is no connection, or it was lost.
    case unreachable
    /// The database rejects writes: a standby after a failover, or `default_transaction_read_only` (SQLSTATE 25006).
    case readOnly
    /// The database's disk is full (SQLSTATE 53100).
    case storageFull
    /// The database lacks connections or memory (the rest of class 53).
    case exhausted
    /// The operating system reported an error to the database (class 58), such as a disk error.
    case systemError
    /// The database was too slow or blocked by other sessions.
    ///
    /// A lock was not available (55P03), the statement was cancelled (57014), the transaction was rolled back in favour of another
    /// one (40001, 40P01), an earlier statement of the transaction failed (25P02), its outcome is not known (40003), or a bounded
    /// queue is full.
    case busy

    /// The outage that a SQLSTATE reports (PostgreSQL manual, appendix A), or nil if the statement itself is wrong.
    public init?(sqlState: String) {
        switch sqlState {
        case "25006": self = .readOnly
        case "53100": self = .storageFull
        case _ where sqlState.hasPrefix("53"): self = .exhausted
        case _ where sqlState.hasPrefix("58"): self = .systemError
        case _ where sqlState.hasPrefix("08") || sqlState.hasPrefix("57P") || sqlState == "25P03": self = .unreachable
        case "25P02", "40001", "40003", "40P01", "55P03", "57014": self = .busy
        default: return nil
        }
    }

    /// Whether an operator must act. The other outages end without help, or the code that detects them logs them.
    public var needsOperator: Bool { self == .readOnly || self == .exhausted || self == .systemError }

    /// Log message with the outage and its remedy.
    var advice: String {
        switch self {
        case .readOnly:
            "the database takes no writes: promote it or connect to the primary (several hosts in DATABASE_URL find it), or unset "
                + "default_transaction_read_only"
        case .exhausted: "the database lacks connections or memory: see max_connections and its memory settings"
        case .systemError: "the database's operating system reports errors: look at its disk and its log"
        case .unreachable, .storageFull, .busy: "the database cannot do its work"
        }
    }
}
