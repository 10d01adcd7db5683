// Shares of a live location: to whom, how exactly, until when (N-2, B-4, B-5).

/// With whom a location is shared.
public enum ShareAudience: String, WireChoice {
    /// One account.
    case person
    /// Those who are in a group's conversation, as long as they are.
    case group
    /// Whoever is signed in.
    case campus
    /// Whoever has the link.
    case link
}

/// Why a share is over.
public enum ShareEnd: String, WireChoice {
    /// Its owner stopped it.
    case stopped
    /// Its time was over.
    case expired
    /// The tracking session that it was tied to ended.
    case session
    /// Its owner blocked the other. The other's block ends nothing for the owner, as that would tell of it; nobody watches any more.
    case blocked
    /// The group is no more, or its owner left it.
    case group
    /// Its owner's account was disabled.
    case disabled
    /// The two are no buddies any more.
    case buddies
}

/// A share as its owner sees it.
public struct Share: Codable, Sendable, Equatable {
    /// Its number, for `share/<id>`.
    public var id: Int64
    /// With whom.
    public var audience: ShareAudience
    /// Of a `person`.
    public var person: SharingPerson?
    /// Of a `person`: a stranger, who sees it after accepting it. Whether they did is not told.
    public var invited: Bool?
    /// Of a `group`: its conversation.
    public var group: Int64?
    /// Of a `group`: its name.
    public var groupName: String?
    /// How exactly.
    public var precision: Precision
    /// The tracking session it ends with, if any.
    public var session: Int64?
    /// When it began.
    public var startedAt: Timestamp
    /// When it ends at the latest.
    public var expiresAt: Timestamp
    /// When it ended; nil while it works.
    public var endedAt: Timestamp?
    /// Why it ended.
    public var end: ShareEnd?
    /// Buddies, guests of the link and, of a `group`, its members who have it open now, on all nodes. Other accounts are not counted: the
    /// owner would learn when a stranger is there.
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

/// A share as those see it with whom it is shared.
public struct SharedWithMe: Codable, Sendable, Equatable {
    /// Its number, for `share/<id>`.
    public var id: Int64
    /// Whose; a link tells the username only, and 0 for the account.
    public var person: SharingPerson
    /// With whom else.
    public var audience: ShareAudience
    /// Of a `group`: its conversation.
    public var group: Int64?
    /// How exactly.
    public var precision: Precision
    /// When it began.
    public var startedAt: Timestamp
    /// When it ends at the latest.
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

/// `sharing.start`: shares where the caller is.
public enum SharingStart: RPCMethod {
    public static let name = "sharing.start"
    public static let access = MethodAccess.accounts
    /// To whom, and how.
    public struct Params: Codable, Sendable {
        /// A UUID of the client's: sent again, it is the same share; of a link without the token, which is told once.
        public var clientId: String
        /// With whom.
        public var audience: ShareAudience
        /// Of a `person`: their username, upper and lower case alike.
        public var username: String?
        /// Of a `person`, in place of the username: the account of a buddy.
        @ObjectID public var account: Int64?
        /// Of a `group`: its conversation, of which the caller is a member.
        @ObjectID public var group: Int64?
        /// How exactly.
        public var precision: Precision
        /// Seconds, 60 to 86,400. Never without end.
        @Seconds public var expiresIn: Double
        /// A running tracking session of the caller's that it ends with, at the latest.
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
    /// The share.
    public struct Result: Codable, Sendable {
        /// The share.
        public var share: Share
        /// Of a `link`: the page that opens it, such as `/l/TOKEN`. Shown once; the server keeps the token's hash only.
        public var path: String?
        /// Of a `link`: what `subscribe` takes as `share`. Shown once.
        public var token: String?
        public init(share: Share, path: String? = nil, token: String? = nil) {
            self.share = share
            self.path = path
            self.token = token
        }
    }
}

/// A share by its number.
public struct ShareParams: Codable, Sendable {
    /// Its number.
    @ObjectID public var share: Int64
    public init(share: Int64) { self.share = share }
}

/// `sharing.change`: another precision, or another end.
public enum SharingChange: RPCMethod {
    public static let name = "sharing.change"
    public static let access = MethodAccess.accounts
    /// What is to be different.
    public struct Params: Codable, Sendable {
        /// Its number.
        @ObjectID public var share: Int64
        /// How exactly from now on.
        public var precision: Precision?
        /// Seconds from now, 60 to 86,400.
        @Seconds public var expiresIn: Double?
        public init(share: Int64, precision: Precision? = nil, expiresIn: Double? = nil) {
            self.share = share
            self.precision = precision
            self.expiresIn = expiresIn
        }
    }
    public typealias Result = SharingReply
}

/// A share.
public struct SharingReply: Codable, Sendable {
    /// As it is now.
    public var share: Share
    public init(share: Share) { self.share = share }
}

/// `sharing.stop`: ends a share. When this is answered nothing more of it is sent to anybody by this node, nor by another that answers.
public enum SharingStop: RPCMethod {
    public static let name = "sharing.stop"
    public static let access = MethodAccess.accounts
    public typealias Params = ShareParams
    public typealias Result = SharingReceipt
}

/// `sharing.stopAll`: ends all shares of the caller, and forgets where they are, but for a pin.
public enum SharingStopAll: RPCMethod {
    public static let name = "sharing.stopAll"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    /// How many.
    public struct Result: Codable, Sendable {
        /// Those that were ended.
        public var stopped: [Int64]
        public init(stopped: [Int64]) { self.stopped = stopped }
    }
}

/// `sharing.mine`: the caller's shares that work, latest first.
public enum SharingMine: RPCMethod {
    public static let name = "sharing.mine"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    /// Those that work.
    public struct Result: Codable, Sendable {
        /// Latest first.
        public var shares: [Share]
        public init(shares: [Share]) { self.shares = shares }
    }
}

/// Who had a share open with one precision, and when: all guests with the link together. Of members of its group and of strangers the times are
/// the share's own: the owner could learn from others when somebody is there. Strangers are listed once the share is over, of a `campus` one never.
public struct ShareWatch: Codable, Sendable, Equatable {
    /// Who; nil for somebody with the link and without an account.
    public var person: SharingPerson?
    /// Since when it was sent to them first.
    public var from: Timestamp
    /// Since when the last time that was written down.
    public var last: Timestamp
    /// Until when; nil while it goes on, and, `atLatest`, while it may.
    public var to: Timestamp?
    /// How long they looked is not known, as it came with the map of everybody, or was opened too often: `to` is when at the latest.
    public var atLatest: Bool
    /// How exactly.
    public var precision: Precision
    /// How often it was opened, or got with the map.
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

/// What a share's owner keeps of it: who watched, when, how exactly (B-5).
public struct SharingReceipt: Codable, Sendable, Equatable {
    /// The share.
    public var share: Share
    /// Latest first; at most 1,000.
    public var watches: [ShareWatch]
    /// Accounts that had it open, and openings by link without an account, counted beyond those listed too; strangers who saw a `campus` one by
    /// fives, when it is over and lasted an hour.
    public var watchers: Int
    public init(share: Share, watches: [ShareWatch], watchers: Int) {
        self.share = share
        self.watches = watches
        self.watchers = watchers
    }
}

/// `sharing.receipt`: who watched a share, also while it works.
public enum SharingReceiptGet: RPCMethod {
    public static let name = "sharing.receipt"
    public static let access = MethodAccess.accounts
    public typealias Params = ShareParams
    public typealias Result = SharingReceipt
}

/// `sharing.past`: the caller's shares that are over, latest first. They are kept for 30 days.
public enum SharingPast: RPCMethod {
    public static let name = "sharing.past"
    public static let access = MethodAccess.accounts
    /// Which page.
    public struct Params: Codable, Sendable {
        /// The last reply's `next`.
        @ObjectID public var before: Int64?
        public init(before: Int64? = nil) { self.before = before }
    }
    /// A page of 50.
    public struct Result: Codable, Sendable {
        /// Latest first.
        public var shares: [Share]
        /// For the page behind; nil when this is the last.
        public var next: Int64?
        public init(shares: [Share], next: Int64? = nil) {
            self.shares = shares
            self.next = next
        }
    }
}

/// `sharing.erasePast`: forgets the shares that are over, with who watched them.
public enum SharingErasePast: RPCMethod {
    public static let name = "sharing.erasePast"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public typealias Result = Erased
}

/// How many were erased.
public struct Erased: Codable, Sendable {
    /// How many.
    public var erased: Int
    public init(erased: Int) { self.erased = erased }
}
