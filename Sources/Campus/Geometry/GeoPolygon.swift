/// A polygon with holes. Every ring is closed: its last position repeats the first.
///
/// Rings may have either orientation. A polygon does not cross the antimeridian.
public struct GeoPolygon: Sendable, Hashable {
    /// The outline, closed, at least four positions.
    public let outer: [GeoPoint]
    /// The holes, each closed, at least four positions.
    public let holes: [[GeoPoint]]
    /// The smallest box around the outline.
    public let box: GeoBox

    /// Creates a polygon from closed rings.
    /// - Throws: ``GeoError`` with the defect of a ring.
    public init(outer: [GeoPoint], holes: [[GeoPoint]] = []) throws(GeoError) {
        try Self.check(outer)
        for hole in holes { try Self.check(hole) }
        guard let box = GeoBox(around: outer) else { throw .ringTooShort(positions: 0) }
        self.outer = outer
        self.holes = holes
        self.box = box
    }

    private static func check(_ ring: [GeoPoint]) throws(GeoError) {
        guard ring.count >= 4 else { throw .ringTooShort(positions: ring.count) }
        guard ring.first == ring.last else { throw .ringOpen }
        var twiceArea = 0.0
        // Relative to the first corner, so that a small ring far from the origin keeps its precision.
        let origin = ring[0]
        for (start, end) in zip(ring, ring.dropFirst()) {
            guard abs(end.longitude - start.longitude) <= 180 else { throw .ringCrossesAntimeridian }
            twiceArea +=
                (start.longitude - origin.longitude) * (end.latitude - origin.latitude)
                - (end.longitude - origin.longitude) * (start.latitude - origin.latitude)
        }
        guard twiceArea != 0 else { throw .ringFlat }
    }

    /// Whether the point lies inside the outline and in no hole. Points on an edge, including a hole's, are inside.
    ///
    /// Even-odd rule over straight edges in degrees; linear in the number of positions.
    public func contains(_ point: GeoPoint) -> Bool {
        guard box.contains(point) else { return false }
        switch Self.place(point, in: outer) {
        case .outside: return false
        case .edge: return true
        case .inside: break
        }
        return !holes.contains { Self.place(point, in: $0) == .inside }
    }

    private enum Placement {
        case inside, outside, edge
    }

    private static func place(_ point: GeoPoint, in ring: [GeoPoint]) -> Placement {
        var inside = false
        let x = point.longitude
        let y = point.latitude
        for index in 1..<ring.count {
            let start = ring[index - 1]
            let end = ring[index]
            let cross =
                (end.longitude - start.longitude) * (y - start.latitude)
                - (end.latitude - start.latitude) * (x - start.longitude)
            if cross == 0, x >= min(start.longitude, end.longitude), x <= max(start.longitude, end.longitude),
                y >= min(start.latitude, end.latitude), y <= max(start.latitude, end.latitude)
            {
                return .edge
            }
            // The eastward ray crosses an edge that spans y half-openly and lies east of the point.
            if (start.latitude > y) != (end.latitude > y), (cross > 0) == (end.latitude > start.latitude) {
                inside.toggle()
            }
        }
        return inside ? .inside : .outside
    }

    /// The area without holes, in square metres. Planar at the polygon's middle latitude, accurate to 1 % up to 100 km.
    public var areaSquareMetres: Double {
        let origin = box.centre
        func ringArea(_ ring: [GeoPoint]) -> Double {
            var twice = 0.0
            for (start, end) in zip(ring, ring.dropFirst()) {
                let from = origin.planeOffset(to: start)
                let to = origin.planeOffset(to: end)
                twice += from.eastMetres * to.northMetres - to.eastMetres * from.northMetres
            }
            return abs(twice) / 2
        }
        return max(0, holes.reduce(ringArea(outer)) { $0 - ringArea($1) })
    }
}

extension GeoPolygon: Codable {
    private enum CodingKeys: String, CodingKey {
        case outer, holes
    }

    /// Decodes and validates.
    /// - Throws: `DecodingError.dataCorrupted` with ``GeoError``'s message if a ring is invalid.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let outer = try values.decode([GeoPoint].self, forKey: .outer)
        let holes = try values.decodeIfPresent([[GeoPoint]].self, forKey: .holes) ?? []
        do {
            try self.init(outer: outer, holes: holes)
        } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: error.description))
        }
    }

    /// Encodes the rings; the box is derived from them.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(outer, forKey: .outer)
        if !holes.isEmpty { try values.encode(holes, forKey: .holes) }
    }
}
