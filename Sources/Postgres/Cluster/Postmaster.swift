import EventLoop
import Glibc

/// PostgreSQL's main process, started by this process or an earlier one. All methods block briefly.
struct Postmaster: Sendable, Equatable {
    let processID: pid_t

    /// Content of `postmaster.pid` (PostgreSQL source, `pidfile.h`).
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

    /// The running postmaster of a cluster, or nil.
    ///
    /// Removes a `postmaster.pid` whose process has ended or is another program. In the second case PostgreSQL could refuse to
    /// start.
    static func running(_ layout: ClusterLayout) -> Postmaster? {
        guard let file = PIDFile(layout) else { return nil }
        let postmaster = Postmaster(processID: file.processID)
        if postmaster.isAlive && isPostgres(file.processID, data: layout.data) { return postmaster }
        unlink("\(layout.data)/postmaster.pid")
        return nil
    }

    /// Removes a `postmaster.pid` without a process ID, which a crash of the machine can leave. PostgreSQL refuses to start beside
    /// it.
    ///
    /// The file stays while a PostgreSQL process works in the directory.
    /// - Returns: A log message, or nil if there was nothing to do.
    static func removeInvalidPIDFile(_ layout: ClusterLayout) -> String? {
        let path = "\(layout.data)/postmaster.pid"
        guard access(path, F_OK) == 0, PIDFile(layout) == nil else { return nil }
        guard let processes = opendir("/proc") else { return nil }
        defer { closedir(processes) }
        while let entry = readdir(processes) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if let processID = pid_t(name), isPostgres(processID, data: layout.data) {
                return "\(path) is unreadable, and process \(processID) uses the directory: nothing was changed"
            }
        }
        guard unlink(path) == 0 else { return nil }
        return "removed \(path), which named no process: no PostgreSQL works in the directory"
    }

    /// Starts PostgreSQL and returns before it is ready.
    static func start(_ layout: ClusterLayout, _ binaries: PostgresBinaries) throws(ClusterError) -> Postmaster {
        let log = try layout.openLog()
        defer { close(log) }
        let settings = [
            "listen_addresses=", "unix_socket_permissions=0700", "port=5432", "cluster_name=campanile",
            "logging_collector=off", "log_destination=stderr", "ssl=off",
            // Make acknowledged commits durable, whatever the configuration file says.
            "fsync=on", "full_page_writes=on", "synchronous_commit=on",
            // Estimates of rows are far too high where functions return them. PostgreSQL would therefore compile short statements, which
            // takes longer than to run them.
            "jit=off",
            // Keep parameters and rows out of the log.
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

    /// Whether the process is running. Reaps it if it is this process's child.
    var isAlive: Bool {
        var status: Int32 = 0
        switch waitpid(processID, &status, WNOHANG) {
        case 0: return true
        case processID: return false
        default:
            // The process is not our child. A zombie that its parent does not reap counts as ended.
            guard let state = Self.procState(processID) else { return false }
            return state != "Z" && state != "X"
        }
    }

    /// Whether the postmaster accepts connections.
    func isReady(_ layout: ClusterLayout) -> Bool {
        guard let file = PIDFile(layout) else { return false }
        return file.processID == processID && file.isReady
    }

    /// Requests a fast shutdown (PostgreSQL manual §19.5), which ends sessions and writes all data.
    func requestStop() { kill(processID, SIGINT) }

    /// Requests an immediate shutdown. As after a crash, the next start recovers.
    func requestImmediateStop() { kill(processID, SIGQUIT) }

    /// The process state, the third field of `/proc/<pid>/stat`. It follows the name in parentheses.
    private static func procState(_ processID: pid_t) -> Character? {
        guard let bytes = readFile("/proc/\(processID)/stat", bytesMax: 4096) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.lastIndex(of: ")").flatMap { text[$0...].dropFirst(2).first }
    }

    private static func isPostgres(_ processID: pid_t, data: String) -> Bool {
        guard let name = readFile("/proc/\(processID)/comm", bytesMax: 64),
            String(decoding: name, as: UTF8.self) == "postgres\n"
        else { return false }
        // A postmaster works in the cluster's directory. If the link is unreadable, another user runs the process: it is not this
        // one.
        guard let directory = realpath("/proc/\(processID)/cwd", nil) else { return false }
        defer { free(directory) }
        return String(cString: directory) == data
    }
}
