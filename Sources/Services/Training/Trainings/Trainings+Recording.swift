import Postgres
import Training
import Wire

/// Starting, recording and taking over.
extension Trainings {
    /// Starts a training, or returns the one that an earlier request with this id started.
    /// - Throws: ``Wire/RPCError``: `notFound`; `conflict` for a removed training, another one with this id, or too many;
    ///   ``Postgres/PostgresError``.
    public func start(_ params: TrainingStart.Params, by identity: Identity) async throws -> Training {
        let id = try Inputs.clientID(params.id)
        let workout = try Inputs.clientID(params.workout, "workout")
        let device = try Inputs.clientID(params.device, "device")
        let together = try params.together.map { try Inputs.clientID($0, "together") }
        let given = try params.plan.map { try PlanCheck.check(PlanCheck.withoutControlCharacters($0)) }
        let account = identity.account.id
        let moment = now()
        let startedAt = try Self.clamped(params.startedAt, "startedAt", now: moment)
        guard moment.seconds(since: startedAt) <= Self.startedDaysMax * Timestamp.daySeconds else {
            throw RPCError.invalid("startedAt", "must be within the last 30 days")
        }
        let isKnown = try await isStarted(id, account)
        if isKnown == nil {
            let groupPlan = try await plan(of: together, given, account)
            let start = NewTraining(
                id: id, workout: workout, together: groupPlan == nil ? nil : together, isOfGroup: together != nil,
                device: device, startedAt: startedAt, groupPlan: groupPlan, given: given,
                place: groupPlan == nil ? try await destinationName(given?.destination) : nil)
            // The groups come first. If the server stops before the start is committed, the repeated request does both.
            let forgotten = try await forgotten(of: account, now: moment)
            for group in Set(forgotten.compactMap(\.together)) {
                try await endPart(in: group, of: account, ending: forgotten.map(\.id))
            }
            try await add(start, ending: forgotten.map(\.id), of: account, at: moment)
            await announce(id, of: account)
            for training in forgotten { await announce(training.id, of: account) }
        }
        let training = try await training(stored: id, of: account)
        let isOfGroup = training.together == together || training.together == nil && given != nil
        guard training.workout == nil || training.workout == workout, isOfGroup else {
            throw RPCError(.conflict, "another training has this id: choose a new one", field: "id")
        }
        if let group = training.together, training.state != .finished { try await groups.begun(group, account) }
        return training
    }

    /// A training before it is stored.
    private struct NewTraining: Sendable {
        let id: String
        let workout: String
        /// Live group that it belongs to.
        let together: String?
        /// Whether the request names a live group, which may have become closed to the caller.
        let isOfGroup: Bool
        let device: String
        let startedAt: Timestamp
        let groupPlan: WorkoutPlan?
        /// Plan that the device sent, without the name of its destination.
        let given: WorkoutPlan?
        /// Name of that plan's destination; nil if the campus has none.
        let place: String?

        /// The plan that is stored.
        /// - Parameter owned: The plan of the workout; nil if the account has none with this id.
        func plan(_ owned: WorkoutPlan?, isRemoved: @Sendable () async throws -> Bool) async throws -> WorkoutPlan {
            if let groupPlan { return groupPlan }
            guard var plan = given else {
                guard let owned else { throw Workouts.notFound }
                return owned
            }
            if owned == nil, !isOfGroup {
                // The person trained without a network, and removed the workout on another device.
                guard try await isRemoved() else { throw Workouts.notFound }
            }
            if let destination = plan.destination {
                plan.destinationName = owned?.destination == destination ? owned?.destinationName : place
            }
            return plan
        }
    }

    /// Name of a destination. Nil if there is none, also for a text that is no destination: a training that was done is kept.
    private func destinationName(_ text: String?) async throws -> String? {
        guard let id = text.flatMap({ DestinationID($0) }) else { return nil }
        return try await search.name(of: id)
    }

    /// Stores a training, and ends forgotten ones. Nothing changes if the account has a training with this id.
    private func add(
        _ start: NewTraining, ending forgotten: [String], of account: Int64, at moment: Timestamp
    ) async throws {
        let exercises = exercises
        try await database.transaction { transaction in
            _ = try await transaction.query(Accounts.lock, [.intArray([account])])
            let rows = try await transaction.query(
                "SELECT FROM trainings WHERE account_id = $1 AND id = $2", [.int(account), .uuid(start.id)])
            guard rows.isEmpty else { return }
            if try await Removals.contains(.training, start.id, of: account, in: transaction) { throw Self.removed }
            try await Self.end(forgotten, of: account, now: moment, exercises: exercises, in: transaction)
            try await Self.requireRoom(of: account, in: transaction)
            let owned = try await Workouts.row(start.workout, of: account, in: transaction)
            let plan = try await start.plan(owned?.plan) {
                try await Removals.contains(.workout, start.workout, of: account, in: transaction)
            }
            _ = try await transaction.query(
                """
                INSERT INTO trainings (account_id, id, workout_id, together_id, plan, started_at, device, generation)
                VALUES ($1, $2, $3, $4, $5::jsonb, $6, $7, 1)
                """,
                [
                    .int(account), .uuid(start.id), owned == nil ? .null : .uuid(start.workout),
                    start.together.map { .uuid($0) } ?? .null, .text(try plan.json),
                    .timestamp(start.startedAt.milliseconds), .uuid(start.device),
                ])
            _ = try await transaction.query(
                "UPDATE workouts SET used_at = \(Workouts.nextUse("$3")) WHERE account_id = $1 AND id = $2",
                [.int(account), .uuid(start.workout), .timestamp(moment.milliseconds)])
        }
    }

    /// The plan of the live group. Nil without a group, and for a person who trained without a network and has since lost access to the
    /// group, if the client sends a plan: the training is then stored without the group.
    private func plan(of together: String?, _ given: WorkoutPlan?, _ account: Int64) async throws -> WorkoutPlan? {
        guard let together else { return nil }
        do {
            return try await groups.plan(together, account)
        } catch let error as RPCError where error.registered == .notFound && given != nil {
            return nil
        }
    }

    private func isStarted(_ id: String, _ account: Int64) async throws -> PostgresRow? {
        try await database.query(
            "SELECT id FROM trainings WHERE account_id = $1 AND id = $2", [.int(account), .uuid(id)]
        ).first
    }

    private static let removed = RPCError(.conflict, "this training was removed: start a new one", field: "id")

    /// Trainings that began longer ago than one can last, and have not ended, with their live groups: the person forgot to end them. They
    /// would otherwise use up the room for open ones.
    private func forgotten(of account: Int64, now: Timestamp) async throws -> [(id: String, together: String?)] {
        try await database.query(
            """
            SELECT id, together_id FROM trainings WHERE account_id = $1 AND ended_at IS NULL AND started_at < $2
            ORDER BY started_at LIMIT $3
            """,
            [
                .int(account), .timestamp(now.advanced(bySeconds: -Self.secondsMax).milliseconds),
                .int(Int64(Self.openMax)),
            ]
        ).map { (id: try $0.uuid("id"), together: try $0.optionalUUID("together_id")) }
    }

    /// Ends forgotten trainings, unless they have ended meanwhile.
    private static func end(
        _ forgotten: [String], of account: Int64, now: Timestamp, exercises: Exercises,
        in transaction: PostgresTransaction
    ) async throws {
        let open = try await transaction.query(
            """
            SELECT id FROM trainings WHERE account_id = $1 AND id = ANY ($2::text[]::uuid[]) AND ended_at IS NULL
            ORDER BY started_at FOR UPDATE
            """, [.int(account), .textArray(forgotten)])
        for row in open {
            let known = try await TrainingRow.load(try row.uuid("id"), of: account, now: now) {
                try await transaction.query($0, $1)
            }
            guard let known else { continue }
            try await TrainingChange(
                row: known, account: account, now: now, exercises: exercises, transaction: transaction
            ).endForgotten()
        }
    }

    private static func requireRoom(of account: Int64, in transaction: PostgresTransaction) async throws {
        let row = try await transaction.query(
            """
            SELECT count(*) AS n, count(*) FILTER (WHERE ended_at IS NULL) AS open FROM trainings WHERE account_id = $1
            """, [.int(account)]
        ).first
        guard try row?.int("open") ?? 0 < Int64(openMax) else {
            throw RPCError(.conflict, "\(openMax) trainings have not ended: end one first")
        }
        guard try row?.int("n") ?? 0 < trainingsMax else {
            throw RPCError(.conflict, "there are \(trainingsMax) trainings already: remove old ones first")
        }
    }

    /// A time by the clock of a device, which may be somewhat ahead.
    /// - Throws: ``Wire/RPCError`` naming `field`.
    static func clamped(_ time: Timestamp, _ field: String, now: Timestamp) throws -> Timestamp {
        guard time.seconds(since: now) <= aheadSecondsMax else {
            throw RPCError.invalid(field, "must not be in the future: correct the clock by hello's serverTime")
        }
        return min(time, now)
    }

    /// Records changes. Sets and heart rates of every device are merged, also after the end; pauses only from the device that controls.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func record(_ params: TrainingRecord.Params, by identity: Identity) async throws -> TrainingProgress {
        let id = try Inputs.clientID(params.training, "training")
        let samples = params.pulse ?? []
        try StoredPulse.check(samples)
        let account = identity.account.id
        let (progress, isChanged) = try await changing(id, of: account) { [now] change in
            let training = change.row.training
            let sets = try StoredSet.checked(params.sets ?? [], of: training.plan)
            var isChanged = try await change.merge(sets)
            if isChanged { try await change.moveForgottenEnd(behind: sets) }
            if let pauses = params.pauses, params.generation == training.generation, change.statedEnd == nil {
                let ordered = try Pauses(pauses, from: training.startedAt, to: nil, now: now())
                isChanged = try await change.store(ordered) || isChanged
            }
            let isPulseChanged = try await change.merge(samples)
            if training.state == .finished, isChanged || isPulseChanged { try await change.recalculate() }
            return (try await change.progress(sets), isChanged)
        }
        if isChanged { await announce(id, of: account) }
        return progress
    }

    /// Makes a device control the training.
    /// - Throws: ``Wire/RPCError``: `notFound`, `conflict` after the end; ``Postgres/PostgresError``.
    public func takeOver(_ params: TrainingTakeOver.Params, by identity: Identity) async throws -> Training {
        let id = try Inputs.clientID(params.training, "training")
        let device = try Inputs.clientID(params.device, "device")
        let account = identity.account.id
        let isChanged = try await changing(id, of: account) { change in
            guard change.row.training.state != .finished else {
                throw RPCError(.conflict, "the training has ended", field: "training")
            }
            guard change.row.training.generation < RevisionRange.allowed.upperBound else { return false }
            return try await change.transaction.query(
                """
                UPDATE trainings SET device = $3, generation = generation + 1
                WHERE account_id = $1 AND id = $2 AND device <> $3
                """, [.int(account), .uuid(id), .uuid(device)]
            ).affected > 0
        }
        if isChanged { await announce(id, of: account) }
        return try await training(stored: id, of: account)
    }

    /// Runs a change of a training under the lock of its row.
    func changing<T: Sendable>(
        _ id: String, of account: Int64, _ body: @escaping @Sendable (TrainingChange) async throws -> T
    ) async throws -> T {
        let moment = now()
        let exercises = exercises
        return try await database.transaction { transaction in
            let rows = try await transaction.query(
                "SELECT FROM trainings WHERE account_id = $1 AND id = $2 FOR UPDATE", [.int(account), .uuid(id)])
            guard rows.first != nil,
                let row = try await TrainingRow.load(
                    id, of: account, now: moment, { try await transaction.query($0, $1) })
            else { throw Self.notFound }
            return try await body(
                TrainingChange(
                    row: row, account: account, now: moment, exercises: exercises, transaction: transaction))
        }
    }
}
