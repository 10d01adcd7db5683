import Testing
import Training
import Wire

@Suite("Planned sets of a training")
struct SetPlanningTests {
    @Test("The sets of a plan have the ids <entry>/<n> in the order of the plan, and are planned")
    func ids() {
        let entries = ["a", "b"].map { id in
            WorkoutEntry(
                id: id, exercise: "campanile/squat", sets: [PlannedSet(reps: 8), PlannedSet(reps: 6)], restSeconds: 60)
        }
        let plan = WorkoutPlan(
            title: "Legs", type: .strength, intensity: .moderate, minutes: 20, place: .anywhere, equipment: [],
            tags: [], sections: [WorkoutSection(kind: .main, groups: [WorkoutGroup(entries: entries)])], videos: [])
        let sets = SetPlanning.sets(of: plan, at: Timestamp(milliseconds: 5))
        #expect(sets.map(\.id) == ["a/0", "a/1", "b/0", "b/1"])
        #expect(sets.map(\.position) == [0, 1, 0, 1])
        #expect(sets.allSatisfy { $0.state == .planned && $0.at.milliseconds == 5 })
        #expect(sets.map(\.values.reps) == [8, 6, 8, 6])
    }
}
