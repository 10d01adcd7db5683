import CSandbox
import Glibc

/// What a program may do that meets hostile bytes: read and write some files, compute, and nothing else.
///
/// It has no descriptors of this process, no network and no sockets of any kind, cannot start, signal, trace or reprioritise processes, and
/// gains no privileges. Files are closed to it by Landlock (Linux 5.13 and newer, see ``Support``), system calls by seccomp. When this process
/// is root the program runs as another user without capabilities.
public struct Confinement: Sendable {
    /// What a program may take of the machine.
    public struct Limits: Sendable, Equatable {
        /// Bytes of address space.
        public var addressSpaceBytes: Int
        /// Seconds of processor time.
        public var processorSeconds: Int
        /// Bytes of any file that it writes.
        public var fileBytes: Int
        /// Descriptors open at once.
        public var descriptors: Int
        /// Threads of another user than this process's, beyond those that run when it starts. The kernel counts those of other containers
        /// too, which cannot be seen from here. The program's own address space limits them as well.
        public var threads = 512

        /// Memberwise; ``threads`` has a default.
        public init(addressSpaceBytes: Int, processorSeconds: Int, fileBytes: Int, descriptors: Int) {
            self.addressSpaceBytes = addressSpaceBytes
            self.processorSeconds = processorSeconds
            self.fileBytes = fileBytes
            self.descriptors = descriptors
        }
    }

    /// What this kernel has of it.
    public struct Support: Sendable, Equatable, CustomStringConvertible {
        /// Landlock's version; 0 for none: then only file modes keep files from a program of the same user.
        public let landlock: Int
        /// System calls are filtered.
        public let hasSeccomp: Bool

        /// Files are closed to a confined program, and so are sockets and other processes.
        public var isWhole: Bool { landlock > 0 && hasSeccomp }

        /// This kernel's.
        public static var current: Support {
            Support(landlock: Int(campanile_landlock_version()), hasSeccomp: campanile_has_seccomp() != 0)
        }

        /// One plain fact.
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

    /// Programs that it may execute, itself included; interpreters too.
    public var programs: [String]
    /// More files and directories that it may read.
    public var readable: [String] = []
    /// Directories in which it may make, read, write and remove files.
    public var writable: [String]
    /// What it may take of the machine.
    public var limits: Limits
    /// Another user and group to run as; nil for this process's own.
    public var user: (userID: uid_t, groupID: gid_t)?
    /// Beyond this process's: behind everything else that runs here.
    static let niceness: Int32 = 10

    /// - Parameters:
    ///   - programs: Programs that it may execute, itself included.
    ///   - writable: Directories in which it may make files.
    ///   - limits: What it may take of the machine.
    ///   - user: Another user to run as, which takes root; nil for this process's own.
    public init(
        programs: [String], writable: [String], limits: Limits, user: (userID: uid_t, groupID: gid_t)? = nil
    ) {
        self.programs = programs
        self.writable = writable
        self.limits = limits
        self.user = user
    }

    /// From now on no process of the same user can read this process's memory, environment or descriptors, or trace it. It leaves no core
    /// file any more.
    public static func hideOwnMemory() { _ = campanile_hide_memory() }

    /// Starts a program within these bounds.
    func spawn(_ command: [String], output: Int32, environment: [String]) throws(SystemError) -> pid_t {
        var lists: [[UnsafeMutablePointer<CChar>?]] = []
        defer { for list in lists { for pointer in list { free(pointer) } } }
        func list(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
            let made = texts.map { strdup($0) } + [nil]
            lists.append(made)
            return made
        }
        var failure = campanile_sandbox_failure()
        // This process's own user may run any number of threads, here and in other containers: with a limit the program could not start
        // its own when they do.
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

    /// Threads that a user runs now: the kernel's limit counts all of them together (setrlimit(2), RLIMIT_NPROC).
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
            // Its links: itself, its parent, and a directory for each thread.
            let path = "/proc/\(name)/task"
            guard stat(path, &status) == 0, owns(name, user) else { continue }
            count += max(1, Int(status.st_nlink) - 2)
        }
        return count
    }

    /// A process whose memory is hidden belongs to root in `/proc`; its status tells.
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
