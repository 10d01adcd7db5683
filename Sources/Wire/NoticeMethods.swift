// What is done with notices.

/// A notice, by its number.
public struct NoticeParams: Codable, Sendable, Equatable {
    /// Its number.
    @ObjectID public var notice: Int64
    public init(notice: Int64) { self.notice = notice }
}

/// `notices.publish`: to a campus, a zone, a role, an event's people or one account, at once or later. Sent again with the same id it is
/// the same notice.
public enum NoticesPublish: RPCMethod {
    public static let name = "notices.publish"
    public static let access = MethodAccess.accounts
    /// A notice.
    public struct Params: Codable, Sendable {
        /// A UUID, such as one of `crypto.randomUUID()`.
        public var id: String
        /// To whom.
        public var audience: NoticeAudience
        /// 1 to 120 characters.
        public var title: String
        /// At most 4,000 characters.
        public var body: String?
        /// `info` unless given.
        public var level: NoticeLevel?
        /// At most a year ahead; at once unless given.
        public var publishAt: Timestamp?
        /// At most a year behind its publication; see the Protocol article for what holds unless given.
        public var expiresAt: Timestamp?

        public init(
            id: String, audience: NoticeAudience, title: String, body: String? = nil, level: NoticeLevel? = nil,
            publishAt: Timestamp? = nil, expiresAt: Timestamp? = nil
        ) {
            self.id = id
            self.audience = audience
            self.title = title
            self.body = body
            self.level = level
            self.publishAt = publishAt
            self.expiresAt = expiresAt
        }
    }
    public typealias Result = SentNotice
}

/// `notices.preview`: about how many accounts a notice would be for.
public enum NoticesPreview: RPCMethod {
    public static let name = "notices.preview"
    public static let access = MethodAccess.accounts
    /// Who is meant.
    public struct Params: Codable, Sendable {
        /// To whom.
        public var audience: NoticeAudience
        public init(audience: NoticeAudience) { self.audience = audience }
    }
    /// How many they are.
    public struct Result: Codable, Sendable, Equatable {
        /// Accounts, as ``SentNotice/recipients``.
        public var people: Int64
        public init(people: Int64) { self.people = people }
    }
}

/// `notices.correct`: says it anew to everybody who has it.
public enum NoticesCorrect: RPCMethod {
    public static let name = "notices.correct"
    public static let access = MethodAccess.accounts
    /// What it is to say.
    public struct Params: Codable, Sendable {
        /// Its number.
        @ObjectID public var notice: Int64
        /// The one that is corrected.
        @Revision public var revision: Int
        /// 1 to 120 characters.
        public var title: String
        /// At most 4,000 characters.
        public var body: String?
        /// As it was unless given.
        public var level: NoticeLevel?
        /// As it was unless given.
        public var expiresAt: Timestamp?

        public init(
            notice: Int64, revision: Int, title: String, body: String? = nil, level: NoticeLevel? = nil,
            expiresAt: Timestamp? = nil
        ) {
            self.notice = notice
            self.revision = revision
            self.title = title
            self.body = body
            self.level = level
            self.expiresAt = expiresAt
        }
    }
    public typealias Result = SentNotice
}

/// `notices.withdraw`: takes it back from everybody who has it. Harmless when repeated.
public enum NoticesWithdraw: RPCMethod {
    public static let name = "notices.withdraw"
    public static let access = MethodAccess.accounts
    public typealias Params = NoticeParams
    public typealias Result = SentNotice
}

/// `notices.status`: how many have it.
public enum NoticesStatus: RPCMethod {
    public static let name = "notices.status"
    public static let access = MethodAccess.accounts
    public typealias Params = NoticeParams
    public typealias Result = SentNotice
}

/// `notices.sent`: what the caller sent, and admins what anybody sent; newest first.
public enum NoticesSent: RPCMethod {
    public static let name = "notices.sent"
    public static let access = MethodAccess.accounts
    /// A page's place.
    public struct Params: Codable, Sendable {
        /// The last reply's `next`.
        @ObjectID public var before: Int64?
        /// 1 to 50, 20 unless given.
        @Count public var limit: Int?
        public init(before: Int64? = nil, limit: Int? = nil) {
            self.before = before
            self.limit = limit
        }
    }
    /// A page.
    public struct Result: Codable, Sendable {
        /// Newest first.
        public var notices: [SentNotice]
        /// Give it as `before` for the next page; nil when there is none.
        public var next: Int64?
        public init(notices: [SentNotice], next: Int64?) {
            self.notices = notices
            self.next = next
        }
    }
}

/// `notices.list`: the caller's that hold now, newest first. What is held back while the caller is not to be disturbed is not in it.
public enum NoticesList: RPCMethod {
    public static let name = "notices.list"
    public static let access = MethodAccess.accounts
    /// A page's place.
    public struct Params: Codable, Sendable {
        /// The last reply's `next`.
        @ObjectID public var before: Int64?
        /// 1 to 50, 20 unless given.
        @Count public var limit: Int?
        /// Only what was not read.
        public var unread: Bool?
        public init(before: Int64? = nil, limit: Int? = nil, unread: Bool? = nil) {
            self.before = before
            self.limit = limit
            self.unread = unread
        }
    }
    /// A page.
    public struct Result: Codable, Sendable {
        /// Newest first.
        public var notices: [Notice]
        /// How many of the newest 500 are not read.
        public var unread: Int64
        /// Give it as `before` for the next page; nil when there is none.
        public var next: Int64?
        public init(notices: [Notice], unread: Int64, next: Int64?) {
            self.notices = notices
            self.unread = unread
            self.next = next
        }
    }
}

/// Notices, by their numbers.
public struct NoticeNumbers: Codable, Sendable, Equatable {
    /// At most 100.
    @ObjectID public var notices: [Int64]
    public init(notices: [Int64]) { self.notices = notices }
}

/// `notices.received`: a device has these. Harmless when repeated; what is not for the caller does not count.
public enum NoticesReceived: RPCMethod {
    public static let name = "notices.received"
    public static let access = MethodAccess.accounts
    public typealias Params = NoticeNumbers
    public typealias Result = Empty
}

/// `notices.read`: these were read. Harmless when repeated; what is not for the caller does not count.
public enum NoticesRead: RPCMethod {
    public static let name = "notices.read"
    public static let access = MethodAccess.accounts
    public typealias Params = NoticeNumbers
    /// What is left.
    public struct Result: Codable, Sendable, Equatable {
        /// How many of the newest 500 are not read.
        public var unread: Int64
        public init(unread: Int64) { self.unread = unread }
    }
}

/// `notices.settings`: quiet hours, and zones that are followed.
public enum NoticesSettings: RPCMethod {
    public static let name = "notices.settings"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public typealias Result = NoticeSettings
}

/// `notices.saveSettings`: all of them anew.
public enum NoticesSaveSettings: RPCMethod {
    public static let name = "notices.saveSettings"
    public static let access = MethodAccess.accounts
    public typealias Params = NoticeSettings
    public typealias Result = NoticeSettings
}
