import Wire

/// An exercise of free-exercise-db.
struct FreeExercise: NamedEntry {
    let id: String?
    let name: String?
    let force: String?
    let level: String?
    let mechanic: String?
    let equipment: String?
    let category: String?
    let primaryMuscles: [String]?
    let secondaryMuscles: [String]?
    let instructions: [String]?

    var label: String { name ?? id ?? "" }

    static let credit = "free-exercise-db, public domain (Unlicense)"

    func exercise() throws(SkipReason) -> Exercise {
        let name = ImportedText.line(name ?? "", max: ExerciseImport.nameLengthMax)
        guard !name.isEmpty else { throw SkipReason("It has no name.") }
        guard let slug = ImportedText.slug(id ?? name, max: 100) else { throw SkipReason("It has no id.") }
        guard let type = Self.types[category ?? ""] else { throw SkipReason("Its category is unknown.") }
        guard let level = ExerciseLevel(rawValue: level ?? "") else { throw SkipReason("Its level is unknown.") }
        let primary = try Self.muscles(primaryMuscles ?? [])
        let secondary = try Self.muscles(secondaryMuscles ?? []).filter { !primary.contains($0) }
        guard !primary.isEmpty else { throw SkipReason("It names no muscle, so that no rule can judge it.") }
        let steps = ImportedText.steps(instructions ?? [])
        let words = ImportedGuess.words(of: name)
        guard let own = Self.equipment[equipment ?? "body only"] else { throw SkipReason("Its equipment is unknown.") }
        let equipment = ImportedGuess.equipment(own, type: type, name: words, steps: steps)
        return Exercise(
            id: "freeExerciseDB/\(slug)", source: .freeExerciseDB, name: name, type: type, level: level,
            primaryMuscles: primary, secondaryMuscles: secondary, equipment: equipment,
            measures: ImportedGuess.measures(type: type, equipment: equipment, isStatic: force == "static"),
            instructions: steps,
            met: ImportedGuess.met(
                type: type, name: words, equipment: equipment, isCompound: mechanic != "isolation", level: level),
            isUnilateral: ImportedGuess.isUnilateral(words), credit: Self.credit)
    }

    private static func muscles(_ names: [String]) throws(SkipReason) -> [Muscle] {
        var found: [Muscle] = []
        for name in names.prefix(Muscle.allCases.count) {
            guard let muscle = muscles[name] else { throw SkipReason("It names a muscle that is unknown.") }
            if !found.contains(muscle) { found.append(muscle) }
        }
        return found
    }

    private static let types: [String: ExerciseType] = [
        "strength": .strength, "stretching": .stretching, "plyometrics": .plyometrics, "strongman": .strongman,
        "powerlifting": .powerlifting, "cardio": .cardio, "olympic weightlifting": .olympicWeightlifting,
    ]

    private static let muscles: [String: Muscle] = [
        "abdominals": .abdominals, "abductors": .abductors, "adductors": .adductors, "biceps": .biceps,
        "calves": .calves, "chest": .chest, "forearms": .forearms, "glutes": .glutes, "hamstrings": .hamstrings,
        "lats": .lats, "lower back": .lowerBack, "middle back": .middleBack, "neck": .neck,
        "quadriceps": .quadriceps, "shoulders": .shoulders, "traps": .traps, "triceps": .triceps,
    ]

    private static let equipment: [String: [Equipment]] = [
        "body only": [], "machine": [.machine], "other": [.other], "foam roll": [.foamRoller],
        "kettlebells": [.kettlebell], "dumbbell": [.dumbbell], "cable": [.cable], "barbell": [.barbell],
        "bands": [.bands], "medicine ball": [.medicineBall], "exercise ball": [.exerciseBall],
        "e-z curl bar": [.ezBar],
    ]
}
