import Campus
import EventLoop
import Foundation
import Postgres
import Wire

/// Places and zones, as people search for them and admins edit them (N-1.2, N-7). Edits of admins survive imports. An actor on its loop.
public actor Places {
    /// Largest number of places in a list.
    static let listedMax = 200
    static let listedDefault = 50
    static let nameCharactersMax = TextLimit.placeName.max
    static let classBytesMax = 40
    static let detailsCharactersMax = TextLimit.placeDetails.max
    /// Largest number of places that admins create, in addition to imported ones.
    static let ownPlacesMax: Int64 = 5_000
    /// Largest number of zones: each position is looked up among them, and each client receives the list.
    static let zonesMax: Int64 = 1_000
    static let refBytesMax = 20
    /// Largest number of positions in a zone's shape.
    static let zonePositionsMax = 1_000
    /// Smallest area of a zone in square metres. Data published by zone must not locate one person, so a zone is not much smaller than a
    /// heatmap cell.
    static let zoneAreaMin = 5_000.0
    /// Radius in metres of a circle that must fit into each zone, which excludes narrow strips.
    static let zoneRadiusMin = 20.0
    static let zoneAreaMax = 25_000_000.0

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let database: PostgresPool
    let campus: CampusMap
    private let changed: @Sendable () async -> Void

    /// - Parameters:
    ///   - campus: Finds the zone of a place.
    ///   - changed: Reloads the campus on this and the other nodes after a change.
    public init(
        loop: EventLoop, database: PostgresPool, campus: CampusMap, changed: @escaping @Sendable () async -> Void = {}
    ) {
        self.loop = loop
        self.database = database
        self.campus = campus
        self.changed = changed
    }

    // MARK: Search

    private static let columns =
        "p.id, p.name, p.kind, p.details, p.is_own, ST_Y(p.geometry) AS lat, ST_X(p.geometry) AS lon FROM places p"

    private static let listSQL = """
        SELECT \(columns)
        WHERE p.name IS NOT NULL AND NOT p.is_removed
            AND NOT EXISTS (SELECT FROM unnest($1::text[]) AS word WHERE NOT p.name ILIKE word)
            AND ($2::bigint IS NULL OR ST_Within(
                p.geometry, (SELECT z.geometry FROM zones z WHERE z.id = $2 AND NOT z.is_removed)))
        ORDER BY p.name, p.id LIMIT $3
        """

    /// Named places that match the search, ordered by name.
    /// - Throws: ``Wire/RPCError`` `invalidParams`, ``Postgres/PostgresError``.
    public func list(_ params: PlacesList.Params) async throws -> PlacesList.Result {
        let limit = try Inputs.limit(params.limit, max: Self.listedMax, default: Self.listedDefault)
        let text = try Inputs.text(params.text, "text", charactersMax: Self.nameCharactersMax)
        let rows = try await database.query(
            Self.listSQL, [.textArray(Patterns.like(text)), .optional(params.zone), .int(Int64(limit) + 1)])
        return PlacesList.Result(places: try rows.prefix(limit).map(place), more: rows.count > limit)
    }

    private func place(_ row: PostgresRow) throws -> Place {
        let (lat, lon) = (try row.double("lat"), try row.double("lon"))
        return Place(
            id: try row.int("id"), name: try row.optionalText("name") ?? "", class: try row.text("kind"), lat: lat,
            lon: lon, details: try row.optionalText("details"), zone: campus.zone(at: LatLon(lat, lon)),
            edited: try row.bool("is_own"))
    }

    // MARK: Editing

    private static let noPlace = RPCError(.notFound, "there is no such place: places.list has them", field: "place")

    /// Creates or changes a place.
    /// - Throws: ``Wire/RPCError``: `invalidParams`, `notFound`, `conflict` after ``ownPlacesMax``; ``Postgres/PostgresError``.
    public func save(_ params: AdminSavePlace.Params, by identity: Identity) async throws -> Place {
        let name = try Inputs.name(params.name, "name", charactersMax: Self.nameCharactersMax)
        let kind = try Self.word(params.class, "class", bytesMax: Self.classBytesMax) {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F
        }
        let details = try Inputs.text(
            params.details, "details", charactersMax: Self.detailsCharactersMax, isAllowed: Inputs.isLayout)
        try requireOnCampus(params.lat, params.lon)
        let values: [PostgresValue] = [
            .text(name), .text(kind), .optional(details.isEmpty ? nil : details), .double(params.lon),
            .double(params.lat),
        ]
        let id: Int64
        if let place = params.place {
            try await change(identity) { transaction in
                let rows = try await transaction.query(
                    """
                    UPDATE places SET name = $1, kind = $2, details = $3, is_own = true,
                        is_moved = is_moved OR NOT ST_DWithin(geometry, ST_SetSRID(ST_MakePoint($4, $5), 4326), 0.000001),
                        geometry = ST_SetSRID(ST_MakePoint($4, $5), 4326)
                    WHERE id = $6 AND NOT is_removed
                    """, values + [.int(place)])
                guard rows.affected > 0 else { throw Self.noPlace }
                return .init("place.edit", subject: .init(kind: "place", id: place, name: name))
            }
            id = place
        } else {
            let source = PostgresValue.text("own/" + (try Inputs.clientID(params.id ?? "")))
            try await change(identity) { try await Self.insert(source, values, name, $0) }
            let known = try await database.query("SELECT id FROM places WHERE source_id = $1", [source])
            guard let row = known.first else { throw Self.noPlace }
            id = try row.int("id")
        }
        let rows = try await database.query(
            "SELECT \(Self.columns) WHERE p.id = $1 AND NOT p.is_removed", [.int(id)])
        guard let row = rows.first else { throw Self.noPlace }
        return try place(row)
    }

    private static func insert(
        _ source: PostgresValue, _ values: [PostgresValue], _ name: String, _ transaction: PostgresTransaction
    ) async throws -> AuditLog.Entry? {
        let own = try await transaction.query(
            "SELECT count(*) AS count FROM places WHERE source_id LIKE 'own/%' AND NOT is_removed")
        guard try own.first?.int("count") ?? 0 < ownPlacesMax else {
            throw RPCError(.conflict, "admins have marked \(ownPlacesMax) places: remove some first")
        }
        let rows = try await transaction.query(
            """
            INSERT INTO places (name, kind, details, geometry, is_own, source_id)
            VALUES ($1, $2, $3, ST_SetSRID(ST_MakePoint($4, $5), 4326), true, $6)
            ON CONFLICT (source_id) DO NOTHING RETURNING id
            """, values + [source])
        guard let row = rows.first else { return nil }
        return .init("place.add", subject: .init(kind: "place", id: try row.int("id"), name: name))
    }

    /// Removes a place from the map.
    /// - Throws: `notFound`, ``Postgres/PostgresError``.
    public func delete(_ params: PlaceParams, by identity: Identity) async throws -> PlaceParams {
        try await change(identity) { transaction in
            let rows = try await transaction.query(
                """
                UPDATE places SET is_removed = true, is_own = true WHERE id = $1 AND NOT is_removed
                RETURNING coalesce(name, kind) AS name
                """, [.int(params.place)])
            guard let row = rows.first else { throw Self.noPlace }
            return .init("place.delete", subject: .init(kind: "place", id: params.place, name: try row.text("name")))
        }
        return params
    }

    // MARK: Shared by places and zones

    /// Changes the campus, records the action in the audit log, and reloads the campus. The lock on the campus row serialises changes.
    /// - Parameter body: Makes the change and returns its audit entry; nil if nothing changed.
    func change(
        _ identity: Identity, _ body: @Sendable (PostgresTransaction) async throws -> AuditLog.Entry?
    ) async throws {
        let isNew = try await database.transaction { transaction in
            try await identity.requireAdmin(in: transaction)
            let campus = try await transaction.query("SELECT FROM campus WHERE id = 1 FOR NO KEY UPDATE")
            guard campus.first != nil else {
                throw RPCError(.conflict, "there is no campus yet: ask the operator to import one")
            }
            guard let entry = try await body(transaction) else { return false }
            _ = try await transaction.query("UPDATE campus SET version = version + 1 WHERE id = 1")
            try await AuditLog.record(entry, by: identity, in: transaction)
            return true
        }
        if isNew { await changed() }
    }

    /// - Throws: `invalidParams` for coordinates out of range or outside the campus.
    func requireOnCampus(_ lat: Double, _ lon: Double, _ field: String = "lat") throws {
        guard (-90...90).contains(lat), (-180...180).contains(lon) else {
            throw RPCError.invalid(field, "must be a position: latitude -90 to 90, longitude -180 to 180")
        }
        guard let box = campus.snapshot.info.bounds else { return }
        guard (box.south...box.north).contains(lat), (box.west...box.east).contains(lon) else {
            throw RPCError.invalid(field, "is outside the campus: campus.info has its bounds")
        }
    }

    static func word(
        _ text: String?, _ field: String, bytesMax: Int, isAllowed: (UInt8) -> Bool
    ) throws -> String {
        guard let text, (1...bytesMax).contains(text.utf8.count), text.utf8.allSatisfy(isAllowed) else {
            throw RPCError.invalid(field, "must be 1 to \(bytesMax) of the characters that the Protocol article names")
        }
        return text
    }
}
