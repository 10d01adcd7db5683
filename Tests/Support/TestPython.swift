import EventLoop
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

    private let program: RunningProgram
    private let output: Output
    /// What it said first: its port, and more.
    public let greeting: Line
    /// Where it listens.
    public var port: UInt16 { UInt16(greeting.number("port")) }

    /// What it says, in a file: whoever looks has all that was said by then, and not only what some thread had the time to take from a pipe.
    private final class Output: Sendable {
        private struct State {
            let file: FileHandle
            var unfinished = Data()
            var lines: [Line] = []

            mutating func read() {
                unfinished.append((try? file.readToEnd()) ?? Data())
                while let end = unfinished.firstIndex(of: 10) {
                    let line = unfinished[unfinished.startIndex..<end]
                    let members = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
                    lines.append(Line(members: members ?? [:]))
                    unfinished = Data(unfinished[(end + 1)...])
                }
            }
        }
        private let state: Mutex<State>

        init(_ path: String) throws {
            state = Mutex(State(file: try FileHandle(forReadingFrom: URL(fileURLWithPath: path))))
        }

        var lines: [Line] {
            state.withLock { state in
                state.read()
                return state.lines
            }
        }
    }

    private static let python = Task { () throws -> String in
        let output = Pipe()
        let script = try RunningProgram(
            [TestServer.root.appendingPathComponent("deploy/test-python").path], inheritsEnvironment: true,
            output: output.fileHandleForWriting.fileDescriptor, errors: STDERR_FILENO)
        try output.fileHandleForWriting.close()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        script.wait()
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Starts one, and returns when it listens.
    /// - Parameters:
    ///   - name: Such as `mail`.
    ///   - arguments: What it is told.
    public static func start(_ name: String, _ arguments: [String] = []) async throws -> TestPython {
        let path = try TestDirectory.make("python") + "/said"
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        let said = try Output(path)
        let script = TestServer.root.appendingPathComponent("Tests/Support/Servers/\(name).py").path
        let program = try await Spawner.shared.start(
            [try await python.value, script] + arguments, output: file.fileDescriptor, errors: STDERR_FILENO)
        let greeting = try await eventually("\(name).py listens") { said.lines.first }
        return TestPython(program: program, output: said, greeting: greeting)
    }

    private init(program: RunningProgram, output: Output, greeting: Line) {
        (self.program, self.output, self.greeting) = (program, output, greeting)
    }

    deinit { end() }

    /// Ends it: who waits for its answer waits no more.
    public func end() {
        program.signal(SIGKILL)
        program.wait()
    }

    /// What it said of an event so far.
    public func said(_ event: String) -> [Line] { output.lines.filter { $0.text("event") == event } }
}
