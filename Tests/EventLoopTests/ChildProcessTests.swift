import Foundation
import TestSupport
import Testing

@testable import EventLoop

@Suite("Starting other programs")
struct ChildProcessTests {

    private func shell(
        _ script: String, timeLimit: Duration? = nil,
        environment: [String: String] = [:]
    ) throws -> ChildProcess.Finished {
        try ChildProcess.run(
            ["/bin/sh", "-c", script], environment: environment, timeLimit: timeLimit)
    }

    @Test("What it prints and how it ends is told")
    func ends() throws {
        let finished = try shell("echo out; echo complaint >&2; exit 7")
        #expect(finished.output == "out\ncomplaint\n")
        #expect(finished.status == 7)
        #expect(!finished.isTimedOut)
        #expect(try shell("kill -9 $$").status == 128 + 9)
        #expect(throws: SystemError.self) { try ChildProcess.run(["/nothing/there"]) }
    }

    @Test("It sees its own environment, and nothing of the server's")
    func environment() throws {
        setenv("CAMPANILE_TEST_SECRET", "x", 1)
        let output = try shell("env", environment: ["NAME": "value"]).output
        #expect(output.contains("NAME=value\n"))
        #expect(!output.contains("SECRET"))
    }

    @Test("One that takes too long is killed, and so is what it started, whether or not it keeps the output open")
    func timeLimit() async throws {
        for script in ["sleep 600 & echo $!; wait", "sleep 600 >/dev/null 2>&1 & echo $!; exec >/dev/null 2>&1; wait"] {
            let finished = try shell(script, timeLimit: .milliseconds(300))
            #expect(finished.isTimedOut)
            #expect(finished.status == 128 + 9)
            let grandchild = try #require(pid_t(finished.output.trimmingCharacters(in: .whitespacesAndNewlines)))
            _ = try await eventually("the grandchild is gone") { Self.isRunning(grandchild) ? nil : true }
        }
        let quick = try shell("exec >/dev/null 2>&1; exit 3", timeLimit: .seconds(60))
        #expect(quick.status == 3 && !quick.isTimedOut)
    }

    @Test("An interruption ends programs that run, with what they started, and those that start later")
    func interrupted() async throws {
        let directory = try TestDirectory.make("interrupted")
        let interruption = ChildProcess.Interruption()
        let script = "sleep 600 & touch \(directory)/started; wait"
        async let running = longWork {
            try ChildProcess.run(["/bin/sh", "-c", script], interruption: interruption)
        }
        _ = try await eventually("it runs") {
            FileManager.default.fileExists(atPath: "\(directory)/started") ? true : nil
        }
        interruption.set()
        #expect(try await running.status == 128 + SIGTERM)
        #expect(interruption.isSet)
        let later = try ChildProcess.run(["/bin/sh", "-c", "sleep 600"], interruption: interruption)
        #expect(later.status == 128 + SIGTERM)
    }

    private static func isRunning(_ process: pid_t) -> Bool {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
        return !text.contains(") Z ")
    }

    @Test("With 2,000 descriptors open it still starts programs, and they have none of them")
    func manyDescriptors() throws {
        let descriptors = try OpenDescriptors(2_000)
        defer { descriptors.close() }
        let finished = try shell("ls /proc/self/fd | wc -l; exit 7", timeLimit: .seconds(60))
        #expect(finished.status == 7)
        // The three of its own, and the directory.
        #expect(Int(finished.output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? .max <= 5)
    }
}
