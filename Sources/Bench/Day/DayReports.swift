import Campus

/// When whose phone reports where it is: often while its owner walks, now and then while they stand, and when they set out.
///
/// Not thread-safe: used by one thread.
struct DayReports {
    /// Seconds between two reports of somebody who walks.
    static let walkingSeconds = 5
    /// Of somebody who stands, at most.
    static let standingSeconds = 60

    private let day: CampusDay
    private let stretch: Int
    /// By the second of the day, modulo its length.
    private var wheel: [[Int32]]

    /// - Parameters:
    ///   - second: Where it begins.
    ///   - stretch: How many times longer the pauses are: as often as the day is faster, for reports at a phone's pace on a fast day.
    init(_ day: CampusDay, from second: Int, stretch: Int = 1) {
        self.day = day
        self.stretch = stretch
        let standing = Self.standingSeconds * stretch
        wheel = Array(repeating: [], count: standing + 1)
        for person in 0..<day.count { wheel[(second + person % standing) % wheel.count].append(Int32(person)) }
    }

    /// Gives those who report in a second, and where they are, to `body`. Ask in the order of time, each second once.
    /// - Returns: How many of them walk.
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
            // A phone notices that it is moved.
            if let leaves = day.leaves(Int(person)) { pause = min(pause, max(1, leaves + 1 - second)) }
            wheel[(second + pause) % wheel.count].append(person)
        }
        return walking
    }
}
