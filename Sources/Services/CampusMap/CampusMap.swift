import Campus
import Synchronization
import Wire

/// The campus as a running server knows it: zones to look positions up in, and the map as bytes to send.
///
/// An immutable picture behind a mutex, replaced as a whole after an import; from any thread.
public final class CampusMap: Sendable {
    /// One state of the campus.
    public struct Picture: Sendable {
        /// For `hello` and `campus.info`.
        public var info: CampusInfo
        /// Position → zone.
        public let zones: ZoneIndex
        /// Position → building.
        public let buildings: BuildingIndex
        /// Where people live.
        public let residences: ResidenceIndex
        /// `GET /campus/map.geojson`.
        public var geoJSON: [UInt8]

        /// Memberwise.
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

        /// What each precision says of a position.
        public var ladder: PrivacyLadder {
            let box = info.bounds.flatMap {
                try? GeoBox(south: $0.south, west: $0.west, north: $0.north, east: $0.east)
            }
            return PrivacyLadder(zones: zones, buildings: buildings, bounds: box)
        }

        /// Before anything was imported.
        public static let empty = Picture(
            info: CampusInfo(id: 1, name: "Campus", version: "0", bounds: nil, zones: []), zones: ZoneIndex(zones: []),
            geoJSON: Array(#"{"type":"FeatureCollection","features":[]}"#.utf8))
    }

    private let current = Mutex(Picture.empty)

    /// Empty until ``replace(with:)``.
    public init() {}

    /// The newest picture.
    public var picture: Picture { current.withLock { $0 } }

    /// Shows a new state from now on.
    public func replace(with picture: Picture) { current.withLock { $0 = picture } }

    /// The zone a position is in; nil outside all, or for a position out of range.
    public func zone(at position: LatLon) -> Int64? {
        guard let point = try? GeoPoint(position) else { return nil }
        return picture.zones.zone(at: point)?.id
    }
}
