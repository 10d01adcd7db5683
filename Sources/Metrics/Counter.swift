import Synchronization

/// Monotonic counter. From any thread: one relaxed atomic addition, no lock, no allocation.
///
/// A value that every loop counts has one counter for each loop (label `loop`), so that cores do not share a cache line.
public final class Counter: Sendable {
    private let total = Atomic<UInt64>(0)
    // Keeps two counters that are allocated one after the other out of the same cache line of 64 bytes.
    private let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0)

    /// Creates a counter that is not registered anywhere.
    public init() {}

    public func add(_ amount: UInt64 = 1) { total.wrappingAdd(amount, ordering: .relaxed) }

    /// Adds a count or a size; a negative amount adds 0.
    public func add(_ amount: Int) { add(UInt64(max(0, amount))) }

    /// Adds from the only thread that writes this counter: a load and a store, without contention between cores.
    public func addUnshared(_ amount: Int) {
        total.store(total.load(ordering: .relaxed) &+ UInt64(max(0, amount)), ordering: .relaxed)
    }

    public var value: UInt64 { total.load(ordering: .relaxed) }
}

/// Value that goes up and down. From any thread: one relaxed atomic operation.
public final class Gauge: Sendable {
    private let current = Atomic<Int64>(0)
    private let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0)

    /// Creates a gauge that is not registered anywhere.
    public init() {}

    /// Adds an amount, which may be negative.
    public func add(_ amount: Int) { current.wrappingAdd(Int64(amount), ordering: .relaxed) }

    public func set(_ value: Int) { current.store(Int64(value), ordering: .relaxed) }

    public var value: Int64 { current.load(ordering: .relaxed) }
}
