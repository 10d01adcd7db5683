import Foundation
import Wire

/// An entry of a catalogue that was not imported.
public struct SkippedExercise: Sendable, Equatable {
    /// Position in the file, from 0.
    public var position: Int
    /// Name or id, as far as the entry has one.
    public var name: String
    /// One sentence for people.
    public var reason: String
    public init(position: Int, name: String, reason: String) {
        self.position = position
        self.name = name
        self.reason = reason
    }
}

/// Result of an import.
public struct ImportedExercises: Sendable, Equatable {
    public var exercises: [Exercise]
    public var skipped: [SkippedExercise]
    public init(exercises: [Exercise] = [], skipped: [SkippedExercise] = []) {
        self.exercises = exercises
        self.skipped = skipped
    }

    /// Adds the exercises of another file of the same catalogue. An exercise with the id of an earlier one is left out.
    /// - Returns: Names of the exercises that were left out.
    public mutating func add(_ other: ImportedExercises) -> [String] {
        var ids = Set(exercises.map(\.id))
        var repeated: [String] = []
        for exercise in other.exercises {
            if ids.insert(exercise.id).inserted {
                exercises.append(exercise)
            } else {
                repeated.append(exercise.name)
            }
        }
        skipped += other.skipped
        return repeated
    }
}

/// Fault of a whole catalogue. Its text is one sentence for people.
public struct ExerciseImportError: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String
}

/// Format of a catalogue.
public enum ExerciseFormat: String, Sendable, CaseIterable {
    case freeExerciseDB, wger
}

/// Reads catalogues of other projects. An entry that cannot be understood is skipped with the reason, because rules cannot judge it.
public enum ExerciseImport {
    public static let bytesMax = 16 * 1_048_576
    public static let entriesMax = 5_000
    public static let nameLengthMax = 100
    /// Characters of a step; a longer one is cut.
    public static let stepLengthMax = 1_000
    public static let stepsMax = 40
    public static let creditLengthMax = 200
    /// As ``ExerciseSummary/id`` states.
    public static let idLengthMax = 120

    /// Recognises the format by the shape of the document.
    public static func detect(_ data: Data) throws(ExerciseImportError) -> ExerciseFormat {
        try checkSize(data)
        if let probes = try? decoder.decode([Lenient<FormatProbe>].self, from: data) {
            let found = probes.lazy.compactMap(\.value).first {
                $0.primaryMuscles != nil || $0.translations != nil || $0.muscles != nil
            }
            if let found { return found.primaryMuscles != nil ? .freeExerciseDB : .wger }
        } else if (try? decoder.decode(WgerPage<FormatProbe>.self, from: data)) != nil {
            return .wger
        }
        guard (try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)) != nil else {
            throw ExerciseImportError(description: "The file is not JSON: it may be truncated. Download it again.")
        }
        throw ExerciseImportError(
            description:
                "The file is neither a catalogue of free-exercise-db (an array of exercises) nor one of wger (exerciseinfo)."
        )
    }

    public static func exercises(_ data: Data) throws(ExerciseImportError) -> ImportedExercises {
        switch try detect(data) {
        case .freeExerciseDB: try freeExerciseDB(data)
        case .wger: try wger(data)
        }
    }

    /// Reads the array of exercises of free-exercise-db.
    public static func freeExerciseDB(_ data: Data) throws(ExerciseImportError) -> ImportedExercises {
        try checkSize(data)
        let entries: [Lenient<FreeExercise>]
        do {
            entries = try decoder.decode([Lenient<FreeExercise>].self, from: data)
        } catch {
            throw ExerciseImportError(description: "The catalogue is not an array of exercises in JSON.")
        }
        return try collect(entries) { entry throws(SkipReason) in try entry.exercise() }
    }

    /// Reads a reply of wger's `/api/v2/exerciseinfo/`, or the array of its `results`.
    public static func wger(_ data: Data) throws(ExerciseImportError) -> ImportedExercises {
        try checkSize(data)
        let entries: [Lenient<WgerExercise>]
        if let page = try? decoder.decode(WgerPage<WgerExercise>.self, from: data) {
            entries = page.results
        } else if let array = try? decoder.decode([Lenient<WgerExercise>].self, from: data) {
            entries = array
        } else {
            throw ExerciseImportError(
                description: "The catalogue is neither a reply of exerciseinfo nor an array of its results.")
        }
        return try collect(entries) { entry throws(SkipReason) in try entry.exercise() }
    }

    /// wger's members have underscores.
    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }

    private static func checkSize(_ data: Data) throws(ExerciseImportError) {
        guard data.count <= bytesMax else {
            throw ExerciseImportError(
                description:
                    "The catalogue has more than \(bytesMax >> 20) MiB; import several smaller files with one command."
            )
        }
    }

    private static func collect<Entry: NamedEntry>(
        _ entries: [Lenient<Entry>], _ convert: (Entry) throws(SkipReason) -> Exercise
    ) throws(ExerciseImportError) -> ImportedExercises {
        guard entries.count <= entriesMax else {
            throw ExerciseImportError(
                description:
                    "The catalogue has more than \(entriesMax) entries; a server offers no more of them, so leave some out."
            )
        }
        var result = ImportedExercises(exercises: [], skipped: [])
        var ids: Set<String> = []
        for (position, entry) in entries.enumerated() {
            let name = ImportedText.line(entry.value?.label ?? "", max: nameLengthMax)
            do throws(SkipReason) {
                guard let value = entry.value else { throw SkipReason("It is not an exercise of this format.") }
                let exercise = try convert(value)
                guard ids.insert(exercise.id).inserted else { throw SkipReason("An earlier entry has the same id.") }
                result.exercises.append(exercise)
            } catch {
                result.skipped.append(SkippedExercise(position: position, name: name, reason: error.text))
            }
        }
        return result
    }
}

/// Reason to skip an entry.
struct SkipReason: Error {
    let text: String
    init(_ text: String) {
        self.text = text
    }
}

protocol NamedEntry: Decodable {
    /// Name for the list of skipped entries.
    var label: String { get }
}

/// A value that is nil if it does not have the expected form.
struct Lenient<Value: Decodable>: Decodable {
    let value: Value?
    init(from decoder: any Decoder) {
        value = try? Value(from: decoder)
    }
}

struct WgerPage<Entry: Decodable>: Decodable {
    let results: [Lenient<Entry>]
}

/// Members by which formats differ.
struct FormatProbe: Decodable {
    let primaryMuscles: [String]?
    let translations: [Lenient<WgerTranslation>]?
    let muscles: [Lenient<WgerReference>]?
}
