// Blocking and reporting, which are independent of each other. Muting is `chat.mute`.

public enum SafetyBlock: RPCMethod {
    public static let name = "safety.block"
    public static let summary = """
        Blocks an account in both directions, on all streams, from the time of the reply. It ends the match and the \
        conversation of the two people. The caller can block only accounts that it can know.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public typealias Params = AccountParams
    public typealias Result = AccountParams
}

public enum SafetyUnblock: RPCMethod {
    public static let name = "safety.unblock"
    public static let summary = "Removes a block. The match is not restored."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public typealias Params = AccountParams
    public typealias Result = AccountParams
}

public enum SafetyBlocked: RPCMethod {
    public static let name = "safety.blocked"
    public static let summary = """
        Lists the accounts that the caller blocked. Accounts that block the caller are not disclosed.
        """
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    /// A blocked person.
    public struct Blocked: Codable, Sendable, Equatable {
        /// The person by the name that the caller last saw, without gender and picture.
        public var person: Person
        /// Time of the block.
        public var at: Timestamp
        public init(person: Person, at: Timestamp) {
            self.person = person
            self.at = at
        }
    }
    public struct Result: Codable, Sendable {
        /// Newest first.
        public var blocked: [Blocked]
        public init(blocked: [Blocked]) { self.blocked = blocked }
    }
}

public enum ReportReason: String, WireChoice {
    case spam, harassment, unsafe, fake, other
}

public enum SafetyReport: RPCMethod {
    public static let name = "safety.report"
    public static let summary = """
        Reports an account to the admins. The reported person is not notified, and nothing else changes.
        """
    public static let access = MethodAccess.accounts
    public static let texts: [String: TextLimit] = ["note": .reportNote]
    public static let errors: [ErrorCode] = [.notFound]
    public struct Params: Codable, Sendable {
        /// UUID chosen by the client. A repeated request with the same UUID has no further effect.
        public var id: String
        /// Reported account: a present or former member of the conversation, or a person whose card the caller may see.
        @ObjectID public var account: Int64
        public var reason: ReportReason
        /// At most 1,000 characters.
        public var note: String?
        /// Conversation that the report concerns. The caller is or was a member.
        @ObjectID public var conversation: Int64?
        /// Offsets of at most 20 messages of the conversation. The server copies them. Without offsets it copies the newest 20 messages of
        /// the reported account.
        @LogOffset public var messages: [Int64]?
        /// An event of the reported account that the caller may see, instead of a conversation. The server copies its text.
        @ObjectID public var event: Int64?
        public init(
            id: String, account: Int64, reason: ReportReason, note: String? = nil, conversation: Int64? = nil,
            messages: [Int64]? = nil, event: Int64? = nil
        ) {
            self.id = id
            self.account = account
            self.reason = reason
            self.note = note
            self.conversation = conversation
            self.messages = messages
            self.event = event
        }
    }
    public struct Result: Codable, Sendable {
        /// Number of the report.
        public var report: Int64
        public init(report: Int64) { self.report = report }
    }
}

/// A report as admins see it.
public struct Report: Codable, Sendable, Equatable {
    /// Copy of a message at the time of the report.
    public struct Evidence: Codable, Sendable, Equatable {
        /// Offset of the message in the conversation.
        public var offset: Int64
        /// Author of the message.
        public var by: Int64
        public var at: Timestamp
        public var text: String?
        /// Id of the picture of the message.
        public var picture: String?
        /// Whether the message was deleted before the report.
        public var deleted: Bool
        /// Earlier texts of the message, oldest first.
        public var before: [String]
        /// True if the texts exceeded the limit of a report: long texts are truncated, or texts between the first and the newest are
        /// missing.
        public var cut: Bool?
        public init(
            offset: Int64, by: Int64, at: Timestamp, text: String?, picture: String?, deleted: Bool, before: [String],
            cut: Bool? = nil
        ) {
            self.offset = offset
            self.by = by
            self.at = at
            self.text = text
            self.picture = picture
            self.deleted = deleted
            self.before = before
            self.cut = cut
        }
    }
    /// Copy of an event at the time of the report.
    public struct ReportedEvent: Codable, Sendable, Equatable {
        public var event: Int64
        public var audience: EventAudience
        public var title: String
        public var description: String?
        /// Location in words.
        public var place: String
        /// Start of the event.
        public var startsAt: Timestamp
        public init(
            event: Int64, audience: EventAudience, title: String, description: String?, place: String,
            startsAt: Timestamp
        ) {
            self.event = event
            self.audience = audience
            self.title = title
            self.description = description
            self.place = place
            self.startsAt = startsAt
        }
    }
    public var id: Int64
    /// Time of the report.
    public var at: Timestamp
    /// Person who reported; nil if the account was deleted.
    public var reporter: Person?
    /// Reported person; nil if the account was deleted.
    public var reported: Person?
    /// Number of reports about the same account, including this one.
    public var reportsOfAccount: Int
    public var reason: ReportReason
    /// Text of the reporter.
    public var note: String?
    /// Conversation that the report concerns.
    public var conversation: Int64?
    /// Reported messages.
    public var evidence: [Evidence]
    /// Reported event, if the report concerns one.
    public var event: ReportedEvent?
    /// Time at which an admin closed the report.
    public var closedAt: Timestamp?
    /// Measures that the admin recorded.
    public var resolution: String?
    public init(
        id: Int64, at: Timestamp, reporter: Person?, reported: Person?, reportsOfAccount: Int, reason: ReportReason,
        note: String?, conversation: Int64?, evidence: [Evidence], event: ReportedEvent? = nil, closedAt: Timestamp?,
        resolution: String?
    ) {
        self.id = id
        self.at = at
        self.reporter = reporter
        self.reported = reported
        self.reportsOfAccount = reportsOfAccount
        self.reason = reason
        self.note = note
        self.conversation = conversation
        self.evidence = evidence
        self.event = event
        self.closedAt = closedAt
        self.resolution = resolution
    }
}

public enum ReportsList: RPCMethod {
    public static let name = "reports.list"
    public static let summary = "Lists reports, for admins."
    public static let access = MethodAccess.roles([.admin])
    public struct Params: Codable, Sendable {
        /// True lists closed reports, otherwise open ones.
        public var closed: Bool?
        /// Restricts the page to reports below this number: `next` of the previous reply.
        @ObjectID public var before: Int64?
        /// 1 to 100; default 20. A page may have fewer because its bytes are limited; `next` states whether more follow.
        @Count public var limit: Int?
        public init(closed: Bool? = nil, before: Int64? = nil, limit: Int? = nil) {
            self.closed = closed
            self.before = before
            self.limit = limit
        }
    }
    public struct Result: Codable, Sendable {
        /// Newest first.
        public var reports: [Report]
        /// Value of `before` for the next page; nil on the last page.
        public var next: Int64?
        /// Total number of open reports.
        public var open: Int
        public init(reports: [Report], next: Int64?, open: Int) {
            self.reports = reports
            self.next = next
            self.open = open
        }
    }
}

public enum ReportsClose: RPCMethod {
    public static let name = "reports.close"
    public static let summary = "Closes a report, for admins."
    public static let access = MethodAccess.roles([.admin])
    public static let texts: [String: TextLimit] = ["resolution": .reportResolution]
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public struct Params: Codable, Sendable {
        /// Number of the report.
        @ObjectID public var report: Int64
        /// Measures taken, at most 1,000 characters.
        public var resolution: String
        public init(report: Int64, resolution: String) {
            self.report = report
            self.resolution = resolution
        }
    }
    public struct Result: Codable, Sendable {
        /// Number of the report.
        public var report: Int64
        public init(report: Int64) { self.report = report }
    }
}

extension APIRegistry {
    static let safety: [any RPCMethod.Type] = [
        SafetyBlock.self, SafetyUnblock.self, SafetyBlocked.self, SafetyReport.self, ReportsList.self,
        ReportsClose.self,
    ]
}
