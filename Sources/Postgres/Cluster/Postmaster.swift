import EventLoop
import Glibc

/// PostgreSQL's main process, started by this process or by one that is gone. Everything here blocks briefly.
struct Postmaster: Sendable, Equatable {
    let processID: pid_t

    /// What PostgreSQL says about itself in `postmaster.pid` (PostgreSQL source, `pidfile.h`).
    struct PIDFile {
        let processID: pid_t
        let isReady: Bool
        let socketDirectory: String

        init?(_ layout: ClusterLayout) {
            guard let bytes = readFile("\(layout.data)/postmaster.pid", bytesMax: 4096) else { return nil }
            let lines = String(decoding: bytes, as: UTF8.self)
                .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            guard let first = lines.first, let processID = pid_t(first), processID > 0 else { return nil }
            self.processID = processID
            socketDirectory = lines.count > 4 ? lines[4] : ""
            isReady = lines.count > 7 && lines[7].hasPrefix("ready")
        }
    }

    /// The running postmaster of a cluster, or nil. Removes a `postmaster.pid` whose process is gone or is another
    /// program by now: PostgreSQL itself would hesitate in the second case.
    static func running(_ layout: ClusterLayout) -> Postmaster? {
        guard let file = PIDFile(layout) else { return nil }
        let postmaster = Postmaster(processID: file.processID)
        if postmaster.isAlive && isPostgres(file.processID, data: layout.data) { return postmaster }
        unlink("\(layout.data)/postmaster.pid")
        return nil
    }

    /// Removes a `postmaster.pid` that names no process, as a crash of the machine leaves it: PostgreSQL refuses to start beside it.
    /// It stays while a PostgreSQL works in the directory.
    /// - Returns: What was done, for the log; nil when there was nothing to do.
    static func removeUselessPIDFile(_ layout: ClusterLayout) -> String? {
        let path = "\(layout.data)/postmaster.pid"
        guard access(path, F_OK) == 0, PIDFile(layout) == nil else { return nil }
        guard let processes = opendir("/proc") else { return nil }
        defer { closedir(processes) }
        while let entry = readdir(processes) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if let processID = pid_t(name), isPostgres(processID, data: layout.data) {
                return "\(path) is unreadable, and process \(processID) works in the directory: it is left alone"
            }
        }
        guard unlink(path) == 0 else { return nil }
        return "removed \(path), which named no process: no PostgreSQL works in the directory"
    }

    /// Starts PostgreSQL. It is not ready yet.
    static func start(_ layout: ClusterLayout, _ binaries: PostgresBinaries) throws(ClusterError) -> Postmaster {
        let log = try layout.openLog()
        defer { close(log) }
        let settings = [
            "listen_addresses=", "unix_socket_permissions=0700", "port=5432", "cluster_name=campanile",
            "logging_collector=off", "log_destination=stderr", "ssl=off",
            // Acknowledged is durable, whatever the configuration file says.
            "fsync=on", "full_page_writes=on", "synchronous_commit=on",
            // Neither parameters nor rows belong into a log.
            "log_parameter_max_length=0", "log_parameter_max_length_on_error=0", "log_error_verbosity=terse",
        ]
        let command =
            [binaries.postgres, "-D", layout.data, "-k", layout.socketDirectory] + settings.flatMap { ["-c", $0] }
        do {
            return Postmaster(processID: try ChildProcess.spawn(layout.user.command(command), output: log))
        } catch {
            throw .notStarted(reason: error.description, log: layout.log)
        }
    }

    /// It runs. Reaps it when it was this process's child.
    var isAlive: Bool {
        var status: Int32 = 0
        switch waitpid(processID, &status, WNOHANG) {
        case 0: return true
        case processID: return false
        default:
            // Somebody else's child: a zombie that nobody reaps is dead too.
            guard let state = Self.procState(processID) else { return false }
            return state != "Z" && state != "X"
        }
    }

    /// It accepts connections.
    func isReady(_ layout: ClusterLayout) -> Bool {
        guard let file = PIDFile(layout) else { return false }
        return file.processID == processID && file.isReady
    }

    /// Asks for a fast shutdown (PostgreSQL manual §19.5): sessions are ended, everything is written.
    func requestStop() { kill(processID, SIGINT) }

    /// Asks for an immediate shutdown: like a crash, recovered from at the next start.
    func requestImmediateStop() { kill(processID, SIGQUIT) }

    /// The third field of `/proc/<pid>/stat`, behind the parenthesised name.
    private static func procState(_ processID: pid_t) -> Character? {
        guard let bytes = readFile("/proc/\(processID)/stat", bytesMax: 4096) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.lastIndex(of: ")").flatMap { text[$0...].dropFirst(2).first }
    }

    private static func isPostgres(_ processID: pid_t, data: String) -> Bool {
        guard let name = readFile("/proc/\(processID)/comm", bytesMax: 64),
            String(decoding: name, as: UTF8.self) == "postgres\n"
        else { return false }
        // Its working directory is the cluster's; not readable means that it is not ours, which cannot be its postmaster.
        guard let directory = realpath("/proc/\(processID)/cwd", nil) else { return false }
        defer { free(directory) }
        return String(cString: directory) == data
    }
}
