import Wire

/// Exercises written for Campanile.
public enum ExerciseCatalogue {
    /// Ids are `campanile/<slug>`.
    public static let own: [Exercise] =
        push + pull + legs + core + machines + explosive + cardio + swimming + balance + warmUp + coolDown

    /// Ids of exercises that a workout begins with.
    public static let warmUps: Set<String> = Set(warmUp.map(\.id))
        .union(["campanile/easy-front-crawl", "campanile/water-walking", "campanile/easy-cycling"])

    /// Ids of exercises that a workout ends with.
    public static let coolDowns: Set<String> = Set(coolDown.map(\.id))
        .union(["campanile/easy-backstroke", "campanile/easy-water-walking"])

    /// An exercise of the catalogue.
    /// - Parameters:
    ///   - slug: Part of the id after `campanile/`.
    ///   - pose: Name of the diagram.
    ///   - sides: Whether each side is done alone.
    static func own(
        _ slug: String, _ name: String, _ type: ExerciseType, _ level: ExerciseLevel, _ primary: [Muscle],
        _ secondary: [Muscle] = [], with equipment: [Equipment] = [], by measures: [SetMeasure] = [.reps],
        _ met: MetabolicEquivalent, pose: String, sides: Bool = false, caution: String? = nil, _ steps: String...
    ) -> Exercise {
        Exercise(
            id: "campanile/\(slug)", source: .campanile, name: name, type: type, level: level, primaryMuscles: primary,
            secondaryMuscles: secondary, equipment: equipment, measures: measures, instructions: steps,
            caution: caution, met: met, isUnilateral: sides, diagram: pose)
    }
}
