import Campus
import Routing
import Wire

/// Walking times from one position to many places, for lists of what is near.
extension Routes {
    /// Highest number of places of one request.
    static let walkingTargetsMax = 200

    /// A place to walk to.
    public struct WalkingPlace: Sendable {
        /// Id in the imported data.
        public let sourceID: String
        public let position: LatLon
        public let level: String?

        public init(sourceID: String, position: LatLon, level: String?) {
            self.sourceID = sourceID
            self.position = position
            self.level = level
        }
    }

    /// Walking times in seconds, and lengths in metres, in the order of the places; nil for one that cannot be reached, or beyond the first
    /// ``walkingTargetsMax``. Nil as a whole if there is no map for routes, or the position is not on it.
    public func walkingTimes(
        from position: LatLon, level: String?, to places: [WalkingPlace], isStepFree: Bool
    ) async -> [(seconds: Double, metres: Double)?]? {
        guard let map = try? map(), let start = Self.end(position, level),
            let weights = try? await weights(RouteProfile(isStepFree: isStepFree))
        else { return nil }
        return try? await search { [finders] in
            finders.with { finder in
                places.enumerated().map { index, place in
                    guard index < Self.walkingTargetsMax else { return nil }
                    let isKnown = map.graph.destinations[place.sourceID] != nil
                    guard let end = isKnown ? .object(place.sourceID) : Self.end(place.position, place.level),
                        let route = try? finder.route(from: start, to: end, weights)
                    else { return nil }
                    return (Double(route.milliseconds) / 1_000, route.metres)
                }
            }
        }
    }

    private static func end(_ position: LatLon, _ level: String?) -> RouteEnd? {
        (try? GeoPoint(latitude: position.latitude, longitude: position.longitude))
            .map { .point($0, level: level.flatMap { Level($0) }) }
    }
}
