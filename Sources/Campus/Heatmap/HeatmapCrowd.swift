import Wire

/// Where those are who count, the latest only. Not thread-safe: confined to its owner.
public struct HeatmapCrowd: Sendable {
    private struct Seen {
        var place: HeatmapPlace
        /// Monotonic nanoseconds.
        var at: UInt64
    }

    /// One of another node's crowd.
    public struct Report: Sendable, Equatable {
        /// Who and where.
        public var person: HeatmapPerson
        /// Seconds since they were heard of.
        public var age: UInt64

        /// Memberwise.
        public init(person: HeatmapPerson, age: UInt64) {
            self.person = person
            self.age = age
        }
    }

    private var seen: [Int64: Seen] = [:]
    private static let silenceMax = UInt64(HeatmapRules.silenceSecondsMax) * 1_000_000_000

    /// Nobody.
    public init() {}

    /// How many there are, with those whose silence was not noticed yet.
    public var count: Int { seen.count }

    /// Somebody is there now. Whoever comes when ``HeatmapRules/peopleMax`` are known already is not counted.
    /// - Parameter now: Monotonic nanoseconds.
    public mutating func note(_ account: Int64, at point: GeoPoint, now: UInt64) {
        let place = HeatmapPlace(containing: point)
        if seen[account] == nil, seen.count >= HeatmapRules.peopleMax { return }
        seen[account] = Seen(place: place, at: now)
    }

    /// Does not count any more. Harmless for somebody who did not.
    public mutating func forget(_ account: Int64) { seen[account] = nil }

    /// Those who count now; the others are forgotten. O(people).
    /// - Parameters:
    ///   - now: Monotonic nanoseconds.
    ///   - isCounted: Whether somebody still wants to count.
    public mutating func reports(now: UInt64, isCounted: (Int64) -> Bool) -> [Report] {
        var reports: [Report] = []
        reports.reserveCapacity(seen.count)
        var gone: [Int64] = []
        for (account, seen) in seen {
            let age = now - min(now, seen.at)
            guard age <= Self.silenceMax, isCounted(account) else {
                gone.append(account)
                continue
            }
            reports.append(
                Report(person: HeatmapPerson(account: account, place: seen.place), age: age / 1_000_000_000))
        }
        for account in gone { seen[account] = nil }
        return reports
    }

    /// Each person once: who was reported by several is where they were heard of last. O(people).
    public static func distinct(_ reports: some Sequence<[Report]>) -> [HeatmapPerson] {
        var newest: [Int64: Report] = [:]
        for report in reports.lazy.joined() {
            // Of two as new as each other the one further north-west, so that the order of the nodes does not matter.
            if let known = newest[report.person.account],
                (known.age, known.person.place) <= (report.age, report.person.place)
            {
                continue
            }
            newest[report.person.account] = report
        }
        return newest.values.map(\.person)
    }
}
