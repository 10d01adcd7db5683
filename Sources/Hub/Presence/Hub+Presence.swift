import EventLoop
import Wire

extension SessionAccess {
    /// The owner is told names and is no spectator; everybody else is counted and told the count.
    var attendee: Attendee { Attendee(account: account, isCounted: !isOwner, seesNames: isOwner) }
}

extension Hub {
    /// Between two pushes that tell who watches a topic, at least.
    public static let presenceInterval = Duration.seconds(1)

    /// A subscriber watches a topic from now on.
    /// - Returns: Who watches, with it, as far as it may see.
    func join(_ topic: Topic, _ subscriber: any Subscriber, as attendee: Attendee) -> Presence? {
        gatherings.join(topic, subscriber, as: attendee)
        schedulePresence()
        return gatherings.snapshot(of: topic, seesNames: attendee.seesNames)
    }

    /// A subscriber does not watch a topic any more. Harmless when it did not.
    func leave(_ topic: Topic, _ subscriber: any Subscriber) {
        gatherings.leave(topic, subscriber)
        schedulePresence()
    }

    /// To one whose pushes were skipped: who watches now.
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

    /// On the home loop, ``presenceInterval`` after the first change: whatever happened meanwhile is one push for those who see
    /// names and one for those who do not.
    func tellPresence() {
        gatherings.isScheduled = false
        for (topic, presence, viewers) in gatherings.takeNews() {
            let update = PresenceUpdate(serverTime: serverTime, presence: presence)
            let delivery = Delivery(topic: topic, json: Self.json(topic, update), lane: .conflating)
            outbox.publish(delivery, to: viewers)
        }
    }

    // MARK: Several nodes

    /// Has somebody told who watches here, once an interval for each topic where that has changed. Nil: nobody of this node does
    /// any more.
    ///
    /// The first report of a topic says that it is in use here: that is when the other nodes are to be asked for theirs.
    /// - Parameter observer: Called on the home loop; must not block. Nil to end it.
    public func observePresence(_ observer: (@Sendable (Topic, PresenceReport?) -> Void)?) {
        gatherings.observer = observer
    }

    /// What another node says of who watches a topic there, in place of what it said before. Ignored when nobody here watches it.
    /// - Parameters:
    ///   - report: Nil when nobody watches there any more.
    ///   - node: Any number that is the node's own.
    public func setRemote(_ report: PresenceReport?, of node: UInt64, at topic: Topic) {
        gatherings.setRemote(report, of: node, at: topic)
        schedulePresence()
    }

    /// Another node is lost: who watched there does not count any more. O(topics).
    public func loseRemote(node: UInt64) {
        gatherings.lose(node: node)
        schedulePresence()
    }
}
