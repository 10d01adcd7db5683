/// Position in a reliable topic.
public struct TopicPosition: Sendable, Hashable, Codable {
    /// Epoch of the topic. It distinguishes a topic from an earlier topic with the same name, and only increases.
    @LogEpoch public var epoch: Int64
    /// Offset of the newest known publication, from 1; 0 before the first. Each publication of an epoch increases the offset by one.
    @LogOffset public var offset: Int64

    public init(epoch: Int64, offset: Int64) {
        self.epoch = epoch
        self.offset = offset
    }
}

/// Reason why the server could not return all publications after a position. The client forgets the topic and shows the snapshot.
public enum RecoveryFailure: String, WireChoice {
    /// The topic has another epoch, in which the offset has no meaning.
    case epochChanged
    /// The server no longer stores some of the publications.
    case tooOld
    /// The publications exceed the limit for recovery.
    case tooMany
    /// The topic has not reached the offset.
    case future
}

/// A publication on a reliable topic.
public struct Publication<Data: Codable & Sendable>: Codable, Sendable {
    /// From 1, without gaps. On `notices` it has gaps, because an account gets a part of the log.
    public var offset: Int64
    public var data: Data

    public init(offset: Int64, data: Data) {
        self.offset = offset
        self.data = data
    }
}

/// Reply to `subscribe` to a reliable topic.
public struct Resumed<Data: Codable & Sendable>: Codable, Sendable {
    public var topic: String
    /// Present epoch of the topic.
    public var epoch: Int64
    /// Offset after this reply. The next publication has the next offset.
    public var offset: Int64
    /// True if `publications` are all publications after the requested position, each once and in order.
    public var recovered: Bool
    /// Reason for an incomplete recovery; nil also for a request without a position.
    public var reason: RecoveryFailure?
    /// True if further publications are available. The subscription is not active yet; the client subscribes again from `offset`.
    public var more: Bool?
    /// Missed publications or, without recovery, the newest ones that the topic shows, ordered by offset.
    public var publications: [Publication<Data>]

    public init(
        topic: String, epoch: Int64, offset: Int64, recovered: Bool, reason: RecoveryFailure? = nil, more: Bool? = nil,
        publications: [Publication<Data>]
    ) {
        self.topic = topic
        self.epoch = epoch
        self.offset = offset
        self.recovered = recovered
        self.reason = reason
        self.more = more
        self.publications = publications
    }
}

/// Position of a committed publication. A repeated request gets the same position.
public struct Published: Codable, Sendable, Equatable {
    public var topic: String
    public var epoch: Int64
    public var offset: Int64

    public init(topic: String, epoch: Int64, offset: Int64) {
        self.topic = topic
        self.epoch = epoch
        self.offset = offset
    }
}

public enum TopicHistory<Data: Codable & Sendable>: RPCMethod {
    public static var name: String { "topic.history" }
    public static var summary: String { "Returns the stored publications of a reliable topic, newest first." }
    public static var access: MethodAccess { .everybody }
    public static var errors: [ErrorCode] { [.notFound] }
    public struct Params: Codable, Sendable {
        /// A reliable topic.
        public var topic: String
        /// Restricts the page to offsets below this one: `next` of the previous reply. Nil requests the newest page.
        @LogOffset public var before: Int64?
        /// 1 to 100; default 20. A page of long publications may have fewer.
        @Count public var limit: Int?

        public init(topic: String, before: Int64? = nil, limit: Int? = nil) {
            self.topic = topic
            self.before = before
            self.limit = limit
        }
    }
    public struct Result: Codable, Sendable {
        public var topic: String
        public var epoch: Int64
        /// Newest first.
        public var publications: [Publication<Data>]
        /// Value of `before` for the next page; nil on the last page.
        public var next: Int64?
    }
}

/// Publication on `test/<n>`, on servers with test endpoints.
public struct TestPublication: Codable, Sendable, Equatable {
    /// Always `test`.
    public var type = "test"
    /// UUID that the publisher chose.
    public var id: String
    public var data: String

    public init(id: String, data: String) {
        self.id = id
        self.data = data
    }
}

public enum TestPublish: RPCMethod {
    public static let name = "test.publish"
    public static let summary = """
        Publishes a message for measurements, on servers with test endpoints. Guests may call it.
        """
    public static let access = MethodAccess.everybody
    public static let errors: [ErrorCode] = [.notFound]
    public struct Params: Codable, Sendable {
        /// `test/<n>`, where n is 1 to 1000.
        public var topic: String
        /// UUID. A repeated request with the same UUID has no further effect.
        public var id: String
        /// At most 10,000 bytes.
        public var data: String

        public init(topic: String, id: String, data: String) {
            self.topic = topic
            self.id = id
            self.data = data
        }
    }
    public typealias Result = Published
}

extension APIRegistry {
    static let publications: [any RPCMethod.Type] = [TopicHistory<NoticeEvent>.self, TestPublish.self]
}
