import EventLoop
import Foundation
import Postgres
import Wire

/// Personal analytics (C-3), computed by SQL at each request.
///
/// An actor on the hub's loop.
public actor Analytics {
    /// Longest span of days.
    static let daysMax = 400
    /// Largest number of entered days of an account.
    static let enteredMax: Int64 = 4_000
    /// Number of upcoming events and workouts.
    static let upcomingMax: Int64 = 5
    static let steps = 0...200_000
    static let daySteps = 100...100_000
    static let dayCalories = 10...10_000
    static let weekTrainings = 1...50
    static let weekMinutes = 1...10_080
    static let timeZoneSQL = "SELECT training_time_zone($1) AS time_zone"

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let database: PostgresPool
    private let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - loop: The hub's loop.
    ///   - now: The server's wall clock.
    public init(loop: EventLoop, database: PostgresPool, now: @escaping @Sendable () -> Timestamp = { .now }) {
        self.loop = loop
        self.database = database
        self.now = now
    }

    /// Returns the analytics of a span of days.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func insights(_ params: InsightsGet.Params, of identity: Identity) async throws -> Insights {
        let from = try Day.valid(params.from, "from")
        let to = try Day.valid(params.to, "to")
        guard (0...Self.daysMax).contains(Day.number(to) - Day.number(from)) else {
            throw RPCError.invalid("to", "must be 0 to \(Self.daysMax) days after from")
        }
        let account = identity.account.id
        let zone = try await zone(params.timeZone, of: account)
        let today = Day.day(of: now(), in: zone)
        // 1970-01-01 was a Thursday.
        let monday = Day.adding(-((Day.number(today) + 3) % 7), to: today)
        let days = try await days(of: account, from, to, zone)
        let week = try await self.days(of: account, monday, today, zone)
        let settings = try await database.query(
            """
            SELECT day_steps, day_calories, week_trainings, week_minutes, b.height, w.kilograms
            FROM accounts a LEFT JOIN insight_settings s ON s.account_id = a.id LEFT JOIN body_data b ON b.account_id = a.id
            LEFT JOIN LATERAL (SELECT kilograms FROM body_weights WHERE account_id = a.id ORDER BY day DESC LIMIT 1) w ON true
            WHERE a.id = $1
            """, [.int(account)])
        guard let row = settings.first else { throw Accounts.accountUnavailable }
        return Insights(
            from: from, to: to, days: days, goals: try InsightGoals(row), today: week.last { $0.date == today },
            weekTrainings: week.reduce(0) { $0 + $1.trainings }, weekMinutes: week.reduce(0) { $0 + $1.minutes },
            heightCentimetres: try row.optionalDouble("height"), kilograms: try row.optionalDouble("kilograms"),
            upcoming: try await upcoming(of: account))
    }

    /// The time zone of the request, which is remembered, or the last one.
    private func zone(_ name: String?, of account: Int64) async throws -> TimeZone {
        guard let name else {
            let known = try await database.query(Self.timeZoneSQL, [.int(account)]).first?.text("time_zone")
            return known.flatMap { Inputs.timeZone($0) } ?? .gmt
        }
        let zone = try Month.zone(name)
        _ = try await database.query(
            """
            INSERT INTO insight_settings AS i (account_id, time_zone) VALUES ($1, $2)
            ON CONFLICT (account_id) DO UPDATE SET time_zone = excluded.time_zone
            WHERE i.time_zone IS DISTINCT FROM excluded.time_zone
            """, [.int(account), .text(name)])
        return zone
    }

    private func days(of account: Int64, _ from: String, _ to: String, _ zone: TimeZone) async throws -> [InsightDay] {
        let rows = try await database.query(
            "SELECT d.*, d.day::text AS date FROM training_days($1, $2::date, $3::date, $4) d ORDER BY d.day",
            [.int(account), .text(from), .text(to), .text(zone.identifier == "GMT" ? "UTC" : zone.identifier)])
        return try rows.map { try InsightDay($0) }
    }

    /// Events that the account attends or owns, and scheduled workouts, the earliest first. A workout that is planned at an event stands
    /// for both.
    private func upcoming(of account: Int64) async throws -> [UpcomingEvent] {
        let rows = try await database.query(
            """
            SELECT title, starts_at, event, workout FROM (
                SELECT e.title, e.starts_at, e.id AS event, NULL::uuid AS workout FROM events e
                WHERE e.id IN (SELECT event_id FROM event_people WHERE account_id = $1 AND answer IN ('going', 'maybe') AND NOT is_waiting
                        UNION SELECT id FROM events WHERE owner_id = $1)
                    AND e.state = 'published' AND e.starts_at > $2 AND event_visible(e, $1::bigint)
                    AND NOT EXISTS (SELECT FROM workouts w
                        WHERE w.account_id = $1 AND w.event_id = e.id AND w.scheduled_at > $2)
                UNION ALL
                SELECT w.plan->>'title', w.scheduled_at, w.event_id, w.id FROM workouts w
                WHERE w.account_id = $1 AND w.scheduled_at > $2
            ) u ORDER BY starts_at, event, workout LIMIT $3
            """, [.int(account), .timestamp(now().milliseconds), .int(Self.upcomingMax)])
        return try rows.map { row in
            UpcomingEvent(
                title: try row.text("title"), startsAt: Timestamp(milliseconds: try row.timestamp("starts_at")),
                event: try row.optionalInt("event"), workout: try row.optionalUUID("workout"))
        }
    }

    // MARK: Changing

    /// Sets the goals. Omitted goals are removed.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func save(_ goals: InsightGoals, of identity: Identity) async throws -> InsightGoals {
        func check(_ value: Int?, _ allowed: ClosedRange<Int>, _ field: String) throws -> PostgresValue {
            guard let value else { return .null }
            guard allowed.contains(value) else {
                throw RPCError.invalid(field, "must be \(allowed.lowerBound) to \(allowed.upperBound)")
            }
            return .int(Int64(value))
        }
        _ = try await database.query(
            """
            INSERT INTO insight_settings AS i (account_id, time_zone, day_steps, day_calories, week_trainings, week_minutes)
            VALUES ($1, training_time_zone($1), $2, $3, $4, $5)
            ON CONFLICT (account_id) DO UPDATE SET day_steps = excluded.day_steps, day_calories = excluded.day_calories,
                week_trainings = excluded.week_trainings, week_minutes = excluded.week_minutes
            """,
            [
                .int(identity.account.id), try check(goals.daySteps, Self.daySteps, "daySteps"),
                try check(goals.dayCalories, Self.dayCalories, "dayCalories"),
                try check(goals.weekTrainings, Self.weekTrainings, "weekTrainings"),
                try check(goals.weekMinutes, Self.weekMinutes, "weekMinutes"),
            ])
        return goals
    }

    /// Sets and clears entered figures of a day.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func save(_ params: InsightsSaveDay.Params, of identity: Identity) async throws {
        let day = try Day.past(params.date, "date", now: now())
        let clear = Set(params.clear ?? [])
        guard params.steps != nil || params.restingPulse != nil || !clear.isEmpty else {
            throw RPCError.invalid("steps", "or restingPulse is to be given, or clear")
        }
        let given: [DayFigure: Int?] = [.steps: params.steps, .restingPulse: params.restingPulse]
        guard !clear.contains(where: { given[$0] ?? nil != nil }) else {
            throw RPCError.invalid("clear", "must not name a member that is given")
        }
        if let steps = params.steps, !Self.steps.contains(steps) {
            throw RPCError.invalid("steps", "must be 0 to 200000")
        }
        if let pulse = params.restingPulse, !BodyRecords.restingPulse.contains(pulse) {
            throw RPCError.invalid("restingPulse", "must be 25 to 120")
        }
        let account = identity.account.id
        try await database.transaction { transaction in
            _ = try await transaction.query(Accounts.lock, [.intArray([account])])
            let others = try await transaction.query(
                "SELECT count(*) AS n FROM insight_days WHERE account_id = $1 AND day <> $2::date",
                [.int(account), .text(day)])
            guard try others.first?.int("n") ?? 0 < Self.enteredMax else {
                throw RPCError.invalid("date", "is one too many: \(Self.enteredMax) days have figures")
            }
            _ = try await transaction.query(
                """
                INSERT INTO insight_days AS d (account_id, day, steps, resting_pulse) VALUES ($1, $2::date, $3, $4)
                ON CONFLICT (account_id, day) DO UPDATE SET
                    steps = CASE WHEN NOT $5 THEN coalesce(excluded.steps, d.steps) END,
                    resting_pulse = CASE WHEN NOT $6 THEN coalesce(excluded.resting_pulse, d.resting_pulse) END
                """,
                [
                    .int(account), .text(day), .optional(params.steps.map(Int64.init)),
                    .optional(params.restingPulse.map(Int64.init)), .bool(clear.contains(.steps)),
                    .bool(clear.contains(.restingPulse)),
                ])
            guard !clear.isEmpty else { return }
            _ = try await transaction.query(
                """
                DELETE FROM insight_days
                WHERE account_id = $1 AND day = $2::date AND steps IS NULL AND resting_pulse IS NULL
                """, [.int(account), .text(day)])
        }
    }
}

extension InsightGoals {
    fileprivate init(_ row: PostgresRow) throws {
        self.init(
            daySteps: try row.optionalInt("day_steps").map { Int($0) },
            dayCalories: try row.optionalInt("day_calories").map { Int($0) },
            weekTrainings: try row.optionalInt("week_trainings").map { Int($0) },
            weekMinutes: try row.optionalInt("week_minutes").map { Int($0) })
    }
}

extension InsightDay {
    fileprivate init(_ row: PostgresRow) throws {
        self.init(
            date: try row.text("date"), trainings: Int(try row.int("trainings")), minutes: try row.double("minutes"),
            sets: Int(try row.int("sets")), reps: Int(try row.int("reps")), gross: Int(try row.int("gross")),
            net: Int(try row.int("net")), metres: try row.double("metres"),
            steps: try row.optionalInt("steps").map { Int($0) }, stepsEstimated: try row.bool("is_estimated"),
            kilograms: try row.optionalDouble("kilograms"),
            restingPulse: try row.optionalInt("resting_pulse").map { Int($0) },
            averagePulse: try row.optionalInt("average_pulse").map { Int($0) },
            maximumPulse: try row.optionalInt("maximum_pulse").map { Int($0) })
    }
}
