import EventLoop
import Wire

/// Blocks on the map (B-5). No viewer is shown a person that it blocks or is blocked by, nor a count that includes that person.
///
/// A viewer with blocks shares the common rendition while no blocked person is in the area or has just left it. Before the feed
/// publishes such a person, the viewer moves to a private rendition. That continues from the last common publication, so that the
/// viewer cannot notice that a blocked person has come. The viewer keeps the private rendition until it leaves the area.
extension Pictures {
    /// Largest number of runners in all private renditions with the full update rate, counted when each rendition began. Further
    /// private renditions are published every ``slowInterval``: each is encoded for one account alone, and many accounts that block
    /// each other must not slow the publications for all others.
    static let ownRunnersMax = 5_000

    // MARK: Visibility

    /// Whether a rendition shows a session.
    func shows(_ session: LiveSession, _ look: Look) -> Bool {
        session.isVisible(to: look.tier) && !isBlocked(session.session.owner.id, look)
    }

    /// Whether a rendition must leave an owner's sessions out because of a block. In a common rendition no viewer has a block with
    /// anyone who is shown.
    func isBlocked(_ owner: Int64, _ look: Look) -> Bool {
        look.account != 0 && blocks.hold(between: look.account, and: owner)
    }

    // MARK: Choice of rendition

    /// The rendition for an account that begins to view an area. O(runners) for an account with blocks.
    func look(of account: Int64, at place: Place, as look: Look, live: [Int64: LiveSession]) -> Look {
        var own = look
        own.account = account
        // All connections of the account share one private rendition, so that all leave the common one together; they keep it when the
        // block is lifted.
        if !place.own.isEmpty, place.own[own] != nil { return own }
        let others = blocks[account]
        guard !others.isEmpty else { return look }
        let isParted =
            place.leaves.contains { others.contains($0.owner) }
            || place.runners.contains { live[$0].map { others.contains($0.session.owner.id) } ?? false }
        return isParted ? own : look
    }

    /// Adds a viewer to a rendition, which is created if there is none.
    mutating func join(_ place: Place, _ look: Look, _ subscriber: any Subscriber, after shared: Picture? = nil) {
        let picture = place.picture(look) ?? begin(place, look, after: shared)
        picture.viewers.insert(subscriber)
    }

    private mutating func begin(_ place: Place, _ look: Look, after shared: Picture?) -> Picture {
        let isOwn = look.account != 0
        let weight = isOwn ? place.runners.count + 1 : 0
        let pace = isOwn && ownRunners + weight > Self.ownRunnersMax ? .slow : look.pace
        let picture = shared.map { Picture(after: $0, pace: pace) } ?? Picture(pace: pace)
        if isOwn, pace == .full {
            picture.weight = weight
            ownRunners += weight
        }
        if isOwn { place.own[look] = picture } else { place.pictures[look] = picture }
        if pace == .slow, place.slow == nil { place.slow = News() }
        if pace != look.pace, shared != nil {
            // The rendition is slower than its key says: changes that were due at the full rate become due at the slow one.
            place.slow?.changed.formUnion(place.full.changed)
            place.slow?.left += place.full.left
        }
        return picture
    }

    /// Removes a viewer from a rendition, which ends with its last viewer.
    mutating func part(_ place: Place, _ look: Look, _ subscriber: any Subscriber) {
        guard let picture = place.picture(look) else { return }
        picture.viewers.remove(subscriber)
        guard picture.viewers.isEmpty else { return }
        if look.account == 0 { place.pictures[look] = nil } else { place.own[look] = nil }
        ownRunners -= picture.weight
        guard picture.pace == .slow, !place.pictures.values.contains(where: { $0.pace == .slow }),
            !place.own.values.contains(where: { $0.pace == .slow })
        else { return }
        place.slow = nil
    }

    /// Moves viewers that are blocked with `owner` to private renditions, before the owner's session enters the area. O(1) unless the
    /// area has a viewer with blocks.
    mutating func separate(from owner: Int64, in place: Place) {
        guard !place.guarded.isEmpty else { return }
        let others = blocks[owner]
        guard !others.isEmpty else { return }
        for viewer in place.guarded.values where others.contains(viewer.account) { separate(viewer, place) }
    }

    private mutating func separate(_ viewer: GuardedViewer, _ place: Place) {
        guard viewer.look.account == 0, let shared = place.pictures[viewer.look] else { return }
        var own = viewer.look
        own.account = viewer.account
        place.guarded[viewer.subscriber.subscriberID]?.look = own
        join(place, own, viewer.subscriber, after: shared)
        part(place, viewer.look, viewer.subscriber)
    }

    // MARK: New blocks

    /// Notes that a viewer has blocks from now on. Idempotent; does nothing if the subscriber does not view the area.
    mutating func `guard`(_ area: Area, for subscriber: any Subscriber, of account: Int64) {
        guard let place = places[area], place.guarded[subscriber.subscriberID] == nil,
            let look = place.look(of: subscriber)
        else { return }
        place.guarded[subscriber.subscriberID] = GuardedViewer(subscriber: subscriber, account: account, look: look)
    }

    /// Withdraws an owner's sessions from an account's viewers immediately, also where the sessions have just left. The viewers must
    /// have been noted by ``guard(_:for:of:)``. O(areas of the sessions, and areas with changes).
    /// - Parameter sessions: The owner's sessions.
    mutating func cut(
        _ account: Int64, from owner: Int64, sessions: Set<Int64>, live: [Int64: LiveSession],
        serverTime: Timestamp
    ) -> [Publication] {
        let left = changed.filter { place in place.leaves.contains { $0.owner == owner } }
        var areas: [Area: Place] = [:]
        for place in sessions.flatMap({ placesOf[$0] ?? [] }) + left { areas[place.area] = place }
        var publications: [Publication] = []
        for place in areas.values {
            let viewers = place.guarded.values.filter { $0.account == account }
            guard !viewers.isEmpty else { continue }
            for viewer in viewers { separate(viewer, place) }
            let (leaves, present) = (place.leaves, place.runners.intersection(sessions))
            publications += publish(
                place, looks: { look, _ in look.account == account }, live: live, serverTime: serverTime,
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
