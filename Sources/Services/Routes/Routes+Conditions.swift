import Campus
import EventLoop
import Foundation
import Hub
import Routing
import Wire

/// Changes of closures and crowd: new weights beside the present ones, then new routes for the walks that they affect.
extension Routes {
    /// The source ids that are closed at a time.
    static func closed(_ closures: [Closure], at time: Timestamp) -> Set<String> {
        Set(closures.filter { isActive($0, at: time) }.map(\.object))
    }

    static func isActive(_ closure: Closure, at time: Timestamp) -> Bool {
        closure.from <= time && closure.until.map { time < $0 } ?? true
    }

    /// Weighs the paths anew if the closures or the published heatmap have changed. Until the end, requests use the present weights.
    func applyConditions() async {
        guard case .ready(let map) = availability else { return }
        let closed = Self.closed(closures, at: now())
        // A closure does not wait until all have been compared with another heatmap; the next heatmap makes up for it.
        if closed != conditions.closed, isReroutingForCrowd { rerouting?.cancel() }
        // Walks of the change before have their routes before the next one is compared with them.
        await rerouting?.value
        var next = conditions
        next.closed = closed
        let cells = await hub.heatmap.published.cells
        let hasOtherCrowd = cells != conditions.cells
        if hasOtherCrowd {
            next.cells = cells
            next.crowdNumber += 1
            next.crowd = RouteCrowd(cells)
            next.people = HeatmapRoute.people(in: cells)
        }
        guard hasOtherCrowd || next.closed != conditions.closed else { return }
        let began = monotonic()
        let profiles = Set(weights.keys).union(walks.values.map(\.profile))
        let renewed = await renewed(profiles, map, next, hasOtherCrowd: hasOtherCrowd)
        guard case .ready(let present) = availability, present.version == map.version else { return }
        // From here to the snapshot of the walks nothing else runs on the actor.
        let usedAt = weights.mapValues(\.usedAt)
        weights = [:]
        for (profile, made) in renewed { weights[profile] = CachedWeights(weights: made, usedAt: usedAt[profile] ?? 0) }
        let change = RouteConditionsChange(
            map: map, closures: closures, before: conditions.closed, conditions: next, hasOtherCrowd: hasOtherCrowd,
            now: now())
        conditions = next
        generation += 1
        let jobs = walks.values.map { RerouteJob(walk: $0) }
        guard !jobs.isEmpty else { return }
        isReroutingForCrowd = change.closed.isEmpty && change.opened.isEmpty
        rerouting = Task {
            await reroute(jobs, change, renewed)
            metrics.rerouting.observe(monotonic() &- began)
        }
    }

    /// The weights of profiles for other conditions, each on a worker, so that searches run in between.
    private func renewed(
        _ profiles: Set<RouteProfile>, _ map: RouteMap, _ next: RouteConditions, hasOtherCrowd: Bool
    ) async -> [RouteProfile: RouteWeights] {
        let known = hasOtherCrowd ? [:] : weights.mapValues(\.weights)
        return await withTaskGroup(of: RouteWeights?.self) { group in
            for profile in profiles {
                let before = known[profile]
                group.addTask { [self] in
                    await whenFree {
                        before?.closing(next.closed)
                            ?? RouteWeights(map.graph, profile: profile, crowd: next.crowd, closures: next.closed)
                    }
                }
            }
            var made: [RouteProfile: RouteWeights] = [:]
            for await weights in group {
                if let weights { made[weights.profile] = weights }
            }
            return made
        }
    }

    /// Runs work of the server's own on a worker, and waits while too many searches wait.
    func whenFree<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value? {
        while !Task.isCancelled {
            if let value = try? await searchers.run(body) { return value }
            await loop.sleep(for: .milliseconds(5))
        }
        return nil
    }
}

/// A change of the conditions. Immutable.
struct RouteConditionsChange: Sendable {
    let map: RouteMap
    /// All closures that have not ended.
    let closures: [Closure]
    let conditions: RouteConditions
    let hasOtherCrowd: Bool
    let now: Timestamp
    let closed: Set<String>
    let opened: Set<String>
    private let names: [String: String]

    init(
        map: RouteMap, closures: [Closure], before: Set<String>, conditions: RouteConditions, hasOtherCrowd: Bool,
        now: Timestamp
    ) {
        self.map = map
        self.closures = closures
        self.conditions = conditions
        self.hasOtherCrowd = hasOtherCrowd
        self.now = now
        closed = conditions.closed.subtracting(before)
        opened = before.subtracting(conditions.closed)
        // A closure that has ended is not among the closures any more.
        names = Dictionary(uniqueKeysWithValues: closed.union(opened).map { ($0, map.closable($0)?.name ?? $0) })
    }

    func closing(of route: Route?) -> RouteChange {
        let object = Self.object(of: closed, on: route, map)
        let closure = closures.first { $0.object == object && Routes.isActive($0, at: now) }
        return RouteChange(
            kind: .closed, object: object.flatMap { names[$0] }, until: closure?.until, note: closure?.reason)
    }

    func opening(by route: Route) -> RouteChange {
        let object = Self.object(of: opened, on: route, map)
        return RouteChange(kind: .opened, object: object.flatMap { names[$0] })
    }

    /// The changed object that a route passes. Of a single one it is not asked: hundreds of routes are compared at once.
    private static func object(of changed: Set<String>, on route: Route?, _ map: RouteMap) -> String? {
        guard changed.count > 1 else { return changed.first }
        return route.flatMap { $0.passes(changed, map.graph).min() } ?? changed.min()
    }
}
