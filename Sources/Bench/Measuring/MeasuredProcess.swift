import CEpoll
import Foundation
import Glibc

/// A child process whose cost is measured: the server, or a floor to compare it with.
///
/// Not thread-safe: used by the scenario that started it.
final class MeasuredProcess {
    /// How long a child may take to say that it listens: the private PostgreSQL is set up meanwhile.
    static let startSecondsMax: TimeInterval = 120

    /// How long a child may take to end in order.
    static let stopSecondsMax: TimeInterval = 10

    private let process = Process()
    private let output = Pipe()
    private(set) var clock = CPUClock()

    /// The core that a measured process of one thread has, and the client's. Left to itself the scheduler may put two
    /// programs that wait for each other on the same one.
    private static let cores = (measured: Int32(0), client: Int32(1))

    /// The program that is started.
    enum Program {
        /// `campanile`: the executable beside this one, or the one that `CAMPANILE_SERVER` names, so that two builds can be compared.
        case server
        /// This program itself, for a floor in a process of its own.
        case floor

        private static let variable = "CAMPANILE_SERVER"

        /// - Throws: ``BenchError`` when no server was built.
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
    ///   - launcher: A command that becomes the program that its last arguments name, such as `ip netns exec NAME`.
    /// - Throws: ``BenchError``.
    init(
        _ arguments: [String], of program: Program = .server, environment: [String: String] = [:], isPinned: Bool,
        descriptorsMax: Int? = nil,
        launcher: [String] = []
    ) throws {
        let isPinned = isPinned && ProcessInfo.processInfo.activeProcessorCount > 1
        let program = try program.url()
        if let descriptorsMax {
            // The shell becomes the program: its process number stays.
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments =
                ["-c", "ulimit -n \(descriptorsMax); exec \"$0\" \"$@\"", program.path] + arguments
        } else if let command = launcher.first {
            process.executableURL = URL(fileURLWithPath: command)
            process.arguments = launcher.dropFirst() + [program.path] + arguments
        } else {
            process.executableURL = program
            process.arguments = arguments
        }
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        // A child inherits the cores of the thread that starts it.
        _ = campanile_run_on_core(isPinned ? Self.cores.measured : -1)
        defer { _ = campanile_run_on_core(isPinned ? Self.cores.client : -1) }
        try process.run()
        guard clock_getcpuclockid(process.processIdentifier, &clock.id) == 0 else {
            throw BenchError(description: "the kernel gives no CPU clock for the child process")
        }
    }

    /// The port in the first line that ends in one.
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
    var processID: Int32 { process.processIdentifier }

    /// CPU seconds of all its threads so far, user and system.
    var cpuSeconds: Double { clock.seconds ?? 0 }

    /// Memory that only this process has, in user space: private pages, resident or swapped, in bytes.
    var privateBytes: Int { Self.privateBytes(of: processID) }

    /// The same of any process; 0 when it is not there.
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

    func signal(_ number: Int32) { kill(processID, number) }

    /// Of one that has ended; 0 says that it did what it was to do.
    var exitStatus: Int32 { process.terminationStatus }

    /// Waits until it has ended.
    /// - Throws: ``BenchError`` when it has not after so many seconds.
    func waitUntilExit(secondsMax: TimeInterval) throws {
        let deadline = Date.now + secondsMax
        while process.isRunning, Date.now < deadline { usleep(2_000) }
        guard !process.isRunning else {
            throw BenchError(description: "the measured process did not end within \(Int(secondsMax)) s")
        }
    }

    /// Asks it to end, and makes it: a child that was started by a thread of Dispatch has its signals blocked.
    func stop() {
        process.terminate()
        if (try? waitUntilExit(secondsMax: Self.stopSecondsMax)) == nil { kill(processID, SIGKILL) }
        process.waitUntilExit()
    }
}

/// CPU time of a process. A plain value: read it from any thread.
struct CPUClock: Sendable {
    fileprivate var id = clockid_t()

    /// Of all its threads so far, user and system; nil once the process has ended.
    var seconds: Double? {
        var time = timespec()
        guard clock_gettime(id, &time) == 0 else { return nil }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// Why a measurement could not be made.
public struct BenchError: Error, CustomStringConvertible {
    /// One plain fact and, where there is something, what to do.
    public let description: String
}
