import Synchronization

/// Bucket bounds of a histogram.
public struct Buckets: Sendable {
    /// Upper bounds, inclusive, ascending, in the unit of ``Histogram/observe(_:)``.
    public let bounds: [UInt64]
    /// Factor from the observed unit to the exposed unit: 1e-9 for nanoseconds that are exposed in seconds.
    public let scale: Double

    /// Bounds a histogram may have.
    public static let boundsMax = 32

    /// - Parameters:
    ///   - bounds: Ascending, 1 to ``boundsMax``.
    ///   - scale: Factor from the observed unit to the exposed unit.
    public init(_ bounds: [UInt64], scale: Double) {
        precondition(
            (1...Self.boundsMax).contains(bounds.count) && zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 })
        self.bounds = bounds
        self.scale = scale
    }

    /// Nanoseconds exposed in seconds: 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500 ms, 1, 2.5, 10 s.
    public static let latency = Buckets(
        [
            100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
            10_000_000,
        ]
        .map { $0 * 1_000 }, scale: 1e-9)

    /// Counts: powers of two up to 256.
    public static let counts = Buckets([1, 2, 4, 8, 16, 32, 64, 128, 256], scale: 1)
}

/// Distribution of values. From any thread: a search among at most ``Buckets/boundsMax`` bounds and two relaxed atomic additions;
/// no lock, no allocation, no floating point.
public final class Histogram: Sendable {
    let buckets: Buckets
    /// One for each bound, and one for larger values.
    private let cells: [Counter]
    private let sum = Counter()

    /// Creates a histogram that is not registered anywhere.
    public init(_ buckets: Buckets) {
        self.buckets = buckets
        cells = (0...buckets.bounds.count).map { _ in Counter() }
    }

    /// Records a value. O(log bounds).
    public func observe(_ value: UInt64) {
        var (low, high) = (0, buckets.bounds.count)
        while low < high {
            let middle = (low + high) / 2
            if buckets.bounds[middle] < value { low = middle + 1 } else { high = middle }
        }
        cells[low].add()
        sum.add(value)
    }

    /// Number of values recorded.
    public var count: UInt64 { cells.reduce(0) { $0 + $1.value } }

    /// For each bound, and for infinity, the number of values that do not exceed it; and the sum of the values in the exposed unit.
    /// Other threads may write meanwhile: the sum can then include slightly different values, but the counts are always consistent
    /// with each other.
    func snapshot() -> (cumulative: [UInt64], sum: Double) {
        var running: UInt64 = 0
        let cumulative = cells.map { cell in
            running += cell.value
            return running
        }
        return (cumulative, Double(sum.value) * buckets.scale)
    }
}
