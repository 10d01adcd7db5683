import Glibc

/// A numbered SQL file such as `0007_sharing.sql`.
struct MigrationFile: Sendable, Equatable {
    /// Maximum size of a file.
    static let fileBytesMax = 4 << 20

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
        guard let stream = opendir(directory) else {
            throw .unreadable(path: directory, reason: String(cString: strerror(errno)))
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".sql"), !name.hasPrefix(".") { names.append(name) }
        }
        var files: [MigrationFile] = []
        for name in names.sorted() { files.append(try read(name, in: directory)) }
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
        let path = "\(directory)/\(name)"
        guard let bytes = readFile(path, bytesMax: fileBytesMax) else {
            throw .unreadable(path: path, reason: String(cString: strerror(errno)))
        }
        guard let sql = String(validating: bytes, as: UTF8.self) else {
            throw .unreadable(path: path, reason: "it is not UTF-8")
        }
        return MigrationFile(version: version, name: name, sql: sql, checksum: SHA256.hexDigest(bytes))
    }
}

/// A file's bytes, or nil with `errno` set; `EFBIG` if the file is larger than `bytesMax`. Blocks.
func readFile(_ path: String, bytesMax: Int) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count < 0 && errno == EINTR { continue }
        guard count >= 0 else { return nil }
        if count == 0 { return bytes }
        bytes.append(contentsOf: buffer[..<count])
        guard bytes.count <= bytesMax else {
            errno = EFBIG
            return nil
        }
    }
}
