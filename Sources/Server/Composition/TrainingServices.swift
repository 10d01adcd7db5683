import EventLoop
import Hub
import Postgres
import Services

/// The services of training.
struct TrainingServices: Sendable {
    let body: BodyRecords
    let exercises: Exercises
    let workouts: Workouts
    let trainings: Trainings
    let analytics: Analytics

    init(loop: EventLoop, _ pool: PostgresPool, hub: Hub, search: Search) {
        body = BodyRecords(loop: loop, database: pool)
        exercises = Exercises(loop: loop, database: pool, body: body)
        workouts = Workouts(
            loop: loop, database: pool, hub: hub, exercises: exercises, body: body, search: search)
        trainings = Trainings(
            loop: loop, database: pool, hub: hub, exercises: exercises, body: body, search: search)
        analytics = Analytics(loop: loop, database: pool)
    }
}
