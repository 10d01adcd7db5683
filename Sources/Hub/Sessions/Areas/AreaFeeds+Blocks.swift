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
    static let ownRunnersMax = 5_000

    // MARK: Visibility

    /// Whether a rendition shows a session.
    func shows(_ session: LiveSession, _ look: RenditionKey) -> Bool {
        session.isVisible(to: look.tier) && !isBlocked(session.session.owner.id, look)
    }

    /// Whether a rendition must leave an owner's sessions out because of a block. In a common rendition no viewer has a block with
    /// anyone who is shown.
    func isBlocked(_ owner: Int64, _ look: RenditionKey) -> Bool {
        look.account != 0 && blocks.hold(between: look.account, and: owner)
    }

    // MARK: Choice of rendition

    /// The rendition for an account that begins to view an area. O(runners) for an account with blocks.
    func look(of account: Int64, at feed: AreaFeed, as look: RenditionKey, live: [Int64: LiveSession]) -> RenditionKey {
        var own = look
        own.account = account
        // All connections of the account share one private rendition, so that all leave the common one together; they keep it when the
        // block is lifted.
        if !feed.own.isEmpty, feed.own[own] != nil { return own }
        let others = blocks[account]
        guard !others.isEmpty else { return look }
        let isParted =
            feed.leaves.contains { others.contains($0.owner) }
            || feed.runners.contains { live[$0].map { others.contains($0.session.owner.id) } ?? false }
        return isParted ? own : look
    }

    /// Adds a viewer to a rendition, which is created if there is none.
    mutating func join(
        _ feed: AreaFeed, _ look: RenditionKey, _ subscriber: any Subscriber, after shared: Rendition? = nil
    ) {
        let rendition = feed.rendition(look) ?? begin(feed, look, after: shared)
        rendition.viewers.insert(subscriber)
    }

    private mutating func begin(_ feed: AreaFeed, _ look: RenditionKey, after shared: Rendition?) -> Rendition {
        let isOwn = look.account != 0
        let weight = isOwn ? feed.runners.count + 1 : 0
        let pace = isOwn && ownRunners + weight > Self.ownRunnersMax ? .slow : look.pace
        let rendition = shared.map { Rendition(after: $0, pace: pace) } ?? Rendition(pace: pace)
        if isOwn, pace == .full {
            rendition.weight = weight
            ownRunners += weight
        }
        if isOwn { feed.own[look] = rendition } else { feed.commonRenditions[look] = rendition }
        if pace == .slow, feed.slow == nil { feed.slow = News() }
        if pace != look.pace, shared != nil {
            // The rendition is slower than its key says: changes that were due at the full rate become due at the slow one.
            feed.slow?.changed.formUnion(feed.full.changed)
            feed.slow?.left += feed.full.left
        }
        return rendition
    }

    /// Removes a viewer from a rendition, which ends with its last viewer.
    mutating func part(_ feed: AreaFeed, _ look: RenditionKey, _ subscriber: any Subscriber) {
        guard let rendition = feed.rendition(look) else { return }
        rendition.viewers.remove(subscriber)
        guard rendition.viewers.isEmpty else { return }
        if look.account == 0 { feed.commonRenditions[look] = nil } else { feed.own[look] = nil }
        ownRunners -= rendition.weight
        guard rendition.pace == .slow, !feed.commonRenditions.values.contains(where: { $0.pace == .slow }),
            !feed.own.values.contains(where: { $0.pace == .slow })
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
        guard viewer.look.account == 0, let shared = feed.commonRenditions[viewer.look] else { return }
        var own = viewer.look
        own.account = viewer.account
        feed.guarded[viewer.subscriber.subscriberID]?.look = own
        join(feed, own, viewer.subscriber, after: shared)
        part(feed, viewer.look, viewer.subscriber)
    }

    // MARK: New blocks

    /// Notes that a viewer has blocks from now on. Idempotent; does nothing if the subscriber does not view the area.
    mutating func `guard`(_ area: Area, for subscriber: any Subscriber, of account: Int64) {
        guard let feed = feeds[area], feed.guarded[subscriber.subscriberID] == nil,
            let look = feed.look(of: subscriber)
        else { return }
        feed.guarded[subscriber.subscriberID] = GuardedViewer(subscriber: subscriber, account: account, look: look)
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
                feed, looks: { look, _ in look.account == account }, live: live, serverTime: serverTime,
                runners: { _ in [] },
                left: { look in
                    let gone = leaves.filter { $0.owner == owner && $0.tiers.contains(look.tier) }.map(
                        \.entry.session)
                    let here = present.filter { live[$0]?.isAllowed(to: look.tier) == true }
                    return here.union(gone).sorted().map { .init(session: $0, reason: .hidden) }
                })
        }
        return publications
    }
}
