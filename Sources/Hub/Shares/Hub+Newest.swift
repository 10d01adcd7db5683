import Bus
import EventLoop
import Wire

/// Accounts that report to several nodes, as a phone that changes networks, or requests that are spread: the node that heard last shows
/// where they are. It tells the others when that was, never where; whoever has an older location shows it no more, until a report makes it
/// the newest again.
extension Hub {
    // MARK: Telling

    /// A report came: with the next turn the others are told that it did, unless they were a moment ago.
    func tellSoon(of account: Int64, _ held: HeldLocation) {
        guard nodes?.others.isEmpty == false else { return }
        let next = held.told &+ Duration.nanoseconds(ofSeconds: ShareLimits.leaseSeconds)
        if held.told == 0 || held.heard >= next { board.untold.insert(account) }
    }

    /// Another node may not know whom this one has heard of, or this one may have missed of whom others have: who has a newer location than
    /// is told says so.
    func tellAllLocated() {
        guard !board.locations.isEmpty else { return }
        for (account, held) in board.locations where held.pinnedUntil != nil { tellPin(of: account) }
        board.untold.formUnion(board.locations.keys)
        sweepShares()
    }

    /// Tells the others of whom this node has heard. O(accounts that reported since the last turn).
    func tellLocated(_ now: UInt64) {
        guard nodes?.others.isEmpty == false else { return board.untold.removeAll() }
        var located: [NodeLocated] = []
        for account in board.untold {
            guard let held = board.locations[account], held.elsewhere == nil else {
                board.untold.remove(account)
                continue
            }
            // Before its shares were read for the first time nothing would take the place of what another node shows.
            guard held.told != 0 || board.known.contains(account) || board.store == nil else { continue }
            board.untold.remove(account)
            board.locations[account]?.told = now
            located.append(NodeLocated(account: account, heardAt: held.heardAt))
        }
        for start in stride(from: 0, to: located.count, by: NodeLimits.locatedPerMessageMax) {
            let end = min(start + NodeLimits.locatedPerMessageMax, located.count)
            tell(.located(Array(located[start..<end])), HubNodes.Subjects.located)
        }
    }

    // MARK: Hearing

    func heardLocated(_ event: BusEvent) {
        switch event {
        case .live, .missed: tellAllLocated()
        case .message(let message):
            guard case .located(let located)? = read(message) else { return }
            take(located, from: message.node)
        }
    }

    /// By the nodes' wall clocks, as of all that they show of a share the newest counts.
    private func take(_ located: [NodeLocated], from node: NodeID) {
        let now = monotonic()
        for one in located {
            guard let held = board.locations[one.account] else { continue }
            if let until = held.pinnedUntil, until > now {
                // That node does not know of the pin, or has a later one, which it tells then.
                tellPin(of: one.account)
                continue
            }
            if let known = held.elsewhere {
                // Also earlier than before, when its clock was put back.
                guard known.node == node || one.heardAt > known.heardAt else { continue }
                board.locations[one.account]?.elsewhere = NewerLocation(
                    node: node, heardAt: one.heardAt, since: known.since, last: now)
            } else if one.heardAt > held.heardAt {
                // A look that is due is still this node's: the other one makes the next.
                for id in board.of[one.account] ?? [] { board.shares[id].map { moved($0, isOnClock: true) } }
                board.locations[one.account]?.elsewhere = NewerLocation(
                    node: node, heardAt: one.heardAt, since: now, last: now)
                board.forgotten?(one.account)
                for id in board.of[one.account] ?? [] {
                    // Off the map with its next turn, with which what the other node tells comes onto it.
                    guard let live = board.shares[id], live.share.precision == .exact else { continue }
                    board.move(live, to: nil)
                }
            } else if one.heardAt < held.heardAt {
                board.untold.insert(one.account)
            }
        }
        sweepShares()
    }

    // MARK: The clock

    /// Another node has a newer location of a share's owner. What was told of an exact one is void when that is known everywhere. A coarse
    /// one is told by this node until its next look, as the other tells nothing before: nobody is to know when somebody changed nodes.
    func passOn(_ live: LiveShare, _ elsewhere: NewerLocation, _ now: UInt64) {
        guard live.own != nil else {
            // When its owner comes back, that is no look either.
            live.lookedAt = nil
            return
        }
        if live.share.precision == .exact {
            board.move(live, to: nil)
            guard now > elsewhere.since &+ Duration.nanoseconds(ofSeconds: ShareLimits.leaseSeconds) else { return }
        } else if let last = live.lookedAt.map({ live.share.look(before: $0) }) {
            guard live.share.look(before: serverTime) != last else { return }
            board.move(live, to: nil)
            // Who watches it has the old look until the new one is there.
            let before = serverTime.advanced(bySeconds: -ShareLimits.leaseSeconds)
            guard live.share.look(before: before) != last else { return }
        }
        withdraw(live)
    }
}
