import Wire

/// A live topic, with the types of its snapshots and updates.
public struct LiveTopic<Snapshot: Codable & Sendable, Update: Codable & Sendable>: Sendable {
    /// The topic's name in the protocol, such as `zone/7/positions`.
    public let path: String
    /// Whether an update ends the subscription.
    let isLast: @Sendable (Update) -> Bool

    /// Creates a topic that this library does not define, such as one of a newer server.
    public init(path: String, isLast: @escaping @Sendable (Update) -> Bool = { _ in false }) {
        self.path = path
        self.isLast = isLast
    }
}

extension LiveTopic where Snapshot == ZoneSnapshot, Update == ZoneUpdate {
    /// Positions in a zone that the subscriber may see.
    public static func zone(_ id: Int64) -> LiveTopic { LiveTopic(path: "zone/\(id)/positions") }
}

extension LiveTopic where Snapshot == SessionSnapshot, Update == SessionUpdate {
    /// One session. The stream ends when the session ends or is no longer shared.
    public static func session(_ id: Int64) -> LiveTopic {
        LiveTopic(path: "session/\(id)") { $0.type == .ended || $0.type == .closed }
    }
}

extension LiveTopic where Snapshot == HeatmapUpdate, Update == HeatmapUpdate {
    /// Approximate numbers of people by area. Each update is complete.
    public static var heatmap: LiveTopic { LiveTopic(path: "heatmap") }
}

/// Event of a live topic, in the order of sending.
public enum LiveEvent<Snapshot: Codable & Sendable, Update: Codable & Sendable>: Sendable {
    /// The complete state, which replaces all earlier state. It is the first event, and the first after each reconnection.
    case snapshot(Snapshot)
    /// A change of the state.
    case update(Update)
}

/// Type-erased receiver of a subscription's messages. Called on the connection's loop, in the order of sending.
struct TopicSink: Sendable {
    enum Outcome { case goOn, end }
    let topic: String
    let share: String?
    /// Handles the reply to `subscribe`.
    let snapshot: @Sendable ([UInt8]) -> Outcome
    /// Handles a push.
    let update: @Sendable ([UInt8]) -> Outcome
    let finish: @Sendable () -> Void
    /// The subscriber's position in a reliable topic.
    var since: TopicPosition?

    /// A sink that decodes into `stream`.
    ///
    /// The stream ends if its reader falls `eventsMax` behind: with missing events its state would be wrong, and a new subscription
    /// begins with a new snapshot.
    static func make<Snapshot, Update>(
        for topic: LiveTopic<Snapshot, Update>, share: String?, eventsMax: Int
    ) -> (
        sink: TopicSink, stream: AsyncStream<LiveEvent<Snapshot, Update>>,
        onEnd: @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: LiveEvent<Snapshot, Update>.self, bufferingPolicy: .bufferingOldest(eventsMax))
        @Sendable func offer(_ event: LiveEvent<Snapshot, Update>?) -> Outcome {
            guard let event, case .enqueued = continuation.yield(event) else { return .end }
            return .goOn
        }
        let sink = TopicSink(
            topic: topic.path, share: share,
            snapshot: { bytes in
                let reply = try? WireJSON.decode(Success<Subscribed<Snapshot>>.self, from: bytes)
                return offer(reply.map { .snapshot($0.result.snapshot) })
            },
            update: { bytes in
                let push = try? WireJSON.decode(Push<Update>.self, from: bytes)
                let outcome = offer(push.map { .update($0.params.data) })
                return push.map { topic.isLast($0.params.data) } == true ? .end : outcome
            },
            finish: { continuation.finish() })
        return (sink, stream, { body in continuation.onTermination = { _ in body() } })
    }
}
