import Bus
import EventLoop
import HubCore
import Wire

/// Routes from the owner node to nodes whose viewers watch a session: the whole route on request, then numbered steps by which it
/// grows.
extension SessionFeed {
    /// Largest time until a subscription is live.
    static let watchLiveTimeMax = Duration.seconds(1)
    /// Time for which a route is followed after its last viewer left.
    static let watchLingerTime = Duration.seconds(5)

    /// Number of requests for a route after which the owner's answers, each older than its published states, count as none.
    static let routeAsksMax = 5

    // MARK: Sending

    /// Publishes the pending steps of a session to the nodes that follow its route.
    func publishRouteStep(of id: Int64) {
        guard let nodes, let owned = nodes.owned[id], let state = state(of: id, forWatchers: true) else { return }
        var change = owned.change
        if case .route = change { change = .route(live[id]?.route.points ?? []) }
        nodes.owned[id]?.change = .pieces([])
        nodes.owned[id]?.step = owned.step + 1
        publishToNodes(
            .step(RouteStep(number: owned.step + 1, state: state, change: change)), on: NodeSubjects.session(id))
    }

    /// The whole route of a session, after which the asking node gets steps; nil if this node does not own the session.
    func route(of id: Int64, for node: NodeID) -> RouteStep? {
        guard let nodes, nodes.owned[id] != nil else { return nil }
        // Pending steps are part of the route already, and must not come again.
        if nodes.owned[id]?.watchers.isEmpty == false { publishRouteStep(of: id) }
        nodes.owned[id]?.watchers.insert(node)
        nodes.owned[id]?.change = .pieces([])
        guard let owned = nodes.owned[id], let route = live[id]?.route.points,
            let state = state(of: id, forWatchers: true)
        else {
            return nil
        }
        return RouteStep(number: owned.step, state: state, change: .route(route))
    }

    // MARK: Following

    /// Loads a session from its owner node, or from PostgreSQL if no node answers. Then the caller subscribes again.
    public func fetch(_ id: Int64) async {
        guard let nodes else { return }
        if nodes.owned[id] == nil, await follow(id) { return }
        do {
            // The session has no owner, or the owner cannot be reached: the committed state is shown.
            if needsLoading(id) || nodes.remote[id] != nil { try await restElsewhere(id) }
        } catch {
            nodes.logger.warning("a session cannot be read", metadata: ["session": "\(id)", "error": "\(error)"])
        }
    }

    private func restElsewhere(_ id: Int64) async throws {
        guard let nodes else { return }
        // An owner that does not answer counts as none until it sends a message again.
        nodes.remote[id] = nil
        try await nodes.backing.rest(id)
    }

    /// - Returns: Whether the owner node has sent the session.
    private func follow(_ id: Int64) async -> Bool {
        guard let nodes else { return false }
        guard nodes.watches[id] != nil || nodes.watches.count < NodeLimits.watchesMax else { return false }
        let watch = nodes.watches[id] ?? SessionNodes.Watch(number: nodes.nextNumber())
        if nodes.watches[id] == nil {
            nodes.watches[id] = watch
            listen(to: id, watch)
            announceInterest(ifChanged: true)
        }
        watch.unwantedSince = monotonic()
        let deadline = EventLoop.nowNanoseconds &+ Self.watchLiveTimeMax.nanoseconds
        while !watch.isLive, EventLoop.nowNanoseconds < deadline, !nodes.isDisconnected {
            await loop.sleep(for: .milliseconds(5))
        }
        return await fetchRoute(id, watch)
    }

    /// Whether this node gets the session's steps, or needs none: it owns the session, or no node does.
    func isFollowed(_ id: Int64) -> Bool { nodes?.remote[id] == nil || nodes?.watches[id] != nil }

    private func listen(to id: Int64, _ watch: SessionNodes.Watch) {
        do {
            watch.subscription = try listen(to: NodeSubjects.session(id).map { .init($0) }) {
                [number = watch.number] feed, event in
                guard let watch = feed.nodes?.watches[id], watch.number == number else { return }
                switch event {
                case .live: watch.isLive = true
                case .missed: feed.refetch(id)
                case .message(let message): feed.receiveStep(message, watch)
                }
            }
        } catch {
            nodes?.logger.error("a session cannot be followed", metadata: ["error": "\(error)"])
        }
    }

    private func fetchRoute(_ id: Int64, _ watch: SessionNodes.Watch) async -> Bool {
        for _ in 1...Self.routeAsksMax {
            let answers = await ask(.askRoute(id))
            guard let nodes, nodes.watches[id] === watch, !nodes.isInDoubt else { return false }
            var isOld = false
            for message in answers.messages {
                guard case .route(let step?)? = read(message), step.state.session.id == id else { continue }
                switch take(answer: step, from: message.node, watch) {
                case .taken: return true
                case .old: isOld = true
                case .notOwner: continue
                }
            }
            guard isOld else { return false }
        }
        return false
    }

    /// Result of an owner's answer to a request for a route.
    enum RouteAnswer: Equatable {
        case taken
        /// A newer state had arrived before.
        case old
        /// Another node owns the session.
        case notOwner
    }

    /// Takes an owner's answer, unless it is outdated: an owner's messages arrive by several subscriptions, and the answer may arrive
    /// after a newer state. An outdated answer could put a session back on the map that has been hidden meanwhile.
    func take(answer step: RouteStep, from node: NodeID, _ watch: SessionNodes.Watch) -> RouteAnswer {
        let state = step.state
        guard case .route(let route) = step.change else { return .notOwner }
        take(state, from: node)
        guard let known = nodes?.remote[state.session.id], known.node == node,
            known.generation == state.generation
        else { return .notOwner }
        guard known.revision == state.revision else { return .old }
        install(state, route)
        watch.step = step.number
        return .taken
    }

    private func install(_ state: NodeSession, _ route: [[LatLon]]) {
        let id = state.session.id
        let session =
            live[id]
            ?? LiveSession(
                session: state.session, rate: state.rate, route: [], fix: state.fix, lastPointAt: monotonic())
        session.replaceRoute(route)
        if sessionViewers[id] == nil { session.clearPending() }
        session.isHidden = state.isHidden
        session.fix = state.isHidden ? nil : state.fix ?? session.fix
        session.isOffline = state.isOffline
        session.isRouteKnown = true
        take(up: session)
        place(id)
        touch(id)
        startSweeping()
    }

    /// Asks for the whole route again, because a step is missing or the owner has changed.
    func refetch(_ id: Int64) {
        guard let nodes, nodes.owned[id] == nil else { return }
        let watch = nodes.watches[id]
        // When nothing is in doubt any more, the routes of all watches without a step are requested.
        watch?.step = nil
        guard !nodes.isInDoubt else { return }
        guard watch?.isFetching != true else {
            // The answer in flight may be older.
            watch?.mustFetchAgain = true
            return
        }
        watch?.isFetching = true
        watch?.mustFetchAgain = false
        Task {
            let found = await follow(id)
            nodes.watches[id]?.isFetching = false
            if nodes.watches[id]?.mustFetchAgain == true { return refetch(id) }
            // The request to an owner node that is alive and did not answer is repeated while the session has viewers.
            guard !found, nodes.remote[id] != nil, sessionViewers[id] != nil else { return }
            await loop.sleep(for: Self.regionAskAgainDelay)
            refetch(id)
        }
    }

    private func receiveStep(_ message: BusMessage, _ watch: SessionNodes.Watch) {
        guard let nodes, nodes.others.contains(message.node) else { return }
        // While messages may be lost, no session of another node is shown; afterwards all of them are requested again.
        guard !nodes.isInDoubt else { return watch.step = nil }
        guard case .step(let step)? = read(message) else { return }
        let id = step.state.session.id
        guard let last = watch.step, let remote = nodes.remote[id], remote.node == message.node,
            remote.generation == step.state.generation
        else {
            take(step.state, from: message.node)
            return
        }
        // The step is part of the fetched route.
        guard step.number > last else { return }
        guard step.number == last + 1 else { return refetch(id) }
        watch.step = step.number
        switch step.change {
        case .pieces(let pieces): for piece in pieces { live[id]?.extend(piece) }
        case .route(let route): live[id]?.replaceRoute(route)
        }
        take(step.state, from: message.node)
        touch(id)
    }

    // MARK: Ends

    func endWatch(_ id: Int64) {
        nodes?.watches.removeValue(forKey: id)?.subscription?.cancel()
    }

    func sweepWatches() {
        guard let nodes else { return }
        var hasEnded = false
        for (id, watch) in nodes.watches {
            guard sessionViewers[id] == nil else {
                watch.unwantedSince = nil
                continue
            }
            let since = watch.unwantedSince ?? monotonic()
            watch.unwantedSince = since
            guard monotonic() &- since >= Self.watchLingerTime.nanoseconds else { continue }
            endWatch(id)
            live[id]?.isRouteKnown = nodes.owned[id] != nil
            hasEnded = true
        }
        if hasEnded { announceInterest(ifChanged: true) }
    }
}
