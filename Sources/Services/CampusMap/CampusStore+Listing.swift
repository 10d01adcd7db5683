import Campus
import Wire

/// Columns of what a directory lists.
extension CampusStore {
    /// Types of the columns that ``values(_:)`` fills.
    static let listingColumns = [
        "code": "text", "other_names": "jsonb", "level": "text", "opening_hours": "text", "website": "text",
        "phone": "text",
    ]

    static func values(_ listing: CampusDocument.Listing) throws -> [String: String?] {
        [
            "code": listing.code,
            "other_names": listing.otherNames.isEmpty
                ? nil : String(decoding: try WireJSON.encode(listing.otherNames), as: UTF8.self),
            "level": listing.level, "opening_hours": listing.openingHours, "website": listing.website,
            "phone": listing.phone,
        ]
    }

    /// Entrances in the form of the wire; nil for none.
    static func entrances(_ building: CampusDocument.Building) throws -> String? {
        guard !building.entrances.isEmpty else { return nil }
        let entrances = building.entrances.map { entrance in
            Entrance(
                name: entrance.name, lat: entrance.point.latitude, lon: entrance.point.longitude, level: entrance.level,
                wheelchair: entrance.wheelchair.flatMap { WheelchairAccess(rawValue: $0.rawValue) })
        }
        return String(decoding: try WireJSON.encode(entrances), as: UTF8.self)
    }

    /// Types of the columns of rooms.
    static let roomColumns = listingColumns.merging([
        "building_source": "text", "name": "text", "kind": "text", "wheelchair": "text", "lat": "double precision",
        "lon": "double precision",
    ]) { $1 }

    static func values(_ room: CampusDocument.Room) throws -> [String: String?] {
        try values(room.listing).merging([
            "building_source": room.building, "name": room.name, "kind": room.kind,
            "wheelchair": room.wheelchair?.rawValue, "lat": String(room.point.latitude),
            "lon": String(room.point.longitude),
        ]) { $1 }
    }
}
