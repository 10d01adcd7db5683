/// `admin.figures`: how the node that answers is doing, computed at most once a second.
public enum AdminFiguresGet: RPCMethod {
    public static let name = "admin.figures"
    public static let access = MethodAccess.roles([.admin])
    public typealias Params = Empty
    public typealias Result = AdminFigures
}

/// How one node is doing.
public struct AdminFigures: Codable, Sendable {
    /// Its name.
    public var node: String
    /// All that serve the campus, it among them.
    public var nodes: [String]
    /// The server's version.
    public var version: String
    /// When this was computed.
    public var at: Timestamp
    /// Seconds since it started.
    public var uptime: Double
    /// Open WebSockets.
    public var connections: Int
    /// Accounts with one or more of them.
    public var accounts: Int
    /// Sessions that run or are paused, on any node.
    public var tracking: Int
    /// Requests it answered, over the last minute.
    public var requestsPerSecond: Double
    /// WebSocket messages that came.
    public var messagesInPerSecond: Double
    /// WebSocket messages that left, both lanes.
    public var messagesOutPerSecond: Double
    /// What waits to be taken by clients.
    public var sendQueueBytes: Int64
    /// How late its loops are.
    public var lag: Lag
    /// The way to PostgreSQL.
    public var database: Database
    /// Resident bytes.
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

    /// How late loops are, in milliseconds, over the last minute.
    public struct Lag: Codable, Sendable, Equatable {
        /// Half of the looks were no later.
        public var p50: Double
        /// 99 of 100 were no later.
        public var p99: Double
        public init(p50: Double, p99: Double) {
            self.p50 = p50
            self.p99 = p99
        }
    }
    /// The way to PostgreSQL.
    public struct Database: Codable, Sendable, Equatable {
        /// Milliseconds of a round trip: half took no longer, over the last minute.
        public var p50: Double
        /// 99 of 100 took no longer.
        public var p99: Double
        /// Open ones.
        public var connections: Int
        /// Those that do nothing now.
        public var idle: Int
        /// Statements that wait for one.
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

/// What somebody did as an admin. Names are as they were then.
public struct AuditEntry: Codable, Sendable {
    /// Its number; grows.
    public var id: Int64
    /// When.
    public var at: Timestamp
    /// Whose account; nil for the operator.
    public var actor: Int64?
    /// Its username then.
    public var actorName: String
    /// Such as `user.disable`.
    public var action: String
    /// What it was done to.
    public var subject: Subject?
    /// What changed.
    public var details: [Detail]
    /// Where the request came from.
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

    /// What something was done to.
    public struct Subject: Codable, Sendable, Equatable {
        /// `user`, `place`, `zone`, `report`, `event`, `notice`.
        public var kind: String
        /// Its number.
        public var id: Int64?
        /// What it was called then.
        public var name: String
        public init(kind: String, id: Int64? = nil, name: String) {
            self.kind = kind
            self.id = id
            self.name = name
        }
    }
    /// One fact.
    public struct Detail: Codable, Sendable, Equatable {
        /// What.
        public var name: String
        /// At most 500 characters.
        public var value: String
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }
}

/// `admin.audit`: what admins did, newest first.
public enum AdminAudit: RPCMethod {
    public static let name = "admin.audit"
    public static let access = MethodAccess.roles([.admin])
    /// Which.
    public struct Params: Codable, Sendable {
        /// Only what this account did, or was done to it.
        @ObjectID public var account: Int64?
        /// Only this action, or with a dot at the end all that begin so: `user.`.
        public var action: String?
        /// Only below this number: the last reply's `next`.
        @ObjectID public var before: Int64?
        /// 1 to 100; 50 unless given.
        @Count public var limit: Int?
        public init(account: Int64? = nil, action: String? = nil, before: Int64? = nil, limit: Int? = nil) {
            self.account = account
            self.action = action
            self.before = before
            self.limit = limit
        }
    }
    /// A page.
    public struct Result: Codable, Sendable {
        /// Newest first.
        public var entries: [AuditEntry]
        /// Give it as `before` for the next page; nil when there is none.
        public var next: Int64?
        public init(entries: [AuditEntry], next: Int64? = nil) {
            self.entries = entries
            self.next = next
        }
    }
}
