import EventLoop
import Glibc

/// Paths of a private cluster's files, all below `postgres/` in the data directory: `data/` (PostgreSQL's own), `socket/`,
/// `pgpass`, `postgres.log` and `hub.lock`. All methods block: call them on a worker thread.
struct ClusterLayout: Sendable {
    /// `sun_path` holds 108 bytes including the final NUL (unix(7)).
    static let socketPathBytesMax = 107
    /// A longer log is truncated when PostgreSQL starts.
    static let logBytesMax = 16 << 20
    /// Free disk space for a new cluster: its catalogues, the first segments of its write-ahead log, and a reserve.
    static let newClusterFreeBytesMin: UInt64 = 96 << 20
    /// Size of a write-ahead log segment, initdb's default.
    static let segmentBytes: UInt64 = 16 << 20

    let root: String
    let user: ServerUser
    let socketDirectory: String

    var data: String { "\(root)/data" }
    /// Directory that `initdb` fills. It is renamed to `data` when complete, so a crash leaves no partial cluster.
    ///
    /// The name contains this process's ID, because an initdb of another process may still be writing to its own.
    var unfinishedData: String { "\(root)/\(Self.unfinishedPrefix)\(getpid())" }
    private static let unfinishedPrefix = "data.new."
    var log: String { "\(root)/postgres.log" }
    var lock: String { "\(root)/hub.lock" }

    /// Creates the directories that do not exist.
    /// - Parameter dataDirectory: Created if missing.
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

    /// The major version that created the cluster, or nil if there is no cluster.
    func majorVersion() -> Int? {
        guard let bytes = readFile("\(data)/PG_VERSION", bytesMax: 64) else { return nil }
        return Int(String(decoding: bytes, as: UTF8.self).prefix { $0.isNumber })
    }

    /// Checks that a data directory without a version is empty. With files in it, it is a damaged cluster and must not be replaced.
    /// - Throws: ``ClusterError/damaged(path:)``.
    func checkData() throws(ClusterError) {
        guard majorVersion() == nil, let directory = opendir(data) else { return }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { throw .damaged(path: data) }
        }
    }

    /// Creates the cluster if there is none.
    /// - Parameter passwords: The passwords of the cluster's roles.
    func initialise(_ binaries: PostgresBinaries, _ passwords: ClusterPasswords) throws(ClusterError) {
        guard majorVersion() == nil else { return }
        // Check the space first: on a full disk, initdb fails later and rarely names the cause.
        if let room = Self.roomBytes(root), room < Self.newClusterFreeBytesMin {
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

    /// Removes the directories of killed starts. A directory to which initdb still writes may remain, without harm.
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

    /// Opens the log for appending and gives it to the cluster's user.
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

    /// Disk space available to unprivileged users, in bytes; nil if it cannot be determined.
    private static func roomBytes(_ path: String) -> UInt64? {
        var space = statvfs()
        return statvfs(path, &space) == 0 ? UInt64(space.f_bavail) * UInt64(space.f_frsize) : nil
    }

    /// The error that PostgreSQL's output describes.
    func diagnose(_ output: String) -> ClusterError {
        Self.diagnose(output, root: root, log: log, roomBytes: Self.roomBytes(root))
    }

    /// The error that the output describes.
    ///
    /// PostgreSQL does not start without free space for a segment of its write-ahead log. Its message needs space too, so it may be
    /// missing or truncated.
    /// - Parameter roomBytes: Free space on the disk in bytes, or nil if unknown.
    static func diagnose(_ output: String, root: String, log: String, roomBytes: UInt64?) -> ClusterError {
        if output.contains("No space left on device") { return .storageFull(path: root) }
        let lines = output.split(separator: "\n")
        let errorLine = lines.last { line in
            ["FATAL:", "PANIC:", "error:", "could not", "fatal:"].contains { line.contains($0) }
        }
        if errorLine == nil || !output.hasSuffix("\n"), let roomBytes, roomBytes < segmentBytes {
            return .storageFull(path: root)
        }
        return .notStarted(reason: String(errorLine ?? lines.last ?? "it printed no message"), log: log)
    }

    // MARK: Directories

    /// Creates a directory of mode 0700 for the cluster's user, so that no other user reaches the socket or the passwords.
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
            // A start was interrupted between mkdir and chown.
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

    /// The socket directory inside the cluster's directory, or else one named by the path's hash.
    ///
    /// The second one is used if the path is too long for a socket, or contains characters that libpq could misread, such as a
    /// comma between hosts.
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

/// Exclusive lock of a cluster. The kernel releases it when the process ends, however it ends.
final class ClusterLock: Sendable {
    let descriptor: Int32

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

    deinit {
        guard descriptor >= 0 else { return }
        // A program that is being started has a copy of the descriptor until its exec(2), and closing this one alone would leave the
        // lock with it (flock(2)).
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
