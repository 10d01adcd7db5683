import Postgres
import Wire

/// Visited buildings and places of the campus: one row per place and day, without a time of day.
extension PersonalPlaces {
    /// Records an account's current place, which must not be hidden. Storing is best effort: failures are ignored.
    /// - Parameter place: Building or place; nil for neither.
    public func isAt(_ place: LocationPlace?, _ account: Int64) {
        let milliseconds = now().milliseconds
        guard let place = stays.note(account, at: place, at: milliseconds) else { return }
        Task { [database] in
            _ = try? await database.query(
                """
                INSERT INTO visits (account_id, kind, subject_id, day)
                SELECT p.account_id, $2, $3, ($4::timestamptz AT TIME ZONE 'UTC')::date FROM privacy_settings p
                WHERE p.account_id = $1 AND p.visits FOR SHARE OF p ON CONFLICT DO NOTHING
                """, [.int(account), .text(place.kind.rawValue), .int(place.id), .timestamp(milliseconds)])
        }
    }

    /// Returns the account's most visited places, as far as its settings permit recording them.
    /// - Throws: ``Postgres/PostgresError``.
    public func mostVisited(of identity: Identity) async throws -> VisitsMost.Result {
        let rows = try await database.query(
            """
            SELECT v.kind, v.subject_id, v.n, v.day::text AS day, coalesce(b.name, p.name) AS name,
                ST_Y(coalesce(ST_PointOnSurface(b.geometry), p.geometry)) AS lat,
                ST_X(coalesce(ST_PointOnSurface(b.geometry), p.geometry)) AS lon
            FROM (SELECT kind, subject_id, count(*) AS n, max(day) AS day FROM visits
                WHERE account_id = $1 AND day > ($2::timestamptz AT TIME ZONE 'UTC')::date - $3::int GROUP BY kind, subject_id) v
            LEFT JOIN buildings b ON v.kind = 'building' AND b.id = v.subject_id
            LEFT JOIN places p ON v.kind = 'place' AND p.id = v.subject_id AND NOT p.is_removed
            WHERE b.id IS NOT NULL OR p.id IS NOT NULL
            ORDER BY v.n DESC, v.day DESC, v.subject_id LIMIT $4
            """,
            [
                .int(identity.account.id), .timestamp(now().milliseconds), .int(Int64(Self.keptDays)),
                .int(Self.visitedListedMax),
            ])
        return VisitsMost.Result(
            places: try rows.map { row in
                VisitedPlace(
                    place: LocationPlace(
                        kind: try row.text("kind") == "building" ? .building : .place, id: try row.int("subject_id"),
                        name: try row.optionalText("name")),
                    lat: try row.double("lat"), lon: try row.double("lon"), visits: Int(try row.int("n")),
                    lastDay: try row.text("day"))
            })
    }

    /// Erases the account's visits, and forgets its current stay.
    /// - Throws: ``Postgres/PostgresError``.
    public func eraseVisits(_ params: VisitsErase.Params, of identity: Identity) async throws -> Erased {
        stays.forget(identity.account.id)
        let rows = try await database.query(
            """
            DELETE FROM visits
            WHERE account_id = $1 AND ($2::timestamptz IS NULL OR day <= ($2::timestamptz AT TIME ZONE 'UTC')::date)
            """, [.int(identity.account.id), .optional(timestamp: params.at?.milliseconds)])
        return Erased(erased: rows.affected)
    }
}
