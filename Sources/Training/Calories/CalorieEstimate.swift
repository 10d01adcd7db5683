import Wire

/// Energy that a training took.
public enum CalorieEstimate {
    /// Nil without a weight, before the end, and if no time was active.
    /// - Parameters:
    ///   - exercises: Exercises of the plan; one that is missing counts by the type of the plan.
    ///   - body: Body data with the weight of the day of the training.
    ///   - pulse: In any order.
    public static func calories(
        of training: Training, exercises: [Exercise], for body: Body, pulse: [PulseSample] = []
    ) -> Calories? {
        nil
    }
}
