import Wire

/// A past run or ride of the visitor.
struct SampleWorkout: Sendable {
    let daysAgo: Int
    let hour: Int
    var minute = 0
    let activity: Activity
    let title: String
    /// Name of a course of the sample campus.
    let course: String
    let kilometres: Double
    /// Average speed in m/s.
    let speed: Double
    /// Whether the person paused for a minute in the middle.
    var pauses = false
    var audience = Audience.private

    static let all: [SampleWorkout] = [
        SampleWorkout(
            daysAgo: 29, hour: 18, activity: .run, title: "First run of the month", course: "Old Quad Circuit",
            kilometres: 3.2, speed: 2.5),
        SampleWorkout(
            daysAgo: 27, hour: 7, minute: 20, activity: .run, title: "Before the lecture", course: "Lake Loop",
            kilometres: 4.1, speed: 2.6),
        SampleWorkout(
            daysAgo: 25, hour: 11, activity: .cycle, title: "Sunday ride", course: "Gate to Shore Ride", kilometres: 18,
            speed: 6.1,
            pauses: true, audience: .campus),
        SampleWorkout(
            daysAgo: 23, hour: 19, activity: .run, title: "Intervals with Ingrid", course: "Track Lap", kilometres: 4.8,
            speed: 3.2),
        SampleWorkout(
            daysAgo: 20, hour: 7, minute: 30, activity: .run, title: "Lake with Hana", course: "Lake Loop",
            kilometres: 5, speed: 2.7,
            audience: .campus),
        SampleWorkout(
            daysAgo: 18, hour: 17, activity: .run, title: "Two quads", course: "Two Quads", kilometres: 5.6, speed: 2.8,
            pauses: true),
        SampleWorkout(
            daysAgo: 16, hour: 10, activity: .cycle, title: "Ride with Noor", course: "Gate to Shore Ride",
            kilometres: 24, speed: 6.6,
            audience: .campus),
        SampleWorkout(
            daysAgo: 13, hour: 18, minute: 40, activity: .run, title: "Arboretum", course: "Arboretum Loop",
            kilometres: 6.2, speed: 2.7),
        SampleWorkout(
            daysAgo: 11, hour: 7, activity: .run, title: "Easy morning", course: "Bell to Bell", kilometres: 4.5,
            speed: 2.5),
        SampleWorkout(
            daysAgo: 9, hour: 18, minute: 30, activity: .run, title: "Ten kilometres!", course: "Campus Loop",
            kilometres: 10.1, speed: 2.8,
            pauses: true, audience: .campus),
        SampleWorkout(
            daysAgo: 6, hour: 19, activity: .run, title: "Intervals with Ingrid", course: "Track Lap", kilometres: 5.2,
            speed: 3.3),
        SampleWorkout(
            daysAgo: 4, hour: 10, minute: 15, activity: .cycle, title: "Long way around", course: "Gate to Shore Ride",
            kilometres: 30,
            speed: 6.8, pauses: true),
        SampleWorkout(
            daysAgo: 2, hour: 7, minute: 30, activity: .run, title: "Lake Loop crew", course: "Lake Loop",
            kilometres: 5.1, speed: 2.8,
            audience: .campus),
        SampleWorkout(
            daysAgo: 1, hour: 17, minute: 45, activity: .run, title: "Shake-out", course: "Old Quad Circuit",
            kilometres: 3, speed: 2.6),
    ]
}
