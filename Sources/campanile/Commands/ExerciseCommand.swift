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
                The file is exercises.json of free-exercise-db, or a reply of wger's /api/v2/exerciseinfo/; the format is detected.
                Importing again updates in place and removes exercises that the file no longer has. The exercises of Campanile itself
                and those of the other catalogue stay. A running server offers the change within seconds.
                """)

        @OptionGroup var data: DataOptions

        @Argument(help: ArgumentHelp("The catalogue, as JSON.", valueName: "file"))
        var file: String

        func run() async throws {
            do {
                let (source, read) = try read()
                let exercises = read.exercises
                let report = try await DatabaseSession.with(data, command: "exercises import") { session in
                    try await ExerciseStore(database: session.pool).store(exercises, of: source, at: .now)
                }
                Terminal.output(
                    """
                    \(exercises.count) exercises of \(source.rawValue): \(report.added) added, \(report.changed) changed, \
                    \(report.unchanged) as before, \(report.removed) removed
                    """)
                for one in read.skipped.prefix(Self.skippedListedMax) {
                    Terminal.output("left out \(one.position + 1), \(one.name): \(one.reason)")
                }
                if read.skipped.count > Self.skippedListedMax {
                    Terminal.output("left out \(read.skipped.count - Self.skippedListedMax) more")
                }
            } catch {
                throw CommandFailure(error)
            }
        }

        /// Reads the whole file before anything is stored.
        private func read() throws -> (ExerciseSource, ImportedExercises) {
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
            guard !imported.exercises.isEmpty else {
                throw CommandFailure(
                    .dataError, "\(url.lastPathComponent): it has no usable exercise, so nothing was changed")
            }
            guard imported.exercises.count <= ExerciseStore.exercisesMax else {
                throw CommandFailure(
                    .dataError, "\(url.lastPathComponent): it has more than \(ExerciseStore.exercisesMax) exercises")
            }
            return (source, imported)
        }
    }
}
