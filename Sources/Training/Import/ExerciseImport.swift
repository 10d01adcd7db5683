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
}

/// Result of an import.
public struct ImportedExercises: Sendable, Equatable {
    public var exercises: [Exercise]
    public var skipped: [SkippedExercise]
}

/// Fault of a whole catalogue. Its text is one sentence for people.
public struct ExerciseImportError: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String
}

/// Format of a catalogue.
public enum ExerciseFormat: String, Sendable, CaseIterable {
    case freeExerciseDB, wger
}

/// Reads catalogues of other projects.
public enum ExerciseImport {
    /// Recognises the format by the shape of the document.
    public static func detect(_ data: Data) throws(ExerciseImportError) -> ExerciseFormat {
        throw ExerciseImportError(description: "The catalogue cannot be read.")
    }

    public static func exercises(_ data: Data) throws(ExerciseImportError) -> ImportedExercises {
        switch try detect(data) {
        case .freeExerciseDB: try freeExerciseDB(data)
        case .wger: try wger(data)
        }
    }

    public static func freeExerciseDB(_ data: Data) throws(ExerciseImportError) -> ImportedExercises {
        ImportedExercises(exercises: [], skipped: [])
    }

    /// Reads a reply of wger's `/api/v2/exerciseinfo/`, or the array of its `results`.
    public static func wger(_ data: Data) throws(ExerciseImportError) -> ImportedExercises {
        ImportedExercises(exercises: [], skipped: [])
    }
}
