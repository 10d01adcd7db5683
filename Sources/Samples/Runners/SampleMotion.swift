import Foundation

/// A deterministic random number generator (SplitMix64), so that the samples are reproducible.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// A closed course for runners.
struct Course: Sendable {
    /// Metres per degree of latitude on the mean sphere (radius 6,371,008.8 m).
    private static let metresPerDegree = 6_371_008.8 * .pi / 180

    private let corners: [(lat: Double, lon: Double)]
    /// Metres from the start to each corner, and at the end the length of the whole course.
    private let ends: [Double]

    /// Nil if the course has fewer than two corners or no length.
    init?(_ points: [(lat: Double, lon: Double)]) {
        guard points.count >= 2 else { return nil }
        corners = points
        var ends = [0.0]
        for (index, from) in points.enumerated() {
            let to = points[(index + 1) % points.count]
            ends.append((ends.last ?? 0) + Self.metres(from, to))
        }
        self.ends = ends
        guard lengthMetres > 0 else { return nil }
    }

    /// Length of one lap.
    var lengthMetres: Double { ends.last ?? 0 }

    /// The position after `metres` along the course, over any number of laps.
    func position(at metres: Double) -> (lat: Double, lon: Double) {
        let along = metres.truncatingRemainder(dividingBy: lengthMetres)
        let leg = max(0, (ends.firstIndex { $0 > along } ?? ends.count - 1) - 1)
        let from = corners[leg % corners.count]
        let to = corners[(leg + 1) % corners.count]
        let length = ends[leg + 1] - ends[leg]
        let part = length > 0 ? (along - ends[leg]) / length : 0
        return (from.lat + (to.lat - from.lat) * part, from.lon + (to.lon - from.lon) * part)
    }

    /// `position` moved by metres to the east and north.
    static func moved(
        _ position: (lat: Double, lon: Double), east: Double, north: Double
    ) -> (lat: Double, lon: Double) {
        let shrink = max(1e-9, cos(position.lat * .pi / 180))
        return (position.lat + north / metresPerDegree, position.lon + east / (metresPerDegree * shrink))
    }

    /// Flat-earth distance in metres, which is exact enough for a campus.
    private static func metres(_ a: (lat: Double, lon: Double), _ b: (lat: Double, lon: Double)) -> Double {
        let north = (b.lat - a.lat) * metresPerDegree
        let east = (b.lon - a.lon) * metresPerDegree * cos((a.lat + b.lat) / 2 * .pi / 180)
        return (north * north + east * east).squareRoot()
    }
}

/// The motion of one sample runner, second by second, determined by the seed.
struct SampleMotion: Sendable {
    /// Current behaviour of a runner.
    enum Behaviour: Sendable, Equatable {
        /// Moves along the course.
        case moving
        /// Stands still while the session is running, as at a traffic light.
        case standing
        /// Has paused the session.
        case paused
        /// Moves without a connection.
        case offline
    }

    /// Standard deviation of a fix in each direction, in metres. The error drifts slowly, as in real receivers.
    private static let noiseMetres = 1.2
    /// Correlation of an error with the previous one.
    private static let noiseMemory = 0.9

    let isRide: Bool
    private let course: Course
    private var generator: SeededGenerator
    private let speed: Double
    private let breaks: Behaviour?
    private var metres: Double
    private var east = 0.0
    private var north = 0.0
    private(set) var behaviour = Behaviour.moving
    private var secondsLeft: Int

    /// - Parameters:
    ///   - index: The runner's number. It selects the course and the behaviour: of eight runners, one pauses, two stand now and
    ///     then, one goes offline, and the others only move. One in four rides.
    ///   - courses: At least one course.
    ///   - seed: The same seed gives the same runners.
    init?(index: Int, courses: [Course], seed: UInt64) {
        guard !courses.isEmpty else { return nil }
        course = courses[index % courses.count]
        var generator = SeededGenerator(seed: seed &+ UInt64(index) &* 0x1000_0001)
        isRide = index % 4 == 3
        speed = isRide ? Double.random(in: 5...8, using: &generator) : Double.random(in: 2.4...4, using: &generator)
        breaks =
            switch index % 8 {
            case 1, 6: .standing
            case 2: .paused
            case 4: .offline
            default: nil
            }
        metres = Double.random(in: 0..<course.lengthMetres, using: &generator)
        secondsLeft = Int.random(in: 20...60, using: &generator)
        self.generator = generator
    }

    /// Advances by one second and returns the fix.
    mutating func step() -> (lat: Double, lon: Double, accuracy: Double) {
        secondsLeft -= 1
        if secondsLeft <= 0, let breaks {
            behaviour = behaviour == .moving ? breaks : .moving
            secondsLeft =
                behaviour == .moving
                ? Int.random(in: 40...120, using: &generator) : Int.random(in: 15...30, using: &generator)
        }
        if behaviour == .moving || behaviour == .offline {
            // The speed varies by up to a tenth, as a person's does.
            metres += speed * Double.random(in: 0.9...1.1, using: &generator)
        }
        let fresh = (1 - Self.noiseMemory * Self.noiseMemory).squareRoot() * Self.noiseMetres
        east = east * Self.noiseMemory + normal() * fresh
        north = north * Self.noiseMemory + normal() * fresh
        let (lat, lon) = Course.moved(course.position(at: metres), east: east, north: north)
        return (lat, lon, 4)
    }

    /// A standard normal deviate (Box-Muller).
    private mutating func normal() -> Double {
        let u = Double.random(in: .leastNonzeroMagnitude...1, using: &generator)
        return (-2 * log(u)).squareRoot() * cos(2 * .pi * Double.random(in: 0..<1, using: &generator))
    }
}
