import EventLoop
import Hub
import HubCore
import Synchronization
import WebSocket
import Wire

/// A subscriber that keeps every frame it is sent, and reads them when asked.
public final class RecordingViewer: Subscriber {
    /// What a frame says.
    public enum Event: Sendable {
        case zoneSnapshot(ZoneSnapshot)
        case zone(ZoneUpdate)
        case sessionSnapshot(SessionSnapshot)
        case session(SessionUpdate)
        case heatmap(HeatmapUpdate)
        case resumed(Resumed<TestPublication>)
        case published(Push<TestPublication>.Params)
    }
    private struct Kind: Decodable { let method: String? }

    private static let numbers = Atomic<UInt64>(1 << 40)

    /// Unique among viewers and connections.
    public let subscriberID = numbers.wrappingAdd(1, ordering: .relaxed).oldValue
    /// Where it is called.
    public let subscriberLoop: EventLoop
    private let deliveries = Mutex<[Delivery]>([])

    /// - Parameter loop: Where it is called; the hub must keep to it.
    public init(loop: EventLoop) { subscriberLoop = loop }

    /// Keeps a frame. On its loop, which it checks.
    public func deliver(_ delivery: Delivery) {
        subscriberLoop.preconditionIsolated()
        deliveries.withLock { $0.append(delivery) }
    }

    /// Everything that was on its way when this was called has arrived afterwards.
    public func settle() async {
        await withCheckedContinuation { continuation in subscriberLoop.execute { continuation.resume() } }
    }

    /// What came since the last call, in order.
    public func take() async -> [Delivery] {
        await settle()
        return deliveries.withLock { deliveries in
            defer { deliveries.removeAll() }
            return deliveries
        }
    }

    /// What came since the last call, read.
    public func events() async throws -> [Event] {
        // Publications that follow each other closely come as one delivery.
        try await take().flatMap { delivery in
            try delivery.messages.map { try Self.read($0.frame, of: delivery.topic) }
        }
    }

    /// Updates of zones since the last call.
    public func zoneUpdates() async throws -> [ZoneUpdate] {
        try await events().compactMap { if case .zone(let update) = $0 { update } else { nil } }
    }

    /// Updates of sessions since the last call.
    public func sessionUpdates() async throws -> [SessionUpdate] {
        try await events().compactMap { if case .session(let update) = $0 { update } else { nil } }
    }

    /// Encodes the reply to a subscription, as the server does.
    public static func reply<Snapshot: Codable & Sendable>(_ topic: Topic) -> @Sendable (Snapshot) -> [UInt8] {
        { snapshot in
            let result = Subscribed(topic: topic.description, snapshot: snapshot)
            return (try? WireJSON.encode(Success(id: .number(1), result: result))) ?? []
        }
    }

    /// Reads one message.
    private static func read(_ frame: [UInt8], of topic: Topic) throws -> Event {
        let json = payload(of: frame)
        let isPush = try WireJSON.decode(Kind.self, from: json).method == "push"
        switch (topic, isPush) {
        case (.zonePositions, true), (.cellPositions, true):
            return .zone(try WireJSON.decode(Push<ZoneUpdate>.self, from: json).params.data)
        case (.zonePositions, false), (.cellPositions, false):
            return .zoneSnapshot(
                try WireJSON.decode(Success<Subscribed<ZoneSnapshot>>.self, from: json).result.snapshot)
        case (.session, true):
            return .session(try WireJSON.decode(Push<SessionUpdate>.self, from: json).params.data)
        case (.session, false):
            return .sessionSnapshot(
                try WireJSON.decode(Success<Subscribed<SessionSnapshot>>.self, from: json).result.snapshot)
        case (.heatmap, true):
            return .heatmap(try WireJSON.decode(Push<HeatmapUpdate>.self, from: json).params.data)
        case (.heatmap, false):
            return .heatmap(try WireJSON.decode(Success<Subscribed<HeatmapUpdate>>.self, from: json).result.snapshot)
        case (.chat, _), (.user, _), (.notices, _), (.share, _), (.people, _), (.route, _), (.workout, _):
            throw RPCError(.notFound, "this viewer reads none of these")
        case (.campusNotices, true), (.zoneNotices, true), (.test, true):
            return .published(try WireJSON.decode(Push<TestPublication>.self, from: json).params)
        case (.campusNotices, false), (.zoneNotices, false), (.test, false):
            return .resumed(try WireJSON.decode(Success<Resumed<TestPublication>>.self, from: json).result)
        }
    }

    /// The payload of an unmasked text frame (RFC 6455 §5.2).
    public static func payload(of frame: [UInt8]) -> [UInt8] {
        guard frame.count >= 2 else { return [] }
        let header = frame[1] == 126 ? 4 : frame[1] == 127 ? 10 : 2
        return Array(frame.dropFirst(header))
    }
}
