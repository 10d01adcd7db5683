import EventLoop
import Wire

/// What a block ends, at once and in both directions (B-5).
extension Hub {
    /// One account blocks another, or does not any more. Everything that one of them gets of the other ends before this returns, and the
    /// other nodes are told. Call it behind the commit. Harmless when repeated. O(sessions of the two, and what shows them).
    ///
    /// What the other has blocked by itself stays: of two that block each other, both must lift it.
    /// - Parameters:
    ///   - one: Who blocks.
    ///   - other: Whom.
    public func setBlock(_ one: Int64, _ other: Int64, isOn: Bool) {
        take(one, other, isOn: isOn)
        tell(.block(one, other, isOn: isOn), HubNodes.Subjects.blocks)
    }

    /// Whether the two are to know nothing of each other.
    public func isBlocked(_ one: Int64?, _ other: Int64?) -> Bool { blocks.hold(between: one, and: other) }

    /// Somebody has signed in on a connection that was a guest's. What it follows since then of whom it must not see ends: its maps are
    /// sent whole, and these sessions closed. Nothing goes to the account's other connections, which would tell who is there.
    public func signIn(_ subscriber: any Subscriber, as account: Int64) {
        signedIn.note(subscriber, as: account)
        let others = blocks[account]
        guard !others.isEmpty else { return }
        signInShares(subscriber, as: account)
        for area in areas(of: subscriber) {
            guard let look = pictures.look(of: subscriber, at: area) else { continue }
            show(
                area, to: subscriber,
                as: pictures.watch(area, by: subscriber, as: look.shared, account: account, live: live))
        }
        for case .session(let id) in topicsOf[subscriber.subscriberID] ?? [] {
            guard let owner = live[id]?.session.owner.id, others.contains(owner) else { continue }
            cutViewers(of: id, reason: Self.notSharedReason) { $0.subscriber === subscriber }
        }
    }

    /// Somebody tells of a block, here or at another node.
    func take(_ one: Int64, _ other: Int64, isOn: Bool) {
        blockReading.note(one, other)
        apply(one, other, isOn: isOn)
    }

    func apply(_ one: Int64, _ other: Int64, isOn: Bool) {
        let isNew = blocks.isMade(by: one, of: other) != isOn
        // The blocker's devices ask for their lists again, on each node once it knows. Also where the other's block holds anyway, which
        // to leave out would tell; the other hears nothing.
        defer { if isNew { resync(one) } }
        guard blocks.set(one, other, isOn: isOn) else { return }
        guard isOn else {
            // They are shown to each other by the next tick, as if they had just come.
            for id in [one, other].flatMap({ sessionsOf[$0] ?? [] }) { touch(id) }
            tickPeople(of: [one, other])
            return
        }
        cut(one, from: other)
        cut(other, from: one)
        partShares(one, other)
    }

    /// All connections of an account lose what an owner tracks, whom they may have seen until now.
    private func cut(_ account: Int64, from owner: Int64) {
        for subscriber in signedIn.connections(of: account) {
            for area in areas(of: subscriber) { pictures.guard(area, for: subscriber, of: account) }
        }
        let sessions = sessionsOf[owner] ?? []
        publish(pictures.cut(account, from: owner, sessions: sessions, live: live, serverTime: serverTime))
        var isAnyoneCut = false
        for id in sessions {
            let isCut = cutViewers(of: id, reason: Self.notSharedReason) { viewer in
                (viewer.access.account?.id ?? signedIn.account(of: viewer.subscriber)) == account
            }
            isAnyoneCut = isAnyoneCut || isCut
        }
        // The owner is not to see the name until the next round.
        if isAnyoneCut { tellPresence() }
    }

    /// What a viewer is told when it may not watch any more, whatever the reason.
    static let notSharedReason = "no longer shared"

    private func areas(of subscriber: any Subscriber) -> [Area] {
        let zones = (topicsOf[subscriber.subscriberID] ?? []).compactMap(\.area)
        return zones + (views[subscriber.subscriberID]?.cells ?? []).map(Area.cell)
    }
}
