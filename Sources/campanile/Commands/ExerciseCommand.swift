import ArgumentParser
import CommandSupport
import Foundation
import Services
import Training
import Wire

/// `campanile exercises`.
struct ExerciseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exercises", abstract: "Import exercises from other catalogues.", subcommands: [Import.self])

    /// `campanile exercises import`.
    struct Import: AsyncParsableCommand {
        /// Largest file in bytes.
        private static let fileBytesMax = 64 << 20
        /// Number of left-out exercises that are listed.
        private static let skippedListedMax = 20

        static let configuration = CommandConfiguration(
            abstract: "Read a catalogue of exercises: free-exercise-db or wger.",
            discussion: """
                A file is exercises.json of free-exercise-db, or a reply of wger's /api/v2/exerciseinfo/; the format is detected.
                Give all files of a catalogue, such as wger's pages, in one command: importing again updates in place and removes
                exercises that none of the files has. The exercises of Campanile itself and those of the other catalogue stay. There
                are at most 5,000 imported exercises. A running server offers the change within seconds.
                """)

        @OptionGroup var data: DataOptions

        @Argument(help: ArgumentHelp("The files of one catalogue, as JSON.", valueName: "file"))
        var files: [String]

        func run() async throws {
            do {
                let (source, read, repeated) = try readAll()
                let exercises = read.exercises
                let report = try await DatabaseSession.with(data, command: "exercises import") { session in
                    try await ExerciseStore(database: session.pool).store(exercises, of: source, at: .now)
                }
                let name = source == .freeExerciseDB ? "free-exercise-db" : source.rawValue
                Terminal.output(
                    """
                    \(exercises.count) exercises of \(name): \(report.added) added, \(report.changed) changed, \
                    \(report.unchanged) as before, \(report.removed) removed
                    """)
                let leftOut =
                    read.skipped.map { "\($0.position + 1), \($0.name): \($0.reason)" }
                    + repeated.map { "\($0): An earlier file has the same id." }
                for line in leftOut.prefix(Self.skippedListedMax) { Terminal.output("left out \(line)") }
                if leftOut.count > Self.skippedListedMax {
                    Terminal.output("left out \(leftOut.count - Self.skippedListedMax) more")
                }
            } catch let error as ExerciseStore.TooManyExercises {
                throw CommandFailure(.dataError, "\(error)")
            } catch {
                throw CommandFailure(error)
            }
        }

        /// Reads all files before anything is stored.
        private func readAll() throws -> (ExerciseSource, ImportedExercises, repeated: [String]) {
            var all = ImportedExercises()
            var repeated: [String] = []
            var first: ExerciseSource?
            for file in files {
                let (source, read) = try read(file)
                guard source == first ?? source else {
                    throw CommandFailure(
                        .dataError, "\(file) is of another catalogue: import each catalogue with a command of its own")
                }
                first = source
                repeated += all.add(read)
            }
            // A page of a catalogue may be empty.
            guard !all.exercises.isEmpty else {
                throw CommandFailure(.dataError, "the files have no usable exercise, so nothing was changed")
            }
            guard let first, all.exercises.count <= ExerciseStore.exercisesMax else {
                throw CommandFailure(.dataError, "the files have more than \(ExerciseStore.exercisesMax) exercises")
            }
            return (first, all, repeated)
        }

        private func read(_ file: String) throws -> (ExerciseSource, ImportedExercises) {
            let url = URL(fileURLWithPath: file)
            let values = try? url.resourceValues(forKeys: [.fileSizeKey, .isRegularFileKey])
            guard FileManager.default.isReadableFile(atPath: file), values?.isRegularFile == true else {
                throw CommandFailure(.dataError, "\(file) cannot be read: check the name and its permissions")
            }
            guard values?.fileSize ?? 0 <= Self.fileBytesMax else {
                throw CommandFailure(.dataError, "\(file) is larger than \(Self.fileBytesMax >> 20) MiB")
            }
            let bytes = try Data(contentsOf: url)
            let imported: ImportedExercises
            let source: ExerciseSource
            do {
                source = try ExerciseImport.detect(bytes) == .wger ? .wger : .freeExerciseDB
                imported = try ExerciseImport.exercises(bytes)
            } catch {
                throw CommandFailure(.dataError, "\(url.lastPathComponent): \(error)")
            }
            return (source, imported)
        }
    }
}
