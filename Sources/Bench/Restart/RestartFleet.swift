import CampanileClient
import Foundation
import Synchronization
import Wire

/// The clients of a restart: runners who track and spectators who each watch one of them, all with the client library that
/// the product gives to its users.
final class RestartFleet: Sendable {
    /// Of each runner.
    static let pointsPerSecond = 5
    /// Clients that connect at the same time in the beginning.
    private static let connectingMax = 100
    /// A point is due this often.
    private static let interval = Duration.milliseconds(1_000 / pointsPerSecond)

    /// What a spectator needs to know of a session; less to decode for thousands of them.
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
    ///   - connections: Clients in all, at least 2.
    ///   - stoppingRunners: So many stop their session while they are away: spectators who come back later, and those who
    ///     came back before, must all learn it.
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

    // MARK: Life

    /// Connects everyone, starts the sessions and has every spectator watch one.
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
            // Here and not in the task: everyone watches before the measurement begins.
            let events = try await clients[index].subscribe(to: topic)
            Task { await watch(index, topic, events) }
        }
    }

    /// Has every runner record until its session is stopped or the task cancelled.
    func record() async {
        let clock = ContinuousClock()
        var due = clock.now
        var step = 0
        var last = Timestamp(milliseconds: 0)
        while !Task.isCancelled {
            // Later than the last ones, also when this program was held up: the audit tells points apart by their times.
            last = max(.now, Timestamp(milliseconds: last.milliseconds + 1))
            for (index, uploader) in uploaders.enumerated() {
                // Refused once the session is stopped.
                _ = try? await uploader.add(Self.fix(runner: index, step: step, at: last))
            }
            step += 1
            due = max(due + Self.interval, clock.now)
            try? await clock.sleep(until: due)
        }
    }

    /// Stops every session and returns when all is acknowledged.
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
                // The client was closed, or the server refuses: both show as a finish that was not seen.
                return
            }
        }
    }

    // MARK: Runners

    /// Round a circle, each runner on its own.
    private static func fix(runner: Int, step: Int, at time: Timestamp) -> TrackFix {
        let angle = Double(step) * 0.006
        return TrackFix(
            lat: 46.5 + Double(runner) * 0.002 + 0.0009 * sin(angle), lon: 7.5 + 0.0013 * cos(angle), time: time,
            accuracy: 5)
    }

    /// The uploaders, for the clients' states, which are there first.
    private final class Stoppers: Sendable {
        private let uploaders = Mutex<[TrackUploader]>([])

        func set(_ all: [TrackUploader]) { uploaders.withLock { $0 = all } }

        func stop(_ index: Int) {
            let uploader = uploaders.withLock { $0.indices.contains(index) ? $0[index] : nil }
            // Behind the points recorded so far; a second time is harmless.
            Task { try? await uploader?.stop() }
        }
    }
}
