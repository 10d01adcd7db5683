import Campus
import Foundation
import Hub
import Postgres
import Routing
import Wire

/// Closures.
extension Routes {
    /// Highest number of listed objects that can be closed.
    static let closableListedMax = 50
    /// Highest number of listed closures that have ended.
    static let endedListedMax: Int64 = 20
    /// Earliest start of a new closure, in seconds before now.
    static let startedSecondsMax = 86_400.0
    /// Latest planned time of a closure, in days from now.
    static let closureDaysMax = 731.0
    /// Highest number of rows that one statement removes.
    static let prunedMax: Int64 = 1_000

    private static let columns = """
        c.id, c.object, c.kind, c.name, c.latitude, c.longitude, c.level, c.reason, c.starts_at, c.ends_at, c.ended_at,
            a.username FROM closures c LEFT JOIN accounts a ON a.id = c.account_id
        """

    private static func closure(_ row: PostgresRow) throws -> Closure {
        Closure(
            id: try row.uuid("id"), object: try row.text("object"),
            kind: ClosableKind(rawValue: try row.text("kind")) ?? .path, name: try row.text("name"),
            lat: try row.double("latitude"), lon: try row.double("longitude"), level: try row.optionalText("level"),
            reason: try row.optionalText("reason"), from: Timestamp(milliseconds: try row.timestamp("starts_at")),
            until: try row.optionalTimestamp("ends_at").map { Timestamp(milliseconds: $0) },
            by: try row.optionalText("username"))
    }

    /// Reads the closures. While the database is unreachable, the known ones remain.
    func readClosures() async {
        do {
            let rows = try await database.query(
                """
                SELECT \(Self.columns) WHERE c.ended_at IS NULL AND (c.ends_at IS NULL OR c.ends_at > $1)
                ORDER BY c.starts_at DESC, c.id LIMIT $2
                """, [.timestamp(now().milliseconds), .int(Int64(Self.closuresMax))])
            closures = try rows.map(Self.closure)
        } catch {
            if !database.isClosing {
                logger.warning("closures could not be read", metadata: ["error": "\(error)"])
            }
        }
    }

    /// The closures of the moment, without the names of admins.
    public func present() -> ClosureList {
        let time = now()
        return ClosureList(
            closures: closures.filter { Self.isActive($0, at: time) }.map { closure in
                var closure = closure
                closure.by = nil
                return closure
            })
    }

    /// All closures that have not ended, and the last that have. The end of one that an admin ended is then.
    /// - Throws: ``Postgres/PostgresError``.
    public func listed() async throws -> ClosureList {
        let time = now()
        let rows = try await database.query(
            """
            SELECT \(Self.columns) WHERE coalesce(c.ended_at, c.ends_at) <= $1
            ORDER BY coalesce(c.ended_at, c.ends_at) DESC, c.id LIMIT $2
            """, [.timestamp(time.milliseconds), .int(Self.endedListedMax)])
        let ended = try rows.map { row in
            var closure = try Self.closure(row)
            let end = try row.optionalTimestamp("ended_at").map { Timestamp(milliseconds: $0) }
            closure.until = [end, closure.until].compactMap(\.self).min()
            return closure
        }
        let isEnded = Set(ended.map(\.id))
        return ClosureList(
            closures: closures.filter { !isEnded.contains($0.id) && ($0.until.map { time < $0 } ?? true) } + ended)
    }

    /// Lists objects that can be closed.
    /// - Throws: ``Wire/RPCError``.
    public func closable(_ params: AdminClosable.Params) async throws -> AdminClosable.Result {
        let text = try Inputs.text(params.text, "text", charactersMax: TextLimit.searchText.max)
        // A campus without paths has nothing to close.
        if case .missing = availability { return AdminClosable.Result(objects: []) }
        if case .broken = availability { return AdminClosable.Result(objects: []) }
        let parts = try map().closable
        var near: GeoPoint?
        if params.lat != nil || params.lon != nil {
            guard let lat = params.lat, let lon = params.lon else {
                throw RPCError.invalid("lat", "comes with lon, or both are left out")
            }
            near = try Self.point(lat, lon, "lat")
        }
        let place = near
        let found = try await search {
            let words = text.split(separator: " ").map(String.init)
            let matching = parts.filter { part in words.allSatisfy { part.name.localizedStandardContains($0) } }
            guard let place else { return Array(matching.prefix(Self.closableListedMax)) }
            return Array(
                matching.map { (part: $0, metres: $0.point.distance(to: place)) }
                    .sorted { ($0.metres, $0.part.sourceID) < ($1.metres, $1.part.sourceID) }
                    .prefix(Self.closableListedMax).map(\.part))
        }
        return AdminClosable.Result(
            objects: found.map {
                ClosableObject(
                    object: $0.sourceID, kind: Self.kind($0), name: $0.name, lat: $0.point.latitude,
                    lon: $0.point.longitude, level: $0.level?.description)
            })
    }

    private static func kind(_ part: ClosablePart) -> ClosableKind {
        switch part.kind {
        case .lift: .lift
        case .door: .door
        case .path: .path
        case .stairs: .stairs
        case .escalator: .escalator
        }
    }

    /// Closes an object, or changes a closure. The new routes are on their way when it returns.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func save(_ params: AdminSaveClosure.Params, by identity: Identity) async throws -> Closure {
        let id = try Inputs.clientID(params.id)
        let reason = try Inputs.text(params.reason, "reason", charactersMax: TextLimit.closureReason.max)
        guard params.object.utf8.count <= 80, let part = try map().closable(params.object) else {
            throw RPCError(
                .notFound, "the map has no such lift, door or path: admin.closable lists them", field: "object")
        }
        let time = now()
        let from = params.from ?? time
        let latest = time.advanced(bySeconds: Self.closureDaysMax * 86_400)
        guard from <= latest else { throw RPCError.invalid("from", "is at most two years from now") }
        if let until = params.until {
            guard until > from else { throw RPCError.invalid("until", "must be after the start") }
            guard until > time else { throw RPCError.invalid("until", "is past: choose a later end") }
            guard until <= latest else { throw RPCError.invalid("until", "is at most two years from now") }
        }
        let draft = Draft(
            id: id, part: part, reason: reason.isEmpty ? nil : reason, from: params.from, start: from,
            until: params.until, time: time)
        let closure = try await database.transaction { transaction in
            try await identity.requireAdmin(in: transaction)
            // One change after the other, so that the highest number holds.
            _ = try await transaction.query("SELECT FROM campus WHERE id = 1 FOR NO KEY UPDATE")
            try await Self.write(draft, by: identity, in: transaction)
            guard let row = try await transaction.query("SELECT \(Self.columns) WHERE c.id = $1", [.uuid(id)]).first
            else { throw Self.noClosure }
            return try Self.closure(row)
        }
        await reloadClosures()
        await hub.announceCampusChange()
        return closure
    }

    /// A checked closure.
    private struct Draft: Sendable {
        let id: String
        let part: ClosablePart
        let reason: String?
        /// The start that the admin gave.
        let from: Timestamp?
        let start: Timestamp
        let until: Timestamp?
        /// The time of the request.
        let time: Timestamp
    }

    private static func write(
        _ draft: Draft, by identity: Identity, in transaction: PostgresTransaction
    ) async throws {
        let known = try await transaction.query("SELECT \(columns) WHERE c.id = $1", [.uuid(draft.id)]).first
        let end: PostgresValue = .optional(timestamp: draft.until?.milliseconds)
        if let known {
            guard try known.text("object") == draft.part.sourceID else {
                throw RPCError(.conflict, "this id is that of another closure: choose a new one", field: "id")
            }
            guard try known.optionalTimestamp("ended_at") == nil else {
                throw RPCError(.conflict, "this closure has ended: close it again with a new id", field: "id")
            }
            let before = try closure(known)
            let start = draft.from ?? before.from
            guard draft.until.map({ $0 > start }) ?? true else {
                throw RPCError.invalid("until", "must be after the start")
            }
            guard before.reason != draft.reason || before.until != draft.until || before.from != start else { return }
            _ = try await transaction.query(
                "UPDATE closures SET reason = $2, starts_at = $3, ends_at = $4 WHERE id = $1",
                [.uuid(draft.id), .optional(draft.reason), .timestamp(start.milliseconds), end])
        } else {
            guard draft.start >= draft.time.advanced(bySeconds: -Self.startedSecondsMax) else {
                throw RPCError.invalid("from", "is at most a day ago")
            }
            let count = try await transaction.query(
                """
                SELECT count(*) AS count FROM closures WHERE ended_at IS NULL AND (ends_at IS NULL OR ends_at > $1)
                """, [.timestamp(draft.time.milliseconds)])
            guard try count.first?.int("count") ?? 0 < Int64(closuresMax) else {
                throw RPCError(.conflict, "\(closuresMax) closures are open: end some first")
            }
            _ = try await transaction.query(
                """
                INSERT INTO closures (id, object, kind, name, latitude, longitude, level, reason, starts_at, ends_at, account_id)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
                """,
                [
                    .uuid(draft.id), .text(draft.part.sourceID), .text(kind(draft.part).rawValue),
                    .text(draft.part.name), .double(draft.part.point.latitude), .double(draft.part.point.longitude),
                    .optional(draft.part.level?.description), .optional(draft.reason),
                    .timestamp(draft.start.milliseconds), end, .int(identity.account.id),
                ])
        }
        let details: [(name: String, value: String)] = [
            ("object", draft.part.sourceID), ("reason", draft.reason ?? ""), ("from", draft.start.description),
            ("until", draft.until?.description ?? ""),
        ]
        try await AuditLog.record(
            .init(
                known == nil ? "closure.add" : "closure.edit", subject: .init(kind: "closure", name: draft.part.name),
                details: details.filter { !$0.value.isEmpty }), by: identity, in: transaction)
    }

    private static let noClosure = RPCError(
        .notFound, "there is no such closure: admin.closures lists them", field: "closure")

    /// Ends a closure. Succeeds without effect if it has ended.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func end(_ params: AdminEndClosure.Params, by identity: Identity) async throws -> Empty {
        let id = try Inputs.clientID(params.closure, "closure")
        let time = PostgresValue.timestamp(now().milliseconds)
        try await database.transaction { transaction in
            try await identity.requireAdmin(in: transaction)
            let rows = try await transaction.query(
                """
                UPDATE closures SET ended_at = $2 WHERE id = $1 AND ended_at IS NULL AND (ends_at IS NULL OR ends_at > $2)
                RETURNING name, object
                """,
                [.uuid(id), time])
            guard let row = rows.first else {
                let known = try await transaction.query("SELECT FROM closures WHERE id = $1", [.uuid(id)])
                guard known.first != nil else { throw Self.noClosure }
                return
            }
            try await AuditLog.record(
                .init(
                    "closure.end", subject: .init(kind: "closure", name: try row.text("name")),
                    details: [("object", try row.text("object"))]), by: identity, in: transaction)
        }
        await reloadClosures()
        await hub.announceCampusChange()
        return Empty()
    }

    /// Removes closures that ended long ago.
    /// - Throws: ``Postgres/PostgresError``.
    public func prune() async throws {
        let before = now().advanced(bySeconds: -Self.closureKeptDays * 86_400)
        while !Task.isCancelled {
            let gone = try await database.query(
                """
                DELETE FROM closures WHERE id = ANY (ARRAY(
                    SELECT id FROM closures WHERE coalesce(ended_at, ends_at) < $1 ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED))
                """, [.timestamp(before.milliseconds), .int(Self.prunedMax)])
            guard gone.affected >= Int(Self.prunedMax) else { return }
        }
    }
}
