import Campus
import Foundation
import Postgres
import Wire

/// Changes of the pages of places.
extension PlacePages {
    /// Largest number of pictures of a place.
    static let picturesMax = 6

    private static let noPlace = RPCError(.notFound, "there is no such place: search.find has them", field: "place")
    private static let notManager = RPCError(
        .forbidden, "only the account that manages a place, and admins, change its page", field: "place")

    /// The columns that `places.edit` sets: those that the request has.
    private static func changes(_ params: PlacesEdit.Params) throws -> [(column: String, value: String?)] {
        func text(_ text: String?, _ field: String, _ limit: TextLimit, isLayout: Bool = false) throws -> String? {
            try text.map {
                let text = try Inputs.text(
                    $0, field, charactersMax: limit.max, isAllowed: isLayout ? Inputs.isLayout : { _ in false })
                return text
            }
        }
        var changes: [(String, String?)] = []
        func add(_ column: String, _ text: String?) {
            if let text { changes.append((column, text.isEmpty ? nil : text)) }
        }
        add("details", try text(params.details, "details", .placeDetails, isLayout: true))
        add("menu", try text(params.menu, "menu", .placeMenu, isLayout: true))
        add("opening_hours", try text(params.openingHours, "openingHours", .openingHours))
        let website = try text(params.website, "website", .website)
        if let website, !website.isEmpty, !CampusDocument.Listing.isWebAddress(website) {
            throw RPCError.invalid("website", "must be an address that begins with https:// or http://")
        }
        add("website", website)
        add("phone", try text(params.phone, "phone", .phone))
        add("wheelchair", params.wheelchair?.rawValue)
        return changes
    }

    /// The ids of the pictures that a page is to have.
    private static func pictures(_ ids: [String]?) throws -> [String]? {
        guard let ids else { return nil }
        guard ids.count <= picturesMax else {
            throw RPCError.invalid("pictures", "must be at most \(picturesMax) pictures")
        }
        let pictures = ids.compactMap { UUID(uuidString: $0)?.uuidString.lowercased() }
        guard pictures.count == ids.count, Set(pictures).count == ids.count else {
            throw RPCError.invalid("pictures", "must be different ids of pictures, as POST /pictures returns them")
        }
        return pictures
    }

    private static let noPicture = RPCError(
        .notFound, "a picture is neither on this page nor uploaded by you for a place: upload it again",
        field: "pictures")

    /// Gives a page these pictures in their order, and removes its others.
    private static func set(
        _ pictures: [String], of place: Int64, by account: Int64, in transaction: PostgresTransaction
    ) async throws {
        let found = try await transaction.query(
            """
            SELECT id FROM pictures WHERE id = ANY ($2::text[]::uuid[]) AND purpose = 'place'
                AND (place_id = $1 OR (place_id IS NULL AND owner_id = $3)) FOR UPDATE
            """, [.int(place), .textArray(pictures), .int(account)])
        guard found.count == pictures.count else { throw noPicture }
        _ = try await transaction.query(
            "DELETE FROM pictures WHERE place_id = $1 AND id <> ALL ($2::text[]::uuid[])",
            [.int(place), .textArray(pictures)])
        _ = try await transaction.query(
            """
            UPDATE pictures p SET place_id = $1, place_rank = n.rank
            FROM unnest($2::text[]::uuid[]) WITH ORDINALITY AS n (id, rank) WHERE p.id = n.id
            """, [.int(place), .textArray(pictures)])
    }

    /// Changes the page of a place that the caller manages; admins change all.
    /// - Throws: ``Wire/RPCError``: `invalidParams`, `notFound`, `forbidden`; ``Postgres/PostgresError``.
    public func edit(_ params: PlacesEdit.Params, by identity: Identity) async throws -> DestinationPage {
        let changes = try Self.changes(params)
        let pictures = try Self.pictures(params.pictures)
        guard !changes.isEmpty || pictures != nil else {
            throw RPCError.invalid("place", "nothing is to be changed: give at least one other member")
        }
        try await database.transaction { transaction in
            let rows = try await transaction.query(
                """
                SELECT coalesce(p.name, p.kind) AS name, p.manager_id FROM places p WHERE p.id = $1 AND NOT p.is_removed
                FOR UPDATE
                """, [.int(params.place)])
            guard let row = rows.first else { throw Self.noPlace }
            let isManager = try row.optionalInt("manager_id") == identity.account.id
            if !isManager {
                guard identity.isAdmin else { throw Self.notManager }
                try await identity.requireAdmin(in: transaction)
            }
            let sets = changes.enumerated().map { ", \($1.column) = $\($0 + 2)" }.joined()
            _ = try await transaction.query(
                "UPDATE places SET is_own = true\(sets) WHERE id = $1",
                [.int(params.place)] + changes.map { .optional($0.value) })
            if let pictures {
                try await Self.set(pictures, of: params.place, by: identity.account.id, in: transaction)
            }
            let changed = changes.map(\.column) + (pictures == nil ? [] : ["pictures"])
            _ = try await transaction.query("UPDATE campus SET version = version + 1 WHERE id = 1")
            try await AuditLog.record(
                .init(
                    "place.editPage", subject: .init(kind: "place", id: params.place, name: try row.text("name")),
                    details: [("changed", changed.joined(separator: ", "))]), by: identity,
                in: transaction)
        }
        await changed()
        _ = try await search.latest()
        await search.evaluateOpeningHours()
        return try await page(DestinationID(.place, params.place), for: identity)
    }

    /// Lets an account edit a place.
    /// - Throws: ``Wire/RPCError`` `notFound`, `forbidden`; ``Postgres/PostgresError``.
    public func delegate(_ params: AdminDelegatePlace.Params, by identity: Identity) async throws -> PlaceParams {
        try await database.transaction { transaction in
            try await identity.requireAdmin(in: transaction)
            var name = ""
            if let account = params.account {
                let rows = try await transaction.query(
                    "SELECT username FROM accounts WHERE id = $1 AND disabled_at IS NULL FOR KEY SHARE", [.int(account)]
                )
                guard let row = rows.first else {
                    throw RPCError(.notFound, "there is no such account: admin.users has them", field: "account")
                }
                name = try row.text("username")
            }
            let rows = try await transaction.query(
                """
                UPDATE places SET manager_id = $2 WHERE id = $1 AND NOT is_removed RETURNING coalesce(name, kind) AS name
                """, [.int(params.place), .optional(params.account)])
            guard let row = rows.first else { throw Self.noPlace }
            try await AuditLog.record(
                .init(
                    "place.delegate", subject: .init(kind: "place", id: params.place, name: try row.text("name")),
                    details: [("manager", name.isEmpty ? "nobody" : name)]), by: identity, in: transaction)
        }
        return PlaceParams(place: params.place)
    }
}
