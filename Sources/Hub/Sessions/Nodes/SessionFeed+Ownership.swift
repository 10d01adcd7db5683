import Bus
import Campus
import EventLoop
import HubCore
import Wire

/// Ownership of sessions by nodes.
///
/// A node becomes a session's owner node when a request makes it claim the session in PostgreSQL, which gives it a fencing token larger
/// than any before. The node announces the token as the *generation*. The highest generation wins, so that there is one owner in the
/// end, whatever messages were lost; other nodes drop their state of the session, and PostgreSQL refuses their late writes.
extension SessionFeed {
    /// Whether this node owns the session, so that its Tracking service may change it.
    func isOwned(_ id: Int64) -> Bool {
        live[id].map { !$0.isEnding } == true && nodes?.remote[id] == nil
    }

    /// Whether another node has claimed the session with a higher fencing token, or has finished it.
    func isVoid(_ generation: UInt64, of id: Int64) -> Bool {
        guard let nodes, generation > 0 else { return false }
        return nodes.finished.contains(id) || nodes.remote[id].map { $0.generation > generation } ?? false
    }

    /// Makes this node the session's owner. Call ``announce(_:)`` when the hub has the session.
    /// - Parameter generation: The fencing token; 0 for one more than the last.
    func claim(_ id: Int64, as generation: UInt64) {
        guard let nodes else { return }
        if let owned = nodes.owned[id] {
            nodes.owned[id]?.generation = max(generation, owned.generation)
            return
        }
        let before = nodes.remote.removeValue(forKey: id)?.generation ?? 0
        nodes.owned[id] = SessionNodes.OwnedSession(generation: generation > 0 ? generation : before + 1)
        live[id]?.isWithheld = false
        live[id]?.isRouteKnown = true
        endWatch(id)
    }

    /// Announces the state of a session that this node owns to all nodes: it was claimed, has another audience, or is finished.
    func announce(_ id: Int64) {
        guard let nodes, nodes.owned[id] != nil, let state = state(of: id) else { return }
        publishToNodes(.session(state))
        nodes.changed.insert(id)
    }

    /// State of a session that this node owns, for other nodes. The position of a private session is only for nodes that watch it.
    func state(of id: Int64, forWatchers: Bool = false) -> NodeSession? {
        guard let nodes, let owned = nodes.owned[id], let session = live[id] else { return nil }
        let isPrivate = session.session.audience == .private && !forWatchers
        return NodeSession(
            generation: owned.generation, revision: nodes.nextRevision(), rate: session.rate,
            isOffline: session.isOffline, isHidden: session.isHidden, session: session.session,
            fix: isPrivate ? nil : session.fix)
    }

    /// Gives up a session, because another node owns it, or it does not exist any more.
    func surrender(_ id: Int64) {
        guard let nodes, nodes.owned.removeValue(forKey: id) != nil else { return }
        nodes.changed.remove(id)
        let backing = nodes.backing
        Task { await backing.surrender(id) }
    }

    // MARK: All sessions

    /// Requests the sessions that the other nodes own and their interests, then the positions of all regions that are viewed here.
    func exchangeOwnership() {
        announceInterest()
        Task {
            let before = nodes?.remote ?? [:]
            let answers = await ask(.askOwned(after: 0))
            for message in answers.messages {
                guard case .ownedSessions(var page)? = read(message) else { continue }
                var named = Set(page.entries.map(\.session))
                note(page, of: message.node)
                while page.next > 0 {
                    let rest = await ask(.askOwned(after: page.next)).messages.first { $0.node == message.node }
                    guard let rest, case .ownedSessions(let next)? = read(rest), next.next == 0 || next.next > page.next
                    else {
                        break
                    }
                    note(next, of: message.node)
                    named.formUnion(next.entries.map(\.session))
                    page = next
                }
                if page.next == 0 { forget(before, of: message.node, but: named) }
            }
            // Nodes that were lost meanwhile are not asked again; nodes that did not answer are.
            if let nodes, !answers.silent.isDisjoint(with: nodes.others) { scheduleOwnershipExchange() }
            askForAll()
        }
    }

    /// Schedules ``exchangeOwnership()``, so that one exchange covers several nodes that join within the delay.
    func scheduleOwnershipExchange() {
        guard let nodes, !nodes.isOwnershipExchangeScheduled else { return }
        nodes.isOwnershipExchangeScheduled = true
        loop.schedule(after: Self.ownershipExchangeDelay) { [weak self] in
            self?.assumeIsolated {
                $0.nodes?.isOwnershipExchangeScheduled = false
                $0.exchangeOwnership()
            }
        }
    }

    static let ownershipExchangeDelay = Duration.milliseconds(200)

    /// A page of the sessions that this node owns.
    func ownedSessions(after: Int64) -> NodeOwnership {
        guard let nodes else { return NodeOwnership(interest: NodeInterest(), entries: [], next: 0) }
        let ids = nodes.owned.keys.filter { $0 > after }.sorted()
        let entries = ids.prefix(NodeLimits.ownedPerAnswerMax).map {
            NodeOwnership.Entry(session: $0, generation: nodes.owned[$0]?.generation ?? 0)
        }
        return NodeOwnership(
            interest: nodes.announcedInterest, entries: entries,
            next: entries.count < ids.count ? entries.last?.session ?? 0 : 0)
    }

    /// Forgets that a node owns sessions which it did not list; the message about their end was lost.
    private func forget(_ before: [Int64: SessionNodes.RemoteSession], of node: NodeID, but named: Set<Int64>) {
        guard let nodes else { return }
        for (id, remote) in before where remote.node == node && !named.contains(id) && live[id] == nil {
            if let known = nodes.remote[id], known.node == node, known.revision == remote.revision {
                nodes.remote[id] = nil
            }
        }
    }

    private func note(_ ownership: NodeOwnership, of node: NodeID) {
        guard nodes?.others.contains(node) == true else { return }
        note(ownership.interest, of: node)
        for entry in ownership.entries { note(entry, of: node) }
    }

    private func note(_ entry: NodeOwnership.Entry, of node: NodeID) {
        guard let nodes, !nodes.finished.contains(entry.session) else { return }
        if let owned = nodes.owned[entry.session] {
            guard Self.isNewer((entry.generation, node), than: (owned.generation, nodes.bus.node.id)) else {
                return announce(entry.session)
            }
            surrender(entry.session)
        }
        if let known = nodes.remote[entry.session] {
            guard known.node != node || known.generation != entry.generation,
                Self.isNewer((entry.generation, node), than: (known.generation, known.node))
            else { return }
        }
        nodes.remote[entry.session] = SessionNodes.RemoteSession(
            node: node, generation: entry.generation, revision: 0)
        hasMoved(entry.session)
    }

    /// Handles a change of a session's owner: the known route may be incomplete, and does not grow any more.
    func hasMoved(_ id: Int64) {
        if nodes?.watches[id] != nil || sessionViewers[id] != nil {
            refetch(id)
        } else {
            live[id]?.isRouteKnown = false
        }
    }

    static func isNewer(
        _ one: (generation: UInt64, node: NodeID), than other: (generation: UInt64, node: NodeID)
    ) -> Bool {
        (one.generation, one.node.bits) > (other.generation, other.node.bits)
    }

    // MARK: Lost nodes

    /// Handles a node that has left or is silent. Its sessions have no owner until a request claims them again: they stay where they
    /// were last seen, and go offline after the usual time.
    package func lost(_ node: NodeID, isSilent: Bool) {
        guard let nodes else { return }
        nodes.interests[node] = nil
        for id in nodes.owned.keys { nodes.owned[id]?.watchers.remove(node) }
        orphan(nodes.remote.filter { $0.value.node == node }.map(\.key), isSilent: isSilent)
    }

    /// Handles the loss of the bus: nothing is known any more of the sessions that other nodes own.
    package func busLost(_ others: Set<NodeID>) {
        guard let nodes else { return }
        orphan(Array(nodes.remote.keys), isSilent: true)
    }

    package func joined(_ node: NodeID) {
        // It missed everything that was announced before it joined, and may want to follow regions of this node.
        announceInterest()
        scheduleOwnershipExchange()
    }

    private func orphan(_ ids: [Int64], isSilent: Bool) {
        guard let nodes, !ids.isEmpty else { return }
        for id in ids {
            nodes.remote[id] = nil
            nodes.watches[id]?.step = nil
            guard live[id] != nil else { continue }
            if isSilent { live[id]?.isOffline = true }
            touch(id)
        }
        startSweeping()
        let (backing, logger) = (nodes.backing, nodes.logger)
        Task {
            // Loads the sessions that had no viewers here, and the current state of the others.
            do {
                try await backing.rest(nil)
            } catch {
                logger.warning("sessions of other nodes cannot be read", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Shows an unfinished session without an owner as PostgreSQL has it, unless the hub knows more.
    /// - Parameters:
    ///   - route: The route as far as it is known, in pieces.
    ///   - fix: The newest fix.
    ///   - rate: Seconds of session time in a second.
    ///   - own: The owner's view, if others do not see all of the session.
    public func rest(
        _ session: Session, rate: Double, route: [[LatLon]], fix: LiveFix?, own: OwnerView? = nil
    ) {
        guard nodes?.owned[session.id] == nil, nodes?.remote[session.id] == nil,
            nodes?.finished.contains(session.id) != true
        else { return }
        if let known = live[session.id] {
            guard !known.isRouteKnown else { return }
            known.replaceRoute(route)
            known.isRouteKnown = true
            touch(session.id)
            return
        }
        take(up: LiveSession(session: session, rate: rate, route: route, fix: fix, lastPointAt: 0))
        live[session.id]?.take(own, isWhole: true)
        place(session.id)
        touch(session.id)
        startSweeping()
    }

    /// Whether an unfinished session must be loaded from PostgreSQL.
    public func needsLoading(_ id: Int64) -> Bool {
        guard nodes?.owned[id] == nil, nodes?.remote[id] == nil else { return false }
        return live[id].map { !$0.isRouteKnown } ?? true
    }
}
