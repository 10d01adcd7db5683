/// What a program reads of its own metrics, beside the scraper.
extension MetricRegistry {
    /// The sum of a family's numbers; 0 when there is none. Reads on the calling thread.
    /// - Parameter labels: Only series that have all of these.
    public func sum(of name: String, _ labels: Labels = [:]) -> Double {
        series(name, labels).reduce(0) { total, series in
            if case .number(let read) = series.source { total + read() } else { total }
        }
    }

    /// The values of a family of histograms, together; they have the same buckets.
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

/// How values were distributed until some moment.
public struct Distribution: Sendable, Equatable {
    /// Upper bounds in the exposed unit.
    private(set) var bounds: [Double] = []
    /// One a bound, and one for what is beyond.
    private(set) var counts: [UInt64] = []

    /// No values.
    public init() {}

    func adding(_ histogram: Histogram) -> Distribution {
        var sum = self
        let cumulative = histogram.snapshot().cumulative
        let counts = zip(cumulative, [0] + cumulative).map { $0 - $1 }
        sum.bounds = histogram.buckets.bounds.map { Double($0) * histogram.buckets.scale }
        sum.counts = self.counts.isEmpty ? counts : zip(self.counts, counts).map { $0 + $1 }
        return sum
    }

    /// What came after an earlier look.
    public func since(_ earlier: Distribution) -> Distribution {
        guard earlier.counts.count == counts.count else { return self }
        var rest = self
        rest.counts = zip(counts, earlier.counts).map { $0 - min($0, $1) }
        return rest
    }

    /// What this share of the values is not above, within its bucket by interpolation; 0 without values, and the last bound for what is
    /// beyond it.
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
