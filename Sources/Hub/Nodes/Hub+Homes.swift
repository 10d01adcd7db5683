import Bus
import Campus
import EventLoop
import Wire

/// Which node is a session's home.
///
/// A node becomes a session's home when a request about it makes it take the session in PostgreSQL, which gives it a number larger than
/// any before. It tells so with that number as the *generation*. The highest wins, so there is one home in the end, whatever was lost
/// meanwhile; the others forget what they have, and PostgreSQL refuses what they still write.
extension Hub {
    /// Whether Tracking may write into what the hub shows of a session.
    func isHere(_ id: Int64) -> Bool {
        live[id].map { !$0.isEnding } == true && nodes?.elsewhere[id] == nil
    }

    /// Another node has taken the session since this one did, or has finished it.
    func isVoid(_ generation: UInt64, of id: Int64) -> Bool {
        guard let nodes, generation > 0 else { return false }
        return nodes.finished.contains(id) || nodes.elsewhere[id].map { $0.generation > generation } ?? false
    }

    /// This node takes the session's points from now on. Tell of it with ``announce(_:)`` when the hub has it.
    /// - Parameter generation: 0 for one more than the last.
    func claim(_ id: Int64, as generation: UInt64) {
        guard let nodes else { return }
        if let here = nodes.here[id] {
            nodes.here[id]?.generation = max(generation, here.generation)
            return
        }
        let before = nodes.elsewhere.removeValue(forKey: id)?.generation ?? 0
        nodes.here[id] = HubNodes.HomeHere(generation: generation > 0 ? generation : before + 1)
        live[id]?.isWithheld = false
        live[id]?.isRouteKnown = true
        endWatch(id)
    }

    /// Tells all nodes how a session at home here stands: it came here, has another audience, or is finished.
    func announce(_ id: Int64) {
        guard let nodes, nodes.here[id] != nil, let state = state(of: id) else { return }
        tell(.session(state))
        nodes.changed.insert(id)
    }

    /// A session at home here, as others are told. Where a private one is, is nobody's business but its watchers'.
    func state(of id: Int64, forWatchers: Bool = false) -> NodeSession? {
        guard let nodes, let home = nodes.here[id], let session = live[id] else { return nil }
        let isHidden = session.session.audience == .private && !forWatchers
        return NodeSession(
            generation: home.generation, revision: nodes.nextRevision(), rate: session.rate,
            isOffline: session.isOffline, isDark: session.isDark, session: session.session,
            fix: isHidden ? nil : session.fix)
    }

    /// Another node is the home, or is no more.
    func surrender(_ id: Int64) {
        guard let nodes, nodes.here.removeValue(forKey: id) != nil else { return }
        nodes.changed.remove(id)
        let backing = nodes.backing
        Task { await backing.surrender(id) }
    }

    // MARK: All homes

    /// Asks the others whose home they are and what they want to hear, and for all that is looked at here.
    func meet() {
        tellInterest()
        Task {
            let before = nodes?.elsewhere ?? [:]
            let answers = await ask(.askHomes(after: 0))
            for message in answers.messages {
                guard case .homes(var page)? = read(message) else { continue }
                var named = Set(page.entries.map(\.session))
                note(page, of: message.node)
                while page.next > 0 {
                    let rest = await ask(.askHomes(after: page.next)).messages.first { $0.node == message.node }
                    guard let rest, case .homes(let next)? = read(rest), next.next == 0 || next.next > page.next else {
                        break
                    }
                    note(next, of: message.node)
                    named.formUnion(next.entries.map(\.session))
                    page = next
                }
                if page.next == 0 { forget(before, of: message.node, but: named) }
            }
            // Nodes that are lost meanwhile are not asked again; those that were busy are.
            if let nodes, !answers.silent.isDisjoint(with: nodes.others) { meetSoon() }
            askForAll()
        }
    }

    /// After a while in which more may come together.
    func meetSoon() {
        guard let nodes, !nodes.isMeetScheduled else { return }
        nodes.isMeetScheduled = true
        loop.schedule(after: Self.meetDelay) { [weak self] in
            self?.assumeIsolated {
                $0.nodes?.isMeetScheduled = false
                $0.meet()
            }
        }
    }

    static let meetDelay = Duration.milliseconds(200)

    /// Whose home this node is.
    func homes(after: Int64) -> NodeHomes {
        guard let nodes else { return NodeHomes(interest: NodeInterest(), entries: [], next: 0) }
        let ids = nodes.here.keys.filter { $0 > after }.sorted()
        let entries = ids.prefix(NodeLimits.homesPerAnswerMax).map {
            NodeHomes.Entry(session: $0, generation: nodes.here[$0]?.generation ?? 0)
        }
        return NodeHomes(
            interest: nodes.told, entries: entries, next: entries.count < ids.count ? entries.last?.session ?? 0 : 0)
    }

    /// A node that does not name a session is not its home any more, though that was not heard.
    private func forget(_ before: [Int64: HubNodes.HomeElsewhere], of node: NodeID, but named: Set<Int64>) {
        guard let nodes else { return }
        for (id, home) in before where home.node == node && !named.contains(id) && live[id] == nil {
            if let known = nodes.elsewhere[id], known.node == node, known.revision == home.revision {
                nodes.elsewhere[id] = nil
            }
        }
    }

    private func note(_ homes: NodeHomes, of node: NodeID) {
        guard nodes?.others.contains(node) == true else { return }
        note(homes.interest, of: node)
        for entry in homes.entries { note(entry, of: node) }
    }

    private func note(_ entry: NodeHomes.Entry, of node: NodeID) {
        guard let nodes, !nodes.finished.contains(entry.session) else { return }
        if let here = nodes.here[entry.session] {
            guard Self.isNewer((entry.generation, node), than: (here.generation, nodes.bus.node.id)) else {
                return announce(entry.session)
            }
            surrender(entry.session)
        }
        if let known = nodes.elsewhere[entry.session] {
            guard known.node != node || known.generation != entry.generation,
                Self.isNewer((entry.generation, node), than: (known.generation, known.node))
            else { return }
        }
        nodes.elsewhere[entry.session] = HubNodes.HomeElsewhere(
            node: node, generation: entry.generation, revision: 0)
        hasMoved(entry.session)
    }

    /// A session has another home: what is known of its route may not be all there is, and does not grow.
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

    // MARK: Nodes that go

    /// A node has left, or is not heard any more. Its sessions are nobody's until somebody tracks them again: they stay where they were
    /// last seen, and are offline as soon as that is true.
    func lose(_ node: NodeID, isSilent: Bool) {
        guard let nodes else { return }
        nodes.others.remove(node)
        nodes.interests[node] = nil
        loseRemote(node: node.bits)
        loseHeatmap(node)
        loseShares(node)
        for id in nodes.here.keys { nodes.here[id]?.watchers.remove(node) }
        orphan(nodes.elsewhere.filter { $0.value.node == node }.map(\.key), isSilent: isSilent)
    }

    /// Without the bus nothing is known of what others are home of.
    func disconnected() {
        guard let nodes else { return }
        for node in nodes.others { loseRemote(node: node.bits) }
        orphan(Array(nodes.elsewhere.keys), isSilent: true)
    }

    private func orphan(_ ids: [Int64], isSilent: Bool) {
        guard let nodes, !ids.isEmpty else { return }
        for id in ids {
            nodes.elsewhere[id] = nil
            nodes.watches[id]?.step = nil
            guard live[id] != nil else { continue }
            if isSilent { live[id]?.isOffline = true }
            touch(id)
        }
        startSweeping()
        let (backing, logger) = (nodes.backing, nodes.logger)
        Task {
            // Those that nobody here looked at, and where those that somebody did look at have got to.
            do {
                try await backing.rest(nil)
            } catch {
                logger.warning("sessions of other nodes cannot be read", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Shows an unfinished session that nobody tracks at the moment, as PostgreSQL has it, unless the hub knows more.
    /// - Parameters:
    ///   - route: What is known of it, in pieces.
    ///   - fix: The last one.
    ///   - rate: Seconds of session time in a second.
    ///   - own: What its owner sees, where others do not see all of it.
    public func rest(
        _ session: Session, rate: Double, route: [[LatLon]], fix: LiveFix?, own: OwnView? = nil
    ) {
        guard nodes?.here[session.id] == nil, nodes?.elsewhere[session.id] == nil,
            nodes?.finished.contains(session.id) != true
        else { return }
        if let known = live[session.id] {
            guard !known.isRouteKnown else { return }
            known.replaceRoute(route)
            known.isRouteKnown = true
            touch(session.id)
            return
        }
        take(up: LiveSession(session: session, rate: rate, route: route, fix: fix, lastHeard: 0))
        live[session.id]?.take(own, isWhole: true)
        place(session.id)
        touch(session.id)
        startSweeping()
    }

    /// Whether PostgreSQL has to be asked for a session that is not finished.
    public func isMissing(_ id: Int64) -> Bool {
        guard nodes?.here[id] == nil, nodes?.elsewhere[id] == nil else { return false }
        return live[id].map { !$0.isRouteKnown } ?? true
    }
}
