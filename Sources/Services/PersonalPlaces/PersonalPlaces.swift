import Campus
import EventLoop
import Foundation
import Postgres
import Wire

/// Saved places, past searches and visits of an account (N-2), visible to that account only.
///
/// An actor on its loop. Data whose recording is optional (`privacy.settings`) is written by statements that check the setting.
public actor PersonalPlaces {
    /// Largest number of saved places of an account.
    static let savedMax: Int64 = 200
    static let nameCharactersMax = TextLimit.searchText.max
    /// Largest number of searches kept and listed per account; a further one replaces the oldest.
    static let searchesMax: Int64 = 50
    /// Largest number of places in the list of most visited places.
    static let visitedListedMax: Int64 = 20
    /// Largest accuracy in metres of a position that can identify a building.
    public static let accuracyMax = 50.0
    /// Days for which searches and visits are kept.
    public static let keptDays = 90
    /// Largest number of rows that one statement removes.
    static let prunedMax: Int64 = 10_000

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let database: PostgresPool
    let now: @Sendable () -> Timestamp
    var stays = Stays()

    /// - Parameter now: The server's wall clock.
    public init(loop: EventLoop, database: PostgresPool, now: @escaping @Sendable () -> Timestamp = { .now }) {
        self.loop = loop
        self.database = database
        self.now = now
    }

    // MARK: Saved places

    private static let savedColumns = "s.id, s.name, s.lat, s.lon, s.place_id, s.saved_at"
    private static let notSaved = RPCError(
        .notFound, "there is no such saved place of yours: saved.list has them", field: "id")

    /// Lists saved places, newest first.
    /// - Throws: ``Postgres/PostgresError``.
    public func saved(of identity: Identity) async throws -> SavedList.Result {
        let rows = try await database.query(
            "SELECT \(Self.savedColumns) FROM saved_places s WHERE s.account_id = $1 ORDER BY s.id DESC LIMIT $2",
            [.int(identity.account.id), .int(Self.savedMax)])
        return SavedList.Result(places: try rows.map(Self.savedPlace))
    }

    /// Saves a place or renames a saved one. A further request with the same `clientId` gives that place its name and position: a client
    /// that did not get the reply may send a newer name.
    /// - Throws: ``Wire/RPCError``: `invalidParams`, `notFound`, `conflict` with too many; ``Postgres/PostgresError``.
    public func save(_ params: SavedSave.Params, of identity: Identity) async throws -> SavedPlace {
        let name = try Inputs.name(params.name, "name", charactersMax: Self.nameCharactersMax)
        guard params.id == nil else {
            let rows = try await database.query(
                "UPDATE saved_places s SET name = $3 WHERE s.id = $1 AND s.account_id = $2 RETURNING \(Self.savedColumns)",
                [.optional(params.id), .int(identity.account.id), .text(name)])
            guard let row = rows.first else { throw Self.notSaved }
            return try Self.savedPlace(row)
        }
        guard let client = params.clientId else {
            throw RPCError.invalid("clientId", "must be a UUID, such as one of crypto.randomUUID()")
        }
        let clientID = try Inputs.clientID(client, "clientId")
        let position = try Self.position(params)
        return try await database.transaction { [now] transaction in
            // Serialises the account's changes, so that the limit holds.
            _ = try await transaction.query(
                "SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE", [.int(identity.account.id)])
            let rows = try await transaction.query(
                """
                WITH p AS (SELECT p.id, ST_Y(p.geometry) AS lat, ST_X(p.geometry) AS lon FROM places p
                    WHERE p.id = $4 AND NOT p.is_removed),
                new AS (INSERT INTO saved_places (account_id, client_id, name, place_id, lat, lon, saved_at)
                    SELECT $1, $2, $3, p.id, coalesce(p.lat, $5), coalesce(p.lon, $6), $7
                    FROM (SELECT) one LEFT JOIN p ON true WHERE $4::bigint IS NULL OR p.id IS NOT NULL
                    ON CONFLICT (account_id, client_id) DO UPDATE SET name = excluded.name, place_id = excluded.place_id,
                        lat = excluded.lat, lon = excluded.lon
                    RETURNING *, xmax = 0 AS is_new)
                SELECT \(Self.savedColumns), s.is_new, (SELECT count(*) FROM saved_places WHERE account_id = $1) AS n FROM new s
                """,
                [
                    .int(identity.account.id), .uuid(clientID), .text(name), .optional(params.place),
                    .optional(position?.latitude), .optional(position?.longitude), .timestamp(now().milliseconds),
                ])
            guard let row = rows.first else {
                throw RPCError(.notFound, "there is no such place: places.list has them", field: "place")
            }
            // The count excludes the new row, which the same statement inserts.
            guard try !row.bool("is_new") || row.int("n") < Self.savedMax else {
                throw RPCError(.conflict, "you have saved \(Self.savedMax) places: remove one first")
            }
            return try Self.savedPlace(row)
        }
    }

    /// Validated position of a saved place that is not a place of the campus.
    private static func position(_ params: SavedSave.Params) throws -> LatLon? {
        guard params.place == nil else { return nil }
        guard let lat = params.lat, let lon = params.lon else {
            throw RPCError.invalid("lat", "give lat and lon, or the place's number")
        }
        guard (-90...90).contains(lat) else { throw RPCError.invalid("lat", "must be -90 to 90") }
        guard (-180...180).contains(lon) else { throw RPCError.invalid("lon", "must be -180 to 180") }
        return LatLon(lat, lon)
    }

    /// Removes one saved place, or all.
    /// - Throws: `notFound`, ``Postgres/PostgresError``.
    public func removeSaved(_ params: SavedRemove.Params, of identity: Identity) async throws -> Erased {
        let rows = try await database.query(
            "DELETE FROM saved_places WHERE account_id = $1 AND ($2::bigint IS NULL OR id = $2)",
            [.int(identity.account.id), .optional(params.id)])
        guard params.id == nil || rows.affected > 0 else { throw Self.notSaved }
        return Erased(erased: rows.affected)
    }

    private static func savedPlace(_ row: PostgresRow) throws -> SavedPlace {
        SavedPlace(
            id: try row.int("id"), name: try row.text("name"), lat: try row.double("lat"), lon: try row.double("lon"),
            place: try row.optionalInt("place_id"), savedAt: Timestamp(milliseconds: try row.timestamp("saved_at")))
    }

    // MARK: Searches

    /// Records a search if the account's settings permit it.
    /// - Throws: ``Wire/RPCError`` `invalidParams`, ``Postgres/PostgresError``.
    public func note(_ params: SearchesNote.Params, of identity: Identity) async throws -> SearchesNote.Result {
        let text = try Inputs.name(params.text, "text", charactersMax: Self.nameCharactersMax)
        let rows = try await database.query(
            """
            WITH new AS (
                INSERT INTO searches (account_id, text, text_key, place_id, at)
                SELECT p.account_id, $2, $3, (SELECT id FROM places WHERE id = $4), $5
                FROM privacy_settings p WHERE p.account_id = $1 AND p.searches FOR SHARE OF p
                ON CONFLICT (account_id, text_key) DO UPDATE
                    SET text = excluded.text, place_id = coalesce(excluded.place_id, searches.place_id), at = excluded.at
                RETURNING id),
            gone AS (
                DELETE FROM searches WHERE id IN (SELECT s.id FROM searches s
                    WHERE s.account_id = $1 AND s.text_key <> $3 ORDER BY s.at DESC, s.id DESC OFFSET $6))
            SELECT id FROM new
            """,
            [
                .int(identity.account.id), .text(text), .text(Inputs.key(text)), .optional(params.place),
                .timestamp(now().milliseconds), .int(Self.searchesMax - 1),
            ])
        return SearchesNote.Result(kept: rows.first != nil)
    }

    /// Lists searches, newest first.
    /// - Throws: ``Postgres/PostgresError``.
    public func searches(of identity: Identity) async throws -> SearchesList.Result {
        let rows = try await database.query(
            """
            SELECT s.id, s.text, s.at, p.id AS place_id, p.name FROM searches s
            LEFT JOIN places p ON p.id = s.place_id AND NOT p.is_removed
            WHERE s.account_id = $1 AND s.at > $3 ORDER BY s.at DESC, s.id DESC LIMIT $2
            """, [.int(identity.account.id), .int(Self.searchesMax), .timestamp(oldest.milliseconds)])
        return SearchesList.Result(
            searches: try rows.map { row in
                PastSearch(
                    id: try row.int("id"), text: try row.text("text"), place: try row.optionalInt("place_id"),
                    placeName: try row.optionalText("name"), at: Timestamp(milliseconds: try row.timestamp("at")))
            })
    }

    /// Removes one search, or all.
    /// - Throws: `notFound`, ``Postgres/PostgresError``.
    public func eraseSearches(_ params: SearchesErase.Params, of identity: Identity) async throws -> Erased {
        let rows = try await database.query(
            """
            DELETE FROM searches WHERE account_id = $1 AND CASE WHEN $2::bigint IS NULL THEN $3::timestamptz IS NULL OR at <= $3
                ELSE id = $2 END
            """, [.int(identity.account.id), .optional(params.id), .optional(timestamp: params.at?.milliseconds)])
        guard params.id == nil || rows.affected > 0 else {
            throw RPCError(.notFound, "there is no such search of yours: searches.list has them", field: "id")
        }
        return Erased(erased: rows.affected)
    }

    /// Deletes data that the account's new settings no longer permit.
    /// - Parameters:
    ///   - settings: The new settings.
    ///   - transaction: Transaction that stores the settings.
    /// - Throws: ``Postgres/PostgresError``.
    public func forget(
        _ account: Int64, but settings: PrivacySettings, _ transaction: PostgresTransaction
    ) async throws {
        if !settings.searches {
            _ = try await transaction.query("DELETE FROM searches WHERE account_id = $1", [.int(account)])
        }
        guard !settings.visits else { return }
        stays.forget(account)
        _ = try await transaction.query("DELETE FROM visits WHERE account_id = $1", [.int(account)])
    }

    /// Forgets the account's current stay after a change of its suppression zones or its removal.
    public func forgetStay(of account: Int64) { stays.forget(account) }

    // MARK: Upkeep

    private var oldest: Timestamp { now().advanced(bySeconds: -Double(Self.keptDays) * 86_400) }

    /// Removes expired searches and visits of all accounts.
    /// - Throws: ``Postgres/PostgresError``.
    public func prune() async throws {
        stays.forgetSilent(at: now().milliseconds)
        for (table, column) in [("searches", "at"), ("visits", "day")] {
            var removed = Self.prunedMax
            while removed == Self.prunedMax {
                let rows = try await database.query(
                    """
                    DELETE FROM \(table) WHERE ctid = ANY (ARRAY(
                        SELECT ctid FROM \(table) WHERE \(column) < $1::timestamptz LIMIT $2))
                    """, [.timestamp(oldest.milliseconds), .int(Self.prunedMax)])
                removed = Int64(rows.affected)
            }
        }
    }
}
