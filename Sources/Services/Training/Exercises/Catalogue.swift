import Foundation
import Training
import Wire

/// All exercises of one version, those of Campanile first. Immutable.
struct Catalogue: Sendable {
    /// An exercise with its folded name, its traits and the areas that it loads.
    struct Entry: Sendable {
        let exercise: Exercise
        let key: String
        /// The key in UTF-8, with a zero at the end.
        fileprivate let bytes: [CChar]
        let traits: ExerciseTraits
        let areas: Set<BodyArea>

        init(_ exercise: Exercise) {
            self.exercise = exercise
            key = Catalogue.key(exercise.name)
            bytes = key.utf8CString.map(\.self)
            traits = ExerciseTraits(of: exercise)
            areas = ExclusionRules.loadedAreas(of: traits)
        }

        /// The exercise with the reason for which rules exclude it.
        func exercise(excludedBy rules: [ExclusionRule]) -> Exercise {
            var exercise = exercise
            exercise.exclusion = rules.isEmpty ? nil : ExclusionRules.exclusion(of: traits, by: rules)
            return exercise
        }
    }

    /// Number of different words of a search; further ones are ignored.
    static let wordsMax = 8

    let version: Int64
    let entries: [Entry]
    /// Positions of the entries, by key.
    private let byKey: [Int]
    let recommender: Recommender
    private let positions: [String: Int]

    init(version: Int64, imported: [Exercise]) {
        self.version = version
        let exercises = ExerciseCatalogue.own + imported
        let entries = exercises.map { Entry($0) }
        self.entries = entries
        byKey = entries.indices.sorted {
            (entries[$0].key, entries[$0].exercise.id) < (entries[$1].key, entries[$1].exercise.id)
        }
        positions = Dictionary(entries.enumerated().map { ($1.exercise.id, $0) }) { first, _ in first }
        recommender = Recommender(catalogue: exercises)
    }

    subscript(id: String) -> Exercise? { positions[id].map { entries[$0].exercise } }

    func entry(_ id: String) -> Entry? { positions[id].map { entries[$0] } }

    /// The exercises of a plan, each once, in its order.
    func entries(of plan: WorkoutPlan) -> [Entry] {
        var seen: Set<String> = []
        return plan.sections.flatMap(\.groups).flatMap(\.entries).compactMap { entry in
            seen.insert(entry.exercise).inserted ? self.entry(entry.exercise) : nil
        }
    }

    /// Name for comparisons: lower case, without diacritics.
    static func key(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
    }

    /// Entries that match, names that begin with the text first, then by name. O(exercises × words).
    func matching(_ filter: ExercisesSearch.Params) -> [Entry] {
        let all = Self.key(filter.text ?? "").split(separator: " ")
        let text = all.joined(separator: " ")
        let words = Self.words(all)
        let equipment = filter.equipment.map(Set.init)
        var (first, others): ([Entry], [Entry]) = ([], [])
        for position in byKey {
            let entry = entries[position]
            guard Self.admits(entry, filter, equipment: equipment), words.allSatisfy({ strstr(entry.bytes, $0) != nil })
            else { continue }
            if entry.key.hasPrefix(text) { first.append(entry) } else { others.append(entry) }
        }
        return first + others
    }

    /// The first different words, with a zero at the end of each.
    static func words(_ all: [Substring]) -> [[CChar]] {
        var seen: Set<Substring> = []
        return all.filter { seen.insert($0).inserted }.prefix(wordsMax).map { String($0).utf8CString.map(\.self) }
    }

    private static func admits(
        _ entry: Entry, _ filter: ExercisesSearch.Params, equipment: Set<Equipment>?
    ) -> Bool {
        let exercise = entry.exercise
        if let muscle = filter.muscle, !exercise.primaryMuscles.contains(muscle),
            !exercise.secondaryMuscles.contains(muscle)
        {
            return false
        }
        if let equipment, !exercise.equipment.allSatisfy(equipment.contains) { return false }
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
    var summary: ExerciseSummary {
        ExerciseSummary(
            id: id, name: name, type: type, level: level, primaryMuscles: primaryMuscles, equipment: equipment,
            measures: measures, diagram: diagram, exclusion: exclusion)
    }
}
