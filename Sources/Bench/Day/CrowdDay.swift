import Campus
import Foundation
import Routing
import Wire

/// The people of a ``CampusDay`` on routes of their own. Walkers slow each other down, phones see the published heatmap only, and
/// some people avoid crowds.
///
/// Not thread-safe: used by one thread.
final class CrowdDay {
    /// How people choose their routes.
    struct Policy {
        var name: String
        /// Share of the people who avoid crowds.
        var avoiding: Double
        /// Whether a walker keeps the route unless another one is clearly better.
        var hasThreshold = true
        /// Whether phones know how many people are in each cell, instead of the published heatmap.
        var isExact = false
        /// Whether people also change their route while they walk.
        var reroutes = true
    }

    /// The walks of one half of the people.
    struct Sums {
        var people = 0
        var walks = 0
        var seconds = 0.0
        var metres = 0.0
        /// Time in crowded cells.
        var crowdedSeconds = 0.0
        var changes = 0
    }

    private struct Walker {
        var person: Int
        var goal: Int
        var avoidsCrowds: Bool
        var route: Route
        /// The line to walk: the route's, behind the point where the walker changed to it.
        var line: [Route.Point]
        /// Number of points of the line before the route's.
        var lead = 0
        /// The last point of the line that was passed, and the distance beyond it in metres.
        var passed = 0
        var beyond = 0.0
        var place: HeatmapPlace
        var isOutdoors = true
    }

    static let stepSeconds = 5
    /// Density of walkers above which a cell is crowded, in people per square metre: Fruin's level of service D begins.
    static let crowdedDensity = 0.72
    /// Minimum walkers of a busy cell, and minimum change of a turn.
    private static let (busyMin, turnMin) = (40, 10)
    /// Minimum saving of a change without the threshold, in milliseconds; less is due to rounding.
    private static let differenceMin: Int64 = 1_000
    /// Everybody has arrived this long after the last departure, in seconds.
    private static let overtimeSeconds = 3_600

    private static let avoiding = RouteProfile(avoidsCrowds: true)

    private let day: CampusDay
    private let graph: RouteGraph
    private let policy: Policy
    private let doors: [RouteEnd]
    /// Routes of people who do not look at the crowd.
    private var plainTrees: [Int: RouteTree]
    /// Routes around the crowd of the present heatmap.
    private var trees: [Int: RouteTree] = [:]
    private var weights: RouteWeights
    private let plain: RouteWeights
    private var snapshot: HeatmapSnapshot
    private var walkers: [Walker] = []
    /// Walkers outdoors by cell.
    private var counts: [HeatmapPlace: Int] = [:]
    private var slowness: [HeatmapPlace: Double] = [:]
    /// The next trip of each person.
    private var next: [Int]
    /// Standing people by the second in which they leave.
    private var waiting: [Int: [Int]] = [:]
    private var standing: [HeatmapPlace]
    private var isWalking: [Bool]
    /// The people who do not avoid crowds, and those who do. Both halves are the same for each policy.
    private(set) var halves = [Sums(), Sums()]
    /// Walks without a route.
    private(set) var missing = 0
    /// Walkers in each cell at the last two epochs.
    private var history: [HeatmapPlace: (Int, Int)] = [:]
    private var (turns, busyEpochs) = (0, 0)
    /// How often the number of walkers turns in a busy cell, in an hour.
    var turnsPerHour: Double {
        Double(turns) / Double(max(1, busyEpochs)) * 3_600 / Double(HeatmapRules.epochSeconds)
    }

    init(_ day: CampusDay, _ graph: RouteGraph, _ policy: Policy, sharing plainTrees: [Int: RouteTree] = [:]) {
        (self.day, self.graph, self.policy, self.plainTrees) = (day, graph, policy, plainTrees)
        doors = day.places.map { .point(day.graph.points[Int($0.door)]) }
        plain = RouteWeights(graph)
        weights = RouteWeights(graph, profile: Self.avoiding)
        snapshot = HeatmapSnapshot(secret: HeatmapPublishing.Publisher.dice(1))
        next = Array(repeating: 0, count: day.count)
        isWalking = Array(repeating: false, count: day.count)
        standing = (0..<day.count).map { HeatmapPlace(containing: day.spot(of: $0, in: day.home(of: $0))) }
        for person in 0..<day.count { halves[Self.half(person)].people += 1 }
    }

    /// Trees for the next policy.
    var sharedTrees: [Int: RouteTree] { plainTrees }

    /// The second half avoids crowds; with ``Policy/avoiding`` 0 or 1 nobody or everybody does.
    static func half(_ person: Int) -> Int { person % 4 / 2 }

    private func avoids(_ person: Int) -> Bool {
        policy.avoiding >= 1 || policy.avoiding > 0 && Self.half(person) == 1
    }

    /// Every other person counts in the heatmap, in both halves.
    private static func counts(_ person: Int) -> Bool { person % 2 == 0 }

    /// - Parameter hours: The departures that are simulated, in hours of the day.
    func run(_ hours: ClosedRange<Double>) {
        let first = Int(hours.lowerBound * 3_600) / Self.stepSeconds * Self.stepSeconds
        let last = Int(hours.upperBound * 3_600)
        for person in 0..<day.count {
            let trips = day.trips(of: person)
            while next[person] < trips.count, Int(trips[next[person]].leaves) < first {
                standing[person] = spot(person, Int(trips[next[person]].to))
                next[person] += 1
            }
            schedule(person, from: first)
        }
        var second = first
        while second < last || !walkers.isEmpty && second < last + Self.overtimeSeconds {
            if second % Int(HeatmapRules.epochSeconds) == 0 { endEpoch(second) }
            if second < last { for person in waiting.removeValue(forKey: second) ?? [] { depart(person, second) } }
            walk(second)
            second += Self.stepSeconds
        }
    }

    /// Notes the next departure of a standing person.
    private func schedule(_ person: Int, from second: Int) {
        let trips = day.trips(of: person)
        guard next[person] < trips.count else { return }
        let due = max(second, Int(trips[next[person]].leaves))
        waiting[(due + Self.stepSeconds - 1) / Self.stepSeconds * Self.stepSeconds, default: []].append(person)
    }

    private func spot(_ person: Int, _ place: Int) -> HeatmapPlace {
        HeatmapPlace(containing: day.spot(of: person, in: place))
    }

    // MARK: Walking

    private func depart(_ person: Int, _ second: Int) {
        let trips = day.trips(of: person)
        let goal = Int(trips[next[person]].to)
        let from = next[person] > 0 ? Int(trips[next[person] - 1].to) : day.home(of: person)
        next[person] += 1
        let avoids = avoids(person)
        guard doors[from] != doors[goal], let route = try? tree(goal, avoids)?.route(from: doors[from]),
            let start = route.points.first
        else {
            if doors[from] != doors[goal] { missing += 1 }
            standing[person] = spot(person, goal)
            schedule(person, from: second + Self.stepSeconds)
            return
        }
        isWalking[person] = true
        walkers.append(
            Walker(
                person: person, goal: goal, avoidsCrowds: avoids, route: route, line: route.points,
                place: HeatmapPlace(containing: start.point), isOutdoors: start.level == nil))
        halves[Self.half(person)].walks += 1
    }

    /// The routes to a place, which people who choose in the same way share.
    private func tree(_ goal: Int, _ avoids: Bool) -> RouteTree? {
        if let known = avoids ? trees[goal] : plainTrees[goal] { return known }
        let tree = try? RouteTree(to: doors[goal], avoids ? weights : plain)
        if avoids { trees[goal] = tree } else { plainTrees[goal] = tree }
        return tree
    }

    /// Moves everybody by ``stepSeconds``, each at the speed of the own cell.
    private func walk(_ second: Int) {
        measureCells()
        var left: [Walker] = []
        left.reserveCapacity(walkers.count)
        for var walker in walkers {
            let half = Self.half(walker.person)
            let slowness = walker.isOutdoors ? slowness[walker.place] ?? 1 : 1
            var metres = day.speed(of: walker.person) * Double(Self.stepSeconds) / slowness
            halves[half].seconds += Double(Self.stepSeconds)
            if walker.isOutdoors, isCrowded(walker.place) { halves[half].crowdedSeconds += Double(Self.stepSeconds) }
            halves[half].metres += metres
            let points = walker.line
            metres += walker.beyond
            while walker.passed + 1 < points.count {
                let length = points[walker.passed].point.distance(to: points[walker.passed + 1].point)
                guard metres >= length else { break }
                metres -= length
                walker.passed += 1
            }
            guard walker.passed + 1 < points.count else {
                isWalking[walker.person] = false
                standing[walker.person] = spot(walker.person, walker.goal)
                schedule(walker.person, from: second + Self.stepSeconds)
                continue
            }
            walker.beyond = metres
            let (from, to) = (points[walker.passed], points[walker.passed + 1])
            let length = max(0.01, from.point.distance(to: to.point))
            walker.place = Self.place(between: from.point, to.point, share: metres / length)
            walker.isOutdoors = from.level == nil && to.level == nil
            left.append(walker)
        }
        walkers = left
    }

    private static func place(between from: GeoPoint, _ to: GeoPoint, share: Double) -> HeatmapPlace {
        let point = try? GeoPoint(
            latitude: from.latitude + (to.latitude - from.latitude) * share,
            longitude: from.longitude + (to.longitude - from.longitude) * share)
        return HeatmapPlace(containing: point ?? from)
    }

    private func measureCells() {
        counts.removeAll(keepingCapacity: true)
        for walker in walkers where walker.isOutdoors { counts[walker.place, default: 0] += 1 }
        let crowd = RouteCrowd(counts.map { HeatCell(x: $0.key.x, y: $0.key.y, people: $0.value) })
        slowness = Dictionary(uniqueKeysWithValues: counts.keys.map { ($0, crowd.slowness(in: $0)) })
    }

    private func isCrowded(_ place: HeatmapPlace) -> Bool {
        Double(counts[place] ?? 0) >= Self.crowdedDensity * RouteCrowd.walkedSquareMetres(place)
    }

    // MARK: Heatmap

    /// Publishes the heatmap, and lets walkers who avoid crowds look for better routes.
    private func endEpoch(_ second: Int) {
        var people: [HeatmapPerson] = []
        for person in 0..<day.count where Self.counts(person) && !isWalking[person] {
            people.append(.init(account: Int64(person + 1), place: standing[person]))
        }
        for walker in walkers where Self.counts(walker.person) {
            people.append(.init(account: Int64(walker.person + 1), place: walker.place))
        }
        measureCells()
        noteTurns()
        guard policy.avoiding > 0,
            snapshot.end(Int64(second) / HeatmapRules.epochSeconds, with: people) || policy.isExact
        else { return }
        trees = [:]
        weights = RouteWeights(graph, profile: Self.avoiding, crowd: RouteCrowd(cells(people)))
        guard policy.reroutes else { return }
        for index in walkers.indices { reconsider(&walkers[index]) }
    }

    private func cells(_ people: [HeatmapPerson]) -> [HeatCell] {
        guard policy.isExact else { return snapshot.cells }
        return Dictionary(grouping: people, by: \.place).map {
            HeatCell(x: $0.key.x, y: $0.key.y, people: $0.value.count)
        }
    }

    private func reconsider(_ walker: inout Walker) {
        let ahead = walker.passed + 1
        guard walker.avoidsCrowds, ahead + 1 < walker.line.count else { return }
        let point = walker.line[ahead]
        guard let tree = tree(walker.goal, true),
            let current = walker.route.cost(in: weights, after: ahead - walker.lead),
            let better = try? tree.route(from: .point(point.point, level: point.level)), better.points.count > 1,
            policy.hasThreshold
                ? RouteSaving.pays(from: current, to: better.cost) : current - better.cost >= Self.differenceMin
        else { return }
        walker.route = better
        // The walker goes on to the next point first.
        walker.line = [walker.line[walker.passed]] + better.points
        (walker.lead, walker.passed) = (1, 0)
        halves[Self.half(walker.person)].changes += 1
    }

    /// Counts the busy cells whose number of walkers turns: up by a tenth and down by a tenth, or the reverse.
    private func noteTurns() {
        for (place, before) in history where max(before.0, before.1, counts[place] ?? 0) >= Self.busyMin {
            let (one, other) = (before.1 - before.0, (counts[place] ?? 0) - before.1)
            busyEpochs += 1
            let least = max(Self.turnMin, before.1 / 10)
            if one * other < 0, abs(one) >= least, abs(other) >= least { turns += 1 }
        }
        for place in Set(history.keys).union(counts.keys) {
            history[place] = (history[place]?.1 ?? 0, counts[place] ?? 0)
        }
    }
}
