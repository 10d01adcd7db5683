import Campus
import Foundation
import Postgres
import Wire

/// Reads the directory from PostgreSQL.
struct DirectoryStore: Sendable {
    /// Maximum number of further names of a building by which its rooms are found.
    private static let buildingNamesMax = 5
    /// Maximum distance of a place from the building of its name that it stands for, in metres. A point may be drawn in the court.
    private static let sameBuildingMetresMax = 30.0

    let database: PostgresPool

    /// Reads all destinations, the buildings first.
    /// - Throws: ``Postgres/PostgresError``.
    func destinations(of campus: CampusMap.Snapshot) async throws -> [Listed] {
        let limit = PostgresValue.int(Int64(Directory.destinationsMax))
        let buildings = try await database.query(
            """
            SELECT id, source_id, name, code, other_names::text AS others, opening_hours, wheelchair,
                ST_Y(p.point) AS lat, ST_X(p.point) AS lon
            FROM buildings, LATERAL (SELECT ST_PointOnSurface(geometry) AS point) p
            WHERE name IS NOT NULL OR code IS NOT NULL OR other_names IS NOT NULL ORDER BY id LIMIT $1
            """, [limit]
        ).map { try Self.listed($0, .building, campus) }
        let bySource = Dictionary(buildings.map { ($0.sourceID, $0) }) { first, _ in first }
        let byNumber = Dictionary(buildings.map { ($0.id.number, $0) }) { first, _ in first }
        let rooms = try await database.query(
            """
            SELECT id, source_id, name, code, other_names::text AS others, opening_hours, wheelchair, kind, level,
                building_source, lat, lon
            FROM rooms ORDER BY id LIMIT $1
            """, [limit]
        ).map { row in
            var room = try Self.listed(row, .room, campus)
            Self.setBuilding(&room, try row.optionalText("building_source").flatMap { bySource[$0] })
            return room
        }
        let roomBySource = Dictionary(rooms.map { ($0.sourceID, $0) }) { first, _ in first }
        let places = try await database.query(
            """
            SELECT p.id, p.source_id, p.name, p.code, p.other_names::text AS others, p.opening_hours, p.wheelchair, p.kind,
                p.level, ST_Y(p.geometry) AS lat, ST_X(p.geometry) AS lon, min(b.id) AS building
            FROM places p LEFT JOIN buildings b
                ON b.name = p.name AND ST_DWithin(b.geometry::geography, p.geometry::geography, $2)
            WHERE NOT p.is_removed GROUP BY p.id ORDER BY p.id LIMIT $1
            """, [limit, .double(Self.sameBuildingMetresMax)]
        ).map { row in
            var place = try Self.listed(row, .place, campus)
            if let same = bySource[place.sourceID] {
                place.isBuilding = true
                place.buildingNumber = same.id.number
                place.names += same.names.filter { !place.names.contains($0) }
                place.code = place.code ?? same.code
            } else {
                let same = try row.optionalInt("building").flatMap { byNumber[$0] }
                Self.setBuilding(&place, same ?? campus.ladder.building(at: place.point).flatMap { byNumber[$0.id] })
                place.isBuilding = same != nil
                if place.isBuilding { place.level = nil }
                place.code = place.code ?? roomBySource[place.sourceID]?.code
            }
            return place
        }
        let zones = try await database.query(
            """
            SELECT id, ref AS source_id, name, NULL AS others, ST_Y(p.point) AS lat, ST_X(p.point) AS lon
            FROM zones, LATERAL (SELECT ST_PointOnSurface(geometry) AS point) p WHERE NOT is_removed ORDER BY id
            """
        ).map { try Self.listed($0, .zone, campus) }
        return Array((buildings + zones + places + rooms).prefix(Directory.destinationsMax))
    }

    private static func setBuilding(_ one: inout Listed, _ building: Listed?) {
        guard let building else { return }
        one.buildingNumber = building.id.number
        one.building = building.name
        one.buildingCode = building.code
        one.buildingWords = building.names.dropFirst().prefix(buildingNamesMax) + [building.code].compactMap(\.self)
    }

    private static func listed(
        _ row: PostgresRow, _ kind: DestinationKind, _ campus: CampusMap.Snapshot
    ) throws -> Listed {
        let point = try GeoPoint(latitude: try row.double("lat"), longitude: try row.double("lon"))
        let others = try row.optionalText("others").map { try WireJSON.decode([String].self, from: Array($0.utf8)) }
        let isZone = kind == .zone
        var one = Listed(
            id: DestinationID(kind, try row.int("id")), sourceID: try row.text("source_id"),
            names: (try row.optionalText("name")).map { [$0] + (others ?? []) } ?? others ?? [], point: point)
        if isZone { return one }
        one.code = try row.optionalText("code")
        one.openingHours = try row.optionalText("opening_hours")
        one.wheelchair = try row.optionalText("wheelchair").flatMap { WheelchairAccess(rawValue: $0) }
        one.zone = campus.zones.zone(at: point)?.id
        if kind != .building {
            one.kindOfPlace = try row.text("kind")
            one.level = try row.optionalText("level")
        }
        return one
    }
}
