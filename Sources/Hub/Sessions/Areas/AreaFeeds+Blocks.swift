import EventLoop
import HubCore
import Wire

/// Blocks on the map (B-5). No viewer is shown a person that it blocks or is blocked by, nor a count that includes that person.
///
/// A viewer with blocks shares the common rendition while no blocked person is in the area or has just left it. Before the feed
/// publishes such a person, the viewer moves to a private rendition. That continues from the last common publication, so that the
/// viewer cannot notice that a blocked person has come. The viewer keeps the private rendition until it leaves the area.
extension AreaFeeds {
    /// Largest number of runners in all private renditions with the full update rate, counted when each rendition began. Further
    /// private renditions are published every ``slowInterval``: each is encoded for one account alone, and many accounts that block
    /// each other must not slow the publications for all others.
    static let privateRunnersMax = 5_000

    // MARK: Visibility

    /// Whether a rendition shows a session.
    func shows(_ session: LiveSession, _ key: RenditionKey) -> Bool {
        session.isVisible(to: key.tier) && !isBlocked(session.session.owner.id, key)
    }

    /// Whether a rendition must leave an owner's sessions out because of a block. In a common rendition no viewer has a block with
    /// anyone who is shown.
    func isBlocked(_ owner: Int64, _ key: RenditionKey) -> Bool {
        key.account != 0 && blocks.hold(between: key.account, and: owner)
    }

    // MARK: Choice of rendition

    /// The rendition for an account that begins to view an area. O(runners) for an account with blocks.
    func renditionKey(of account: Int64, at feed: AreaFeed, as key: RenditionKey, live: [Int64: LiveSession])
        -> RenditionKey
    {
        var own = key
        own.account = account
        // All connections of the account share one private rendition, so that all leave the common one together; they keep it when the
        // block is lifted.
        if !feed.privateRenditions.isEmpty, feed.privateRenditions[own] != nil { return own }
        let others = blocks[account]
        guard !others.isEmpty else { return key }
        let isParted =
            feed.leaves.contains { others.contains($0.owner) }
            || feed.runners.contains { live[$0].map { others.contains($0.session.owner.id) } ?? false }
        return isParted ? own : key
    }

    /// Adds a viewer to a rendition, which is created if there is none.
    mutating func join(
        _ feed: AreaFeed, _ key: RenditionKey, _ subscriber: any Subscriber, after shared: Rendition? = nil
    ) {
        let rendition = feed.rendition(key) ?? begin(feed, key, after: shared)
        rendition.viewers.insert(subscriber)
    }

    private mutating func begin(_ feed: AreaFeed, _ key: RenditionKey, after shared: Rendition?) -> Rendition {
        let isOwn = key.account != 0
        let weight = isOwn ? feed.runners.count + 1 : 0
        let updateRate = isOwn && privateRunners + weight > Self.privateRunnersMax ? .slow : key.updateRate
        let rendition = shared.map { Rendition(after: $0, updateRate: updateRate) } ?? Rendition(updateRate: updateRate)
        if isOwn, updateRate == .full {
            rendition.weight = weight
            privateRunners += weight
        }
        if isOwn { feed.privateRenditions[key] = rendition } else { feed.commonRenditions[key] = rendition }
        if updateRate == .slow, feed.slow == nil { feed.slow = Changes() }
        if updateRate != key.updateRate, shared != nil {
            // The rendition is slower than its key says: changes that were due at the full rate become due at the slow one.
            feed.slow?.changed.formUnion(feed.full.changed)
            feed.slow?.left += feed.full.left
        }
        return rendition
    }

    /// Removes a viewer from a rendition, which ends with its last viewer.
    mutating func part(_ feed: AreaFeed, _ key: RenditionKey, _ subscriber: any Subscriber) {
        guard let rendition = feed.rendition(key) else { return }
        rendition.viewers.remove(subscriber)
        guard rendition.viewers.isEmpty else { return }
        if key.account == 0 { feed.commonRenditions[key] = nil } else { feed.privateRenditions[key] = nil }
        privateRunners -= rendition.weight
        guard rendition.updateRate == .slow, !feed.commonRenditions.values.contains(where: { $0.updateRate == .slow }),
            !feed.privateRenditions.values.contains(where: { $0.updateRate == .slow })
        else { return }
        feed.slow = nil
    }

    /// Moves viewers that are blocked with `owner` to private renditions, before the owner's session enters the area. O(1) unless the
    /// area has a viewer with blocks.
    mutating func separate(from owner: Int64, in feed: AreaFeed) {
        guard !feed.guarded.isEmpty else { return }
        let others = blocks[owner]
        guard !others.isEmpty else { return }
        for viewer in feed.guarded.values where others.contains(viewer.account) { separate(viewer, feed) }
    }

    private mutating func separate(_ viewer: GuardedViewer, _ feed: AreaFeed) {
        guard viewer.key.account == 0, let shared = feed.commonRenditions[viewer.key] else { return }
        var own = viewer.key
        own.account = viewer.account
        feed.guarded[viewer.subscriber.subscriberID]?.key = own
        join(feed, own, viewer.subscriber, after: shared)
        part(feed, viewer.key, viewer.subscriber)
    }

    // MARK: New blocks

    /// Notes that a viewer has blocks from now on. Idempotent; does nothing if the subscriber does not view the area.
    mutating func `guard`(_ area: Area, for subscriber: any Subscriber, of account: Int64) {
        guard let feed = feeds[area], feed.guarded[subscriber.subscriberID] == nil,
            let key = feed.renditionKey(of: subscriber)
        else { return }
        feed.guarded[subscriber.subscriberID] = GuardedViewer(subscriber: subscriber, account: account, key: key)
    }

    /// Withdraws an owner's sessions from an account's viewers immediately, also where the sessions have just left. The viewers must
    /// have been noted by ``guard(_:for:of:)``. O(areas of the sessions, and areas with changes).
    /// - Parameter sessions: The owner's sessions.
    mutating func cut(
        _ account: Int64, from owner: Int64, sessions: Set<Int64>, live: [Int64: LiveSession],
        serverTime: Timestamp
    ) -> [Publication] {
        let left = changed.filter { feed in feed.leaves.contains { $0.owner == owner } }
        var areas: [Area: AreaFeed] = [:]
        for feed in sessions.flatMap({ placesOf[$0] ?? [] }) + left { areas[feed.area] = feed }
        var publications: [Publication] = []
        for feed in areas.values {
            let viewers = feed.guarded.values.filter { $0.account == account }
            guard !viewers.isEmpty else { continue }
            for viewer in viewers { separate(viewer, feed) }
            let (leaves, present) = (feed.leaves, feed.runners.intersection(sessions))
            publications += publish(
                feed, where: { key, _ in key.account == account }, live: live, serverTime: serverTime,
                runners: { _ in [] },
                left: { key in
                    let gone = leaves.filter { $0.owner == owner && $0.tiers.contains(key.tier) }.map(
                        \.entry.session)
                    let here = present.filter { live[$0]?.isAllowed(to: key.tier) == true }
                    return here.union(gone).sorted().map { .init(session: $0, reason: .hidden) }
                })
        }
        return publications
    }
}
