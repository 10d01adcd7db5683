import Wire

/// A publication of a reliable topic: committed, and its place settled.
public struct StoredPublication: Sendable, Equatable {
    /// From 1, without gaps within an epoch.
    public let offset: Int64
    /// What subscribers get: one JSON value.
    public let data: [UInt8]

    /// Memberwise.
    public init(offset: Int64, data: [UInt8]) {
        self.offset = offset
        self.data = data
    }
}

/// A piece of a topic, as one look into the store saw it.
public struct PublicationPage: Sendable, Equatable {
    /// The topic's epoch and its newest offset, which may be beyond the page.
    public let head: TopicPosition
    /// Consecutive, in the order of their offsets.
    public let publications: [StoredPublication]

    /// Memberwise.
    public init(head: TopicPosition, publications: [StoredPublication]) {
        self.head = head
        self.publications = publications
    }
}

/// Where reliable topics are kept for good. It is the truth: the hub's memory is a part of it that is at hand.
public protocol PublicationStore: Sendable {
    /// Where a topic stands; one that is not there is made.
    func open(_ topic: Topic) async throws -> TopicPosition
    /// Where topics stand; those that are not there are left out.
    func positions(of topics: [Topic]) async throws -> [Topic: TopicPosition]
    /// What comes behind an offset. What is not kept any more is left out: the first may then be later than the next.
    /// - Parameters:
    ///   - countMax: Publications at most.
    ///   - bytesMax: The page ends with the publication that reaches it.
    func read(_ topic: Topic, after offset: Int64, countMax: Int, bytesMax: Int) async throws -> PublicationPage
}
