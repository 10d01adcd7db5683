import HubCore
import Wire

/// Consecutive publications of a topic, as one read of the store saw them.
public struct PublicationPage: Sendable, Equatable {
    /// The topic's epoch and its newest offset, which may be beyond the page.
    public let head: TopicPosition
    /// Consecutive, in the order of their offsets.
    public let publications: [StoredPublication]

    public init(head: TopicPosition, publications: [StoredPublication]) {
        self.head = head
        self.publications = publications
    }
}

/// Durable storage of reliable topics. The store is authoritative: the hub's memory caches a part of it.
public protocol PublicationStore: Sendable {
    /// The head of a topic, which is created if it does not exist.
    func open(_ topic: Topic) async throws -> TopicPosition
    /// The heads of topics; topics that do not exist are left out.
    func positions(of topics: [Topic]) async throws -> [Topic: TopicPosition]
    /// The publications after an offset. Publications that are not kept any more are left out: the first one may have a later offset
    /// than the next.
    /// - Parameters:
    ///   - countMax: Largest number of publications.
    ///   - bytesMax: The page ends with the publication that reaches this size.
    func read(_ topic: Topic, after offset: Int64, countMax: Int, bytesMax: Int) async throws -> PublicationPage
}
