import Foundation

/// A building of the campus.
public struct Building: Sendable, Equatable, Identifiable {
    /// The database's id.
    public let id: Int64
    /// The name for people, when it has one.
    public let name: String?
    /// The outline, at least one polygon.
    public let polygons: [GeoPolygon]
    /// People live there.
    public let isResidence: Bool

    /// A building from its parts.
    public init(id: Int64, name: String?, polygons: [GeoPolygon], isResidence: Bool = false) {
        self.id = id
        self.name = name
        self.polygons = polygons
        self.isResidence = isResidence
    }
}

/// Finds the building of a position in memory. Immutable; of buildings that overlap the one with the lowest id owns the point.
public struct BuildingIndex: Sendable {
    /// All buildings, by ascending id.
    public let buildings: [Building]
    private let grid: BoxGrid

    /// An index over buildings in any order.
    public init(buildings: [Building]) {
        let sorted = buildings.filter { !$0.polygons.isEmpty }.sorted { $0.id < $1.id }
        self.buildings = sorted
        grid = BoxGrid(sorted.compactMap { GeoBox(around: $0.polygons) })
    }

    /// The building that holds the point; nil outside all of them.
    public func building(at point: GeoPoint) -> Building? {
        for position in grid.candidates(at: point) {
            let building = buildings[Int(position)]
            if building.polygons.contains(where: { $0.contains(point) }) { return building }
        }
        return nil
    }
}

/// Where people live: buildings and zones that are marked so, and a little around them.
public struct ResidenceIndex: Sendable {
    /// So near to a residence counts as in it: receivers are not more exact under roofs, and a route that ends at a door names the house.
    public static let marginMetres = 30.0

    private let shapes: [GeoPolygon]
    private let grid: BoxGrid

    /// An index over those of the buildings and zones that are residences.
    public init(buildings: [Building], zones: [Zone]) {
        shapes =
            buildings.filter(\.isResidence).flatMap(\.polygons) + zones.filter(\.isResidence).flatMap(\.polygons)
        grid = BoxGrid(shapes.map { $0.box.grown(byMetres: Self.marginMetres) })
    }

    /// There are none.
    public var isEmpty: Bool { shapes.isEmpty }

    /// Whether the same ground is marked. O(positions).
    public func isSame(as other: ResidenceIndex) -> Bool { shapes == other.shapes }

    /// Whether a point is in a residence or within ``marginMetres`` of one.
    public func contains(_ point: GeoPoint) -> Bool {
        grid.candidates(at: point).contains { shapes[Int($0)].isWithin(Self.marginMetres, of: point) }
    }

    /// Whether a point that is not known better than this may be in a residence. O(residences).
    public func contains(_ point: GeoPoint, within metres: Double) -> Bool {
        guard metres > 0 else { return contains(point) }
        let reach = Self.marginMetres + metres
        return shapes.contains { $0.box.grown(byMetres: reach).contains(point) && $0.isWithin(reach, of: point) }
    }
}

extension GeoBox {
    /// The smallest box around polygons; nil when there are none.
    init?(around polygons: [GeoPolygon]) {
        guard let box = polygons.dropFirst().reduce(polygons.first?.box, { $0?.union($1.box) }) else { return nil }
        self = box
    }

    /// Half of what it measures from corner to corner.
    var halfExtentMetres: Double { centre.distance(to: northWest) }

    /// The same and so much around it.
    func grown(byMetres metres: Double) -> GeoBox {
        let low = GeoPoint(trustedLatitude: south, longitude: west).offset(eastMetres: -metres, northMetres: -metres)
        let high = GeoPoint(trustedLatitude: north, longitude: east).offset(eastMetres: metres, northMetres: metres)
        // Across the antimeridian it stays what it was on that side.
        return GeoBox(
            trustedSouth: low.latitude, west: low.longitude <= west ? low.longitude : -180, north: high.latitude,
            east: high.longitude >= east ? high.longitude : 180)
    }
}

extension GeoPolygon {
    /// Whether a point is inside or so near to an edge. Planar; linear in the number of positions.
    func isWithin(_ metres: Double, of point: GeoPoint) -> Bool {
        contains(point) || ([outer] + holes).contains { Self.isNear($0, point, metres) }
    }

    private static func isNear(_ ring: [GeoPoint], _ point: GeoPoint, _ metres: Double) -> Bool {
        let places = ring.map { point.planeOffset(to: $0) }
        return zip(places, places.dropFirst()).contains { start, end in
            let (x, y) = (end.eastMetres - start.eastMetres, end.northMetres - start.northMetres)
            let square = x * x + y * y
            let along = square > 0 ? -(start.eastMetres * x + start.northMetres * y) / square : 0
            let at = max(0, min(1, along))
            return hypot(start.eastMetres + at * x, start.northMetres + at * y) <= metres
        }
    }
}
