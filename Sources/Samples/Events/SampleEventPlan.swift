import Wire

/// An event that a sample person makes.
struct SampleEventPlan: Sendable {
    enum Owner: Sendable {
        case office
        /// Position in ``SampleCast/students``.
        case student(Int)
    }
    /// The visitor's relation to the event.
    enum Visitor: Sendable { case none, invited, going, maybe, saved }

    let title: String
    let description: String
    let owner: Owner
    let audience: EventAudience
    /// Id of the kind of workout.
    let workout: String?
    /// Days from now.
    let inDays: Int
    let hour: Int
    var minute = 0
    let minutes: Double
    /// Name of a campus place, or any other words.
    let place: String
    var capacity: Int?
    /// Positions in ``SampleCast/students`` of the people who come. Those beyond the capacity wait.
    let going: [Int]
    var maybe: [Int] = []
    var visitor = Visitor.none
    /// Reason for which the event is cancelled; nil for an event that takes place. Lists show a cancelled event to the people of the event.
    var cancelled: String?

    static let all: [SampleEventPlan] = [
        SampleEventPlan(
            title: "Intervals on the track",
            description: "Eight times 400 m with a lap of walking. All speeds welcome.",
            owner: .student(4), audience: .public, workout: "intervals", inDays: 0, hour: 18, minute: 30, minutes: 60,
            place: "Sports Hall", going: [0, 4, 7, 8], maybe: [5], visitor: .going),
        SampleEventPlan(
            title: "Sunset yoga by the lake",
            description: "Bring a mat or a towel. In rain we meet in the Sports Hall.",
            owner: .student(6), audience: .public, workout: "yoga", inDays: 0, hour: 20, minutes: 45,
            place: "Boat Hire", capacity: 12, going: [6, 2, 3], maybe: [10], visitor: .saved),
        SampleEventPlan(
            title: "Lake Loop, easy five", description: "Three laps at a pace at which we can talk. Coffee afterwards.",
            owner: .student(0), audience: .public, workout: "running", inDays: 1, hour: 7, minute: 30, minutes: 50,
            place: "Union Coffee", going: [0, 10, 8], visitor: .going),
        SampleEventPlan(
            title: "Five-a-side football", description: "Ten players, two halves of 25 minutes. Light and dark shirts.",
            owner: .student(9), audience: .public, workout: "ball-games", inDays: 1, hour: 17, minutes: 75,
            place: "Football Pitch", capacity: 6, going: [9, 5, 7, 2, 11, 3, 1, 4]),
        SampleEventPlan(
            title: "Open hall: free training", description: "The whole hall is open. Equipment is at the desk.",
            owner: .office, audience: .campus, workout: "functional", inDays: 2, hour: 16, minutes: 180,
            place: "Sports Hall", going: [3, 7, 11], maybe: [0, 6]),
        SampleEventPlan(
            title: "Ride: Gate to Shore", description: "25 km in a group, nobody is left behind. Helmets, please.",
            owner: .student(1), audience: .public, workout: "cycling", inDays: 3, hour: 10, minutes: 120,
            place: "West Gate", going: [1, 7, 11], maybe: [8], visitor: .maybe),
        SampleEventPlan(
            title: "Hana's birthday run", description: "Once around the lake, then cake.",
            owner: .student(10), audience: .private, workout: "running", inDays: 4, hour: 18, minutes: 120,
            place: "Boat Hire", going: [10, 0], visitor: .invited),
        SampleEventPlan(
            title: "Swimming technique for beginners", description: "An hour with a trainer. Places are few.",
            owner: .office, audience: .campus, workout: "swimming", inDays: 5, hour: 12, minutes: 60,
            place: "Sports Hall", capacity: 8, going: [2, 1, 10], visitor: .saved),
        SampleEventPlan(
            title: "Campus Run 10 km", description: "Two laps of the Campus Loop with timing. Start numbers from nine.",
            owner: .office, audience: .campus, workout: "running", inDays: 7, hour: 10, minutes: 150,
            place: "West Gate", capacity: 300, going: [0, 4, 8, 9, 10], maybe: [5, 7]),
        SampleEventPlan(
            title: "Dance class: first steps", description: "Postponed: the hall has another booking.",
            owner: .student(6), audience: .public, workout: "dance", inDays: 2, hour: 19, minutes: 60,
            place: "Student Union", going: [6, 3], visitor: .maybe, cancelled: "The hall is taken. A new date follows."),
        SampleEventPlan(
            title: "Walk through the arboretum", description: "Slow, with names of trees.",
            owner: .student(11), audience: .public, workout: "walking", inDays: 9, hour: 14, minutes: 90,
            place: "Arboretum", going: [11, 6], maybe: [0]),
    ]
}
