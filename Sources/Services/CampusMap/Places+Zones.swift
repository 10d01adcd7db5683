import Campus
import Foundation
import Postgres
import Wire

/// Administration of zones.
extension Places {
    private static let noZone = RPCError(.notFound, "there is no such zone: campus.info lists them", field: "zone")

    /// Creates or changes a zone.
    /// - Throws: ``Wire/RPCError``: `invalidParams` with the fault of the shape, `notFound`, `conflict`;
    ///   ``Postgres/PostgresError``.
    public func save(_ params: AdminSaveZone.Params, by identity: Identity) async throws -> ZoneInfo {
        let name = try Inputs.name(params.name, "name", charactersMax: Self.nameCharactersMax)
        let shape = try params.polygon.map(shape)
        if let zone = params.zone {
            try await change(identity) { transaction in
                if let shape { try await Self.check(shape, transaction) }
                let rows = try await transaction.query(
                    """
                    UPDATE zones SET name = $2, is_own = true, residence = coalesce($4, residence),
                        geometry = coalesce(ST_Multi(ST_SetSRID(ST_GeomFromGeoJSON($3::text), 4326)), geometry)
                    WHERE id = $1 AND NOT is_removed
                    """, [.int(zone), .text(name), .optional(shape), .optional(params.residence)])
                guard rows.affected > 0 else { throw Self.noZone }
                return .init(
                    "zone.edit", subject: .init(kind: "zone", id: zone, name: name),
                    details: (shape == nil ? [] : [("shape", "changed")])
                        + (params.residence.map { [("residence", $0 ? "yes" : "no")] } ?? []))
            }
            return try await info("id = $1", .int(zone))
        }
        let ref = try Self.word(params.ref, "ref", bytesMax: Self.refBytesMax) {
            (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x5F
        }
        guard let shape else { throw RPCError.invalid("polygon", "is needed for a new zone: draw it") }
        try await change(identity) { try await Self.insert(ref, name, shape, residence: params.residence ?? false, $0) }
        return try await info("ref = $1", .text(ref))
    }

    private static func insert(
        _ ref: String, _ name: String, _ shape: String, residence: Bool, _ transaction: PostgresTransaction
    ) async throws -> AuditLog.Entry? {
        try await check(shape, transaction)
        let known = try await transaction.query(
            """
            SELECT is_own AND name = $2 AND residence = $4
                AND ST_Equals(geometry, ST_SetSRID(ST_GeomFromGeoJSON($3::text), 4326)) AS is_same
            FROM zones WHERE ref = $1 AND NOT is_removed
            """, [.text(ref), .text(name), .text(shape), .bool(residence)])
        if let row = known.first {
            // The client repeated the request because it did not receive the answer.
            if try row.bool("is_same") { return nil }
            throw RPCError(.conflict, "another zone has this ref: change that one, or take another", field: "ref")
        }
        let count = try await transaction.query("SELECT count(*) AS count FROM zones WHERE NOT is_removed")
        guard try count.first?.int("count") ?? 0 < zonesMax else {
            throw RPCError(.conflict, "the campus has \(zonesMax) zones: remove some first")
        }
        // A removed zone with this ref returns with its former id.
        let rows = try await transaction.query(
            """
            INSERT INTO zones AS z (ref, name, geometry, is_own, residence)
            VALUES ($1, $2, ST_Multi(ST_SetSRID(ST_GeomFromGeoJSON($3::text), 4326)), true, $4)
            ON CONFLICT (ref) DO UPDATE SET name = excluded.name, geometry = excluded.geometry, is_own = true,
                is_removed = false, residence = excluded.residence
            RETURNING id
            """, [.text(ref), .text(name), .text(shape), .bool(residence)])
        return .init("zone.add", subject: .init(kind: "zone", id: try rows.first?.int("id"), name: name))
    }

    /// Removes a zone: people in it leave it, and its topics close.
    /// - Throws: `notFound`, ``Postgres/PostgresError``.
    public func delete(_ params: ZoneParams, by identity: Identity) async throws -> ZoneParams {
        try await change(identity) { transaction in
            let rows = try await transaction.query(
                "UPDATE zones SET is_removed = true, is_own = true WHERE id = $1 AND NOT is_removed RETURNING name",
                [.int(params.zone)])
            guard let row = rows.first else { throw Self.noZone }
            return .init("zone.delete", subject: .init(kind: "zone", id: params.zone, name: try row.text("name")))
        }
        return params
    }

    private func info(_ condition: String, _ value: PostgresValue) async throws -> ZoneInfo {
        let rows = try await database.query(
            "SELECT id, ref, name, residence FROM zones WHERE \(condition) AND NOT is_removed", [value])
        guard let row = rows.first else { throw Self.noZone }
        return ZoneInfo(
            id: try row.int("id"), ref: try row.text("ref"), name: try row.text("name"),
            residence: try row.bool("residence") ? true : nil)
    }

    /// Encodes the shape as GeoJSON after checking that its rings are well-formed and within the campus.
    private func shape(_ polygon: ZoneShape) throws -> String {
        guard polygon.type == "Polygon" else { throw RPCError.invalid("polygon.type", "must be Polygon") }
        let count = polygon.coordinates.reduce(0) { $0 + $1.count }
        guard count <= Self.zonePositionsMax else {
            throw RPCError.invalid(
                "polygon.coordinates", "has more than \(Self.zonePositionsMax) positions: simplify it")
        }
        let bytes = try WireJSON.encode(polygon)
        let geometry: GeoJSON.Geometry
        do {
            geometry = try JSONDecoder().decode(GeoJSON.Geometry.self, from: Data(bytes))
        } catch {
            throw RPCError.invalid("polygon.coordinates", "\(error)")
        }
        for point in geometry.polygons.flatMap({ [$0.outer] + $0.holes }).joined() {
            try requireOnCampus(point.latitude, point.longitude, "polygon.coordinates")
        }
        return String(decoding: try WireJSON.encode(geometry), as: UTF8.self)
    }

    /// Checks that need PostGIS: crossing lines, area and width.
    private static func check(_ shape: String, _ transaction: PostgresTransaction) async throws {
        let rows = try await transaction.query(
            """
            SELECT ST_IsValidReason(g) AS reason, ST_IsValid(g) AS is_valid,
                CASE WHEN ST_IsValid(g) THEN ST_Area(g::geography) ELSE 0 END AS area,
                CASE WHEN ST_IsValid(g) THEN ST_IsEmpty(ST_Buffer(g::geography, -$2::double precision)::geometry) END AS is_narrow
            FROM ST_SetSRID(ST_GeomFromGeoJSON($1::text), 4326) AS g
            """, [.text(shape), .double(zoneRadiusMin)])
        guard let row = rows.first, try row.bool("is_valid") else {
            let reason = try rows.first?.text("reason") ?? "no shape"
            throw RPCError.invalid("polygon.coordinates", "its lines cross or touch (\(reason)): draw it again")
        }
        let area = try row.double("area")
        guard (zoneAreaMin...zoneAreaMax).contains(area) else {
            throw RPCError.invalid(
                "polygon.coordinates",
                "is \(Int(area)) m² large: a zone has \(Int(zoneAreaMin)) to \(Int(zoneAreaMax)) m²")
        }
        guard try row.optionalBool("is_narrow") == false else {
            throw RPCError.invalid(
                "polygon.coordinates",
                "is too narrow: a circle \(Int(2 * zoneRadiusMin)) m wide must fit into a zone")
        }
    }
}
