import CEpoll
import EventLoop
import Foundation
import Glibc

/// A child process whose cost is measured: the server, or the baseline server to compare with.
///
/// Not thread-safe: used by the scenario that started it.
final class MeasuredProcess {
    /// Maximum time until a child announces its port. The server sets up its private PostgreSQL before.
    static let startSecondsMax: TimeInterval = 120

    /// Maximum time for a child's orderly shutdown.
    static let stopLimit = Duration.seconds(10)

    private let process: RunningProgram
    private let output = Pipe()
    private(set) var clock = CPUClock()

    /// The cores of a single-threaded measured process and of the client. Otherwise the scheduler may put two programs
    /// that wait for each other on the same core.
    private static let cores = (measured: Int32(0), client: Int32(1))

    /// The program to start.
    enum Program {
        /// `campanile`: the executable beside this one, or the one in `CAMPANILE_SERVER`, so that two builds can be
        /// compared.
        case server
        /// This program itself, to run the baseline server in a process of its own.
        case floor

        private static let variable = "CAMPANILE_SERVER"

        /// - Throws: ``BenchError`` if there is no server executable.
        func url() throws -> URL {
            let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            guard self == .server else { return own }
            let server =
                ProcessInfo.processInfo.environment[Self.variable].map { URL(fileURLWithPath: $0) }
                ?? own.deletingLastPathComponent().appendingPathComponent("campanile")
            guard FileManager.default.isExecutableFile(atPath: server.path) else {
                throw BenchError(
                    description: "there is no server at \(server.path): build it with swift build -c release --product "
                        + "campanile, or name one in \(Self.variable)")
            }
            return server
        }
    }

    /// Starts the program.
    /// - Parameters:
    ///   - isPinned: True gives it a core of its own, and the calling thread another.
    ///   - descriptorsMax: Its limit of open files; nil for this process's own.
    ///   - launcher: A command that executes the program named by its last arguments, such as `ip netns exec NAME`.
    /// - Throws: ``BenchError``.
    init(
        _ arguments: [String], of program: Program = .server, environment: [String: String] = [:], isPinned: Bool,
        descriptorsMax: Int? = nil,
        launcher: [String] = []
    ) throws {
        let isPinned = isPinned && ProcessInfo.processInfo.activeProcessorCount > 1
        let program = try program.url()
        // The shell replaces itself by the program, so the process id stays.
        let launcher =
            descriptorsMax.map { ["/bin/sh", "-c", "ulimit -n \($0); exec \"$0\" \"$@\""] } ?? launcher
        // A child inherits the cores of the thread that starts it.
        _ = campanile_run_on_core(isPinned ? Self.cores.measured : -1)
        defer { _ = campanile_run_on_core(isPinned ? Self.cores.client : -1) }
        process = try RunningProgram(
            launcher + [program.path] + arguments, environment: environment, inheritsEnvironment: true,
            output: output.fileHandleForWriting.fileDescriptor, errors: STDERR_FILENO)
        try output.fileHandleForWriting.close()
        guard clock_getcpuclockid(process.processID, &clock.id) == 0 else {
            throw BenchError(description: "the kernel gives no CPU clock for the child process")
        }
    }

    /// Reads the port from the first output line that ends in one.
    func readPort() throws -> UInt16 {
        var text = ""
        let deadline = Date.now + Self.startSecondsMax
        while Date.now < deadline {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { break }
            text += String(decoding: data, as: UTF8.self)
            for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
                let digits = line.reversed().drop { $0 == "/" }.prefix { $0.isNumber }
                if let port = UInt16(String(digits.reversed())) { return port }
            }
        }
        throw BenchError(description: "the measured process did not say where it listens: \(text)")
    }

    var isRunning: Bool { process.isRunning }
    var processID: Int32 { process.processID }

    /// CPU seconds of all its threads so far, user and system.
    var cpuSeconds: Double { clock.seconds ?? 0 }

    /// Private memory in user space, resident or swapped, in bytes.
    var privateBytes: Int { Self.privateBytes(of: processID) }

    /// Private memory of any process, in bytes; 0 if it does not exist.
    static func privateBytes(of id: Int32) -> Int {
        guard let text = try? String(contentsOfFile: "/proc/\(id)/smaps_rollup", encoding: .utf8) else {
            return 0
        }
        var kilobytes = 0
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ", omittingEmptySubsequences: true)
            guard parts.count >= 2, ["Private_Clean:", "Private_Dirty:", "Swap:"].contains(String(parts[0])) else {
                continue
            }
            kilobytes += Int(parts[1]) ?? 0
        }
        return kilobytes * 1024
    }

    func signal(_ number: Int32) { process.signal(number) }

    /// The exit code of an ended process, or 128 plus the signal.
    var exitStatus: Int32 { process.wait() }

    /// Waits until it has ended.
    /// - Throws: ``BenchError`` if it has not ended after `secondsMax`.
    func waitUntilExit(secondsMax: TimeInterval) throws {
        guard process.wait(timeLimit: .seconds(secondsMax)) != nil else {
            throw BenchError(description: "the measured process did not end within \(Int(secondsMax)) s")
        }
    }

    /// Terminates the process, and kills it if it does not shut down in time.
    func stop() { process.terminate(timeLimit: Self.stopLimit) }
}

/// The CPU time of a process. May be read from any thread.
struct CPUClock: Sendable {
    fileprivate var id = clockid_t()

    /// CPU seconds of all threads so far, user and system; nil once the process has ended.
    var seconds: Double? {
        var time = timespec()
        guard clock_gettime(id, &time) == 0 else { return nil }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// The reason why a measurement could not be made.
public struct BenchError: Error, CustomStringConvertible {
    /// The error and, if there is one, its remedy.
    public let description: String
}
