import Wire

/// The points of a past workout: along a course, with a person's changes of speed and a receiver's noise.
enum SampleRoute {
    /// Highest number of points of a workout; one request has them all.
    static let pointsMax = TrackingPoints.pointsPerRequestMax - 1
    /// Shortest interval between two points.
    static let intervalSecondsMin = 3.0
    /// Standard deviation of a fix in each direction, in metres.
    private static let noiseMetres = 0.8
    /// Variation of the speed around its average.
    private static let speedVariation = 0.12

    /// - Parameter pause: Seconds of a pause in the middle, in which there are no points.
    static func points(
        of workout: SampleWorkout, along course: Course, from start: Timestamp, pause: Double, seed: UInt64
    ) -> (points: [TrackPoint], pausedAt: Timestamp?) {
        var generator = SeededGenerator(seed: seed)
        let seconds = workout.kilometres * 1_000 / workout.speed
        let interval = max(intervalSecondsMin, (seconds / Double(pointsMax)).rounded(.up))
        let count = Int(seconds / interval)
        var (points, pausedAt): ([TrackPoint], Timestamp?) = ([], nil)
        var (metres, waited) = (0.0, 0.0)
        for index in 0...count {
            var time = start.advanced(bySeconds: Double(index) * interval + waited)
            if pause > 0, index == count / 2 {
                pausedAt = time
                waited = pause
                time = time.advanced(bySeconds: pause)
            }
            let exact = course.position(at: metres)
            let shown = Course.moved(
                exact, east: Double.random(in: -1...1, using: &generator) * noiseMetres,
                north: Double.random(in: -1...1, using: &generator) * noiseMetres)
            points.append(
                TrackPoint(seq: Int64(index + 1), lat: shown.lat, lon: shown.lon, time: time, accuracy: 4))
            metres +=
                workout.speed * interval * Double.random(in: 1 - speedVariation...1 + speedVariation, using: &generator)
        }
        return (points, pausedAt)
    }
}
