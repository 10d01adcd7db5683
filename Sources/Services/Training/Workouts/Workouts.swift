import EventLoop
import Hub
import Postgres
import Training
import Wire

/// Workouts (W-2, W-6): plans of exercises, each with one owner. Sharing gives a buddy a copy.
///
/// An actor on the hub's loop. Changes of an account's workouts run one after the other, under the lock of the account's row.
public actor Workouts {
    /// Largest number of workouts of an account.
    static let workoutsMax = 500
    /// Largest number of those that buddies shared, so that they do not use up the room for the account's own.
    static let sharedMax = 200
    static let limitMax = 100
    static let limitDefault = 30
    /// Longest time ahead of a scheduled start.
    static let scheduledDaysMax = 731.0
    static let notFound = RPCError(
        .notFound, "there is no such workout of yours: workouts.list has them", field: "workout")
    static let removed = RPCError(.conflict, "this workout was removed: save it with another id", field: "id")

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let database: PostgresPool
    let hub: Hub
    let exercises: Exercises
    let body: BodyRecords
    let search: Search
    let now: @Sendable () -> Timestamp
    /// Composing workouts takes longer than an iteration of the loop may.
    let recommending = WorkerPool(label: "workouts", concurrentMax: 2, waitingMax: 100)

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

    // MARK: Reading

    /// Lists the caller's workouts.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func list(_ params: WorkoutsList.Params, of identity: Identity) async throws -> WorkoutPage {
        let limit = try Inputs.limit(params.limit, max: Self.limitMax, default: Self.limitDefault)
        let rows = try await database.query(
            """
            SELECT \(ListedWorkout.columns) FROM (
                \(WorkoutRow.select("w.plan")) WHERE w.account_id = $1 AND ($2::timestamptz IS NULL OR w.used_at < $2)
                    AND CASE $3 WHEN 'notStarted' THEN t.id IS NULL WHEN 'inProgress' THEN t.id IS NOT NULL AND t.ended_at IS NULL
                        WHEN 'completed' THEN t.ended_at IS NOT NULL WHEN 'buddies' THEN w.from_id IS NOT NULL ELSE true END
                ORDER BY w.used_at DESC LIMIT $4) w
            ORDER BY w.used_at DESC
            """,
            [
                .int(identity.account.id), .optional(timestamp: params.before?.milliseconds),
                .text((params.filter ?? .all).rawValue), .int(Int64(limit) + 1),
            ])
        let page = try rows.prefix(limit).map { try ListedWorkout($0) }
        return WorkoutPage(workouts: page.map(\.summary), next: rows.count > limit ? page.last?.usedAt : nil)
    }

    /// Returns a workout of the caller.
    /// - Throws: ``Wire/RPCError`` `notFound`, ``Postgres/PostgresError``.
    public func workout(_ id: String, of identity: Identity) async throws -> Workout {
        let rows = try await database.query(
            WorkoutRow.one, [.int(identity.account.id), .uuid(try Inputs.clientID(id, "workout"))])
        guard let row = rows.first else { throw Self.notFound }
        return try await full(try WorkoutRow(row), of: identity.account.id)
    }

    func full(_ row: WorkoutRow, of account: Int64) async throws -> Workout {
        let body = try await body.known(of: account).present
        return row.workout(exercises: await exercises.exercises(of: row.plan, for: body))
    }

    // MARK: Changing

    /// Adds a workout, or changes the one with the same id.
    /// - Throws: ``Wire/RPCError``: `conflict` for another revision, a removed workout, or too many; ``Postgres/PostgresError``.
    public func save(_ params: WorkoutsSave.Params, of identity: Identity) async throws -> Workout {
        let id = try Inputs.clientID(params.id)
        let account = identity.account.id
        let checked = try PlanCheck.check(params.plan)
        let place = try await destinationName(checked.destination)
        let unknown = try await exercises.unknown(in: checked)
        let (row, isChanged) = try await changing(account) { [now] transaction -> (WorkoutRow, Bool) in
            guard let known = try await Self.row(id, of: account, in: transaction) else {
                try await Self.requireNotRemoved(id, of: account, in: transaction)
                guard params.revision == nil else { throw Self.removed }
                let plan = try Self.plan(checked, place, unknown, former: nil)
                try await Self.requireRoom(of: account, isShared: false, in: transaction)
                try await Self.insert(NewWorkout(id: id, plan: plan), of: account, at: now(), in: transaction)
                return (try await Self.required(id, of: account, in: transaction), true)
            }
            let plan = try Self.plan(checked, place, unknown, former: known.plan)
            // The same request again, or the same change from another device.
            if plan == known.plan { return (known, false) }
            guard params.revision == known.revision else {
                throw RPCError(
                    .conflict, "the workout has changed since: load it with workouts.get", field: "revision")
            }
            _ = try await transaction.query(
                """
                UPDATE workouts SET plan = $3::jsonb, revision = revision + 1, changed_at = $4, used_at = \(Self.nextUse("$4"))
                WHERE account_id = $1 AND id = $2
                """, [.int(account), .uuid(id), .text(try plan.json), .timestamp(now().milliseconds)])
            return (try await Self.required(id, of: account, in: transaction), true)
        }
        if isChanged { await announce(id, of: account) }
        return try await full(row, of: account)
    }

    /// Removes a workout of the caller. Its trainings stay.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func remove(_ params: WorkoutsRemove.Params, of identity: Identity) async throws {
        let id = try Inputs.clientID(params.workout, "workout")
        let account = identity.account.id
        let isRemoved = try await changing(account) { [now] transaction -> Bool in
            let gone = try await transaction.query(
                "DELETE FROM workouts WHERE account_id = $1 AND id = $2", [.int(account), .uuid(id)])
            guard gone.affected > 0 else { return false }
            try await Removals.note(.workout, id, of: account, at: now(), in: transaction)
            return true
        }
        if isRemoved { await announce(id, of: account) }
    }

    /// Copies a workout of the caller.
    /// - Throws: ``Wire/RPCError``: `notFound`; `conflict` for an id of something else, or too many; ``Postgres/PostgresError``.
    public func copy(_ params: WorkoutsCopy.Params, of identity: Identity) async throws -> Workout {
        let original = try Inputs.clientID(params.workout, "workout")
        let id = try Inputs.clientID(params.id)
        let account = identity.account.id
        let (row, isNew) = try await changing(account) { [now] transaction -> (WorkoutRow, Bool) in
            if let known = try await Self.row(id, of: account, in: transaction) {
                guard known.original == original, known.from == nil else {
                    throw RPCError(.conflict, "another workout has this id: choose a new one", field: "id")
                }
                return (known, false)
            }
            try await Self.requireNotRemoved(id, of: account, in: transaction)
            guard let source = try await Self.row(original, of: account, in: transaction) else { throw Self.notFound }
            try await Self.requireRoom(of: account, isShared: false, in: transaction)
            try await Self.insert(
                NewWorkout(id: id, plan: source.plan, original: original, originalRevision: source.revision),
                of: account, at: now(), in: transaction)
            return (try await Self.required(id, of: account, in: transaction), true)
        }
        if isNew { await announce(id, of: account) }
        return try await full(row, of: account)
    }

    /// Plans the start of a workout, or removes the plan.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func schedule(_ params: WorkoutsSchedule.Params, of identity: Identity) async throws -> Workout {
        let id = try Inputs.clientID(params.workout, "workout")
        let account = identity.account.id
        let moment = now()
        if let at = params.at {
            guard at > moment else { throw RPCError.invalid("at", "must be in the future") }
            guard at.seconds(since: moment) <= Self.scheduledDaysMax * Timestamp.daySeconds else {
                throw RPCError.invalid("at", "must be within two years")
            }
        } else if params.event != nil {
            throw RPCError.invalid("event", "needs a time")
        }
        let (row, isChanged) = try await changing(account) { transaction -> (WorkoutRow, Bool) in
            guard let former = try await Self.row(id, of: account, in: transaction) else { throw Self.notFound }
            if let event = params.event, event != former.event {
                try await Self.requirePart(in: event, account, transaction)
            }
            let changed = try await transaction.query(
                """
                UPDATE workouts SET scheduled_at = $3, event_id = $4, used_at = \(Self.nextUse("$5"))
                WHERE account_id = $1 AND id = $2
                    AND (scheduled_at IS DISTINCT FROM $3 OR event_id IS DISTINCT FROM $4)
                """,
                [
                    .int(account), .uuid(id), .optional(timestamp: params.at?.milliseconds), .optional(params.event),
                    .timestamp(moment.milliseconds),
                ])
            return (try await Self.required(id, of: account, in: transaction), changed.affected > 0)
        }
        if isChanged { await announce(id, of: account) }
        return try await full(row, of: account)
    }

    private static func requirePart(
        in event: Int64, _ account: Int64, _ transaction: PostgresTransaction
    ) async throws {
        let rows = try await transaction.query(
            """
            SELECT FROM events e WHERE e.id = $1 AND e.state <> 'cancelled' AND event_includes(e, $2::bigint)
            """, [.int(event), .int(account)])
        guard rows.first != nil else {
            throw RPCError(.notFound, "you take part in no such event: events.list has yours", field: "event")
        }
    }

    // MARK: Signals

    /// Notifies the owner's devices of a change.
    /// - Parameter author: Buddy who shared the workout; 0 for the owner.
    func announce(_ workout: String, of account: Int64, by author: Int64 = 0) async {
        await hub.signals.publish([AccountSignal(account, UserSignal(type: .workout, workout: workout))], by: author)
    }

    // MARK: Places

    /// Name of a destination; nil if there is none.
    private func destinationName(_ text: String?) async throws -> String? {
        guard let text else { return nil }
        guard let id = DestinationID(text) else {
            throw RPCError.invalid("plan.destination", "is an id such as place/12")
        }
        return try await search.name(of: id)
    }

    /// The plan with the name of its place. What the campus or the catalogue no longer has stays in a workout that had it before.
    private static func plan(
        _ checked: WorkoutPlan, _ place: String?, _ unknownExercises: Set<String>, former: WorkoutPlan?
    ) throws -> WorkoutPlan {
        guard unknownExercises.isSubset(of: former?.exerciseIDs ?? []) else {
            throw RPCError.invalid(
                "plan.sections", "has an exercise that is not in the catalogue: exercises.search has them")
        }
        var plan = checked
        guard let destination = plan.destination else { return plan }
        plan.destinationName = place
        if place == nil {
            guard destination == former?.destination else {
                throw RPCError.invalid("plan.destination", "is no place of the campus: search.find has them")
            }
            plan.destinationName = former?.destinationName
        }
        return plan
    }
}
