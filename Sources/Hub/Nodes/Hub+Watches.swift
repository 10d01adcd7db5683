import Bus
import EventLoop
import Wire

/// Routes from home to the nodes where somebody watches a session: all of it when asked, then what it grows by, numbered.
extension Hub {
    /// How long a subscription may take until it hears all.
    static let watchLiveTimeMax = Duration.seconds(1)
    /// A route is followed for so long after its last viewer went.
    static let watchLingerTime = Duration.seconds(5)

    /// A home is asked so often for a route before its answers, each older than what it told since, count as none.
    static let routeAsksMax = 5

    // MARK: Telling

    /// What watchers of a session were not told yet.
    func tellWatchers(of id: Int64) {
        guard let nodes, let home = nodes.here[id], let state = state(of: id, forWatchers: true) else { return }
        var news = home.news
        if case .route = news { news = .route(live[id]?.route.points ?? []) }
        nodes.here[id]?.news = .pieces([])
        nodes.here[id]?.step = home.step + 1
        tell(.step(NodeStep(number: home.step + 1, state: state, news: news)), HubNodes.Subjects.session(id))
    }

    /// All of a session, and whoever asks is told what follows; nil when it is not at home here.
    func route(of id: Int64, for node: NodeID) -> NodeStep? {
        guard let nodes, nodes.here[id] != nil else { return nil }
        // What is waiting is part of the route already, and must not come again.
        if nodes.here[id]?.watchers.isEmpty == false { tellWatchers(of: id) }
        nodes.here[id]?.watchers.insert(node)
        nodes.here[id]?.news = .pieces([])
        guard let home = nodes.here[id], let route = live[id]?.route.points,
            let state = state(of: id, forWatchers: true)
        else {
            return nil
        }
        return NodeStep(number: home.step, state: state, news: .route(route))
    }

    // MARK: Following

    /// Gets a session that the hub does not have, from its home or, when nobody answers, from PostgreSQL. Then try again to subscribe.
    public func fetch(_ id: Int64) async {
        guard let nodes else { return }
        if nodes.here[id] == nil, await follow(id) { return }
        do {
            // Nobody is home, or the home cannot be reached: what was committed is shown, as what it is.
            if isMissing(id) || nodes.elsewhere[id] != nil { try await restElsewhere(id) }
        } catch {
            nodes.logger.warning("a session cannot be read", metadata: ["session": "\(id)", "error": "\(error)"])
        }
    }

    private func restElsewhere(_ id: Int64) async throws {
        guard let nodes else { return }
        // A home that does not answer counts as none until it is heard again.
        nodes.elsewhere[id] = nil
        try await nodes.backing.rest(id)
    }

    /// - Returns: Whether its home has told of it.
    private func follow(_ id: Int64) async -> Bool {
        guard let nodes else { return false }
        guard nodes.watches[id] != nil || nodes.watches.count < NodeLimits.watchesMax else { return false }
        let watch = nodes.watches[id] ?? HubNodes.Watch(number: nodes.nextNumber())
        if nodes.watches[id] == nil {
            nodes.watches[id] = watch
            listen(to: id, watch)
            tellInterest(ifChanged: true)
        }
        watch.unwantedSince = monotonic()
        let deadline = EventLoop.nowNanoseconds &+ Self.watchLiveTimeMax.nanoseconds
        while !watch.isLive, EventLoop.nowNanoseconds < deadline, !nodes.isDisconnected {
            await loop.sleep(for: .milliseconds(5))
        }
        return await fetchRoute(id, watch)
    }

    /// What a session's home tells of it comes to this node, or this is its home, or it has none.
    func isFollowed(_ id: Int64) -> Bool { nodes?.elsewhere[id] == nil || nodes?.watches[id] != nil }

    private func listen(to id: Int64, _ watch: HubNodes.Watch) {
        do {
            watch.subscription = try listen(to: HubNodes.Subjects.session(id).map { .init($0) }) {
                [number = watch.number] hub, event in
                guard let watch = hub.nodes?.watches[id], watch.number == number else { return }
                switch event {
                case .live: watch.isLive = true
                case .missed: hub.refetch(id)
                case .message(let message): hub.heardStep(message, watch)
                }
            }
        } catch {
            nodes?.logger.error("a session cannot be followed", metadata: ["error": "\(error)"])
        }
    }

    private func fetchRoute(_ id: Int64, _ watch: HubNodes.Watch) async -> Bool {
        for _ in 1...Self.routeAsksMax {
            let answers = await ask(.askRoute(id))
            guard let nodes, nodes.watches[id] === watch, !nodes.isInDoubt else { return false }
            var isOld = false
            for message in answers.messages {
                guard case .route(let step?)? = read(message), step.state.session.id == id else { continue }
                switch take(answer: step, from: message.node, watch) {
                case .taken: return true
                case .old: isOld = true
                case .notHome: continue
                }
            }
            guard isOld else { return false }
        }
        return false
    }

    /// What became of a home's answer to the question for a route.
    enum RouteAnswer: Equatable {
        case taken
        /// The home told of something newer that was here before.
        case old
        /// Another node is the session's home.
        case notHome
    }

    /// A home's messages come by several subscriptions, and its answer may come behind what it told later. Then it is not taken: somebody who
    /// has gone into the dark meanwhile would be back on the map.
    func take(answer step: NodeStep, from node: NodeID, _ watch: HubNodes.Watch) -> RouteAnswer {
        let state = step.state
        guard case .route(let route) = step.news else { return .notHome }
        take(state, from: node)
        guard let known = nodes?.elsewhere[state.session.id], known.node == node,
            known.generation == state.generation
        else { return .notHome }
        guard known.revision == state.revision else { return .old }
        install(state, route)
        watch.step = step.number
        return .taken
    }

    private func install(_ state: NodeSession, _ route: [[LatLon]]) {
        let id = state.session.id
        let session =
            live[id]
            ?? LiveSession(session: state.session, rate: state.rate, route: [], fix: state.fix, lastHeard: monotonic())
        session.replaceRoute(route)
        if sessionViewers[id] == nil { session.clearPending() }
        session.isDark = state.isDark
        session.fix = state.isDark ? nil : state.fix ?? session.fix
        session.isOffline = state.isOffline
        session.isRouteKnown = true
        take(up: session)
        place(id)
        touch(id)
        startSweeping()
    }

    /// A part is missing, or the home is another: asks for all of it.
    func refetch(_ id: Int64) {
        guard let nodes, nodes.here[id] == nil else { return }
        let watch = nodes.watches[id]
        // When nothing is in doubt any more, all without one is asked for.
        watch?.step = nil
        guard !nodes.isInDoubt else { return }
        guard watch?.isFetching != true else {
            // The answer under way may be older.
            watch?.mustFetchAgain = true
            return
        }
        watch?.isFetching = true
        watch?.mustFetchAgain = false
        Task {
            let found = await follow(id)
            nodes.watches[id]?.isFetching = false
            if nodes.watches[id]?.mustFetchAgain == true { return refetch(id) }
            // A home that is there and did not answer is asked again, as long as somebody watches.
            guard !found, nodes.elsewhere[id] != nil, sessionViewers[id] != nil else { return }
            await loop.sleep(for: Self.regionAskAgainDelay)
            refetch(id)
        }
    }

    private func heardStep(_ message: BusMessage, _ watch: HubNodes.Watch) {
        guard let nodes, nodes.others.contains(message.node) else { return }
        // Nothing of others is shown meanwhile; afterwards all of it is asked for.
        guard !nodes.isInDoubt else { return watch.step = nil }
        guard case .step(let step)? = read(message) else { return }
        let id = step.state.session.id
        guard let last = watch.step, let home = nodes.elsewhere[id], home.node == message.node,
            home.generation == step.state.generation
        else {
            take(step.state, from: message.node)
            return
        }
        // Part of what was fetched.
        guard step.number > last else { return }
        guard step.number == last + 1 else { return refetch(id) }
        watch.step = step.number
        switch step.news {
        case .pieces(let pieces): for piece in pieces { live[id]?.extend(piece) }
        case .route(let route): live[id]?.replaceRoute(route)
        }
        take(step.state, from: message.node)
        touch(id)
    }

    // MARK: Ending

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
            live[id]?.isRouteKnown = nodes.here[id] != nil
            hasEnded = true
        }
        if hasEnded { tellInterest(ifChanged: true) }
    }
}
