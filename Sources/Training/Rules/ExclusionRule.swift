import Wire

/// A rule that excludes exercises for people with an injured area or a condition.
public struct ExclusionRule: Sendable {
    /// Such as `knee.bend`.
    public let id: String
    /// Injured area; nil for a rule of a condition.
    public let area: BodyArea?
    public let condition: HealthCondition?
    /// One sentence for people.
    public let reason: String
    /// Short name of the guideline.
    public let source: String
    /// Each of these excludes.
    let movements: Movements
    /// Muscles that exclude as primary ones, in stretches too.
    let primary: MuscleSet
    /// Muscles that exclude as secondary ones of strengthening exercises.
    let secondary: MuscleSet
    /// Whether easy walking, cycling and swimming are allowed although they use the muscles.
    let sparesEasyEndurance: Bool

    static func area(
        _ area: BodyArea, _ aspect: String, _ movements: Movements, primary: [Muscle] = [], secondary: [Muscle] = [],
        sparesEasyEndurance: Bool = false, _ reason: String, _ source: String
    ) -> ExclusionRule {
        ExclusionRule(
            id: "\(area.rawValue).\(aspect)", area: area, condition: nil, reason: reason, source: source,
            movements: movements, primary: MuscleSet(primary), secondary: MuscleSet(secondary),
            sparesEasyEndurance: sparesEasyEndurance)
    }

    static func condition(
        _ condition: HealthCondition, _ aspect: String, _ movements: Movements, primary: [Muscle] = [],
        _ reason: String, _ source: String
    ) -> ExclusionRule {
        ExclusionRule(
            id: "\(condition.rawValue).\(aspect)", area: nil, condition: condition, reason: reason, source: source,
            movements: movements, primary: MuscleSet(primary), secondary: [],
            sparesEasyEndurance: false)
    }

    func excludes(_ traits: ExerciseTraits) -> Bool {
        if !traits.movements.isDisjoint(with: movements) { return true }
        if sparesEasyEndurance, traits.isEasyEndurance { return false }
        return !traits.primary.isDisjoint(with: primary)
            || (traits.isStrengthening && !traits.secondary.isDisjoint(with: secondary))
    }
}
