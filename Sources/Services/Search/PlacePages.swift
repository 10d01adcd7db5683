import Campus
import EventLoop
import Hub
import Postgres
import Routing
import Wire

/// Pages of destinations, and what is near (N-1.2). An actor on its loop.
public actor PlacePages {
    static let nearbyMax = 50
    static let nearbyDefault = 20
    /// Maximum number of places whose walking times are computed: those nearest in a straight line.
    static let candidatesMax = 200
    static let eventsMax: Int64 = 5
    /// Distance in metres within which an event is at a place.
    static let eventMetres = 30.0
    static let levelBytesMax = 16
    /// Speed of walking in metres per second, for estimates.
    static let walkingSpeed = 1.34

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let database: PostgresPool
    let search: Search
    private let hub: Hub
    private let walking: any WalkingTimes
    let changed: @Sendable () async -> Void

    /// - Parameters:
    ///   - hub: Has the published heatmap.
    ///   - walking: Computes walking times.
    ///   - changed: Reloads the campus on this and the other nodes after a change.
    public init(
        loop: EventLoop, database: PostgresPool, search: Search, hub: Hub,
        walking: any WalkingTimes, changed: @escaping @Sendable () async -> Void = {}
    ) {
        self.loop = loop
        self.database = database
        self.search = search
        self.hub = hub
        self.walking = walking
        self.changed = changed
    }

    // MARK: Pages

    private static let unknown = RPCError(
        .notFound, "there is no such destination: search.find has them", field: "destination")

    /// Returns the page of a destination as the caller may see it.
    /// - Parameter identity: The caller; nil for a guest.
    /// - Throws: ``Wire/RPCError``: `invalidParams`, `notFound`, `unavailable`; ``Postgres/PostgresError``.
    public func page(_ params: PlacesPage.Params, for identity: Identity?) async throws -> DestinationPage {
        guard let id = DestinationID(params.destination) else {
            throw RPCError.invalid("destination", "must be an id of a destination, such as room/34")
        }
        return try await page(id, for: identity)
    }

    /// Texts of a page in the database.
    private struct Texts {
        var details, menu, openingHours, website, phone, manager: String?
        var managerID: Int64?
        var pictures: [String] = []
        var entrances: [Entrance] = []
        var floors: [String] = []
    }

    func page(_ id: DestinationID, for identity: Identity?) async throws -> DestinationPage {
        let directory = try await search.latest()
        guard let one = directory[id] else { throw Self.unknown }
        let texts = try await texts(of: one)
        // The cells are larger than a room.
        let people =
            one.id.kind == .room
            ? nil : await hub.heatmap.publishedByPlace().people[HeatmapPlace(containing: one.point)]
        let hours = search.openingHours
        let isAdmin = identity?.isAdmin == true
        let zones = search.campus.snapshot.info.zones
        let openings = texts.openingHours.flatMap(hours.openings)
        return DestinationPage(
            destination: one.destination(isOpen: hours.isOpen(texts.openingHours)),
            zone: zones.first { $0.id == one.zone }?.name, details: texts.details, menu: texts.menu,
            pictures: texts.pictures, openingHours: texts.openingHours, openings: openings,
            timeZone: openings.flatMap { _ in hours.timeZone }, entrances: texts.entrances, floors: texts.floors,
            website: texts.website, phone: texts.phone,
            people: people.flatMap { $0 > 0 ? $0 : nil }, events: try await events(at: one, for: identity),
            canEdit: id.kind == .place
                && (isAdmin || (identity != nil && texts.managerID == identity?.account.id)),
            manager: isAdmin ? texts.manager : nil)
    }

    private func texts(of one: Listed) async throws -> Texts {
        var texts = Texts()
        let columns = "t.opening_hours, t.website, t.phone"
        let sql: String? =
            switch one.id.kind {
            case .building: "SELECT \(columns) FROM buildings t WHERE t.id = $1"
            case .room: "SELECT \(columns) FROM rooms t WHERE t.id = $1"
            case .place:
                """
                SELECT \(columns), t.details, t.menu, t.manager_id, a.username,
                    ARRAY(SELECT p.id::text FROM pictures p WHERE p.place_id = t.id ORDER BY p.place_rank) AS pictures
                FROM places t
                LEFT JOIN accounts a ON a.id = t.manager_id WHERE t.id = $1 AND NOT t.is_removed
                """
            case .zone: nil
            }
        if let sql {
            guard let row = try await database.query(sql, [.int(one.id.number)]).first else { throw Self.unknown }
            texts.openingHours = try row.optionalText("opening_hours")
            texts.website = try row.optionalText("website")
            texts.phone = try row.optionalText("phone")
            if one.id.kind == .place {
                texts.details = try row.optionalText("details")
                texts.menu = try row.optionalText("menu")
                texts.managerID = try row.optionalInt("manager_id")
                texts.manager = try row.optionalText("username")
                texts.pictures = try row.textArray("pictures")
            }
        }
        let building = one.id.kind == .building ? one.id.number : one.isBuilding ? one.buildingNumber : nil
        guard let building else { return texts }
        let row = try await database.query(
            """
            SELECT entrances::text AS entrances, ARRAY(SELECT DISTINCT r.level FROM rooms r
                WHERE r.building_source = b.source_id AND r.level IS NOT NULL) AS floors
            FROM buildings b WHERE b.id = $1
            """, [.int(building)]
        ).first
        if let row {
            texts.entrances =
                try row.optionalText("entrances")
                .map { try WireJSON.decode([Entrance].self, from: Array($0.utf8)) } ?? []
            texts.floors = try row.textArray("floors").sorted { (Double($0) ?? 0, $0) < (Double($1) ?? 0, $1) }
        }
        return texts
    }

    /// Coming events there that are not cancelled and that the caller can see: `event_visible` decides, as in `events.list`. Private events
    /// are left out for everybody.
    private func events(at one: Listed, for identity: Identity?) async throws -> [EventThere] {
        let area: String =
            switch one.id.kind {
            case .building: "ST_DWithin(e.position, (SELECT b.geometry FROM buildings b WHERE b.id = $2), 0.0001)"
            case .zone: "e.zone_id = $2"
            case .room, .place:
                "$2::bigint IS NOT NULL AND ST_DWithin(e.position::geography, ST_MakePoint($4, $5)::geography, \(Self.eventMetres))"
            }
        let rows = try await database.query(
            """
            SELECT e.id, e.title, e.starts_at FROM events e
            WHERE e.state = 'published' AND e.audience <> 'private' AND e.ends_at > now() AND e.position IS NOT NULL
                AND \(area) AND event_visible(e, $1::bigint) AND ($4::double precision IS NOT NULL)
                AND ($5::double precision IS NOT NULL)
            ORDER BY e.starts_at, e.id LIMIT $3
            """,
            [
                .optional(identity?.account.id), .int(one.id.number), .int(Self.eventsMax),
                .double(one.point.longitude), .double(one.point.latitude),
            ])
        return try rows.map { row in
            EventThere(
                id: try row.int("id"), title: try row.text("title"),
                starts: Timestamp(milliseconds: try row.timestamp("starts_at")))
        }
    }

    // MARK: Nearby

    /// Lists places by walking time.
    /// - Throws: ``Wire/RPCError``: `invalidParams`, `unavailable`.
    public func nearby(_ params: PlacesNearby.Params) async throws -> PlacesNearby.Result {
        let limit = try Inputs.limit(params.limit, max: Self.nearbyMax, default: Self.nearbyDefault)
        let level = try params.level.map { text in
            guard text.utf8.count <= Self.levelBytesMax, let level = Level(text) else {
                throw RPCError.invalid("level", "must be a level such as 0, -1 or 0.5")
            }
            return level
        }
        guard let point = try? GeoPoint(latitude: params.lat, longitude: params.lon) else {
            throw RPCError.invalid("lat", "must be a position: latitude -90 to 90, longitude -180 to 180")
        }
        let filter = Search.Filter(
            kindOfPlace: try Search.kindOfPlace(params.class), isOpenNow: params.openNow ?? false,
            isStepFree: params.stepFree ?? false)
        let hours = search.openingHours
        let candidates = try await search.current().nearby.filter { filter.admits($0, hours) }
            .map { (one: $0, metres: point.distance(to: $0.point)) }
            .sorted { ($0.metres, $0.one.id.number) < ($1.metres, $1.one.id.number) }.prefix(Self.candidatesMax)
        let times = try await walking.times(
            from: point, level: level,
            to: candidates.map {
                .init(
                    sourceID: $0.one.sourceID, position: LatLon($0.one.point.latitude, $0.one.point.longitude),
                    level: $0.one.level)
            }, isStepFree: filter.isStepFree)
        let reachable = zip(candidates, times ?? candidates.map { Self.straight($0.metres) })
            .compactMap { candidate, time in time.map { (candidate.one, $0) } }
            .sorted { ($0.1.seconds, $0.0.id.number) < ($1.1.seconds, $1.0.id.number) }
        return PlacesNearby.Result(
            places: reachable.prefix(limit).map { one, time in
                var near = one.destination(isOpen: hours.isOpen(one.openingHours), metres: time.metres.rounded())
                near.seconds = time.seconds.rounded()
                return near
            }, isEstimate: times == nil ? true : nil)
    }

    private static func straight(_ metres: Double) -> WalkingTime? {
        WalkingTime(seconds: metres / walkingSpeed, metres: metres)
    }
}
