import Bus
import EventLoop
import Wire

/// A part of the hub with state of its own, usually one kind of stream: it decides what its subscribers receive.
///
/// A feed is an actor on the hub's loop. The core calls the methods below synchronously. Each method has a default that does nothing, so
/// that a feed implements only the ones that it needs.
package protocol Feed: Actor {
    nonisolated var core: HubCore { get }
    /// Kinds of topics that the feed publishes.
    nonisolated var kinds: [Topic.Kind] { get }

    /// A connection has unsubscribed from one of the feed's topics, or has closed.
    func left(_ topic: Topic, _ subscriber: any Subscriber)
    /// A connection has closed; its topics were left before.
    func closed(_ subscriber: any Subscriber)
    /// A connection has skipped pushes of these topics and has room again.
    func refresh(_ subscriber: any Subscriber, _ topics: Set<Topic>, isSlow: Bool)
    /// Publishes the changes since the last tick.
    func tick()

    /// Another node has joined.
    func joined(_ node: NodeID)
    /// Another node has left, or is silent.
    func lost(_ node: NodeID, isSilent: Bool)
    /// The connection to the bus is lost. The nodes may be alive.
    func busLost(_ others: Set<NodeID>)
    /// The hub has left the other nodes: subscriptions to the bus end.
    func leftNodes()

    /// Messages of other nodes may be lost: the state that the feed has from them is in doubt.
    func withhold()
    /// Reads the current state from PostgreSQL.
    /// - Returns: Applies the read state. The core calls it on the loop, unless more messages were lost meanwhile. The read may be older
    /// than messages that arrived since, so that it only ever takes access away.
    func confirm() async throws -> (@Sendable () -> Void)?
    /// PostgreSQL does not answer: hides unconfirmed state from subscribers.
    func hideWithheld()
    /// Publishes the withheld state that PostgreSQL has confirmed.
    func resume()
    /// Nothing is in doubt any more.
    func inDoubtEnded()
}

extension Feed {
    package func left(_ topic: Topic, _ subscriber: any Subscriber) {}
    package func closed(_ subscriber: any Subscriber) {}
    package func refresh(_ subscriber: any Subscriber, _ topics: Set<Topic>, isSlow: Bool) {}
    package func tick() {}
    package func joined(_ node: NodeID) {}
    package func lost(_ node: NodeID, isSilent: Bool) {}
    package func busLost(_ others: Set<NodeID>) {}
    package func leftNodes() {}
    package func withhold() {}
    package func confirm() async throws -> (@Sendable () -> Void)? { nil }
    package func hideWithheld() {}
    package func resume() {}
    package func inDoubtEnded() {}
}

/// The core's calls, on the loop.
extension Feed {
    nonisolated func onLoopLeft(_ topic: Topic, _ subscriber: any Subscriber) {
        assumeIsolated { $0.left(topic, subscriber) }
    }
    nonisolated func onLoopClosed(_ subscriber: any Subscriber) { assumeIsolated { $0.closed(subscriber) } }
    nonisolated func onLoopRefresh(_ subscriber: any Subscriber, _ topics: Set<Topic>, isSlow: Bool) {
        assumeIsolated { $0.refresh(subscriber, topics, isSlow: isSlow) }
    }
    nonisolated func onLoopTick() { assumeIsolated { $0.tick() } }
    nonisolated func onLoopJoined(_ node: NodeID) { assumeIsolated { $0.joined(node) } }
    nonisolated func onLoopLost(_ node: NodeID, isSilent: Bool) { assumeIsolated { $0.lost(node, isSilent: isSilent) } }
    nonisolated func onLoopBusLost(_ others: Set<NodeID>) { assumeIsolated { $0.busLost(others) } }
    nonisolated func onLoopLeftNodes() { assumeIsolated { $0.leftNodes() } }
    nonisolated func onLoopWithhold() { assumeIsolated { $0.withhold() } }
    nonisolated func onLoopHideWithheld() { assumeIsolated { $0.hideWithheld() } }
    nonisolated func onLoopResume() { assumeIsolated { $0.resume() } }
    nonisolated func onLoopInDoubtEnded() { assumeIsolated { $0.inDoubtEnded() } }
}

/// The core as feeds use it.
extension Feed {
    package nonisolated var loop: EventLoop { core.loop }
    package var serverTime: Timestamp { core.serverTime }
    package var link: NodeLink? { core.nodes }
    package func monotonic() -> UInt64 { core.monotonic() }
    package func scheduleTick() { core.scheduleTick() }
    package static func json(_ topic: Topic, _ data: some Codable & Sendable) -> [UInt8] { HubCore.json(topic, data) }

    package func publish(_ delivery: Delivery, to subscribers: SubscriberSet) {
        core.publish(delivery, to: subscribers)
    }
    package func send(_ delivery: Delivery, to subscriber: any Subscriber) { core.send(delivery, to: subscriber) }
    package func send(_ json: [UInt8], topic: Topic, to subscriber: any Subscriber, lane: Delivery.Lane = .reliable) {
        core.send(Delivery(topic: topic, json: json, lane: lane), to: subscriber)
    }

    /// Subscribes to a subject of the bus until the hub leaves the other nodes.
    /// - Parameter handler: Called on the loop with each event.
    package func listen(
        to pattern: SubjectPattern?, _ handler: @escaping @Sendable (isolated Self, BusEvent) -> Void
    ) throws -> BusSubscription? {
        guard let pattern else { return nil }
        return try core.nodes?.bus.subscribe(to: pattern, on: loop) { [weak self] event in
            self?.assumeIsolated { handler($0, event) }
        }
    }
}
