/// Reading of metrics within the process, in addition to scraping.
extension MetricRegistry {
    /// Sum of the values of a family's counters or gauges; 0 if there is none. Reads on the calling thread.
    /// - Parameter labels: Restricts the sum to series that have all of these labels.
    public func sum(of name: String, _ labels: Labels = [:]) -> Double {
        series(name, labels).reduce(0) { total, series in
            if case .number(let read) = series.source { total + read() } else { total }
        }
    }

    /// Sum of a family's histograms, which must have the same buckets.
    public func distribution(of name: String, _ labels: Labels = [:]) -> Distribution {
        series(name, labels).reduce(Distribution()) { total, series in
            guard case .histogram(let histogram) = series.source else { return total }
            return total.adding(histogram)
        }
    }

    private func series(_ name: String, _ labels: Labels) -> [Series] {
        let all = snapshot().first { $0.name == name }?.series ?? []
        return all.filter { series in labels.allSatisfy { label in series.labels.contains { $0 == label } } }
    }
}

/// Distribution of values up to some moment.
public struct Distribution: Sendable, Equatable {
    /// Upper bounds in the exposed unit.
    private(set) var bounds: [Double] = []
    /// One for each bound, and one for larger values.
    private(set) var counts: [UInt64] = []

    /// Creates a distribution without values.
    public init() {}

    func adding(_ histogram: Histogram) -> Distribution {
        var sum = self
        let cumulative = histogram.snapshot().cumulative
        let counts = zip(cumulative, [0] + cumulative).map { $0 - $1 }
        sum.bounds = histogram.buckets.bounds.map { Double($0) * histogram.buckets.scale }
        sum.counts = self.counts.isEmpty ? counts : zip(self.counts, counts).map { $0 + $1 }
        return sum
    }

    /// Distribution of the values since an earlier reading.
    public func since(_ earlier: Distribution) -> Distribution {
        guard earlier.counts.count == counts.count else { return self }
        var rest = self
        rest.counts = zip(counts, earlier.counts).map { $0 - min($0, $1) }
        return rest
    }

    /// Quantile of the values, interpolated within its bucket. 0 without values, and the last bound if the quantile is above it.
    public func quantile(_ share: Double) -> Double {
        let wanted = Double(counts.reduce(0, +)) * share
        guard wanted > 0 else { return 0 }
        var below = 0.0
        for (index, count) in counts.enumerated() where count > 0 {
            guard index < bounds.count else { break }
            if below + Double(count) >= wanted {
                let low = index == 0 ? 0 : bounds[index - 1]
                return low + (bounds[index] - low) * (wanted - below) / Double(count)
            }
            below += Double(count)
        }
        return bounds.last ?? 0
    }
}
