import CampanileClient
import Foundation
import Synchronization
import Wire

/// The clients of a restart: runners who track, and spectators who each watch one of them. All use the client library
/// that the product offers to its users.
final class RestartFleet: Sendable {
    /// Rate of each runner.
    static let pointsPerSecond = 5
    /// Clients that connect simultaneously at the start.
    private static let connectingMax = 100
    /// Interval between two points.
    private static let interval = Duration.milliseconds(1_000 / pointsPerSecond)

    /// The fields of a session that spectators need; fewer are faster to decode for thousands of them.
    private struct Snapshot: Codable, Sendable {
        struct Session: Codable, Sendable { let state: SessionState }
        let session: Session
    }
    private struct Update: Codable, Sendable { let type: SessionUpdate.Kind }

    let tally: RestartTally
    let runnerCount: Int
    let spectatorCount: Int
    private let clients: [ResilientClient]
    private let uploaders: [TrackUploader]

    /// - Parameters:
    ///   - connections: Total number of clients, at least 2.
    ///   - stoppingRunners: Number of runners who stop their session while disconnected. Spectators who reconnect before or
    ///     after must all learn of it.
    init(address: ServerAddress, loops: ClientLoops, connections: Int, runners: Int, stoppingRunners: Int) {
        let tally = RestartTally(clients: connections)
        let stoppers = Stoppers()
        runnerCount = runners
        spectatorCount = connections - runners
        clients = (0..<connections).map { index in
            var options = ResilientClient.Options()
            options.client = Hello.Params.Client(name: "campanile bench", version: "1")
            options.onState = { state in
                tally.client(index, is: state)
                if index < stoppingRunners, case .waiting = state { stoppers.stop(index) }
            }
            return ResilientClient(
                address: address, token: IdleScenario.token(index), loops: loops, options: options)
        }
        uploaders = clients.prefix(runners).map { client in
            var options = TrackUploader.Options(activity: .run, audience: .campus)
            options.start.title = "Restart"
            return TrackUploader(
                client: client, options: options, events: TrackEvents(onAcknowledged: { tally.acknowledged($0) }))
        }
        self.tally = tally
        stoppers.set(uploaders)
    }

    // MARK: Life cycle

    /// Connects all clients, starts the sessions and subscribes each spectator to one.
    func start() async throws {
        for first in stride(from: 0, to: clients.count, by: Self.connectingMax) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for client in clients[first..<min(first + Self.connectingMax, clients.count)] {
                    group.addTask {
                        await client.start()
                        _ = try await client.connected()
                    }
                }
                try await group.waitForAll()
            }
        }
        var sessions: [Int64] = []
        for uploader in uploaders { sessions.append(try await uploader.start().id) }
        for index in runnerCount..<clients.count {
            let topic = LiveTopic<Snapshot, Update>(path: "session/\(sessions[index % runnerCount])") {
                $0.type == .ended || $0.type == .closed
            }
            // Subscribe here and not in the task, so that all spectators watch before the measurement begins.
            let events = try await clients[index].subscribe(to: topic)
            Task { await watch(index, topic, events) }
        }
    }

    /// Lets all runners record until their sessions are stopped or the task is cancelled.
    func record() async {
        let clock = ContinuousClock()
        var due = clock.now
        var step = 0
        var last = Timestamp(milliseconds: 0)
        while !Task.isCancelled {
            // Later than the previous points, even if this program was delayed: the audit identifies points by their
            // times.
            last = max(.now, Timestamp(milliseconds: last.milliseconds + 1))
            for (index, uploader) in uploaders.enumerated() {
                // Fails once the session is stopped.
                _ = try? await uploader.add(Self.fix(runner: index, step: step, at: last))
            }
            step += 1
            due = max(due + Self.interval, clock.now)
            try? await clock.sleep(until: due)
        }
    }

    /// Stops all sessions and returns when everything is acknowledged.
    func finish() async {
        await withTaskGroup(of: Void.self) { group in
            for uploader in uploaders {
                group.addTask { [tally] in
                    do {
                        try await uploader.finish()
                    } catch {
                        tally.trouble("a session was not finished: \(error)")
                    }
                }
            }
        }
        tally.runnersFinished()
    }

    func close() async {
        await withTaskGroup(of: Void.self) { group in
            for client in clients { group.addTask { await client.close() } }
        }
    }

    // MARK: Spectators

    private func watch(
        _ index: Int, _ topic: LiveTopic<Snapshot, Update>, _ first: AsyncStream<LiveEvent<Snapshot, Update>>
    ) async {
        var events = first
        while true {
            for await event in events {
                switch event {
                case .snapshot(let snapshot) where snapshot.session.state == .finished:
                    return tally.sawFinish(index, .snapshot)
                case .update(let update) where update.type == .ended:
                    return tally.sawFinish(index, .push)
                default: break
                }
            }
            tally.readerFellBehind()
            do {
                events = try await clients[index].subscribe(to: topic)
            } catch {
                // The client was closed, or the server refuses; both count as a finish that was not seen.
                return
            }
        }
    }

    // MARK: Runners

    /// A position on the runner's own circle.
    private static func fix(runner: Int, step: Int, at time: Timestamp) -> TrackFix {
        let angle = Double(step) * 0.006
        return TrackFix(
            lat: 46.5 + Double(runner) * 0.002 + 0.0009 * sin(angle), lon: 7.5 + 0.0013 * cos(angle), time: time,
            accuracy: 5)
    }

    /// The uploaders, for the clients' state handlers, which exist before them.
    private final class Stoppers: Sendable {
        private let uploaders = Mutex<[TrackUploader]>([])

        func set(_ all: [TrackUploader]) { uploaders.withLock { $0 = all } }

        func stop(_ index: Int) {
            let uploader = uploaders.withLock { $0.indices.contains(index) ? $0[index] : nil }
            // After the points recorded so far; a second stop is harmless.
            Task { try? await uploader?.stop() }
        }
    }
}
