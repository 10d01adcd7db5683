import CEpoll
import Glibc
import Synchronization

/// Runs other programs. All functions block: call them on a worker. A ``RunningProgram`` runs beside this process.
///
/// Foundation's `Process` must not be used. In Swift 6.3.1 and earlier its `run()` copies 256 bytes of each directory entry of
/// `/proc/self/fd`, though an entry has 24. With about 1,350 descriptors or more the entries fill glibc's buffer of 32 KiB, and the copy
/// of the last ones reads beyond the buffer, which can crash this process (swift-corelibs-foundation, pull request 5472).
public enum ChildProcess {
    /// Bytes of a program's output that are kept.
    public static let outputBytesMax = 65_536
    /// Status of a program whose exit code the kernel did not keep.
    public static let lostStatus: Int32 = 255
    /// Interval between checks whether a program that closed its output has exited, in microseconds.
    static let exitPollMicroseconds: UInt32 = 5_000
    /// POSIX_SPAWN_SETSID; Swift does not import it (glibc `spawn.h`).
    private static let spawnInNewSession: Int16 = 0x80

    /// How a program ended.
    public struct Finished: Sendable {
        /// The exit code, or 128 plus the signal.
        public let status: Int32
        /// Standard output and error, truncated to ``ChildProcess/outputBytesMax``.
        public let output: String
        /// The program was killed because it exceeded its time limit.
        public let isTimedOut: Bool
    }

    /// Terminates running programs early. From any context.
    public final class Interruption: Sendable {
        private let state = Mutex((isSet: false, children: Set<pid_t>()))

        public init() {}

        /// Whether ``set()`` was called.
        public var isSet: Bool { state.withLock { $0.isSet } }

        /// Sends SIGTERM to all running programs, and to each program that starts later.
        public func set() {
            state.withLock { state in
                state.isSet = true
                for child in state.children { Self.end(child) }
            }
        }

        fileprivate func add(_ child: pid_t) {
            state.withLock { state in
                state.children.insert(child)
                if state.isSet { Self.end(child) }
            }
        }

        /// Call it before the process is reaped: until then, no other process can get its ID.
        fileprivate func remove(_ child: pid_t) { _ = state.withLock { $0.children.remove(child) } }

        /// The first process of a session leads a process group with the same ID.
        private static func end(_ child: pid_t) { kill(-child, SIGTERM) }
    }

    /// Runs a program until it exits.
    /// - Parameters:
    ///   - command: The path and the arguments.
    ///   - environment: Variables in addition to `PATH` and `LC_ALL`. The program inherits no others.
    ///   - confinement: The program's sandbox; nil to run it with this process's permissions.
    ///   - timeLimit: Time after which the program and all processes of its group are killed; nil to wait without limit.
    ///   - interruption: Terminates the program early.
    public static func run(
        _ command: [String], environment: [String: String] = [:], confinement: Confinement? = nil,
        timeLimit: Duration? = nil, interruption: Interruption? = nil
    ) throws(SystemError) -> Finished {
        var ends: [Int32] = [-1, -1]
        guard campanile_pipe(&ends) == 0 else { throw SystemError(call: "pipe2", code: errno) }
        defer { close(ends[0]) }
        let child: pid_t
        do throws(SystemError) {
            if let confinement {
                child = try confinement.spawn(command, output: ends[1], environment: variables(environment))
            } else {
                child = try spawn(command, output: ends[1], environment: environment)
            }
        } catch {
            close(ends[1])
            throw error
        }
        close(ends[1])
        let deadline = timeLimit.map { EventLoop.nowNanoseconds &+ $0.nanoseconds }
        interruption?.add(child)
        let (output, isThrough) = read(ends[0], until: deadline)
        interruption?.remove(child)
        var status: Int32 = 0
        let isTimedOut = !isThrough || !hasEnded(child, &status, by: deadline)
        if isTimedOut {
            // The process is not reaped yet, so no other process has its ID. The first process of a session leads a group with the
            // same ID.
            kill(-child, SIGKILL)
            while waitpid(child, &status, 0) < 0 && errno == EINTR {}
        }
        return Finished(
            status: exitStatus(status), output: String(decoding: output, as: UTF8.self), isTimedOut: isTimedOut)
    }

    /// The exit code, or 128 plus the signal.
    /// - Parameter status: Status from waitpid(2) of a program that has ended.
    static func exitStatus(_ status: Int32) -> Int32 {
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }

    /// Reads until the end of the pipe, which comes when all processes have closed its other end.
    /// - Returns: The output, truncated, and whether the end came in time.
    private static func read(_ descriptor: Int32, until deadline: UInt64?) -> ([UInt8], isThrough: Bool) {
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&entry, 1, millisecondsLeft(until: deadline))
            if ready < 0 && errno == EINTR { continue }
            guard ready > 0 else { return (output, false) }
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return (output, true) }
            output.append(contentsOf: buffer[..<min(count, outputBytesMax - output.count)])
        }
    }

    private static func millisecondsLeft(until deadline: UInt64?) -> Int32 {
        guard let deadline else { return -1 }
        let now = EventLoop.nowNanoseconds
        return deadline > now ? Int32(clamping: (deadline - now) / 1_000_000 + 1) : 0
    }

    /// Waits for the exit of a program that has closed its output, and reaps it. Usually the program exits immediately.
    private static func hasEnded(_ child: pid_t, _ status: inout Int32, by deadline: UInt64?) -> Bool {
        while true {
            let ended = waitpid(child, &status, deadline == nil ? 0 : WNOHANG)
            if ended == child { return true }
            if ended < 0 && errno != EINTR {
                // This process was started with SIGCHLD ignored, so the kernel has reaped the program.
                status = lostStatus << 8
                return true
            }
            guard let deadline else { continue }
            guard EventLoop.nowNanoseconds < deadline else { return false }
            usleep(exitPollMicroseconds)
        }
    }

    /// Starts a program in a new session: the terminal's Ctrl-C does not reach it, and it outlives this process.
    /// - Parameters:
    ///   - command: The path and the arguments.
    ///   - output: Descriptor for standard output and error.
    ///   - environment: Variables in addition to `PATH` and `LC_ALL`. The program inherits no others.
    public static func spawn(
        _ command: [String], output: Int32, environment additions: [String: String] = [:]
    ) throws(SystemError) -> pid_t {
        try spawn(command, input: nil, output: output, errors: output, environment: variables(additions))
    }

    /// As ``spawn(_:output:environment:)``.
    /// - Parameters:
    ///   - input: Descriptor for standard input; nil for `/dev/null`. The same goes for the other two.
    ///   - environment: All variables, as `NAME=value`.
    static func spawn(
        _ command: [String], input: Int32?, output: Int32?, errors: Int32?, environment: [String]
    ) throws(SystemError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (descriptor, standard) in [(input, STDIN_FILENO), (output, STDOUT_FILENO), (errors, STDERR_FILENO)] {
            if let descriptor {
                posix_spawn_file_actions_adddup2(&actions, descriptor, standard)
            } else {
                posix_spawn_file_actions_addopen(&actions, standard, "/dev/null", O_RDWR, 0)
            }
        }
        // The child must not keep a socket of the server open.
        campanile_close_from(&actions, 3)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        // The server blocks or ignores signals that it handles through Dispatch; the child must not.
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(
            &attributes, spawnInNewSession | Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))

        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
        arguments.append(nil)
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
        defer { for pointer in arguments + variables { free(pointer) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, command[0], &actions, &attributes, &arguments, &variables)
        guard code == 0 else { throw SystemError(call: "posix_spawn \(command[0])", code: code) }
        return child
    }

    /// Does not include this process's environment: it may hold passwords, and PG* variables that mislead initdb.
    static func variables(_ additions: [String: String]) -> [String] {
        ["PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8"] + additions.map { "\($0.key)=\($0.value)" }
    }

    /// This process's environment, with changes. No other thread may call setenv(3) at the same time.
    static func inheritedVariables(_ changes: [String: String]) -> [String] {
        var inherited: [String] = []
        var next = campanile_environment()
        while let entry = next?.pointee {
            let variable = String(cString: entry)
            if changes[String(variable.prefix { $0 != "=" })] == nil { inherited.append(variable) }
            next = next?.successor()
        }
        return inherited + changes.map { "\($0.key)=\($0.value)" }
    }
}
