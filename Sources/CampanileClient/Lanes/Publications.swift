import Wire

/// The reliable lane of a topic, for one reader: each publication once, in order, over as many connections as it takes.
///
/// Nothing is asked of the server before the first `next()`. To leave, stop reading: when the iterator goes, or the task that reads
/// is cancelled, the topic is unsubscribed from. It ends only by throwing: `RPCError` when the server refuses the topic,
/// ``ClientError`` when the client ends, `CancellationError`.
///
/// A reader that does not keep up costs no more than ``bufferedMax`` publications of memory: when so many wait for it, the topic is
/// left, and taken up again where it was left when there is room. Who stays away for longer than the server keeps publications is
/// told by ``PublicationEvent/lost(_:)``.
public struct Publications<Data: Codable & Sendable>: AsyncSequence, Sendable {
    /// Publications that wait for the reader.
    public static var bufferedMax: Int { 1_024 }

    /// What is given.
    public typealias Element = PublicationEvent<Data>

    let client: ResilientClient
    let topic: PublicationTopic<Data>
    let since: TopicPosition?

    /// Begins to read. One reader of a topic at a time may be on a client.
    public func makeAsyncIterator() -> Iterator {
        Iterator(feed: PublicationFeed(client: client, topic: topic.path, isSparse: topic.isSparse, since: since))
    }

    /// One reader.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        /// Leaves the topic when the iterator goes.
        private final class Leaving: Sendable {
            let feed: PublicationFeed<Data>
            init(_ feed: PublicationFeed<Data>) { self.feed = feed }
            deinit { Task { [feed] in await feed.leave(CancellationError()) } }
        }
        private let leaving: Leaving

        init(feed: PublicationFeed<Data>) { leaving = Leaving(feed) }

        var feed: PublicationFeed<Data> { leaving.feed }

        /// The next publication; waits for it.
        public mutating func next() async throws -> PublicationEvent<Data>? {
            let feed = feed
            return try await withTaskCancellationHandler {
                try await feed.next()
            } onCancel: {
                Task { await feed.leave(CancellationError()) }
            }
        }
    }
}

extension ResilientClient {
    /// Reads a reliable topic, from where one stands, and stays with it over reconnections.
    /// - Parameters:
    ///   - topic: Such as `.campusNotices`.
    ///   - since: The position of the last publication that was taken; nil begins with the newest that the topic shows.
    public nonisolated func publications<Data>(
        of topic: PublicationTopic<Data>, since: TopicPosition? = nil
    ) -> Publications<Data> { Publications(client: self, topic: topic, since: since) }
}
