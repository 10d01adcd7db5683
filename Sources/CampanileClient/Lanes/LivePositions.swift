import EventLoop

/// The current runners in a map's viewport, across reconnections.
///
/// Each element is the complete state: runners, and counts where a wide view has too many. A slow reader skips intermediate states,
/// so at most one is pending and memory is proportional to the runners in view. Moving the map (``move(to:)``) keeps the runners of
/// cells that stay in view. Releasing the iterator or cancelling the reading task clears the viewport on the server. The sequence
/// ends only by throwing, as ``Publications`` does.
public struct LivePositions: AsyncSequence, Sendable {
    /// Minimum interval between two viewports sent to the server. Intermediate ones are skipped.
    public static let moveInterval = Duration.milliseconds(200)
    /// Time without a complete frame of a cell after which the viewport is requested again. The server sends a complete frame of
    /// skipped cells as soon as its send queue has space.
    public static let completeFrameTimeout = Duration.seconds(30)
    /// First delay before a viewport is requested again after a missing or unreadable frame. It doubles each time.
    static let viewRetryDelayMin = Duration.seconds(1)
    /// Maximum of that delay. It is reset after twice this time without a failure.
    static let viewRetryDelayMax = Duration.seconds(60)

    public typealias Element = ViewportPositions

    private let feed: PositionSubscription

    init(client: ResilientClient, viewport: MapViewport) {
        feed = PositionSubscription(client: client, viewport: viewport)
    }

    /// Changes the viewport and returns immediately. Of several quick calls the last one counts.
    public func move(to viewport: MapViewport) {
        // A task for each call would not preserve their order.
        feed.client.loop.execute { [feed] in feed.assumeIsolated { $0.move(to: viewport) } }
    }

    /// Starts to read. Call it once; a client can read one map at a time.
    public func makeAsyncIterator() -> Iterator { Iterator(feed: feed) }

    public struct Iterator: AsyncIteratorProtocol, Sendable {
        /// Clears the viewport when the iterator is released.
        private final class Leaving: Sendable {
            let feed: PositionSubscription
            init(_ feed: PositionSubscription) { self.feed = feed }
            deinit { Task { [feed] in await feed.end(CancellationError()) } }
        }
        private let leaving: Leaving

        init(feed: PositionSubscription) { leaving = Leaving(feed) }

        /// Waits for a state that differs from the last one returned, and returns the newest.
        public mutating func next() async throws -> ViewportPositions? {
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
    /// The current runners in a viewport: see ``LivePositions``.
    public nonisolated func positions(in viewport: MapViewport) -> LivePositions {
        LivePositions(client: self, viewport: viewport)
    }
}
