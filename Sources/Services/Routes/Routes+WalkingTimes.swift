import Campus
import Routing
import Wire

extension Routes: WalkingTimes {
    /// Walking times by the graph, with the present closures.
    public func times(
        from position: LatLon, level: String?, to destinations: [WalkingTarget], isStepFree: Bool
    ) async -> [WalkingTime?]? {
        guard let map = try? map(), let start = Self.end(position, level),
            let weights = try? await weights(RouteProfile(isStepFree: isStepFree))
        else { return nil }
        return try? await search { [finders] in
            finders.with { finder in
                destinations.map { destination in
                    let isKnown = map.graph.destinations[destination.sourceID] != nil
                    guard
                        let end = isKnown
                            ? .object(destination.sourceID) : Self.end(destination.position, destination.level),
                        let route = try? finder.route(from: start, to: end, weights)
                    else { return nil }
                    return WalkingTime(seconds: Double(route.milliseconds) / 1_000, metres: route.metres)
                }
            }
        }
    }

    private static func end(_ position: LatLon, _ level: String?) -> RouteEnd? {
        (try? GeoPoint(latitude: position.latitude, longitude: position.longitude))
            .map { .point($0, level: level.flatMap { Level($0) }) }
    }
}
