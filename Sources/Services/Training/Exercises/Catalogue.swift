import Foundation
import Training
import Wire

/// All exercises of one version, those of Campanile first. Immutable.
struct Catalogue: Sendable {
    /// An exercise with its folded name and the areas that it loads.
    struct Entry: Sendable {
        let exercise: Exercise
        let key: String
        let areas: Set<BodyArea>
    }

    let version: Int64
    let entries: [Entry]
    let recommender: Recommender
    private let positions: [String: Int]

    init(version: Int64, imported: [Exercise]) {
        self.version = version
        let exercises = ExerciseCatalogue.own + imported
        entries = exercises.map {
            Entry(exercise: $0, key: Self.key($0.name), areas: ExclusionRules.loadedAreas(of: $0))
        }
        positions = Dictionary(entries.enumerated().map { ($1.exercise.id, $0) }) { first, _ in first }
        recommender = Recommender(catalogue: exercises)
    }

    subscript(id: String) -> Exercise? { positions[id].map { entries[$0].exercise } }

    /// The exercises of a plan, each once, in its order.
    func exercises(of plan: WorkoutPlan) -> [Exercise] {
        var seen: Set<String> = []
        return plan.sections.flatMap(\.groups).flatMap(\.entries).compactMap { entry in
            seen.insert(entry.exercise).inserted ? self[entry.exercise] : nil
        }
    }

    /// Name for comparisons: lower case, without diacritics.
    static func key(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
    }

    /// Exercises that match, names that begin with the text first, then by name. O(exercises).
    func matching(_ filter: ExercisesSearch.Params) -> [Exercise] {
        let words = Self.key(filter.text ?? "").split(separator: " ").map(String.init)
        let text = words.joined(separator: " ")
        let matches = entries.filter { entry in
            Self.admits(entry, filter) && words.allSatisfy { entry.key.contains($0) }
        }
        return matches.sorted { one, other in
            let (first, second) = (one.key.hasPrefix(text), other.key.hasPrefix(text))
            if first != second { return first }
            return (one.key, one.exercise.id) < (other.key, other.exercise.id)
        }.map(\.exercise)
    }

    private static func admits(_ entry: Entry, _ filter: ExercisesSearch.Params) -> Bool {
        let exercise = entry.exercise
        if let muscle = filter.muscle, !exercise.primaryMuscles.contains(muscle),
            !exercise.secondaryMuscles.contains(muscle)
        {
            return false
        }
        if let equipment = filter.equipment, !exercise.equipment.allSatisfy(equipment.contains) { return false }
        if let type = filter.type, exercise.type != type { return false }
        if let level = filter.level, exercise.level.rank > level.rank { return false }
        if let area = filter.area, entry.areas.contains(area) { return false }
        return true
    }
}

extension ExerciseLevel {
    /// 0 for the lowest.
    var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension Exercise {
    /// The exercise with the reason for which it is not recommended for a body.
    func excluded(for body: Body) -> Exercise {
        var exercise = self
        exercise.exclusion = ExclusionRules.exclusion(of: self, for: body)
        return exercise
    }

    var summary: ExerciseSummary {
        ExerciseSummary(
            id: id, name: name, type: type, level: level, primaryMuscles: primaryMuscles, equipment: equipment,
            measures: measures, diagram: diagram, exclusion: exclusion)
    }
}
