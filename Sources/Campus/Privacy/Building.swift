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

    /// Whether a point is in a residence or within ``marginMetres`` of one, or may be in one when it is not known better than this. The margin
    /// is for what receivers get wrong: who runs by and is known to 10 m is seen. O(residences in reach).
    public func contains(_ point: GeoPoint, within metres: Double = 0) -> Bool {
        let reach = max(Self.marginMetres, metres)
        let near = GeoBox(
            trustedSouth: point.latitude, west: point.longitude, north: point.latitude, east: point.longitude
        ).grown(byMetres: reach)
        return grid.contains(touching: near) { shapes[$0].isWithin(reach, of: point) }
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
    /// Whether a point is inside or so near to an edge. Planar; linear in the number of positions, unless the box is farther.
    func isWithin(_ metres: Double, of point: GeoPoint) -> Bool {
        let plane = Plane(at: point)
        guard plane.isNear(box, metres) else { return false }
        return contains(point) || plane.isNear(outer, metres) || holes.contains { plane.isNear($0, metres) }
    }
}

/// Metres east and north of a point, for many others.
private struct Plane {
    private let origin: GeoPoint
    private let northMetres = GeoPoint.earthRadiusMetres * .pi / 180
    private let eastMetres: Double

    init(at origin: GeoPoint) {
        self.origin = origin
        eastMetres = northMetres * cos(origin.latitude * .pi / 180)
    }

    private func place(_ point: GeoPoint) -> (x: Double, y: Double) {
        ((point.longitude - origin.longitude) * eastMetres, (point.latitude - origin.latitude) * northMetres)
    }

    func isNear(_ box: GeoBox, _ metres: Double) -> Bool {
        let x = max(0, box.west - origin.longitude, origin.longitude - box.east) * eastMetres
        let y = max(0, box.south - origin.latitude, origin.latitude - box.north) * northMetres
        return x * x + y * y <= metres * metres
    }

    func isNear(_ ring: [GeoPoint], _ metres: Double) -> Bool {
        guard var start = ring.first.map(place) else { return false }
        for position in ring.dropFirst() {
            let end = place(position)
            let (x, y) = (end.x - start.x, end.y - start.y)
            let square = x * x + y * y
            let along = square > 0 ? max(0, min(1, -(start.x * x + start.y * y) / square)) : 0
            let (east, north) = (start.x + along * x, start.y + along * y)
            if east * east + north * north <= metres * metres { return true }
            start = end
        }
        return false
    }
}
