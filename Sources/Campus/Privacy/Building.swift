import Foundation

/// A building of the campus.
public struct Building: Sendable, Equatable, Identifiable {
    /// The database's id.
    public let id: Int64
    /// The displayed name, if there is one.
    public let name: String?
    /// The outline, at least one polygon.
    public let polygons: [GeoPolygon]
    /// True if people live in the building.
    public let isResidence: Bool

    public init(id: Int64, name: String?, polygons: [GeoPolygon], isResidence: Bool = false) {
        self.id = id
        self.name = name
        self.polygons = polygons
        self.isResidence = isResidence
    }
}

/// An in-memory index that finds the building of a position. Immutable. Of overlapping buildings, the one with the
/// lowest id owns the point.
public struct BuildingIndex: Sendable {
    /// All buildings, by ascending id.
    public let buildings: [Building]
    private let grid: BoxGrid

    /// Creates an index over buildings in any order.
    public init(buildings: [Building]) {
        let sorted = buildings.filter { !$0.polygons.isEmpty }.sorted { $0.id < $1.id }
        self.buildings = sorted
        grid = BoxGrid(sorted.compactMap { GeoBox(around: $0.polygons) })
    }

    /// The building that contains the point; nil outside all buildings.
    public func building(at point: GeoPoint) -> Building? {
        for position in grid.candidates(at: point) {
            let building = buildings[Int(position)]
            if building.polygons.contains(where: { $0.contains(point) }) { return building }
        }
        return nil
    }
}

/// The residential buildings and zones, with a margin around them.
public struct ResidenceIndex: Sendable {
    /// Margin around a residence that counts as inside, in metres. Receivers are no more accurate under roofs, and a
    /// route that ends at a door reveals the house.
    public static let marginMetres = 30.0

    private let shapes: [GeoPolygon]
    private let grid: BoxGrid

    /// Creates an index over the residences among the buildings and zones.
    public init(buildings: [Building], zones: [Zone]) {
        shapes =
            buildings.filter(\.isResidence).flatMap(\.polygons) + zones.filter(\.isResidence).flatMap(\.polygons)
        grid = BoxGrid(shapes.map { $0.box.grown(byMetres: Self.marginMetres) })
    }

    public var isEmpty: Bool { shapes.isEmpty }

    /// Whether both cover the same areas. O(positions).
    public func isSame(as other: ResidenceIndex) -> Bool { shapes == other.shapes }

    /// Whether a point is in a residence, within ``marginMetres`` of one, or possibly in one given its accuracy. The
    /// margin covers the receivers' errors: a runner who passes by with an accuracy of 10 m is shown. O(residences in
    /// reach).
    /// - Parameter metres: The accuracy radius of the point.
    public func contains(_ point: GeoPoint, within metres: Double = 0) -> Bool {
        let reach = max(Self.marginMetres, metres)
        let near = GeoBox(
            trustedSouth: point.latitude, west: point.longitude, north: point.latitude, east: point.longitude
        ).grown(byMetres: reach)
        return grid.contains(touching: near) { shapes[$0].isWithin(reach, of: point) }
    }
}

extension GeoBox {
    /// The smallest box around polygons; nil if there are none.
    init?(around polygons: [GeoPolygon]) {
        guard let box = polygons.dropFirst().reduce(polygons.first?.box, { $0?.union($1.box) }) else { return nil }
        self = box
    }

    /// Half of the diagonal, in metres.
    var halfExtentMetres: Double { centre.distance(to: northWest) }

    /// The box extended by a margin on each side.
    func grown(byMetres metres: Double) -> GeoBox {
        let low = GeoPoint(trustedLatitude: south, longitude: west).offset(eastMetres: -metres, northMetres: -metres)
        let high = GeoPoint(trustedLatitude: north, longitude: east).offset(eastMetres: metres, northMetres: metres)
        // An edge that would cross the antimeridian ends there.
        return GeoBox(
            trustedSouth: low.latitude, west: low.longitude <= west ? low.longitude : -180, north: high.latitude,
            east: high.longitude >= east ? high.longitude : 180)
    }
}

extension GeoPolygon {
    /// Whether a point is inside, or within `metres` of an edge. Planar. Linear in the number of positions, unless the
    /// box is farther away.
    func isWithin(_ metres: Double, of point: GeoPoint) -> Bool {
        let plane = Plane(at: point)
        guard plane.isNear(box, metres) else { return false }
        return contains(point) || plane.isNear(outer, metres) || holes.contains { plane.isNear($0, metres) }
    }
}

/// Converts many points to metres east and north of one origin.
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
