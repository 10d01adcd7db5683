import Postgres
import Wire

/// Ending, editing and removing.
extension Trainings {
    /// Ends a training and computes its calories with the weight of that day. A training that has ended keeps its end; sets and a first
    /// note are still taken.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func finish(_ params: TrainingFinish.Params, by identity: Identity) async throws -> Training {
        let id = try Inputs.clientID(params.training, "training")
        let note = try Self.note(params.note)
        let account = identity.account.id
        let together = try await changing(id, of: account) { change -> String? in
            let training = change.row.training
            let sets = try StoredSet.checked(params.sets ?? [], of: training.plan)
            var isChanged = try await change.merge(sets)
            if training.state != .finished {
                let endedAt = try Self.clamped(params.endedAt, "endedAt", now: change.now)
                try Self.checkSpan(training.startedAt, endedAt)
                let pauses = try Pauses(
                    params.pauses ?? training.pauses, from: training.startedAt, to: endedAt, now: change.now)
                _ = try await change.store(pauses)
                _ = try await change.transaction.query(
                    "UPDATE trainings SET ended_at = $3 WHERE account_id = $1 AND id = $2",
                    [.int(account), .uuid(id), .timestamp(endedAt.milliseconds)])
                try await change.freezeBody(.ofDay)
                isChanged = true
            }
            if let note, training.note == nil {
                _ = try await change.transaction.query(
                    "UPDATE trainings SET note = $3 WHERE account_id = $1 AND id = $2",
                    [.int(account), .uuid(id), .text(note)])
                isChanged = true
            }
            if isChanged { try await change.recalculate() }
            return isChanged ? training.together ?? "" : nil
        }
        if let together {
            await announce(id, of: account)
            if !together.isEmpty { await groups.ended(together, account) }
        }
        return try await training(stored: id, of: account)
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
        let account = identity.account.id
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
            _ = try await change.store(try Pauses(training.pauses, from: start, to: end, now: change.now))
            _ = try await change.transaction.query(
                """
                UPDATE trainings SET started_at = $3, ended_at = $4, note = CASE WHEN $5 THEN $6 ELSE note END
                WHERE account_id = $1 AND id = $2
                """,
                [
                    .int(account), .uuid(id), .timestamp(start.milliseconds), .timestamp(end.milliseconds),
                    .bool(params.note != nil), .optional(note),
                ])
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
        let removed = try await database.transaction { [now] transaction -> (together: String?, isNew: Bool) in
            _ = try await transaction.query(Accounts.lock, [.intArray([account])])
            let rows = try await transaction.query(
                "DELETE FROM trainings WHERE account_id = $1 AND id = $2 RETURNING together_id",
                [.int(account), .uuid(id)])
            guard let row = rows.first else { return (nil, false) }
            try await Removals.note(.training, id, of: account, at: now(), in: transaction)
            return (try row.optionalUUID("together_id"), true)
        }
        guard removed.isNew else { return }
        await announce(id, of: account)
        if let together = removed.together { await groups.ended(together, account) }
    }
}
