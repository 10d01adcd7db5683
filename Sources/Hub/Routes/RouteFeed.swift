import EventLoop
import HubCore
import Wire

import struct Foundation.UUID

/// The topics `route/<id>`: new routes of a walk, for the connection of its owner alone.
///
/// Its state is which connection has which walk, and nothing of the routes. Walks live at the node of their connection.
public actor RouteFeed: Feed {
    package nonisolated let core: HubCore
    package nonisolated let kinds: [Topic.Kind] = [.route]
    public nonisolated var unownedExecutor: UnownedSerialExecutor { core.loop.asUnownedSerialExecutor() }

    /// The connection of each walk.
    private var walkers: [UUID: any Subscriber] = [:]
    /// The walk of each connection, also one that it has unsubscribed from: a connection has one walk.
    private var walks: [UInt64: UUID] = [:]
    private var lost: @Sendable (UUID) -> Void = { _ in }

    init(_ core: HubCore) { self.core = core }

    /// Sets what is called, on the hub's loop, when the connection of a walk has closed, or unsubscribed.
    public func setLost(_ lost: @escaping @Sendable (UUID) -> Void) { self.lost = lost }

    /// Number of walks with a connection.
    public var walkerCount: Int { walkers.count }

    /// Opens the topic of a walk for a connection, and sends the reply. A walk has one connection, and a connection one walk.
    /// - Parameter reply: JSON of the reply; empty for none.
    /// - Returns: The walk that the connection had before.
    /// - Throws: ``Wire/RPCError`` when the connection has too many topics.
    public func open(_ walk: UUID, for subscriber: any Subscriber, reply: [UInt8]) throws -> UUID? {
        let topic = Topic.route(walk)
        var before = walks[subscriber.subscriberID]
        // Another connection may have it by now.
        if let known = before, let other = walkers[known], other.subscriberID != subscriber.subscriberID {
            before = nil
        }
        if let before, before != walk { close(before) }
        if let other = walkers[walk], other.subscriberID != subscriber.subscriberID { close(walk) }
        try core.remember(topic, of: subscriber)
        walkers[walk] = subscriber
        walks[subscriber.subscriberID] = walk
        if !reply.isEmpty { send(reply, topic: topic, to: subscriber) }
        return before == walk ? nil : before
    }

    /// Ends the topic of a walk.
    public func close(_ walk: UUID) {
        guard let subscriber = walkers.removeValue(forKey: walk) else { return }
        walks[subscriber.subscriberID] = nil
        core.forget(.route(walk), of: subscriber.subscriberID)
    }

    /// Sends a publication to the owner of a walk. Nothing is ever left out.
    /// - Parameter push: From ``push(_:to:)``.
    public func send(_ push: [UInt8], to walk: UUID) {
        guard let subscriber = walkers[walk] else { return }
        send(push, topic: .route(walk), to: subscriber)
    }

    /// The JSON of a publication. May be called on any thread.
    public static func push(_ update: RouteUpdate, to walk: UUID) -> [UInt8] {
        var json = JSONText(bytesExpected: 4_096)
        json.add("{\"jsonrpc\":\"2.0\",\"method\":\"push\",\"params\":{\"topic\":\"")
        json.add(plain: Topic.route(walk).description)
        json.add("\",\"data\":")
        update.write(to: &json)
        json.add("}}")
        return json.bytes
    }

    package func left(_ topic: Topic, _ subscriber: any Subscriber) {
        guard case .route(let walk) = topic, walkers[walk]?.subscriberID == subscriber.subscriberID else { return }
        walkers[walk] = nil
        lost(walk)
    }

    package func closed(_ subscriber: any Subscriber) { walks[subscriber.subscriberID] = nil }
}
