import EventLoop
import Foundation
import Synchronization

/// A real nats-server of a test's own, on a port of its own. It ends when it is told to, and when the test process does.
public final class TestNATS: Sendable {
    private struct State {
        var program: RunningProgram?
        var port: UInt16 = 0
    }
    private let directory: String
    private let arguments: [String]
    private let state = Mutex(State())

    /// Starts one, and returns when it takes connections.
    /// - Parameter arguments: More for nats-server, such as `["--auth", "token"]`.
    public static func start(_ arguments: [String] = []) async throws -> TestNATS {
        let nats = TestNATS(directory: try TestDirectory.make("nats"), arguments: arguments)
        try await nats.startAgain()
        return nats
    }

    private init(directory: String, arguments: [String]) {
        self.directory = directory
        self.arguments = arguments
    }

    deinit {
        let program = state.withLock { $0.program }
        program?.signal(SIGKILL)
        program?.wait()
    }

    /// Where it listens, also after a restart.
    public var port: UInt16 { state.withLock { $0.port } }

    /// As a node is told it.
    public var url: String { "nats://127.0.0.1:\(port)" }

    /// Ends it as a crash does, and waits until it is gone.
    public func kill() async {
        let program = state.withLock { state in
            defer { state.program = nil }
            return state.program
        }
        guard let program else { return }
        program.signal(SIGKILL)
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                program.wait()
                continuation.resume()
            }
        }
    }

    /// Stops it from doing anything, without its connections' ending, or has it go on.
    public func setFrozen(_ isFrozen: Bool) {
        _ = state.withLock { $0.program }?.signal(isFrozen ? SIGSTOP : SIGCONT)
    }

    /// Starts it, at the same port if it ran before.
    public func startAgain() async throws {
        let port = self.port
        let ports = "\(directory)/ports"
        try? FileManager.default.removeItem(atPath: ports)
        try FileManager.default.createDirectory(atPath: ports, withIntermediateDirectories: true)
        let program = try await Spawner.shared.start(
            ["/usr/sbin/nats-server", "-a", "127.0.0.1", "-p", port == 0 ? "-1" : "\(port)"]
                + ["--ports_file_dir", ports, "-l", "\(directory)/log"] + arguments, errors: STDERR_FILENO)
        state.withLock { $0.program = program }
        let listening = try await eventually("nats-server listens") { () -> UInt16? in
            guard program.isRunning else {
                let log = (try? String(contentsOfFile: "\(self.directory)/log", encoding: .utf8)) ?? ""
                throw NeverStarted(description: "nats-server has ended: \(log.suffix(1_000))")
            }
            return Self.port(in: ports)
        }
        state.withLock { $0.port = listening }
    }

    /// What could not be started says why.
    struct NeverStarted: Error, CustomStringConvertible {
        let description: String
    }

    /// nats-server writes its addresses into a file when it listens: `{"nats":["nats://127.0.0.1:4222"]}`.
    private static func port(in directory: String) -> UInt16? {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
            guard let data = FileManager.default.contents(atPath: "\(directory)/\(name)"),
                let lists = try? JSONDecoder().decode([String: [String]].self, from: data),
                let port = lists["nats"]?.first?.split(separator: ":").last
            else { continue }
            return UInt16(port)
        }
        return nil
    }
}

/// A thread that lasts as long as the process: children that end with their parent end with the thread that started them
/// (prctl(2), PR_SET_PDEATHSIG).
public final class Spawner: Sendable {
    /// The one of this process.
    public static let shared = Spawner()

    private let jobs = Mutex<[@Sendable () -> Void]>([])
    private let wake = DispatchSemaphore(value: 0)

    private init() {
        let thread = Thread { [self] in
            while true {
                wake.wait()
                jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }?()
            }
        }
        thread.name = "spawner"
        thread.start()
    }

    /// Starts a program from there that ends with this process. It inherits this process's environment.
    /// - Parameters:
    ///   - environment: Variables in addition to the inherited ones.
    ///   - output: Descriptor for standard output; nil for `/dev/null`, as for `errors`.
    public func start(
        _ command: [String], environment: [String: String] = [:], output: Int32? = nil, errors: Int32? = nil
    ) async throws -> RunningProgram {
        try await withCheckedThrowingContinuation { continuation in
            let job: @Sendable () -> Void = {
                continuation.resume(
                    with: Result {
                        try RunningProgram(
                            ["/usr/bin/setpriv", "--pdeathsig", "KILL"] + command, environment: environment,
                            inheritsEnvironment: true, output: output, errors: errors)
                    })
            }
            jobs.withLock { $0.append(job) }
            wake.signal()
        }
    }
}
