/// What keeps the database from its work although nothing is wrong with the statement: the client is asked to send again.
public enum DatabaseOutage: String, Sendable, CaseIterable {
    /// No connection, or it was lost.
    case unreachable
    /// It takes no writes: a standby after a failover, or `default_transaction_read_only` (SQLSTATE 25006).
    case readOnly
    /// Its disk is full (SQLSTATE 53100).
    case storageFull
    /// It lacks connections or memory (the rest of class 53).
    case exhausted
    /// The operating system failed it (class 58), such as an error of the disk.
    case systemError
    /// It was too slow, or others were in the way: a lock was not available (55P03), the statement was cancelled (57014), an earlier
    /// statement of the transaction failed (25P02), the outcome is not known (40003), or a bounded queue is full.
    case busy

    /// The outage that a SQLSTATE reports (PostgreSQL manual, appendix A); nil when the statement is at fault.
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

    /// Whether an operator has to act. The others pass by themselves, or are logged where they are noticed.
    var needsOperator: Bool { self == .readOnly || self == .exhausted || self == .systemError }

    /// What the log says of it, with what to do.
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
