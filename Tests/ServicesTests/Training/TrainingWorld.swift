import Foundation
import Postgres
import TestSupport
import Wire

@testable import Services

/// The services of training over a real database, with a clock that the test moves.
struct TrainingWorld: Sendable {
    let world: World
    let body: BodyRecords
    let exercises: Exercises
    let workouts: Workouts
    let trainings: Trainings
    let analytics: Analytics

    var now: Timestamp { world.clock.now }

    /// - Parameter access: A database of its own, whose world the test closes; nil for the shared one.
    init(at noon: String = "2026-11-28T12:00:00.000Z", access: PrivateCluster.Access? = nil) async throws {
        world = if let access { World(access: access) } else { try await World() }
        let clock = world.clock
        if let start = Timestamp(noon) { clock.advance(bySeconds: start.seconds(since: clock.now)) }
        let now: @Sendable () -> Timestamp = { clock.now }
        body = BodyRecords(loop: world.loop, database: world.pool, now: now)
        exercises = Exercises(loop: world.loop, database: world.pool, body: body, now: now)
        let search = Search(
            loop: world.loop, database: world.pool, campus: world.campus,
            openingHours: OpeningHours(library: nil, logger: TestDatabase.logger), logger: TestDatabase.logger)
        workouts = Workouts(
            loop: world.loop, database: world.pool, hub: world.hub, exercises: exercises, body: body, search: search,
            now: now)
        trainings = Trainings(
            loop: world.loop, database: world.pool, hub: world.hub, exercises: exercises, body: body, search: search,
            now: now)
        analytics = Analytics(loop: world.loop, database: world.pool, now: now)
    }

    static func id() -> String { UUID().uuidString.lowercased() }

    /// A plan with one entry for each exercise, of so many sets each.
    static func plan(
        _ title: String = "Morning", exercises: [String] = ["campanile/push-up", "campanile/squat"], sets: Int = 3
    ) -> WorkoutPlan {
        WorkoutPlan(
            title: title, type: .strength, intensity: .moderate, minutes: 30, place: .anywhere, equipment: [],
            tags: [],
            sections: [
                WorkoutSection(
                    kind: .main,
                    groups: exercises.map { exercise in
                        WorkoutGroup(entries: [
                            WorkoutEntry(
                                id: id(), exercise: exercise,
                                sets: (0..<sets).map { _ in PlannedSet(reps: 10) }, restSeconds: 60)
                        ])
                    })
            ], videos: [])
    }

    /// A saved workout.
    func workout(of who: Identity, _ plan: WorkoutPlan = plan()) async throws -> Workout {
        try await workouts.save(.init(id: Self.id(), plan: plan), of: who)
    }

    /// A training that began so many minutes ago.
    func start(_ workout: Workout, by who: Identity, minutesAgo: Double = 60, id: String = id()) async throws
        -> Training
    {
        try await trainings.start(
            .init(
                id: id, workout: workout.id, startedAt: now.advanced(bySeconds: -minutesAgo * 60), device: Self.id()),
            by: who)
    }

    /// A set of a training as done.
    static func done(
        _ training: Training, _ index: Int, reps: Int = 10, state: SetState = .done, at: Timestamp
    ) -> TrainingSet {
        var set = training.sets[index]
        (set.state, set.values.reps, set.at) = (state, reps, at)
        return set
    }

    /// Two people who are buddies.
    func buddies() async throws -> (Identity, Identity) {
        let (one, other) = (try await world.member(), try await world.member())
        let (low, high) = (min(one.account.id, other.account.id), max(one.account.id, other.account.id))
        _ = try await world.pool.query(
            """
            INSERT INTO buddies (low_id, high_id, conversation_id, matched_at)
            VALUES ($1, $2, chat_open_direct($1, $2, now()), now())
            """, [.int(low), .int(high)])
        return (one, other)
    }

    /// The error that a request is refused with.
    func refusal(_ body: () async throws -> Void) async throws -> RPCError? {
        do {
            try await body()
            return nil
        } catch let error as RPCError {
            return error
        }
    }
}
