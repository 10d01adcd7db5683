// What is shared with the caller, and invitations of strangers.

/// `sharing.withMe`: what others share with the caller, or with everybody on campus.
public enum SharingWithMe: RPCMethod {
    public static let name = "sharing.withMe"
    public static let access = MethodAccess.accounts
    /// Which.
    public struct Params: Codable, Sendable {
        /// Those who share with everybody, too. Their places on the map come by `people/…`.
        public var campus: Bool?
        public init(campus: Bool? = nil) { self.campus = campus }
    }
    /// Those that work.
    public struct Result: Codable, Sendable {
        /// By name; at most 200 of each audience.
        public var shares: [SharedWithMe]
        /// There are more that share with everybody.
        public var more: Bool
        /// Shares of strangers that wait for ``SharingRespond``, latest first; at most 200. They cannot be opened before that.
        public var invitations: [SharedWithMe]?
        public init(shares: [SharedWithMe], more: Bool, invitations: [SharedWithMe] = []) {
            self.shares = shares
            self.more = more
            self.invitations = invitations
        }
    }
}

/// `sharing.respond`: accepts or declines what a stranger shares. Its owner learns neither, nor whether the invitation was seen.
public enum SharingRespond: RPCMethod {
    public static let name = "sharing.respond"
    public static let access = MethodAccess.accounts
    /// The answer.
    public struct Params: Codable, Sendable {
        /// The share's number.
        @ObjectID public var share: Int64
        /// True accepts.
        public var accept: Bool
        public init(share: Int64, accept: Bool) {
            self.share = share
            self.accept = accept
        }
    }
    /// The share.
    public struct Result: Codable, Sendable {
        /// As `sharing.withMe` lists it from now on; nil when it was declined.
        public var share: SharedWithMe?
        public init(share: SharedWithMe? = nil) { self.share = share }
    }
}
