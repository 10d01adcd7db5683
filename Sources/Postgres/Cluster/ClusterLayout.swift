import EventLoop
import Glibc

/// Where a private cluster keeps its files, all below `postgres/` in the data directory:
/// `data/` (PostgreSQL's own), `socket/`, `pgpass`, `postgres.log` and `hub.lock`. Everything here blocks: run it on a worker.
struct ClusterLayout: Sendable {
    /// `sun_path` holds 108 bytes with the final NUL (unix(7)).
    static let socketPathBytesMax = 107
    /// A longer log is begun anew when PostgreSQL starts.
    static let logBytesMax = 16 << 20
    /// What a new cluster needs on disk: its catalogues, the first segments of its log, and room to breathe.
    static let newClusterBytesMin: UInt64 = 96 << 20
    /// Of PostgreSQL's own log, unless initdb is told otherwise.
    static let segmentBytes: UInt64 = 16 << 20

    let root: String
    let user: ServerUser
    let socketDirectory: String

    var data: String { "\(root)/data" }
    /// What `initdb` fills; it becomes `data` when it is complete, so a crash leaves no half-made cluster.
    /// A directory of this process's own: another's initdb may still be running in its.
    var unfinishedData: String { "\(root)/\(Self.unfinishedPrefix)\(getpid())" }
    private static let unfinishedPrefix = "data.new."
    var log: String { "\(root)/postgres.log" }
    var lock: String { "\(root)/hub.lock" }

    /// Makes the directories, or finds them.
    /// - Parameter dataDirectory: Made when it does not exist.
    static func prepare(dataDirectory: String) throws(ClusterError) -> ClusterLayout {
        do {
            try DataDirectory.make(dataDirectory)
        } catch {
            if error.code == ENOSPC { throw .storageFull(path: dataDirectory) }
            throw .notWritable(path: dataDirectory, reason: String(cString: strerror(error.code)))
        }
        guard let resolved = realpath(dataDirectory, nil) else {
            throw .notWritable(path: dataDirectory, reason: String(cString: strerror(errno)))
        }
        defer { free(resolved) }
        let root = "\(String(cString: resolved))/postgres"
        let user = try ServerUser.choose(path: root)
        try makePrivateDirectory(root, user)
        if let parent = user.obstacle(to: root) {
            throw .notTraversable(path: root, parent: parent, user: user.name)
        }
        guard access(root, W_OK) == 0 else {
            throw .notWritable(path: root, reason: String(cString: strerror(errno)))
        }
        let socketDirectory = shortSocketDirectory(root, user)
        try makePrivateDirectory(socketDirectory, user)
        return ClusterLayout(root: root, user: user, socketDirectory: socketDirectory)
    }

    /// The major version that made the cluster, or nil when there is none yet.
    func madeByVersion() -> Int? {
        guard let bytes = readFile("\(data)/PG_VERSION", bytesMax: 64) else { return nil }
        return Int(String(decoding: bytes, as: UTF8.self).prefix { $0.isNumber })
    }

    /// A directory with files and without a version is a damaged cluster, never a place for a new one.
    /// - Throws: ``ClusterError/damaged(path:)``.
    func checkData() throws(ClusterError) {
        guard madeByVersion() == nil, let directory = opendir(data) else { return }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { throw .damaged(path: data) }
        }
    }

    /// Makes the cluster when there is none.
    /// - Parameter passwords: Those of its roles.
    func initialise(_ binaries: PostgresBinaries, _ passwords: ClusterPasswords) throws(ClusterError) {
        guard madeByVersion() == nil else { return }
        // Asked first: initdb on a full disk dies of what follows from it, and seldom names the cause.
        if let room = Self.roomBytes(root), room < Self.newClusterBytesMin {
            throw .storageFull(path: root)
        }
        removeUnfinished()
        let password = "\(root)/initdb.password"
        try write(passwords["postgres"] ?? "", to: password)
        defer { unlink(password) }
        try run([
            binaries.initdb, "-D", unfinishedData, "--username=postgres", "--encoding=UTF8", "--locale=C.UTF-8",
            "--auth-local=scram-sha-256", "--pwfile=\(password)", "--auth-host=reject", "--data-checksums",
            "--no-instructions",
        ])
        guard rename(unfinishedData, data) == 0 else {
            throw .notWritable(path: data, reason: String(cString: strerror(errno)))
        }
    }

    /// What killed starts left behind. What cannot be removed, because its initdb still writes, does no harm.
    private func removeUnfinished() {
        guard let directory = opendir(root) else { return }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasPrefix(Self.unfinishedPrefix) { try? run(["/bin/rm", "-rf", "--", "\(root)/\(name)"]) }
        }
    }

    /// Opens the log for appending, as the cluster's user would.
    func openLog() throws(ClusterError) -> Int32 {
        var status = stat()
        let isLong = stat(log, &status) == 0 && status.st_size > Self.logBytesMax
        let descriptor = open(
            log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | (isLong ? O_TRUNC : 0), 0o600)
        guard descriptor >= 0 else {
            if errno == ENOSPC { throw .storageFull(path: root) }
            throw .notWritable(path: log, reason: String(cString: strerror(errno)))
        }
        if user.isAnother { _ = fchown(descriptor, user.userID, user.groupID) }
        return descriptor
    }

    private func run(_ command: [String]) throws(ClusterError) {
        let finished: ChildProcess.Finished
        do {
            finished = try ChildProcess.run(user.command(command))
        } catch {
            throw .notStarted(reason: error.description, log: log)
        }
        guard finished.status == 0 else { throw diagnose(finished.output) }
    }

    /// What is free on a disk for others than root; nil when that cannot be told.
    private static func roomBytes(_ path: String) -> UInt64? {
        var space = statvfs()
        return statvfs(path, &space) == 0 ? UInt64(space.f_bavail) * UInt64(space.f_frsize) : nil
    }

    /// The reason in what a program of PostgreSQL printed.
    func diagnose(_ output: String) -> ClusterError {
        Self.diagnose(output, root: root, log: log, roomBytes: Self.roomBytes(root))
    }

    /// - Parameter roomBytes: What is free on the disk. Without room for a segment of PostgreSQL's own log it does not start, and
    ///   cannot always say why: what it says needs room as well, and is missing or cut short.
    static func diagnose(_ output: String, root: String, log: String, roomBytes: UInt64?) -> ClusterError {
        if output.contains("No space left on device") { return .storageFull(path: root) }
        let lines = output.split(separator: "\n")
        let telling = lines.last { line in
            ["FATAL:", "PANIC:", "error:", "could not", "fatal:"].contains { line.contains($0) }
        }
        if telling == nil || !output.hasSuffix("\n"), let roomBytes, roomBytes < segmentBytes {
            return .storageFull(path: root)
        }
        return .notStarted(reason: String(telling ?? lines.last ?? "it said nothing"), log: log)
    }

    // MARK: Directories

    /// Mode 0700 and the cluster's user: nobody else reaches the socket, or reads the passwords.
    private static func makePrivateDirectory(_ path: String, _ user: ServerUser) throws(ClusterError) {
        if mkdir(path, 0o700) == 0 {
            guard !user.isAnother || chown(path, user.userID, user.groupID) == 0 else {
                throw .notWritable(path: path, reason: String(cString: strerror(errno)))
            }
        } else if errno == ENOSPC {
            throw .storageFull(path: path)
        } else if errno != EEXIST {
            throw .notWritable(path: path, reason: String(cString: strerror(errno)))
        }
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw .notWritable(path: path, reason: "it is not a directory")
        }
        if status.st_uid == 0 && user.isAnother {
            // Left by a start that was interrupted between mkdir and chown.
            guard chown(path, user.userID, user.groupID) == 0 else {
                throw .notWritable(path: path, reason: String(cString: strerror(errno)))
            }
        } else if status.st_uid != user.userID {
            throw .ownedByAnother(path: path, user: "\(status.st_uid)")
        }
        guard status.st_mode & 0o777 == 0o700 || chmod(path, 0o700) == 0 else {
            throw .notWritable(path: path, reason: String(cString: strerror(errno)))
        }
    }

    /// Inside the cluster's directory, or, when the path is too long for a socket or not plain enough for libpq (which
    /// reads commas as several hosts), in a directory named by the path's hash.
    private static func shortSocketDirectory(_ root: String, _ user: ServerUser) -> String {
        let inside = "\(root)/socket"
        let isPlain = inside.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII
                && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                    || "/._- ".unicodeScalars.contains(scalar))
        }
        if isPlain && "\(inside)/.s.PGSQL.5432".utf8.count <= socketPathBytesMax { return inside }
        let name = "campanile-\(SHA256.hexDigest(Array(root.utf8)).prefix(16))"
        let runtime = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) } ?? ""
        let isUsable =
            !user.isAnother && runtime.hasPrefix("/") && runtime.utf8.count < 64 && access(runtime, W_OK) == 0
        return "\(isUsable ? runtime : "/tmp")/\(name)"
    }
}

/// Marks a cluster as used by this process, until it ends however it ends: the kernel lets go of the lock.
final class ClusterLock: Sendable {
    private let descriptor: Int32

    /// Blocks only for the disk.
    init(_ layout: ClusterLayout) throws(ClusterError) {
        let path = layout.lock
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            if errno == ENOSPC { throw .storageFull(path: layout.root) }
            throw .notWritable(path: path, reason: String(cString: strerror(errno)))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let holder = readFile(path, bytesMax: 64).flatMap { Int32(String(decoding: $0, as: UTF8.self)) }
            throw .inUse(path: layout.root, processID: holder)
        }
        ftruncate(descriptor, 0)
        let text = Array("\(getpid())".utf8)
        pwrite(descriptor, text, text.count, 0)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
