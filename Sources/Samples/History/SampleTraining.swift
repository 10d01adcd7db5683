import Foundation
import Wire

/// Body data, workouts and ten weeks of trainings of the sample people.
struct SampleTraining: Sendable {
    /// Length of the history.
    private static let weeks = 10
    /// Days of the week, counted from today, on which the visitor trained.
    private static let days = [1, 3, 5]
    /// Number of the sets of a training that are left out now and then, so that trainings differ.
    private static let skippedEvery = 4

    let people: SamplePeople
    let time: SampleTime

    /// Makes everything. The buddies are known to each other.
    func make() async throws {
        let visitor = people.visitor
        try await body(of: visitor, height: 168, from: 64.8, to: 62.4, pulse: 58)
        let exercises = try await visitor.client.call(ExercisesSearch.self, .init(equipment: [], limit: 60)).exercises
        let plans = SampleWorkoutPlan.all.compactMap { $0.plan(of: exercises) }
        var workouts: [String] = []
        for plan in plans {
            let id = UUID().uuidString.lowercased()
            if try await visitor.attempt(WorkoutsSave.self, .init(id: id, plan: plan)) != nil { workouts.append(id) }
        }
        guard !workouts.isEmpty else { return }
        for number in 0..<Self.weeks * Self.days.count {
            let daysAgo = number / Self.days.count * 7 + Self.days[number % Self.days.count]
            try await train(visitor, workouts[number % max(1, workouts.count - 1)], daysAgo: daysAgo, number: number)
        }
        try await visitor.attempt(
            WorkoutsSchedule.self,
            .init(workout: workouts[workouts.count - 1], at: time.coming(inDays: 1, hour: 18)))
        try await visitor.attempt(
            InsightsSaveGoals.self, .init(daySteps: 8_000, dayCalories: 300, weekTrainings: 3, weekMinutes: 150))
        for day in 1...14 {
            try await visitor.attempt(
                InsightsSaveDay.self,
                .init(date: date(daysAgo: day), steps: 6_000 + day * 1_237 % 4_000, restingPulse: 56 + day % 4))
        }
        try await buddies(exercises)
    }

    /// Body data, and a weight a week.
    private func body(
        of person: SamplePerson, height: Double, from first: Double, to last: Double, pulse: Int
    ) async throws {
        try await person.attempt(
            BodySave.self,
            .init(
                heightCentimetres: height, conditions: [], goals: [.improveEndurance, .stayHealthy],
                lastPeriod: .init(skipped: .preferNotToSay), restingPulse: pulse))
        for week in 0...Self.weeks {
            let kilograms = last + (first - last) * Double(week) / Double(Self.weeks)
            try await person.attempt(BodySaveWeight.self, .init(date: date(daysAgo: week * 7), kilograms: kilograms))
        }
    }

    private func date(daysAgo days: Int) -> String { String(time.past(days: days, hour: 12).description.prefix(10)) }

    /// A training that has ended. It begins now, and is edited to the time of long ago.
    private func train(_ person: SamplePerson, _ workout: String, daysAgo: Int, number: Int) async throws {
        let id = UUID().uuidString.lowercased()
        let now = time.ago(minutes: 1)
        guard
            let started = try await person.attempt(
                TrainingStart.self, .init(id: id, workout: workout, startedAt: now, device: UUID().uuidString))
        else { return }
        let sets = started.sets.enumerated().map { index, set -> TrainingSet in
            var set = set
            set.state = (index + number) % (Self.skippedEvery * 3) == 0 ? .skipped : .done
            set.at = now.advanced(bySeconds: 1)
            return set
        }
        let start = time.past(days: daysAgo, hour: 17, minute: number * 7 % 60)
        try await person.attempt(
            TrainingFinish.self, .init(training: id, endedAt: now.advanced(bySeconds: 10), sets: sets))
        try await person.attempt(
            TrainingEdit.self,
            .init(
                training: id, startedAt: start,
                endedAt: start.advanced(bySeconds: Double(25 + number * 5 % 20) * 60),
                note: number % 5 == 0 ? "Felt strong today." : nil))
        try await person.attempt(TrainingRecalculate.self, .init(training: id))
    }

    /// Some students train as well, and the visitor's first buddy shares a workout.
    private func buddies(_ exercises: [ExerciseSummary]) async throws {
        for (index, buddy) in SampleDialogue.visitorBuddies.prefix(2).enumerated() {
            let person = people.students[buddy]
            try await body(of: person, height: 172 + Double(index) * 6, from: 72, to: 71, pulse: 60)
            guard let plan = SampleWorkoutPlan.shared.plan(of: exercises) else { return }
            let id = UUID().uuidString.lowercased()
            try await person.attempt(WorkoutsSave.self, .init(id: id, plan: plan))
            guard index == 0 else { continue }
            try await person.attempt(WorkoutsShare.self, .init(workout: id, buddy: people.visitor.account.username))
        }
    }
}
