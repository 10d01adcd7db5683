import Synchronization

/// A number that only grows. From any thread: one relaxed atomic addition, no lock, no allocation.
///
/// What is counted on every loop has a counter a loop (label `loop`), so that cores do not share a cache line.
public final class Counter: Sendable {
    private let total = Atomic<UInt64>(0)
    // Two counters that are made one after the other must not end up in one cache line of 64 bytes.
    private let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0)

    /// A counter that nobody reads: what is measured where nobody listens.
    public init() {}

    /// Adds. O(1).
    public func add(_ amount: UInt64 = 1) { total.wrappingAdd(amount, ordering: .relaxed) }

    /// Adds a count or a size, never negative.
    public func add(_ amount: Int) { add(UInt64(max(0, amount))) }

    /// Adds from the one thread that writes this counter: a load and a store, which no other core has to wait for.
    public func addUnshared(_ amount: Int) {
        total.store(total.load(ordering: .relaxed) &+ UInt64(max(0, amount)), ordering: .relaxed)
    }

    /// The sum until now.
    public var value: UInt64 { total.load(ordering: .relaxed) }
}

/// A number that goes up and down. From any thread: one relaxed atomic operation.
public final class Gauge: Sendable {
    private let current = Atomic<Int64>(0)
    private let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0)

    /// A gauge that nobody reads.
    public init() {}

    /// Adds, or with a negative amount takes away. O(1).
    public func add(_ amount: Int) { current.wrappingAdd(Int64(amount), ordering: .relaxed) }

    /// Sets. O(1).
    public func set(_ value: Int) { current.store(Int64(value), ordering: .relaxed) }

    /// The value now.
    public var value: Int64 { current.load(ordering: .relaxed) }
}
