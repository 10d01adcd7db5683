import Bus
import Campus
import EventLoop
import Wire

/// Shares with viewers at other nodes than their owner's. A node tells which shares are watched there, again and again; whoever has the
/// owner's location tells what the share shows, in its precision. What was not heard of for ``ShareLimits/voidSeconds`` is void.
extension Hub {
    /// After a viewer came or went: many come together.
    static let shareLookDelay = Duration.milliseconds(5)

    // MARK: Telling

    func tellShares(_ message: ShareMessage, _ subject: Subject? = HubNodes.Subjects.shares) {
        guard nodes?.others.isEmpty == false else { return }
        tell(.shares((try? WireJSON.encode(message)) ?? []), subject)
    }

    /// Tells all other nodes, and returns when they have done it, or after ``answerTimeMax``: who has not answered then is told by
    /// PostgreSQL.
    func askShares(_ message: ShareMessage) async { _ = await askNodes(message) }

    /// The same, with what they answered.
    func askNodes(_ message: ShareMessage) async -> [ShareMessage] { await askEveryNode(message).answers }

    /// The same, and whether all of them have answered.
    func askEveryNode(_ message: ShareMessage) async -> (answers: [ShareMessage], areAllThere: Bool) {
        guard let nodes, !nodes.others.isEmpty, let subject = HubNodes.Subjects.shares else { return ([], true) }
        let question = NodeMessage.shares((try? WireJSON.encode(message)) ?? [])
        let answers = await withCheckedContinuation { (done: CheckedContinuation<BusAnswers?, Never>) in
            do {
                try nodes.bus.request(question.encoded, of: subject, within: Self.answerTimeMax, on: loop) { answers in
                    done.resume(returning: answers)
                }
            } catch {
                nodes.logger.error("other nodes could not be told of shares", metadata: ["error": "\(error)"])
                done.resume(returning: nil)
            }
        }
        guard let answers else { return ([], false) }
        let messages = answers.messages.compactMap { answer -> ShareMessage? in
            guard case .shares(let bytes)? = read(answer) else { return nil }
            return try? WireJSON.decode(ShareMessage.self, from: bytes)
        }
        return (messages, answers.silent.isEmpty && messages.count == answers.messages.count)
    }

    /// Tells who watches what here: in a moment, as many come and go together.
    /// - Parameter share: Whose viewers came or went; nil when other cells of the map of people may be looked at.
    func shareViewersMoved(_ share: Int64? = nil) {
        guard nodes != nil else { return }
        if let share { board.viewersMoved.insert(share) } else { board.areCellsMoved = true }
        guard !board.isLeaseScheduled else { return }
        board.isLeaseScheduled = true
        loop.schedule(after: Self.shareLookDelay) { [weak self] in
            self?.assumeIsolated { hub in
                hub.board.isLeaseScheduled = false
                hub.lease(hub.monotonic(), isDue: true)
            }
        }
    }

    /// Tells what is new of it, and all of it from time to time. O(shares whose viewers came or went, and cells when others may be looked
    /// at), from time to time O(shares here).
    func lease(_ now: UInt64, isDue: Bool = false) {
        let isAll = now >= board.leased &+ Duration.nanoseconds(ofSeconds: ShareLimits.leaseSeconds)
        guard isDue || isAll else { return }
        if isAll { board.leased = now }
        let moved = isAll ? Set(board.shares.keys).union(board.leasedShares.keys) : board.viewersMoved
        board.viewersMoved = []
        var entries: [ShareMessage.Watched] = []
        for id in moved {
            let live = board.shares[id]
            let watching = live.flatMap { $0.viewers.isEmpty ? nil : $0.watching }
            let isNew = watching != board.leasedShares[id]
            guard isAll || isNew else { continue }
            board.leasedShares[id] = watching
            live.map(tellWatching)
            if let live, let watching {
                entries.append(
                    .init(share: id, owner: live.share.owner, watching: watching, seenAt: live.seenAt))
            } else if isNew {
                entries.append(.init(share: id, owner: 0, watching: 0))
            }
        }
        tellWatched(entries, cellsToTell(isAll: isAll))
    }

    private func cellsToTell(isAll: Bool) -> [ShareMessage.Place] {
        guard isAll || board.areCellsMoved else { return [] }
        board.areCellsMoved = false
        let looked = Set(board.people.keys)
        let cells = isAll ? looked : looked.subtracting(board.leasedCells)
        board.leasedCells = looked
        return cells.map { .init(x: $0.x, y: $0.y) }
    }

    private func tellWatched(_ entries: [ShareMessage.Watched], _ cells: [ShareMessage.Place]) {
        let step = ShareLimits.leasesPerMessageMax
        var (entries, cells) = (entries[...], cells[...])
        while !entries.isEmpty || !cells.isEmpty {
            tellShares(.watched(Array(entries.prefix(step)), cells: Array(cells.prefix(step))))
            (entries, cells) = (entries.dropFirst(step), cells.dropFirst(step))
        }
    }

    /// Tells the nodes where a share is watched what it shows.
    func send(_ live: LiveShare) {
        guard let own = live.own, board.leases[live.share.id]?.isEmpty == false else { return }
        live.sent = monotonic()
        tellShares(.shown(own, share: live.share.id), HubNodes.Subjects.share(live.share.id))
    }

    /// The same again after a while: what is not heard of is void.
    func sendAgain(_ live: LiveShare, _ now: UInt64) {
        guard now >= live.sent &+ Duration.nanoseconds(ofSeconds: ShareLimits.leaseSeconds) else { return }
        send(live)
    }

    // MARK: Hearing

    /// Somebody watches it here: what other nodes tell of it comes.
    func follow(_ live: LiveShare) {
        guard let nodes, live.subscription == nil else { return }
        let id = live.share.id
        do {
            live.subscription = try listen(to: HubNodes.Subjects.share(id).map { .init($0) }) { hub, event in
                switch event {
                // Whoever has it answers at once.
                case .live: hub.shareViewersMoved(id)
                // The next one says all.
                case .missed: break
                case .message(let message):
                    guard case .shares(let bytes)? = hub.read(message),
                        case .shown(let shown, let share)? = try? WireJSON.decode(ShareMessage.self, from: bytes),
                        share == id
                    else { return }
                    hub.take(shown, of: share, from: message.node)
                }
            }
        } catch {
            nodes.logger.error("a share cannot be followed", metadata: ["share": "\(id)", "error": "\(error)"])
        }
    }

    private func take(_ shown: ShownLocation, of share: Int64, from node: NodeID) {
        guard let live = board.shares[share] else { return }
        live.others[node] = (shown, monotonic())
        tellViewers(live)
    }

    /// What other nodes told and do not tell any more.
    func forgetSilent(_ now: UInt64) {
        let limit = Duration.nanoseconds(ofSeconds: ShareLimits.voidSeconds)
        for live in board.shares.values where !live.others.isEmpty {
            live.others = live.others.filter { now <= $0.value.heard + limit }
        }
        board.leases = board.leases.compactMapValues { leases in
            let rest = leases.filter { now <= $0.value.heard + limit }
            return rest.isEmpty ? nil : rest
        }
        board.peopleLeases = board.peopleLeases.compactMapValues { leases in
            let rest = leases.filter { now <= $0.value + limit }
            return rest.isEmpty ? nil : rest
        }
        for place in board.people.values where !place.others.isEmpty {
            place.others = place.others.filter { now <= $0.value.heard + limit }
        }
    }

    func heardShares(_ event: BusEvent) {
        switch event {
        case .live:
            board.leased = 0
            shareViewersMoved()
            // What was told before this is stored. When it cannot be read now, the next look finds it.
            Task { try? await confirmShares() }
        case .missed:
            // One may have begun of somebody located here: with the next report it is found.
            board.known = []
            doubt()
        case .message(let message):
            guard case .shares(let bytes)? = read(message),
                let said = try? WireJSON.decode(ShareMessage.self, from: bytes)
            else { return doubt() }
            hear(said, from: message)
        }
    }

    private func hear(_ said: ShareMessage, from message: BusMessage) {
        switch said {
        case .watched(let watched, let cells):
            note(watched, cells, of: message.node)
            return
        case .ended(let ids):
            endLocally(ids)
            return answerWhenWritten(message, of: Set(ids))
        case .ending(let ending):
            holdLocally(Dictionary(ending.map { ($0.share, $0.toldAt) }) { first, _ in first })
            return answerWhenWritten(message, of: Set(ending.map(\.share)))
        case .look(let ids):
            guard message.question != nil else { return }
            let held = ShareMessage.held(ids.compactMap(held))
            try? nodes?.bus.answer(message, with: NodeMessage.shares((try? WireJSON.encode(held)) ?? []).encoded)
            return
        case .changed(let account):
            return look(at: account, for: message)
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
            // What was said before it was cleared may come behind that.
            let length = Duration.nanoseconds(ofSeconds: ShareLimits.pinSeconds)
            guard !board.wasCleared(account, since: until > length ? until - length : 0) else { break }
            // Of two pins the later one holds, in whichever order they are told.
            if let own = board.locations[account]?.pinnedUntil, own > until { return tellPin(of: account) }
            forgetLocation(of: account)
            board.pinnedElsewhere[account] = (message.node, until)
        case .shown, .people, .held, .done: break
        }
        answer(message)
    }

    private func answer(_ message: BusMessage) {
        guard message.question != nil else { return }
        try? nodes?.bus.answer(
            message, with: NodeMessage.shares((try? WireJSON.encode(ShareMessage.done)) ?? []).encoded)
    }

    /// While a pin holds, other nodes tell nothing that a device reports to them.
    func tellPin(of account: Int64) {
        let now = monotonic()
        guard let until = board.locations[account]?.pinnedUntil, until > now else { return }
        tellShares(.pinned(account: account, seconds: Double(until - now) / 1e9))
    }

    /// A node is gone, and the pins with it that it had. What it has heard last is not waited for: the next report here counts, whatever
    /// its clock said.
    func loseShares(_ node: NodeID) {
        board.pinnedElsewhere = board.pinnedElsewhere.filter { $0.value.node != node }
        for (account, held) in board.locations where held.elsewhere?.node == node {
            board.locations[account]?.elsewhere?.heardAt = Timestamp(milliseconds: 0)
        }
    }

    /// When those who were cut have been told, and who got what is written down.
    private func answerWhenWritten(_ message: BusMessage, of shares: Set<Int64>) {
        Task {
            async let drained: Void = drain()
            async let written: Void = writeNotes(of: shares)
            _ = await (drained, written)
            answer(message)
        }
    }

    /// Shares of an account are others now.
    private func look(at account: Int64, for message: BusMessage) {
        // What was told of it on the map of everybody is from before, and a precision may have come back that was written down once.
        board.forgetSeen(of: account)
        takeOffMap { $0.person.account == account }
        guard let store = board.store, board.of[account] != nil || board.locations[account] != nil else {
            return answer(message)
        }
        Task {
            if let found = try? await store.shares(of: account) {
                for share in found where !board.ended.contains(share.id) {
                    guard board.shares[share.id] != nil || board.locations[account] != nil else { continue }
                    moved(adopt(share))
                }
                sweepShares()
            } else {
                doubtShares(Array(board.of[account] ?? []))
                // What began is found with the next report.
                board.known.remove(account)
            }
            sendPeople(with: account)
            await drain()
            answer(message)
        }
    }

    private func note(_ watched: [ShareMessage.Watched], _ cells: [ShareMessage.Place], of node: NodeID) {
        let now = monotonic()
        for one in watched {
            let isNew = board.leases[one.share]?[node] == nil
            if one.owner == 0 {
                board.leases[one.share]?[node] = nil
            } else if !isNew || board.leases.count < ShareLimits.leasesMax {
                board.leases[one.share, default: [:]][node] = .init(watching: one.watching, heard: now)
            }
            guard let live = board.shares[one.share] else { continue }
            if let seen = one.seenAt { live.seenAt = max(live.seenAt ?? seen, min(seen, serverTime)) }
            if isNew, one.owner != 0 { send(live) }
            tellWatching(live)
        }
        for place in cells {
            guard let cell = Cell(zoom: Topic.peopleZoom, x: place.x, y: place.y) else { continue }
            let isNew = board.peopleLeases[cell]?[node] == nil
            guard !isNew || board.peopleLeases.count < ShareLimits.leasesMax else { continue }
            board.peopleLeases[cell, default: [:]][node] = now
            if isNew { sendPeople(cell, isDue: true) }
        }
        sweepShares()
    }
}
