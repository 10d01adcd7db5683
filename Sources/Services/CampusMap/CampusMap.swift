import Campus
import Synchronization
import Wire

/// The campus in a running server: spatial indexes of zones and buildings, and the map as encoded bytes.
///
/// Holds an immutable snapshot behind a mutex and replaces it as a whole after an import. Usable from any thread.
public final class CampusMap: Sendable {
    /// Immutable snapshot of the campus.
    public struct Snapshot: Sendable {
        /// Campus data of `hello` and `campus.info`.
        public var info: CampusInfo
        /// Index from position to zone.
        public let zones: ZoneIndex
        /// Index from position to building.
        public let buildings: BuildingIndex
        /// Residential areas.
        public let residences: ResidenceIndex
        /// Body of `GET /campus/map.geojson`.
        public var geoJSON: [UInt8]

        public init(
            info: CampusInfo, zones: ZoneIndex, buildings: BuildingIndex = BuildingIndex(buildings: []),
            geoJSON: [UInt8]
        ) {
            self.info = info
            self.zones = zones
            self.buildings = buildings
            self.geoJSON = geoJSON
            residences = ResidenceIndex(buildings: buildings.buildings, zones: zones.zones)
        }

        /// Mapping from a position to its representation at each precision.
        public var ladder: PrivacyLadder {
            let box = info.bounds.flatMap {
                try? GeoBox(south: $0.south, west: $0.west, north: $0.north, east: $0.east)
            }
            return PrivacyLadder(zones: zones, buildings: buildings, bounds: box)
        }

        /// Snapshot before the first import.
        public static let empty = Snapshot(
            info: CampusInfo(id: 1, name: "Campus", version: "0", bounds: nil, zones: []), zones: ZoneIndex(zones: []),
            geoJSON: Array(#"{"type":"FeatureCollection","features":[]}"#.utf8))
    }

    private let current = Mutex(Snapshot.empty)

    /// Starts with the empty snapshot.
    public init() {}

    /// The current snapshot.
    public var snapshot: Snapshot { current.withLock { $0 } }

    /// Replaces the current snapshot.
    public func replace(with snapshot: Snapshot) { current.withLock { $0 = snapshot } }

    /// Id of the zone that contains a position; nil outside all zones and for coordinates out of range.
    public func zone(at position: LatLon) -> Int64? {
        guard let point = try? GeoPoint(position) else { return nil }
        return snapshot.zones.zone(at: point)?.id
    }
}
