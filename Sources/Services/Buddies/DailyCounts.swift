import Wire

/// How often each account did something today, in UTC. In memory: a restart forgives. Bounded by the accounts that are there.
/// On its owner's loop only. O(1).
struct DailyCounts {
    private static let dayMilliseconds: Int64 = 86_400_000

    private let max: Int
    private var day: Int64 = 0
    private var counts: [Int64: Int] = [:]

    /// - Parameter max: So often on one day.
    init(max: Int) { self.max = max }

    /// Counts once more, or gives the seconds until the day is over.
    mutating func count(_ account: Int64, at time: Timestamp) -> Double? {
        let today = time.milliseconds / Self.dayMilliseconds
        if day != today { (day, counts) = (today, [:]) }
        guard counts[account, default: 0] < max else {
            return Double((today + 1) * Self.dayMilliseconds - time.milliseconds) / 1_000
        }
        counts[account, default: 0] += 1
        return nil
    }
}
