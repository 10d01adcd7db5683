public enum TrackingAudience: RPCMethod {
    public static let name = "tracking.audience"
    public static let summary = "Changes the audience of a session."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.forbidden, .notFound]
    public struct Params: Codable, Sendable {
        @ObjectID public var session: Int64
        public var audience: Audience
        public init(session: Int64, audience: Audience) {
            self.session = session
            self.audience = audience
        }
    }
    public typealias Result = SessionReply
}

public enum TrackingLink: RPCMethod {
    public static let name = "tracking.link"
    public static let summary = "Creates a link that opens a session without an account."
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public struct Params: Codable, Sendable {
        @ObjectID public var session: Int64
        /// Lifetime of the link in seconds, 60 to 2,592,000; default 86,400.
        @Seconds public var expiresIn: Double?
        public init(session: Int64, expiresIn: Double? = nil) {
            self.session = session
            self.expiresIn = expiresIn
        }
    }
    public struct Link: Codable, Sendable {
        /// Number of the link, for `tracking.unlink`.
        public var id: Int64
        /// Sent only here; the server stores its hash.
        public var token: String
        /// Path of the page that opens the link, such as `/s/TOKEN`.
        public var path: String
        public var expiresAt: Timestamp
        public init(id: Int64, token: String, path: String, expiresAt: Timestamp) {
            self.id = id
            self.token = token
            self.path = path
            self.expiresAt = expiresAt
        }
    }
    public struct Result: Codable, Sendable {
        public var link: Link
        public init(link: Link) { self.link = link }
    }
}

public enum TrackingLinks: RPCMethod {
    public static let name = "tracking.links"
    public static let summary = "Lists the valid links of a session."
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.notFound]
    public struct Params: Codable, Sendable {
        @ObjectID public var session: Int64
        public init(session: Int64) { self.session = session }
    }
    /// A link without its token.
    public struct Link: Codable, Sendable {
        public var id: Int64
        public var createdAt: Timestamp
        public var expiresAt: Timestamp
        public init(id: Int64, createdAt: Timestamp, expiresAt: Timestamp) {
            self.id = id
            self.createdAt = createdAt
            self.expiresAt = expiresAt
        }
    }
    public struct Result: Codable, Sendable {
        /// Latest first.
        public var links: [Link]
        public init(links: [Link]) { self.links = links }
    }
}

public enum TrackingUnlink: RPCMethod {
    public static let name = "tracking.unlink"
    public static let summary = "Revokes a link and closes the subscriptions that use it."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.notFound]
    public struct Params: Codable, Sendable {
        @ObjectID public var session: Int64
        /// Number of the link.
        @ObjectID public var link: Int64
        public init(session: Int64, link: Int64) {
            self.session = session
            self.link = link
        }
    }
    public typealias Result = Revoked
}

extension APIRegistry {
    static let sessionSharing: [any RPCMethod.Type] = [
        TrackingAudience.self, TrackingLink.self, TrackingLinks.self, TrackingUnlink.self,
    ]
}
