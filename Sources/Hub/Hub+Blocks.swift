import EventLoop
import Wire

/// Effects of a block, immediate and in both directions (B-5).
extension Hub {
    /// Sets or lifts the block of `other` by `one`, and notifies the other nodes. When this returns, neither account receives anything
    /// of the other any more. Call it after the commit. Idempotent. O(sessions of the two accounts, and the areas that show them).
    ///
    /// A block in the other direction stays: if both accounts have blocked each other, both must lift their block.
    /// - Parameters:
    ///   - one: The account that blocks.
    ///   - other: The account that is blocked.
    public func setBlock(_ one: Int64, _ other: Int64, isOn: Bool) {
        take(one, other, isOn: isOn)
        publishToNodes(.block(one, other, isOn: isOn), on: HubNodes.Subjects.blocks)
    }

    /// Whether a block separates the two accounts, in either direction.
    public func isBlocked(_ one: Int64?, _ other: Int64?) -> Bool { blocks.hold(between: one, and: other) }

    /// Notes that a guest's connection has signed in, and ends all that it may not see any more: its areas are sent again as snapshots,
    /// and its subscriptions to blocked owners' sessions are closed. The account's other connections get nothing, since a message to
    /// them would reveal that a blocked person is there.
    public func signIn(_ subscriber: any Subscriber, as account: Int64) {
        signedIn.note(subscriber, as: account)
        let others = blocks[account]
        guard !others.isEmpty else { return }
        signInShares(subscriber, as: account)
        for area in areas(of: subscriber) {
            guard let look = areaFeeds.look(of: subscriber, at: area) else { continue }
            show(
                area, to: subscriber,
                as: areaFeeds.watch(area, by: subscriber, as: look.shared, account: account, live: live))
        }
        for case .session(let id) in topicsOf[subscriber.subscriberID] ?? [] {
            guard let owner = live[id]?.session.owner.id, others.contains(owner) else { continue }
            cutViewers(of: id, reason: Self.notSharedReason) { $0.subscriber === subscriber }
        }
    }

    /// Applies a block that was set or lifted here or at another node.
    func take(_ one: Int64, _ other: Int64, isOn: Bool) {
        blockReading.note(one, other)
        apply(one, other, isOn: isOn)
    }

    func apply(_ one: Int64, _ other: Int64, isOn: Bool) {
        let isNew = blocks.isMade(by: one, of: other) != isOn
        // The blocker's devices reload their lists, on each node as soon as the node knows the block. They do so even where the other
        // account's block holds anyway: leaving the message out would reveal that block. The blocked account gets nothing.
        defer { if isNew { resync(one) } }
        guard blocks.set(one, other, isOn: isOn) else { return }
        guard isOn else {
            // From the next tick on they are shown to each other as new runners.
            for id in [one, other].flatMap({ sessionsOf[$0] ?? [] }) { touch(id) }
            tickPeople(of: [one, other])
            return
        }
        cut(one, from: other)
        cut(other, from: one)
        endSharesBetween(one, other)
    }

    /// Takes an owner's sessions away from all connections of an account that may have seen them.
    private func cut(_ account: Int64, from owner: Int64) {
        for subscriber in signedIn.connections(of: account) {
            for area in areas(of: subscriber) { areaFeeds.guard(area, for: subscriber, of: account) }
        }
        let sessions = sessionsOf[owner] ?? []
        publish(areaFeeds.cut(account, from: owner, sessions: sessions, live: live, serverTime: serverTime))
        var isAnyoneCut = false
        for id in sessions {
            let isCut = cutViewers(of: id, reason: Self.notSharedReason) { viewer in
                (viewer.access.account?.id ?? signedIn.account(of: viewer.subscriber)) == account
            }
            isAnyoneCut = isAnyoneCut || isCut
        }
        // The owner must not see the name until the next round.
        if isAnyoneCut { tellPresence() }
    }

    /// Reason of `closed` for a viewer that may not watch any more, the same for all causes.
    static let notSharedReason = "no longer shared"

    private func areas(of subscriber: any Subscriber) -> [Area] {
        let zones = (topicsOf[subscriber.subscriberID] ?? []).compactMap(\.area)
        return zones + (views[subscriber.subscriberID]?.cells ?? []).map(Area.cell)
    }
}
