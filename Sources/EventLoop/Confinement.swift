import CSandbox
import Glibc

/// Sandbox for a program that processes untrusted data: the program may read and write some files and compute, and nothing else.
///
/// The program has no descriptors of this process, no network and no sockets of any kind. It cannot start, signal, trace or
/// reprioritise processes, and gains no privileges. Landlock restricts files (Linux 5.13 and newer, see ``Support``), seccomp
/// restricts system calls. If this process is root, the program runs as another user without capabilities.
public struct Confinement: Sendable {
    /// Resource limits of the program.
    public struct Limits: Sendable, Equatable {
        public var addressSpaceBytes: Int
        /// Seconds of processor time.
        public var processorSeconds: Int
        /// Bytes of each file that the program writes.
        public var fileBytes: Int
        /// Descriptors open at once.
        public var descriptors: Int
        /// Threads of ``Confinement/user`` beyond those that run when the program starts; not limited for this process's own user.
        /// The kernel also counts threads in other containers, which this process cannot see. The program's address space limits
        /// its threads as well.
        public var threads = 512

        public init(addressSpaceBytes: Int, processorSeconds: Int, fileBytes: Int, descriptors: Int) {
            self.addressSpaceBytes = addressSpaceBytes
            self.processorSeconds = processorSeconds
            self.fileBytes = fileBytes
            self.descriptors = descriptors
        }
    }

    /// Sandbox features of the running kernel.
    public struct Support: Sendable, Equatable, CustomStringConvertible {
        /// Landlock's version. 0 for none: then only file modes protect files from a program of the same user.
        public let landlock: Int
        /// Whether the kernel can filter system calls.
        public let hasSeccomp: Bool

        /// Whether files, sockets and other processes are all inaccessible to a confined program.
        public var isWhole: Bool { landlock > 0 && hasSeccomp }

        public static var current: Support {
            Support(landlock: Int(campanile_landlock_version()), hasSeccomp: campanile_has_seccomp() != 0)
        }

        public var description: String {
            let files = landlock > 0 ? "files by Landlock \(landlock)" : "files NOT closed (no Landlock)"
            let calls =
                hasSeccomp
                ? "sockets, processes and signals by seccomp" : "sockets and processes NOT closed (no seccomp)"
            return "\(files), \(calls)"
        }
    }

    /// Libraries and data that any program of the distribution reads.
    public static let libraries = ["/usr/lib", "/usr/lib64", "/lib64", "/usr/share", "/etc/ld.so.cache"]

    /// Programs that may be executed, including the program itself and interpreters.
    public var programs: [String]
    /// Further readable files and directories.
    public var readable: [String] = []
    /// Directories in which the program may create, read, write and remove files.
    public var writable: [String]
    public var limits: Limits
    /// User and group to run as; nil for this process's own.
    public var user: (userID: uid_t, groupID: gid_t)?
    /// Added to this process's niceness, so that the program runs behind everything else.
    static let niceness: Int32 = 10

    /// - Parameters:
    ///   - programs: Programs that may be executed, including the program itself.
    ///   - writable: Directories in which the program may create files.
    ///   - limits: Resource limits.
    ///   - user: User and group to run as, which requires root; nil for this process's own.
    public init(
        programs: [String], writable: [String], limits: Limits, user: (userID: uid_t, groupID: gid_t)? = nil
    ) {
        self.programs = programs
        self.writable = writable
        self.limits = limits
        self.user = user
    }

    /// Makes this process undumpable: no process of the same user can read its memory, environment or descriptors, or trace it. The
    /// process then leaves no core file.
    public static func makeUndumpable() { _ = campanile_hide_memory() }

    /// Starts a program in the sandbox.
    func spawn(_ command: [String], output: Int32, environment: [String]) throws(SystemError) -> pid_t {
        var lists: [[UnsafeMutablePointer<CChar>?]] = []
        defer { for list in lists { for pointer in list { free(pointer) } } }
        func list(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
            let made = texts.map { strdup($0) } + [nil]
            lists.append(made)
            return made
        }
        var failure = campanile_sandbox_failure()
        // No limit for this process's own user: it may run any number of threads, here and in other containers, and a limit would
        // then keep the program from starting its own.
        let tasks = user.map { Self.tasks(of: $0.userID) + limits.threads } ?? 0
        let child = list(command).withUnsafeBufferPointer { command in
            list(environment).withUnsafeBufferPointer { environment in
                list(readable + Self.libraries).withUnsafeBufferPointer { readable in
                    list(programs + Self.libraries.prefix(3)).withUnsafeBufferPointer { programs in
                        list(writable).withUnsafeBufferPointer { writable in
                            var sandbox = campanile_sandbox()
                            sandbox.command = command.baseAddress
                            sandbox.environment = environment.baseAddress
                            sandbox.output = output
                            sandbox.readable = readable.baseAddress
                            sandbox.executable = programs.baseAddress
                            sandbox.writable = writable.baseAddress
                            sandbox.address_space_bytes = UInt64(limits.addressSpaceBytes)
                            sandbox.processor_seconds = UInt64(limits.processorSeconds)
                            sandbox.file_bytes = UInt64(limits.fileBytes)
                            sandbox.descriptors = UInt64(limits.descriptors)
                            sandbox.tasks = UInt64(tasks)
                            sandbox.nice = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) + Self.niceness
                            sandbox.changes_user = user == nil ? 0 : 1
                            sandbox.user = user?.userID ?? 0
                            sandbox.group = user?.groupID ?? 0
                            return campanile_spawn_sandboxed(&sandbox, &failure)
                        }
                    }
                }
            }
        }
        guard child > 0 else {
            throw SystemError(call: Self.step(failure.step, command.first ?? ""), code: failure.code)
        }
        return child
    }

    private static func step(_ number: Int32, _ program: String) -> String {
        switch Int(number) {
        case Int(campanile_step_descriptors): "descriptors of \(program)"
        case Int(campanile_step_limits): "setrlimit for \(program)"
        case Int(campanile_step_user): "setresuid for \(program)"
        case Int(campanile_step_privileges): "no_new_privs for \(program)"
        case Int(campanile_step_files): "landlock for \(program)"
        case Int(campanile_step_calls): "seccomp for \(program)"
        case Int(campanile_step_program): "execve \(program)"
        default: "fork for \(program)"
        }
    }

    /// Number of threads that a user runs now. The kernel's limit counts all of them together (setrlimit(2), RLIMIT_NPROC).
    private static func tasks(of user: uid_t) -> Int {
        guard let processes = opendir("/proc") else { return 0 }
        defer { closedir(processes) }
        var count = 0
        while let entry = readdir(processes) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.utf8.allSatisfy({ (48...57).contains($0) }) else { continue }
            var status = stat()
            // Links of the directory: itself, its parent, and one for each thread.
            let path = "/proc/\(name)/task"
            guard stat(path, &status) == 0, owns(name, user) else { continue }
            count += max(1, Int(status.st_nlink) - 2)
        }
        return count
    }

    /// Whether a process belongs to a user. Reads `status`, because the files of an undumpable process in `/proc` belong to root.
    private static func owns(_ process: String, _ user: uid_t) -> Bool {
        guard let file = fopen("/proc/\(process)/status", "re") else { return false }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard text.hasPrefix("Uid:") else { continue }
            return text.split { $0 == "\t" || $0 == "\n" }.dropFirst().first.flatMap { uid_t($0) } == user
        }
        return false
    }
}
