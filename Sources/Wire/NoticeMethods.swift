// Methods for notices.

/// Number of one notice.
public struct NoticeParams: Codable, Sendable, Equatable {
    @ObjectID public var notice: Int64
    public init(notice: Int64) { self.notice = notice }
}

public enum NoticesPublish: RPCMethod {
    public static let name = "notices.publish"
    public static let summary = """
        Publishes a notice to the campus, a zone, a role, the people of an event or one account, immediately or at a \
        later time. A repeated request with the same `id` has no further effect.
        """
    public static let access = MethodAccess.accounts
    public static let texts: [String: TextLimit] = ["title": .noticeTitle, "body": .noticeBody]
    public static let limits: [MethodLimit] = [.each(.message)]
    public static let errors: [ErrorCode] = [.forbidden, .notFound, .conflict]
    public struct Params: Codable, Sendable {
        /// UUID chosen by the client, for example with `crypto.randomUUID()`.
        public var id: String
        public var audience: NoticeAudience
        /// 1 to 120 characters.
        public var title: String
        /// At most 4,000 characters.
        public var body: String?
        /// Default `info`.
        public var level: NoticeLevel?
        /// At most one year ahead; default now.
        public var publishAt: Timestamp?
        /// At most one year after publication. The Protocol article states the default.
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

public enum NoticesPreview: RPCMethod {
    public static let name = "notices.preview"
    public static let summary = "Returns the approximate number of accounts in an audience."
    public static let access = MethodAccess.accounts
    public static let limits: [MethodLimit] = [.each(.preview)]
    public static let errors: [ErrorCode] = [.forbidden, .notFound, .conflict]
    public struct Params: Codable, Sendable {
        public var audience: NoticeAudience
        public init(audience: NoticeAudience) { self.audience = audience }
    }
    public struct Result: Codable, Sendable, Equatable {
        /// Number of accounts, rounded like ``SentNotice/recipients``.
        public var people: Int64
        public init(people: Int64) { self.people = people }
    }
}

public enum NoticesCorrect: RPCMethod {
    public static let name = "notices.correct"
    public static let summary = "Replaces the text of a notice for all recipients."
    public static let access = MethodAccess.accounts
    public static let texts: [String: TextLimit] = ["title": .noticeTitle, "body": .noticeBody]
    public static let limits: [MethodLimit] = [.each(.message)]
    public static let errors: [ErrorCode] = [.forbidden, .notFound, .conflict]
    public struct Params: Codable, Sendable {
        @ObjectID public var notice: Int64
        /// Revision that the caller edited.
        @Revision public var revision: Int
        /// 1 to 120 characters.
        public var title: String
        /// At most 4,000 characters.
        public var body: String?
        /// Nil keeps the level.
        public var level: NoticeLevel?
        /// Nil keeps the expiry.
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

public enum NoticesWithdraw: RPCMethod {
    public static let name = "notices.withdraw"
    public static let summary = "Withdraws a notice from all recipients. Idempotent."
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.forbidden, .notFound, .conflict]
    public typealias Params = NoticeParams
    public typealias Result = SentNotice
}

public enum NoticesStatus: RPCMethod {
    public static let name = "notices.status"
    public static let summary = "Returns a notice with the numbers of its recipients."
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.notFound]
    public typealias Params = NoticeParams
    public typealias Result = SentNotice
}

public enum NoticesSent: RPCMethod {
    public static let name = "notices.sent"
    public static let summary = "Lists the notices that the caller sent, or for an admin all notices, newest first."
    public static let access = MethodAccess.accounts
    public static let limits: [MethodLimit] = [.each(.list)]
    public struct Params: Codable, Sendable {
        /// `next` of the previous reply.
        @ObjectID public var before: Int64?
        /// 1 to 50; default 20.
        @Count public var limit: Int?
        public init(before: Int64? = nil, limit: Int? = nil) {
            self.before = before
            self.limit = limit
        }
    }
    public struct Result: Codable, Sendable {
        /// Newest first.
        public var notices: [SentNotice]
        /// Value of `before` for the next page; nil on the last page.
        public var next: Int64?
        public init(notices: [SentNotice], next: Int64?) {
            self.notices = notices
            self.next = next
        }
    }
}

public enum NoticesList: RPCMethod {
    public static let name = "notices.list"
    public static let summary = """
        Lists the caller's notices in force, newest first. It omits notices that the server withholds while the caller \
        is not to be disturbed.
        """
    public static let access = MethodAccess.accounts
    public static let limits: [MethodLimit] = [.each(.list)]
    public struct Params: Codable, Sendable {
        /// `next` of the previous reply.
        @ObjectID public var before: Int64?
        /// 1 to 50; default 20.
        @Count public var limit: Int?
        /// True restricts the list to unread notices.
        public var unread: Bool?
        public init(before: Int64? = nil, limit: Int? = nil, unread: Bool? = nil) {
            self.before = before
            self.limit = limit
            self.unread = unread
        }
    }
    public struct Result: Codable, Sendable {
        /// Newest first.
        public var notices: [Notice]
        /// Number of unread notices among the newest 500.
        public var unread: Int64
        /// Value of `before` for the next page; nil on the last page.
        public var next: Int64?
        public init(notices: [Notice], unread: Int64, next: Int64?) {
            self.notices = notices
            self.unread = unread
            self.next = next
        }
    }
}

/// Numbers of notices.
public struct NoticeNumbers: Codable, Sendable, Equatable {
    /// At most 100.
    @ObjectID public var notices: [Int64]
    public init(notices: [Int64]) { self.notices = notices }
}

public enum NoticesReceived: RPCMethod {
    public static let name = "notices.received"
    public static let summary = """
        Records that a device of the caller has received notices. Idempotent; ignores notices for other accounts.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public typealias Params = NoticeNumbers
    public typealias Result = Empty
}

public enum NoticesRead: RPCMethod {
    public static let name = "notices.read"
    public static let summary = """
        Records that the caller has read notices. Idempotent; ignores notices for other accounts.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public typealias Params = NoticeNumbers
    public struct Result: Codable, Sendable, Equatable {
        /// Number of unread notices among the newest 500.
        public var unread: Int64
        public init(unread: Int64) { self.unread = unread }
    }
}

public enum NoticesSettings: RPCMethod {
    public static let name = "notices.settings"
    public static let summary = "Returns the caller's quiet hours and followed zones."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public typealias Params = Empty
    public typealias Result = NoticeSettings
}

public enum NoticesSaveSettings: RPCMethod {
    public static let name = "notices.saveSettings"
    public static let summary = "Replaces the caller's settings."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.notFound]
    public typealias Params = NoticeSettings
    public typealias Result = NoticeSettings
}

extension APIRegistry {
    static let notices: [any RPCMethod.Type] = [
        NoticesPublish.self, NoticesPreview.self, NoticesCorrect.self, NoticesWithdraw.self, NoticesStatus.self,
        NoticesSent.self, NoticesList.self, NoticesReceived.self, NoticesRead.self, NoticesSettings.self,
        NoticesSaveSettings.self,
    ]
}
