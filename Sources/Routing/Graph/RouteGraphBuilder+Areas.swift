import Campus

/// Meaning of an area for routes.
enum AreaKind {
    /// A pedestrian area outdoors.
    case square
    /// A room, a corridor or an area of a building.
    case indoors
    /// A staircase over several levels.
    case stairs
    case lift

    /// - Returns: Nil for areas that people cannot cross.
    init?(_ tags: [String: String]) {
        guard Access.isOpen(tags) else { return nil }
        if tags["highway"] == "elevator" || tags["room"] == "elevator" {
            self = .lift
        } else if tags["stairs"] == "yes" || tags["room"] == "stairs" {
            self = .stairs
        } else if ["room", "corridor", "area"].contains(tags["indoor"]) || tags["room"] != nil {
            self = .indoors
        } else if Access.isWalkable(tags), tags["highway"] != "steps" {
            self = .square
        } else {
            return nil
        }
    }
}

extension RouteGraphBuilder {
    /// Adds an area that people cross in straight lines between its openings, around its corners.
    mutating func addFloor(_ area: RouteNetwork.Area, _ kind: AreaKind) {
        let feature = addFeature(area.sourceID, kind == .square ? .square : .indoors, area.tags)
        let levels = LevelTags(area.tags).all
        let floor = FloorPlan(area, network)
        guard !floor.rings.isEmpty else { return }
        // Levels share what they see.
        var known: [Int: Bool] = [:]
        for level in levels.isEmpty ? [nil] : levels.map({ $0 }) {
            let portals = Set(floor.ids.filter { isPortal($0, of: kind, on: level) })
            let candidates = floor.ids.indices.filter { floor.isCorner[$0] || portals.contains(floor.ids[$0]) }
            let numbers = candidates.map { index in
                vertex(floor.ids[index], level, owner: portals.contains(floor.ids[index]) ? nil : feature)
            }
            notePortals(
                area.sourceID, zip(candidates, numbers).compactMap { portals.contains(floor.ids[$0]) ? $1 : nil })
            guard candidates.count <= RouteLimits.areaCornersMax, floor.ids.count <= RouteLimits.areaPointsMax else {
                addOutline(floor, area, portals, level, feature, kind)
                continue
            }
            for (position, one) in candidates.enumerated() {
                for next in candidates.indices.dropFirst(position + 1) {
                    guard let from = numbers[position], let to = numbers[next] else { continue }
                    let pair = one * floor.ids.count + candidates[next]
                    let isVisible = known[pair] ?? floor.isVisible(one, candidates[next])
                    known[pair] = isVisible
                    guard isVisible else { continue }
                    addWalk(from, to, area.tags, feature: feature, isOutdoors: kind == .square && level == nil)
                }
            }
        }
    }

    /// Follows the outline of an area with too many corners.
    private mutating func addOutline(
        _ floor: FloorPlan, _ area: RouteNetwork.Area, _ portals: Set<Int64>, _ level: Level?, _ feature: Int32,
        _ kind: AreaKind
    ) {
        for ring in area.rings {
            var last: Int32?
            for id in ring {
                let current = vertex(id, level, owner: portals.contains(id) ? nil : feature)
                if let last, let current {
                    addWalk(last, current, area.tags, feature: feature, isOutdoors: kind == .square && level == nil)
                }
                last = current
            }
        }
    }

    /// Whether people enter an area at a node of its outline: a door on this level, or where a way or a square meets it.
    private func isPortal(_ id: Int64, of kind: AreaKind, on level: Level?) -> Bool {
        guard let node = network.nodes[id] else { return false }
        let lines = lineLevels[id] ?? []
        if kind == .square {
            return !lines.isEmpty || outdoorAreaCounts[id, default: 0] > 1 || Access.isOpening(node: node.tags)
        }
        if let level, lines.contains(level) { return true }
        return Access.isOpening(node: node.tags) && isNode(node, on: level)
    }

    /// Whether a node is on a level. A node without levels is on all.
    private func isNode(_ node: RouteNetwork.Node, on level: Level?) -> Bool {
        let levels = LevelTags(node.tags).all
        guard let level, !levels.isEmpty else { return true }
        return levels.contains(level)
    }

    // MARK: Lifts and staircases

    /// Adds a lift or a staircase that is an area: its doors on each level lead to its middle, and from there to the
    /// levels above and below.
    mutating func addShaft(_ area: RouteNetwork.Area, _ kind: AreaKind) {
        let isLift = kind == .lift
        let feature = addFeature(area.sourceID, isLift ? .lift : .stairs, area.tags)
        let levels = LevelTags(area.tags).all
        let ids = Array(Set(area.rings.joined())).sorted()
        let points = ids.compactMap { network.nodes[$0]?.point }
        guard !levels.isEmpty, !points.isEmpty, points.count == ids.count else { return }
        let middle = RouteNetwork.GridPoint(
            latitude: Self.mean(points.map(\.latitude)), longitude: Self.mean(points.map(\.longitude)))
        let passage: PassageKind = isLift ? .lift : .steps
        let stepFree = StepFree(way: area.tags, kind: passage)
        let inside = addShaft(feature, levels, at: middle, stepFree, isLift: isLift)
        var doors: [Int32] = []
        for id in ids {
            guard let node = network.nodes[id], Access.isOpening(node: node.tags) else { continue }
            for level in levels where isNode(node, on: level) {
                guard let door = vertex(id, level), let centre = inside[level] else { continue }
                doors.append(door)
                let walk = WalkingTime.milliseconds(metres(door, centre), speed: WalkingTime.speed)
                addEdge(
                    door, centre, milliseconds: walk + (isLift ? WalkingTime.liftWait : 0),
                    kind: isLift ? .lift : .path,
                    stepFree: isLift ? stepFree : .likely, feature: feature, isOutdoors: false)
                addEdge(
                    centre, door, milliseconds: walk, kind: isLift ? .lift : .path,
                    stepFree: isLift ? stepFree : .likely,
                    feature: feature, isOutdoors: false)
            }
        }
        notePortals(area.sourceID, doors)
    }

    /// The mean of a shaft's points, rounded down.
    private static func mean(_ values: [Int32]) -> Int32 {
        let (sum, count) = (values.reduce(Int64(0)) { $0 + Int64($1) }, Int64(max(1, values.count)))
        let quotient = sum / count
        return Int32(clamping: sum % count < 0 ? quotient - 1 : quotient)
    }

    /// Adds the insides of a lift or a staircase, and the ways between its levels.
    mutating func addShaft(
        _ feature: Int32, _ levels: [Level], at point: RouteNetwork.GridPoint, _ stepFree: StepFree, isLift: Bool
    ) -> [Level: Int32] {
        var inside: [Level: Int32] = [:]
        for level in levels { inside[level] = vertex(inside: feature, level, at: point) }
        for (low, high) in zip(levels, levels.dropFirst()) {
            guard let from = inside[low], let to = inside[high] else { continue }
            let rise = Double(high.thousandths - low.thousandths) / 1000
            if isLift {
                let ride = WalkingTime.milliseconds(rise * WalkingTime.liftRidePerLevel / 1000, speed: 1)
                addRide(from, to, ride, ride, feature, stepFree, isLift: true)
            } else {
                let length = rise * WalkingTime.stairsMetresPerLevel
                addRide(
                    from, to, WalkingTime.milliseconds(length, speed: WalkingTime.speedUp),
                    WalkingTime.milliseconds(length, speed: WalkingTime.speedDown), feature, stepFree, isLift: false)
            }
        }
        return inside
    }

    /// Adds a ride or a climb with its own times in both directions.
    mutating func addRide(
        _ one: Int32, _ other: Int32, _ there: Int32, _ back: Int32, _ feature: Int32, _ stepFree: StepFree,
        isLift: Bool
    ) {
        for (source, target, time) in [(one, other, there), (other, one, back)] {
            addEdge(
                source, target, milliseconds: time, kind: isLift ? .lift : .steps, stepFree: stepFree, feature: feature,
                isOutdoors: false)
        }
    }
}
