import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Personal analytics")
struct AnalyticsTests {
    /// A finished training with sets of so many reps.
    private func trained(
        _ who: Identity, _ stage: TrainingWorld, at start: String, minutes: Double, reps: [Int], gross: Int = 100,
        pulse: Int? = nil
    ) async throws {
        let start = try #require(Timestamp(start))
        let id = TrainingWorld.id()
        _ = try await stage.world.pool.query(
            """
            INSERT INTO trainings (account_id, id, plan, started_at, ended_at, device, generation, active_seconds, gross, net,
                pulse_average, pulse_minimum, pulse_maximum, pulse_zones)
            VALUES ($1, $2, '{}', $3, $4, gen_random_uuid(), 1, $5, $6, $6 / 2, $7, $7, $7 + 10, '{}')
            """,
            [
                .int(who.account.id), .uuid(id), .timestamp(start.milliseconds),
                .timestamp(start.advanced(bySeconds: minutes * 60).milliseconds), .double(minutes * 60),
                .int(Int64(gross)),
                .optional(pulse.map(Int64.init)),
            ])
        for (index, reps) in reps.enumerated() {
            _ = try await stage.world.pool.query(
                """
                INSERT INTO training_sets (account_id, training_id, id, entry, position, state, reps, at)
                VALUES ($1, $2, $3, gen_random_uuid(), 0, $4, $5, now())
                """,
                [
                    .int(who.account.id), .uuid(id), .text("set \(index)"), .text(reps > 0 ? "done" : "removed"),
                    .int(Int64(reps)),
                ])
        }
    }

    private func ran(
        _ who: Identity, _ stage: TrainingWorld, at start: String, metres: Double, activity: String = "run"
    ) async throws {
        let start = try #require(Timestamp(start))
        _ = try await stage.world.pool.query(
            """
            INSERT INTO sessions (account_id, client_id, activity, title, state, simulated, started_at, ended_at, distance, moving)
            VALUES ($1, gen_random_uuid(), $2, 'Run', 'finished', false, $3, $4, $5, $6)
            """,
            [
                .int(who.account.id), .text(activity), .timestamp(start.milliseconds),
                .timestamp(start.advanced(bySeconds: 3_600).milliseconds), .double(metres),
                .double(metres / 1_609.344 * 540),
            ])
    }

    @Test("Days begin by the clocks of the person, also when these change, and have the sums of all sources")
    func days() async throws {
        let stage = try await TrainingWorld()
        let (who, other) = (try await stage.world.member(), try await stage.world.member())
        // Summer time ends in Berlin on 2026-10-25 at 01:00 UTC.
        try await trained(who, stage, at: "2026-10-24T22:30:00.000Z", minutes: 30, reps: [10, 12, 0], pulse: 120)
        try await trained(who, stage, at: "2026-10-25T22:30:00.000Z", minutes: 10, reps: [5], pulse: 150)
        try await trained(who, stage, at: "2026-10-25T23:30:00.000Z", minutes: 20, reps: [])
        try await trained(other, stage, at: "2026-10-25T12:00:00.000Z", minutes: 20, reps: [9])
        try await ran(who, stage, at: "2026-10-25T08:00:00.000Z", metres: 2_000, activity: "cycle")
        _ = try await stage.body.save(BodySaveWeight.Params(date: "2026-10-23", kilograms: 70), of: who)
        let berlin = try await stage.analytics.insights(
            .init(from: "2026-10-20", to: "2026-10-26", timeZone: "Europe/Berlin"), of: who)
        #expect(berlin.days.map(\.date) == ["2026-10-23", "2026-10-25", "2026-10-26"])
        let day = try #require(berlin.days.dropFirst().first)
        #expect((day.trainings, day.minutes, day.sets, day.reps, day.gross, day.net) == (2, 40, 3, 27, 200, 100))
        // By time: (120 × 30 + 150 × 10) / 40.
        #expect((day.averagePulse, day.maximumPulse, day.metres) == (128, 160, 2_000))
        #expect(day.steps == nil && !day.stepsEstimated, "a ride has no steps")
        #expect(berlin.days[0].kilograms == 70 && berlin.days[0].trainings == 0)
        // The zone is known from now on.
        #expect(
            try await stage.analytics.insights(.init(from: "2026-10-20", to: "2026-10-26"), of: who).days == berlin.days
        )
        let utc = try await stage.analytics.insights(
            .init(from: "2026-10-20", to: "2026-10-26", timeZone: "UTC"), of: who)
        #expect(utc.days.map(\.date) == ["2026-10-23", "2026-10-24", "2026-10-25"])
    }

    @Test("Steps are those that were entered, else estimated from runs and the height")
    func steps() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        func today() async throws -> InsightDay? {
            try await stage.analytics.insights(.init(from: "2026-11-28", to: "2026-11-28"), of: who).today
        }
        // Two miles in nine minutes each.
        try await ran(who, stage, at: "2026-11-28T08:00:00.000Z", metres: 3_218.688)
        #expect(try await today()?.steps == nil, "no height, no estimate")
        _ = try await stage.body.save(.init(heightCentimetres: 177.8), of: who)
        // 2 × (1084 + 143.6 × 9 - 13.5 × 70).
        #expect(try await today().map { $0.steps == 2_863 && $0.stepsEstimated } == true)
        try await stage.analytics.save(InsightsSaveDay.Params(date: "2026-11-28", steps: 9_000), of: who)
        try await stage.analytics.save(InsightsSaveDay.Params(date: "2026-11-28", restingPulse: 55), of: who)
        let day = try #require(try await today())
        #expect((day.steps, day.restingPulse) == (9_000, 55) && !day.stepsEstimated)
    }

    @Test("Entered figures of a day can be cleared, one or both")
    func clearing() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let day = "2026-11-28"
        func save(_ steps: Int? = nil, _ pulse: Int? = nil, clear: [DayFigure]? = nil) async throws {
            try await stage.analytics.save(
                InsightsSaveDay.Params(date: day, steps: steps, restingPulse: pulse, clear: clear), of: who)
        }
        func today() async throws -> InsightDay? {
            try await stage.analytics.insights(.init(from: day, to: day), of: who).today
        }
        try await save(9_000, 55)
        try await save(clear: [.steps])
        #expect(try await today().map { $0.steps == nil && $0.restingPulse == 55 } == true)
        try await save(8_000, clear: [.restingPulse])
        #expect(try await today().map { $0.steps == 8_000 && $0.restingPulse == nil } == true)
        try await save(clear: [.steps, .restingPulse])
        #expect(try await today() == nil)
        try await save(clear: [.steps])
        #expect(try await today() == nil, "the same again is harmless")
        let both = try await stage.refusal { try await save(1, clear: [.steps]) }
        #expect(both?.data?.field == "clear")
    }

    @Test("A waiting list is nothing upcoming, and a workout that is planned at an event is there once")
    func upcoming() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let at = stage.now.advanced(bySeconds: 3_600)
        func event(_ title: String, isWaiting: Bool) async throws -> Int64 {
            let event = try await stage.world.pool.query(
                """
                INSERT INTO events (owner_id, client_id, audience, state, title, starts_at, ends_at, place, created_at, changed_at)
                VALUES (NULL, gen_random_uuid(), 'public', 'published', $1, $2, $3, 'Here', now(), now()) RETURNING id
                """,
                [.text(title), .timestamp(at.milliseconds), .timestamp(at.advanced(bySeconds: 60).milliseconds)]
            )[0].int("id")
            _ = try await stage.world.pool.query(
                "INSERT INTO event_people (event_id, account_id, answer, is_waiting, queue) VALUES ($1, $2, 'going', $3, 1)",
                [.int(event), .int(who.account.id), .bool(isWaiting)])
            return event
        }
        _ = try await event("Full", isWaiting: true)
        let joined = try await event("Run", isWaiting: false)
        func upcoming() async throws -> [UpcomingEvent] {
            try await stage.analytics.insights(.init(from: "2026-11-28", to: "2026-11-28"), of: who).upcoming
        }
        #expect(try await upcoming().map(\.title) == ["Run"])
        let workout = try await stage.workout(of: who)
        _ = try await stage.workouts.schedule(.init(workout: workout.id, at: at, event: joined), of: who)
        let found = try await upcoming()
        #expect(found.count == 1 && found.first?.workout == workout.id && found.first?.event == joined)
    }

    @Test("The week begins on Monday, goals are replaced as a whole, and what is coming is in order")
    func week() async throws {
        // A Saturday.
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        for start in ["2026-11-22T23:59:00.000Z", "2026-11-23T00:01:00.000Z", "2026-11-28T08:00:00.000Z"] {
            try await trained(who, stage, at: start, minutes: 30, reps: [1])
        }
        let goals = InsightGoals(daySteps: 8_000, weekMinutes: 150)
        #expect(try await stage.analytics.save(goals, of: who) == goals)
        let workout = try await stage.workout(of: who)
        let at = stage.now.advanced(bySeconds: 7_200)
        _ = try await stage.workouts.schedule(.init(workout: workout.id, at: at), of: who)
        _ = try await stage.world.pool.query(
            """
            INSERT INTO events (owner_id, client_id, audience, state, title, starts_at, ends_at, place, created_at, changed_at)
            VALUES ($1, gen_random_uuid(), 'private', 'published', 'Run', $2, $3, 'Here', now(), now())
            """,
            [
                .int(who.account.id), .timestamp(stage.now.advanced(bySeconds: 3_600).milliseconds),
                .timestamp(stage.now.advanced(bySeconds: 3_700).milliseconds),
            ])
        let insights = try await stage.analytics.insights(.init(from: "2026-11-28", to: "2026-11-28"), of: who)
        #expect((insights.weekTrainings, insights.weekMinutes) == (2, 60))
        #expect(insights.goals == goals && insights.today?.trainings == 1 && insights.days.count == 1)
        #expect(insights.upcoming.map(\.title) == ["Run", "Morning"])
        #expect(insights.upcoming.last?.workout == workout.id && insights.upcoming.first?.event != nil)
        let none = InsightGoals(weekTrainings: 3)
        _ = try await stage.analytics.save(none, of: who)
        #expect(try await stage.analytics.insights(.init(from: "2026-11-28", to: "2026-11-28"), of: who).goals == none)
    }

    @Test("Spans of more than 400 days, wrong days and goals out of range are refused")
    func refused() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        for (from, to) in [("2025-10-01", "2026-11-28"), ("2026-11-28", "2026-11-27"), ("2026-11-31", "2026-12-01")] {
            let error = try await stage.refusal {
                _ = try await stage.analytics.insights(.init(from: from, to: to), of: who)
            }
            #expect(error?.registered == .invalidParams)
        }
        for goals in [
            InsightGoals(daySteps: 99), .init(dayCalories: 10_001), .init(weekTrainings: 0), .init(weekMinutes: 10_081),
        ] {
            let error = try await stage.refusal { _ = try await stage.analytics.save(goals, of: who) }
            #expect(error?.registered == .invalidParams)
        }
        for day in [
            InsightsSaveDay.Params(date: "2026-11-30", steps: 1), .init(date: "2026-11-28"),
            .init(date: "2026-11-28", steps: 200_001), .init(date: "2026-11-28", restingPulse: 24),
        ] {
            let error = try await stage.refusal { try await stage.analytics.save(day, of: who) }
            #expect(error?.registered == .invalidParams)
        }
    }

    @Test("A year of daily trainings with twenty sets each has a day for each")
    func year() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        _ = try await stage.world.pool.query(
            """
            WITH made AS (
                INSERT INTO trainings (account_id, id, plan, started_at, ended_at, device, generation, active_seconds, gross, net)
                SELECT $1, gen_random_uuid(), '{}', '2025-11-28 08:00Z'::timestamptz + n * interval '1 day',
                    '2025-11-28 08:40Z'::timestamptz + n * interval '1 day', gen_random_uuid(), 1, 2400, 200, 150
                FROM generate_series(1, 365) n RETURNING id)
            INSERT INTO training_sets (account_id, training_id, id, entry, position, state, reps, at)
            SELECT $1, id, s::text, gen_random_uuid(), 0, 'done', 10, now() FROM made, generate_series(1, 20) s
            """, [.int(who.account.id)])
        let begin = ContinuousClock.now
        let year = try await stage.analytics.insights(
            .init(from: "2025-11-28", to: "2026-11-28", timeZone: "Europe/Berlin"), of: who)
        if ProcessInfo.processInfo.environment["CAMPANILE_TEST_LOG"] != nil {
            print("a year of analytics took \(ContinuousClock.now - begin)")
        }
        #expect(year.days.count == 365 && year.days.allSatisfy { $0.sets == 20 && $0.reps == 200 })
    }
}
