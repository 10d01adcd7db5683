import DequeModule
import EventLoop
import Foundation
import Metrics
import Services
import Synchronization
import Wire

/// Measurements of this node for admins (N-7), from the same registry that scrapers read. They are computed at most once a second;
/// concurrent requests wait for the same result. Usable from any thread.
final class Figures: Sendable {
    /// Shortest interval between two computations.
    static let interval = Duration.seconds(1)
    /// Window of quantiles and rates in seconds.
    static let windowSeconds = 60.0
    static let samplesMax = 64
    /// Shortest duration over which a rate is computed, in seconds.
    static let rateSecondsMin = 5.0

    /// Counters at one time.
    private struct Sample: Sendable {
        var at = EventLoop.nowNanoseconds
        var requests = 0.0
        var messagesIn = 0.0
        var messagesOut = 0.0
        var lag = Distribution()
        var statements = Distribution()
        var memory = 0.0
    }
    private struct State {
        var samples = Deque<Sample>()
        var last: AdminFigures?
        var lastAt: UInt64 = 0
        var inFlight: Task<AdminFigures, any Error>?
    }

    private let registry: MetricRegistry
    private let connections: ConnectionRegistry
    private let node: String
    private let others: @Sendable () -> [String]
    /// Updates gauges that are computed only when read.
    private let report: @Sendable () async -> Void
    private let workers = WorkerPool(label: "figures", concurrentMax: 1, waitingMax: 4)
    private let state = Mutex(State())
    private let startedAt = EventLoop.nowNanoseconds

    init(
        registry: MetricRegistry, connections: ConnectionRegistry, node: String,
        others: @escaping @Sendable () -> [String], report: @escaping @Sendable () async -> Void
    ) {
        self.registry = registry
        self.connections = connections
        self.node = node
        self.others = others
        self.report = report
        state.withLock { $0.samples.append(Sample()) }
    }

    /// - Throws: `WorkerPool.Overloaded`.
    func figures() async throws -> AdminFigures {
        let known = state.withLock { state in
            EventLoop.nowNanoseconds &- state.lastAt < Self.interval.nanoseconds ? state.last : nil
        }
        if let known { return known }
        let inFlight = state.withLock { state in
            if let task = state.inFlight { return task }
            let task = Task { try await self.compute() }
            state.inFlight = task
            return task
        }
        return try await inFlight.value
    }

    private func compute() async throws -> AdminFigures {
        defer { state.withLock { $0.inFlight = nil } }
        await report()
        // Runs off the loop, because the process's memory is read from a file.
        let sample = try await workers.run { self.sample() }
        let (recent, first) = state.withLock { state -> (Sample, Sample) in
            let recent = state.samples.last { seconds(from: $0, to: sample) >= Self.rateSecondsMin }
            state.samples.append(sample)
            while state.samples.count > 2,
                state.samples.count > Self.samplesMax
                    || seconds(from: state.samples[1], to: sample) >= Self.windowSeconds
            {
                state.samples.removeFirst()
            }
            return (recent ?? state.samples[0], state.samples[0])
        }
        let figures = self.figures(sample, recent: recent, first: first)
        state.withLock { state in
            state.last = figures
            state.lastAt = EventLoop.nowNanoseconds
        }
        return figures
    }

    private func seconds(from one: Sample, to other: Sample) -> Double { Double(other.at &- one.at) / 1e9 }

    private func sample() -> Sample {
        var sample = Sample()
        sample.requests = registry.sum(of: "campanile_rpc_requests_total")
        sample.messagesIn = registry.sum(of: "campanile_messages_received_total")
        sample.messagesOut = registry.sum(of: "campanile_messages_sent_total")
        sample.lag = registry.distribution(of: "campanile_loop_lag_seconds")
        sample.statements = registry.distribution(of: "campanile_database_query_duration_seconds")
        sample.memory = registry.sum(of: "process_resident_memory_bytes")
        return sample
    }

    private func figures(_ sample: Sample, recent: Sample, first: Sample) -> AdminFigures {
        let passed = max(seconds(from: recent, to: sample), 0.001)
        func rate(_ value: (Sample) -> Double) -> Double {
            ((value(sample) - value(recent)) / passed * 10).rounded() / 10
        }
        func milliseconds(_ all: Distribution, _ before: Distribution, _ share: Double) -> Double {
            (all.since(before).quantile(share) * 1e5).rounded() / 100
        }
        let open = Int(registry.sum(of: "campanile_database_connections_open"))
        let (sockets, accounts) = connections.counts
        return AdminFigures(
            node: node, nodes: Set([node] + others()).sorted(), version: ServerConfiguration.version, at: .now,
            uptime: (Double(EventLoop.nowNanoseconds &- startedAt) / 1e9).rounded(), connections: sockets,
            accounts: accounts, tracking: Int(registry.sum(of: "campanile_hub_shown_sessions")),
            requestsPerSecond: rate(\.requests), messagesInPerSecond: rate(\.messagesIn),
            messagesOutPerSecond: rate(\.messagesOut),
            sendQueueBytes: Int64(registry.sum(of: "campanile_send_queue_bytes")),
            lag: .init(
                p50: milliseconds(sample.lag, first.lag, 0.5), p99: milliseconds(sample.lag, first.lag, 0.99)),
            database: .init(
                p50: milliseconds(sample.statements, first.statements, 0.5),
                p99: milliseconds(sample.statements, first.statements, 0.99), connections: open,
                idle: max(0, open - Int(registry.sum(of: "campanile_database_connections_in_use"))),
                waiting: Int(registry.sum(of: "campanile_database_waiting"))),
            memory: Int64(sample.memory))
    }
}
