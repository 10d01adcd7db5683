import Bus
import Campus
import EventLoop
import HubCore
import Wire

/// This node's interest in positions: only the cells that viewers at this node view.
extension SessionFeed {
    /// Time for which a region is followed after its last viewer left: viewports come back.
    static let regionLingerTime = Duration.seconds(5)
    /// Delay of the update after a viewer came or left, so that one update covers many changes.
    static let regionUpdateDelay = Duration.milliseconds(5)
    /// Delay before the runners of regions are requested, so that one request covers several regions.
    static let regionAskDelay = Duration.milliseconds(5)
    /// Delay before a request to nodes that did not answer is repeated.
    static let regionAskAgainDelay = Duration.milliseconds(500)

    /// Sets the bounds of the zones, so that viewing a zone means following its cells.
    /// - Parameter boxes: By zone.
    public func setZones(_ boxes: [Int64: GeoBox]) {
        guard let nodes else { return }
        nodes.zoneCells = boxes.compactMapValues {
            Cell.covering($0, zoom: NodeLimits.cellZoom, cellsMax: NodeLimits.cellsMax)
        }
        viewersMoved()
    }

    /// Schedules an update of the followed regions, because viewports have changed.
    func viewersMoved() {
        guard let nodes, !nodes.isRegionUpdateScheduled else { return }
        nodes.isRegionUpdateScheduled = true
        loop.schedule(after: Self.regionUpdateDelay) { [weak self] in
            self?.assumeIsolated {
                $0.nodes?.isRegionUpdateScheduled = false
                $0.follow()
            }
        }
    }

    /// The regions that have viewers at this node.
    private func regions() -> Set<SessionNodes.Region> {
        guard let nodes else { return [] }
        var cells: Set<Cell> = []
        for area in areaFeeds.watched {
            guard let more = Self.cells(of: area, nodes.zoneCells) else { return [.everywhere] }
            cells.formUnion(more)
            if cells.count > NodeLimits.cellsMax { return [.everywhere] }
        }
        return Set(cells.map(SessionNodes.Region.cell))
    }

    /// The cells of an area; nil when there are too many.
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

    /// Follows regions that have viewers, and ends following regions that have had none for ``regionLingerTime``.
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
            // During the linger time, all cells and single cells replace each other without a gap.
            guard monotonic() &- since >= Self.regionLingerTime.nanoseconds else { continue }
            listening.subscription?.cancel()
            nodes.listening[region] = nil
        }
        // The sweep looks for regions without viewers.
        if !nodes.listening.isEmpty { startSweeping() }
        announceInterest(ifChanged: true)
    }

    private func listen(to region: SessionNodes.Region) {
        guard let nodes else { return }
        let listening = SessionNodes.Listening(number: nodes.nextNumber())
        nodes.listening[region] = listening
        do {
            let number = listening.number
            listening.subscription = try listen(to: NodeSubjects.pattern(region)) { feed, event in
                guard let listening = feed.nodes?.listening[region], listening.number == number else { return }
                switch event {
                case .live:
                    listening.isLive = true
                    feed.askFor(region)
                case .missed: feed.askFor(region)
                case .message(let message): feed.receivePositions(message)
                }
            }
        } catch {
            nodes.logger.error("the positions of a region cannot be followed", metadata: ["error": "\(error)"])
        }
    }

    // MARK: Interests

    /// Announces this node's interest to the other nodes.
    func announceInterest(ifChanged: Bool = false) {
        guard let nodes else { return }
        var interest = NodeInterest(
            number: nodes.announcedInterest.number, sessions: Set(nodes.watches.keys.prefix(NodeLimits.watchesMax)))
        for region in nodes.listening.keys {
            switch region {
            case .everywhere: interest.hasAll = true
            case .cell(let cell): interest.cells.insert(cell)
            }
        }
        if interest.cells.count > NodeLimits.cellsMax { interest.hasAll = true }
        if interest.hasAll { interest.cells = [] }
        guard !ifChanged || interest != nodes.announcedInterest else { return }
        interest.number += 1
        nodes.announcedInterest = interest
        publishToNodes(.interest(interest))
    }

    /// Takes another node's interest.
    func note(_ interest: NodeInterest, of node: NodeID) {
        guard let nodes, nodes.others.contains(node) else { return }
        // An answer to a question may be older than a later announcement.
        guard (nodes.interests[node]?.number ?? 0) <= interest.number else { return }
        nodes.interests[node] = interest
        for (id, owned) in nodes.owned where owned.watchers.contains(node) != interest.sessions.contains(id) {
            if interest.sessions.contains(id) {
                nodes.owned[id]?.watchers.insert(node)
                // The node may have followed the route before: since it did not ask again, it would not notice missing steps.
                nodes.owned[id]?.change = .route([])
                nodes.changed.insert(id)
                scheduleTick()
            } else {
                nodes.owned[id]?.watchers.remove(node)
            }
        }
    }

    // MARK: Runners

    func askForAll() {
        guard let nodes else { return }
        for (region, listening) in nodes.listening where listening.isLive { askFor(region) }
        // The owner of a watched session may have become known while nothing could be asked.
        let unfollowed = sessionViewers.keys.filter { nodes.remote[$0] != nil && nodes.watches[$0] == nil }
        for id in unfollowed { refetch(id) }
        for (id, watch) in nodes.watches where watch.step == nil { refetch(id) }
    }

    func askFor(_ region: SessionNodes.Region) {
        guard let nodes else { return }
        nodes.unasked.insert(region)
        guard !nodes.isAskScheduled else { return }
        nodes.isAskScheduled = true
        loop.schedule(after: Self.regionAskDelay) { [weak self] in
            self?.assumeIsolated { feed in
                feed.nodes?.isAskScheduled = false
                Task { await feed.fetchRunners() }
            }
        }
    }

    /// Requests the runners of the regions that are due, and replaces the known runners there by the answers.
    private func fetchRunners() async {
        // While messages may be lost, no runners are requested; that follows when nothing is in doubt any more.
        guard let nodes, !nodes.isInDoubt, !nodes.unasked.isEmpty else { return }
        let regions = nodes.unasked
        let inDoubtCount = nodes.inDoubtCount
        nodes.unasked = []
        announceInterest(ifChanged: true)
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
                guard self.nodes === nodes, nodes.inDoubtCount == inDoubtCount else { return }
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
            self?.assumeIsolated { feed in
                for region in regions where feed.nodes?.listening[region] != nil { feed.askFor(region) }
            }
        }
    }

    /// Drops copies of a node's sessions that its answer did not contain.
    private func drop(in cells: Set<Cell>, of node: NodeID, notIn seen: Set<Int64>, asOf: UInt64) {
        guard let nodes else { return }
        for (id, remote) in nodes.remote where remote.node == node && remote.revision <= asOf && !seen.contains(id) {
            guard let session = live[id], nodes.watches[id] == nil else { continue }
            let cell = session.fix.flatMap { Self.cell(at: $0.position) }
            if remote.revision == 0 || cells.isEmpty || cell.map(cells.contains) ?? true { dropCopy(id, reason: .zone) }
        }
    }

    static func cell(at position: LatLon) -> Cell? {
        Cell(at: position)?.ancestor(zoom: NodeLimits.cellZoom)
    }
}
