import CLibpq

/// Address and credentials of a database, and the limits of its connections.
///
/// `description` never contains the password.
public struct PostgresConfiguration: Sendable {
    /// libpq's connection keywords (PostgreSQL manual §34.1.2), parsed once.
    private(set) var keywords: [String: String]

    /// Maximum time to establish a connection.
    public var connectTimeout: Duration = .seconds(10)
    /// Maximum time from sending a statement to its result. The connection is closed after that.
    public var queryTimeout: Duration = .seconds(10)
    /// Maximum time that a statement waits for a connection.
    public var acquireTimeout: Duration = .seconds(2)
    /// Number of connections in a pool.
    public var connectionsMax = 4
    /// Maximum of statements and transactions that wait for a connection of a pool.
    public var waitingQueriesMax = 4096
    /// Maximum of statements in flight on one connection of a pool.
    public var pipelinedQueriesMax = 8
    /// Prepared statements kept per connection. The least recently used one is evicted.
    public var preparedStatementsMax = 256
    /// Time that the first write of a group waits for further writes.
    public var groupWindow: Duration = .milliseconds(2)
    /// Maximum of writes in one transaction of a ``GroupWriter``.
    public var groupWritesMax = 256
    /// Maximum of queued writes in a ``GroupWriter``.
    public var waitingWritesMax = 8192

    /// The connection string is malformed. The error does not quote it, because it may hold a password.
    public struct Invalid: Error, CustomStringConvertible {
        public var description: String {
            "the database address is not a PostgreSQL connection string: write postgresql://user@host:5432/database"
        }
    }

    /// - Parameter connectionString: A URL or `keyword=value` pairs in libpq's syntax (PostgreSQL manual §34.1.1).
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

    /// Configures a database behind a Unix socket.
    /// - Parameters:
    ///   - socketDirectory: The directory that holds `.s.PGSQL.5432`.
    ///   - user: The role.
    ///   - database: The database's name.
    ///   - password: The role's password; nil if PostgreSQL requires none.
    public init(socketDirectory: String, user: String, database: String, password: String? = nil) {
        keywords = ["host": socketDirectory, "port": "5432", "user": user, "dbname": database]
        keywords["password"] = password
    }

    /// The role that connects, or nil for libpq's default.
    public var user: String? {
        get { keywords["user"] }
        set { keywords["user"] = newValue }
    }

    /// The database's name, or nil for libpq's default.
    public var database: String? {
        get { keywords["dbname"] }
        set { keywords["dbname"] = newValue }
    }

    /// The host's name, its address or the socket's directory; nil for libpq's default.
    public var host: String? { keywords["host"] ?? keywords["hostaddr"] }

    /// The application's name in `pg_stat_activity`.
    public var applicationName: String {
        get { keywords["application_name"] ?? "campanile" }
        set { keywords["application_name"] = newValue }
    }

    /// Keywords for libpq: the configured ones, the session's settings, and TCP limits that detect a dead peer.
    var connectionKeywords: [String: String] {
        var keywords = keywords
        let milliseconds = (queryTimeout + .seconds(1)).wholeMilliseconds
        // PostgreSQL cancels a statement one second after the caller's timeout. The timestamp parser needs UTC and ISO.
        let settings =
            "-c TimeZone=UTC -c DateStyle=ISO -c bytea_output=hex -c extra_float_digits=1 "
            + "-c statement_timeout=\(milliseconds)"
        keywords["options"] = [keywords["options"], settings].compactMap { $0 }.joined(separator: " ")
        keywords["client_encoding"] = "UTF8"
        if host?.contains(",") == true, keywords["target_session_attrs"] == nil {
            // Choose the host that accepts writes, which changes with a failover.
            keywords["target_session_attrs"] = "read-write"
        }
        keywords["application_name"] = applicationName
        keywords["keepalives_idle"] = keywords["keepalives_idle"] ?? "10"
        keywords["tcp_user_timeout"] = keywords["tcp_user_timeout"] ?? "10000"
        return keywords
    }
}

extension PostgresConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// User, host, port and database; never the password.
    public var description: String {
        let user = user.map { "\($0)@" } ?? ""
        let port = keywords["port"].map { ":\($0)" } ?? ""
        return "\(user)\(host ?? "localhost")\(port)/\(database ?? "")"
    }

    public var debugDescription: String { description }

    /// A mirror without the password, which default reflection would expose.
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
