import EventLoop
import Glibc

/// An installed PostgreSQL.
public struct PostgresBinaries: Sendable, Equatable {
    /// The oldest supported major version.
    public static let versionMin = 15

    /// The directory that contains `postgres` and `initdb`.
    public let directory: String
    /// The major version.
    public let version: Int

    var postgres: String { "\(directory)/postgres" }
    var initdb: String { "\(directory)/initdb" }

    /// Directories to search.
    public struct Search: Sendable {
        /// The only directory to search, or nil to search the others.
        public var override: String?
        /// Directories of `PATH`.
        public var path: [String]
        /// Parent of a distribution's directories, one for each major version.
        public var distribution: String

        public init(override: String? = nil, path: [String] = [], distribution: String = "/usr/lib/postgresql") {
            self.override = override
            self.path = path
            self.distribution = distribution
        }

        /// `CAMPANILE_POSTGRES_BIN`, or else `PATH` and `/usr/lib/postgresql`.
        public static var environment: Search {
            Search(
                override: getenv("CAMPANILE_POSTGRES_BIN").map { String(cString: $0) }.flatMap {
                    $0.isEmpty ? nil : $0
                },
                path: (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":").map(String.init))
        }
    }

    /// Finds every supported PostgreSQL, newest first. Blocks.
    /// - Throws: ``ClusterError`` if there is none.
    public static func find(_ search: Search) throws(ClusterError) -> [PostgresBinaries] {
        if let directory = search.override {
            guard let found = inspect(directory) else { throw .binariesNotThere(directory: directory) }
            return [found]
        }
        let versions = entries(of: search.distribution).compactMap { Int($0) }.sorted(by: >)
        let directories = search.path + versions.map { "\(search.distribution)/\($0)/bin" }
        var found: [PostgresBinaries] = []
        for directory in directories {
            guard let binaries = inspect(directory), !found.contains(where: { $0.version == binaries.version }) else {
                continue
            }
            found.append(binaries)
        }
        guard !found.isEmpty else { throw .binariesMissing }
        return found.sorted { $0.version > $1.version }
    }

    private static func inspect(_ directory: String) -> PostgresBinaries? {
        guard access("\(directory)/postgres", X_OK) == 0, access("\(directory)/initdb", X_OK) == 0,
            let finished = try? ChildProcess.run(["\(directory)/postgres", "--version"]), finished.status == 0
        else { return nil }
        // "postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)", or "17rc1".
        let words = finished.output.split(separator: " ")
        guard words.count >= 3, let version = Int(words[2].prefix { $0.isNumber }), version >= versionMin else {
            return nil
        }
        return PostgresBinaries(directory: directory, version: version)
    }

    private static func entries(of directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names
    }
}
