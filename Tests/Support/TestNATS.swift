import Foundation
import Synchronization

/// A real nats-server of a test's own, on a port of its own. It ends when it is told to, and when the test process does.
public final class TestNATS: Sendable {
    private struct State {
        var process: Process?
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

    deinit { state.withLock { $0.process }?.signal(SIGKILL) }

    /// Where it listens, also after a restart.
    public var port: UInt16 { state.withLock { $0.port } }

    /// As a node is told it.
    public var url: String { "nats://127.0.0.1:\(port)" }

    /// Ends it as a crash does, and waits until it is gone.
    public func kill() async {
        let process = state.withLock { state in
            defer { state.process = nil }
            return state.process
        }
        guard let process else { return }
        process.signal(SIGKILL)
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                process.waitUntilExit()
                continuation.resume()
            }
        }
    }

    /// Stops it from doing anything, without its connections' ending, or has it go on.
    public func setFrozen(_ isFrozen: Bool) {
        state.withLock { $0.process }?.signal(isFrozen ? SIGSTOP : SIGCONT)
    }

    /// Starts it, at the same port if it ran before.
    public func startAgain() async throws {
        let port = self.port
        let ports = "\(directory)/ports"
        try? FileManager.default.removeItem(atPath: ports)
        try FileManager.default.createDirectory(atPath: ports, withIntermediateDirectories: true)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
        process.arguments =
            ["--pdeathsig", "KILL", "/usr/sbin/nats-server", "-a", "127.0.0.1", "-p", port == 0 ? "-1" : "\(port)"]
            + ["--ports_file_dir", ports, "-l", "\(directory)/log"] + arguments
        process.standardInput = FileHandle.nullDevice
        try await Spawner.shared.run(process)
        state.withLock { $0.process = process }
        let listening = try await eventually("nats-server listens") { () -> UInt16? in
            guard process.isRunning else {
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

extension Process {
    fileprivate func signal(_ signal: Int32) {
        if isRunning { kill(processIdentifier, signal) }
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

    /// Starts a process from there.
    public func run(_ process: Process) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            jobs.withLock { $0.append { continuation.resume(with: Result { try process.run() }) } }
            wake.signal()
        }
    }
}
