import Foundation
import TestSupport
import Testing

@testable import EventLoop

@Suite("Programs that run beside this process")
struct RunningProgramTests {
    private func shell(
        _ script: String, environment: [String: String] = [:], inheritsEnvironment: Bool = false
    ) throws -> RunningProgram {
        try RunningProgram(
            ["/bin/sh", "-c", script], environment: environment, inheritsEnvironment: inheritsEnvironment)
    }

    /// Waits until a program has ended, without reaping it.
    private func becomesZombie(_ program: RunningProgram) async throws {
        _ = try await eventually("the program has ended") {
            let stat = try? String(contentsOfFile: "/proc/\(program.processID)/stat", encoding: .utf8)
            return stat?.contains(") Z ") == true ? true : nil
        }
    }

    @Test("The status is the exit code, or 128 plus the signal; a program that does not exist is an error")
    func status() throws {
        #expect(try shell("exit 7").wait() == 7)
        #expect(try shell("kill -9 $$").wait() == 128 + SIGKILL)
        #expect(throws: SystemError.self) { try RunningProgram(["/nothing/there"]) }
    }

    @Test("A program runs until a signal ends it")
    func runs() throws {
        let program = try shell("exec sleep 600")
        #expect(program.isRunning)
        #expect(program.wait(timeLimit: .milliseconds(20)) == nil)
        #expect(kill(program.processID, 0) == 0)
        #expect(program.signal(SIGTERM))
        #expect(program.wait() == 128 + SIGTERM)
        #expect(!program.isRunning)
        #expect(program.wait(timeLimit: .zero) == 128 + SIGTERM)
    }

    @Test("A program that has ended gets no signal, whether or not somebody has asked for its status")
    func noSignalAfterEnd() async throws {
        let unasked = try shell("exit 0")
        try await becomesZombie(unasked)
        // kill(2) would succeed.
        #expect(kill(unasked.processID, 0) == 0)
        #expect(!unasked.signal(SIGKILL))
        #expect(unasked.wait() == 0)
        let asked = try shell("exit 3")
        #expect(asked.wait() == 3)
        #expect(!asked.signal(SIGKILL))
        #expect(asked.wait() == 3)
    }

    @Test("An ended program is reaped when its status is read, and when it is released")
    func reaped() async throws {
        let asked = try shell("exit 0")
        asked.wait()
        #expect(isReaped(asked.processID))
        var released: RunningProgram? = try shell("exit 0")
        let processID = try #require(released).processID
        try await becomesZombie(try #require(released))
        released = nil
        #expect(isReaped(processID))
    }

    private func isReaped(_ processID: pid_t) -> Bool { waitpid(processID, nil, WNOHANG) == -1 && errno == ECHILD }

    @Test("All that wait for a program get its status")
    func waiters() async throws {
        let program = try shell("exec sleep 600")
        async let first = longWork { program.wait() }
        async let second = longWork { program.wait() }
        async let limited = longWork { program.wait(timeLimit: .seconds(60)) }
        // The waiting threads do not keep the lock.
        #expect(program.isRunning)
        program.signal(SIGKILL)
        let statuses = try await [first, second, limited ?? -1]
        #expect(statuses == [128 + SIGKILL, 128 + SIGKILL, 128 + SIGKILL])
    }

    @Test("SIGTERM ends a program; SIGKILL ends one that ignores SIGTERM")
    func terminated() async throws {
        #expect(try shell("exec sleep 600").terminate(timeLimit: .seconds(60)) == 128 + SIGTERM)
        let output = Pipe()
        let script = "trap '' TERM; echo ready; exec sleep 600"
        let deaf = try RunningProgram(
            ["/bin/sh", "-c", script], output: output.fileHandleForWriting.fileDescriptor)
        #expect(output.fileHandleForReading.availableData == Data("ready\n".utf8))
        #expect(deaf.terminate(timeLimit: .milliseconds(50)) == 128 + SIGKILL)
        #expect(try shell("exit 0").terminate(timeLimit: .seconds(60)) != 128 + SIGKILL)
    }

    @Test("Input, output and errors are the given descriptors, or nothing")
    func streams() throws {
        let directory = try TestDirectory.make("streams")
        let paths = ["in", "out", "errors"].map { "\(directory)/\($0)" }
        try Data("line\n".utf8).write(to: URL(fileURLWithPath: paths[0]))
        let (input, output, errors) = (
            open(paths[0], O_RDONLY | O_CLOEXEC), open(paths[1], O_WRONLY | O_CREAT | O_CLOEXEC, 0o600),
            open(paths[2], O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        )
        defer { for descriptor in [input, output, errors] { close(descriptor) } }
        let program = try RunningProgram(
            ["/bin/sh", "-c", "read line; echo \"out $line\"; echo complaint >&2"], input: input, output: output,
            errors: errors)
        #expect(program.wait() == 0)
        #expect(FileManager.default.contents(atPath: paths[1]) == Data("out line\n".utf8))
        #expect(FileManager.default.contents(atPath: paths[2]) == Data("complaint\n".utf8))
        let script = "for i in 0 1 2; do [ \"$(readlink /proc/$$/fd/$i)\" = /dev/null ] || exit 9; done"
        #expect(try shell(script).wait() == 0)
    }

    @Test("A program inherits this process's environment only on demand, and its own variables replace inherited ones")
    func environment() throws {
        setenv("CAMPANILE_TEST_INHERITED", "inherited", 1)
        let script = "[ \"$CAMPANILE_TEST_INHERITED$NAME\" = \"$EXPECTED\" ]"
        #expect(try shell(script, environment: ["NAME": "a", "EXPECTED": "a"]).wait() == 0)
        #expect(
            try shell(script, environment: ["NAME": "=b", "EXPECTED": "inherited=b"], inheritsEnvironment: true).wait()
                == 0)
        let replaced = ["CAMPANILE_TEST_INHERITED": "own", "EXPECTED": "own"]
        #expect(try shell(script, environment: replaced, inheritsEnvironment: true).wait() == 0)
        // A shell would show only one of two variables with the same name.
        let name = "CAMPANILE_TEST_INHERITED="
        #expect(ChildProcess.inheritedVariables(replaced).filter { $0.hasPrefix(name) } == ["\(name)own"])
    }

    @Test("With 2,000 descriptors open it still starts and ends programs, and they have none of them")
    func manyDescriptors() throws {
        let descriptors = try OpenDescriptors(2_000)
        defer { descriptors.close() }
        let output = Pipe()
        let program = try RunningProgram(
            ["/bin/sh", "-c", "ls /proc/self/fd | wc -l; exec sleep 600"],
            output: output.fileHandleForWriting.fileDescriptor)
        let count = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        // The three of its own, and the directory.
        #expect(Int(count.trimmingCharacters(in: .whitespacesAndNewlines)) ?? .max <= 5)
        #expect(program.isRunning)
        #expect(program.terminate(timeLimit: .seconds(60)) == 128 + SIGTERM)
        #expect(try shell("exit 7").wait() == 7)
    }
}
