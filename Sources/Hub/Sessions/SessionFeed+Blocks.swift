import EventLoop
import HubCore
import Wire

/// Effects of a block on sessions, immediate and in both directions (B-5).
extension SessionFeed {
    func separated(_ blocker: Int64, _ blocked: Int64) {
        cut(blocker, from: blocked)
        cut(blocked, from: blocker)
    }

    func joinedAgain(_ one: Int64, _ other: Int64) {
        // From the next tick on they are shown to each other as new runners.
        for id in [one, other].flatMap({ sessionsOf[$0] ?? [] }) { touch(id) }
    }

    /// Sends the connection's areas again as snapshots, and closes its subscriptions to blocked owners' sessions.
    func signedIn(_ subscriber: any Subscriber, as account: Int64, apartFrom others: Set<Int64>) {
        for area in areas(of: subscriber) {
            guard let key = areaFeeds.renditionKey(of: subscriber, at: area) else { continue }
            show(
                area, to: subscriber,
                as: areaFeeds.watch(area, by: subscriber, as: key.shared, account: account, live: live))
        }
        for case .session(let id) in core.subscriptions.topics(of: subscriber.subscriberID) {
            guard let owner = live[id]?.session.owner.id, others.contains(owner) else { continue }
            cutViewers(of: id, reason: .notShared) { $0.subscriber === subscriber }
        }
    }

    /// Takes an owner's sessions away from all connections of an account that may have seen them.
    private func cut(_ account: Int64, from owner: Int64) {
        for subscriber in core.accounts.connections(of: account) {
            for area in areas(of: subscriber) { areaFeeds.guard(area, for: subscriber, of: account) }
        }
        let sessions = sessionsOf[owner] ?? []
        publish(areaFeeds.cut(account, from: owner, sessions: sessions, live: live, serverTime: serverTime))
        var isAnyoneCut = false
        for id in sessions {
            let isCut = cutViewers(of: id, reason: .notShared) { viewer in
                (viewer.access.account?.id ?? core.accounts.account(of: viewer.subscriber)) == account
            }
            isAnyoneCut = isAnyoneCut || isCut
        }
        // The owner must not see the name until the next round.
        if isAnyoneCut { presence.assumeIsolated { $0.publishChanges() } }
    }

    private func areas(of subscriber: any Subscriber) -> [Area] {
        let zones = core.subscriptions.topics(of: subscriber.subscriberID).compactMap(\.area)
        return zones + (views[subscriber.subscriberID]?.cells ?? []).map(Area.cell)
    }
}
