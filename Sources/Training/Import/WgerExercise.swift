import Wire

/// A muscle, an equipment or a category of wger: an object, or its id alone in older replies.
struct WgerReference: Decodable {
    let id: Int?
    let name: String?

    private enum Key: String, CodingKey {
        case id, name
    }

    init(from decoder: any Decoder) throws {
        if let id = try? decoder.singleValueContainer().decode(Int.self) {
            (self.id, name) = (id, nil)
            return
        }
        let container = try decoder.container(keyedBy: Key.self)
        id = try? container.decodeIfPresent(Int.self, forKey: .id)
        name = try? container.decodeIfPresent(String.self, forKey: .name)
    }
}

/// Name and description in a language.
struct WgerTranslation: Decodable {
    let language: Int?
    let name: String?
    let description: String?
}

struct WgerLicence: Decodable {
    let shortName: String?
}

/// An exercise of wger's `exerciseinfo`.
struct WgerExercise: NamedEntry {
    let id: Int?
    let name: String?
    let description: String?
    let category: WgerReference?
    let muscles: [WgerReference]?
    let musclesSecondary: [WgerReference]?
    let equipment: [WgerReference]?
    let translations: [Lenient<WgerTranslation>]?
    let license: Lenient<WgerLicence>?
    let licenseAuthor: String?

    /// wger's id of English.
    static let english = 2

    private var translation: WgerTranslation? {
        translations?.lazy.compactMap(\.value).first { $0.language == Self.english }
    }

    var label: String { translation?.name ?? name ?? id.map { String($0) } ?? "" }

    func exercise() throws(SkipReason) -> Exercise {
        guard let id, id >= 0 else { throw SkipReason("It has no id.") }
        let name = ImportedText.line(translation?.name ?? name ?? "", max: ExerciseImport.nameLengthMax)
        guard !name.isEmpty else { throw SkipReason("It has no English name.") }
        guard let category = category?.id, Self.categories[category] != nil else {
            throw SkipReason("Its category is unknown.")
        }
        var primary = try Self.muscles(muscles ?? [])
        if primary.isEmpty { primary = Self.categories[category] ?? [] }
        let secondary = try Self.muscles(musclesSecondary ?? []).filter { !primary.contains($0) }
        let words = ImportedGuess.words(of: name)
        let type = Self.type(category: category, name: words)
        let steps = ImportedText.lines(ofHTML: translation?.description ?? description ?? "")
        var own: [Equipment] = []
        for reference in (equipment ?? []).prefix(Equipment.allCases.count) {
            guard let found = Self.equipment[reference.id ?? 0] else { throw SkipReason("Its equipment is unknown.") }
            if let found, !own.contains(found) { own.append(found) }
        }
        let equipment = ImportedGuess.equipment(own, type: type, name: words, steps: steps)
        // wger has no levels.
        let level = ExerciseLevel.intermediate
        return Exercise(
            id: "wger/\(id)", source: .wger, name: name, type: type, level: level, primaryMuscles: primary,
            secondaryMuscles: secondary, equipment: equipment,
            measures: ImportedGuess.measures(type: type, equipment: equipment, isStatic: words.contains(" plank")),
            instructions: steps,
            met: ImportedGuess.met(
                type: type, name: words, equipment: equipment, isCompound: !secondary.isEmpty, level: level),
            isUnilateral: ImportedGuess.isUnilateral(words), credit: credit)
    }

    private var credit: String {
        let author = ImportedText.line(licenseAuthor ?? "", max: 100)
        let licence = ImportedText.line(license?.value?.shortName ?? "", max: 40)
        let parts = ["wger", author, licence.isEmpty ? "CC BY-SA" : licence].filter { !$0.isEmpty }
        return ImportedText.line(parts.joined(separator: ", "), max: ExerciseImport.creditLengthMax)
    }

    private static func type(category: Int, name: String) -> ExerciseType {
        if name.contains(" swim") { return .swimming }
        if name.contains(" stretch") { return .stretching }
        if category == cardio { return .cardio }
        if name.contains(" jump") || name.contains(" plyo") { return .plyometrics }
        return .strength
    }

    private static func muscles(_ references: [WgerReference]) throws(SkipReason) -> [Muscle] {
        var found: [Muscle] = []
        for reference in references.prefix(Muscle.allCases.count) {
            guard let muscle = muscleIDs[reference.id ?? 0] else {
                throw SkipReason("It names a muscle that is unknown.")
            }
            if !found.contains(muscle) { found.append(muscle) }
        }
        return found
    }

    private static let cardio = 15

    /// Muscles of a category, for an exercise that names none.
    private static let categories: [Int: [Muscle]] = [
        8: [.biceps, .triceps, .forearms], 9: [.quadriceps, .hamstrings, .glutes], 10: [.abdominals, .obliques],
        11: [.chest], 12: [.lats, .middleBack, .lowerBack], 13: [.shoulders], 14: [.calves],
        15: [.quadriceps, .calves, .hamstrings],
    ]

    private static let muscleIDs: [Int: Muscle] = [
        1: .biceps, 2: .shoulders, 3: .chest, 4: .chest, 5: .triceps, 6: .abdominals, 7: .calves, 8: .glutes, 9: .traps,
        10: .quadriceps, 11: .hamstrings, 12: .lats, 13: .biceps, 14: .obliques, 15: .calves, 16: .lowerBack,
    ]

    /// Nil for the body alone.
    private static let equipment: [Int: Equipment?] = [
        1: .barbell, 2: .ezBar, 3: .dumbbell, 4: .mat, 5: .exerciseBall, 6: .pullUpBar, 7: Equipment?.none, 8: .bench,
        9: .bench, 10: .kettlebell, 11: .bands,
    ]
}
