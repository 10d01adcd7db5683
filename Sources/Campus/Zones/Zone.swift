/// A zone of the campus: the unit in which live positions are published.
public struct Zone: Codable, Sendable, Equatable, Identifiable {
    /// The database's id. A point on the border of several zones belongs to the zone with the lowest id.
    public let id: Int64
    /// The short reference that an import uses as key, unique on a campus ("A1").
    public let ref: String
    /// The displayed name.
    public let name: String
    /// The area; several polygons if it is not in one piece.
    public let polygons: [GeoPolygon]
    /// True if people live there. Accounts are hidden there unless they opt out.
    public let isResidence: Bool

    public init(id: Int64, ref: String, name: String, polygons: [GeoPolygon], isResidence: Bool = false) {
        self.id = id
        self.ref = ref
        self.name = name
        self.polygons = polygons
        self.isResidence = isResidence
    }

    /// Creates a zone from a draft and the id from the database.
    public init(id: Int64, draft: ZoneDraft) {
        self.init(
            id: id, ref: draft.ref, name: draft.name, polygons: draft.polygons, isResidence: draft.isResidence)
    }

    /// The smallest box around all polygons; nil if there are none.
    public var box: GeoBox? { GeoBox(around: polygons) }

    /// Whether the point lies in the zone or on its border.
    public func contains(_ point: GeoPoint) -> Bool {
        polygons.contains { $0.contains(point) }
    }
}

/// A zone that has no id from the database yet.
public struct ZoneDraft: Codable, Sendable, Equatable {
    /// The short reference, unique on a campus.
    public var ref: String
    /// The displayed name.
    public var name: String
    /// The area, at least one polygon.
    public var polygons: [GeoPolygon]
    /// True if people live there.
    public var isResidence: Bool

    public init(ref: String, name: String, polygons: [GeoPolygon], isResidence: Bool = false) {
        self.ref = ref
        self.name = name
        self.polygons = polygons
        self.isResidence = isResidence
    }
}
