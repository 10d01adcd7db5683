import CLibpq

/// Where a database is, who asks, and the limits of the conversation.
///
/// `description` never holds the password.
public struct PostgresConfiguration: Sendable {
    /// libpq's connection keywords (PostgreSQL manual §34.1.2), parsed once.
    private(set) var keywords: [String: String]

    /// How long establishing a connection may take.
    public var connectTimeout: Duration = .seconds(10)
    /// How long a statement may take, from being sent to being answered; then its connection is closed.
    public var queryTimeout: Duration = .seconds(10)
    /// How long a statement waits for a connection while the database is away.
    public var acquireTimeout: Duration = .seconds(2)
    /// Connections of a pool.
    public var connectionsMax = 4
    /// Statements and transactions that may wait for a connection of a pool.
    public var waitingQueriesMax = 4096
    /// Statements that may be in flight on one connection of a pool.
    public var pipelinedQueriesMax = 8
    /// Statements kept prepared per connection; the least recently used one makes room.
    public var preparedStatementsMax = 256
    /// How long the first write of a group waits for company.
    public var groupWindow: Duration = .milliseconds(2)
    /// Writes in one transaction of a ``GroupWriter``.
    public var groupWritesMax = 256
    /// Writes that may wait in a ``GroupWriter``.
    public var waitingWritesMax = 8192

    /// The connection string cannot be read. What it says is not repeated: it may hold a password.
    public struct Invalid: Error, CustomStringConvertible {
        /// One plain fact and what to do.
        public var description: String {
            "the database address is not a PostgreSQL connection string: write postgresql://user@host:5432/database"
        }
    }

    /// - Parameter connectionString: A URL or `keyword=value` pairs as libpq takes them (PostgreSQL manual §34.1.1).
    /// - Throws: ``Invalid``.
    public init(connectionString: String) throws(Invalid) {
        var message: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(connectionString, &message)
        PQfreemem(message)
        guard let options else { throw Invalid() }
        defer { PQconninfoFree(options) }
        var keywords: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { keywords[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        self.keywords = keywords
    }

    /// A database behind a Unix socket.
    /// - Parameters:
    ///   - socketDirectory: The directory that holds `.s.PGSQL.5432`.
    ///   - user: The role.
    ///   - database: The database.
    ///   - password: The role's; nil when PostgreSQL asks for none.
    public init(socketDirectory: String, user: String, database: String, password: String? = nil) {
        keywords = ["host": socketDirectory, "port": "5432", "user": user, "dbname": database]
        keywords["password"] = password
    }

    /// The role that connects, or nil when libpq chooses.
    public var user: String? {
        get { keywords["user"] }
        set { keywords["user"] = newValue }
    }

    /// The database's name, or nil when libpq chooses.
    public var database: String? {
        get { keywords["dbname"] }
        set { keywords["dbname"] = newValue }
    }

    /// The host's name or the socket's directory, or nil when libpq chooses.
    public var host: String? { keywords["host"] ?? keywords["hostaddr"] }

    /// The name shown in `pg_stat_activity`.
    public var applicationName: String {
        get { keywords["application_name"] ?? "campanile" }
        set { keywords["application_name"] = newValue }
    }

    /// What libpq is given: the keywords, the session's settings, and dead peers noticed within the query timeout.
    var connectionKeywords: [String: String] {
        var keywords = keywords
        let milliseconds = (queryTimeout + .seconds(1)).wholeMilliseconds
        // The server gives up a statement a second after its caller did. UTC and ISO are what timestamps are read as.
        let settings =
            "-c TimeZone=UTC -c DateStyle=ISO -c bytea_output=hex -c extra_float_digits=1 "
            + "-c statement_timeout=\(milliseconds)"
        keywords["options"] = [keywords["options"], settings].compactMap { $0 }.joined(separator: " ")
        keywords["client_encoding"] = "UTF8"
        if host?.contains(",") == true, keywords["target_session_attrs"] == nil {
            // Of several hosts the one that takes writes: after a failover another one than before.
            keywords["target_session_attrs"] = "read-write"
        }
        keywords["application_name"] = applicationName
        keywords["keepalives_idle"] = keywords["keepalives_idle"] ?? "10"
        keywords["tcp_user_timeout"] = keywords["tcp_user_timeout"] ?? "10000"
        return keywords
    }
}

extension PostgresConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Database, host and user; never the password.
    public var description: String {
        let user = user.map { "\($0)@" } ?? ""
        let port = keywords["port"].map { ":\($0)" } ?? ""
        return "\(user)\(host ?? "localhost")\(port)/\(database ?? "")"
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// Reflection would find the password too.
    public var customMirror: Mirror { Mirror(self, children: ["address": description]) }
}

extension Duration {
    /// Milliseconds, rounded down, at least 0.
    var wholeMilliseconds: Int64 {
        max(0, components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)
    }

    /// Nanoseconds, at least 0.
    var wholeNanoseconds: UInt64 {
        UInt64(max(0, components.seconds)) &* 1_000_000_000 &+ UInt64(max(0, components.attoseconds) / 1_000_000_000)
    }
}
