import Wire

/// Advice for people before a workout.
public enum SafetyGuidelines {
    /// At most 12 sentences.
    public static func sentences(for body: Body, type: ExerciseType?) -> [String] {
        []
    }
}
