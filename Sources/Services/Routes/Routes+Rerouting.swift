import EventLoop
import Foundation
import Hub
import Routing
import Wire

/// A walk whose route is compared with changed conditions.
struct RerouteJob: Sendable {
    let id: UUID
    let version: Int
    let profile: RouteProfile
    let start: RouteEnd
    let destination: RouteEnd
    let entersPoint: Bool
    let route: Route?
    let openCost: Int64
    let isDetour: Bool
    /// Number of the crowd by which the route's cost was computed.
    let crowd: UInt64

    init(walk: LiveWalk) {
        id = walk.id
        version = walk.version
        profile = walk.profile
        start = walk.start
        destination = walk.destination
        entersPoint = walk.entersPoint
        route = walk.route
        openCost = walk.openCost
        isDetour = walk.isDetour
        crowd = walk.crowd
    }

    /// Why the walk may need another route; nil if it does not.
    func cause(_ change: RouteConditionsChange, _ weights: RouteWeights) -> RouteChange.Kind? {
        if let route, !weights.admits(route) { return .closed }
        if !change.opened.isEmpty, isDetour { return .opened }
        if change.hasOtherCrowd, profile.avoidsCrowds, route != nil { return .crowd }
        return nil
    }
}

/// The new route of a walk, encoded.
struct RerouteResult: Sendable {
    let job: RerouteJob
    let route: Route?
    let info: RouteInfo?
    let message: String?
    let openCost: Int64
    let kind: RouteChange.Kind
    let push: [UInt8]
}

/// New routes for walks after a change.
extension Routes {
    /// Walks that one worker compares, or finds routes for, without a pause.
    static let rerouteBatchMax = 32
    static let compareBatchMax = 2_000
    /// A tree costs about as much as this many searches for each so many vertices.
    static let verticesPerSearch = 2_000

    /// A batch of walks with the same destination and profile.
    private struct Batch: Sendable {
        var jobs: [(job: RerouteJob, cause: RouteChange.Kind)]
        var weights: RouteWeights
        /// Shared by all walks with the destination and the profile; nil for few.
        var tree: RouteTree?
    }

    /// Finds the affected walks and their new routes, and publishes each as soon as it is found.
    func reroute(
        _ jobs: [RerouteJob], _ change: RouteConditionsChange, _ weights: [RouteProfile: RouteWeights]
    ) async {
        let batches = await batches(await affected(jobs, change, weights), weights)
        let lanes = Self.searchesMax
        await withTaskGroup(of: Void.self) { group in
            for lane in 0..<lanes {
                group.addTask { [self] in
                    for batch in batches[lane..., by: lanes] {
                        guard
                            let results = await whenFree({ [finders] in
                                finders.with { Self.results(batch, change, &$0) }
                            })
                        else { return }
                        await publish(results)
                    }
                }
            }
        }
    }

    private func affected(
        _ jobs: [RerouteJob], _ change: RouteConditionsChange, _ weights: [RouteProfile: RouteWeights]
    ) async -> [(job: RerouteJob, cause: RouteChange.Kind)] {
        await withTaskGroup(of: [(job: RerouteJob, cause: RouteChange.Kind)].self) { group in
            for start in stride(from: 0, to: jobs.count, by: Self.compareBatchMax) {
                let part = jobs[start..<min(start + Self.compareBatchMax, jobs.count)]
                group.addTask { [self] in
                    await whenFree {
                        part.compactMap { job in
                            weights[job.profile].flatMap { job.cause(change, $0) }.map { (job, $0) }
                        }
                    } ?? []
                }
            }
            var affected: [(job: RerouteJob, cause: RouteChange.Kind)] = []
            for await part in group { affected += part }
            return affected
        }
    }

    private func batches(
        _ affected: [(job: RerouteJob, cause: RouteChange.Kind)], _ weights: [RouteProfile: RouteWeights]
    ) async -> [Batch] {
        struct Key: Hashable {
            let destination: RouteEnd
            let profile: RouteProfile
        }
        let groups = Dictionary(
            grouping: affected, by: { Key(destination: $0.job.destination, profile: $0.job.profile) })
        return await withTaskGroup(of: [Batch].self) { group in
            for (key, jobs) in groups {
                guard let weights = weights[key.profile] else { continue }
                group.addTask { [self] in
                    let needsTree = jobs.count > max(2, weights.vertexCount / Self.verticesPerSearch)
                    let tree =
                        needsTree ? await whenFree { try? RouteTree(to: key.destination, weights) } ?? nil : nil
                    return stride(from: 0, to: jobs.count, by: Self.rerouteBatchMax).map { start in
                        Batch(
                            jobs: Array(jobs[start..<min(start + Self.rerouteBatchMax, jobs.count)]), weights: weights,
                            tree: tree)
                    }
                }
            }
            var batches: [Batch] = []
            for await part in group { batches += part }
            return batches
        }
    }

    /// The new routes of a batch. On a worker.
    private static func results(
        _ batch: Batch, _ change: RouteConditionsChange, _ finder: inout RouteFinder
    ) -> [RerouteResult] {
        let presenter = RoutePresenter(weights: batch.weights, people: change.conditions.people, now: change.now)
        return batch.jobs.compactMap { job, cause in
            var message: String?
            var route: Route?
            do throws(RouteError) {
                if let tree = batch.tree {
                    route = try tree.route(from: job.start)
                } else {
                    route = try finder.route(from: job.start, to: job.destination, batch.weights)
                }
            } catch {
                message = error.description
            }
            let reason: RouteChange
            switch cause {
            case .closed: reason = change.closing(of: job.route)
            case .opened:
                guard let found = route,
                    isBetter(
                        found, than: job.route, batch.weights, isSameCrowd: job.crowd == change.conditions.crowdNumber)
                else { return nil }
                reason = change.opening(by: found)
            case .crowd, .end:
                guard let found = route, let before = job.route, isWorthIt(found, than: before, batch.weights) else {
                    return nil
                }
                reason = RouteChange(kind: .crowd)
            }
            let info = route.map { presenter.info($0, isPoint: job.entersPoint) }
            let update = RouteUpdate(version: job.version + 1, reason: reason, route: info, message: message)
            return RerouteResult(
                job: job, route: route, info: info, message: message,
                openCost: reason.kind == .crowd ? openCost(job, route, batch.weights, &finder) : job.openCost,
                kind: reason.kind, push: RouteFeed.push(update, to: job.id))
        }
    }

    private static func isBetter(
        _ route: Route, than before: Route?, _ weights: RouteWeights, isSameCrowd: Bool
    ) -> Bool {
        guard let before else { return true }
        if isSameCrowd { return route.cost < before.cost }
        guard let known = before.wholeCost(in: weights), let new = route.wholeCost(in: weights) else { return true }
        return new < known
    }

    private static func isWorthIt(_ route: Route, than before: Route, _ weights: RouteWeights) -> Bool {
        guard !route.isAlong(before), let known = before.wholeCost(in: weights), let new = route.wholeCost(in: weights)
        else { return false }
        return RouteSaving.pays(from: known, to: new)
    }

    /// The cost of the best route if nothing were closed.
    static func openCost(
        _ job: RerouteJob, _ route: Route?, _ weights: RouteWeights, _ finder: inout RouteFinder
    ) -> Int64 {
        openCost(from: job.start, to: job.destination, route, weights, &finder)
    }

    static func openCost(
        from start: RouteEnd, to destination: RouteEnd, _ route: Route?, _ weights: RouteWeights,
        _ finder: inout RouteFinder
    ) -> Int64 {
        guard !weights.closures.isEmpty else { return route?.cost ?? 0 }
        let open = try? finder.route(from: start, to: destination, weights.closing([]))
        return open?.cost ?? route?.cost ?? 0
    }

    /// Sets and publishes new routes. A walk that has moved since has a route for the new conditions already.
    private func publish(_ results: [RerouteResult]) {
        let results = results.filter { walks[$0.job.id]?.version == $0.job.version }
        hub.routes.assumeIsolated { feed in
            for result in results { feed.send(result.push, to: result.job.id) }
        }
        for result in results {
            guard var walk = walks[result.job.id] else { continue }
            metrics.updates[RouteMetrics.RouteUpdateReason(rawValue: result.kind.rawValue) ?? .closed]?.add()
            walk.route = result.route
            walk.info = result.info
            walk.message = result.message
            walk.openCost = result.openCost
            walk.crowd = conditions.crowdNumber
            walk.version += 1
            walks[walk.id] = walk
        }
    }
}

extension Array {
    /// Every so many elements, from an index on.
    fileprivate subscript(_ range: PartialRangeFrom<Int>, by step: Int) -> [Element] {
        stride(from: range.lowerBound, to: count, by: step).map { self[$0] }
    }
}
