import Foundation
import Synchronization

/// A server of `Tests/Support/Servers`, written in Python with libraries that are not ours. It says what happens in lines of JSON, and
/// ends when the test process does.
public final class TestPython: Sendable {
    /// One line of what it said.
    public struct Line: @unchecked Sendable {
        // JSON values are immutable.
        fileprivate let members: [String: Any]
        /// A string member.
        public func text(_ name: String) -> String { members[name] as? String ?? "" }
        /// A number.
        public func number(_ name: String) -> Int { members[name] as? Int ?? 0 }
        /// True when it is there and true.
        public func isTrue(_ name: String) -> Bool { members[name] as? Bool ?? false }
        /// An object.
        public func object(_ name: String) -> Line { Line(members: members[name] as? [String: Any] ?? [:]) }
        /// How many a list has.
        public func count(_ name: String) -> Int { (members[name] as? [Any])?.count ?? 0 }
    }

    private let process: Process
    private let output: Output
    /// What it said first: its port, and more.
    public let greeting: Line
    /// Where it listens.
    public var port: UInt16 { UInt16(greeting.number("port")) }

    private final class Output: Sendable {
        private struct State {
            var unfinished = Data()
            var lines: [Line] = []
        }
        private let state = Mutex(State())

        var lines: [Line] { state.withLock { $0.lines } }

        func append(_ data: Data) {
            state.withLock { state in
                state.unfinished.append(data)
                while let end = state.unfinished.firstIndex(of: 10) {
                    let line = state.unfinished[state.unfinished.startIndex..<end]
                    let members = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
                    state.lines.append(Line(members: members ?? [:]))
                    state.unfinished = Data(state.unfinished[(end + 1)...])
                }
            }
        }
    }

    private static let python = Task { () throws -> String in
        let script = Process()
        let output = Pipe()
        script.executableURL = TestServer.root.appendingPathComponent("deploy/test-python")
        script.standardOutput = output
        try await Spawner.shared.run(script)
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Starts one, and returns when it listens.
    /// - Parameters:
    ///   - name: Such as `mail`.
    ///   - arguments: What it is told.
    public static func start(_ name: String, _ arguments: [String] = []) async throws -> TestPython {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
        process.arguments =
            [
                "--pdeathsig", "KILL", try await python.value,
                TestServer.root.appendingPathComponent("Tests/Support/Servers/\(name).py").path,
            ] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        let said = Output()
        output.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil } else { said.append(data) }
        }
        try await Spawner.shared.run(process)
        let greeting = try await eventually("\(name).py listens") { said.lines.first }
        return TestPython(process: process, output: said, greeting: greeting)
    }

    private init(process: Process, output: Output, greeting: Line) {
        (self.process, self.output, self.greeting) = (process, output, greeting)
    }

    deinit { end() }

    /// Ends it: who waits for its answer waits no more. Not by SIGTERM, which it has from this process to ignore.
    public func end() {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// What it said of an event so far.
    public func said(_ event: String) -> [Line] { output.lines.filter { $0.text("event") == event } }
}
