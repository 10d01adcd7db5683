import Campus
import Foundation
import Routing
import Wire

/// Finding routes.
extension Routes {
    /// Highest number of routes of a result.
    static let routesMax = 3
    /// An alternative takes at most so many times as long as the best route, and so many seconds more.
    static let alternativeFactorMax = 2.0
    static let alternativeSecondsMax = 300.0
    /// Least difference of the time that crowds cost by which a route is called less crowded: in milliseconds, and as a share of the
    /// fastest route's time.
    static let crowdMillisecondsMin: Int64 = 10_000
    static let crowdShareMin = 0.05

    /// A route with the weights by which it was found.
    struct Found: Sendable {
        var route: Route
        var weights: RouteWeights
        var reasons: Set<RouteReason> = []
    }

    /// Finds routes between two ends.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func find(_ params: RoutesFind.Params, for identity: Identity?) async throws -> RoutesFind.Result {
        let profile = try Self.profile(params.preferences)
        let map = try map()
        let from = try await locate(params.from, "from", for: identity)
        let to = try await locate(params.to, "to", for: identity)
        var variants = [try await weights(profile)]
        if params.alternatives == true {
            for other in Self.variants(of: profile, hasCrowd: !conditions.crowd.isEmpty) {
                variants.append(try await weights(other))
            }
        }
        let (people, now, all, hasAlternatives) = (conditions.people, now(), variants, params.alternatives == true)
        let found = try await search { [finders] in
            finders.with { finder in
                Self.found(from, to, all, map.graph, hasAlternatives: hasAlternatives, &finder).map { routes in
                    routes.map { one in
                        RoutePresenter(weights: one.weights, people: people, now: now).info(
                            one.route, isPoint: to.isPoint, reasons: RouteReason.allCases.filter(one.reasons.contains))
                    }
                }
            }
        }
        switch found {
        case .success(let routes):
            metrics.found.add()
            return RoutesFind.Result(routes: routes)
        case .failure(let error):
            metrics.missing.add()
            throw Self.error(error)
        }
    }

    /// Profiles whose routes may be alternatives. None allows what the preferences exclude.
    private static func variants(of profile: RouteProfile, hasCrowd: Bool) -> [RouteProfile] {
        var variants: [RouteProfile] = []
        if hasCrowd {
            var other = profile
            other.avoidsCrowds.toggle()
            variants.append(other)
        }
        if !profile.isStepFree {
            var other = profile
            other.isStepFree = true
            variants.append(other)
        }
        return variants
    }

    /// The best route, and alternatives that differ and make sense. On a worker.
    private static func found(
        _ from: Located, _ to: Located, _ variants: [RouteWeights], _ graph: RouteGraph, hasAlternatives: Bool,
        _ finder: inout RouteFinder
    ) -> Result<[Found], RouteError> {
        var found: [Found] = []
        do throws(RouteError) {
            found.append(
                Found(route: try finder.route(from: from.end, to: to.end, variants[0]), weights: variants[0]))
        } catch {
            return .failure(error)
        }
        if hasAlternatives {
            for weights in variants.dropFirst() {
                guard let route = try? finder.route(from: from.end, to: to.end, weights) else { continue }
                add(Found(route: route, weights: weights), to: &found)
            }
            if !to.isPoint, found.count < routesMax, let entrance = found[0].route.lastEntrance(graph) {
                let weights = variants[0].closing(variants[0].closures.union([entrance]))
                if let route = try? finder.route(from: from.end, to: to.end, weights) {
                    add(Found(route: route, weights: variants[0], reasons: [.otherEntrance]), to: &found)
                }
            }
        }
        giveReasons(&found, stepFree: variants.first { $0.profile.isStepFree })
        return .success(found)
    }

    private static func add(_ other: Found, to found: inout [Found]) {
        let best = Double(found[0].route.milliseconds) / 1_000
        let seconds = Double(other.route.milliseconds) / 1_000
        guard found.count < routesMax, !found.contains(where: { $0.route.isAlong(other.route) }),
            seconds <= best * alternativeFactorMax, seconds <= best + alternativeSecondsMax
        else { return }
        found.append(other)
    }

    private static func giveReasons(_ found: inout [Found], stepFree: RouteWeights?) {
        func crowd(_ one: Found) -> Int64 { one.route.crowdMilliseconds(in: one.weights) }
        let fastest = found.map(\.route.milliseconds).min()
        let shortest = found.map(\.route.metres).min()
        let (leastCrowd, mostCrowd) = (found.map(crowd).min() ?? 0, found.map(crowd).max() ?? 0)
        // A difference that nobody feels is no reason.
        let isCrowdFelt =
            mostCrowd - leastCrowd
            >= max(
                crowdMillisecondsMin, Int64(Double(fastest ?? 0) * crowdShareMin))
        let hasSteps = found.contains { $0.route.hasSteps }
        let hasBarriers = stepFree.map { weights in found.contains { !weights.admits($0.route) } } ?? false
        for index in found.indices {
            if found[index].route.milliseconds == fastest {
                found[index].reasons.insert(.fastest)
            } else if found[index].route.metres == shortest {
                found[index].reasons.insert(.shorter)
            }
            // Words of a comparison need something to compare with.
            guard found.count > 1 else { continue }
            if crowd(found[index]) == leastCrowd, isCrowdFelt { found[index].reasons.insert(.lessCrowded) }
            if let stepFree, hasBarriers, stepFree.admits(found[index].route) {
                found[index].reasons.insert(.stepFree)
            } else if hasSteps, !found[index].route.hasSteps {
                found[index].reasons.insert(.noStairs)
            }
        }
    }
}

extension Route {
    fileprivate var hasSteps: Bool { legs.contains { $0.kind == .steps } }
}
