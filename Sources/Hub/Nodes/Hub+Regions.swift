import Bus
import Campus
import EventLoop
import Wire

/// What this node wants to hear of: the cells that somebody here looks at, and no others.
extension Hub {
    /// A region is listened to for so long after the last look at it: maps come back.
    static let regionLingerTime = Duration.seconds(5)
    /// After a viewer came or went: many come together.
    static let regionLookDelay = Duration.milliseconds(5)
    /// Between two questions for the runners of regions.
    static let regionAskDelay = Duration.milliseconds(5)
    /// Before a node that did not answer is asked again.
    static let regionAskAgainDelay = Duration.milliseconds(500)

    /// Where the zones are, so that watching one means listening to its cells.
    /// - Parameter boxes: By zone.
    public func setZones(_ boxes: [Int64: GeoBox]) {
        guard let nodes else { return }
        nodes.zoneCells = boxes.compactMapValues {
            Cell.covering($0, zoom: NodeLimits.cellZoom, cellsMax: NodeLimits.cellsMax)
        }
        viewersMoved()
    }

    /// Somebody looks elsewhere, or away: what is listened to follows in a moment.
    func viewersMoved() {
        guard let nodes, !nodes.isLookScheduled else { return }
        nodes.isLookScheduled = true
        loop.schedule(after: Self.regionLookDelay) { [weak self] in
            self?.assumeIsolated {
                $0.nodes?.isLookScheduled = false
                $0.follow()
            }
        }
    }

    /// The regions that somebody looks at.
    private func regions() -> Set<HubNodes.Region> {
        guard let nodes else { return [] }
        var cells: Set<Cell> = []
        for area in pictures.watched {
            guard let more = Self.cells(of: area, nodes.zoneCells) else { return [.everywhere] }
            cells.formUnion(more)
            if cells.count > NodeLimits.cellsMax { return [.everywhere] }
        }
        return Set(cells.map(HubNodes.Region.cell))
    }

    /// Nil when there are too many.
    private static func cells(of area: Area, _ zones: [Int64: [Cell]]) -> [Cell]? {
        switch area {
        case .zone(let id): return zones[id]
        case .cell(let cell):
            guard cell.zoom < NodeLimits.cellZoom else { return [cell.ancestor(zoom: NodeLimits.cellZoom)] }
            let steps = UInt32(NodeLimits.cellZoom - cell.zoom)
            guard 1 << (2 * Int(steps)) <= NodeLimits.cellsMax else { return nil }
            let across: UInt32 = 1 << steps
            return (0..<across).flatMap { y in
                (0..<across).compactMap { x in
                    Cell(zoom: NodeLimits.cellZoom, x: cell.x << steps + x, y: cell.y << steps + y)
                }
            }
        }
    }

    /// Listens to what somebody looks at, and a while later not any more to what nobody does.
    func follow() {
        guard let nodes else { return }
        let wanted = regions()
        for region in wanted where nodes.listening[region] == nil { listen(to: region) }
        for (region, listening) in nodes.listening {
            guard !wanted.contains(region) else {
                listening.unwantedSince = nil
                continue
            }
            let since = listening.unwantedSince ?? monotonic()
            listening.unwantedSince = since
            // All cells at once take the place of some, and the other way round, without a gap between.
            guard monotonic() &- since >= Self.regionLingerTime.nanoseconds else { continue }
            listening.subscription?.cancel()
            nodes.listening[region] = nil
        }
        // Which looks for those that nobody wants any more.
        if !nodes.listening.isEmpty { startSweeping() }
        tellInterest(ifChanged: true)
    }

    private func listen(to region: HubNodes.Region) {
        guard let nodes else { return }
        let listening = HubNodes.Listening(number: nodes.nextNumber())
        nodes.listening[region] = listening
        do {
            let number = listening.number
            listening.subscription = try listen(to: HubNodes.Subjects.pattern(region)) { hub, event in
                guard let listening = hub.nodes?.listening[region], listening.number == number else { return }
                switch event {
                case .live:
                    listening.isLive = true
                    hub.askFor(region)
                case .missed: hub.askFor(region)
                case .message(let message): hub.heardPositions(message)
                }
            }
        } catch {
            nodes.logger.error("a region cannot be listened to", metadata: ["error": "\(error)"])
        }
    }

    // MARK: Telling the others

    /// Tells the others what this node wants to hear of.
    func tellInterest(ifChanged: Bool = false) {
        guard let nodes else { return }
        var interest = NodeInterest(
            number: nodes.told.number, sessions: Set(nodes.watches.keys.prefix(NodeLimits.watchesMax)))
        for region in nodes.listening.keys {
            switch region {
            case .everywhere: interest.hasAll = true
            case .cell(let cell): interest.cells.insert(cell)
            }
        }
        if interest.cells.count > NodeLimits.cellsMax { interest.hasAll = true }
        if interest.hasAll { interest.cells = [] }
        guard !ifChanged || interest != nodes.told else { return }
        interest.number += 1
        nodes.told = interest
        tell(.interest(interest))
    }

    /// Another node wants to hear of this.
    func note(_ interest: NodeInterest, of node: NodeID) {
        guard let nodes, nodes.others.contains(node) else { return }
        // An answer to a question may be older than what was told since.
        guard (nodes.interests[node]?.number ?? 0) <= interest.number else { return }
        nodes.interests[node] = interest
        for (id, home) in nodes.here where home.watchers.contains(node) != interest.sessions.contains(id) {
            if interest.sessions.contains(id) {
                nodes.here[id]?.watchers.insert(node)
                // Should it have been one before, without having asked since, it does not know that steps are missing.
                nodes.here[id]?.news = .route([])
                nodes.changed.insert(id)
                scheduleTick()
            } else {
                nodes.here[id]?.watchers.remove(node)
            }
        }
    }

    // MARK: Who is there now

    func askForAll() {
        guard let nodes else { return }
        for (region, listening) in nodes.listening where listening.isLive { askFor(region) }
        // Of one that somebody watches, the home may have been heard of for the first time while nothing could be asked.
        let unfollowed = sessionViewers.keys.filter { nodes.elsewhere[$0] != nil && nodes.watches[$0] == nil }
        for id in unfollowed { refetch(id) }
        for (id, watch) in nodes.watches where watch.step == nil { refetch(id) }
    }

    func askFor(_ region: HubNodes.Region) {
        guard let nodes else { return }
        nodes.unasked.insert(region)
        guard !nodes.isAskScheduled else { return }
        nodes.isAskScheduled = true
        loop.schedule(after: Self.regionAskDelay) { [weak self] in
            self?.assumeIsolated { hub in
                hub.nodes?.isAskScheduled = false
                Task { await hub.fetchRunners() }
            }
        }
    }

    /// Asks who is in the regions that are due, and takes the answers for all there is.
    private func fetchRunners() async {
        // What is in doubt is asked for when it is not any more.
        guard let nodes, !nodes.isInDoubt, !nodes.unasked.isEmpty else { return }
        let regions = nodes.unasked
        let doubts = nodes.doubts
        nodes.unasked = []
        tellInterest(ifChanged: true)
        let isAll = regions.contains(.everywhere) || regions.count > NodeLimits.cellsMax
        let cells: [Cell] = isAll ? [] : regions.compactMap { if case .cell(let cell) = $0 { cell } else { nil } }
        let answers = await ask(.askRunners(cells, of: nil, after: 0))
        var silent = answers.silent
        for message in answers.messages {
            guard case .runners(var page)? = read(message) else { continue }
            let asOf = page.asOf
            var seen: Set<Int64> = []
            var isWhole = true
            while true {
                guard self.nodes === nodes, nodes.doubts == doubts else { return }
                guard nodes.others.contains(message.node) else {
                    isWhole = false
                    break
                }
                for entry in page.entries {
                    seen.insert(entry.state.session.id)
                    take(entry.state, from: message.node, trail: entry.trail)
                }
                guard page.next > 0 else { break }
                let rest = await ask(.askRunners(cells, of: message.node, after: page.next))
                    .messages.first { $0.node == message.node }
                guard let rest, case .runners(let next)? = read(rest), next.next == 0 || next.next > page.next else {
                    silent.insert(message.node)
                    isWhole = false
                    break
                }
                page = next
            }
            if isWhole { drop(in: Set(cells), of: message.node, notIn: seen, asOf: asOf) }
        }
        guard self.nodes === nodes, !silent.isDisjoint(with: nodes.others) else { return }
        loop.schedule(after: Self.regionAskAgainDelay) { [weak self] in
            self?.assumeIsolated { hub in
                for region in regions where hub.nodes?.listening[region] != nil { hub.askFor(region) }
            }
        }
    }

    /// What a node did not name is not there any more.
    private func drop(in cells: Set<Cell>, of node: NodeID, notIn seen: Set<Int64>, asOf: UInt64) {
        guard let nodes else { return }
        for (id, home) in nodes.elsewhere where home.node == node && home.revision <= asOf && !seen.contains(id) {
            guard let session = live[id], nodes.watches[id] == nil else { continue }
            let cell = session.fix.flatMap { Self.cell(at: $0.position) }
            if home.revision == 0 || cells.isEmpty || cell.map(cells.contains) ?? true { dropCopy(id, reason: .zone) }
        }
    }

    static func cell(at position: LatLon) -> Cell? {
        Cell(at: position)?.ancestor(zoom: NodeLimits.cellZoom)
    }
}
