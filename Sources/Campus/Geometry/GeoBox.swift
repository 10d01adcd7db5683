/// A box of latitudes and longitudes, edges included.
///
/// A box does not cross the antimeridian: `west <= east` always. An area across it is two boxes.
public struct GeoBox: Sendable, Hashable {
    /// The southern edge, degrees north.
    public let south: Double
    /// The western edge, degrees east.
    public let west: Double
    /// The northern edge, degrees north.
    public let north: Double
    /// The eastern edge, degrees east.
    public let east: Double

    /// Creates a box from its edges in degrees.
    /// - Throws: ``GeoError`` if an edge is out of range or two edges are swapped.
    public init(south: Double, west: Double, north: Double, east: Double) throws(GeoError) {
        let low = try GeoPoint(latitude: south, longitude: west)
        let high = try GeoPoint(latitude: north, longitude: east)
        guard low.latitude <= high.latitude else { throw .boxUpsideDown }
        guard low.longitude <= high.longitude else { throw .boxCrossesAntimeridian }
        self.init(trustedSouth: south, west: west, north: north, east: east)
    }

    /// The smallest box around `points`; nil if there are none.
    public init?(around points: some Sequence<GeoPoint>) {
        var box: (south: Double, west: Double, north: Double, east: Double)?
        for point in points {
            guard let known = box else {
                box = (point.latitude, point.longitude, point.latitude, point.longitude)
                continue
            }
            box = (
                min(known.south, point.latitude), min(known.west, point.longitude),
                max(known.north, point.latitude), max(known.east, point.longitude)
            )
        }
        guard let box else { return nil }
        self.init(trustedSouth: box.south, west: box.west, north: box.north, east: box.east)
    }

    init(trustedSouth south: Double, west: Double, north: Double, east: Double) {
        self.south = south
        self.west = west
        self.north = north
        self.east = east
    }

    /// Whether the point lies inside or on an edge.
    public func contains(_ point: GeoPoint) -> Bool {
        point.latitude >= south && point.latitude <= north && point.longitude >= west && point.longitude <= east
    }

    /// Whether the two boxes share at least one point.
    public func intersects(_ other: GeoBox) -> Bool {
        south <= other.north && other.south <= north && west <= other.east && other.west <= east
    }

    /// The smallest box around both.
    public func union(_ other: GeoBox) -> GeoBox {
        GeoBox(
            trustedSouth: min(south, other.south), west: min(west, other.west),
            north: max(north, other.north), east: max(east, other.east))
    }

    /// The north-western corner.
    public var northWest: GeoPoint { GeoPoint(trustedLatitude: north, longitude: west) }

    /// The south-eastern corner.
    public var southEast: GeoPoint { GeoPoint(trustedLatitude: south, longitude: east) }

    public var centre: GeoPoint {
        GeoPoint(trustedLatitude: (south + north) / 2, longitude: (west + east) / 2)
    }

    /// The length of the middle parallel across the box, in metres.
    public var widthMetres: Double {
        let middle = (south + north) / 2
        let half = GeoPoint(trustedLatitude: middle, longitude: (west + east) / 2)
        return 2 * GeoPoint(trustedLatitude: middle, longitude: west).distance(to: half)
    }

    /// The length of a meridian across the box, in metres.
    public var heightMetres: Double {
        GeoPoint(trustedLatitude: south, longitude: west)
            .distance(to: GeoPoint(trustedLatitude: north, longitude: west))
    }

    /// The box's outline as a polygon, counter-clockwise from the south-west corner.
    /// - Throws: ``GeoError/ringFlat`` if the box has no width or no height.
    public func polygon() throws(GeoError) -> GeoPolygon {
        let corners = [(south, west), (south, east), (north, east), (north, west), (south, west)]
        return try GeoPolygon(outer: corners.map { GeoPoint(trustedLatitude: $0.0, longitude: $0.1) })
    }
}

extension GeoBox: Codable {
    private enum CodingKeys: String, CodingKey {
        case south, west, north, east
    }

    /// Decodes and validates.
    /// - Throws: `DecodingError.dataCorrupted` with ``GeoError``'s message if the edges do not form a box.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        do {
            try self.init(
                south: values.decode(Double.self, forKey: .south), west: values.decode(Double.self, forKey: .west),
                north: values.decode(Double.self, forKey: .north), east: values.decode(Double.self, forKey: .east))
        } catch let error as GeoError {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: error.description))
        }
    }
}
