import EventLoop

/// The conflating lane of a map: at any time the newest picture of who is in view, over as many connections as it takes.
///
/// A reader is given whole pictures: runners, and where a wide view has a crowd, counts. However slow it is, it skips to the newest, and no more than one waits for it: memory is that of
/// the runners in view. Moving the map (``move(to:)``) keeps the runners of the cells that stay in view. When the iterator goes, or
/// the task that reads is cancelled, the server is told that nobody looks any more. It ends only by throwing, as ``Publications``
/// does.
public struct LivePositions: AsyncSequence, Sendable {
    /// Between two moves that the server is told of; those in between are left out.
    public static let moveInterval = Duration.milliseconds(200)
    /// A view is asked for anew when nothing was told of one of its cells for so long. Whom the server left something out is told as
    /// soon as there is room for it.
    public static let snapshotPatience = Duration.seconds(30)
    /// Before a view is asked for anew because something of it could not be followed or did not come; doubled each time.
    static let anewDelayMin = Duration.seconds(1)
    /// The longest such wait. After twice as long without trouble they begin with the shortest again.
    static let anewDelayMax = Duration.seconds(60)

    /// What is given.
    public typealias Element = PositionsPicture

    private let feed: PositionFeed

    init(client: ResilientClient, viewport: MapViewport) { feed = PositionFeed(client: client, viewport: viewport) }

    /// The map shows something else now. Returns at once; moves that follow each other quickly are one, and the last one counts.
    public func move(to viewport: MapViewport) {
        // Not a task for each: those would have no order.
        feed.client.loop.execute { [feed] in feed.assumeIsolated { $0.move(to: viewport) } }
    }

    /// Begins to read; once. A client has one map at a time.
    public func makeAsyncIterator() -> Iterator { Iterator(feed: feed) }

    /// The reader.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        /// Looks away when the iterator goes.
        private final class Leaving: Sendable {
            let feed: PositionFeed
            init(_ feed: PositionFeed) { self.feed = feed }
            deinit { Task { [feed] in await feed.end(CancellationError()) } }
        }
        private let leaving: Leaving

        init(feed: PositionFeed) { leaving = Leaving(feed) }

        /// The newest picture, when it is another than the last one given; waits for it.
        public mutating func next() async throws -> PositionsPicture? {
            let feed = leaving.feed
            return try await withTaskCancellationHandler {
                try await feed.next()
            } onCancel: {
                Task { await feed.end(CancellationError()) }
            }
        }
    }
}

extension ResilientClient {
    /// Who is on a map: see ``LivePositions``.
    public nonisolated func positions(in viewport: MapViewport) -> LivePositions {
        LivePositions(client: self, viewport: viewport)
    }
}
