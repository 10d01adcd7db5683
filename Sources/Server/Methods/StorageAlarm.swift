import EventLoop
import Logging
import Synchronization
import Wire

/// Distinguishes a full disk from an unreachable database, and logs it for the operator (U-9). Usable from any thread.
final class StorageAlarm: Sendable {
    /// Interval of log lines while the disk is full.
    static let repeatNanoseconds: UInt64 = 30_000_000_000

    private let logger: Logger
    private let isFull: @Sendable () -> Bool
    private let lastLine = Atomic<UInt64>(0)

    /// - Parameter isFull: Whether the database is unreachable because its disk is full.
    init(logger: Logger, isFull: @escaping @Sendable () -> Bool) {
        self.logger = logger
        self.isFull = isFull
    }

    /// Returns the error that the client gets.
    /// - Parameter now: Monotonic nanoseconds. Another thread may have logged more recently.
    func explain(_ error: RPCError, now: UInt64 = EventLoop.nowNanoseconds) -> RPCError {
        guard error.registered == .storageFull || (error.registered == .unavailable && isFull()) else { return error }
        let last = lastLine.load(ordering: .relaxed)
        let isDue = last == 0 || (now > last && now - last > Self.repeatNanoseconds)
        if isDue, lastLine.compareExchange(expected: last, desired: now, ordering: .relaxed).exchanged {
            logger.critical("the database's disk is full: nothing can be stored until there is room")
        }
        return .storageFull
    }
}
