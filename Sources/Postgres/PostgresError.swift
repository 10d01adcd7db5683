/// What can go wrong between a caller and the database.
///
/// Messages never hold parameter values, row contents (PostgreSQL's `DETAIL`) or credentials, so they may be logged.
public enum PostgresError: Error, Equatable, Sendable {
    /// The database could not be reached, or the connection was lost: the outcome of a write in flight is unknown.
    case unavailable(reason: String)
    /// PostgreSQL refused a statement. `sqlState` is its five-character code (PostgreSQL manual, appendix A).
    case server(sqlState: String, message: String, constraint: String?)
    /// A bounded queue is full; nothing was sent.
    case overloaded
    /// The statement was not answered in time; its connection was closed and its outcome is unknown.
    case timeout
    /// A column is absent, null or not of the type it was asked for.
    case decoding(column: String, expected: String)
}

extension PostgresError: CustomStringConvertible {
    /// One plain fact, safe to log.
    public var description: String {
        switch self {
        case .unavailable(let reason): "the database is unavailable: \(reason)"
        case .server(let sqlState, let message, _):
            "PostgreSQL refused the statement: \(message) (SQLSTATE \(sqlState))"
        case .overloaded: "too many statements are waiting for the database: try again shortly"
        case .timeout: "the database did not answer in time"
        case .decoding(let column, let expected): "column \(column) cannot be read as \(expected)"
        }
    }
}

extension PostgresError {
    /// The five-character code of an error that PostgreSQL reported, or nil.
    public var sqlState: String? {
        if case .server(let sqlState, _, _) = self { sqlState } else { nil }
    }

    /// The name of the constraint that was violated, or nil.
    public var constraint: String? {
        if case .server(_, _, let constraint) = self { constraint } else { nil }
    }

    /// A row with the same unique key exists (SQLSTATE 23505).
    public var isUniqueViolation: Bool { sqlState == "23505" }

    /// A row refers to one that does not exist (SQLSTATE 23503).
    public var isForeignKeyViolation: Bool { sqlState == "23503" }

    /// A check constraint does not hold (SQLSTATE 23514).
    public var isCheckViolation: Bool { sqlState == "23514" }

    /// The database's disk is full (SQLSTATE 53100).
    public var isStorageFull: Bool { sqlState == "53100" }

    /// What keeps the database from its work although nothing is wrong with the statement; nil when the statement is at fault.
    public var outage: DatabaseOutage? {
        switch self {
        case .unavailable, .timeout: .unreachable
        case .overloaded: .busy
        case .decoding: nil
        case .server(let sqlState, _, _): DatabaseOutage(sqlState: sqlState)
        }
    }

    /// PostgreSQL ended the transaction in favour of another one, and nothing of it has happened: a serialization failure or a
    /// deadlock (SQLSTATE 40001, 40P01).
    public var isRolledBack: Bool { sqlState == "40001" || sqlState == "40P01" }

    /// The same statement may succeed when it is sent again. It may also have happened already: send only what is
    /// harmless when repeated.
    public var isRetryable: Bool {
        switch self {
        case .unavailable, .overloaded, .timeout: true
        case .decoding: false
        case .server(let sqlState, _, _):
            // Plan changed by a migration, statement unknown: the next attempt prepares it again.
            isRolledBack || ["0A000", "26000"].contains(sqlState) || outage.map { $0 != .storageFull } ?? false
        }
    }

    /// Makes the error for a SQLSTATE. Class 08, shutdown and crash (57P01 to 57P05), and an idle transaction that the server
    /// ended (25P03) mean that the session is over.
    static func fromServer(sqlState: String, message: String, constraint: String?) -> PostgresError {
        if sqlState.hasPrefix("08") || sqlState.hasPrefix("57P") || sqlState == "25P03" {
            return .unavailable(reason: message)
        }
        return .server(
            sqlState: sqlState, message: withoutValues(message, sqlState: sqlState), constraint: constraint)
    }

    /// PostgreSQL quotes the offending value in the primary message of data exceptions (class 22) only.
    private static func withoutValues(_ message: String, sqlState: String) -> String {
        guard sqlState.hasPrefix("22"), let first = message.firstIndex(of: "\""),
            let last = message.lastIndex(of: "\""), first < last
        else { return message }
        return message[..<first] + "\"…\"" + message[message.index(after: last)...]
    }
}
