import Campus

/// When whose phone reports where it is: often while its owner walks, now and then while they stand.
///
/// Not thread-safe: used by one thread.
struct DayReports {
    /// Seconds between two reports of somebody who walks.
    static let walkingSeconds = 5
    /// Of somebody who stands.
    static let standingSeconds = 60

    private let day: CampusDay
    /// By the second of the day, modulo its length.
    private var wheel: [[Int32]]

    /// - Parameter second: Where it begins.
    init(_ day: CampusDay, from second: Int) {
        self.day = day
        wheel = Array(repeating: [], count: Self.standingSeconds + 1)
        for person in 0..<day.count {
            wheel[(second + person % Self.standingSeconds) % wheel.count].append(Int32(person))
        }
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
            let pause = isWalking ? Self.walkingSeconds : Self.standingSeconds
            wheel[(second + pause) % wheel.count].append(person)
        }
        return walking
    }
}
