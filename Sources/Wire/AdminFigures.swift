public enum AdminFiguresGet: RPCMethod {
    public static let name = "admin.figures"
    public static let summary = """
        Returns measurements of the node that answers. The node computes them at most once a second.
        """
    public static let access = MethodAccess.roles([.admin])
    public typealias Params = Empty
    public typealias Result = AdminFigures
}

/// Measurements of one node.
public struct AdminFigures: Codable, Sendable {
    /// Name of the node.
    public var node: String
    /// Names of all nodes that serve the campus, including this one.
    public var nodes: [String]
    public var version: String
    /// Time at which the node computed these figures.
    public var at: Timestamp
    /// Seconds since the process started.
    public var uptime: Double
    /// Number of open WebSocket connections.
    public var connections: Int
    /// Number of accounts with at least one open connection.
    public var accounts: Int
    /// Number of running or paused tracking sessions on all nodes.
    public var tracking: Int
    /// Requests answered per second, averaged over the last minute.
    public var requestsPerSecond: Double
    /// WebSocket messages received per second.
    public var messagesInPerSecond: Double
    /// WebSocket messages sent per second, on both lanes.
    public var messagesOutPerSecond: Double
    /// Bytes queued for clients that have not read them yet.
    public var sendQueueBytes: Int64
    /// Delay of the node's event loops.
    public var lag: Lag
    /// State of the node's PostgreSQL connections.
    public var database: Database
    /// Resident memory in bytes.
    public var memory: Int64
    public init(
        node: String, nodes: [String], version: String, at: Timestamp, uptime: Double, connections: Int, accounts: Int,
        tracking: Int, requestsPerSecond: Double, messagesInPerSecond: Double, messagesOutPerSecond: Double,
        sendQueueBytes: Int64, lag: Lag, database: Database, memory: Int64
    ) {
        self.node = node
        self.nodes = nodes
        self.version = version
        self.at = at
        self.uptime = uptime
        self.connections = connections
        self.accounts = accounts
        self.tracking = tracking
        self.requestsPerSecond = requestsPerSecond
        self.messagesInPerSecond = messagesInPerSecond
        self.messagesOutPerSecond = messagesOutPerSecond
        self.sendQueueBytes = sendQueueBytes
        self.lag = lag
        self.database = database
        self.memory = memory
    }

    /// Delay of event-loop probes in milliseconds, over the last minute.
    public struct Lag: Codable, Sendable, Equatable {
        /// Median.
        public var p50: Double
        /// 99th percentile.
        public var p99: Double
        public init(p50: Double, p99: Double) {
            self.p50 = p50
            self.p99 = p99
        }
    }
    /// Round trips to PostgreSQL and the state of the connection pool.
    public struct Database: Codable, Sendable, Equatable {
        /// Median round trip in milliseconds, over the last minute.
        public var p50: Double
        /// 99th percentile of the round trips in milliseconds, over the last minute.
        public var p99: Double
        /// Number of open connections.
        public var connections: Int
        /// Number of open connections that run no statement.
        public var idle: Int
        /// Number of statements that wait for a connection.
        public var waiting: Int
        public init(p50: Double, p99: Double, connections: Int, idle: Int, waiting: Int) {
            self.p50 = p50
            self.p99 = p99
            self.connections = connections
            self.idle = idle
            self.waiting = waiting
        }
    }
}

/// Entry of the audit log: one action of an admin. Names are those at the time of the action.
public struct AuditEntry: Codable, Sendable {
    /// Sequence number; later entries have larger numbers.
    public var id: Int64
    public var at: Timestamp
    /// Account that acted; nil for the operator.
    public var actor: Int64?
    /// Username of the account at that time.
    public var actorName: String
    public var action: String
    /// Object of the action.
    public var subject: Subject?
    /// Members that the action changed.
    public var details: [Detail]
    /// Network address of the request.
    public var address: String?
    public init(
        id: Int64, at: Timestamp, actor: Int64? = nil, actorName: String, action: String, subject: Subject? = nil,
        details: [Detail], address: String? = nil
    ) {
        self.id = id
        self.at = at
        self.actor = actor
        self.actorName = actorName
        self.action = action
        self.subject = subject
        self.details = details
        self.address = address
    }

    /// Object of an admin's action.
    public struct Subject: Codable, Sendable, Equatable {
        /// One of `user`, `place`, `zone`, `closure`, `report`, `event` and `notice`.
        public var kind: String
        public var id: Int64?
        /// Name of the object at that time.
        public var name: String
        public init(kind: String, id: Int64? = nil, name: String) {
            self.kind = kind
            self.id = id
            self.name = name
        }
    }
    /// One changed member.
    public struct Detail: Codable, Sendable, Equatable {
        public var name: String
        /// At most 500 characters.
        public var value: String
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }
}

public enum AdminAudit: RPCMethod {
    public static let name = "admin.audit"
    public static let summary = "Lists the audit log, newest first."
    public static let access = MethodAccess.roles([.admin])
    public struct Params: Codable, Sendable {
        /// Restricts the list to actions by this account or on it.
        @ObjectID public var account: Int64?
        /// Restricts the list to this action. A value that ends in a dot, such as `user.`, matches every action with that prefix.
        public var action: String?
        /// Restricts the list to entries below this number: `next` of the previous reply.
        @ObjectID public var before: Int64?
        /// 1 to 100; default 50.
        @Count public var limit: Int?
        public init(account: Int64? = nil, action: String? = nil, before: Int64? = nil, limit: Int? = nil) {
            self.account = account
            self.action = action
            self.before = before
            self.limit = limit
        }
    }
    public struct Result: Codable, Sendable {
        /// Newest first.
        public var entries: [AuditEntry]
        /// Value of `before` for the next page; nil on the last page.
        public var next: Int64?
        public init(entries: [AuditEntry], next: Int64? = nil) {
            self.entries = entries
            self.next = next
        }
    }
}

extension APIRegistry {
    static let adminFigures: [any RPCMethod.Type] = [AdminFiguresGet.self, AdminAudit.self]
}
