import Foundation
import Training
import Wire

extension FuzzTarget {
    static let training = [FuzzTarget("exercise-import", inputBytesMax: 2_048, run: TrainingRules.exercises)]
}

/// Catalogues of exercises that an operator imports.
private enum TrainingRules {
    static func exercises(_ input: [UInt8]) throws {
        let data = Data(input)
        do throws(ExerciseImportError) {
            _ = try ExerciseImport.exercises(data)
        } catch {
            try demandPlain(error.description)
        }
        for result in [try? ExerciseImport.freeExerciseDB(data), try? ExerciseImport.wger(data)] {
            for exercise in result?.exercises ?? [] { try check(exercise) }
            for skipped in result?.skipped ?? [] { try demandPlain(skipped.reason) }
        }
    }

    private static func check(_ exercise: Exercise) throws {
        try demandPlain(exercise.name)
        try demand(exercise.id.unicodeScalars.count <= ExerciseImport.idLengthMax, "an id fits its column")
        try demand(exercise.name.unicodeScalars.count <= ExerciseImport.nameLengthMax, "a name fits its column")
        try demand(exercise.instructions.count <= ExerciseImport.stepsMax, "the steps are few")
        try demand(!exercise.primaryMuscles.isEmpty, "a rule can judge each exercise")
        try demand(
            exercise.met.value >= 1 && exercise.met.code.utf8.count == 5, "each exercise has a MET with its code")
        let text = try JSONEncoder().encode(exercise)
        try demandEqual(try JSONDecoder().decode(Exercise.self, from: text), exercise, "it is the same after JSON")
        let areas = ExclusionRules.loadedAreas(of: exercise)
        for area in areas {
            let body = Body(injuries: [ActiveInjury(area: area, type: .pain)])
            try demand(
                ExclusionRules.exclusion(of: exercise, for: body) != nil, "an injury of a loaded area excludes it")
        }
    }
}
