import Foundation
import Testing
import Training
import Wire

@Suite("Import of exercises")
struct ImportTests {
    static let wger = """
        {"count": 3, "next": null, "results": [
          {"id": 345, "uuid": "x", "category": {"id": 9, "name": "Legs"}, "license": {"short_name": "CC-BY-SA 4"},
           "license_author": "Ada", "muscles": [{"id": 10, "name": "Quadriceps femoris", "name_en": "Quads"}],
           "muscles_secondary": [{"id": 8, "name": "Gluteus maximus"}], "equipment": [{"id": 3, "name": "Dumbbell"}],
           "translations": [{"language": 1, "name": "Kniebeuge", "description": ""},
             {"language": 2, "name": "Dumbbell Squat", "description": "<p>Stand &amp; brace.</p><ol><li>Sit back.</li></ol>"}]},
          {"id": 7, "name": "Plank", "description": "Hold it.", "category": {"id": 10}, "muscles": [], "equipment": [{"id": 7}]},
          {"id": 8, "category": {"id": 77}, "translations": [{"language": 2, "name": "Unknown"}]}
        ]}
        """

    @Test("All 873 exercises of free-exercise-db are imported", .enabled(if: Catalogues.isPresent))
    func freeExerciseDB() throws {
        let data = try Data(contentsOf: Catalogues.file)
        #expect(try ExerciseImport.detect(data) == .freeExerciseDB)
        let result = try ExerciseImport.exercises(data)
        #expect(result.exercises.count == 873 && result.skipped.isEmpty, "\(result.skipped.prefix(5))")
        let press = try #require(result.exercises.first { $0.name == "Barbell Bench Press - Medium Grip" })
        #expect(press.equipment == [.barbell, .bench] && press.measures == [.reps, .weight])
        #expect(press.credit?.contains("Unlicense") == true)
        let pullUp = try #require(result.exercises.first { $0.name == "Pullups" })
        #expect(pullUp.equipment == [.pullUpBar])
        let lift = try #require(result.exercises.first { $0.name == "One-Arm Dumbbell Row" })
        #expect(lift.isUnilateral)
    }

    @Test(
        "A reply of wger is imported with English names, steps without HTML, its licence, and reasons for skipped entries"
    )
    func wgerReply() throws {
        let data = Data(Self.wger.utf8)
        #expect(try ExerciseImport.detect(data) == .wger)
        let result = try ExerciseImport.exercises(data)
        #expect(result.exercises.map(\.name) == ["Dumbbell Squat", "Plank"])
        let squat = try #require(result.exercises.first)
        #expect(squat.id == "wger/345" && squat.instructions == ["Stand & brace.", "Sit back."])
        #expect(squat.primaryMuscles == [.quadriceps] && squat.secondaryMuscles == [.glutes])
        #expect(squat.credit == "wger, Ada, CC-BY-SA 4" && squat.met.code == "02052")
        #expect(result.exercises.last?.primaryMuscles == [.abdominals, .obliques])
        #expect(result.skipped == [SkippedExercise(position: 2, name: "Unknown", reason: "Its category is unknown.")])
    }

    @Test(
        "An entry without name, muscle, category or level, with an unknown muscle, or twice, is skipped with its reason"
    )
    func skipped() throws {
        func entry(_ changes: String) -> String {
            #"{"id":"a","name":"A","level":"beginner","category":"strength","primaryMuscles":["chest"]"# + changes + "}"
        }
        let text = [
            entry(""), entry(""), entry(#","name":7"#), entry(#","id":"b","level":"god""#),
            entry(#","id":"c","primaryMuscles":[]"#), entry(#","id":"d","primaryMuscles":["wing"]"#),
            entry(#","id":"e","category":"dance""#), entry(#","id":"f","name":" ""#),
            entry(#","id":"g","equipment":"laser""#), "7",
        ]
        let result = try ExerciseImport.freeExerciseDB(Data("[\(text.joined(separator: ","))]".utf8))
        #expect(result.exercises.count == 1)
        #expect(result.skipped.map(\.position) == Array(1...9))
        #expect(result.skipped.allSatisfy { $0.reason.hasSuffix(".") })
    }

    @Test("Files are added to each other, and an exercise that an earlier one has is left out by its name")
    func several() throws {
        func file(_ ids: String...) throws -> ImportedExercises {
            let entries = ids.map {
                #"{"id":"\#($0)","name":"Press \#($0)","level":"beginner","category":"strength","primaryMuscles":["chest"]}"#
            }
            return try ExerciseImport.exercises(Data("[\(entries.joined(separator: ",")),7]".utf8))
        }
        var all = ImportedExercises()
        #expect(all.add(try file("a", "b")).isEmpty)
        #expect(all.add(try file("b", "c")) == ["Press b"])
        #expect(all.exercises.map(\.name) == ["Press a", "Press b", "Press c"] && all.skipped.count == 2)
    }

    @Test("A file of another form, too many entries and too many bytes are refused in a sentence")
    func refused() {
        let entries = "[" + Array(repeating: "{}", count: ExerciseImport.entriesMax + 1).joined(separator: ",") + "]"
        let texts = ["", "{}", "[]", "[1]", "null", "{\"results\": 1}", String(repeating: "[", count: 100_000)]
        for text in texts {
            #expect(throws: ExerciseImportError.self) { try ExerciseImport.exercises(Data(text.utf8)) }
        }
        #expect {
            try ExerciseImport.exercises(Data(#"[{"id":"a","na"#.utf8))
        } throws: {
            "\($0)".contains("may be truncated")
        }
        #expect(throws: ExerciseImportError.self) { try ExerciseImport.freeExerciseDB(Data(entries.utf8)) }
        #expect(throws: ExerciseImportError.self) { try ExerciseImport.wger(Data(entries.utf8)) }
        #expect(throws: ExerciseImportError.self) {
            try ExerciseImport.freeExerciseDB(Data(count: ExerciseImport.bytesMax + 1))
        }
    }

    @Test("3,000 mutated catalogues are imported or refused, and what is imported fits the limits and survives JSON")
    func mutated() throws {
        var generator = SeededGenerator(seed: 26)
        let sample = Catalogues.imported.isEmpty ? "" : try String(contentsOf: Catalogues.file, encoding: .utf8)
        let free = Array(("[" + (sample.prefix(2_600).dropFirst())).utf8)
        for round in 0..<3_000 {
            var bytes = round % 2 == 0 ? free : Array(Self.wger.utf8)
            for _ in 0..<Int.random(in: 1...12, using: &generator) where !bytes.isEmpty {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: index)
                case 2: bytes.insert(Array("\"{}[],:0-\\".utf8).randomElement(using: &generator) ?? 0, at: index)
                default:
                    bytes.removeSubrange(index..<min(bytes.count, index + Int.random(in: 0...40, using: &generator)))
                }
            }
            let data = Data(bytes)
            _ = try? ExerciseImport.exercises(data)
            for result in [try? ExerciseImport.freeExerciseDB(data), try? ExerciseImport.wger(data)] {
                for exercise in result?.exercises ?? [] {
                    #expect(exercise.id.unicodeScalars.count <= ExerciseImport.idLengthMax)
                    #expect((1...ExerciseImport.nameLengthMax).contains(exercise.name.unicodeScalars.count))
                    #expect(try JSONDecoder().decode(Exercise.self, from: JSONEncoder().encode(exercise)) == exercise)
                    _ = ExclusionRules.loadedAreas(of: exercise)
                }
            }
        }
    }
}
