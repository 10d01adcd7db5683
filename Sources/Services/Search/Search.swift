import Campus
import EventLoop
import Foundation
import Logging
import NameSearch
import Postgres
import Wire

/// Search for buildings, rooms, places and zones (N-1.2), in memory. An actor on its loop; searches run on workers, on an immutable
/// directory that is built in the background when the campus has changed.
public actor Search {
    static let limitMax = 50
    static let limitDefault = 10
    /// Maximum number of searches that run at once, and that wait.
    static let concurrentMax = 2
    static let waitingMax = 400
    static let classBytesMax = 60
    /// Bonus of a destination next to the person, and the distance at which it is half of that.
    static let nearWeight: Float = 0.06
    static let nearMetres = 250.0
    /// Bonus of a place that the caller has saved.
    static let savedWeight: Float = 0.04
    /// Bonus of access that is known to be step-free, wholly or partly, for somebody who asks for that.
    static let stepFreeWeight: Float = 0.03
    /// Maximum number of saved places that count.
    static let savedMax: Int64 = 200

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let database: PostgresPool
    let campus: CampusMap
    let openingHours: OpeningHours
    private let workers: WorkerPool
    private let logger: Logger
    private var directory: Directory?
    private var building: Task<Void, Never>?

    /// - Parameter campus: The campus in memory; a new version of it is indexed by ``refresh()``.
    public init(
        loop: EventLoop, database: PostgresPool, campus: CampusMap, openingHours: OpeningHours = OpeningHours(),
        logger: Logger = Logger(label: "campanile.search")
    ) {
        self.loop = loop
        self.database = database
        self.campus = campus
        self.openingHours = openingHours
        self.logger = logger
        workers = WorkerPool(
            label: "search", concurrentMax: Self.concurrentMax, waitingMax: Self.waitingMax)
    }

    // MARK: Directory

    /// Builds the directory anew if the campus has changed. Until it is built, searches use the former one.
    public func refresh() async {
        if let building { return await building.value }
        let task = Task { await build() }
        building = task
        await task.value
        building = nil
    }

    private func build() async {
        let snapshot = campus.snapshot
        if directory?.version != snapshot.info.version {
            do {
                let destinations = try await DirectoryStore(database: database).destinations(of: snapshot)
                if destinations.count == Directory.destinationsMax {
                    logger.warning("search leaves out destinations beyond \(Directory.destinationsMax)")
                }
                directory = try await workers.run {
                    FoldedText.loadRules()
                    return Directory(version: snapshot.info.version, destinations: destinations)
                }
            } catch {
                // While the database is unreachable, the former directory remains.
                if !database.isClosing {
                    logger.warning("search could not be renewed", metadata: ["error": "\(error)"])
                }
            }
        }
    }

    /// Evaluates opening hours that are new or a day old. Takes seconds for many.
    public func evaluateOpeningHours() async {
        guard let directory else { return }
        await openingHours.evaluate(
            Set(directory.listed.compactMap(\.openingHours)), at: centre, isComplete: true)
    }

    /// A position of the campus; nil before the first import.
    var centre: LatLon? {
        campus.snapshot.info.bounds.map { LatLon(($0.south + $0.north) / 2, ($0.west + $0.east) / 2) }
    }

    /// The directory of the present campus, or, while another one is built, the former one.
    /// - Throws: `unavailable` if none could be built yet.
    func current() async throws -> Directory {
        if directory?.listed.isEmpty ?? true { return try await latest() }
        if directory?.version != campus.snapshot.info.version, building == nil { Task { await refresh() } }
        guard let directory else { throw Self.notReady }
        return directory
    }

    /// The directory of the present campus, or, while the database is unreachable, the former one.
    /// - Throws: `unavailable` if none could be built yet.
    func latest() async throws -> Directory {
        // One that is being built may be that of the campus before.
        for _ in 0..<2 where directory?.version != campus.snapshot.info.version { await refresh() }
        guard let directory else { throw Self.notReady }
        return directory
    }

    private static let notReady = RPCError(
        .unavailable, "the directory is not ready: ask again in a second", retryAfter: 1)

    // MARK: Searching

    /// Conditions that a destination has to meet.
    struct Filter: Sendable {
        var kinds: Set<DestinationKind>?
        var kindOfPlace: String?
        var isOpenNow = false
        var isStepFree = false
        var zone: Int64?

        func admits(_ one: Listed, _ hours: OpeningHours) -> Bool {
            if let kinds, !kinds.contains(one.id.kind), !(one.isBuilding && kinds.contains(.building)) { return false }
            if let kindOfPlace, one.kindOfPlace != kindOfPlace { return false }
            if let zone, one.zone != zone, one.id != DestinationID(.zone, zone) { return false }
            // Unknown stays unknown: what nobody has tagged is not kept from people.
            if isStepFree, one.wheelchair == .no { return false }
            return !isOpenNow || hours.isOpen(one.openingHours) == true
        }
    }

    /// Finds destinations, the best first.
    /// - Parameter identity: The caller, whose saved places come first among equals; nil for a guest.
    /// - Throws: ``Wire/RPCError``: `invalidParams`, `unavailable`.
    public func find(_ params: SearchFind.Params, for identity: Identity?) async throws -> SearchFind.Result {
        let limit = try Inputs.limit(params.limit, max: Self.limitMax, default: Self.limitDefault)
        let text = try Inputs.name(params.text, "text", charactersMax: TextLimit.searchText.max)
        let filter = Filter(
            kinds: params.kinds.map { Set($0) }, kindOfPlace: try Self.kindOfPlace(params.class),
            isOpenNow: params.openNow ?? false, isStepFree: params.stepFree ?? false, zone: params.zone)
        let person = try Self.position(params.lat, params.lon)
        let saved = await saved(by: identity)
        let (directory, hours) = (try await current(), openingHours)
        do {
            return try await workers.run {
                Self.find(text, in: directory, filter, hours, person, saved, limit: limit)
            }
        } catch is WorkerPool.Overloaded {
            throw RPCError(.unavailable, "many people are searching: ask again in a second", retryAfter: 1)
        }
    }

    static func kindOfPlace(_ text: String?) throws -> String? {
        guard let text else { return nil }
        guard (1...classBytesMax).contains(text.utf8.count) else {
            throw RPCError.invalid("class", "must be 1 to \(classBytesMax) bytes, such as cafe")
        }
        return text
    }

    private static func position(_ lat: Double?, _ lon: Double?) throws -> GeoPoint? {
        guard lat != nil || lon != nil else { return nil }
        guard let lat, let lon, let point = try? GeoPoint(latitude: lat, longitude: lon) else {
            throw RPCError.invalid(lat == nil ? "lat" : "lon", "must be given with the other coordinate")
        }
        return point
    }

    /// The caller's saved places; none if they cannot be read, because search works without them.
    private func saved(by identity: Identity?) async -> Set<Int64> {
        guard let identity else { return [] }
        let rows = try? await database.query(
            "SELECT place_id FROM saved_places WHERE account_id = $1 AND place_id IS NOT NULL LIMIT $2",
            [.int(identity.account.id), .int(Self.savedMax)])
        return Set((try? rows?.map { try $0.int("place_id") }) ?? [])
    }

    /// Runs on a worker.
    private static func find(
        _ text: String, in directory: Directory, _ filter: Filter, _ hours: OpeningHours, _ person: GeoPoint?,
        _ saved: Set<Int64>, limit: Int
    ) -> SearchFind.Result {
        func rank(_ document: Int) -> Float? {
            let one = directory.listed[document]
            guard filter.admits(one, hours) else { return nil }
            var bonus: Float = one.id.kind == .place && saved.contains(one.id.number) ? savedWeight : 0
            if filter.isStepFree, one.wheelchair != nil { bonus += stepFreeWeight }
            if let person {
                bonus += nearWeight * Float(nearMetres / (nearMetres + person.distance(to: one.point)))
            }
            return bonus
        }
        let matches = directory.index.find(text, limit: limit, adjust: rank)
        let results = matches.map { match in
            let one = directory.listed[match.document]
            let other = match.name.flatMap { $0 > 0 ? one.names[$0] : nil }
            return one.destination(
                isOpen: hours.isOpen(one.openingHours), metres: person.map { $0.distance(to: one.point).rounded() },
                alternative: other)
        }
        guard (matches.first?.quality ?? 0) < NameIndex.weakQuality else { return SearchFind.Result(results: results) }
        let near = directory.index.nearest(text) { filter.admits(directory.listed[$0], hours) ? 0 : nil }
        let name = near.map { match in
            let one = directory.listed[match.document]
            return match.name.map { one.names[$0] } ?? one.name
        }
        return SearchFind.Result(
            results: results, suggestion: name.flatMap { FoldedText($0) == FoldedText(text) ? nil : $0 })
    }
}
