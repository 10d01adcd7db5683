import Campus
import Foundation
import Postgres
import Wire

/// Reads and writes the campus in PostgreSQL: imports write it, servers load it into a ``CampusMap``.
public struct CampusStore: Sendable {
    /// Largest number of rows in one statement.
    static let rowsPerStatementMax = 1_000

    let database: PostgresPool

    /// - Parameter database: Pool with the server's role.
    public init(database: PostgresPool) { self.database = database }

    /// Result of an import.
    public struct ImportReport: Sendable, Equatable {
        /// Number of rows written, by table.
        public var written: [String: Int] = [:]
        /// Number of rows removed because the file no longer contains them, by table.
        public var removed: [String: Int] = [:]
    }

    /// Preview of an import.
    public struct ImportPlan: Sendable, Equatable {
        /// Changes of one table.
        public struct Change: Sendable, Equatable {
            public let table: String
            /// Number of existing rows.
            public let present: Int
            /// Number of existing rows that the document contains as well.
            public let kept: Int
            /// Number of existing rows that the import would remove.
            public let removed: Int
        }
        /// Name of the existing campus; nil before the first import.
        public let campus: String?
        /// Changes by table.
        public let changes: [Change]
        /// Reasons for which the operator must confirm the import; empty for an update of the same campus.
        public let warnings: [String]
    }

    /// Computes the effects of ``store(_:name:)`` without changing anything. The plan has all doubts at once, so that the operator does
    /// not confirm one and overlook another.
    public func plan(_ document: CampusDocument) async throws -> ImportPlan {
        var warnings = [document.extentTrouble].compactMap(\.self)
        guard let campus = try await database.query("SELECT * FROM campus").first else {
            return ImportPlan(campus: nil, changes: [], warnings: warnings)
        }
        var changes: [ImportPlan.Change] = []
        for table in try Self.tables(of: document) where !table.rows.isEmpty {
            let row = try await database.query(
                """
                SELECT count(*) AS present, count(*) FILTER (WHERE \(table.key) = ANY($1::text[])) AS kept,
                    count(*) FILTER (WHERE \(table.key) <> ALL($1::text[])\(table.isEditedByAdmins ? " AND NOT is_own" : "")) AS removed
                FROM \(table.name)
                """, [.textArray(table.rows.map { $0.key })]
            ).first
            changes.append(
                .init(
                    table: table.name, present: Int(try row?.int("present") ?? 0), kept: Int(try row?.int("kept") ?? 0),
                    removed: Int(try row?.int("removed") ?? 0)))
        }
        let zonesRemoved = changes.first { $0.table == "zones" }?.removed ?? 0
        if document.hasGridOfZones, zonesRemoved > 0 {
            warnings.append(
                "it names no areas, so a grid would replace \(zonesRemoved) zones of the campus: give a file with zones as well"
            )
        }
        if let south = try campus.optionalDouble("south"), let west = try campus.optionalDouble("west"),
            let north = try campus.optionalDouble("north"), let east = try campus.optionalDouble("east"),
            let box = try? GeoBox(south: south, west: west, north: north, east: east),
            !box.intersects(document.bounds)
        {
            warnings.append("it is of another place than the present campus")
        }
        return ImportPlan(campus: try campus.text("name"), changes: changes, warnings: warnings)
    }

    // MARK: Writing

    /// Stores a document in place: rows with the same `ref` or source id are updated, missing rows are removed. Zones keep their ids, so
    /// that open subscriptions stay valid. Tables without rows in the document stay unchanged, and so do rows that an admin created,
    /// changed or removed.
    /// - Throws: `PostgresError`; nothing has changed then.
    public func store(_ document: CampusDocument, name: String?) async throws -> ImportReport {
        let tables = try Self.tables(of: document).filter { !$0.rows.isEmpty }
        let network = NetworkCoding.bytes(document.network)
        return try await database.transaction { transaction in
            var report = ImportReport()
            for table in tables {
                for chunk in table.rows.chunked(by: Self.rowsPerStatementMax) {
                    _ = try await transaction.query(table.upsert, table.parameters(chunk))
                }
                let gone = try await transaction.query(
                    "DELETE FROM \(table.name) WHERE \(table.key) <> ALL($1::text[])\(table.isEditedByAdmins ? " AND NOT is_own" : "")",
                    [.textArray(table.rows.map { $0.key })])
                report.written[table.name] = table.rows.count
                report.removed[table.name] = gone.affected
            }
            let box = document.bounds
            _ = try await transaction.query(
                """
                INSERT INTO campus (id, name, attribution, version, south, west, north, east)
                VALUES (1, COALESCE($1, 'Campus'), $2, 1, $3, $4, $5, $6)
                ON CONFLICT (id) DO UPDATE SET name = COALESCE($1, campus.name),
                    attribution = COALESCE($2, campus.attribution), version = campus.version + 1,
                    south = $3, west = $4, north = $5, east = $6
                """,
                [
                    .optional(name ?? document.name), .optional(document.attribution), .double(box.south),
                    .double(box.west), .double(box.north), .double(box.east),
                ])
            if !document.network.isEmpty {
                try await Self.storeNetwork(network, in: transaction)
                report.written["objects for routes"] = document.network.count
            }
            return report
        }
    }

    private static func tables(of document: CampusDocument) throws -> [Table] {
        [
            Table(
                name: "zones", key: "ref", columns: ["name": "text", "residence": "bool"], isMulti: true,
                isEditedByAdmins: true,
                rows: try document.zones.map { zone in
                    Row(
                        key: zone.ref, values: ["name": zone.name, "residence": String(zone.isResidence)],
                        geometry: try geoJSON(polygons: zone.polygons))
                }),
            Table(
                name: "buildings", key: "source_id",
                columns: [
                    "name": "text", "levels": "int", "residence": "bool", "wheelchair": "text", "entrances": "jsonb",
                ]
                .merging(listingColumns) { $1 }.filter { $0.key != "level" },
                isMulti: true,
                rows: try document.buildings.map { building in
                    Row(
                        key: building.sourceID,
                        values: [
                            "name": building.name, "levels": building.levels.map(String.init),
                            "residence": String(building.isResidence),
                            "wheelchair": building.wheelchair?.rawValue,
                            "entrances": try entrances(building),
                        ].merging(try values(building.listing)) { $1 },
                        geometry: try geoJSON(polygons: building.polygons))
                }),
            Table(
                name: "ways", key: "source_id",
                columns: [
                    "kind": "text", "name": "text", "step_free": "bool", "wheelchair": "text", "walkable": "bool",
                    "is_area": "bool",
                ], isMulti: false,
                rows: try document.ways.map { way in
                    Row(
                        key: way.sourceID,
                        values: [
                            "kind": way.kind.rawValue, "name": way.name, "step_free": String(way.isStepFree),
                            "wheelchair": way.wheelchair?.rawValue, "walkable": String(way.isWalkable),
                            "is_area": String(way.isArea),
                        ], geometry: try geoJSON(.lineString(way.line)))
                }),
            Table(
                name: "places", key: "source_id",
                columns: ["name": "text", "kind": "text", "wheelchair": "text"].merging(listingColumns) { $1 },
                isMulti: false, isEditedByAdmins: true,
                rows: try document.places.map { place in
                    Row(
                        key: place.sourceID,
                        values: ["name": place.name, "kind": place.kind, "wheelchair": place.wheelchair?.rawValue]
                            .merging(try values(place.listing)) { $1 },
                        geometry: try geoJSON(.point(place.point)))
                }),
            try roomTable(document.rooms),
            Table(
                name: "areas", key: "source_id", columns: ["kind": "text", "name": "text"], isMulti: true,
                rows: try document.areas.map { area in
                    Row(
                        key: area.sourceID, values: ["kind": area.kind.rawValue, "name": area.name],
                        geometry: try geoJSON(polygons: area.polygons))
                }),
        ]
    }

    private static func roomTable(_ rooms: [CampusDocument.Room]) throws -> Table {
        Table(
            name: "rooms", key: "source_id", columns: roomColumns, isMulti: false,
            rows: try rooms.map { room in
                Row(
                    key: room.sourceID, values: try values(room),
                    geometry: try room.polygons.isEmpty
                        ? geoJSON(.point(room.point)) : geoJSON(polygons: room.polygons))
            })
    }

    private static func geoJSON(polygons: [GeoPolygon]) throws -> String { try geoJSON(.multiPolygon(polygons)) }

    private static func geoJSON(_ geometry: GeoJSON.Geometry) throws -> String {
        String(decoding: try WireJSON.encode(geometry), as: UTF8.self)
    }

    // MARK: Reading

    /// Number of the latest import; 0 before the first.
    public func version() async throws -> Int64 {
        try await database.query("SELECT version FROM campus").first?.int("version") ?? 0
    }

    /// Loads the snapshot that servers use.
    public func load() async throws -> CampusMap.Snapshot {
        guard let campus = try await database.query("SELECT * FROM campus").first else { return .empty }
        let zones = try await zones()
        var bounds: Bounds?
        if let south = try campus.optionalDouble("south"), let west = try campus.optionalDouble("west"),
            let north = try campus.optionalDouble("north"), let east = try campus.optionalDouble("east")
        {
            bounds = Bounds(south: south, west: west, north: north, east: east)
        }
        let info = CampusInfo(
            id: 1, name: try campus.text("name"), version: String(try campus.int("version")), bounds: bounds,
            zones: zones.map {
                ZoneInfo(id: $0.id, ref: $0.ref, name: $0.name, residence: $0.isResidence ? true : nil)
            }.sorted {
                $0.ref.localizedStandardCompare($1.ref) == .orderedAscending
            })
        let map = try await mapGeoJSON(attribution: try campus.optionalText("attribution"))
        return CampusMap.Snapshot(
            info: info, zones: ZoneIndex(zones: zones), buildings: BuildingIndex(buildings: try await buildings()),
            geoJSON: map)
    }

    private func zones() async throws -> [Zone] {
        let rows = try await database.query(
            """
            SELECT id, ref, name, residence, ST_AsGeoJSON(geometry, 9) AS geometry FROM zones
            WHERE NOT is_removed ORDER BY id
            """)
        return try rows.map { row in
            Zone(
                id: try row.int("id"), ref: try row.text("ref"), name: try row.text("name"),
                polygons: try Self.polygons(row), isResidence: try row.bool("residence"))
        }
    }

    private func buildings() async throws -> [Building] {
        let rows = try await database.query(
            "SELECT id, name, residence, ST_AsGeoJSON(geometry, 9) AS geometry FROM buildings ORDER BY id")
        return try rows.map { row in
            Building(
                id: try row.int("id"), name: try row.optionalText("name"), polygons: try Self.polygons(row),
                isResidence: try row.bool("residence"))
        }
    }

    private static func polygons(_ row: PostgresRow) throws -> [GeoPolygon] {
        try WireJSON.decode(GeoJSON.Geometry.self, from: Array(try row.text("geometry").utf8)).polygons
    }

    /// Encodes the map as one FeatureCollection, built by PostGIS; six decimals are about a decimetre, a fraction of a line's width.
    private func mapGeoJSON(attribution: String?) async throws -> [UInt8] {
        let rows = try await database.query(
            """
            WITH f AS (
                SELECT 1 AS layer, id, jsonb_build_object('kind', 'area', 'class', kind, 'name', name) AS p, geometry FROM areas
                UNION ALL SELECT 2, id, jsonb_build_object('kind', 'zone', 'id', id, 'ref', ref, 'name', name), geometry
                    FROM zones WHERE NOT is_removed
                UNION ALL SELECT 3, id, jsonb_build_object('kind', 'way', 'class', kind, 'name', name), geometry FROM ways
                UNION ALL SELECT 4, id, jsonb_build_object('kind', 'building', 'id', id, 'name', name), geometry FROM buildings
                UNION ALL SELECT 5, id, jsonb_build_object('kind', 'place', 'id', id, 'class', kind, 'name', name), geometry
                    FROM places WHERE NOT is_removed
            )
            SELECT jsonb_build_object('type', 'Feature', 'properties', jsonb_strip_nulls(p),
                'geometry', ST_AsGeoJSON(geometry, 6)::jsonb)::text AS feature
            FROM f ORDER BY layer, id
            """)
        let features = try rows.map { Array(try $0.text("feature").utf8) }.joined(separator: [UInt8(ascii: ",")])
        let source = String(decoding: try WireJSON.encode(attribution), as: UTF8.self)
        return Array(#"{"type":"FeatureCollection","attribution":\#(source),"features":["#.utf8) + Array(features)
            + Array("]}".utf8)
    }
}

/// One row of an import: its key, its columns as text, and its geometry as GeoJSON.
private struct Row: Sendable {
    let key: String
    let values: [String: String?]
    let geometry: String
}

/// A table as an import writes it. Its names come from this file, never from the imported one, so they are safe in SQL.
private struct Table: Sendable {
    let name: String
    let key: String
    let columns: [String: String]
    let isMulti: Bool
    /// Whether admins edit the table; an import leaves their rows alone.
    var isEditedByAdmins = false
    let rows: [Row]

    private var columnNames: [String] { columns.keys.sorted() }

    var upsert: String {
        let names = columnNames
        let casts = names.map { "v.\($0)::\(columns[$0] ?? "text")" }.joined(separator: ", ")
        let arrays = (1...(names.count + 2)).map { "$\($0)::text[]" }.joined(separator: ", ")
        let shape = "ST_SetSRID(ST_GeomFromGeoJSON(v.geometry), 4326)"
        let sets = (names + ["geometry"]).map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        let list = names.joined(separator: ", ")
        return """
            INSERT INTO \(name) (\(key), \(list), geometry)
            SELECT v.key, \(casts), \(isMulti ? "ST_Multi(\(shape))" : shape)
            FROM unnest(\(arrays)) AS v (key, \(list), geometry)
            ON CONFLICT (\(key)) DO UPDATE SET \(sets)\(isEditedByAdmins ? " WHERE NOT \(name).is_own" : "")
            """
    }

    func parameters(_ chunk: ArraySlice<Row>) -> [PostgresValue] {
        [.textArray(chunk.map(\.key))]
            + columnNames.map { column in .optionalTextArray(chunk.map { $0.values[column] ?? nil }) }
            + [.textArray(chunk.map(\.geometry))]
    }
}

extension Array {
    fileprivate func chunked(by size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}
