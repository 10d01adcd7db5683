import Bus
import EventLoop
import HubCore
import Wire

/// Accounts that report to several nodes, such as a phone that changes networks, or requests that are load-balanced. The node with the
/// newest report shows the location. It announces the time of the report to the others, never the location; a node with an older one
/// stops showing it, until a report makes it the newest again.
extension ShareFeed {
    // MARK: Sending

    /// Notes that a report came, which the next sweep announces, unless one was announced a moment ago.
    func scheduleAnnouncement(of account: Int64, _ held: ReceivedLocation) {
        guard link?.others.isEmpty == false else { return }
        let next = held.announced &+ Duration.nanoseconds(ofSeconds: ShareLimits.leaseSeconds)
        if held.announced == 0 || held.received >= next { registry.unannounced.insert(account) }
    }

    /// Announces all located accounts, because announcements in either direction may be lost: a node with a newer location answers with
    /// its own announcement.
    func announceAllLocated() {
        guard !registry.locations.isEmpty else { return }
        for (account, held) in registry.locations where held.pinnedUntil != nil { announcePin(of: account) }
        registry.unannounced.formUnion(registry.locations.keys)
        scheduleSweep()
    }

    /// Announces the accounts that have reported to this node. O(accounts that reported since the last sweep).
    func announceLocated(_ now: UInt64) {
        guard link?.others.isEmpty == false else { return registry.unannounced.removeAll() }
        var located: [NodeLocated] = []
        for account in registry.unannounced {
            guard let held = registry.locations[account], held.elsewhere == nil else {
                registry.unannounced.remove(account)
                continue
            }
            // Before the account's shares are read, nothing could replace the location that another node shows.
            guard held.announced != 0 || registry.known.contains(account) || registry.store == nil else { continue }
            registry.unannounced.remove(account)
            registry.locations[account]?.announced = now
            located.append(NodeLocated(account: account, receivedAt: held.receivedAt))
        }
        for start in stride(from: 0, to: located.count, by: NodeLimits.locatedPerMessageMax) {
            let end = min(start + NodeLimits.locatedPerMessageMax, located.count)
            publishToNodes(.located(Array(located[start..<end])), on: NodeSubjects.located)
        }
    }

    // MARK: Receiving

    func receiveLocated(_ event: BusEvent) {
        switch event {
        case .live, .missed: announceAllLocated()
        case .message(let message):
            guard case .located(let located)? = read(message) else { return }
            take(located, from: message.node)
        }
    }

    /// Takes announcements. The newest counts by the nodes' wall clocks, as it does for the shown locations of a share.
    private func take(_ located: [NodeLocated], from node: NodeID) {
        let now = monotonic()
        for one in located {
            guard let held = registry.locations[one.account] else { continue }
            if let until = held.pinnedUntil, until > now {
                // That node does not know of the pin, or has a later one, which it then announces.
                announcePin(of: one.account)
                continue
            }
            if let known = held.elsewhere {
                // Also an earlier time, when that node's clock was put back.
                guard known.node == node || one.receivedAt > known.receivedAt else { continue }
                registry.locations[one.account]?.elsewhere = NewerLocation(
                    node: node, receivedAt: one.receivedAt, since: known.since, last: now)
            } else if one.receivedAt > held.receivedAt {
                // A sample that is due is still taken here: the other node takes the next.
                for id in registry.of[one.account] ?? [] { registry.shares[id].map { moved($0, isOnClock: true) } }
                registry.locations[one.account]?.elsewhere = NewerLocation(
                    node: node, receivedAt: one.receivedAt, since: now, last: now)
                registry.forgotten?(one.account)
                for id in registry.of[one.account] ?? [] {
                    // The share leaves the map with the next publication, which brings the other node's location onto it.
                    guard let live = registry.shares[id], live.share.precision == .exact else { continue }
                    registry.move(live, to: nil)
                }
            } else if one.receivedAt < held.receivedAt {
                registry.unannounced.insert(one.account)
            }
        }
        scheduleSweep()
    }

    // MARK: Handover

    /// Hands a share over to a node with a newer location of its owner. An exact location is withdrawn when all nodes know of the newer
    /// one. A coarse location stays until the next sampling time, since the other node shows nothing before: the change of nodes must
    /// not be visible.
    func passOn(_ live: LiveShare, _ elsewhere: NewerLocation, _ now: UInt64) {
        guard live.own != nil else {
            // If the owner reports to this node again, the next sample is taken at the next sampling time.
            live.sampledAt = nil
            return
        }
        if live.share.precision == .exact {
            registry.move(live, to: nil)
            guard now > elsewhere.since &+ Duration.nanoseconds(ofSeconds: ShareLimits.leaseSeconds) else { return }
        } else if let last = live.sampledAt.map({ live.share.samplingTime(before: $0) }) {
            guard live.share.samplingTime(before: serverTime) != last else { return }
            registry.move(live, to: nil)
            // Viewers keep the old sample until the new one is there.
            let before = serverTime.advanced(bySeconds: -ShareLimits.leaseSeconds)
            guard live.share.samplingTime(before: before) != last else { return }
        }
        withdraw(live)
    }
}
