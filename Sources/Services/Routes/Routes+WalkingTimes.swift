import Campus
import Routing
import Wire

extension Routes: WalkingTimes {
    /// Walking times by the graph, with the present closures.
    /// - Throws: ``Wire/RPCError`` `invalidParams` with the field `lat` or `level` if no way begins at the position.
    public func times(
        from position: GeoPoint, level: Level?, to destinations: [WalkingTarget], isStepFree: Bool
    ) async throws -> [WalkingTime?]? {
        let start = RouteEnd.point(position, level: level)
        guard let map = try? map(), let weights = try? await weights(RouteProfile(isStepFree: isStepFree)) else {
            return nil
        }
        let times = try? await search { [finders] in
            finders.with { finder in Self.times(from: start, to: destinations, map.graph, weights, &finder) }
        }
        switch times {
        case nil: return nil
        case .success(let times): return times
        case .failure(let error):
            guard case .unknownLevel = error else {
                throw RPCError(.invalidParams, error.description, field: "lat")
            }
            throw RPCError(.invalidParams, error.description, field: "level")
        }
    }

    /// The walking times, or the reason why no way begins at the start. On a worker.
    private static func times(
        from start: RouteEnd, to destinations: [WalkingTarget], _ graph: RouteGraph, _ weights: RouteWeights,
        _ finder: inout RouteFinder
    ) -> Result<[WalkingTime?], RouteError> {
        do throws(RouteError) {
            try weights.check(start: start)
        } catch {
            return .failure(error)
        }
        return .success(
            destinations.map { destination in
                let isKnown = graph.destinations[destination.sourceID] != nil
                guard let end = isKnown ? .object(destination.sourceID) : point(destination),
                    let route = try? finder.route(from: start, to: end, weights)
                else { return nil }
                return WalkingTime(seconds: Double(route.milliseconds) / 1_000, metres: route.metres)
            })
    }

    private static func point(_ destination: WalkingTarget) -> RouteEnd? {
        (try? GeoPoint(latitude: destination.position.latitude, longitude: destination.position.longitude))
            .map { .point($0, level: destination.level.flatMap { Level($0) }) }
    }
}
