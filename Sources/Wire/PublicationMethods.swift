/// Where one stands in a reliable topic.
public struct TopicPosition: Sendable, Hashable, Codable {
    /// Tells a topic from an earlier one of its name. It only grows.
    @LogEpoch public var epoch: Int64
    /// Of the newest publication that is known, from 1; 0 before the first. Within an epoch it grows by one with each.
    @LogOffset public var offset: Int64

    public init(epoch: Int64, offset: Int64) {
        self.epoch = epoch
        self.offset = offset
    }
}

/// Why not everything since a position could be given: what is known of the topic is to be forgotten, and the snapshot shown.
public enum RecoveryFailure: String, WireChoice {
    /// The topic was made anew: offsets of another epoch mean nothing.
    case epochChanged
    /// Some of it is not kept any more.
    case tooOld
    /// It would be more than a client is given to catch up with.
    case tooMany
    /// The topic has not come that far.
    case future
}

/// A publication on a reliable topic.
public struct Publication<Data: Codable & Sendable>: Codable, Sendable {
    /// From 1, without gaps.
    public var offset: Int64
    /// What was published.
    public var data: Data

    public init(offset: Int64, data: Data) {
        self.offset = offset
        self.data = data
    }
}

/// The reply to `subscribe` to a reliable topic.
public struct Resumed<Data: Codable & Sendable>: Codable, Sendable {
    /// The topic.
    public var topic: String
    /// The topic's present epoch.
    public var epoch: Int64
    /// Where one stands with this reply; the next push is the next offset.
    public var offset: Int64
    /// True when `publications` are all that came since the position that was given, each once, in order.
    public var recovered: Bool
    /// Why not; nil also when no position was given.
    public var reason: RecoveryFailure?
    /// True when more is to come: nothing is pushed yet, subscribe again from `offset`.
    public var more: Bool?
    /// What was missed or, when not recovered, the newest that the topic shows; in the order of their offsets.
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

/// `subscribe` to `notices`, `campus/notices` or `zone/<id>/notices`.
public enum SubscribeNotices: RPCMethod {
    public static let name = "subscribe"
    public static let access = MethodAccess.everybody
    public typealias Params = SubscribeParams
    public typealias Result = Resumed<NoticeEvent>
}

/// What a publisher gets once its publication is committed: where it is. The same again when it is sent again.
public struct Published: Codable, Sendable, Equatable {
    /// The topic.
    public var topic: String
    /// The topic's epoch.
    public var epoch: Int64
    /// The publication's place in it.
    public var offset: Int64

    public init(topic: String, epoch: Int64, offset: Int64) {
        self.topic = topic
        self.epoch = epoch
        self.offset = offset
    }
}

/// `topic.history`: what is kept of a reliable topic, newest first.
public enum TopicHistory<Data: Codable & Sendable>: RPCMethod {
    public static var name: String { "topic.history" }
    public static var access: MethodAccess { .everybody }
    /// A page's place.
    public struct Params: Codable, Sendable {
        /// A reliable topic.
        public var topic: String
        /// Only what is below this offset: the last reply's `next`. Nil for the newest.
        @LogOffset public var before: Int64?
        /// 1 to 100, 20 unless given. A page of long publications may have fewer.
        @Count public var limit: Int?

        public init(topic: String, before: Int64? = nil, limit: Int? = nil) {
            self.topic = topic
            self.before = before
            self.limit = limit
        }
    }
    /// A page.
    public struct Result: Codable, Sendable {
        /// The topic.
        public var topic: String
        /// The topic's epoch.
        public var epoch: Int64
        /// Newest first.
        public var publications: [Publication<Data>]
        /// Give it as `before` for the next page; nil when there is none.
        public var next: Int64?
    }
}

/// What `test/<n>` publishes, on servers that were started with test endpoints.
public struct TestPublication: Codable, Sendable, Equatable {
    /// Always `test`.
    public var type = "test"
    /// The publisher's own number of it, a UUID.
    public var id: String
    /// As it was sent.
    public var data: String

    public init(id: String, data: String) {
        self.id = id
        self.data = data
    }
}

/// `test.publish`: for measuring, on servers that were started with test endpoints; for everybody.
public enum TestPublish: RPCMethod {
    public static let name = "test.publish"
    public static let access = MethodAccess.everybody
    /// A publication.
    public struct Params: Codable, Sendable {
        /// `test/<n>`, 1 to 1000.
        public var topic: String
        /// A UUID: sending it again is harmless.
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
