import Campus
import EventLoop
import Hub
import Postgres
import Wire

/// Privacy settings and private zones: what the hub publishes of an account's location and what the server keeps (B-4, N-2).
///
/// An actor on the hub's loop.
public actor Privacy {
    /// Largest number of private zones of an account.
    public static let zonesMax = 10
    /// Largest length of a zone's name.
    static let nameCharactersMax = TextLimit.privateZoneName.max

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Location rules that are consulted before a position is published.
    public nonisolated let rules: PrivacyRules
    private let database: PostgresPool
    private let forget: @Sendable (Int64, PrivacySettings, PostgresTransaction) async throws -> Void
    private let changed: @Sendable (Int64) async -> Void

    /// - Parameters:
    ///   - loop: The hub's loop.
    ///   - forget: Deletes the data that an account's new settings no longer permit. It runs in the transaction that stores the settings,
    ///     so that data and settings always agree.
    ///   - changed: Called before the answer when an account's rules changed; redraws the account's data on this and other nodes.
    public init(
        loop: EventLoop, database: PostgresPool, rules: PrivacyRules,
        forget: @escaping @Sendable (Int64, PrivacySettings, PostgresTransaction) async throws -> Void = { _, _, _ in },
        changed: @escaping @Sendable (Int64) async -> Void = { _ in }
    ) {
        self.loop = loop
        self.database = database
        self.rules = rules
        self.forget = forget
        self.changed = changed
    }

    // MARK: Settings

    /// Returns an account's settings. Every setting is off until the account switches it on.
    /// - Throws: ``Postgres/PostgresError``.
    public func settings(of identity: Identity) async throws -> PrivacySettings {
        let rows = try await database.query(
            "SELECT heatmap, visits, searches, residences FROM privacy_settings WHERE account_id = $1",
            [.int(identity.account.id)])
        return try rows.first.map(Self.settings) ?? PrivacySettings()
    }

    private static func settings(_ row: PostgresRow) throws -> PrivacySettings {
        PrivacySettings(
            heatmap: try row.bool("heatmap"), visits: try row.bool("visits"), searches: try row.bool("searches"),
            residences: try row.bool("residences"))
    }

    private static let saveSQL = """
        INSERT INTO privacy_settings AS s (account_id, heatmap, visits, searches, residences)
        VALUES ($1, coalesce($2, false), coalesce($3, false), coalesce($4, false), coalesce($5, false))
        ON CONFLICT (account_id) DO UPDATE SET heatmap = coalesce($2, s.heatmap), visits = coalesce($3, s.visits),
            searches = coalesce($4, s.searches), residences = coalesce($5, s.residences)
        RETURNING heatmap, visits, searches, residences
        """

    /// Changes the given settings, effective immediately.
    /// - Returns: All settings after the change.
    /// - Throws: ``Postgres/PostgresError``.
    public func save(_ params: PrivacySettingsSave.Params, of identity: Identity) async throws -> PrivacySettings {
        let account = identity.account.id
        let forget = forget
        return try await change(account) { transaction, _ in
            let wanted = [params.heatmap, params.visits, params.searches, params.residences]
            let rows = try await transaction.query(
                Self.saveSQL, [.int(account)] + wanted.map { $0.map { .bool($0) } ?? .null })
            guard let row = rows.first else { throw RPCError(.internalError, "the settings were not stored") }
            let settings = try Self.settings(row)
            try await forget(account, settings, transaction)
            return settings
        }
    }

    /// Applies a change of the account's location switch on all nodes (C-6).
    /// - Throws: ``Postgres/PostgresError``.
    public func locationSwitched(of identity: Identity) async throws {
        try await change(identity.account.id) { _, _ in }
    }

    // MARK: Zones

    /// Returns the caller's private zones as the caller entered them. The suppressed areas derived from them are not disclosed.
    /// - Throws: ``Postgres/PostgresError``.
    public func zones(of identity: Identity) async throws -> [PrivateZone] {
        try await database.query(
            "SELECT \(Self.columns) FROM private_zones WHERE account_id = $1 ORDER BY lower(name), id",
            [.int(identity.account.id)]
        ).map(Self.zone)
    }

    /// Creates or changes a zone, effective immediately and also for recorded sessions.
    /// - Throws: ``Wire/RPCError``: `invalidParams`, `notFound`, `conflict`; ``Postgres/PostgresError``.
    public func save(_ params: PrivacySaveZone.Params, of identity: Identity) async throws -> PrivateZone {
        let account = identity.account.id
        let name = try Inputs.name(params.name, "name", charactersMax: Self.nameCharactersMax)
        let place: GeoPoint
        do {
            place = try GeoPoint(latitude: params.lat, longitude: params.lon)
        } catch {
            if case .latitude = error { throw RPCError.invalid("lat", "must be -90 to 90") }
            throw RPCError.invalid("lon", "must be -180 to 180")
        }
        let clientID = try params.clientId.map { try Inputs.clientID($0, "clientId") }
        guard params.zone != nil || clientID != nil else {
            throw RPCError.invalid("clientId", "is needed for a new zone: a UUID, such as one of crypto.randomUUID()")
        }
        return try await change(account) { transaction, key in
            let known = try await transaction.query(
                """
                SELECT id, anchor_row, anchor_column FROM private_zones
                WHERE account_id = $1 AND (id = $2::bigint OR ($2::bigint IS NULL AND client_id = $3::uuid))
                """, [.int(account), .optional(params.zone), .optional(clientID)])
            if params.zone != nil, known.first == nil { throw Self.noZone }
            let mac = { Secrets.mac($0, key: key) }
            let held = try known.first.map {
                ZoneAnchor(row: try $0.int("anchor_row"), column: try $0.int("anchor_column"), mac: mac)
            }
            let anchor = ZoneAnchor(of: place, holding: held, mac: mac)
            let values: [PostgresValue] = [
                .text(name), .double(params.lat), .double(params.lon), .text(params.size.rawValue), .int(anchor.row),
                .int(anchor.column),
            ]
            let rows: PostgresRows
            if let id = try known.first?.int("id") {
                rows = try await transaction.query(
                    """
                    UPDATE private_zones SET name = $1, lat = $2, lon = $3, size = $4, anchor_row = $5, anchor_column = $6
                    WHERE id = $7 RETURNING \(Self.columns)
                    """, values + [.int(id)])
            } else {
                let count = try await transaction.query(
                    "SELECT count(*) AS n FROM private_zones WHERE account_id = $1", [.int(account)])
                guard try count.first?.int("n") ?? 0 < Self.zonesMax else {
                    throw RPCError(.conflict, "you have \(Self.zonesMax) private zones: delete one first")
                }
                rows = try await transaction.query(
                    """
                    INSERT INTO private_zones (name, lat, lon, size, anchor_row, anchor_column, account_id, client_id)
                    VALUES ($1, $2, $3, $4, $5, $6, $7, $8::uuid) RETURNING \(Self.columns)
                    """, values + [.int(account), .uuid(clientID ?? "")])
            }
            guard let row = rows.first else { throw RPCError(.internalError, "the zone was not stored") }
            return try Self.zone(row)
        }
    }

    /// Deletes a zone. The account becomes visible there again, also in recorded sessions.
    /// - Throws: `notFound`, ``Postgres/PostgresError``.
    public func delete(_ params: PrivacyDeleteZone.Params, of identity: Identity) async throws -> Erased {
        let account = identity.account.id
        return try await change(account) { transaction, _ in
            let rows = try await transaction.query(
                "DELETE FROM private_zones WHERE account_id = $1 AND id = $2", [.int(account), .int(params.zone)])
            guard rows.affected > 0 else { throw Self.noZone }
            return Erased(erased: 1)
        }
    }

    private static let noZone = RPCError(
        .notFound, "there is no such zone of yours: privacy.zones lists them", field: "zone")
    private static let columns = "id, name, lat, lon, size"

    private static func zone(_ row: PostgresRow) throws -> PrivateZone {
        guard let size = PrivateZoneSize(rawValue: try row.text("size")) else {
            throw RPCError(.internalError, "a private zone cannot be read")
        }
        return PrivateZone(
            id: try row.int("id"), name: try row.text("name"), lat: try row.double("lat"), lon: try row.double("lon"),
            size: size)
    }

    // MARK: Changes

    /// Applies a change under the lock of the account's row, which serialises changes across nodes. The change is effective when the
    /// function returns. If the commit is in doubt, the account is hidden everywhere until its rules are read.
    private func change<Value: Sendable>(
        _ account: Int64, _ body: @Sendable (PostgresTransaction, _ key: [UInt8]) async throws -> Value
    ) async throws -> Value {
        try await rules.load(account)
        let value: Value
        do {
            value = try await database.transaction { transaction in
                let rows = try await transaction.query(
                    """
                    UPDATE privacy_keys SET version = nextval('privacy_versions'), changed_at = now()
                    WHERE account_id = $1 RETURNING key
                    """, [.int(account)])
                guard let row = rows.first else {
                    throw RPCError(.notFound, "there is no such account any more: sign in again")
                }
                return try await body(transaction, try row.bytes("key"))
            }
        } catch {
            if error is PostgresError {
                try? await rules.read(account)
                await changed(account)
            }
            throw error
        }
        // If the rules cannot be read now, the account is hidden everywhere, which is safe; the change is committed regardless.
        try? await rules.read(account)
        await changed(account)
        return value
    }
}
