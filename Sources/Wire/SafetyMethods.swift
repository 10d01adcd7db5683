// Safety: mute is `chat.mute`; block and report are here, each for itself.

/// `safety.block`: both ways, on every stream, from the moment it is answered. Buddies are no longer, and their conversation ends. Only
/// whom one can know can be blocked.
public enum SafetyBlock: RPCMethod {
    public static let name = "safety.block"
    public static let access = MethodAccess.accounts
    public typealias Params = AccountParams
    public typealias Result = AccountParams
}

/// `safety.unblock`: they may meet again; buddies they are not.
public enum SafetyUnblock: RPCMethod {
    public static let name = "safety.unblock"
    public static let access = MethodAccess.accounts
    public typealias Params = AccountParams
    public typealias Result = AccountParams
}

/// `safety.blocked`: whom one blocked. Who blocked one is not told.
public enum SafetyBlocked: RPCMethod {
    public static let name = "safety.blocked"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    /// Somebody whom one blocked.
    public struct Blocked: Codable, Sendable, Equatable {
        /// Who, by the name by which one saw them; without gender and picture.
        public var person: Person
        /// Since when.
        public var at: Timestamp
        public init(person: Person, at: Timestamp) {
            self.person = person
            self.at = at
        }
    }
    /// All of them.
    public struct Result: Codable, Sendable {
        /// Newest first.
        public var blocked: [Blocked]
        public init(blocked: [Blocked]) { self.blocked = blocked }
    }
}

/// Why somebody is reported.
public enum ReportReason: String, WireChoice {
    case spam, harassment, unsafe, fake, other
}

/// `safety.report`: tells the admins. The other is not told, and nothing else changes.
public enum SafetyReport: RPCMethod {
    public static let name = "safety.report"
    public static let access = MethodAccess.accounts
    /// A report.
    public struct Params: Codable, Sendable {
        /// A UUID: sending it again is harmless.
        public var id: String
        /// Who is reported: a member of the conversation, now or before, or somebody whose card one may see.
        @ObjectID public var account: Int64
        /// Why.
        public var reason: ReportReason
        /// At most 1,000 characters.
        public var note: String?
        /// Where it happened: one that the caller is or was a member of.
        @ObjectID public var conversation: Int64?
        /// Offsets of at most 20 messages there. The server copies them; none copies the newest 20 of who is reported.
        @LogOffset public var messages: [Int64]?
        /// An event of who is reported, which the caller may see, instead of a conversation. The server copies its words.
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
    /// It was taken.
    public struct Result: Codable, Sendable {
        /// The report's number.
        public var report: Int64
        public init(report: Int64) { self.report = report }
    }
}

/// A report, as admins see it.
public struct Report: Codable, Sendable, Equatable {
    /// A message as it was when it was reported.
    public struct Evidence: Codable, Sendable, Equatable {
        /// Its place in the conversation.
        public var offset: Int64
        /// Who wrote it.
        public var by: Int64
        /// When.
        public var at: Timestamp
        /// What it said.
        public var text: String?
        /// The id of its picture.
        public var picture: String?
        /// It was deleted before the report.
        public var deleted: Bool
        /// What it said before it was edited or deleted, oldest first.
        public var before: [String]
        /// True when that was more than a report holds: long wordings end early, or some between the first and the newest are missing.
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
    /// What an event said when it was reported.
    public struct ReportedEvent: Codable, Sendable, Equatable {
        /// Its number.
        public var event: Int64
        /// For whom.
        public var audience: EventAudience
        /// What it was called.
        public var title: String
        /// What it said.
        public var description: String?
        /// Where, in words.
        public var place: String
        /// When it began, or was to.
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
    /// Its number.
    public var id: Int64
    /// When.
    public var at: Timestamp
    /// Who reports; nil when the account is gone.
    public var reporter: Person?
    /// Who is reported; nil when the account is gone.
    public var reported: Person?
    /// Reports of the same account, this one included.
    public var reportsOfAccount: Int
    /// Why.
    public var reason: ReportReason
    /// In the reporter's words.
    public var note: String?
    /// Where it happened.
    public var conversation: Int64?
    /// What it is about.
    public var evidence: [Evidence]
    /// The event that it is about, if it is about one.
    public var event: ReportedEvent?
    /// When an admin closed it.
    public var closedAt: Timestamp?
    /// What was done about it.
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

/// `reports.list`: for admins.
public enum ReportsList: RPCMethod {
    public static let name = "reports.list"
    public static let access = MethodAccess.roles([.admin])
    /// Which.
    public struct Params: Codable, Sendable {
        /// True for those that are closed; open ones unless given.
        public var closed: Bool?
        /// Only below this number: the last reply's `next`.
        @ObjectID public var before: Int64?
        /// 1 to 100; 20 unless given. A page may have fewer, as its bytes are bounded: `next` tells whether there are more.
        @Count public var limit: Int?
        public init(closed: Bool? = nil, before: Int64? = nil, limit: Int? = nil) {
            self.closed = closed
            self.before = before
            self.limit = limit
        }
    }
    /// A page.
    public struct Result: Codable, Sendable {
        /// Newest first.
        public var reports: [Report]
        /// Give it as `before` for the next page; nil when there is none.
        public var next: Int64?
        /// Open ones in all.
        public var open: Int
        public init(reports: [Report], next: Int64?, open: Int) {
            self.reports = reports
            self.next = next
            self.open = open
        }
    }
}

/// `reports.close`: for admins.
public enum ReportsClose: RPCMethod {
    public static let name = "reports.close"
    public static let access = MethodAccess.roles([.admin])
    /// What was done.
    public struct Params: Codable, Sendable {
        /// The report's number.
        @ObjectID public var report: Int64
        /// What was done about it, at most 1,000 characters.
        public var resolution: String
        public init(report: Int64, resolution: String) {
            self.report = report
            self.resolution = resolution
        }
    }
    /// What the caller gets.
    public struct Result: Codable, Sendable {
        /// The report's number.
        public var report: Int64
        public init(report: Int64) { self.report = report }
    }
}
