import Postgres
import Wire

/// Ending, editing and removing.
extension Trainings {
    /// Ends a training and computes its calories with the weight of that day. A training that has ended keeps its end, unless the server
    /// ended it as forgotten; sets and a first note are still taken. The same goes for a request of a device that another one has taken
    /// over from.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func finish(_ params: TrainingFinish.Params, by identity: Identity) async throws -> Training {
        let id = try Inputs.clientID(params.training, "training")
        let note = try Self.note(params.note)
        let account = identity.account.id
        try await loadExercises(of: id, account)
        let (isChanged, ended) = try await changing(id, of: account) { change -> (Bool, Training?) in
            let training = change.row.training
            let sets = try StoredSet.checked(params.sets ?? [], of: training.plan)
            var isChanged = try await change.merge(sets)
            let isCurrent = params.generation.map { $0 >= training.generation } ?? true
            if change.statedEnd == nil, isCurrent {
                let endedAt = try Self.clamped(params.endedAt, "endedAt", now: change.now)
                // A forgotten training that the person ends a day later keeps the server's end, and takes the sets and the note.
                let isLate = change.row.isEndedByServer && endedAt.seconds(since: training.startedAt) > Self.secondsMax
                if !isLate {
                    try Self.checkSpan(training.startedAt, endedAt)
                    try await change.end(at: endedAt, pauses: params.pauses)
                    isChanged = true
                }
            }
            if let note, training.note == nil {
                _ = try await change.transaction.query(
                    "UPDATE trainings SET note = $3 WHERE account_id = $1 AND id = $2",
                    [.int(account), .uuid(id), .text(note)])
                isChanged = true
            }
            if isChanged { try await change.recalculate() }
            return (isChanged, training.state == .finished || isCurrent ? training : nil)
        }
        if isChanged { await announce(id, of: account) }
        // Also for a repeated request: the server may have stopped after the first one was committed.
        if let together = ended?.together { try await endPart(in: together, of: account) }
        return try await training(stored: id, of: account)
    }

    /// Loads exercises of a training that were imported since the catalogue was loaded, so that calories are computed with all of them.
    /// - Throws: ``Wire/RPCError`` `unavailable`, ``Postgres/PostgresError``.
    private func loadExercises(of training: String, _ account: Int64) async throws {
        let rows = try await database.query(
            "SELECT plan::text AS plan FROM trainings WHERE account_id = $1 AND id = $2",
            [.int(account), .uuid(training)])
        guard let row = rows.first else { return }
        _ = try await exercises.unknown(in: try WorkoutPlan(json: try row.text("plan")))
    }

    /// Shows in a live group that a member has ended, unless another training of it in the group goes on.
    /// - Parameter ending: Trainings that are about to be ended or removed.
    func endPart(in together: String, of account: Int64, ending: [String] = []) async throws {
        let others = try await database.query(
            """
            SELECT FROM trainings WHERE account_id = $1 AND together_id = $2 AND ended_at IS NULL
                AND id <> ALL ($3::text[]::uuid[]) LIMIT 1
            """, [.int(account), .uuid(together), .textArray(ending)])
        if others.isEmpty { await groups.ended(together, account, ending) }
    }

    private static func note(_ text: String?) throws -> String? {
        guard let text else { return nil }
        let note = try Inputs.text(
            Inputs.composed(text, charactersMax: TextLimit.trainingNote.max), "note",
            charactersMax: TextLimit.trainingNote.max, isAllowed: Inputs.isLayout)
        return note.isEmpty ? nil : note
    }

    private static func checkSpan(_ start: Timestamp, _ end: Timestamp) throws {
        guard end >= start else { throw RPCError.invalid("endedAt", "must be after the start") }
        guard end.seconds(since: start) <= secondsMax else {
            throw RPCError.invalid("endedAt", "must be at most 24 hours after the start")
        }
    }

    /// Changes a training that has ended. Calories are computed again with the body data of its end.
    /// - Throws: ``Wire/RPCError``: `conflict` before the end; ``Postgres/PostgresError``.
    public func edit(_ params: TrainingEdit.Params, by identity: Identity) async throws -> Training {
        let id = try Inputs.clientID(params.training, "training")
        let note = try Self.note(params.note)
        if let pulse = params.pulse { try StoredPulse.check(pulse) }
        let account = identity.account.id
        try await loadExercises(of: id, account)
        try await changing(id, of: account) { change in
            let training = change.row.training
            guard let ended = training.endedAt else { throw Self.notEnded }
            _ = try await change.merge(try StoredSet.checked(params.sets ?? [], of: training.plan))
            let startedAt = try params.startedAt.map { try Self.clamped($0, "startedAt", now: change.now) }
            let endedAt = try params.endedAt.map { try Self.clamped($0, "endedAt", now: change.now) }
            if let startedAt, change.now.seconds(since: startedAt) > Self.editedDaysMax * Timestamp.daySeconds {
                throw RPCError.invalid("startedAt", "must be within the last ten years")
            }
            let (start, end) = (startedAt ?? training.startedAt, endedAt ?? ended)
            try Self.checkSpan(start, end)
            _ = try await change.store(
                try Pauses(
                    change.row.storedPauses, from: start, to: endedAt ?? change.statedEnd, now: change.now))
            _ = try await change.transaction.query(
                """
                UPDATE trainings SET started_at = $3, ended_at = $4, note = CASE WHEN $5 THEN $6 ELSE note END,
                    ended_by_server = ended_by_server AND $7
                WHERE account_id = $1 AND id = $2
                """,
                [
                    .int(account), .uuid(id), .timestamp(start.milliseconds), .timestamp(end.milliseconds),
                    .bool(params.note != nil), .optional(note), .bool(endedAt == nil),
                ])
            let span = change.pulseSpan(from: start, to: endedAt ?? change.statedEnd)
            try await StoredPulse.remove(outside: span, of: id, account, in: change.transaction)
            if let pulse = params.pulse { try await change.replace(pulse, within: span) }
            try await change.recalculate()
        }
        await announce(id, of: account)
        return try await training(stored: id, of: account)
    }

    private static let notEnded = RPCError(
        .conflict, "the training has not ended: end it with training.finish", field: "training")

    /// Computes the calories again with the body data of now.
    /// - Throws: ``Wire/RPCError``: `conflict` before the end; ``Postgres/PostgresError``.
    public func recalculate(_ params: TrainingRecalculate.Params, by identity: Identity) async throws -> Training {
        let id = try Inputs.clientID(params.training, "training")
        let account = identity.account.id
        try await loadExercises(of: id, account)
        try await changing(id, of: account) { change in
            guard change.row.training.state == .finished else { throw Self.notEnded }
            try await change.freezeBody(.nearest)
            try await change.recalculate()
        }
        await announce(id, of: account)
        return try await training(stored: id, of: account)
    }

    /// Removes a training with its sets and heart rates.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func remove(_ params: TrainingRemove.Params, by identity: Identity) async throws {
        let id = try Inputs.clientID(params.training, "training")
        let account = identity.account.id
        // The group comes first. If the server stops before the removal is committed, the repeated request does both.
        let known = try await database.query(
            "SELECT together_id FROM trainings WHERE account_id = $1 AND id = $2", [.int(account), .uuid(id)])
        if let together = try known.first?.optionalUUID("together_id") {
            try await endPart(in: together, of: account, ending: [id])
        }
        let isRemoved = try await database.transaction { [now] transaction -> Bool in
            _ = try await transaction.query(Accounts.lock, [.intArray([account])])
            let gone = try await transaction.query(
                "DELETE FROM trainings WHERE account_id = $1 AND id = $2", [.int(account), .uuid(id)])
            guard gone.affected > 0 else { return false }
            try await Removals.note(.training, id, of: account, at: now(), in: transaction)
            return true
        }
        if isRemoved { await announce(id, of: account) }
    }
}
