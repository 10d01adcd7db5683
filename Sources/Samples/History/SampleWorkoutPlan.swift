import Foundation
import Wire

/// A plan of a sample workout, made of exercises that the catalogue has.
struct SampleWorkoutPlan: Sendable {
    let title: String
    let words: String
    let type: ExerciseType
    let minutes: Int
    let place: WorkoutPlace
    let tags: [String]
    /// Position of the first exercise among those of the type, so that workouts differ.
    let first: Int

    /// The last one is scheduled and was not trained yet.
    static let all = [
        SampleWorkoutPlan(
            title: "Evening strength", words: "The whole body in half an hour, without equipment.", type: .strength,
            minutes: 35, place: .home, tags: ["evening", "basics"], first: 0),
        SampleWorkoutPlan(
            title: "Short and steady", words: "Three exercises for busy days.", type: .strength, minutes: 20,
            place: .anywhere, tags: ["short"], first: 3),
        SampleWorkoutPlan(
            title: "Sunday stretch", words: "Slow, with music.", type: .stretching, minutes: 20, place: .home,
            tags: ["mobility"], first: 0),
    ]
    static let shared = SampleWorkoutPlan(
        title: "Lakeside circuit", words: "Best with company.", type: .strength, minutes: 30, place: .outdoors,
        tags: ["outdoors"], first: 5)

    /// Nil if the catalogue has none of the type.
    func plan(of exercises: [ExerciseSummary]) -> WorkoutPlan? {
        let fitting = exercises.filter { $0.type == type }
        guard !fitting.isEmpty else { return nil }
        let chosen = (0..<min(4, fitting.count)).map { fitting[(first + $0) % fitting.count] }
        return WorkoutPlan(
            title: title, description: words, type: type, intensity: type == .stretching ? .light : .moderate,
            minutes: minutes, place: place, equipment: [], tags: tags,
            sections: [WorkoutSection(kind: .main, groups: chosen.map { WorkoutGroup(entries: [entry($0)]) })],
            videos: [])
    }

    private func entry(_ exercise: ExerciseSummary) -> WorkoutEntry {
        let measured = exercise.measures.contains(.reps) ? PlannedSet(reps: 12) : PlannedSet(seconds: 40)
        return WorkoutEntry(
            id: UUID().uuidString.lowercased(), exercise: exercise.id, sets: [measured, measured, measured],
            restSeconds: 60)
    }
}
