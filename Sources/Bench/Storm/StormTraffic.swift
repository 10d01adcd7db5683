import CampanileClient
import Foundation
import Synchronization
import Wire

/// The clients beside the storm: a publisher that never stops, and a bystander whose latency should not suffer.
///
/// Both use the client library; their tasks do not run on the fleet's thread.
final class StormTraffic: Sendable {
    /// Interval between two requests of the bystander, in nanoseconds.
    private static let bystanderInterval: UInt64 = 25_000_000
    /// Pause before a failed publication or bystander request is sent again.
    private static let resendPause = Duration.milliseconds(50)
    private static let closeSecondsMax = 60.0

    private struct State {
        /// Positions by the publisher's number, from 0.
        var published: [Published] = []
        var acknowledgement = LatencyHistogram()
        var resends = 0
        var bystander = LatencyHistogram()
        /// Due time of the bystander's oldest unanswered request, or of the next one.
        var bystanderDue = LoadLoop.now
        var bystanderFailures = 0
        var isPublishing = true
        var isWatching = true
        var troubles: [String: Int] = [:]
    }
    private let state = Mutex(State())
    private let tasks = Mutex<[Task<Void, Never>]>([])
    private let publisher: ResilientClient
    private let bystander: ResilientClient

    /// - Parameters:
    ///   - tokens: Tokens of the publisher and the bystander.
    init(address: ServerAddress, loops: ClientLoops, tokens: (publisher: String, bystander: String)) {
        publisher = ResilientClient(address: address, token: tokens.publisher, loops: loops)
        bystander = ResilientClient(address: address, token: tokens.bystander, loops: loops)
    }

    func start(topic: String, perSecond: Double) async {
        await publisher.start()
        await bystander.start()
        let publishing = Task { await publish(topic, perSecond) }
        let standing = Task { await stand() }
        tasks.withLock { $0 = [publishing, standing] }
    }

    /// Waits until the last publication is acknowledged, and closes both clients.
    func stop() async {
        state.withLock { ($0.isPublishing, $0.isWatching) = (false, false) }
        // A publication that is never acknowledged must not block the scenario.
        let closing = Task { [publisher, bystander] in
            try await Task.sleep(for: .seconds(Self.closeSecondsMax))
            await publisher.close()
            await bystander.close()
        }
        for task in tasks.withLock({ $0 }) { await task.value }
        closing.cancel()
        await publisher.close()
        await bystander.close()
    }

    /// Resets the latencies and counters.
    func beginCounting() {
        state.withLock {
            ($0.acknowledgement, $0.bystander) = (LatencyHistogram(), LatencyHistogram())
            ($0.resends, $0.bystanderFailures) = (0, 0)
        }
    }

    var published: [Published] { state.withLock { $0.published } }
    var acknowledgement: LatencyHistogram { state.withLock { $0.acknowledgement } }
    /// The bystander's latencies; unanswered requests count as if they were answered now.
    var bystanderLatency: LatencyHistogram {
        state.withLock { state in
            var (due, latency) = (state.bystanderDue, state.bystander)
            Self.count(until: LoadLoop.now, &due, &latency)
            return latency
        }
    }
    var bystanderFailures: Int { state.withLock { $0.bystanderFailures } }
    var resends: Int { state.withLock { $0.resends } }
    var troubles: [String: Int] { state.withLock { $0.troubles } }

    // MARK: Publisher and bystander

    private func publish(_ topic: String, _ perSecond: Double) async {
        var number = 0
        while state.withLock({ $0.isPublishing }) {
            let began = LoadLoop.now
            guard let position = await acknowledge(topic, number) else { return }
            let took = LoadLoop.now - began
            state.withLock {
                $0.published.append(position)
                $0.acknowledgement.record(nanoseconds: took)
            }
            number += 1
            let left = 1 / perSecond - Double(took) / 1e9
            if left > 0 { try? await Task.sleep(for: .seconds(left)) }
        }
    }

    /// Sends the same publication until it is acknowledged.
    private func acknowledge(_ topic: String, _ number: Int) async -> Published? {
        let params = TestPublish.Params(topic: topic, id: UUID().uuidString.lowercased(), data: "\(number)")
        while true {
            do {
                return try await publisher.call(TestPublish.self, params)
            } catch let error as RPCError where error.registered?.isRetryable != true {
                state.withLock { $0.troubles["a publication was refused: \(error)", default: 0] += 1 }
                return nil
            } catch ClientError.closed {
                state.withLock { $0.troubles["a publication was never acknowledged", default: 0] += 1 }
                return nil
            } catch {
                state.withLock { $0.resends += 1 }
                try? await Task.sleep(for: Self.resendPause)
            }
        }
    }

    /// Sends requests that read from the database, at fixed times. The latency counts from the due time, including any
    /// wait for a connection.
    private func stand() async {
        while state.withLock({ $0.isWatching }) {
            let (due, now) = (state.withLock { $0.bystanderDue }, LoadLoop.now)
            if due > now { try? await Task.sleep(for: .nanoseconds(due - now)) }
            do {
                _ = try await bystander.call(TrackingCurrent.self, Empty())
                state.withLock { Self.count(until: LoadLoop.now, &$0.bystanderDue, &$0.bystander) }
            } catch ClientError.closed {
                return
            } catch {
                state.withLock { $0.bystanderFailures += 1 }
                try? await Task.sleep(for: Self.resendPause)
            }
        }
    }

    /// Records the latencies of all requests that were due until now. One answer stands for all of them, because
    /// sending them one by one would be a burst of its own.
    private static func count(until now: UInt64, _ due: inout UInt64, _ latency: inout LatencyHistogram) {
        while due <= now {
            latency.record(nanoseconds: now - due)
            due += bystanderInterval
        }
    }
}
