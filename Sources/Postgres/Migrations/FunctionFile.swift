/// A file of functions, views and triggers, `functions/sharing.sql`. Unlike a numbered file it is edited in place, and applied whenever its
/// checksum differs from the one that was applied last.
struct FunctionFile: Sendable, Equatable {
    /// The folder, in the directory of the numbered files.
    static let folder = "functions"

    /// The file's name without its directory.
    let name: String
    let sql: String
    /// SHA-256 of the file, in hexadecimal.
    let checksum: String

    /// The name in the directory of the numbered files.
    var path: String { Self.path(name) }

    static func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Reads the files that end in `.sql`, in the order of their names. Blocks.
    /// - Parameter directory: The directory of the numbered files.
    /// - Throws: ``MigrationError``.
    static func readAll(directory: String) throws(MigrationError) -> [FunctionFile] {
        var files: [FunctionFile] = []
        for name in try SQLFile.names(in: "\(directory)/\(folder)") {
            let file = try SQLFile("\(directory)/\(folder)/\(name)")
            files.append(FunctionFile(name: name, sql: file.sql, checksum: file.checksum))
        }
        return files
    }
}
