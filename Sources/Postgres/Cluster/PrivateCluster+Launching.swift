import EventLoop
import Glibc
import Logging

/// Launch of PostgreSQL: adopting or starting the postmaster, waiting for it, and logging the reason of a long wait.
extension PrivateCluster {
    /// Time without progress before the log reports it.
    static let slowStartAfter = Duration.seconds(2)
    /// Interval between two reports.
    static let slowStartInterval = Duration.seconds(10)
    /// Delay before another attempt of the same launch after a transient failure. It doubles up to `retryDelayMax`. After a launch that
    /// failed for good, the supervision launches again (`restartBackoffMax`).
    static let retryDelay = Duration.milliseconds(200)
    static let retryDelayMax = Duration.seconds(5)

    /// A postmaster that accepts connections.
    struct Launched {
        let postmaster: Postmaster
        let socketDirectory: String
        /// Whether the postmaster was running before this launch.
        let isAdopted: Bool
    }

    /// Adopts or starts the postmaster and waits until it accepts connections.
    /// - Throws: ``ClusterError`` with PostgreSQL's error message, `CancellationError`.
    func launch(_ layout: ClusterLayout, _ binaries: PostgresBinaries) async throws -> Launched {
        let deadline = EventLoop.nowNanoseconds &+ Self.startTimeout.wholeNanoseconds
        var progress = StartProgress(logger: logger)
        var delay = Self.retryDelay
        while true {
            try Task.checkCancellation()
            if let note = try await workers.run({ Postmaster.removeInvalidPIDFile(layout) }) {
                logger.notice("\(note)")
            }
            let running = try await workers.run { Postmaster.running(layout) }
            if let running { logger.notice("adopting PostgreSQL, process \(running.processID)") }
            let logBytes = try await workers.run { layout.logBytes }
            let postmaster: Postmaster
            if let running {
                postmaster = running
            } else {
                postmaster = try await workers.run { try Postmaster.start(layout, binaries) }
            }
            own(postmaster)
            let attempt = Attempt(postmaster: postmaster, isAdopted: running != nil, logBytes: logBytes)
            if let launched = try await waitUntilReady(attempt, layout, &progress, deadline: deadline) {
                logger.info("PostgreSQL \(binaries.version) is ready, process \(postmaster.processID)")
                return launched
            }
            let output = try await workers.run { layout.log(from: logBytes) }
            // After a kill -9 of the postmaster, its backends hold the shared memory until they notice. An adopted postmaster may
            // have been shutting down.
            let isTransient = running != nil || output.contains("shared memory block") || output.contains("lock file")
            guard isTransient, EventLoop.nowNanoseconds < deadline else { throw layout.diagnose(output) }
            progress.words = "it ended: \(layout.lastWords(output))"
            progress.report()
            try await Task.sleep(for: delay)
            delay = min(delay * 2, Self.retryDelayMax)
        }
    }

    private struct Attempt {
        let postmaster: Postmaster
        let isAdopted: Bool
        /// Length of PostgreSQL's log before the attempt, in bytes.
        let logBytes: Int
    }

    /// - Returns: Nil if the postmaster ended.
    private func waitUntilReady(
        _ attempt: Attempt, _ layout: ClusterLayout, _ progress: inout StartProgress, deadline: UInt64
    ) async throws -> Launched? {
        let postmaster = attempt.postmaster
        while try await workers.run({ postmaster.isAlive }) {
            if try await workers.run({ postmaster.isReady(layout) }) {
                let directory = try await workers.run { Postmaster.PIDFile(layout)?.socketDirectory }
                return Launched(
                    postmaster: postmaster, socketDirectory: directory ?? layout.socketDirectory,
                    isAdopted: attempt.isAdopted)
            }
            let isLate = EventLoop.nowNanoseconds >= deadline
            if isLate || progress.isDue {
                let output = try await workers.run { layout.log(from: attempt.logBytes) }
                if !output.isEmpty { progress.words = layout.lastWords(output) }
                guard !isLate else {
                    throw ClusterError.notStarted(
                        reason: "it took longer than \(Self.startTimeout) and said last: \(progress.words)",
                        log: layout.log)
                }
                progress.report()
            }
            await loop.wait(for: Self.pollInterval)
            if Task.isCancelled {
                await abandon(
                    Launched(postmaster: postmaster, socketDirectory: "", isAdopted: attempt.isAdopted))
                throw CancellationError()
            }
        }
        return nil
    }

    /// Stops a postmaster that a cancelled or failed start has started. An adopted postmaster keeps running.
    func abandon(_ launched: Launched) async {
        guard !launched.isAdopted, launched.postmaster.isAlive else { return }
        launched.postmaster.requestStop()
        if await !waitUntilGone(launched.postmaster) { launched.postmaster.requestImmediateStop() }
    }
}

/// Rate limit for the log messages of a slow start.
private struct StartProgress {
    let logger: Logger
    /// PostgreSQL's latest message. An attempt that has not written one yet leaves that of the attempt before.
    var words = "nothing yet"
    private let started = ContinuousClock.now
    private var next = ContinuousClock.now + PrivateCluster.slowStartAfter

    init(logger: Logger) { self.logger = logger }

    var isDue: Bool { ContinuousClock.now >= next }

    mutating func report() {
        guard isDue else { return }
        next = .now + PrivateCluster.slowStartInterval
        let seconds = (ContinuousClock.now - started).components.seconds
        logger.notice("waiting for PostgreSQL for \(seconds) s: \(words)")
    }
}

extension ClusterLayout {
    /// Length of PostgreSQL's log, in bytes.
    var logBytes: Int {
        var status = stat()
        return stat(log, &status) == 0 ? Int(status.st_size) : 0
    }

    /// The most informative line of PostgreSQL's output: the last error, or else the last line.
    func lastWords(_ output: String) -> String {
        guard case .notStarted(let reason, _) = Self.diagnose(output, root: root, log: log, roomBytes: nil) else {
            return "No space left on device"
        }
        return reason
    }

    /// PostgreSQL's output since its log was `bytes` long, at most 64 kB.
    func log(from bytes: Int) -> String {
        let descriptor = open(log, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let start = logBytes < bytes ? 0 : bytes
        let count = pread(descriptor, &buffer, buffer.count, start)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
}
