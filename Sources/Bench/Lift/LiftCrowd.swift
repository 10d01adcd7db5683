import Campus
import Foundation
import Routing
import WebSocket
import Wire

typealias WebSocketEventHandler = (WebSocketEvent) -> Void

/// The walkers of ``LiftScenario``, and what they must receive. Not thread-safe: one thread drives it.
///
/// The check reads lifts and steps from the JSON of the routes alone, by positions of the map. Durations and reachability it compares with
/// Dijkstra's algorithm on a graph of its own.
final class LiftCrowd {
    /// A lift of the sample campus.
    struct Lift {
        let object: String
        let box: GeoBox
    }

    /// A walker.
    private final class Walker {
        let client: RaceClient
        let start: RouteEnd
        let destination: Int
        let isStepFree: Bool
        var route: RouteInfo?
        var version = 1
        /// Received in this round.
        var updates: [[UInt8]] = []

        init(_ client: RaceClient, start: RouteEnd, destination: Int, isStepFree: Bool) {
            self.client = client
            self.start = start
            self.destination = destination
            self.isStepFree = isStepFree
        }
    }

    private struct TreeKey: Hashable {
        let destination: Int
        let isStepFree: Bool
        let closed: String?
    }

    /// Cost of a walker's best route, in milliseconds, and its duration; nil for none.
    private struct Best {
        var cost: Int64
        var milliseconds: Int64
    }

    private(set) var lifts: [Lift] = []
    private(set) var lastAt: UInt64 = 0
    private(set) var updateCount = 0
    private let load: LoadLoop
    private let graph: RouteGraph
    private let starts: [GeoPoint]
    private let destinations: [(point: GeoPoint, level: Level)]
    private let usual: RouteWeights
    private let stepFree: RouteWeights
    private var trees: [TreeKey: RouteTree?] = [:]
    private var walkers: [Walker] = []
    private var bySocket: [Int32: Walker] = [:]
    private var random = SplitMix(25)

    init(_ load: LoadLoop) throws {
        self.load = load
        let graph = try RouteGraph(RouteNetwork(SampleCampus.network))
        self.graph = graph
        usual = RouteWeights(graph)
        stepFree = RouteWeights(graph, profile: RouteProfile(isStepFree: true))
        starts = (0..<graph.vertexCount).compactMap { graph.position(of: $0) }.filter { $0.level == nil }.map(\.point)
        destinations = graph.destinations.values.sorted { $0.sourceID < $1.sourceID }.compactMap { place in
            guard place.entry == .door, let level = place.level, level != .ground else { return nil }
            return (place.point, level)
        }
        guard !starts.isEmpty, !destinations.isEmpty else {
            throw BenchError(description: "the sample campus has no floors")
        }
    }

    /// Finds the outlines of lifts on the map.
    func setLifts(_ objects: [ClosableObject]) throws {
        let points = Dictionary(
            SampleCampus.network.compactMap { object in object.point.map { (object.id, $0) } },
            uniquingKeysWith: { one, _ in one })
        let areas = Dictionary(
            SampleCampus.network.filter { $0.kind == .way }.map { ($0.sourceID, $0.nodes.compactMap { points[$0] }) },
            uniquingKeysWith: { one, _ in one })
        lifts = objects.filter { $0.kind == .lift }.compactMap { object in
            areas[object.object].flatMap { GeoBox(around: $0) }.map { Lift(object: object.object, box: $0) }
        }
        guard !lifts.isEmpty else { throw BenchError(description: "the sample campus has no lifts") }
    }

    var lost: Int { walkers.count { $0.client.hasEnded || $0.client.socket.hasEnded } }

    // MARK: Walkers

    /// Starts a walk from a random path to a random room upstairs or downstairs. One without a route tries another.
    func add(_ client: RaceClient) throws {
        let isStepFree = walkers.count % 2 == 0
        for _ in 0..<50 {
            let start = starts[Int.random(in: starts.indices, using: &random)]
            let destination = Int.random(in: destinations.indices, using: &random)
            let walker = Walker(client, start: .point(start), destination: destination, isStepFree: isStepFree)
            guard best(walker, closed: nil) != nil else { continue }
            let (point, level) = destinations[destination]
            client.send(
                request: RoutesWalk.self,
                .init(
                    from: .init(lat: start.latitude, lon: start.longitude),
                    to: .init(lat: point.latitude, lon: point.longitude, level: level.description),
                    preferences: .init(stepFree: isStepFree)))
            walker.route = try client.awaitReply(to: RoutesWalk.self, load).route
            walkers.append(walker)
            bySocket[client.socket.descriptor] = walker
            return
        }
        throw BenchError(description: "no walk was found")
    }

    private func best(_ walker: Walker, closed: String?) -> Best? {
        let key = TreeKey(destination: walker.destination, isStepFree: walker.isStepFree, closed: closed)
        if trees[key] == nil {
            let (point, level) = destinations[walker.destination]
            let weights = (walker.isStepFree ? stepFree : usual).closing(closed.map { [$0] } ?? [])
            trees[key] = .some(try? RouteTree(to: .point(point, level: level), weights))
        }
        guard let tree = trees[key] ?? nil, let route = try? tree.route(from: walker.start) else { return nil }
        return Best(cost: route.cost, milliseconds: route.milliseconds)
    }

    // MARK: Expectation

    /// Walkers whose present route takes the lift.
    func expectBreak(of lift: Lift) -> Set<Int> {
        Set(walkers.indices.filter { walkers[$0].route?.uses(lift.box) ?? false })
    }

    /// Walkers whose route becomes better, or possible, without the closure of the lift.
    func expectRepair(of lift: Lift) -> Set<Int> {
        Set(
            walkers.indices.filter { index in
                guard let open = best(walkers[index], closed: nil) else { return false }
                return best(walkers[index], closed: lift.object).map { open.cost < $0.cost } ?? true
            })
    }

    func beginRound() {
        for walker in walkers { walker.updates = [] }
        updateCount = 0
        lastAt = 0
    }

    /// Receives everything that is there.
    func receive() {
        load.pollAll { socket in
            guard let walker = bySocket[socket.descriptor] else { return }
            walker.client.receive(load.buffer) { event in
                guard case .text(let json) = event else { return }
                lastAt = LoadLoop.now
                updateCount += 1
                walker.updates.append(json)
            }
        }
        usleep(500)
    }

    // MARK: Check

    /// Compares what the walkers received with what they must have received.
    /// - Returns: Violations, by kind.
    func check(_ expected: Set<Int>, _ lift: Lift, isBreak: Bool) -> [String] {
        var violations: [String] = []
        for (index, walker) in walkers.enumerated() {
            guard expected.contains(index) else {
                if !walker.updates.isEmpty { violations.append("an unaffected walker received something") }
                continue
            }
            guard walker.updates.count == 1, let json = walker.updates.first,
                let update = try? WireJSON.decode(Push<RouteUpdate>.self, from: json).params.data
            else {
                violations.append("an affected walker received \(walker.updates.count) publications")
                continue
            }
            violations += check(update, of: walker, lift, isBreak: isBreak)
            walker.route = update.route
            walker.version = update.version
        }
        return violations
    }

    private func check(_ update: RouteUpdate, of walker: Walker, _ lift: Lift, isBreak: Bool) -> [String] {
        var violations: [String] = []
        if update.version != walker.version + 1 { violations.append("a version is missing") }
        if update.reason.kind != (isBreak ? .closed : .opened) { violations.append("the reason is wrong") }
        let best = best(walker, closed: isBreak ? lift.object : nil)
        guard let route = update.route else {
            if best != nil { violations.append("a walker has no route, but there is one") }
            if update.message == nil { violations.append("there is neither a route nor a message") }
            return violations
        }
        guard let best else { return violations + ["a walker has a route, but there is none"] }
        if isBreak, route.uses(lift.box) { violations.append("a route uses the broken lift") }
        if walker.isStepFree, route.legs.contains(where: { $0.kind == .steps || $0.kind == .escalator }) {
            violations.append("a step-free route has steps")
        }
        if abs(route.seconds - Double(best.milliseconds) / 1_000) > 0.1 {
            violations.append("a route is not the fastest")
        }
        return violations
    }
}

extension RouteInfo {
    /// Whether the route rides a lift inside a box.
    fileprivate func uses(_ box: GeoBox) -> Bool {
        legs.contains { leg in
            leg.kind == .lift && leg.first <= leg.last
                && points[leg.first...leg.last].contains { point in
                    (try? GeoPoint(latitude: point.lat, longitude: point.lon)).map { box.contains($0) } ?? false
                }
        }
    }
}
