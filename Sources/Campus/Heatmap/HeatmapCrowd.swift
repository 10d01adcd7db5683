import Wire

/// The latest positions of the people who are counted in the heatmap. Not thread-safe: confined to its owner.
public struct HeatmapCrowd: Sendable {
    private struct Seen {
        var place: HeatmapPlace
        /// Monotonic nanoseconds.
        var at: UInt64
    }

    /// A counted person's position, as nodes report it to each other.
    public struct Report: Sendable, Equatable {
        public var person: HeatmapPerson
        /// Seconds since the person's last position.
        public var age: UInt64

        public init(person: HeatmapPerson, age: UInt64) {
            self.person = person
            self.age = age
        }
    }

    private var seen: [Int64: Seen] = [:]
    private static let silenceMax = UInt64(HeatmapRules.silenceSecondsMax) * 1_000_000_000

    public init() {}

    /// Number of known people, including expired ones that were not removed yet.
    public var count: Int { seen.count }

    /// Records a person's position. New people are ignored once ``HeatmapRules/peopleMax`` are known.
    /// - Parameter now: Monotonic nanoseconds.
    public mutating func note(_ account: Int64, at point: GeoPoint, now: UInt64) {
        let place = HeatmapPlace(containing: point)
        if seen[account] == nil, seen.count >= HeatmapRules.peopleMax { return }
        seen[account] = Seen(place: place, at: now)
    }

    /// Removes a person. Harmless for an unknown one.
    public mutating func forget(_ account: Int64) { seen[account] = nil }

    /// The people who count now. Removes all others. O(people).
    /// - Parameters:
    ///   - now: Monotonic nanoseconds.
    ///   - isCounted: Whether an account still wants to count.
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

    /// Merges the reports of all nodes, with each person once, at the newest position. O(people).
    public static func distinct(_ reports: some Sequence<[Report]>) -> [HeatmapPerson] {
        var newest: [Int64: Report] = [:]
        for report in reports.lazy.joined() {
            // Between two equally new reports the one further north-west wins, so that the order of the nodes does not
            // matter.
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
