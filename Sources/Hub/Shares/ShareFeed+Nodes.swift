import Bus
import Campus
import EventLoop
import HubCore
import Wire

/// Shares with viewers at other nodes than their owner's. A node announces the shares that are watched there, periodically as leases;
/// the node with the owner's location sends what the share shows, in its precision. State that was not received for
/// ``ShareLimits/voidSeconds`` is dropped.
extension ShareFeed {
    /// Delay after a viewer came or left, so that many changes are announced together.
    static let leaseDelay = Duration.milliseconds(5)

    // MARK: Sending

    func publishToNodes(_ message: ShareMessage, _ subject: Subject? = NodeSubjects.shares) {
        guard link?.others.isEmpty == false else { return }
        publishToNodes(.shares((try? WireJSON.encode(message)) ?? []), on: subject)
    }

    /// Sends a message to all other nodes, and returns when they have applied it, or after ``HubCore/NodeLink/answerTimeMax``. A node
    /// that has not answered then finds the change in PostgreSQL.
    func askShares(_ message: ShareMessage) async { _ = await askNodes(message) }

    /// Sends a message to all other nodes, and returns their answers.
    func askNodes(_ message: ShareMessage) async -> [ShareMessage] { await askEveryNode(message).answers }

    /// Sends a message to all other nodes, and returns their answers and whether all of them have answered.
    func askEveryNode(_ message: ShareMessage) async -> (answers: [ShareMessage], areAllThere: Bool) {
        guard let link, !link.others.isEmpty else { return ([], true) }
        let question = NodeMessage.shares((try? WireJSON.encode(message)) ?? [])
        guard let answers = await core.ask(question.encoded, of: NodeSubjects.shares) else { return ([], false) }
        let messages = answers.messages.compactMap { answer -> ShareMessage? in
            guard case .shares(let bytes)? = read(answer) else { return nil }
            return try? WireJSON.decode(ShareMessage.self, from: bytes)
        }
        return (messages, answers.silent.isEmpty && messages.count == answers.messages.count)
    }

    /// Schedules the announcement of watched shares, so that many changes are announced together.
    /// - Parameter share: The share whose viewers changed; nil when the viewed cells of the map of people may have changed.
    func shareViewersMoved(_ share: Int64? = nil) {
        guard link != nil else { return }
        if let share { registry.viewersMoved.insert(share) } else { registry.areCellsMoved = true }
        guard !registry.isLeaseScheduled else { return }
        registry.isLeaseScheduled = true
        loop.schedule(after: Self.leaseDelay) { [weak self] in
            self?.assumeIsolated { feed in
                feed.registry.isLeaseScheduled = false
                feed.lease(feed.monotonic(), isDue: true)
            }
        }
    }

    /// Announces changed leases, and periodically all of them. O(shares whose viewers changed, and cells if they may have changed),
    /// periodically O(shares at this node).
    func lease(_ now: UInt64, isDue: Bool = false) {
        let isAll = now >= registry.leased &+ Duration.nanoseconds(ofSeconds: ShareLimits.leaseSeconds)
        guard isDue || isAll else { return }
        if isAll { registry.leased = now }
        let moved = isAll ? Set(registry.shares.keys).union(registry.leasedShares.keys) : registry.viewersMoved
        registry.viewersMoved = []
        var entries: [ShareMessage.Watched] = []
        for id in moved {
            let live = registry.shares[id]
            let watching = live.flatMap { $0.viewers.isEmpty ? nil : $0.watching }
            let isNew = watching != registry.leasedShares[id]
            guard isAll || isNew else { continue }
            registry.leasedShares[id] = watching
            live.map(publishViewerCount)
            if let live, let watching {
                entries.append(
                    .init(share: id, owner: live.share.owner, watching: watching, seenAt: live.seenAt))
            } else if isNew {
                entries.append(.init(share: id, owner: 0, watching: 0))
            }
        }
        announceWatched(entries, cellsToAnnounce(isAll: isAll))
    }

    private func cellsToAnnounce(isAll: Bool) -> [ShareMessage.CellIndex] {
        guard isAll || registry.areCellsMoved else { return [] }
        registry.areCellsMoved = false
        let viewed = Set(registry.people.keys)
        let cells = isAll ? viewed : viewed.subtracting(registry.leasedCells)
        registry.leasedCells = viewed
        return cells.map { .init(x: $0.x, y: $0.y) }
    }

    private func announceWatched(_ entries: [ShareMessage.Watched], _ cells: [ShareMessage.CellIndex]) {
        let step = ShareLimits.leasesPerMessageMax
        var (entries, cells) = (entries[...], cells[...])
        while !entries.isEmpty || !cells.isEmpty {
            publishToNodes(.watched(Array(entries.prefix(step)), cells: Array(cells.prefix(step))))
            (entries, cells) = (entries.dropFirst(step), cells.dropFirst(step))
        }
    }

    /// Sends the location that a share shows to the nodes where it is watched.
    func send(_ live: LiveShare) {
        guard let own = live.own, registry.leases[live.share.id]?.isEmpty == false else { return }
        live.sent = monotonic()
        publishToNodes(.shown(own, share: live.share.id), NodeSubjects.share(live.share.id))
    }

    /// Sends the location again periodically, before the other nodes drop it.
    func sendAgain(_ live: LiveShare, _ now: UInt64) {
        guard now >= live.sent &+ Duration.nanoseconds(ofSeconds: ShareLimits.leaseSeconds) else { return }
        send(live)
    }

    // MARK: Receiving

    /// Follows a share that is watched here.
    func follow(_ live: LiveShare) {
        guard let link, live.subscription == nil else { return }
        let id = live.share.id
        do {
            live.subscription = try listen(to: NodeSubjects.share(id).map { .init($0) }) { feed, event in
                switch event {
                // The node with the location answers the lease at once.
                case .live: feed.shareViewersMoved(id)
                // The next message is complete.
                case .missed: break
                case .message(let message):
                    guard case .shares(let bytes)? = feed.read(message),
                        case .shown(let shown, let share)? = try? WireJSON.decode(ShareMessage.self, from: bytes),
                        share == id
                    else { return }
                    feed.take(shown, of: share, from: message.node)
                }
            }
        } catch {
            link.logger.error("a share cannot be followed", metadata: ["share": "\(id)", "error": "\(error)"])
        }
    }

    private func take(_ shown: ShownLocation, of share: Int64, from node: NodeID) {
        guard let live = registry.shares[share] else { return }
        live.others[node] = (shown, monotonic())
        publishShown(live)
    }

    /// Drops state that other nodes have not sent again in time.
    func forgetSilent(_ now: UInt64) {
        let limit = Duration.nanoseconds(ofSeconds: ShareLimits.voidSeconds)
        for live in registry.shares.values where !live.others.isEmpty {
            live.others = live.others.filter { now <= $0.value.received + limit }
        }
        registry.leases = registry.leases.compactMapValues { leases in
            let rest = leases.filter { now <= $0.value.received + limit }
            return rest.isEmpty ? nil : rest
        }
        registry.peopleLeases = registry.peopleLeases.compactMapValues { leases in
            let rest = leases.filter { now <= $0.value + limit }
            return rest.isEmpty ? nil : rest
        }
        for peopleCell in registry.people.values where !peopleCell.others.isEmpty {
            peopleCell.others = peopleCell.others.filter { now <= $0.value.received + limit }
        }
    }

    func receiveShares(_ event: BusEvent) {
        switch event {
        case .live:
            registry.leased = 0
            shareViewersMoved()
            // Changes that were announced before this are stored. If they cannot be read now, the next confirmation finds them.
            Task { try? await confirmShares() }
        case .missed:
            // A new share of an account located here may be missing; the account's next report finds it.
            registry.known = []
            core.markInDoubt()
        case .message(let message):
            guard case .shares(let bytes)? = read(message),
                let content = try? WireJSON.decode(ShareMessage.self, from: bytes)
            else { return core.markInDoubt() }
            receive(content, from: message)
        }
    }

    private func receive(_ content: ShareMessage, from message: BusMessage) {
        switch content {
        case .watched(let watched, let cells):
            note(watched, cells, of: message.node)
            return
        case .ended(let ids):
            endLocally(ids)
            return answerWhenWritten(message, of: Set(ids))
        case .ending(let ending):
            holdLocally(Dictionary(ending.map { ($0.share, $0.publishedAt) }) { first, _ in first })
            return answerWhenWritten(message, of: Set(ending.map(\.share)))
        case .states(let ids):
            guard message.request != nil else { return }
            let held = ShareMessage.held(ids.compactMap(held))
            link?.answer(message, with: NodeMessage.shares((try? WireJSON.encode(held)) ?? []).encoded)
            return
        case .changed(let account):
            return reloadShares(of: account, for: message)
        case .account(let account):
            endLocally(of: account)
            takeOffMap { $0.person.account == account }
            sendPeople(with: account)
        case .left(let conversation, let accounts): cutMembers(of: conversation, accounts)
        case .cleared(let account):
            clearLocally(of: account)
            sendPeople(with: account)
        case .unreported(let account):
            forgetReports(of: account)
            takeOffMap { $0.person.account == account }
            sendPeople(with: account)
        case .pinned(let account, let seconds):
            let seconds = min(max(0, seconds ?? ShareLimits.pinSeconds), ShareLimits.pinSeconds)
            let until = monotonic() + Duration.nanoseconds(ofSeconds: seconds)
            // A pin that was announced before the location was cleared may arrive afterwards.
            let length = Duration.nanoseconds(ofSeconds: ShareLimits.pinSeconds)
            guard !registry.wasCleared(account, since: until > length ? until - length : 0) else { break }
            // Of two pins the later one holds, in whichever order the announcements come.
            if let own = registry.locations[account]?.pinnedUntil, own > until { return announcePin(of: account) }
            forgetLocation(of: account)
            registry.pinnedElsewhere[account] = (message.node, until)
        case .shown, .people, .held, .done: break
        }
        answer(message)
    }

    private func answer(_ message: BusMessage) {
        guard message.request != nil else { return }
        link?.answer(
            message, with: NodeMessage.shares((try? WireJSON.encode(ShareMessage.done)) ?? []).encoded)
    }

    /// Announces a pin of this node: while it holds, other nodes show no location that a device reports to them.
    func announcePin(of account: Int64) {
        let now = monotonic()
        guard let until = registry.locations[account]?.pinnedUntil, until > now else { return }
        publishToNodes(.pinned(account: account, seconds: Double(until - now) / 1e9))
    }

    /// Handles a lost node: its pins end. Its newer locations are not waited for: the next report to this node counts, whatever the
    /// clocks say.
    package func lost(_ node: NodeID, isSilent: Bool) {
        registry.pinnedElsewhere = registry.pinnedElsewhere.filter { $0.value.node != node }
        for (account, held) in registry.locations where held.elsewhere?.node == node {
            registry.locations[account]?.elsewhere?.receivedAt = Timestamp(milliseconds: 0)
        }
    }

    /// Answers when the viewers that were cut off have been sent that, and the access log is written.
    private func answerWhenWritten(_ message: BusMessage, of shares: Set<Int64>) {
        Task {
            async let drained: Void = drain()
            async let written: Void = writeAccessLog(of: shares)
            _ = await (drained, written)
            answer(message)
        }
    }

    /// Applies changed shares of an account.
    private func reloadShares(of account: Int64, for message: BusMessage) {
        // People on the map were sent in the earlier precision, and the new one may have been logged once before.
        registry.forgetSeen(of: account)
        takeOffMap { $0.person.account == account }
        guard let store = registry.store, registry.of[account] != nil || registry.locations[account] != nil else {
            return answer(message)
        }
        Task {
            if let found = try? await store.shares(of: account) {
                for share in found where !registry.ended.contains(share.id) {
                    guard registry.shares[share.id] != nil || registry.locations[account] != nil else { continue }
                    moved(adopt(share))
                }
                scheduleSweep()
            } else {
                markInDoubt(Array(registry.of[account] ?? []))
                // A new share is found with the next report.
                registry.known.remove(account)
            }
            sendPeople(with: account)
            await drain()
            answer(message)
        }
    }

    private func note(_ watched: [ShareMessage.Watched], _ cells: [ShareMessage.CellIndex], of node: NodeID) {
        let now = monotonic()
        for one in watched {
            let isNew = registry.leases[one.share]?[node] == nil
            if one.owner == 0 {
                registry.leases[one.share]?[node] = nil
            } else if !isNew || registry.leases.count < ShareLimits.leasesMax {
                registry.leases[one.share, default: [:]][node] = .init(watching: one.watching, received: now)
            }
            guard let live = registry.shares[one.share] else { continue }
            if let seen = one.seenAt { live.seenAt = max(live.seenAt ?? seen, min(seen, serverTime)) }
            if isNew, one.owner != 0 { send(live) }
            publishViewerCount(live)
        }
        for index in cells {
            guard let cell = Cell(zoom: Topic.peopleZoom, x: index.x, y: index.y) else { continue }
            let isNew = registry.peopleLeases[cell]?[node] == nil
            guard !isNew || registry.peopleLeases.count < ShareLimits.leasesMax else { continue }
            registry.peopleLeases[cell, default: [:]][node] = now
            if isNew { sendPeople(cell, isDue: true) }
        }
        scheduleSweep()
    }

    package func joined(_ node: NodeID) { announceAllLocated() }

    /// Follows what other nodes announce of shares and locations.
    func joinNodes() throws {
        let shares = try listen(to: NodeSubjects.shares.map { .init($0) }) { $0.receiveShares($1) }
        let located = try listen(to: NodeSubjects.located.map { .init($0) }) { $0.receiveLocated($1) }
        subscriptions = [shares, located].compactMap(\.self)
    }

    package func leftNodes() {
        let followed =
            registry.shares.values.compactMap(\.subscription) + registry.people.values.compactMap(\.subscription)
        for subscription in subscriptions + followed { subscription.cancel() }
        subscriptions = []
    }
}
