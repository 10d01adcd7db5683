import Glibc

/// The content of a file of SQL.
struct SQLFile {
    /// Maximum size of a file.
    static let bytesMax = 4 << 20

    let sql: String
    /// SHA-256 of the file, in hexadecimal.
    let checksum: String

    /// Reads a file. Blocks.
    init(_ path: String) throws(MigrationError) {
        guard let bytes = readFile(path, bytesMax: Self.bytesMax) else {
            throw .unreadable(path: path, reason: String(cString: strerror(errno)))
        }
        guard let sql = String(validating: bytes, as: UTF8.self) else {
            throw .unreadable(path: path, reason: "it is not UTF-8")
        }
        self.sql = sql
        checksum = SHA256.hexDigest(bytes)
    }

    /// The names of a directory's files that end in `.sql`, sorted. Blocks.
    static func names(in directory: String) throws(MigrationError) -> [String] {
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
        return names.sorted()
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
