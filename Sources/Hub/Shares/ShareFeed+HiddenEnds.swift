import Bus
import Campus
import EventLoop
import HubCore
import Wire

/// Shares that end in a hidden place. Their viewers learn of the end at a time given by ``Campus/HiddenEndClock``. Until then the share
/// is `hidden` for them, and nothing else of it is delivered, whatever happens meanwhile.
extension ShareFeed {
    /// For working shares that hide their owner's location now: when their viewers would learn of an end.
    /// - Parameter started: The shares, with when each began.
    public func hiddenEnds(of started: [Int64: Timestamp]) async -> [Int64: Timestamp] {
        let time = serverTime
        return await endTimes(of: started, at: time).filter { $0.value > time }
    }

    /// When viewers of working shares would learn of an end now: at once if they see the owner. The result omits a share for which no
    /// node has a state. While a node does not answer, such a share counts as hidden, because that node may have the owner's location.
    /// - Parameters:
    ///   - started: The shares, with when each began.
    ///   - time: Now; nil for the server's clock.
    public func endTimes(of started: [Int64: Timestamp], at time: Timestamp? = nil) async -> [Int64: Timestamp] {
        let time = time ?? serverTime
        guard !started.isEmpty else { return [:] }
        let (answers, areAllThere) = await askEveryNode(.states(Array(started.keys)))
        // After the question, so that changes during it count.
        var known = started.keys.compactMap(held)
        for case .held(let held) in answers { known += held }
        let byShare = Dictionary(grouping: known, by: \.share)
        var ends: [Int64: Timestamp] = [:]
        for (id, startedAt) in started {
            let all = byShare[id] ?? []
            let shown = all.compactMap(\.shown)
            let chosen = shown.map(\.chosenAt).max()
            let newest = shown.filter { $0.chosenAt == chosen }.max { $0.receivedAt < $1.receivedAt }
            switch newest?.state {
            case .live, .old: ends[id] = time
            case nil where areAllThere, .some(.none) where areAllThere: break
            default:
                ends[id] = HiddenEndClock(lastSeen: all.map(\.endClock).max() ?? startedAt).publication(of: time)
            }
        }
        return ends
    }

    /// The working shares that are tied to a session and known here, with when each began.
    public func working(with session: Session) -> [Int64: Timestamp] {
        let tied = (registry.of[session.owner.id] ?? []).compactMap { registry.shares[$0]?.share }
        return tied.reduce(into: [:]) { if $1.session == session.id { $0[$1.id] = $1.startedAt } }
    }

    /// Ends shares whose end was committed and is delayed for viewers. When this returns, no location of them is delivered any more here,
    /// or at another node that answered in time.
    public func delayEnds(_ ends: [Int64: Timestamp]) async {
        guard !ends.isEmpty else { return }
        holdLocally(ends)
        async let here: Void = drain()
        async let there = askNodes(.ending(ends.map { .init(share: $0.key, publishedAt: $0.value) }))
        async let written: Void = writeAccessLog(of: Set(ends.keys))
        _ = await (here, there, written)
    }

    func holdLocally(_ ends: [Int64: Timestamp]) {
        for (id, time) in ends {
            registry.end(id, publishedAt: time, now: serverTime)
            guard let live = registry.shares[id] else { continue }
            live.share.endPublishedAt = time
            hold(live)
        }
        takeOffMap { ends[$0.share] != nil }
    }

    /// Ends a share for its owner's other devices at once; for viewers it stays, with a hidden location.
    func hold(_ live: LiveShare) {
        (live.own, live.sourceFix, live.others, live.silencePublishedAt) = (nil, nil, [:], nil)
        registry.move(live, to: nil)
        cut(live) { $0.opening == 0 }
        for group in live.audience.groups.values { registry.drained[ObjectIdentifier(group.loop)] = group.loop }
        publishShown(live)
        scheduleSweep()
    }

    /// This node's state of a share: its own computation, or else another node's last one.
    func held(_ id: Int64) -> ShareMessage.Held? {
        registry.shares[id].map { live in
            let others = live.others.values.map(\.shown).filter { $0.chosenAt == live.share.chosenAt }
            let published = live.published.state == .hidden ? live.published : nil
            return .init(
                share: id, shown: live.own ?? others.max { $0.receivedAt < $1.receivedAt } ?? published,
                endClock: live.endClock.lastSeen)
        }
    }
}
