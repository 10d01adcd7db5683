import Postgres
import Training
import Wire

/// Body data of an account, with the age and the gender of its profile.
struct KnownBody: Sendable {
    let data: BodyData
    let birthday: CalendarDay?
    let gender: Gender?
    /// Time of the query.
    private let now: Timestamp

    static let sql = """
        SELECT b.height, coalesce(b.conditions, '{}') AS conditions, coalesce(b.goals, '{}') AS goals,
            b.last_period::text AS last_period, b.last_period_skip, b.resting_pulse, b.maximum_pulse, b.confirmed_at,
            p.gender, p.birthday::text AS birthday, w.day::text AS day, w.kilograms,
            (SELECT json_agg(json_build_object('id', i.id, 'type', i.type, 'area', i.area, 'from', i.from_day,
                'until', i.until_day, 'note', i.note) ORDER BY i.from_day DESC, i.id)
                FROM injuries i WHERE i.account_id = a.id)::text AS injuries
        FROM accounts a LEFT JOIN body_data b ON b.account_id = a.id LEFT JOIN profiles p ON p.account_id = a.id
        LEFT JOIN LATERAL (SELECT day, kilograms FROM body_weights WHERE account_id = a.id ORDER BY day DESC LIMIT 1) w ON true
        WHERE a.id = $1
        """

    init(_ row: PostgresRow, now: Timestamp) throws {
        self.now = now
        gender = try row.optionalText("gender").flatMap { Gender(rawValue: $0) }
        birthday = try row.optionalText("birthday").flatMap { CalendarDay($0) }
        let injuries = try row.optionalText("injuries").map { try WireJSON.decode([Injury].self, from: Array($0.utf8)) }
        let confirmedAt = try row.optionalTimestamp("confirmed_at").map { Timestamp(milliseconds: $0) }
        var weight: BodyWeight?
        if let day = try row.optionalText("day") {
            weight = BodyWeight(date: day, kilograms: try row.double("kilograms"))
        }
        var period: LastPeriod?
        if let day = try row.optionalText("last_period") {
            period = LastPeriod(date: day)
        } else if let reason = try row.optionalText("last_period_skip").flatMap({ LastPeriodSkip(rawValue: $0) }) {
            period = LastPeriod(skipped: reason)
        }
        data = BodyData(
            heightCentimetres: try row.optionalDouble("height"), weight: weight, injuries: injuries ?? [],
            conditions: try row.textArray("conditions").compactMap { HealthCondition(rawValue: $0) },
            goals: try row.textArray("goals").compactMap { FitnessGoal(rawValue: $0) }, lastPeriod: period,
            asksLastPeriod: gender == nil || gender == .female,
            restingPulse: try row.optionalInt("resting_pulse").map { Int($0) },
            maximumPulse: try row.optionalInt("maximum_pulse").map { Int($0) },
            estimatedMaximumPulse: birthday.map { Body.estimatedMaximumPulse(age: $0.years(until: CalendarDay(now))) },
            confirmedAt: confirmedAt,
            isStale: confirmedAt.map { now.seconds(since: $0) > BodyRecords.staleDays * Timestamp.daySeconds } ?? true)
    }

    /// The body now. Injuries count while it is one of their days anywhere: the server does not know the time zone of the person, and to
    /// leave out an exercise for some hours too many is harmless.
    var present: Body { body(age: CalendarDay(now).description, injuries: Day.earliest(now)...Day.latest(now)) }

    /// The body on a day.
    /// - Parameter kilograms: Weight of the day; nil for the latest one.
    func body(on day: String, kilograms: Double?) -> Body {
        body(age: day, injuries: day...day, kilograms: kilograms)
    }

    private func body(age day: String, injuries days: ClosedRange<String>, kilograms: Double? = nil) -> Body {
        let age = birthday.flatMap { birthday in CalendarDay(day).map { birthday.years(until: $0) } }
        return Body(data, on: days, age: age.flatMap { $0 >= 0 ? $0 : nil }, sex: gender, kilograms: kilograms)
    }
}
