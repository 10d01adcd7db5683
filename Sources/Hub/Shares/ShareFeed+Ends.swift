import EventLoop
import HubCore
import Wire

/// Ends of shares, which cut off their viewers at once and on every node (B-5).
extension ShareFeed {
    /// Ends shares whose end was committed. When this returns, nothing more of them is sent at this node, or at another node that
    /// answered in time. Deliveries that were in flight to devices may still arrive after the answer.
    public func end(_ ids: [Int64]) async {
        guard !ids.isEmpty else { return }
        endLocally(ids)
        async let here: Void = drain()
        async let there: Void = askShares(.ended(ids))
        async let written: Void = writeAccessLog(of: Set(ids))
        _ = await (here, there, written)
    }

    /// Applies a share that was committed as new or changed. When this returns, it holds here and at each node that answered in time.
    public func changed(_ stored: StoredShare) async {
        let isNeeded = registry.shares[stored.id] != nil || registry.locations[stored.owner] != nil
        if isNeeded, !registry.ended.contains(stored.id) {
            let live = adopt(stored)
            // The caller has just read it, so that it is confirmed.
            if link?.isInDoubt != true { live.isWithheld = false }
            moved(live)
            publishShown(live)
            scheduleSweep()
        }
        let isOnMap = stored.audience == .campus
        if isOnMap {
            // Another node's people may have put it on the map here. Its entries in the receipt ended with the precision.
            if registry.shares[stored.id] == nil { registry.forgetSeen(stored.id) }
            takeOffMap { $0.share == stored.id && $0.precision != stored.precision }
        }
        async let here: Void = drain()
        async let there: Void = askShares(.changed(account: stored.owner))
        _ = await (here, there)
        guard isOnMap, link?.others.isEmpty == false else { return }
        tickPeople { $0.share == stored.id }
        await drain()
    }

    /// Ends all shares of an account that is disabled or deleted, and forgets its location.
    public func end(of account: Int64) async {
        endLocally(of: account)
        takeOffMap { $0.person.account == account }
        await askShares(.account(account))
        tickPeople { $0.person.account == account }
    }

    /// Withholds shares whose end is in doubt, until PostgreSQL has confirmed what holds.
    public func markInDoubt(_ ids: [Int64]) {
        for id in ids {
            registry.shares[id]?.isWithheld = true
            registry.shares[id].map(publishShown)
        }
        tickPeople()
    }

    /// Forgets the reported location of an account, here and at the other nodes. A pin holds until its end: its owner set it so that
    /// nothing else is shown. When this returns, the nodes that answer in time have forgotten it too.
    public func clearReports(of account: Int64) async {
        forgetReports(of: account)
        await askShares(.unreported(account: account))
    }

    func forgetReports(of account: Int64) {
        if let until = registry.locations[account]?.pinnedUntil, until > monotonic() { return }
        let elsewhere = registry.pinnedElsewhere[account]
        forgetLocation(of: account)
        registry.pinnedElsewhere[account] = elsewhere
    }

    func endLocally(of account: Int64) {
        endLocally(Array(registry.of[account] ?? []))
        forgetLocation(of: account)
    }

    /// Ends the shares of accounts that have left a conversation there, and their access to shares with that conversation.
    public func leftGroup(_ conversation: Int64, _ accounts: [Int64]) async {
        cutMembers(of: conversation, accounts)
        await askShares(.left(conversation, accounts: accounts))
    }

    func cutMembers(of conversation: Int64, _ accounts: [Int64]) {
        registry.leave(conversation, accounts, now: monotonic())
        cutMembers(of: conversation) { accounts.contains($0) }
    }

    private func cutMembers(of conversation: Int64, where hasLeft: (Int64) -> Bool) {
        for (id, live) in registry.shares where live.share.group == conversation {
            if hasLeft(live.share.owner) { endLocally(id) } else { cut(live) { $0.account.map(hasLeft) ?? true } }
        }
    }

    /// Ends the shares that are tied to a tracking session which has ended.
    func sessionEnded(_ session: Session) {
        endLocally(working(with: session).keys.filter { registry.shares[$0]?.isEnding == false })
    }

    /// Ends what two accounts share with each other, because of a block.
    func separated(_ blocker: Int64, _ blocked: Int64) {
        for (owner, other) in [(blocker, blocked), (blocked, blocker)] {
            for id in registry.of[owner] ?? [] {
                guard let live = registry.shares[id] else { continue }
                if owner == blocker, live.share.person == other {
                    endLocally(id)
                } else {
                    // A guest with a link may have signed in since.
                    cut(live) { ($0.account ?? core.accounts.account(of: $0.subscriber)) == other }
                }
            }
        }
        // The maps of both are published again at once.
        tickPeople(of: [blocker, blocked])
    }

    func joinedAgain(_ one: Int64, _ other: Int64) { tickPeople(of: [one, other]) }

    func signedIn(_ subscriber: any Subscriber, as account: Int64, apartFrom others: Set<Int64>) {
        for case .share(let id) in core.subscriptions.topics(of: subscriber.subscriberID) {
            guard let live = registry.shares[id], blocks.hold(between: account, and: live.share.owner) else { continue }
            cut(live) { $0.subscriber === subscriber }
        }
    }

    func endLocally(_ ids: [Int64]) {
        for id in ids { registry.end(id) }
        close(Set(ids))
    }

    /// Ends a share that has expired by this server's clock. If it was extended meanwhile, that is applied later.
    func expire(_ id: Int64) { close([id]) }

    private func close(_ ids: Set<Int64>) {
        for id in ids {
            guard let live = registry.drop(id) else { continue }
            cut(live) { _ in true }
        }
        // Taken off the map now, and not with its next publication.
        takeOffMap { ids.contains($0.share) }
    }

    func endLocally(_ id: Int64) { endLocally([id]) }

    /// Ends the subscriptions of some of a share's viewers, and sends them `closed`.
    func cut(_ live: LiveShare, where mustGo: (ShareViewer) -> Bool) {
        let topic = Topic.share(live.share.id)
        var isAnyoneCut = false
        for (key, viewer) in live.viewers where mustGo(viewer) {
            isAnyoneCut = true
            live.viewers[key] = nil
            live.audience.remove(viewer.subscriber)
            core.forget(topic, of: key)
            close(viewer)
            let update = ShareUpdate(type: .closed, serverTime: serverTime, reason: TopicCloseReason.notShared.rawValue)
            send(Self.json(topic, update), topic: topic, to: viewer.subscriber)
        }
        if isAnyoneCut { shareViewersMoved(live.share.id) }
    }

    /// Returns when deliveries that were handed to connections have been written. Each loop first takes its deliveries, then writes.
    func drain() async {
        for loop in registry.drained.values {
            await withCheckedContinuation { done in loop.execute { loop.executeDeferred { done.resume() } } }
        }
    }

    // MARK: Access log

    /// Queues the access-log entry of a viewer that has left.
    func close(_ viewer: ShareViewer) {
        registry.drained[ObjectIdentifier(viewer.subscriber.subscriberLoop)] = viewer.subscriber.subscriberLoop
        guard viewer.opening != 0, registry.closings.count < ShareLimits.closingsMax else { return }
        registry.closings.append(viewer.opening)
        scheduleSweep()
    }

    /// Writes the waiting access-log entries, unless a write is in flight.
    func flushAccessLog() {
        registry.countEntries()
        guard !registry.isWriting, registry.hasToWrite else { return }
        Task { await writeAccessLog() }
    }

    /// Writes the waiting entries, and returns when they are committed or PostgreSQL does not answer; then a later write repeats it.
    func writeAccessLog() async {
        guard let store = registry.store else { return }
        while registry.isWriting { await loop.sleep(for: .milliseconds(2)) }
        registry.isWriting = true
        defer { registry.isWriting = false }
        var isWritten = true
        while isWritten, registry.hasToWrite {
            let (entries, more) = registry.takeEntries(of: nil)
            isWritten = await write(entries, more, to: store)
            isWritten = await writeClosings(to: store) && isWritten
        }
    }

    /// Writes the waiting entries of these shares first: the caller that ended them reads their receipts next.
    func writeAccessLog(of shares: Set<Int64>) async {
        guard let store = registry.store else { return }
        while true {
            // Two writes of the same share's entries could deadlock: wait for those in flight.
            while shares.contains(where: { registry.written[$0] != nil }) { await loop.sleep(for: .milliseconds(2)) }
            let (entries, more) = registry.takeEntries(of: shares)
            guard !entries.isEmpty || !more.isEmpty, await write(entries, more, to: store) else { return }
        }
    }

    private func write(_ entries: [AccessLogEntry], _ more: [Int64: Int], to store: any ShareStore) async -> Bool {
        guard !entries.isEmpty || !more.isEmpty else { return true }
        let shares = Set(entries.map(\.share)).union(more.keys)
        for id in shares { registry.written[id, default: 0] += 1 }
        defer {
            for id in shares { registry.written[id] = registry.written[id].flatMap { $0 > 1 ? $0 - 1 : nil } }
        }
        do {
            try await store.log(entries, more: more)
            return true
        } catch {
            registry.putBack(entries, more)
            return false
        }
    }

    private func writeClosings(to store: any ShareStore) async -> Bool {
        let some = Array(registry.closings.prefix(ShareLimits.entriesPerWriteMax))
        guard !some.isEmpty else { return true }
        registry.closings.removeFirst(some.count)
        do {
            try await store.close(openings: some, at: serverTime)
            return true
        } catch {
            if registry.closings.count < ShareLimits.closingsMax { registry.closings += some }
            return false
        }
    }
}
