import DequeModule
import Synchronization

/// Bounded queue of commands for the transport's writer. From any thread.
final class SendQueue: Sendable {
    enum Command: Sendable {
        case publish([UInt8], subject: String)
        case listen(pattern: String, number: UInt64)
        case ignore(number: UInt64)
        case run(@Sendable (NATSTransport) -> Void)
    }
    private struct State {
        var commands = Deque<Command>()
        var bytes = 0
        var messages = 0
        var isScheduled = false
    }
    /// Commands that the writer takes at a time.
    static let batchMax = 256
    /// Assumed memory of a queued message besides its bytes.
    static let messageOverheadBytes = 64

    private let state = Mutex(State())
    private let metrics: BusMetrics

    init(metrics: BusMetrics) { self.metrics = metrics }

    enum Outcome {
        case full, queued
        /// Queued into an empty queue: the caller must wake the writer.
        case first
    }

    /// Queues a command.
    /// - Parameter isVital: True to queue the command even if the queue is full.
    func append(_ command: Command, isVital: Bool = true) -> Outcome {
        let bytes = Self.bytes(of: command)
        let outcome: Outcome = state.withLock { state in
            if !isVital,
                state.bytes + bytes > BusLimits.sendQueueBytesMax || state.messages >= BusLimits.sendQueueMessagesMax
            {
                return .full
            }
            state.commands.append(command)
            state.bytes += bytes
            if bytes > 0 { state.messages += 1 }
            defer { state.isScheduled = true }
            return state.isScheduled ? .queued : .first
        }
        if outcome != .full { metrics.queuedBytes.add(bytes) }
        return outcome
    }

    /// Returns the next batch of commands; nil if the queue is empty, and then the next ``append(_:isVital:)`` wakes the writer.
    /// The commands of the previous batch count against the limits until this call.
    func take(after done: [Command]) -> [Command]? {
        let bytes = done.reduce(0) { $0 + Self.bytes(of: $1) }
        metrics.queuedBytes.add(-bytes)
        return state.withLock { state in
            state.bytes -= bytes
            state.messages -= done.count { Self.bytes(of: $0) > 0 }
            guard !state.commands.isEmpty else {
                state.isScheduled = false
                return nil
            }
            let batch = Array(state.commands.prefix(Self.batchMax))
            state.commands.removeFirst(batch.count)
            return batch
        }
    }

    private static func bytes(of command: Command) -> Int {
        if case .publish(let frame, _) = command { frame.count + messageOverheadBytes } else { 0 }
    }
}
