import EventLoop
import Logging
import Postgres
import Training
import Wire

/// The catalogue of exercises (C-5, W-2): those of Campanile, and imported ones, in memory.
///
/// An actor on the hub's loop.
public actor Exercises {
    static let limitMax = 100
    static let limitDefault = 30
    static let offsetMax = 10_000
    /// Longest id in a request.
    static let idCharactersMax = 120
    static let notFound = RPCError(
        .notFound, "there is no such exercise: exercises.search finds those there are", field: "exercise")

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let store: ExerciseStore
    private let body: BodyRecords
    private let now: @Sendable () -> Timestamp
    private let workers = WorkerPool(label: "exercises", concurrentMax: 1, waitingMax: 4)
    /// The present catalogue. Until ``refresh()`` has loaded imported exercises it has those of Campanile alone.
    private(set) var catalogue: Catalogue
    /// A load in progress. Its exercises are those of the version or newer ones.
    private var loading: (version: Int64, task: Task<Catalogue, any Error>)?

    /// - Parameters:
    ///   - loop: The hub's loop.
    ///   - body: Body data, by which exercises are marked as excluded.
    ///   - now: The server's wall clock.
    public init(
        loop: EventLoop, database: PostgresPool, body: BodyRecords, now: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        self.loop = loop
        store = ExerciseStore(database: database)
        self.body = body
        self.now = now
        catalogue = Catalogue(version: 0, imported: [])
    }

    /// Loads the catalogue anew after an import. While the database is unreachable, the former one remains. Call it before the first
    /// request.
    /// - Throws: ``Postgres/PostgresError``.
    public func refresh() async throws {
        let version = try await store.version()
        guard version > catalogue.version else { return }
        let task: Task<Catalogue, any Error>
        if let loading, loading.version >= version {
            task = loading.task
        } else {
            task = Task { [store, workers] in
                let imported = try await store.load()
                // The areas of a thousand exercises take longer than an iteration of the loop may.
                return try await workers.run { Catalogue(version: version, imported: imported) }
            }
            loading = (version, task)
        }
        defer { if let loading, loading.version <= version { self.loading = nil } }
        let loaded = try await task.value
        if loaded.version > catalogue.version { catalogue = loaded }
    }

    /// Searches the catalogue.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func search(_ params: ExercisesSearch.Params, for identity: Identity) async throws -> ExercisePage {
        let limit = try Inputs.limit(params.limit, max: Self.limitMax, default: Self.limitDefault)
        let offset = params.offset ?? 0
        guard offset <= Self.offsetMax else { throw RPCError.invalid("offset", "must be 0 to \(Self.offsetMax)") }
        try Self.check(params.equipment)
        var filter = params
        filter.text = try Inputs.text(params.text, "text", charactersMax: TextLimit.exerciseSearch.max)
        let rules = try await rules(for: identity)
        let found = catalogue.matching(filter)
        return ExercisePage(
            exercises: found.dropFirst(offset).prefix(limit).map { $0.exercise(excludedBy: rules).summary },
            total: found.count)
    }

    /// Refuses a list of equipment that is longer than that of all equipment.
    /// - Throws: ``Wire/RPCError``.
    static func check(_ equipment: [Equipment]?) throws {
        guard equipment?.count ?? 0 <= Equipment.allCases.count else {
            throw RPCError.invalid("equipment", "must have at most \(Equipment.allCases.count) entries")
        }
    }

    /// Returns one exercise.
    /// - Throws: ``Wire/RPCError`` `notFound`, ``Postgres/PostgresError``.
    public func exercise(_ params: ExercisesGet.Params, for identity: Identity) async throws -> Exercise {
        guard params.exercise.utf8.count <= Self.idCharactersMax, let entry = catalogue.entry(params.exercise) else {
            throw Self.notFound
        }
        return entry.exercise(excludedBy: try await rules(for: identity))
    }

    /// The exercises of a plan, marked for a body.
    func exercises(of plan: WorkoutPlan, for body: Body) -> [Exercise] {
        let rules = ExclusionRules.rules(for: body)
        return catalogue.entries(of: plan).map { $0.exercise(excludedBy: rules) }
    }

    /// Ids of exercises of a plan that the catalogue does not have. An unknown one may have been imported a moment ago; the database is
    /// therefore read first.
    /// - Throws: ``Wire/RPCError`` `unavailable` if there is an unknown one and the database cannot be read.
    func unknown(in plan: WorkoutPlan) async throws -> Set<String> {
        let ids = plan.exerciseIDs
        guard ids.contains(where: { catalogue[$0] == nil }) else { return [] }
        do {
            try await refresh()
        } catch {
            throw RPCError(.unavailable, "the exercises cannot be read at the moment: try again", retryAfter: 1)
        }
        return ids.filter { catalogue[$0] == nil }
    }

    /// Rules that concern the caller.
    private func rules(for identity: Identity) async throws -> [ExclusionRule] {
        ExclusionRules.rules(for: try await body.known(of: identity.account.id).present)
    }
}
