import EventLoop
import Wire

extension SessionAccess {
    /// The owner sees names and is no spectator; every other viewer is counted and sees the count.
    var attendee: PresenceMember { PresenceMember(account: account, isCounted: !isOwner, seesNames: isOwner) }
}

extension Hub {
    /// Smallest interval between two presence pushes of a topic.
    public static let presenceInterval = Duration.seconds(1)

    /// Adds a subscriber to the presence set of a topic.
    /// - Returns: The presence including the subscriber, as far as it may see it.
    func join(_ topic: Topic, _ subscriber: any Subscriber, as attendee: PresenceMember) -> Presence? {
        gatherings.join(topic, subscriber, as: attendee)
        schedulePresence()
        return gatherings.snapshot(of: topic, seesNames: attendee.seesNames)
    }

    /// Removes a subscriber from the presence set of a topic. Idempotent.
    func leave(_ topic: Topic, _ subscriber: any Subscriber) {
        gatherings.leave(topic, subscriber)
        schedulePresence()
    }

    /// Sends the current presence to a subscriber whose pushes were skipped.
    func refreshPresence(_ subscriber: any Subscriber, topic: Topic, seesNames: Bool) {
        guard let presence = gatherings.snapshot(of: topic, seesNames: seesNames) else { return }
        schedulePresence()
        let update = PresenceUpdate(serverTime: serverTime, presence: presence)
        send(Self.json(topic, update), topic: topic, to: subscriber, lane: .conflating)
    }

    func schedulePresence() {
        guard gatherings.hasChanged, !gatherings.isScheduled else { return }
        gatherings.isScheduled = true
        loop.schedule(after: presenceInterval) { [self] in assumeIsolated { $0.tellPresence() } }
    }

    /// Publishes the changed presence sets. On the hub's loop, ``presenceInterval`` after the first change: all changes are one push to
    /// subscribers that see names, and one to those that do not.
    func tellPresence() {
        gatherings.isScheduled = false
        for (topic, presence, viewers) in gatherings.takeNews() {
            let update = PresenceUpdate(serverTime: serverTime, presence: presence)
            let delivery = Delivery(topic: topic, json: Self.json(topic, update), lane: .conflating)
            outbox.publish(delivery, to: viewers)
        }
    }

    // MARK: Other nodes

    /// Sets the observer of the viewers at this node. It is called once an interval for each topic whose viewers changed; nil means
    /// that this node has none any more.
    ///
    /// The first report of a topic means that it has viewers here from now on: the other nodes are then to be asked for their reports.
    /// - Parameter observer: Called on the hub's loop; must not block. Nil to end it.
    public func observePresence(_ observer: (@Sendable (Topic, PresenceReport?) -> Void)?) {
        gatherings.observer = observer
    }

    /// Replaces another node's report on the viewers of a topic. Ignored when the topic has no subscribers here.
    /// - Parameters:
    ///   - report: Nil when the node has no viewers any more.
    ///   - node: A number that identifies the node.
    public func setRemote(_ report: PresenceReport?, of node: UInt64, at topic: Topic) {
        gatherings.setRemote(report, of: node, at: topic)
        schedulePresence()
    }

    /// Drops the viewers of a lost node. O(topics).
    public func loseRemote(node: UInt64) {
        gatherings.lose(node: node)
        schedulePresence()
    }
}
