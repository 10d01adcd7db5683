import Bus
import EventLoop
import HubCore
import Wire

/// The presence sets of topics: the viewers of each, at this node and at others. It has no topics of its own: its pushes go to the
/// subscribers of the topic that they are about.
public actor PresenceFeed: Feed {
    /// Smallest interval between two presence pushes of a topic.
    public static let interval = Duration.seconds(1)

    package nonisolated let core: HubCore
    package nonisolated let kinds: [Topic.Kind] = []
    public nonisolated var unownedExecutor: UnownedSerialExecutor { core.loop.asUnownedSerialExecutor() }

    private let interval: Duration
    var sets = PresenceSets()
    /// Subscriptions to other nodes' reports: topics with viewers here, at most ``NodeLimits/watchesMax``.
    var subscriptions: [Topic: BusSubscription] = [:]

    /// - Parameter interval: Interval between two presence pushes of a topic.
    init(_ core: HubCore, interval: Duration) {
        self.core = core
        self.interval = interval
    }

    /// Adds a subscriber to the presence set of a topic.
    /// - Returns: The presence including the subscriber, as far as it may see it.
    func join(_ topic: Topic, _ subscriber: any Subscriber, as member: PresenceMember) -> Presence? {
        sets.join(topic, subscriber, as: member)
        schedule()
        return sets.snapshot(of: topic, seesNames: member.seesNames)
    }

    /// Removes a subscriber from the presence set of a topic. Idempotent.
    func leave(_ topic: Topic, _ subscriber: any Subscriber) {
        sets.leave(topic, subscriber)
        schedule()
    }

    /// Drops a topic that has ended.
    func end(_ topic: Topic) {
        sets.end(topic)
        schedule()
    }

    /// Sends the current presence to a subscriber whose pushes were skipped.
    func refresh(_ subscriber: any Subscriber, topic: Topic, seesNames: Bool) {
        guard let presence = sets.snapshot(of: topic, seesNames: seesNames) else { return }
        schedule()
        let update = PresenceUpdate(serverTime: serverTime, presence: presence)
        send(Self.json(topic, update), topic: topic, to: subscriber, lane: .conflating)
    }

    func schedule() {
        guard sets.hasChanged, !sets.isScheduled else { return }
        sets.isScheduled = true
        loop.schedule(after: interval) { [weak self] in self?.assumeIsolated { $0.publishChanges() } }
    }

    /// Publishes the changed presence sets: all changes are one push to subscribers that see names, and one to those that do not. On the
    /// loop, an interval after the first change, or at once when a viewer was cut off.
    func publishChanges() {
        sets.isScheduled = false
        for (topic, presence, viewers) in sets.takeChanges() {
            let update = PresenceUpdate(serverTime: serverTime, presence: presence)
            publish(Delivery(topic: topic, json: Self.json(topic, update), lane: .conflating), to: viewers)
        }
    }

    // MARK: Other nodes

    /// Sets the observer of the viewers at this node. It is called once an interval for each topic whose viewers changed; nil means
    /// that this node has none any more.
    ///
    /// The first report of a topic means that it has viewers here from now on: the other nodes are then to be asked for their reports.
    /// - Parameter observer: Called on the hub's loop; must not block. Nil to end it.
    func observe(_ observer: (@Sendable (Topic, PresenceReport?) -> Void)?) {
        sets.observer = observer
    }

    /// Replaces another node's report on the viewers of a topic. Ignored when the topic has no subscribers here.
    /// - Parameters:
    ///   - report: Nil when the node has no viewers any more.
    ///   - node: A number that identifies the node.
    public func setRemote(_ report: PresenceReport?, of node: UInt64, at topic: Topic) {
        sets.setRemote(report, of: node, at: topic)
        schedule()
    }

    /// Drops the viewers of a lost node. O(topics).
    public func loseRemote(node: UInt64) {
        sets.lose(node: node)
        schedule()
    }
}
