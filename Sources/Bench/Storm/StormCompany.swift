import CampanileClient
import Foundation
import Synchronization
import Wire

/// Who is there beside the storm: a publisher that never stops, and a bystander whose requests should not suffer.
///
/// Both are whole clients of the library; their tasks run apart from the fleet's thread.
final class StormCompany: Sendable {
    /// Between two of the bystander's requests, nanoseconds.
    private static let bystanderInterval: UInt64 = 25_000_000
    /// Before a publication or a request of the bystander's is sent again.
    private static let resendPause = Duration.milliseconds(50)
    private static let closeSecondsMax = 60.0

    private struct State {
        /// Offsets by the publisher's number, from 0.
        var published: [Published] = []
        var acknowledgement = LatencyHistogram()
        var resends = 0
        var bystander = LatencyHistogram()
        /// When the bystander's oldest request without an answer was due, or the next one is.
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
    ///   - tokens: The publisher's and the bystander's.
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

    /// Lets the publisher have its last publication acknowledged, and ends.
    func stop() async {
        state.withLock { ($0.isPublishing, $0.isWatching) = (false, false) }
        // One that is never acknowledged must not keep the scenario.
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

    /// From now on latencies count anew.
    func beginCounting() {
        state.withLock {
            ($0.acknowledgement, $0.bystander) = (LatencyHistogram(), LatencyHistogram())
            ($0.resends, $0.bystanderFailures) = (0, 0)
        }
    }

    var published: [Published] { state.withLock { $0.published } }
    var acknowledgement: LatencyHistogram { state.withLock { $0.acknowledgement } }
    /// What waits for its answer counts as if that came now.
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

    // MARK: The two

    private func publish(_ topic: String, _ perSecond: Double) async {
        var number = 0
        while state.withLock({ $0.isPublishing }) {
            let began = LoadLoop.now
            guard let place = await acknowledge(topic, number) else { return }
            let took = LoadLoop.now - began
            state.withLock {
                $0.published.append(place)
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

    /// Asks for what is read from the database, at fixed times: what had to wait, for a connection too, counts from when it was due.
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

    /// One answer ends the wait of all requests that were due until then. They are not sent one by one: that would be a burst of its own.
    private static func count(until now: UInt64, _ due: inout UInt64, _ latency: inout LatencyHistogram) {
        while due <= now {
            latency.record(nanoseconds: now - due)
            due += bystanderInterval
        }
    }
}
