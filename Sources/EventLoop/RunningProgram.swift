import Glibc
import Synchronization

/// A program that runs beside this process, in a session of its own: the terminal's Ctrl-C does not reach it, and it outlives this process.
///
/// The program is reaped only under a lock, so ``signal(_:)`` never reaches another process that has got its ID. If it ends after this
/// object was released, it stays a zombie until this process ends.
public final class RunningProgram: Sendable {
    private static let pollMicroseconds: UInt32 = 2_000

    public let processID: pid_t
    /// As ``wait()`` returns it; nil until the program has been reaped.
    private let status = Mutex<Int32?>(nil)

    /// Starts a program. A descriptor of nil is `/dev/null`; the program gets no others of this process. The caller closes its own copies.
    /// - Parameters:
    ///   - command: The path and the arguments.
    ///   - environment: Variables in addition to `PATH` and `LC_ALL`, or to those that the program inherits.
    ///   - inheritsEnvironment: Whether the program inherits this process's environment.
    ///   - input: Descriptor for standard input.
    ///   - output: Descriptor for standard output.
    ///   - errors: Descriptor for standard error, such as `STDERR_FILENO` for this process's own.
    public init(
        _ command: [String], environment: [String: String] = [:], inheritsEnvironment: Bool = false,
        input: Int32? = nil, output: Int32? = nil, errors: Int32? = nil
    ) throws(SystemError) {
        processID = try ChildProcess.spawn(
            command, input: input, output: output, errors: errors,
            environment: inheritsEnvironment
                ? ChildProcess.inheritedVariables(environment) : ChildProcess.variables(environment))
    }

    deinit { _ = isRunning }

    public var isRunning: Bool { reapedStatus == nil }

    /// Sends a signal unless the program has ended.
    /// - Returns: Whether the signal was sent.
    @discardableResult
    public func signal(_ number: Int32) -> Bool {
        status.withLock { status in
            reap(&status)
            return status == nil && kill(processID, number) == 0
        }
    }

    /// Sends SIGTERM, and SIGKILL if the program has not ended when the time is over. Blocks until the program has ended.
    /// - Returns: As ``wait()``.
    @discardableResult
    public func terminate(timeLimit: Duration) -> Int32 {
        signal(SIGTERM)
        if let status = wait(timeLimit: timeLimit) { return status }
        signal(SIGKILL)
        return wait()
    }

    /// Blocks until the program has ended.
    /// - Returns: The exit code, or 128 plus the signal; ``ChildProcess/lostStatus`` if it is unknown.
    @discardableResult
    public func wait() -> Int32 {
        while true {
            if let status = reapedStatus { return status }
            pauseBetweenPolls()
        }
    }

    /// Blocks until the program has ended, or the time is over.
    /// - Returns: As ``wait()``; nil if the program still runs.
    @discardableResult
    public func wait(timeLimit: Duration) -> Int32? {
        let deadline = EventLoop.nowNanoseconds &+ timeLimit.nanoseconds
        while true {
            if let status = reapedStatus { return status }
            guard EventLoop.nowNanoseconds < deadline else { return nil }
            pauseBetweenPolls()
        }
    }

    /// The waiting functions poll, because a waitpid(2) that blocks would need the lock for all that time: no other thread could send a
    /// signal.
    private func pauseBetweenPolls() { usleep(Self.pollMicroseconds) }

    private var reapedStatus: Int32? {
        status.withLock { status in
            reap(&status)
            return status
        }
    }

    private func reap(_ status: inout Int32?) {
        guard status == nil else { return }
        var ended: Int32 = 0
        switch waitpid(processID, &ended, WNOHANG) {
        case 0: break
        case processID: status = ChildProcess.exitStatus(ended)
        // This process was started with SIGCHLD ignored, so the kernel has reaped the program.
        default: status = ChildProcess.lostStatus
        }
    }
}
