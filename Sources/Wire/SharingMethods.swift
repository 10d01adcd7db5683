/// `tracking.audience`.
public enum TrackingAudience: RPCMethod {
    public static let name = "tracking.audience"
    public static let access = MethodAccess.accounts
    /// Who may see the session from now on.
    public struct Params: Codable, Sendable {
        /// The session's number.
        @ObjectID public var session: Int64
        /// Who may see it.
        public var audience: Audience
        public init(session: Int64, audience: Audience) {
            self.session = session
            self.audience = audience
        }
    }
    public typealias Result = SessionReply
}

/// `tracking.link`: a link that works without an account.
public enum TrackingLink: RPCMethod {
    public static let name = "tracking.link"
    public static let access = MethodAccess.accounts
    /// Which session, and how long.
    public struct Params: Codable, Sendable {
        /// The session's number.
        @ObjectID public var session: Int64
        /// Seconds, 60-2,592,000; 86,400 when missing.
        @Seconds public var expiresIn: Double?
        public init(session: Int64, expiresIn: Double? = nil) {
            self.session = session
            self.expiresIn = expiresIn
        }
    }
    /// The link.
    public struct Link: Codable, Sendable {
        /// Its number, for `tracking.unlink`.
        public var id: Int64
        /// Shown once; the server keeps its hash only.
        public var token: String
        /// The page that opens it, such as `/s/TOKEN`.
        public var path: String
        /// When it ends.
        public var expiresAt: Timestamp
        public init(id: Int64, token: String, path: String, expiresAt: Timestamp) {
            self.id = id
            self.token = token
            self.path = path
            self.expiresAt = expiresAt
        }
    }
    /// The link.
    public struct Result: Codable, Sendable {
        /// The link.
        public var link: Link
        public init(link: Link) { self.link = link }
    }
}

/// `tracking.links`: the links that still work.
public enum TrackingLinks: RPCMethod {
    public static let name = "tracking.links"
    public static let access = MethodAccess.accounts
    /// Which session.
    public struct Params: Codable, Sendable {
        /// The session's number.
        @ObjectID public var session: Int64
        public init(session: Int64) { self.session = session }
    }
    /// One link, without its token.
    public struct Link: Codable, Sendable {
        /// Its number.
        public var id: Int64
        /// When it was made.
        public var createdAt: Timestamp
        /// When it ends.
        public var expiresAt: Timestamp
        public init(id: Int64, createdAt: Timestamp, expiresAt: Timestamp) {
            self.id = id
            self.createdAt = createdAt
            self.expiresAt = expiresAt
        }
    }
    /// All of them.
    public struct Result: Codable, Sendable {
        /// Latest first.
        public var links: [Link]
        public init(links: [Link]) { self.links = links }
    }
}

/// `tracking.unlink`: revokes a link and cuts whoever watches by it.
public enum TrackingUnlink: RPCMethod {
    public static let name = "tracking.unlink"
    public static let access = MethodAccess.accounts
    /// Which link.
    public struct Params: Codable, Sendable {
        /// The session's number.
        @ObjectID public var session: Int64
        /// The link's number.
        @ObjectID public var link: Int64
        public init(session: Int64, link: Int64) {
            self.session = session
            self.link = link
        }
    }
    public typealias Result = Revoked
}
