import EventLoop
import Logging
import Synchronization
import Wire

/// Tells a full disk from a database that is away, and sees that the operator reads of it (U-9). From any thread.
final class StorageAlarm: Sendable {
    /// Between two lines in the log while the disk is full.
    static let repeatNanoseconds: UInt64 = 30_000_000_000

    private let logger: Logger
    private let isFull: @Sendable () -> Bool
    private let lastLine = Atomic<UInt64>(0)

    /// - Parameter isFull: Whether the database is away because its disk is full.
    init(logger: Logger, isFull: @escaping @Sendable () -> Bool) {
        self.logger = logger
        self.isFull = isFull
    }

    /// The error as its hearer should know it.
    /// - Parameter now: Monotonic nanoseconds. Another thread may have written a line since.
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
