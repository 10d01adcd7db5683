import Campus
import TestSupport
import Wire

@testable import Services

/// A made-up run with everything that happens to real ones: noise, rests, poor fixes, jumps, a ride, a gap, doubled times.
struct SyntheticRun: Sendable {
    var points: [TrackPoint] = []
    /// Moments of pause and resume, in turn.
    var moments: [Timestamp] = []
    let start: Timestamp
    var end: Timestamp { (points.map(\.time).max() ?? start).advanced(bySeconds: 5) }

    init(seed: UInt64, count: Int, start: Timestamp, pauses: Int = 0) {
        self.start = start
        var random = SeededGenerator(seed: seed)
        var east = 0.0
        var north = 0.0
        var time = start
        var speed = 3.0
        for index in 0..<count {
            if index % 40 == 30 { speed = [0, 3, 3.5, 14].randomElement(using: &random) ?? 3 }
            if index % 40 == 0 { speed = 3 }
            var seconds = 1.0
            if index == count / 2 { seconds = 700 }
            if Int.random(in: 0..<50, using: &random) == 0 { seconds = 0 }
            time = time.advanced(bySeconds: seconds)
            east += speed * seconds
            north += Double.random(in: -0.5...0.5, using: &random)
            let jump = Int.random(in: 0..<60, using: &random) == 0 ? 4_000.0 : 0
            let origin = try? GeoPoint(latitude: 0, longitude: 0.001)
            let place = origin?.offset(eastMetres: east + jump, northMetres: north)
            points.append(
                TrackPoint(
                    seq: Int64(index + 1), lat: place?.latitude ?? 0, lon: place?.longitude ?? 0, time: time,
                    accuracy: Int.random(in: 0..<25, using: &random) == 0 ? 80 : 8))
        }
        guard pauses > 0 else { return }
        // Some at the very time of a point, some between.
        var chosen: Set<Int64> = []
        while chosen.count < pauses * 2 {
            let point = points[Int.random(in: 1..<count, using: &random)]
            chosen.insert(point.time.milliseconds + (Bool.random(using: &random) ? 0 : 400))
        }
        moments = chosen.sorted().map(Timestamp.init(milliseconds:))
    }

    var pauses: [GPSFilter.Pause] {
        stride(from: 0, to: moments.count, by: 2).map {
            .init(fromMilliseconds: moments[$0].milliseconds, toMilliseconds: moments[$0 + 1].milliseconds)
        }
    }

    /// What the filter says of it all, seen at once.
    func expected() throws -> Stored {
        let result = GPSFilter.recompute(
            activity: .run, fixes: try points.map { try GPSFilter.Fix($0) }, pauses: pauses)
        let judged = zip(points, result.verdicts).map { FilteredPoint(point: $0, verdict: $1) }
        return Stored(
            points: judged.map {
                .init(seq: $0.point.seq, distance: $0.distance, moving: $0.moving, reason: $0.reason?.rawValue)
            }, distance: result.filter.distanceMetres, moving: result.filter.movingSeconds,
            count: Int64(points.count), lastSeq: points.last?.seq ?? 0)
    }

    /// The route of it all, seen at once.
    func expectedRoute() throws -> [[LatLon]] {
        let result = GPSFilter.recompute(
            activity: .run, fixes: try points.map { try GPSFilter.Fix($0) }, pauses: pauses)
        let judged = zip(points, result.verdicts).map { FilteredPoint(point: $0, verdict: $1) }
        return Tracking.draw(judged).pieces.map(\.points)
    }
}

extension Array {
    /// Cut into pieces of 1 to `sizeMax`.
    func cut(sizeMax: Int, using random: inout SeededGenerator) -> [[Element]] {
        var pieces: [[Element]] = []
        var rest = self[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...sizeMax, using: &random))
            pieces.append(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }
}

/// A steady run to the east at 4 m/s, one point a second.
func steadyRun(_ seqs: ClosedRange<Int64>, from start: Timestamp) -> [TrackPoint] {
    let metresPerDegree = GeoPoint.earthRadiusMetres * .pi / 180
    return seqs.map { seq in
        TrackPoint(
            seq: seq, lat: 0, lon: 0.001 + Double(seq) * 4 / metresPerDegree,
            time: start.advanced(bySeconds: Double(seq)),
            accuracy: 5)
    }
}
