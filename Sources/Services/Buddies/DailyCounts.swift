import Wire

/// Counts an action per account and UTC day. Kept in memory, so a restart clears it; its size is bounded by the number of accounts.
/// Confined to its owner's loop. O(1).
struct DailyCounts {
    private static let dayMilliseconds: Int64 = 86_400_000

    private let max: Int
    private var day: Int64 = 0
    private var counts: [Int64: Int] = [:]

    /// - Parameter max: Largest count per day.
    init(max: Int) { self.max = max }

    /// Counts an action and returns nil, or returns the seconds until the next day if the limit is reached.
    mutating func count(_ account: Int64, at time: Timestamp) -> Double? {
        let today = time.milliseconds / Self.dayMilliseconds
        if day != today { (day, counts) = (today, [:]) }
        guard counts[account, default: 0] < max else {
            return Double((today + 1) * Self.dayMilliseconds - time.milliseconds) / 1_000
        }
        counts[account, default: 0] += 1
        return nil
    }

    /// Takes back an action that was counted at `time` and not done.
    mutating func uncount(_ account: Int64, at time: Timestamp) {
        guard day == time.milliseconds / Self.dayMilliseconds, let count = counts[account], count > 0 else { return }
        counts[account] = count - 1
    }
}
