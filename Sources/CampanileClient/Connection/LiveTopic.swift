import Wire

/// A live topic and the types of what it says.
public struct LiveTopic<Snapshot: Codable & Sendable, Update: Codable & Sendable>: Sendable {
    /// As on the wire, such as `zone/7/positions`.
    public let path: String
    /// The subscription ends with this update.
    let isLast: @Sendable (Update) -> Bool

    /// A topic of a newer server that this library does not name yet.
    public init(path: String, isLast: @escaping @Sendable (Update) -> Bool = { _ in false }) {
        self.path = path
        self.isLast = isLast
    }
}

extension LiveTopic where Snapshot == ZoneSnapshot, Update == ZoneUpdate {
    /// Who is in a zone, as far as the subscriber may see.
    public static func zone(_ id: Int64) -> LiveTopic { LiveTopic(path: "zone/\(id)/positions") }
}

extension LiveTopic where Snapshot == SessionSnapshot, Update == SessionUpdate {
    /// One session; its stream ends when the session does, or when it is not shared any more.
    public static func session(_ id: Int64) -> LiveTopic {
        LiveTopic(path: "session/\(id)") { $0.type == .ended || $0.type == .closed }
    }
}

extension LiveTopic where Snapshot == HeatmapUpdate, Update == HeatmapUpdate {
    /// How many people are where, about; each update is all of it.
    public static var heatmap: LiveTopic { LiveTopic(path: "heatmap") }
}

/// What a subscriber hears, in the order the server said it.
public enum LiveEvent<Snapshot: Codable & Sendable, Update: Codable & Sendable>: Sendable {
    /// How things stand: forget what was known. The first event, and again after each reconnection.
    case snapshot(Snapshot)
    /// What changed since.
    case update(Update)
}

/// Where a subscription's messages go, its types erased. Called on the connection's loop, in the order of the wire.
struct TopicSink: Sendable {
    enum Outcome { case goOn, end }
    let topic: String
    let share: String?
    /// Takes the reply to `subscribe`.
    let snapshot: @Sendable ([UInt8]) -> Outcome
    /// Takes a push.
    let update: @Sendable ([UInt8]) -> Outcome
    let finish: @Sendable () -> Void
    /// Where the subscriber stands in a reliable topic.
    var since: TopicPosition?

    /// A sink that decodes into `stream`. A reader that falls `eventsMax` behind finds its stream ended: a stream with a
    /// hole would show a wrong picture, and a new subscription begins with a new snapshot.
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
