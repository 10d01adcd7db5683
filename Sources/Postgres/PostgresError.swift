/// A failure between a caller and the database.
///
/// Messages never contain parameter values, row contents (PostgreSQL's `DETAIL`) or credentials, so they may be logged.
public enum PostgresError: Error, Equatable, Sendable {
    /// The database was not reachable, or the connection was lost. The outcome of a write in flight is in doubt.
    case unavailable(reason: String)
    /// PostgreSQL rejected a statement. `sqlState` is the five-character code (PostgreSQL manual, appendix A).
    case server(sqlState: String, message: String, constraint: String?)
    /// A bounded queue is full. Nothing was sent.
    case overloaded
    /// No result arrived in time. The connection was closed and the outcome is in doubt.
    case timeout
    /// A column is absent, null, or not of the expected type.
    case decoding(column: String, expected: String)
}

extension PostgresError: CustomStringConvertible {
    /// Message that is safe to log.
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

    /// The name of the violated constraint, or nil.
    public var constraint: String? {
        if case .server(_, _, let constraint) = self { constraint } else { nil }
    }

    /// Whether a row with the same unique key exists (SQLSTATE 23505).
    public var isUniqueViolation: Bool { sqlState == "23505" }

    /// Whether a referenced row does not exist (SQLSTATE 23503).
    public var isForeignKeyViolation: Bool { sqlState == "23503" }

    /// Whether a check constraint failed (SQLSTATE 23514).
    public var isCheckViolation: Bool { sqlState == "23514" }

    /// Whether the database's disk is full (SQLSTATE 53100).
    public var isStorageFull: Bool { sqlState == "53100" }

    /// The outage that caused the error, or nil if the statement itself is wrong.
    public var outage: DatabaseOutage? {
        switch self {
        case .unavailable, .timeout: .unreachable
        case .overloaded: .busy
        case .decoding: nil
        case .server(let sqlState, _, _): DatabaseOutage(sqlState: sqlState)
        }
    }

    /// Whether PostgreSQL rolled the transaction back in favour of another one: a serialization failure or a deadlock (SQLSTATE
    /// 40001, 40P01). The transaction had no effects.
    public var isRolledBack: Bool { sqlState == "40001" || sqlState == "40P01" }

    /// Whether the same statement may succeed when it is sent again. It may already have taken effect, so repeat only idempotent
    /// statements.
    public var isRetryable: Bool {
        switch self {
        case .unavailable, .overloaded, .timeout: true
        case .decoding: false
        case .server(let sqlState, _, _):
            // The plan changed or the statement is unknown (0A000, 26000): the next attempt prepares it again.
            isRolledBack || ["0A000", "26000"].contains(sqlState) || outage.map { $0 != .storageFull } ?? false
        }
    }

    /// Creates the error for a SQLSTATE.
    ///
    /// Class 08, shutdown and crash (57P01 to 57P05) and a terminated idle transaction (25P03) end the session, so they are
    /// `unavailable`.
    static func fromServer(sqlState: String, message: String, constraint: String?) -> PostgresError {
        if sqlState.hasPrefix("08") || sqlState.hasPrefix("57P") || sqlState == "25P03" {
            return .unavailable(reason: message)
        }
        return .server(
            sqlState: sqlState, message: withoutValues(message, sqlState: sqlState), constraint: constraint)
    }

    /// The message without the offending value. PostgreSQL quotes values in the primary message of data exceptions (class 22) only.
    private static func withoutValues(_ message: String, sqlState: String) -> String {
        guard sqlState.hasPrefix("22"), let first = message.firstIndex(of: "\""),
            let last = message.lastIndex(of: "\""), first < last
        else { return message }
        return message[..<first] + "\"…\"" + message[message.index(after: last)...]
    }
}
