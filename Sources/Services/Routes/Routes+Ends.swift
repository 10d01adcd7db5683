import Campus
import Foundation
import Postgres
import Routing
import Wire

/// Starts and destinations.
extension Routes {
    /// Longest destination id, in bytes.
    static let destinationBytesMax = 40
    /// Worst accuracy of a position from which a route is found, in metres.
    static let accuracyMetresMax = 500.0

    /// An end of a route on the map.
    struct Located: Sendable {
        var end: RouteEnd
        /// It is a position, or an object that the network does not have.
        var isPoint: Bool
    }

    /// Finds an end.
    /// - Parameter field: `from` or `to`.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    func locate(_ params: RouteEndParams, _ field: String, for identity: Identity?) async throws -> Located {
        let kinds = [
            params.destination != nil, params.lat != nil || params.lon != nil, params.event != nil,
            params.person != nil,
        ]
        guard kinds.filter(\.self).count == 1 else {
            throw RPCError.invalid(field, "has exactly one of destination, lat with lon, event and person")
        }
        if let name = params.destination { return try await destination(name, field) }
        if let event = params.event {
            let shown: Event
            do {
                shown = try await events.event(event, for: identity)
            } catch let error as RPCError {
                throw RPCError(error.registered ?? .notFound, error.message, field: field)
            }
            guard shown.state != .cancelled else {
                throw RPCError.invalid(field, "is an event that was cancelled: choose its place instead")
            }
            let place = shown.details.place
            guard let lat = place.lat, let lon = place.lon else {
                throw RPCError.invalid(field, "is an event without a position on the map: read its description")
            }
            return Located(end: .point(try Self.point(lat, lon, field)), isPoint: true)
        }
        if let person = params.person {
            guard let identity, let location = try await sharing.exactLocation(of: person, for: identity),
                let lat = location.lat, let lon = location.lon
            else {
                throw RPCError(
                    .notFound, "this person does not share an exact location with you at the moment: ask for it",
                    field: field)
            }
            return Located(end: .point(try Self.point(lat, lon, field)), isPoint: true)
        }
        guard let lat = params.lat, let lon = params.lon else {
            throw RPCError.invalid(field, "has lat and lon, or neither of them")
        }
        let point = try Self.point(lat, lon, field)
        return Located(end: .point(point, level: try Self.level(params.level, field)), isPoint: true)
    }

    static func point(_ lat: Double, _ lon: Double, _ field: String) throws -> GeoPoint {
        guard let point = try? GeoPoint(latitude: lat, longitude: lon) else {
            throw RPCError.invalid(field, "must be a position: latitude -90 to 90, longitude -180 to 180")
        }
        return point
    }

    static func level(_ text: String?, _ field: String) throws -> Level? {
        guard let text else { return nil }
        guard text.utf8.count <= destinationBytesMax, let level = Level(text) else {
            throw RPCError.invalid(field, "has a level such as 0, -1 or 0.5, or none")
        }
        return level
    }

    private static let queries = [
        "building": """
        SELECT source_id, ST_Y(ST_PointOnSurface(geometry)) AS lat, ST_X(ST_PointOnSurface(geometry)) AS lon,
            NULL AS level, false AS is_moved FROM buildings WHERE id = $1
        """,
        "room": """
        SELECT source_id, lat, lon, level, false AS is_moved FROM rooms WHERE id = $1
        """,
        // An admin may have moved the place, while the network has it where the import had it.
        "place": """
        SELECT source_id, ST_Y(geometry) AS lat, ST_X(geometry) AS lon, level, is_moved FROM places
        WHERE id = $1 AND NOT is_removed
        """,
        "zone": """
        SELECT ref AS source_id, ST_Y(ST_PointOnSurface(geometry)) AS lat, ST_X(ST_PointOnSurface(geometry)) AS lon,
            NULL AS level, true AS is_moved FROM zones WHERE id = $1 AND NOT is_removed
        """,
    ]

    private func destination(_ name: String, _ field: String) async throws -> Located {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard name.utf8.count <= Self.destinationBytesMax, parts.count == 2, let sql = Self.queries[String(parts[0])],
            let id = Int64(parts[1]), ObjectIDRange.allowed.contains(id)
        else {
            throw RPCError.invalid(
                field, "must be a destination such as building/12, room/34, place/56 or zone/7: search for it again")
        }
        guard let row = try await database.query(sql, [.int(id)]).first else {
            throw RPCError(.notFound, "the map has no such destination: search for it again", field: field)
        }
        let source = try row.text("source_id")
        if try !row.bool("is_moved"), try map().graph.destinations[source] != nil {
            return Located(end: .object(source), isPoint: false)
        }
        let point = try Self.point(try row.double("lat"), try row.double("lon"), field)
        return Located(end: .point(point, level: try row.optionalText("level").flatMap { Level($0) }), isPoint: true)
    }

    /// The client's error for a missing route.
    static func error(_ error: RouteError, from: String = "from", to: String = "to") -> RPCError {
        func field(_ side: RouteError.Side) -> String { side == .start ? from : to }
        switch error {
        case .outside(let side), .unknownLevel(let side, _, _):
            return RPCError(.invalidParams, error.description, field: field(side))
        case .startIsDestination: return RPCError(.invalidParams, error.description, field: to)
        case .unknownObject(let side): return RPCError(.notFound, error.description, field: field(side))
        case .island(let side): return RPCError(.noRoute, error.description, field: field(side))
        case .noRoute(.unmapped(let side)): return RPCError(.noRoute, error.description, field: field(side))
        case .noRoute: return RPCError(.noRoute, error.description)
        }
    }

    /// The profile of preferences. Speeds have steps, so that walkers share weights.
    static func profile(_ preferences: RoutePreferences?) throws -> RouteProfile {
        var speed = RouteProfile.speedDefault
        if let wanted = preferences?.speed {
            guard (0.3...3).contains(wanted) else {
                throw RPCError.invalid("preferences.speed", "must be 0.3 to 3 metres per second")
            }
            let isUsual = abs(wanted - Double(speed) / 1_000) < 0.05
            speed = isUsual ? speed : Int32((wanted * 10).rounded()) * 100
        }
        return RouteProfile(
            isStepFree: preferences?.stepFree ?? false, avoidsStairs: preferences?.noStairs ?? false,
            avoidsCrowds: preferences?.avoidCrowds ?? false, speed: speed)
    }
}
