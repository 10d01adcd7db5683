import Foundation
import Testing
import Wire

@testable import Training

@Suite("Catalogue of exercises")
struct CatalogueTests {
    /// Diagrams that the web app draws.
    static let poses: Set<String> = [
        "stand", "squat", "lunge", "hinge", "push-up", "plank", "side-plank", "press-overhead", "press-lying", "row",
        "pull-up", "curl", "extension", "raise", "crunch", "twist", "bridge", "step", "jump", "run", "cycle",
        "row-machine", "swim", "stretch-leg", "stretch-arm", "stretch-back", "balance", "breathe",
    ]

    @Test("The catalogue has at least 120 exercises of all types, each with its own id, a diagram and steps")
    func own() {
        let own = ExerciseCatalogue.own
        #expect(own.count >= 120)
        #expect(Set(own.map(\.id)).count == own.count)
        #expect(Set(own.map(\.name)).count == own.count)
        #expect(Set(own.map(\.type)) == Set(ExerciseType.allCases))
        for exercise in own {
            #expect(exercise.id.hasPrefix("campanile/") && exercise.source == .campanile)
            #expect(exercise.diagram.map(Self.poses.contains) == true, "\(exercise.id)")
            #expect(!exercise.instructions.isEmpty && !exercise.measures.isEmpty, "\(exercise.id)")
            #expect(Set(exercise.primaryMuscles).isDisjoint(with: exercise.secondaryMuscles), "\(exercise.id)")
        }
        let ids = Set(own.map(\.id))
        #expect(ExerciseCatalogue.warmUps.isSubset(of: ids) && ExerciseCatalogue.warmUps.count >= 10)
        #expect(ExerciseCatalogue.coolDowns.isSubset(of: ids) && ExerciseCatalogue.coolDowns.count >= 10)
    }

    @Test("Each exercise, own or imported, has a plausible MET with a five-digit code and a year, and texts that fit")
    func fields() {
        for exercise in Catalogues.all {
            #expect((1...20).contains(exercise.met.value) && exercise.met.code.count == 5, "\(exercise.id)")
            #expect(exercise.met.code.allSatisfy(\.isNumber) && [2_011, 2_024].contains(exercise.met.year))
            #expect(!exercise.met.activity.isEmpty)
            #expect((1...ExerciseImport.idLengthMax).contains(exercise.id.unicodeScalars.count), "\(exercise.id)")
            #expect((1...ExerciseImport.nameLengthMax).contains(exercise.name.unicodeScalars.count))
            #expect(exercise.instructions.count <= ExerciseImport.stepsMax)
            #expect(
                exercise.instructions.allSatisfy {
                    (1...ExerciseImport.stepLengthMax).contains($0.unicodeScalars.count)
                })
            #expect((exercise.credit ?? "").unicodeScalars.count <= ExerciseImport.creditLengthMax)
            #expect(exercise.exclusion == nil)
        }
    }

    @Test("One code of the Compendium has one value throughout the catalogue")
    func codes() {
        let byCode = Dictionary(grouping: Catalogues.all.map(\.met)) { $0.code }
        for (code, entries) in byCode { #expect(Set(entries.map(\.value)).count == 1, "\(code)") }
        #expect(byCode["02050"]?.first?.value == 6 && byCode["18240"]?.first?.value == 5.8)
    }
}
