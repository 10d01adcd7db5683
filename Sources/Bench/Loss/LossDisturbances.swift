import Foundation
import Glibc

/// The failures that a loss run causes. They occur in rotation, so that a short run has each kind as well.
struct LossDisturbances {
    struct Counts {
        var server = 0
        var database = 0
        var backend = 0
        var nats = 0
        var partitions = 0
        var fullDisks = 0
        /// Number of times that PostgreSQL ended with a panic while the disk was full, because its log had no space.
        var panics = 0
        /// The longest time from the freeing of the disk to an acknowledgement, in seconds.
        var roomSecondsMax = 0.0
        var all: Int { server + database + backend + nats + partitions + fullDisks }
    }

    private enum Kind { case server, database, backend, nats, partition, fullDisk }

    /// Duration of a node's disconnection from NATS.
    static let partitionSeconds = 20.0
    /// Duration of a full disk.
    static let fullDiskSeconds = 15.0
    /// Maximum time until something is stored after the disk was freed.
    private static let roomSecondsMax = 60.0
    /// Maximum time for the killed server to exit.
    private static let exitSecondsMax = 10.0
    /// Maximum time until PostgreSQL has a process that can be killed.
    private static let processSecondsMax = 10.0
    /// Messages of 1 MB written to PostgreSQL's log: more than the segments that it keeps in reserve.
    private static let logMessagesMax = 1_500

    private let options: LossOptions
    private let nodes: LossNodes
    private let tally: LossTally
    private(set) var counts = Counts()

    init(_ options: LossOptions, _ nodes: LossNodes, _ tally: LossTally) {
        (self.options, self.nodes, self.tally) = (options, nodes, tally)
    }

    private var kinds: [Kind] {
        var kinds: [Kind] =
            options.nodes > 1
            ? [.nats, .server, .partition, .database, .server, .backend] : [.server, .backend, .server, .database]
        if options.hasFullDisk { kinds.insert(.fullDisk, at: 1) }
        return kinds
    }

    mutating func run(until end: UInt64) async throws {
        while LoadLoop.now < end {
            let left = Double(end - LoadLoop.now) / 1e9
            guard options.killEverySeconds > 0, left > options.killEverySeconds else {
                try await Task.sleep(for: .seconds(left))
                break
            }
            try await Task.sleep(for: .seconds(options.killEverySeconds * Double.random(in: 0.5...1.5)))
            checkForEnded()
            switch kinds[counts.all % kinds.count] {
            case .database:
                kill(try await postmaster(), SIGKILL)
                counts.database += 1
            case .backend:
                try await killBackend()
                counts.backend += 1
            case .server:
                try await killServer(nodes.servers[counts.server % nodes.servers.count])
                counts.server += 1
            case .nats:
                try nodes.restartNATS()
                counts.nats += 1
            case .partition:
                let link = nodes.links[counts.partitions % nodes.links.count]
                link.setCut(true)
                try await Task.sleep(for: .seconds(Self.partitionSeconds))
                link.setCut(false)
                counts.partitions += 1
            case .fullDisk: try await fillDisk()
            }
        }
        checkForEnded()
    }

    /// Reports servers that ended by themselves. Such a server is only restarted when it is killed next.
    private func checkForEnded() {
        for server in nodes.servers where !server.process.isRunning { tally.trouble("a server ended by itself") }
    }

    private func killServer(_ server: MeasuredServer) async throws {
        // Safe, because the caller waits and nothing else uses the server meanwhile.
        nonisolated(unsafe) let server = server
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result {
                        server.process.signal(SIGKILL)
                        try server.process.waitUntilExit(secondsMax: Self.exitSecondsMax)
                        try server.startAgain()
                        _ = try server.process.readPort()
                    })
            }
        }
    }

    // MARK: PostgreSQL

    /// The process id of the server's PostgreSQL. Waits, because the server restarts it after a kill.
    private func postmaster() async throws -> pid_t {
        let file = nodes.database.directory + "/data/postgres/data/postmaster.pid"
        let deadline = LoadLoop.now + UInt64(Self.processSecondsMax * 1e9)
        while LoadLoop.now < deadline {
            if let text = try? String(contentsOfFile: file, encoding: .utf8),
                let process = text.split(separator: "\n").first.flatMap({ pid_t($0) }), process > 1
            {
                return process
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw BenchError(description: "the server's PostgreSQL has no process number")
    }

    /// Kills one of the server's sessions. PostgreSQL then ends all sessions and recovers.
    private func killBackend() async throws {
        let postmaster = try await postmaster()
        let children = try? String(contentsOfFile: "/proc/\(postmaster)/task/\(postmaster)/children", encoding: .utf8)
        let sessions = (children ?? "").split(separator: " ").compactMap { pid_t($0) }.filter { process in
            let title = try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)
            return title?.contains("campanile campanile") == true
        }
        if let session = sessions.randomElement() { kill(session, SIGKILL) }
    }

    // MARK: The disk

    /// Fills the disk for a while. Every second time it also makes PostgreSQL's log need space, so that PostgreSQL
    /// itself panics repeatedly.
    private mutating func fillDisk() async throws {
        guard let disk = nodes.disk else { return }
        disk.fill()
        counts.fullDisks += 1
        let data = nodes.database.directory + "/data"
        let panic = Task { [isForced = counts.fullDisks % 2 == 0] in
            isForced ? await Self.makePanic(dataDirectory: data, disk) : false
        }
        try await Task.sleep(for: .seconds(Self.fullDiskSeconds))
        disk.free()
        let (freed, acknowledged) = (LoadLoop.now, tally.acknowledgedCount)
        while tally.acknowledgedCount == acknowledged {
            guard Double(LoadLoop.now - freed) / 1e9 < Self.roomSecondsMax else {
                return tally.trouble("nothing was stored for \(Int(Self.roomSecondsMax)) s after the disk had space")
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        counts.roomSecondsMax = max(counts.roomSecondsMax, Double(LoadLoop.now - freed) / 1e9)
        if await panic.value { counts.panics += 1 }
    }

    /// Writes to PostgreSQL's log until it has no space either. Returns true if all sessions ended.
    private static func makePanic(dataDirectory: String, _ disk: LossDisk) async -> Bool {
        let hasPanicked = try? await BenchDatabase.with(dataDirectory) { database in
            for _ in 0..<logMessagesMax where disk.isFull {
                do {
                    _ = try await database.query(
                        "SELECT pg_logical_emit_message(true, 'campanile', repeat('x', 1000000))")
                } catch {
                    return (try? await database.query("SELECT 1")) == nil
                }
            }
            return false
        }
        return hasPanicked ?? false
    }
}
