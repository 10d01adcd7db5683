import Bus
import Campus
import EventLoop
import HubCore
import Wire

/// Positions from the owner node to nodes with viewers: at each tick one message for each cell with changes.
extension SessionFeed {
    // MARK: Sending

    /// Marks a session as changed for the other nodes.
    func touchForNodes(_ id: Int64) {
        guard let nodes, nodes.owned[id] != nil else { return }
        nodes.changed.insert(id)
    }

    /// Notes a piece by which a route grew; the next tick sends it to the nodes that follow the route.
    func extendForNodes(_ id: Int64, _ piece: RoutePiece) {
        guard let nodes, let owned = nodes.owned[id], !owned.watchers.isEmpty else { return }
        guard case .pieces(let pieces) = owned.change, !piece.points.isEmpty else { return }
        nodes.owned[id]?.change = .pieces(pieces + [piece])
    }

    /// Notes that a route was replaced.
    func noteReplacedRoute(_ id: Int64) {
        guard let nodes, nodes.owned[id]?.watchers.isEmpty == false else { return }
        nodes.owned[id]?.change = .route([])
    }

    /// Publishes the changes of this node's sessions to the other nodes. Once a tick.
    func publishChangesToNodes() {
        guard let nodes, !nodes.changed.isEmpty else { return }
        let changed = nodes.changed
        nodes.changed.removeAll(keepingCapacity: true)
        guard !nodes.others.isEmpty else { return }
        var changes: [Cell: (states: [NodeSession], left: [NodeLeave])] = [:]
        for id in changed {
            guard let owned = nodes.owned[id], let session = live[id] else { continue }
            let isPrivate = session.session.audience == .private
            let cell = isPrivate ? nil : session.fix.flatMap { Self.cell(at: $0.position) }
            nodes.owned[id]?.cell = cell
            if let before = owned.cell, before != cell, nodes.isWanted(before) {
                let left = NodeLeave(
                    session: id, generation: owned.generation, revision: nodes.nextRevision(), to: cell)
                changes[before, default: ([], [])].left.append(left)
            }
            if let cell, nodes.isWanted(cell), let state = state(of: id) {
                changes[cell, default: ([], [])].states.append(state)
            }
            if !owned.watchers.isEmpty { publishRouteStep(of: id) }
        }
        for (cell, (states, left)) in changes { publishPositions(states, left, of: cell) }
    }

    private func publishPositions(_ states: [NodeSession], _ left: [NodeLeave], of cell: Cell) {
        let subject = NodeSubjects.positions(cell)
        var left = left
        var rest = states[...]
        repeat {
            let part = rest.prefix(NodeLimits.statesPerMessageMax)
            rest = rest.dropFirst(part.count)
            let gone = Array(left.prefix(NodeLimits.statesPerMessageMax))
            left.removeFirst(gone.count)
            publishToNodes(.positions(Array(part), left: gone), on: subject)
        } while !rest.isEmpty || !left.isEmpty
    }

    /// A page of this node's sessions in some cells; in all cells if none are given.
    func runners(in cells: [Cell], after: Int64) -> NodeRunners {
        guard let nodes else { return NodeRunners(asOf: 0, entries: [], next: 0) }
        let wanted = Set(cells)
        let asOf = nodes.revision
        let ids = nodes.owned.keys.filter { id in
            guard id > after, let session = live[id], session.session.audience != .private, let fix = session.fix
            else { return false }
            return wanted.isEmpty || Self.cell(at: fix.position).map(wanted.contains) ?? false
        }.sorted()
        let page = ids.prefix(NodeLimits.statesPerMessageMax)
        let points = min(RouteLimits.trailPointsMax, NodeLimits.trailPointsMax / max(1, page.count))
        let entries = page.compactMap { id -> NodeRunners.Entry? in
            guard let state = state(of: id), let session = live[id] else { return nil }
            // From now on other nodes know the session's cell, and must be notified when it leaves the cell.
            nodes.owned[id]?.cell = state.fix.flatMap { Self.cell(at: $0.position) }
            return NodeRunners.Entry(state: state, trail: Array(session.trail.suffix(points)))
        }
        return NodeRunners(asOf: asOf, entries: entries, next: page.count < ids.count ? page.last ?? 0 : 0)
    }

    // MARK: Receiving

    func receivePositions(_ message: BusMessage) {
        // While messages may be lost, no session of another node is shown; afterwards all of them are requested again.
        guard let nodes, !nodes.isInDoubt, nodes.others.contains(message.node) else { return }
        guard case .positions(let states, let left)? = read(message) else { return }
        for one in left { take(one, from: message.node) }
        for state in states { take(state, from: message.node) }
    }

    private func take(_ left: NodeLeave, from node: NodeID) {
        guard let nodes, let known = nodes.remote[left.session], known.node == node,
            known.generation == left.generation, known.revision < left.revision
        else { return }
        // A node that owns the session announces it in the new cell as well.
        if let cell = left.to, nodes.isReceiving(cell) { return }
        nodes.remote[left.session]?.revision = left.revision
        dropCopy(left.session, reason: left.to == nil ? .hidden : .zone)
    }

    /// Takes the state of a session from its owner node.
    func take(_ state: NodeSession, from node: NodeID, trail: [LatLon] = []) {
        let id = state.session.id
        guard let nodes, nodes.others.contains(node), isCurrent(state, of: node, nodes) else { return }
        let isMove = nodes.remote[id]?.node != node || nodes.remote[id]?.generation != state.generation
        guard state.session.state != .finished else {
            nodes.remote[id] = nil
            return end(state.session)
        }
        nodes.remote[id] = SessionNodes.RemoteSession(
            node: node, generation: state.generation, revision: state.revision)
        if isMove { hasMoved(id) }
        show(state, trail)
    }

    /// Whether a state is newer than the known one. If it is older, the announcement informs its sender that it does not own the session
    /// any more.
    private func isCurrent(_ state: NodeSession, of node: NodeID, _ nodes: SessionNodes) -> Bool {
        let id = state.session.id
        if nodes.finished.contains(id) { return false }
        if let owned = nodes.owned[id] {
            guard Self.isNewer((state.generation, node), than: (owned.generation, nodes.bus.node.id)) else {
                announce(id)
                return false
            }
            surrender(id)
        }
        guard let known = nodes.remote[id] else { return true }
        if known.node == node, known.generation == state.generation { return known.revision < state.revision }
        return Self.isNewer((state.generation, node), than: (known.generation, known.node))
    }

    /// Applies a state, if a viewer at this node views the session's area and may see it.
    private func show(_ state: NodeSession, _ trail: [LatLon]) {
        guard let nodes else { return }
        let id = state.session.id
        let isWatched = nodes.watches[id] != nil || sessionViewers[id] != nil
        let cell = state.fix.flatMap { Self.cell(at: $0.position) }
        // A private session comes without its position: its viewers keep it where it was.
        let isReceiving = cell.map(nodes.isReceiving) ?? (state.session.audience == .private && isWatched)
        guard let known = live[id] else {
            guard isReceiving, state.session.audience != .private, !nodes.isInDoubt else { return }
            let session = LiveSession(
                session: state.session, rate: state.rate, route: trail.isEmpty ? [] : [trail], fix: state.fix,
                lastPointAt: monotonic())
            session.isOffline = state.isOffline
            session.isHidden = state.isHidden
            session.isRouteKnown = false
            take(up: session)
            place(id)
            touch(id)
            startSweeping()
            return
        }
        if known.session.audience != state.session.audience { changeAudience(of: state.session) }
        // If the session may be seen, its other changes are applied when nothing is in doubt any more.
        guard !nodes.isInDoubt else { return }
        guard isReceiving || isWatched else { return dropCopy(id, reason: state.isHidden ? .hidden : .zone) }
        guard let session = live[id] else { return }
        if session.isHidden != state.isHidden {
            session.isHidden = state.isHidden
            session.isHiddenPublished = false
        }
        if state.isHidden {
            session.fix = nil
            areaFeeds.remove(session, reason: .hidden)
        } else if let fix = state.fix {
            if !session.isRouteKnown, fix.position != session.fix?.position { session.extendTrail(fix.position) }
            session.fix = fix
        }
        session.session = state.session
        session.rate = state.rate
        session.isOffline = state.isOffline
        session.lastPointAt = monotonic()
        place(id)
        touch(id)
        startSweeping()
    }

    /// Removes a copy from the map, and drops it unless the session has viewers here.
    func dropCopy(_ id: Int64, reason: ZoneUpdate.Left.Reason) {
        guard let session = live[id], nodes?.owned[id] == nil else { return }
        areaFeeds.remove(session, reason: reason)
        scheduleTick()
        guard sessionViewers[id] == nil, nodes?.watches[id] == nil else { return }
        forgetChange(id)
        drop(id)
    }

    /// Asks for the regions of a copy that has gone offline. If its owner node is alive, the session may have moved to a region that
    /// this node does not follow, so that nothing was received.
    func askForRegions(of id: Int64) {
        guard let nodes, let remote = nodes.remote[id], nodes.others.contains(remote.node),
            let cell = live[id]?.fix.flatMap({ Self.cell(at: $0.position) })
        else { return }
        for region in [SessionNodes.Region.everywhere, .cell(cell)] where nodes.listening[region]?.isLive == true {
            askFor(region)
        }
    }

    /// Ends following regions and routes without viewers, and drops their copies. Every ``sweepInterval``.
    /// - Returns: Whether regions or routes are still followed.
    func sweepNodes() -> Bool {
        guard let nodes else { return false }
        if nodes.listening.values.contains(where: { $0.unwantedSince != nil }) { follow() }
        for id in nodes.remote.keys {
            guard let session = live[id], nodes.watches[id] == nil, sessionViewers[id] == nil else { continue }
            let cell = session.fix.flatMap { Self.cell(at: $0.position) }
            if cell.map({ !nodes.isReceiving($0) }) ?? true { dropCopy(id, reason: .zone) }
        }
        sweepWatches()
        metrics.remoteSessions.set(nodes.remote.keys.count { live[$0] != nil })
        return !nodes.listening.isEmpty || !nodes.watches.isEmpty
    }
}
