import Bus
import Campus
import EventLoop
import Wire

/// Shares that end in a hidden place. Their viewers learn that at a time of ``Campus/HiddenEndClock``. Until then the share is `hidden` for
/// them, and nothing else of it is delivered, whatever happens meanwhile.
extension Hub {
    /// Of shares that work, those that hide where their owner is, and when their viewers would learn of an end now.
    public func hiddenEnds(of ids: [Int64]) async -> [Int64: Timestamp] {
        let time = serverTime
        return await endTimes(of: ids, at: time).filter { $0.value > time }
    }

    /// When viewers of shares that work would learn of an end now: at once where they see the owner. A share is missing of which no node knows
    /// what it shows.
    /// - Parameter time: Now; nil for the server's clock.
    public func endTimes(of ids: [Int64], at time: Timestamp? = nil) async -> [Int64: Timestamp] {
        let time = time ?? serverTime
        guard !ids.isEmpty else { return [:] }
        var known = ids.compactMap(held)
        for answer in await askNodes(.look(ids)) {
            if case .held(let held) = answer { known += held }
        }
        return Dictionary(grouping: known, by: \.share).compactMapValues { all in
            let shown = all.compactMap(\.shown)
            let chosen = shown.map(\.chosenAt).max()
            let newest = shown.filter { $0.chosenAt == chosen }.max { $0.heardAt < $1.heardAt }
            switch newest?.state {
            case .live, .old: return time
            case .hidden: return all.map(\.endClock).max().map { HiddenEndClock(lastSeen: $0).publication(of: time) }
            default: return nil
            }
        }
    }

    /// The working shares of an account that are tied to a session and known here.
    public func shares(with session: Session) -> [Int64] {
        (board.of[session.owner.id] ?? []).filter { board.shares[$0]?.share.session == session.id }
    }

    /// Ends these shares, whose viewers learn it later: that was committed. When this returns nothing of them is delivered any more
    /// here, nor at another node that answered in time.
    public func holdShares(_ ends: [Int64: Timestamp]) async {
        guard !ends.isEmpty else { return }
        holdLocally(ends)
        async let here: Void = drain()
        async let there = askNodes(.ending(ends.map { .init(share: $0.key, toldAt: $0.value) }))
        async let written: Void = writeNotes(of: Set(ends.keys))
        _ = await (here, there, written)
    }

    func holdLocally(_ ends: [Int64: Timestamp]) {
        for (id, time) in ends {
            board.end(id, toldAt: time, now: serverTime)
            guard let live = board.shares[id] else { continue }
            live.share.endToldAt = time
            hold(live)
        }
        takeOffMap { ends[$0.share] != nil }
    }

    /// Its owner's other devices learn of the end at once; viewers keep a share that hides where its owner is.
    func hold(_ live: LiveShare) {
        (live.own, live.shownFrom, live.others, live.silentAt) = (nil, nil, [:], nil)
        board.move(live, to: nil)
        cut(live) { $0.opening == 0 }
        for group in live.audience.groups.values { board.drained[ObjectIdentifier(group.loop)] = group.loop }
        tellViewers(live)
        sweepShares()
    }

    func held(_ id: Int64) -> ShareMessage.Held? {
        board.shares[id].map { .init(share: id, shown: $0.own, endClock: $0.endClock.lastSeen) }
    }
}
