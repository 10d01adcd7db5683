import Foundation

/// Times of one request by whether an account owns the address that it names, in milliseconds.
struct AnswerTimes {
    var owned: [Double] = []
    var free: [Double] = []

    /// Probability that a request with an owner takes longer than one without: 0.5 if they cannot be distinguished. The statistic of Mann
    /// and Whitney (1947), divided by the number of pairs; ties count half. O(n log n).
    var probabilityOwnedIsSlower: Double {
        let sorted = free.sorted()
        let wins = owned.reduce(0.0) { sum, time in
            let below = Self.count(sorted) { $0 < time }
            return sum + Double(below) + Double(Self.count(sorted) { $0 <= time } - below) / 2
        }
        return wins / Double(owned.count * free.count)
    }

    /// Standard deviation of ``probabilityOwnedIsSlower`` if the two kinds take equally long.
    var deviation: Double {
        (Double(owned.count + free.count + 1) / Double(12 * owned.count * free.count)).squareRoot()
    }

    /// Number of leading elements for which `isBefore` holds.
    private static func count(_ sorted: [Double], _ isBefore: (Double) -> Bool) -> Int {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(sorted[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    static func quantile(_ times: [Double], _ part: Double) -> Double {
        let sorted = times.sorted()
        return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
    }
}
