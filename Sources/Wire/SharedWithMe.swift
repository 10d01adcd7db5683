// Shares with the caller, and invitations from strangers.

public enum SharingWithMe: RPCMethod {
    public static let name = "sharing.withMe"
    public static let summary = "Lists the shares of other people with the caller."
    public static let access = MethodAccess.accounts
    public static let limits: [MethodLimit] = [.each(.list)]
    public struct Params: Codable, Sendable {
        /// True includes shares with everybody on campus. Their locations on the map come through `people/…`.
        public var campus: Bool?
        public init(campus: Bool? = nil) { self.campus = campus }
    }
    public struct Result: Codable, Sendable {
        /// Active shares, ordered by name; at most 200 for each audience.
        public var shares: [SharedWithMe]
        /// True if there are further shares with everybody on campus.
        public var more: Bool
        /// Shares of strangers that wait for ``SharingRespond``, latest first; at most 200. The caller cannot open them before accepting.
        public var invitations: [SharedWithMe]?
        public init(shares: [SharedWithMe], more: Bool, invitations: [SharedWithMe] = []) {
            self.shares = shares
            self.more = more
            self.invitations = invitations
        }
    }
}

public enum SharingRespond: RPCMethod {
    public static let name = "sharing.respond"
    public static let summary = """
        Accepts or declines a stranger's share. The owner learns neither the answer nor whether the caller saw the \
        invitation.
        """
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.notFound]
    public struct Params: Codable, Sendable {
        /// Number of the share.
        @ObjectID public var share: Int64
        /// True accepts, false declines.
        public var accept: Bool
        public init(share: Int64, accept: Bool) {
            self.share = share
            self.accept = accept
        }
    }
    public struct Result: Codable, Sendable {
        /// The accepted share as `sharing.withMe` lists it; nil for a declined one.
        public var share: SharedWithMe?
        public init(share: SharedWithMe? = nil) { self.share = share }
    }
}

extension APIRegistry {
    static let sharedWithMe: [any RPCMethod.Type] = [SharingWithMe.self, SharingRespond.self]
}
