import Postgres
import Training
import Wire

/// A training as the database has it.
struct TrainingRow: Sendable {
    /// The training without exercises.
    var training: Training
    /// All pauses, also behind an end that the server set.
    let storedPauses: [TrainingPause]
    /// Whether the server set the end, because the person had not ended the training for longer than one can last.
    var isEndedByServer: Bool
    /// Body data that its calories are computed with; nil before the end.
    var body: FrozenBody?

    typealias Query = @Sendable (String, [PostgresValue]) async throws -> PostgresRows

    private static let columns = """
        t.id, t.workout_id, t.together_id, t.plan::text AS plan, t.started_at, t.ended_at, t.ended_by_server, t.device,
        t.generation, t.pauses::text AS pauses, t.note, t.body::text AS body, t.gross, t.net, t.calorie_method, t.error_percent,
        t.pulse_average, t.pulse_minimum, t.pulse_maximum, coalesce(t.pulse_zones, '{}') AS pulse_zones
        """

    /// Loads a training of an account with its sets; nil if the account has none with this id.
    static func load(_ id: String, of account: Int64, now: Timestamp, _ query: Query) async throws -> TrainingRow? {
        try await load(
            "SELECT \(columns) FROM trainings t WHERE t.account_id = $1 AND t.id = $2", [.int(account), .uuid(id)],
            of: account, now: now, query
        ).first
    }

    /// Loads the trainings of an account that have not ended, the latest first.
    static func open(of account: Int64, max: Int, now: Timestamp, _ query: Query) async throws -> [TrainingRow] {
        try await load(
            """
            SELECT \(columns) FROM trainings t WHERE t.account_id = $1 AND t.ended_at IS NULL
            ORDER BY t.started_at DESC, t.id LIMIT $2
            """, [.int(account), .int(Int64(max))], of: account, now: now, query)
    }

    private static func load(
        _ sql: String, _ parameters: [PostgresValue], of account: Int64, now: Timestamp, _ query: Query
    ) async throws -> [TrainingRow] {
        var found: [TrainingRow] = []
        for row in try await query(sql, parameters) {
            let stored = try await query(
                StoredSet.select, [.int(account), .uuid(try row.uuid("id"))]
            ).map { try StoredSet.read($0) }
            found.append(try TrainingRow(row, stored, now: now))
        }
        return found
    }

    private init(_ row: PostgresRow, _ sets: [TrainingSet], now: Timestamp) throws {
        let plan = try WorkoutPlan(json: try row.text("plan"))
        let startedAt = Timestamp(milliseconds: try row.timestamp("started_at"))
        let endedAt = try row.optionalTimestamp("ended_at").map { Timestamp(milliseconds: $0) }
        let stored = try Pauses(json: try row.text("pauses")).list
        let pauses = try endedAt.map { try Pauses(stored, from: startedAt, to: $0, now: now).list } ?? stored
        storedPauses = stored
        isEndedByServer = try row.bool("ended_by_server")
        body = try row.optionalText("body").map { try WireJSON.decode(FrozenBody.self, from: Array($0.utf8)) }
        training = Training(
            id: try row.uuid("id"), workout: try row.optionalUUID("workout_id"),
            together: try row.optionalUUID("together_id"), plan: plan,
            state: endedAt != nil ? .finished : pauses.last.map { $0.until == nil } == true ? .paused : .active,
            startedAt: startedAt, endedAt: endedAt, pauses: pauses, activeSeconds: 0,
            sets: StoredSet.merged(sets, into: SetPlanning.sets(of: plan, at: startedAt), of: plan),
            note: try row.optionalText("note"), pulse: try Self.pulse(row),
            calories: try Self.calories(row, kilograms: body?.kilograms), device: try row.uuid("device"),
            generation: Int(try row.int("generation")), exercises: [])
        training.activeSeconds = SetPlanning.activeSeconds(of: training, now: now)
    }

    private static func pulse(_ row: PostgresRow) throws -> PulseSummary? {
        guard let average = try row.optionalInt("pulse_average") else { return nil }
        return PulseSummary(
            average: Int(average), minimum: Int(try row.int("pulse_minimum")),
            maximum: Int(try row.int("pulse_maximum")), zones: try row.doubleArray("pulse_zones"))
    }

    private static func calories(_ row: PostgresRow, kilograms: Double?) throws -> Calories? {
        guard let gross = try row.optionalInt("gross"), let kilograms,
            let method = try row.optionalText("calorie_method").flatMap({ CalorieMethod(rawValue: $0) })
        else { return nil }
        return Calories(
            gross: Int(gross), net: Int(try row.int("net")), method: method, kilograms: kilograms,
            errorPercent: Int(try row.int("error_percent")))
    }
}

/// Body data as of the end of a training. Later changes of the body data do not change it.
struct FrozenBody: Codable, Sendable, Equatable {
    var kilograms: Double?
    var height: Double?
    var age: Int?
    var gender: Gender?
    var restingPulse: Int?
    var maximumPulse: Int?

    init(_ body: Body) {
        kilograms = body.kilograms
        height = body.heightCentimetres
        age = body.age
        gender = body.sex
        restingPulse = body.restingPulse
        maximumPulse = body.maximumPulse
    }

    var body: Body {
        Body(
            age: age, sex: gender, heightCentimetres: height, kilograms: kilograms, restingPulse: restingPulse,
            maximumPulse: maximumPulse)
    }

    /// The body as a column has it.
    var json: String {
        get throws { String(decoding: try WireJSON.encode(self), as: UTF8.self) }
    }
}
