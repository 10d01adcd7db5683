import EventLoop
import Foundation

/// Runs the `osmium` command: arguments as an array, no shell, bounded output, bounded time.
struct OsmiumTool {
    /// Maximum bytes of standard error that are kept.
    private static let complaintBytesMax = 16 * 1024
    /// Maximum wait for a terminated tool before it is killed.
    private static let terminationLimit = Duration.seconds(2)

    let executable: URL
    let outputBytesMax: Int
    let timeoutSeconds: Double

    /// Finds the tool.
    /// - Throws: ``OSMImportError/osmiumMissing``.
    init(executable: URL?, outputBytesMax: Int, timeoutSeconds: Double) throws(OSMImportError) {
        let directories = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        let candidates =
            executable.map { [$0] }
            ?? directories.map { URL(fileURLWithPath: String($0)).appendingPathComponent("osmium") }
        guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
            throw .osmiumMissing
        }
        self.executable = found
        self.outputBytesMax = outputBytesMax
        self.timeoutSeconds = timeoutSeconds
    }

    /// Runs the tool and returns its standard output. The tool must not start processes of its own, because they would
    /// keep its output open; osmium does not.
    /// - Throws: ``OSMImportError``; if the tool fails, with the last line of its standard error.
    func run(_ arguments: [String]) throws(OSMImportError) -> Data {
        let output = Pipe()
        let complaints = Pipe()
        let program: RunningProgram
        do {
            program = try RunningProgram(
                [executable.path] + arguments, inheritsEnvironment: true,
                output: output.fileHandleForWriting.fileDescriptor,
                errors: complaints.fileHandleForWriting.fileDescriptor)
        } catch {
            throw .osmiumNotStarted(reason: error.description)
        }
        for pipe in [output, complaints] { try? pipe.fileHandleForWriting.close() }
        var streams = [
            Stream(descriptor: output.fileHandleForReading.fileDescriptor, bytesMax: outputBytesMax),
            Stream(descriptor: complaints.fileHandleForReading.fileDescriptor, bytesMax: Self.complaintBytesMax),
        ]
        let finished = drain(&streams)
        let isEnding = finished && !streams[0].isOverfull
        let status = isEnding ? program.wait() : program.terminate(timeLimit: Self.terminationLimit)
        if streams[0].isOverfull { throw .outputTooLarge(bytesMax: outputBytesMax) }
        guard finished else { throw .timeout(seconds: timeoutSeconds) }
        guard status == 0 else {
            throw .refused(reason: Self.lastLine(streams[1].data))
        }
        return streams[0].data
    }

    /// One of the tool's output streams.
    private struct Stream {
        let descriptor: Int32
        let bytesMax: Int
        var data = Data()
        var isOpen = true
        var isOverfull = false

        /// Reads once. Bytes beyond the limit are dropped, and `isOverfull` is set.
        mutating func read(into buffer: UnsafeMutableRawBufferPointer) {
            let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR || errno == EAGAIN { return }
            guard count > 0 else {
                isOpen = false
                return
            }
            let room = bytesMax - data.count
            if count > room { isOverfull = true }
            data.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<min(count, room)]))
        }
    }

    /// Reads both streams until they end. Returns false if the time runs out first. Stops early if the output is too
    /// large.
    private func drain(_ streams: inout [Stream]) -> Bool {
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(timeoutSeconds)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
        defer { buffer.deallocate() }
        while streams.contains(where: \.isOpen) {
            if streams[0].isOverfull { return true }
            let left = deadline - clock.now
            guard left > .zero else { return false }
            // A closed stream is passed as -1, which poll(2) skips.
            var polled = streams.map { pollfd(fd: $0.isOpen ? $0.descriptor : -1, events: Int16(POLLIN), revents: 0) }
            let ready = poll(&polled, nfds_t(polled.count), Int32(min(60_000, left / .milliseconds(1) + 1)))
            guard ready > 0 else { continue }
            for index in streams.indices where polled[index].revents != 0 {
                streams[index].read(into: buffer)
            }
        }
        return true
    }

    /// The tool's own reason: its last non-empty line, without control characters.
    static func lastLine(_ data: Data) -> String {
        let lines = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
        let shownLines = lines.lazy.reversed().map { shown($0, scalarsMax: 300) }
        return shownLines.first { !$0.allSatisfy(\.isWhitespace) } ?? "no reason given"
    }
}
