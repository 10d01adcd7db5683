import Wire

/// Exercises written for Campanile.
public enum ExerciseCatalogue {
    /// Ids are `campanile/<slug>`.
    public static let own: [Exercise] = []
}
