import Foundation

/// Runs the `osmium` command: arguments as an array, no shell, bounded output, bounded time.
struct OsmiumTool {
    /// Maximum bytes of standard error that are kept.
    private static let complaintBytesMax = 16 * 1024
    /// Maximum wait for a terminated tool before it is killed, in milliseconds.
    private static let terminationMillisecondsMax = 2_000

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

    /// Runs the tool and returns its standard output. The tool must not start processes of its own, because `Process`
    /// would wait for them too; osmium does not.
    /// - Throws: ``OSMImportError``; if the tool fails, with the last line of its standard error.
    func run(_ arguments: [String]) throws(OSMImportError) -> Data {
        let process = Process()
        let output = Pipe()
        let complaints = Pipe()
        process.executableURL = executable
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = complaints
        do {
            try process.run()
        } catch {
            throw .osmiumNotStarted(reason: (error as NSError).localizedDescription)
        }
        var streams = [
            Stream(descriptor: output.fileHandleForReading.fileDescriptor, bytesMax: outputBytesMax),
            Stream(descriptor: complaints.fileHandleForReading.fileDescriptor, bytesMax: Self.complaintBytesMax),
        ]
        let finished = drain(&streams)
        if !finished || streams[0].isOverfull { stop(process) }
        process.waitUntilExit()
        if streams[0].isOverfull { throw .outputTooLarge(bytesMax: outputBytesMax) }
        guard finished else { throw .timeout(seconds: timeoutSeconds) }
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
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

    /// Terminates the tool, and kills it if it does not exit in time.
    private func stop(_ process: Process) {
        process.terminate()
        var waitedMilliseconds = 0
        while process.isRunning, waitedMilliseconds < Self.terminationMillisecondsMax {
            usleep(10_000)
            waitedMilliseconds += 10
        }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// The tool's own reason: its last non-empty line, without control characters.
    static func lastLine(_ data: Data) -> String {
        let lines = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
        let shownLines = lines.lazy.reversed().map { shown($0, scalarsMax: 300) }
        return shownLines.first { !$0.allSatisfy(\.isWhitespace) } ?? "no reason given"
    }
}
