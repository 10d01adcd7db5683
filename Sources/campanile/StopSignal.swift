import CommandSupport
import Dispatch
import Foundation
import Postgres
import Synchronization

/// Waits for SIGINT and SIGTERM. Create it before lengthy operations: a signal during them is remembered.
///
/// `@unchecked Sendable`: the sources are set up in `init` and only retained afterwards.
final class StopSignal: @unchecked Sendable {
    /// Time that work has to end in order after a signal. PostgreSQL stops within it.
    static let endTimeMax = Duration.seconds(10)

    private let sources: [any DispatchSourceSignal]
    private let first: Task<Void, Never>

    /// - Parameter announce: Called at the first signal.
    init(announce: @escaping @Sendable () -> Void) {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
        first = Task {
            for await _ in signals { return announce() }
        }
        let counter = Counter()
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                // A second signal ends the process immediately. The private PostgreSQL, which would continue, is requested to stop.
                if counter.next() > 1 {
                    PrivateCluster.requestStopOfAll()
                    _exit(130)
                }
                continuation.yield()
            }
            source.activate()
            return source
        }
    }

    /// Returns at the first signal since creation.
    func wait() async { await first.value }

    /// Runs work that a signal cancels. If the work does not end within ``endTimeMax`` after the signal, the process exits.
    /// - Parameter what: Name of the work for messages, such as `start`.
    /// - Returns: Nil if the work was cancelled.
    func whileRunning<T: Sendable>(
        _ what: String, _ body: @escaping @Sendable () async throws -> T
    ) async throws -> T? {
        let running = Task { try await body() }
        let hasEnded = Flag()
        Task {
            await wait()
            guard !hasEnded.isSet else { return }
            running.cancel()
            try? await Task.sleep(for: Self.endTimeMax)
            guard !hasEnded.isSet else { return }
            Terminal.progress("campanile: the \(what) did not end within \(Self.endTimeMax): ended at once")
            PrivateCluster.requestStopOfAll()
            _exit(CommandFailure.Code.unavailable.rawValue)
        }
        defer { hasEnded.set() }
        do {
            return try await running.value
        } catch  where running.isCancelled {
            // The cancellation made the work fail, as intended.
            return nil
        }
    }

    private final class Flag: Sendable {
        private let value = Atomic<Bool>(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }

    private final class Counter: Sendable {
        private let count = Atomic<Int>(0)
        func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
    }
}
