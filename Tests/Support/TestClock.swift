import Synchronization
import Wire

/// A wall clock and a monotonic clock that stand still until they are moved.
public final class TestClock: Sendable {
    private let milliseconds: Mutex<Int64>

    /// - Parameter start: What it shows first.
    public init(start: Timestamp = Timestamp(milliseconds: 1_795_190_400_000)) {
        milliseconds = Mutex(start.milliseconds)
    }

    /// The wall clock.
    public var now: Timestamp { Timestamp(milliseconds: milliseconds.withLock { $0 }) }

    /// The monotonic clock, nanoseconds.
    public var nanoseconds: UInt64 { UInt64(milliseconds.withLock { $0 }) * 1_000_000 }

    /// Moves both on.
    public func advance(bySeconds seconds: Double) {
        milliseconds.withLock { $0 += Int64((seconds * 1_000).rounded()) }
    }
}
