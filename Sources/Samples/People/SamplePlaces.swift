import Campus

/// Positions on the sample campus by name.
struct SamplePlaces: Sendable {
    private let points: [String: GeoPoint]

    /// Takes the places with a name, then the buildings and areas, by the middle of their bounds.
    init(_ campus: CampusDocument = SampleCampus.document) {
        var points: [String: GeoPoint] = [:]
        for area in campus.areas {
            if let name = area.name { points[name] = Self.middle(of: area.polygons) }
        }
        for building in campus.buildings {
            if let name = building.name { points[name] = Self.middle(of: building.polygons) }
        }
        for place in campus.places {
            if let name = place.name { points[name] = place.point }
        }
        self.points = points
    }

    /// Nil for a name that the campus does not have.
    subscript(name: String) -> GeoPoint? { points[name] }

    private static func middle(of polygons: [GeoPolygon]) -> GeoPoint? {
        let corners = polygons.flatMap(\.outer)
        guard let south = corners.map(\.latitude).min(), let north = corners.map(\.latitude).max(),
            let west = corners.map(\.longitude).min(), let east = corners.map(\.longitude).max()
        else { return nil }
        return try? GeoPoint(latitude: (south + north) / 2, longitude: (west + east) / 2)
    }
}
