import EventLoop
import Wire

/// Blocks on the map (B-5). Nobody is shown whom it blocks or who blocks it, nor counted among others.
///
/// Whoever has blocks shares the pictures of all others as long as nobody is in the area, or has just left it, whom it must not see.
/// Before such a one is told of there, it goes on with a picture of its own: unnoticed, from what it was told last, so that nothing
/// tells that somebody has come. It keeps that picture until it looks away.
extension Pictures {
    /// Runners in all pictures of single accounts that are told at the full pace, as they were when those began. Further pictures are told
    /// every ``slowInterval``: each is encoded for one account alone, and many that block each other must not take the time of all others.
    static let ownRunnersMax = 5_000

    // MARK: What a look shows

    /// Whether a look shows a session.
    func shows(_ session: LiveSession, _ look: Look) -> Bool {
        session.isVisible(to: look.tier) && !isBlocked(session.session.owner.id, look)
    }

    /// Whether the picture is that of somebody who is to know nothing of an owner. In the picture of several, nobody is there who would be.
    func isBlocked(_ owner: Int64, _ look: Look) -> Bool {
        look.account != 0 && blocks.hold(between: look.account, and: owner)
    }

    // MARK: Who looks how

    /// How an account looks at a place that it comes to now. O(runners) for who has blocks.
    func look(of account: Int64, at place: Place, as look: Look, live: [Int64: LiveSession]) -> Look {
        var own = look
        own.account = account
        // One picture for all that it looks at alike, so that all of them part from the shared one together; also when there is no block
        // any more.
        if !place.own.isEmpty, place.own[own] != nil { return own }
        let others = blocks[account]
        guard !others.isEmpty else { return look }
        let isParted =
            place.leaves.contains { others.contains($0.owner) }
            || place.runners.contains { live[$0].map { others.contains($0.session.owner.id) } ?? false }
        return isParted ? own : look
    }

    /// Adds a viewer to a picture, which begins here.
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
            // What was about to be told at the full pace comes later.
            place.slow?.changed.formUnion(place.full.changed)
            place.slow?.left += place.full.left
        }
        return picture
    }

    /// Takes a viewer from a picture, which ends with its last.
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

    /// Somebody comes to a place: who must not see that goes on with a picture of its own. O(1) unless a viewer there has blocks.
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

    // MARK: Blocks that come

    /// A viewer has blocks from now on. Harmless when it does not look there, and when it is known.
    mutating func `guard`(_ area: Area, for subscriber: any Subscriber, of account: Int64) {
        guard let place = places[area], place.guarded[subscriber.subscriberID] == nil,
            let look = place.look(of: subscriber)
        else { return }
        place.guarded[subscriber.subscriberID] = GuardedViewer(subscriber: subscriber, account: account, look: look)
    }

    /// Not at the next tick but now: an account is not to see an owner any more, nor where that has just been. Its viewers must be known
    /// by ``guard(_:for:of:)``. O(places of the sessions, and those that have something to tell).
    /// - Parameter sessions: Those of the owner.
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
