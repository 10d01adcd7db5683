import Wire

/// The sets that a training begins with.
public enum SetPlanning {
    /// Sets of the plan in its order, with the ids `<entry>/<n>`, which later syncs refer to.
    public static func sets(of plan: WorkoutPlan, at time: Timestamp) -> [TrainingSet] {
        plan.sections.flatMap(\.groups).flatMap(\.entries).flatMap { entry in
            entry.sets.enumerated().map { index, values in
                TrainingSet(
                    id: "\(entry.id)/\(index)", entry: entry.id, position: index, state: .planned, values: values,
                    at: time)
            }
        }
    }

    /// Seconds between start and end, or now, without pauses. Pauses that overlap count once.
    public static func activeSeconds(of training: Training, now: Timestamp) -> Double {
        0
    }
}
