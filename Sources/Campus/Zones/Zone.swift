/// A zone of the campus: the unit in which live positions are published.
public struct Zone: Codable, Sendable, Equatable, Identifiable {
    /// The database's id; at a border shared by several zones the lowest id owns the point.
    public let id: Int64
    /// The short reference that an import keys on, unique on a campus ("A1").
    public let ref: String
    /// The name for people.
    public let name: String
    /// The area; several polygons when it is not in one piece.
    public let polygons: [GeoPolygon]
    /// People live there, and are not shown there unless they want to be.
    public let isResidence: Bool

    /// A zone from its parts.
    public init(id: Int64, ref: String, name: String, polygons: [GeoPolygon], isResidence: Bool = false) {
        self.id = id
        self.ref = ref
        self.name = name
        self.polygons = polygons
        self.isResidence = isResidence
    }

    /// A draft that the database gave an id.
    public init(id: Int64, draft: ZoneDraft) {
        self.init(
            id: id, ref: draft.ref, name: draft.name, polygons: draft.polygons, isResidence: draft.isResidence)
    }

    /// The smallest box around all polygons; nil when there are none.
    public var box: GeoBox? { GeoBox(around: polygons) }

    /// Whether the point lies in the zone or on its border.
    public func contains(_ point: GeoPoint) -> Bool {
        polygons.contains { $0.contains(point) }
    }
}

/// A zone before the database gave it an id.
public struct ZoneDraft: Codable, Sendable, Equatable {
    /// The short reference, unique on a campus.
    public var ref: String
    /// The name for people.
    public var name: String
    /// The area, at least one polygon.
    public var polygons: [GeoPolygon]
    /// People live there.
    public var isResidence: Bool

    /// A draft from its parts.
    public init(ref: String, name: String, polygons: [GeoPolygon], isResidence: Bool = false) {
        self.ref = ref
        self.name = name
        self.polygons = polygons
        self.isResidence = isResidence
    }
}
