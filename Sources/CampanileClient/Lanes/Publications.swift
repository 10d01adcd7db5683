import Wire

/// The publications of a reliable topic, for one reader: each once, in order, across reconnections.
///
/// The first `next()` subscribes. Releasing the iterator or cancelling the reading task unsubscribes. The sequence ends only by
/// throwing: `RPCError` if the server refuses the topic, ``ClientError`` if the client ends, `CancellationError`.
///
/// At most ``bufferedMax`` publications wait for a slow reader. When the buffer is full, the reader unsubscribes, and it resumes at
/// the same position when there is space. A reader that falls behind further than the server keeps publications receives
/// ``PublicationEvent/lost(_:)``.
public struct Publications<Data: Codable & Sendable>: AsyncSequence, Sendable {
    /// Maximum of buffered publications.
    public static var bufferedMax: Int { 1_024 }

    public typealias Element = PublicationEvent<Data>

    let client: ResilientClient
    let topic: PublicationTopic<Data>
    let since: TopicPosition?

    /// Starts to read. A client can have one reader per topic at a time.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            feed: PublicationSubscription(client: client, topic: topic.path, isSparse: topic.isSparse, since: since))
    }

    public struct Iterator: AsyncIteratorProtocol, Sendable {
        /// Unsubscribes when the iterator is released.
        private final class Leaving: Sendable {
            let feed: PublicationSubscription<Data>
            init(_ feed: PublicationSubscription<Data>) { self.feed = feed }
            deinit { Task { [feed] in await feed.leave(CancellationError()) } }
        }
        private let leaving: Leaving

        init(feed: PublicationSubscription<Data>) { leaving = Leaving(feed) }

        var feed: PublicationSubscription<Data> { leaving.feed }

        /// Waits for the next event.
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
    /// Reads a reliable topic from a known position, across reconnections.
    /// - Parameters:
    ///   - topic: The topic, such as `.campusNotices`.
    ///   - since: Position of the last publication received; nil begins with the newest publications that the topic provides.
    public nonisolated func publications<Data>(
        of topic: PublicationTopic<Data>, since: TopicPosition? = nil
    ) -> Publications<Data> { Publications(client: self, topic: topic, since: since) }
}
