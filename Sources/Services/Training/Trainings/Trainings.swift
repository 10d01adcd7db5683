import EventLoop
import Hub
import Postgres
import Training
import Wire

/// Trainings (W-2, C-5): workouts as done, recorded by one device or several, with and without a network.
///
/// An actor on the hub's loop. Changes of a training run one after the other, under the lock of its row; each is a merge, so that their
/// order and their repetition do not matter.
public actor Trainings {
    /// Largest number of trainings of an account.
    static let trainingsMax: Int64 = 10_000
    /// Largest number of trainings of an account that have not ended.
    static let openMax = 5
    static let limitMax = 100
    static let limitDefault = 30
    /// Longest time between the start and its receipt.
    static let startedDaysMax = 30.0
    /// Longest training.
    static let secondsMax = 24 * 3_600.0
    /// Time from the last set of a forgotten training to its end.
    static let forgottenRestSeconds = 60.0
    /// Time by which the clock of a device may be ahead; a later time is refused.
    static let aheadSecondsMax = 300.0
    /// Oldest time that an edit may state.
    static let editedDaysMax = 3_660.0
    static let notFound = RPCError(
        .notFound, "there is no such training of yours: training.list has them", field: "training")

    /// Live groups, as far as trainings need them.
    public struct Groups: Sendable {
        /// Plan of a live group in which an account is a member.
        public var plan: @Sendable (_ group: String, _ account: Int64) async throws -> WorkoutPlan
        /// Called after a member started a training of the group that has not ended, also for a repeated start.
        public var begun: @Sendable (_ group: String, _ account: Int64) async throws -> Void
        /// Called after a member ended a training of the group, and before trainings of it are removed, or ended as forgotten: `ending`
        /// has the UUIDs of these.
        public var ended: @Sendable (_ group: String, _ account: Int64, _ ending: [String]) async -> Void

        public init(
            plan: @escaping @Sendable (String, Int64) async throws -> WorkoutPlan,
            begun: @escaping @Sendable (String, Int64) async throws -> Void = { _, _ in },
            ended: @escaping @Sendable (String, Int64, [String]) async -> Void
        ) {
            self.plan = plan
            self.begun = begun
            self.ended = ended
        }

        static let none = Groups(
            plan: { _, _ in throw RPCError(.notFound, "there is no such live group", field: "together") },
            ended: { _, _, _ in })
    }

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let database: PostgresPool
    let hub: Hub
    let exercises: Exercises
    let body: BodyRecords
    let search: Search
    let now: @Sendable () -> Timestamp
    private(set) var groups = Groups.none

    /// - Parameters:
    ///   - loop: The hub's loop.
    ///   - search: Knows the places of the campus.
    ///   - now: The server's wall clock.
    public init(
        loop: EventLoop, database: PostgresPool, hub: Hub, exercises: Exercises, body: BodyRecords, search: Search,
        now: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        self.loop = loop
        self.database = database
        self.hub = hub
        self.exercises = exercises
        self.body = body
        self.search = search
        self.now = now
    }

    /// Connects trainings with live groups. Call it once, before the first request.
    public func setGroups(_ groups: Groups) { self.groups = groups }

    // MARK: Reading

    /// Returns a training of the caller.
    /// - Throws: ``Wire/RPCError`` `notFound`, ``Postgres/PostgresError``.
    public func training(_ id: String, of identity: Identity) async throws -> Training {
        try await training(stored: try Inputs.clientID(id, "training"), of: identity.account.id)
    }

    func training(stored id: String, of account: Int64) async throws -> Training {
        let row = try await TrainingRow.load(id, of: account, now: now()) { try await database.query($0, $1) }
        guard let row else { throw Self.notFound }
        return await full([row.training], for: try await currentBody(of: account))[0]
    }

    /// Returns the caller's trainings that have not ended.
    /// - Throws: ``Postgres/PostgresError``.
    public func open(of identity: Identity) async throws -> TrainingsOpen {
        let account = identity.account.id
        let rows = try await TrainingRow.open(of: account, max: Self.openMax, now: now()) {
            try await database.query($0, $1)
        }
        guard !rows.isEmpty else { return TrainingsOpen(trainings: []) }
        return TrainingsOpen(trainings: await full(rows.map(\.training), for: try await currentBody(of: account)))
    }

    private func currentBody(of account: Int64) async throws -> Body {
        try await body.known(of: account).present
    }

    /// The trainings with their exercises.
    private func full(_ trainings: [Training], for body: Body) async -> [Training] {
        var full: [Training] = []
        for var training in trainings {
            training.exercises = await exercises.exercises(of: training.plan, for: body)
            full.append(training)
        }
        return full
    }

    private static let listSQL = """
        SELECT t.id, t.workout_id, t.started_at, t.ended_at, t.active_seconds, t.gross, t.net, t.note,
            t.plan->>'title' AS title, t.plan->>'type' AS type, t.pauses::text AS pause_list, s.done, s.reps
        FROM (SELECT * FROM trainings WHERE account_id = $1
            AND ($2::timestamptz IS NULL OR started_at <= $2
                AND (started_at, id) < ($2, coalesce($3::uuid, '00000000-0000-0000-0000-000000000000')))
            AND ($4::uuid IS NULL OR workout_id = $4) ORDER BY started_at DESC, id DESC LIMIT $5) t
        CROSS JOIN LATERAL (SELECT count(*) AS done, coalesce(sum(reps), 0)::bigint AS reps FROM training_sets s
            WHERE s.account_id = t.account_id AND s.training_id = t.id AND s.state = 'done') s
        ORDER BY t.started_at DESC, t.id DESC
        """

    /// Lists the caller's trainings, the latest first.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func list(_ params: TrainingList.Params, of identity: Identity) async throws -> TrainingPage {
        let limit = try Inputs.limit(params.limit, max: Self.limitMax, default: Self.limitDefault)
        let workout = try params.workout.map { try Inputs.clientID($0, "workout") }
        let last = try params.beforeTraining.map { try Inputs.clientID($0, "beforeTraining") }
        guard last == nil || params.before != nil else {
            throw RPCError.invalid("beforeTraining", "needs before: the start of that training")
        }
        let account = identity.account.id
        let rows = try await database.query(
            Self.listSQL,
            [
                .int(account), .optional(timestamp: params.before?.milliseconds), last.map { .uuid($0) } ?? .null,
                workout.map { .uuid($0) } ?? .null, .int(Int64(limit) + 1),
            ])
        let page = try rows.prefix(limit).map { try TrainingSummary($0, now: now()) }
        return TrainingPage(trainings: page, hasMore: rows.count > limit)
    }

    // MARK: Signals and upkeep

    /// Notifies the owner's devices of a change.
    func announce(_ training: String, of account: Int64) async {
        await hub.signals.publish([AccountSignal(account, UserSignal(type: .training, training: training))], by: 0)
    }

    /// Forgets removals of trainings and workouts that no client sends again.
    /// - Throws: ``Postgres/PostgresError``.
    public func prune() async throws { try await Removals.prune(database, now: now()) }
}

extension TrainingSummary {
    fileprivate init(_ row: PostgresRow, now: Timestamp) throws {
        let startedAt = Timestamp(milliseconds: try row.timestamp("started_at"))
        let endedAt = try row.optionalTimestamp("ended_at").map { Timestamp(milliseconds: $0) }
        let pauses = try Pauses(json: try row.text("pause_list")).list
        let isPaused = pauses.last.map { $0.until == nil } == true
        var seconds = try row.optionalDouble("active_seconds")
        if seconds == nil {
            let paused = pauses.reduce(0) { $0 + ($1.until ?? now).seconds(since: $1.from) }
            seconds = max(0, (endedAt ?? now).seconds(since: startedAt) - paused)
        }
        self.init(
            id: try row.uuid("id"), workout: try row.optionalUUID("workout_id"), title: try row.text("title"),
            type: ExerciseType(rawValue: try row.text("type")) ?? .strength,
            state: endedAt != nil ? .finished : isPaused ? .paused : .active, startedAt: startedAt, endedAt: endedAt,
            activeSeconds: seconds ?? 0, setsDone: Int(try row.int("done")), reps: Int(try row.int("reps")),
            gross: try row.optionalInt("gross").map { Int($0) }, net: try row.optionalInt("net").map { Int($0) },
            note: try row.optionalText("note"))
    }
}
