import Postgres
import Wire

/// A workout as the database has it.
struct WorkoutRow: Sendable {
    let id: String
    let revision: Int
    let plan: WorkoutPlan
    let status: WorkoutStatus
    /// Its training that has not ended.
    let training: String?
    /// Username of the buddy who shared it.
    let from: String?
    /// Workout that it is a copy of.
    let original: String?
    let scheduledAt: Timestamp?
    let event: Int64?
    let createdAt: Timestamp
    let changedAt: Timestamp
    let usedAt: Timestamp
    let lastTrainedAt: Timestamp?

    /// The name of a buddy is left out while a block separates both, as everywhere.
    static let select = """
        SELECT w.id, w.revision, w.plan::text AS plan, w.original_id, w.scheduled_at, w.event_id, w.created_at, w.changed_at,
            w.used_at, t.id AS training_id, t.started_at, t.ended_at,
            CASE WHEN f.id IS NOT NULL AND NOT is_blocked(w.account_id, f.id) THEN f.username END AS from_name
        FROM workouts w LEFT JOIN accounts f ON f.id = w.from_id
        LEFT JOIN LATERAL (SELECT id, started_at, ended_at FROM trainings t WHERE t.account_id = w.account_id
            AND t.workout_id = w.id ORDER BY started_at DESC, id LIMIT 1) t ON true
        """

    /// One workout of an account: `$1` the account, `$2` the id.
    static let one = "\(select) WHERE w.account_id = $1 AND w.id = $2"

    init(_ row: PostgresRow) throws {
        id = try row.uuid("id")
        revision = Int(try row.int("revision"))
        plan = try WorkoutPlan(json: try row.text("plan"))
        let training = try row.optionalUUID("training_id")
        let endedAt = try row.optionalTimestamp("ended_at")
        status = training == nil ? .notStarted : endedAt == nil ? .inProgress : .completed
        self.training = endedAt == nil ? training : nil
        from = try row.optionalText("from_name")
        original = try row.optionalUUID("original_id")
        scheduledAt = try row.optionalTimestamp("scheduled_at").map { Timestamp(milliseconds: $0) }
        event = try row.optionalInt("event_id")
        createdAt = Timestamp(milliseconds: try row.timestamp("created_at"))
        changedAt = Timestamp(milliseconds: try row.timestamp("changed_at"))
        usedAt = Timestamp(milliseconds: try row.timestamp("used_at"))
        lastTrainedAt = try row.optionalTimestamp("started_at").map { Timestamp(milliseconds: $0) }
    }

    var summary: WorkoutSummary {
        let entries = plan.sections.flatMap(\.groups).flatMap(\.entries)
        return WorkoutSummary(
            id: id, title: plan.title, type: plan.type, intensity: plan.intensity, minutes: plan.minutes,
            place: plan.place, equipment: plan.equipment, tags: plan.tags, exercises: entries.count,
            sets: entries.reduce(0) { $0 + $1.sets.count }, status: status, training: training, from: from,
            scheduledAt: scheduledAt, lastTrainedAt: lastTrainedAt)
    }

    func workout(exercises: [Exercise]) -> Workout {
        Workout(
            id: id, revision: revision, plan: plan, status: status, training: training, from: from,
            scheduledAt: scheduledAt, event: event, createdAt: createdAt, changedAt: changedAt,
            lastTrainedAt: lastTrainedAt, exercises: exercises)
    }
}

extension WorkoutPlan {
    init(json: String) throws { self = try WireJSON.decode(WorkoutPlan.self, from: Array(json.utf8)) }

    /// Ids of its exercises.
    var exerciseIDs: Set<String> { Set(sections.flatMap(\.groups).flatMap(\.entries).map(\.exercise)) }

    /// The plan as a column has it.
    var json: String {
        get throws { String(decoding: try WireJSON.encode(self), as: UTF8.self) }
    }
}
