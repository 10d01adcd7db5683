import Wire

/// Excludes exercises that load an injured area, or that are unsuitable for a condition.
public enum ExclusionRules {
    /// First rule that excludes the exercise, as the member `exclusion` of ``Exercise`` states it.
    public static func exclusion(of exercise: Exercise, for body: Body) -> ExerciseExclusion? {
        nil
    }

    /// Areas whose injury excludes the exercise.
    public static func loadedAreas(of exercise: Exercise) -> Set<BodyArea> {
        []
    }
}
