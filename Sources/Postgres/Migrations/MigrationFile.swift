/// A numbered SQL file such as `0007_safety.sql`.
struct MigrationFile: Sendable, Equatable {
    /// The number before the underscore, at least 1.
    let version: Int64
    /// The file's name without its directory.
    let name: String
    let sql: String
    /// SHA-256 of the file, in hexadecimal.
    let checksum: String

    /// Reads the files of a directory that end in `.sql`, sorted by version. Blocks.
    /// - Throws: ``MigrationError``.
    static func readAll(directory: String) throws(MigrationError) -> [MigrationFile] {
        var files: [MigrationFile] = []
        for name in try SQLFile.names(in: directory) { files.append(try read(name, in: directory)) }
        files.sort { $0.version < $1.version }
        for (file, next) in zip(files, files.dropFirst()) where file.version == next.version {
            throw .sameVersion(file.name, next.name)
        }
        return files
    }

    private static func read(_ name: String, in directory: String) throws(MigrationError) -> MigrationFile {
        let digits = name.prefix { $0.isASCII && $0.isNumber }
        guard digits.count >= 4, let version = Int64(digits), version > 0, name.dropFirst(digits.count).first == "_"
        else {
            throw .badName(name)
        }
        let file = try SQLFile("\(directory)/\(name)")
        return MigrationFile(version: version, name: name, sql: file.sql, checksum: file.checksum)
    }
}
