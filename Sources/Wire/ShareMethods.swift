// Shares of a live location (N-2, B-4, B-5).

/// Audience of a share.
public enum ShareAudience: String, WireChoice {
    /// One account.
    case person
    /// The present members of a group's conversation.
    case group
    /// Everybody who is signed in.
    case campus
    /// Everybody who has the link.
    case link
}

/// Reason why a share ended.
public enum ShareEnd: String, WireChoice {
    /// Its owner stopped it.
    case stopped
    /// It expired.
    case expired
    /// The tracking session that it was tied to ended.
    case session
    /// Its owner blocked the other person. If the other person blocks the owner, the share continues for the owner without viewers, so that
    /// it does not reveal the block.
    case blocked
    /// The group no longer exists, or the owner left it.
    case group
    /// The account of its owner was disabled.
    case disabled
    /// The two people are no longer buddies.
    case buddies
}

/// A share as its owner sees it.
public struct Share: Codable, Sendable, Equatable {
    /// Number of the share, part of its topic `share/<id>`.
    public var id: Int64
    public var audience: ShareAudience
    /// Recipient of a `person` share.
    public var person: SharingPerson?
    /// True for a `person` share with a stranger, who must accept it before viewing. The owner does not learn whether the stranger
    /// accepted.
    public var invited: Bool?
    /// Conversation of a `group` share.
    public var group: Int64?
    /// Name of the group of a `group` share.
    public var groupName: String?
    public var precision: Precision
    /// Tracking session that ends the share, if any.
    public var session: Int64?
    public var startedAt: Timestamp
    /// Latest end of the share.
    public var expiresAt: Timestamp
    /// Time of the end; nil while the share is active.
    public var endedAt: Timestamp?
    /// Reason of the end.
    public var end: ShareEnd?
    /// Number of present watchers on all nodes: buddies, guests with the link, and members of the group of a `group` share. Other accounts
    /// are not counted, because the count would reveal the presence of a stranger.
    public var watching: Int
    public init(
        id: Int64, audience: ShareAudience, person: SharingPerson? = nil, group: Int64? = nil, groupName: String? = nil,
        precision: Precision, session: Int64? = nil, startedAt: Timestamp, expiresAt: Timestamp,
        endedAt: Timestamp? = nil, end: ShareEnd? = nil, watching: Int = 0, invited: Bool? = nil
    ) {
        self.id = id
        self.audience = audience
        self.person = person
        self.group = group
        self.groupName = groupName
        self.precision = precision
        self.session = session
        self.startedAt = startedAt
        self.expiresAt = expiresAt
        self.endedAt = endedAt
        self.end = end
        self.watching = watching
        self.invited = invited
    }
}

/// A share as its recipients see it.
public struct SharedWithMe: Codable, Sendable, Equatable {
    /// Number of the share, part of its topic `share/<id>`.
    public var id: Int64
    /// Owner of the share. For a link it contains only the username, and 0 as the account.
    public var person: SharingPerson
    public var audience: ShareAudience
    /// Conversation of a `group` share.
    public var group: Int64?
    public var precision: Precision
    public var startedAt: Timestamp
    /// Latest end of the share.
    public var expiresAt: Timestamp
    public init(
        id: Int64, person: SharingPerson, audience: ShareAudience, group: Int64? = nil, precision: Precision,
        startedAt: Timestamp, expiresAt: Timestamp
    ) {
        self.id = id
        self.person = person
        self.audience = audience
        self.group = group
        self.precision = precision
        self.startedAt = startedAt
        self.expiresAt = expiresAt
    }
}

public enum SharingStart: RPCMethod {
    public static let name = "sharing.start"
    public static let summary = "Shares the caller's location."
    public static let access = MethodAccess.accounts
    public static let limits: [MethodLimit] = [.each(.invite)]
    public static let errors: [ErrorCode] = [.forbidden, .notFound, .conflict]
    public struct Params: Codable, Sendable {
        /// UUID chosen by the client. A repeated request with the same UUID returns the same share. It does not return the token of a link
        /// again.
        public var clientId: String
        public var audience: ShareAudience
        /// Username of the recipient of a `person` share; upper and lower case are equal.
        public var username: String?
        /// Account of a buddy, instead of the username.
        @ObjectID public var account: Int64?
        /// Conversation of a `group` share. The caller is a member.
        @ObjectID public var group: Int64?
        public var precision: Precision
        /// Duration in seconds, 60 to 86,400. Every share expires.
        @Seconds public var expiresIn: Double
        /// A running tracking session of the caller. The share ends with it at the latest.
        @ObjectID public var session: Int64?
        public init(
            clientId: String, audience: ShareAudience, username: String? = nil, account: Int64? = nil,
            group: Int64? = nil, precision: Precision, expiresIn: Double, session: Int64? = nil
        ) {
            self.clientId = clientId
            self.audience = audience
            self.username = username
            self.account = account
            self.group = group
            self.precision = precision
            self.expiresIn = expiresIn
            self.session = session
        }
    }
    public struct Result: Codable, Sendable {
        public var share: Share
        /// Path of the page of a `link` share, such as `/l/TOKEN`. Sent only here; the server stores the token's hash.
        public var path: String?
        /// Token of a `link` share, the `share` parameter of `subscribe`. Sent only here.
        public var token: String?
        public init(share: Share, path: String? = nil, token: String? = nil) {
            self.share = share
            self.path = path
            self.token = token
        }
    }
}

/// Number of one share.
public struct ShareParams: Codable, Sendable {
    @ObjectID public var share: Int64
    public init(share: Int64) { self.share = share }
}

public enum SharingChange: RPCMethod {
    public static let name = "sharing.change"
    public static let summary = "Changes the precision or the expiry of a share."
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.notFound]
    public struct Params: Codable, Sendable {
        @ObjectID public var share: Int64
        /// New precision; nil keeps it.
        public var precision: Precision?
        /// Seconds from now, 60 to 86,400; nil keeps the expiry.
        @Seconds public var expiresIn: Double?
        public init(share: Int64, precision: Precision? = nil, expiresIn: Double? = nil) {
            self.share = share
            self.precision = precision
            self.expiresIn = expiresIn
        }
    }
    public typealias Result = SharingReply
}

/// Reply with one share.
public struct SharingReply: Codable, Sendable {
    public var share: Share
    public init(share: Share) { self.share = share }
}

public enum SharingStop: RPCMethod {
    public static let name = "sharing.stop"
    public static let summary = """
        Ends a share. After the reply, this node and all other reachable nodes send nothing more of it.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.notFound]
    public typealias Params = ShareParams
    public typealias Result = SharingReceipt
}

public enum SharingStopAll: RPCMethod {
    public static let name = "sharing.stopAll"
    public static let summary = "Ends all shares of the caller and erases the caller's location, except for a pin."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public typealias Params = Empty
    public struct Result: Codable, Sendable {
        /// Numbers of the shares that the request ended.
        public var stopped: [Int64]
        public init(stopped: [Int64]) { self.stopped = stopped }
    }
}

public enum SharingMine: RPCMethod {
    public static let name = "sharing.mine"
    public static let summary = "Lists the caller's active shares, latest first."
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public struct Result: Codable, Sendable {
        /// Latest first.
        public var shares: [Share]
        public init(shares: [Share]) { self.shares = shares }
    }
}

/// Entry of the access log of a share: one watcher at one precision. All guests with the link have a common entry. For members of the
/// group and for strangers, the times are those of the share itself, because the owner could otherwise learn when they are online.
/// Strangers are listed after the end of the share, and never for a `campus` share.
public struct ShareWatch: Codable, Sendable, Equatable {
    /// The watcher; nil for guests with the link.
    public var person: SharingPerson?
    /// First time at which the share was sent to the watcher.
    public var from: Timestamp
    /// Beginning of the latest recorded viewing.
    public var last: Timestamp
    /// End of the viewing; nil while it continues, or, with ``atLatest``, while it may continue.
    public var to: Timestamp?
    /// True if the duration is unknown, because the location came with the map of all people or the share was opened too often. ``to`` is
    /// then an upper bound.
    public var atLatest: Bool
    public var precision: Precision
    /// Number of openings of the share, or of deliveries with the map.
    public var times: Int
    public init(
        person: SharingPerson?, from: Timestamp, last: Timestamp, to: Timestamp?, atLatest: Bool, precision: Precision,
        times: Int
    ) {
        self.person = person
        self.from = from
        self.last = last
        self.to = to
        self.atLatest = atLatest
        self.precision = precision
        self.times = times
    }
}

/// Access log of a share for its owner (B-5).
public struct SharingReceipt: Codable, Sendable, Equatable {
    public var share: Share
    /// Latest first; at most 1,000.
    public var watches: [ShareWatch]
    /// Number of accounts that viewed the share plus openings by link without an account, including those not listed. Strangers who viewed
    /// a `campus` share are counted in multiples of five, after the end of a share of at least one hour.
    public var watchers: Int
    public init(share: Share, watches: [ShareWatch], watchers: Int) {
        self.share = share
        self.watches = watches
        self.watchers = watchers
    }
}

public enum SharingReceiptGet: RPCMethod {
    public static let name = "sharing.receipt"
    public static let summary = "Returns the access log of an active or past share."
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.notFound]
    public typealias Params = ShareParams
    public typealias Result = SharingReceipt
}

public enum SharingPast: RPCMethod {
    public static let name = "sharing.past"
    public static let summary = "Lists the caller's past shares, latest first. They are kept for 30 days."
    public static let access = MethodAccess.accounts
    public struct Params: Codable, Sendable {
        /// `next` of the previous reply.
        @ObjectID public var before: Int64?
        public init(before: Int64? = nil) { self.before = before }
    }
    /// A page of at most 50 shares.
    public struct Result: Codable, Sendable {
        /// Latest first.
        public var shares: [Share]
        /// Value of `before` for the next page; nil on the last page.
        public var next: Int64?
        public init(shares: [Share], next: Int64? = nil) {
            self.shares = shares
            self.next = next
        }
    }
}

public enum SharingErasePast: RPCMethod {
    public static let name = "sharing.erasePast"
    public static let summary = "Erases the caller's past shares with their access logs."
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public typealias Result = Erased
}

/// Number of erased items.
public struct Erased: Codable, Sendable {
    public var erased: Int
    public init(erased: Int) { self.erased = erased }
}

extension APIRegistry {
    static let shares: [any RPCMethod.Type] = [
        SharingStart.self, SharingChange.self, SharingStop.self, SharingStopAll.self, SharingMine.self,
        SharingReceiptGet.self, SharingPast.self, SharingErasePast.self,
    ]
}
