import Wire

/// Excludes exercises that load an injured area, or that are unsuitable for a condition.
public enum ExclusionRules {
    /// All rules; the first that applies gives the reason.
    public static let rules: [ExclusionRule] = areaRules + conditionRules

    /// First rule that excludes the exercise, as the member `exclusion` of ``Exercise`` states it.
    public static func exclusion(of exercise: Exercise, for body: Body) -> ExerciseExclusion? {
        let rules = rules(for: body)
        return rules.isEmpty ? nil : exclusion(of: ExerciseTraits(of: exercise), by: rules)
    }

    /// The same for an exercise whose traits are kept: deriving them takes far longer than the rules.
    public static func exclusion(of traits: ExerciseTraits, for body: Body) -> ExerciseExclusion? {
        exclusion(of: traits, by: rules(for: body))
    }

    /// Rules that concern a person.
    public static func rules(for body: Body) -> [ExclusionRule] {
        let areas = Set(body.injuries.map(\.area))
        let conditions = Set(body.conditions)
        guard !areas.isEmpty || !conditions.isEmpty else { return [] }
        return rules.filter { rule in
            rule.area.map(areas.contains) ?? rule.condition.map(conditions.contains) ?? false
        }
    }

    public static func exclusion(of traits: ExerciseTraits, by rules: [ExclusionRule]) -> ExerciseExclusion? {
        rules.first { $0.excludes(traits) }.map {
            ExerciseExclusion(area: $0.area, condition: $0.condition, reason: $0.reason, source: $0.source)
        }
    }

    /// Areas whose injury excludes the exercise.
    public static func loadedAreas(of exercise: Exercise) -> Set<BodyArea> {
        loadedAreas(of: ExerciseTraits(of: exercise))
    }

    public static func loadedAreas(of traits: ExerciseTraits) -> Set<BodyArea> {
        Set(areaRules.lazy.filter { $0.excludes(traits) }.compactMap(\.area))
    }
}
