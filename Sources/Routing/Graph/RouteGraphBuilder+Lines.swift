import Campus

extension RouteGraphBuilder {
    /// Adds a way.
    mutating func add(_ line: RouteNetwork.Line) {
        let conveying = line.tags["conveying"].map { $0 != "no" } ?? false
        let kind: PassageKind = conveying ? .escalator : line.tags["highway"] == "steps" ? .steps : .path
        let feature = addFeature(line.sourceID, kind == .steps ? .stairs : .path, line.tags)
        let levels = LevelTags(line.tags)
        let connects = kind != .path || line.tags["incline"] != nil
        if connects, levels.own.count > 1 {
            for pair in Self.storeys(levels) { add(line, kind, feature, from: pair.low, to: pair.high) }
        } else if levels.all.isEmpty {
            add(line, kind, feature, from: nil, to: nil)
        } else {
            for level in levels.all { add(line, kind, feature, from: level, to: level) }
        }
    }

    /// The pairs of levels that a way joins: each level of `level` and the next one, and again on `repeat_on`, which gives
    /// the lower levels of the repetitions.
    static func storeys(_ levels: LevelTags) -> [(low: Level, high: Level)] {
        guard let lowest = levels.own.first else { return [] }
        var pairs: [(low: Level, high: Level)] = []
        for base in [lowest] + levels.repeated {
            let shift = Int(base.thousandths) - Int(lowest.thousandths)
            for (low, high) in zip(levels.own, levels.own.dropFirst()) {
                guard let low = Level(thousandths: Int(low.thousandths) + shift),
                    let high = Level(thousandths: Int(high.thousandths) + shift),
                    !pairs.contains(where: { $0.low == low && $0.high == high })
                else { continue }
                pairs.append((low, high))
            }
        }
        return pairs
    }

    /// Adds a way on one level, or between two: its first node is on the lower level if the way leads up, or its
    /// direction is unknown and the nodes' own levels do not say otherwise.
    private mutating func add(
        _ line: RouteNetwork.Line, _ kind: PassageKind, _ feature: Int32, from low: Level?, to high: Level?
    ) {
        let isDown = isDown(line, low, high)
        let (start, end) = isDown ? (high, low) : (low, high)
        let stepFree = StepFree(way: line.tags, kind: kind)
        var last: Int32?
        for (index, id) in line.nodes.enumerated() {
            let current: Int32?
            if index == 0 || index == line.nodes.count - 1 || low == high {
                let level = index == 0 ? start : end
                // A way without levels ends at a lift's node by itself, because the lift lies between the ways.
                let isLift = network.nodes[id]?.tags["highway"] == "elevator"
                current = vertex(id, level, owner: isLift && level == nil ? feature : nil)
            } else {
                current = vertex(id, low, owner: feature)
            }
            if let last, let current {
                addSegment(last, current, line.tags, kind, stepFree, feature, isOutdoors: low == nil)
            }
            last = current
        }
    }

    private func isDown(_ line: RouteNetwork.Line, _ low: Level?, _ high: Level?) -> Bool {
        guard let low, let high, low != high else { return false }
        if let isUp = Incline(line.tags["incline"])?.isUp { return !isUp }
        guard let first = line.nodes.first, let last = line.nodes.last else { return false }
        let ends = [first, last].map { LevelTags(network.nodes[$0]?.tags ?? [:]).all }
        return ends[0].contains(high) && !ends[0].contains(low) || ends[1].contains(low) && !ends[1].contains(high)
    }

    private mutating func addSegment(
        _ one: Int32, _ other: Int32, _ tags: [String: String], _ kind: PassageKind, _ stepFree: StepFree,
        _ feature: Int32,
        isOutdoors: Bool
    ) {
        for (source, target, isForward) in [(one, other, true), (other, one, false)] {
            if kind == .escalator, !Self.runs(tags, isForward: isForward) { continue }
            let speed = WalkingTime.speed(tags, kind: kind, isForward: isForward)
            addEdge(
                source, target, milliseconds: WalkingTime.milliseconds(metres(source, target), speed: speed),
                kind: kind,
                stepFree: stepFree, feature: feature, isOutdoors: isOutdoors && kind != .escalator)
        }
    }

    /// Whether an escalator runs in a direction. One with an unknown direction may run in both.
    private static func runs(_ tags: [String: String], isForward: Bool) -> Bool {
        switch (tags["conveying"], tags["oneway"]) {
        case ("forward", _): isForward
        case ("backward", _): !isForward
        case (_, "yes"): isForward
        case (_, "-1"): !isForward
        default: true
        }
    }

    /// Adds a lift that is a node. Ways with levels meet it on these. A way without a level boards after one level's ride,
    /// because the height is unknown.
    mutating func addLift(at node: RouteNetwork.Node) {
        guard !Access.isBlocked(node: node.tags) else { return }
        let feature = addFeature("node/\(node.id)", .lift, node.tags)
        let landings = verticesByNode[node.id] ?? []
        let levels = Set(LevelTags(node.tags).all + landings.compactMap { vertices[Int($0)].level }).sorted()
        let inside = addShaft(feature, levels.map { $0 }, at: node.point, StepFree(node: node.tags), isLift: true)
        let unknown = vertex(inside: feature, nil, at: node.point)
        if let nearest = levels.min(by: { (abs($0.thousandths), $0) < (abs($1.thousandths), $1) }),
            let ground = inside[nearest]
        {
            addRide(unknown, ground, 0, 0, feature, StepFree(node: node.tags), isLift: true)
        }
        for landing in landings {
            if let level = vertices[Int(landing)].level, let cabin = inside[level] {
                addRide(landing, cabin, WalkingTime.liftWait, 0, feature, StepFree(node: node.tags), isLift: true)
            } else if vertices[Int(landing)].level == nil {
                let wait = WalkingTime.liftWait + Int32(WalkingTime.liftRidePerLevel)
                addRide(landing, unknown, wait, 0, feature, StepFree(node: node.tags), isLift: true)
            }
        }
    }
}
