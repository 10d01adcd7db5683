import Foundation
import Postgres
import Training
import Wire

/// A change of a training, whose row is locked until the transaction ends.
struct TrainingChange: Sendable {
    /// The training before the change.
    let row: TrainingRow
    let account: Int64
    let now: Timestamp
    let exercises: Exercises
    let transaction: PostgresTransaction

    private var id: String { row.training.id }

    /// Merges checked sets.
    /// - Returns: Whether anything changed.
    func merge(_ sets: [TrainingSet]) async throws -> Bool {
        try await StoredSet.merge(sets, into: id, of: account, now: now, in: transaction)
    }

    /// End that the person stated; nil if the training goes on or the server ended it.
    var statedEnd: Timestamp? { row.isEndedByServer ? nil : row.training.endedAt }

    /// Times of the heart rates of a training: until its end, or, while the person has stated none, within the longest time that a training
    /// can last. The clock of the device may be ahead.
    func pulseSpan(from start: Timestamp, to end: Timestamp?) -> ClosedRange<Timestamp> {
        let latest = min(
            start.advanced(bySeconds: Trainings.secondsMax), now.advanced(bySeconds: Trainings.aheadSecondsMax))
        return start...max(start, end ?? latest)
    }

    /// Merges heart rates that are within the times of the training; others are ignored.
    /// - Returns: Whether anything changed.
    func merge(_ samples: [PulseSample]) async throws -> Bool {
        guard !samples.isEmpty else { return false }
        let span = pulseSpan(from: row.training.startedAt, to: statedEnd)
        return try await StoredPulse.merge(samples, within: span, into: id, of: account, in: transaction)
    }

    /// Stores the pauses.
    /// - Returns: Whether anything changed.
    func store(_ pauses: Pauses) async throws -> Bool {
        guard pauses.list != row.storedPauses else { return false }
        _ = try await transaction.query(
            "UPDATE trainings SET pauses = $3::jsonb WHERE account_id = $1 AND id = $2",
            [.int(account), .uuid(id), .text(try pauses.json)])
        return true
    }

    /// Ends the training: stores its end and its pauses, removes heart rates after it, and takes the body data of now. The caller computes
    /// the calories.
    /// - Parameters:
    ///   - given: All pauses; nil for the stored ones.
    ///   - byServer: Whether the person has not stated the end. All heart rates and pauses are then kept for the end that the person may
    ///     state later.
    func end(at endedAt: Timestamp, pauses given: [TrainingPause]? = nil, byServer: Bool = false) async throws {
        let training = row.training
        if !byServer {
            _ = try await store(
                try Pauses(given ?? row.storedPauses, from: training.startedAt, to: endedAt, now: now))
        }
        _ = try await transaction.query(
            "UPDATE trainings SET ended_at = $3, ended_by_server = $4 WHERE account_id = $1 AND id = $2",
            [.int(account), .uuid(id), .timestamp(endedAt.milliseconds), .bool(byServer)])
        if !byServer {
            try await StoredPulse.remove(outside: training.startedAt...endedAt, of: id, account, in: transaction)
        }
        try await freezeBody(.ofDay)
    }

    /// Ends a training that was forgotten: a minute after its last set, or after its start if no set was done. The first end that the
    /// person states replaces this one.
    func endForgotten() async throws {
        try await end(at: forgottenEnd(after: row.training.sets), byServer: true)
        try await recalculate()
    }

    /// Moves the server's end of a forgotten training behind sets that came since.
    func moveForgottenEnd(behind sets: [TrainingSet]) async throws {
        guard row.isEndedByServer, let ended = row.training.endedAt else { return }
        let at = forgottenEnd(after: sets)
        guard at > ended else { return }
        _ = try await transaction.query(
            "UPDATE trainings SET ended_at = $3 WHERE account_id = $1 AND id = $2",
            [.int(account), .uuid(id), .timestamp(at.milliseconds)])
    }

    private func forgottenEnd(after sets: [TrainingSet]) -> Timestamp {
        let start = row.training.startedAt
        let last = sets.filter { $0.state == .done || $0.state == .skipped }.map(\.at).max()
        let at = max(start, last ?? start).advanced(bySeconds: Trainings.forgottenRestSeconds)
        return min(at, start.advanced(bySeconds: Trainings.secondsMax), now)
    }

    /// Replaces all heart rates.
    func replace(_ samples: [PulseSample], within span: ClosedRange<Timestamp>) async throws {
        try await StoredPulse.removeAll(of: id, account, in: transaction)
        _ = try await StoredPulse.merge(samples, within: span, into: id, of: account, in: transaction)
    }

    /// The state after the change, with the sets of the request that the server holds otherwise.
    func progress(_ sent: [TrainingSet]) async throws -> TrainingProgress {
        let stored = try await transaction.query(StoredSet.select, [.int(account), .uuid(id)]).map {
            try StoredSet.read($0)
        }
        let known = Dictionary(stored.map { ($0.id, $0) }) { first, _ in first }
        let differing = sent.compactMap { set in known[set.id].flatMap { $0.hasContents(of: set) ? nil : $0 } }
        let current = try await reload()
        return TrainingProgress(
            state: current.training.state, generation: current.training.generation, sets: differing)
    }

    /// The training as it is now.
    func reload() async throws -> TrainingRow {
        let row = try await TrainingRow.load(id, of: account, now: now) { try await transaction.query($0, $1) }
        guard let row else { throw Trainings.notFound }
        return row
    }

    // MARK: Calories

    /// Preference among the weights of an account.
    enum WeightChoice {
        /// The latest at or before the day, else the first after it.
        case ofDay
        /// The one nearest to the day.
        case nearest
    }

    /// Takes the present body data, with the weight for the day of the start, as the body of the training.
    func freezeBody(_ choice: WeightChoice) async throws {
        let zone = try await transaction.query(Analytics.timeZoneSQL, [.int(account)]).first?.optionalText("time_zone")
        let timeZone = zone.flatMap { Inputs.timeZone($0) } ?? .gmt
        let day = Day.day(of: try await reload().training.startedAt, in: timeZone)
        let preference = choice == .ofDay ? "day <= $2::date DESC, " : ""
        let weight = try await transaction.query(
            """
            SELECT kilograms FROM body_weights WHERE account_id = $1
            ORDER BY \(preference)abs(day - $2::date), day LIMIT 1
            """, [.int(account), .text(day)])
        guard let known = try await transaction.query(KnownBody.sql, [.int(account)]).first else {
            throw Accounts.accountUnavailable
        }
        let body = try KnownBody(known, now: now).body(on: day, kilograms: try weight.first?.double("kilograms"))
        _ = try await transaction.query(
            "UPDATE trainings SET body = $3::jsonb WHERE account_id = $1 AND id = $2",
            [.int(account), .uuid(id), .text(try FrozenBody(body).json)])
    }

    /// Computes active time, heart rate and calories of a training that has ended, with the body of its end.
    func recalculate() async throws {
        let row = try await reload()
        guard let endedAt = row.training.endedAt else { return }
        let body = row.body?.body ?? Body()
        let samples = try await StoredPulse.samples(
            of: id, within: row.training.startedAt...endedAt, account, in: transaction)
        let catalogue = await exercises.exercises(of: row.training.plan, for: body)
        let pulse = PulseStatistics.summary(of: samples, in: row.training, maximumPulse: body.highestPulse)
        let calories = CalorieEstimate.calories(of: row.training, exercises: catalogue, for: body, pulse: samples)
        _ = try await transaction.query(
            """
            UPDATE trainings SET active_seconds = $3, gross = $4, net = $5, calorie_method = $6, error_percent = $7,
                pulse_average = $8, pulse_minimum = $9, pulse_maximum = $10, pulse_zones = $11::double precision[]
            WHERE account_id = $1 AND id = $2
            """,
            [
                .int(account), .uuid(id), .double(row.training.activeSeconds),
                .optional(calories.map { Int64($0.gross) }),
                .optional(calories.map { Int64($0.net) }), .optional(calories?.method.rawValue),
                .optional(calories.map { Int64($0.errorPercent) }), .optional(pulse.map { Int64($0.average) }),
                .optional(pulse.map { Int64($0.minimum) }), .optional(pulse.map { Int64($0.maximum) }),
                pulse.map { .doubleArray($0.zones) } ?? .null,
            ])
    }
}

extension TrainingSet {
    /// Whether the sets are equal but for the time.
    fileprivate func hasContents(of other: TrainingSet) -> Bool {
        position == other.position && state == other.state && values == other.values
    }
}
