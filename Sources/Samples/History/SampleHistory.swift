import Campus
import Foundation
import Wire

/// Gives the visitor's account a month of history: runs and rides, a goal, saved and visited places, searches.
struct SampleHistory: Sendable {
    /// Length of a pause.
    static let pauseSeconds = 75.0
    /// Speed of the recordings' clock, so that the live views of a session that is recorded at once stay plausible.
    private static let clockSpeed = 100.0
    /// Part of the goal that is reached.
    private static let goalPart = 0.8
    /// Places of the campus that the visitor saved and visited, with the days since each visit.
    private static let places: [(name: String, visitedDaysAgo: [Int])] = [
        ("Weaver Library", [1, 2, 4, 5, 8, 9, 11, 12]), ("Union Coffee", [1, 3, 5, 10, 12]), ("Boat Hire", [6, 13]),
    ]
    private static let searches = ["library", "coffee", "boat"]

    let visitor: SamplePerson
    let campus: SamplePlaces
    let time: SampleTime
    let past: SamplePast

    /// Makes everything.
    func make() async throws {
        for (index, workout) in SampleWorkout.all.enumerated() { try await record(workout, seed: UInt64(index + 1)) }
        try await setGoal()
        try await makePlaces()
    }

    // MARK: Runs and rides

    private func record(_ workout: SampleWorkout, seed: UInt64) async throws {
        guard let line = SampleCampus.courses.first(where: { $0.name == workout.course })?.line,
            let course = Course(line.map { (lat: $0.latitude, lon: $0.longitude) })
        else { throw SampleFailure("there is no course \(workout.course)") }
        let started = try await visitor.client.call(
            TrackingStart.self,
            .init(
                activity: workout.activity, clientId: UUID().uuidString, title: workout.title,
                clock: SessionClock(kind: .recorded, speed: Self.clockSpeed))
        ).session
        let (points, pausedAt) = SampleRoute.points(
            of: workout, along: course, from: started.startedAt, pause: workout.pauses ? Self.pauseSeconds : 0,
            seed: seed)
        let (before, after) = (points.filter { $0.time < pausedAt ?? $0.time.advanced(bySeconds: 1) }, points)
        try await visitor.client.call(TrackingPoints.self, .init(session: started.id, points: before))
        if let pausedAt {
            try await visitor.client.call(TrackingPause.self, .init(session: started.id, at: pausedAt))
            try await visitor.client.call(
                TrackingResume.self, .init(session: started.id, at: pausedAt.advanced(bySeconds: Self.pauseSeconds)))
            try await visitor.client.call(
                TrackingPoints.self, .init(session: started.id, points: Array(after.dropFirst(before.count))))
        }
        try await visitor.client.call(TrackingStop.self, .init(session: started.id, at: points.last?.time))
        let start = time.past(days: workout.daysAgo, hour: workout.hour, minute: workout.minute)
        try await past.move(session: started.id, to: start)
        if workout.audience != .private {
            try await visitor.attempt(TrackingAudience.self, .init(session: started.id, audience: workout.audience))
        }
    }

    /// Sets a goal of which this month's distance is the greater part.
    private func setGoal() async throws {
        let now = try await visitor.client.call(GoalsGet.self, .init(timeZone: time.timeZone))
        let wanted = (now.distance / 1_000 / Self.goalPart / 5).rounded(.up) * 5
        guard wanted > Double(now.kilometres) || now.distance > 0 else { return }
        try await visitor.attempt(
            GoalsSave.self, .init(kilometres: min(max(wanted, 10), 999), timeZone: time.timeZone))
    }

    // MARK: Places

    private func makePlaces() async throws {
        try await visitor.client.call(PrivacySettingsSave.self, .init(visits: true, searches: true))
        for (name, visitedDaysAgo) in Self.places {
            guard let place = try await visitor.client.call(PlacesList.self, .init(text: name)).places.first else {
                continue
            }
            try await visitor.attempt(
                SavedSave.self, .init(clientId: UUID().uuidString, name: place.name, place: place.id))
            try await past.visit(place.id, by: visitor.account.id, daysAgo: visitedDaysAgo)
        }
        if let start = campus["Bellmere Beach"] {
            try await visitor.attempt(
                SavedSave.self,
                .init(
                    clientId: UUID().uuidString, name: "Start of the Lake Loop", lat: start.latitude,
                    lon: start.longitude))
        }
        for text in Self.searches { try await visitor.attempt(SearchesNote.self, .init(text: text)) }
    }
}
