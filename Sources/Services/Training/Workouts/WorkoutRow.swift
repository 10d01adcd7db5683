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
    static func select(_ plan: String = "w.plan::text AS plan") -> String {
        """
        SELECT w.id, w.revision, \(plan), w.original_id, w.scheduled_at, w.event_id, w.created_at, w.changed_at,
            w.used_at, t.id AS training_id, t.started_at, t.ended_at,
            CASE WHEN f.id IS NOT NULL AND NOT is_blocked(w.account_id, f.id) THEN f.username END AS from_name
        FROM workouts w LEFT JOIN accounts f ON f.id = w.from_id
        LEFT JOIN LATERAL (SELECT id, started_at, ended_at FROM trainings t WHERE t.account_id = w.account_id
            AND t.workout_id = w.id ORDER BY started_at DESC, id LIMIT 1) t ON true
        """
    }

    /// One workout of an account: `$1` the account, `$2` the id.
    static let one = "\(select()) WHERE w.account_id = $1 AND w.id = $2"

    init(_ row: PostgresRow) throws {
        id = try row.uuid("id")
        revision = Int(try row.int("revision"))
        plan = try WorkoutPlan(json: try row.text("plan"))
        (status, training) = try Self.status(row)
        from = try row.optionalText("from_name")
        original = try row.optionalUUID("original_id")
        scheduledAt = try row.optionalTimestamp("scheduled_at").map { Timestamp(milliseconds: $0) }
        event = try row.optionalInt("event_id")
        createdAt = Timestamp(milliseconds: try row.timestamp("created_at"))
        changedAt = Timestamp(milliseconds: try row.timestamp("changed_at"))
        usedAt = Timestamp(milliseconds: try row.timestamp("used_at"))
        lastTrainedAt = try row.optionalTimestamp("started_at").map { Timestamp(milliseconds: $0) }
    }

    /// The status by the latest training, and that training if it has not ended.
    fileprivate static func status(_ row: PostgresRow) throws -> (WorkoutStatus, String?) {
        let training = try row.optionalUUID("training_id")
        let endedAt = try row.optionalTimestamp("ended_at")
        return (
            training == nil ? .notStarted : endedAt == nil ? .inProgress : .completed, endedAt == nil ? training : nil
        )
    }

    func workout(exercises: [Exercise]) -> Workout {
        Workout(
            id: id, revision: revision, plan: plan, status: status, training: training, from: from,
            scheduledAt: scheduledAt, event: event, createdAt: createdAt, changedAt: changedAt,
            lastTrainedAt: lastTrainedAt, exercises: exercises)
    }
}

/// A workout in a list. PostgreSQL takes the figures from its plan: decoding a hundred plans would hold up the event loop.
struct ListedWorkout: Sendable {
    let summary: WorkoutSummary
    let usedAt: Timestamp

    /// Columns of a selected workout `w`.
    static let columns = """
        w.id, w.plan->>'title' AS title, w.plan->>'type' AS type, w.plan->>'intensity' AS intensity,
            (w.plan->>'minutes')::bigint AS minutes, w.plan->>'place' AS place,
            ARRAY(SELECT jsonb_array_elements_text(w.plan->'equipment')) AS equipment,
            ARRAY(SELECT jsonb_array_elements_text(w.plan->'tags')) AS tags,
            (SELECT count(*) FROM jsonb_path_query(w.plan, '$.sections[*].groups[*].entries[*]')) AS exercises,
            (SELECT count(*) FROM jsonb_path_query(w.plan, '$.sections[*].groups[*].entries[*].sets[*]')) AS sets,
            w.training_id, w.started_at, w.ended_at, w.from_name, w.scheduled_at, w.used_at
        """

    init(_ row: PostgresRow) throws {
        usedAt = Timestamp(milliseconds: try row.timestamp("used_at"))
        let (status, training) = try WorkoutRow.status(row)
        summary = WorkoutSummary(
            id: try row.uuid("id"), title: try row.text("title"),
            type: ExerciseType(rawValue: try row.text("type")) ?? .strength,
            intensity: WorkoutIntensity(rawValue: try row.text("intensity")) ?? .moderate,
            minutes: Int(try row.int("minutes")), place: WorkoutPlace(rawValue: try row.text("place")) ?? .anywhere,
            equipment: try row.textArray("equipment").compactMap { Equipment(rawValue: $0) },
            tags: try row.textArray("tags"), exercises: Int(try row.int("exercises")), sets: Int(try row.int("sets")),
            status: status, training: training, from: try row.optionalText("from_name"),
            scheduledAt: try row.optionalTimestamp("scheduled_at").map { Timestamp(milliseconds: $0) },
            lastTrainedAt: try row.optionalTimestamp("started_at").map { Timestamp(milliseconds: $0) })
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
