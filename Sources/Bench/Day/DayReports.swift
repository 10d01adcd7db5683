import Campus

/// Schedules the phones' position reports: frequent while the owner walks, rare while the owner stands, and one at each
/// departure.
///
/// Not thread-safe: used by one thread.
struct DayReports {
    /// Seconds between two reports of a walking person.
    static let walkingSeconds = 5
    /// Maximum seconds between two reports of a standing person.
    static let standingSeconds = 60

    private let day: CampusDay
    private let stretch: Int
    /// People due to report, by second of the day modulo the wheel's length.
    private var wheel: [[Int32]]

    /// - Parameters:
    ///   - second: The first second of the day.
    ///   - stretch: Factor by which the intervals are longer. With the day's speed as factor, phones report at their real rate
    ///     on a fast day.
    init(_ day: CampusDay, from second: Int, stretch: Int = 1) {
        self.day = day
        self.stretch = stretch
        let standing = Self.standingSeconds * stretch
        wheel = Array(repeating: [], count: standing + 1)
        for person in 0..<day.count { wheel[(second + person % standing) % wheel.count].append(Int32(person)) }
    }

    /// Calls `body` for each person who reports in a second. Call it with ascending seconds, each once.
    /// - Returns: The number of them who walk.
    @discardableResult
    mutating func take(_ second: Int, _ body: (_ person: Int, _ point: GeoPoint, _ isWalking: Bool) -> Void) -> Int {
        let slot = second % wheel.count
        let due = wheel[slot]
        wheel[slot] = []
        var walking = 0
        for person in due {
            let (point, isWalking) = day.position(of: Int(person), at: Double(second))
            body(Int(person), point, isWalking)
            walking += isWalking ? 1 : 0
            var pause = (isWalking ? Self.walkingSeconds : Self.standingSeconds) * stretch
            // A phone notices when it is moved.
            if let leaves = day.leaves(Int(person)) { pause = min(pause, max(1, leaves + 1 - second)) }
            wheel[(second + pause) % wheel.count].append(person)
        }
        return walking
    }
}
