import CampanileClient
import Campus
import CommandSupport
import Foundation
import Wire

/// The replay of one file.
struct ReplayPlan: Sendable {
    /// Points within this many seconds of each other are sent in one request.
    static let batchSeconds = 0.2
    /// Limit of a title (the Protocol article).
    static let titleCharactersMax = 80

    /// Name of the file without its directory.
    let file: String
    /// Name of the track, or of the file.
    let title: String
    /// All points of the file in its order, with their times.
    let points: [GPXTrack.Point]
    /// Sum of the distances between successive points in metres, without a filter.
    let plainMetres: Double

    /// Points that are sent together.
    struct Batch: Sendable {
        /// Seconds after the start of the replay.
        let due: Double
        let points: Range<Int>
        /// Wait of the recording before the batch in replayed seconds, if the replay shortens it.
        let cutWait: Double?
    }

    /// - Throws: ``CommandFailure`` (65) with the file, the position of the error and what to do.
    static func load(path: String) throws -> ReplayPlan {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure(.dataError, "\(path): the file cannot be read: check its name and permissions")
        }
        let tracks: [GPXTrack]
        do {
            tracks = try GPXTrack.read(data)
        } catch {
            throw CommandFailure(.dataError, "\(path): \(error)")
        }
        let points = tracks.flatMap(\.points).filter { $0.timeMilliseconds != nil }
        let name = URL(fileURLWithPath: path).lastPathComponent
        return ReplayPlan(
            file: name,
            title: String((tracks.compactMap(\.name).first ?? name).prefix(titleCharactersMax)),
            points: points,
            plainMetres: zip(points, points.dropFirst()).reduce(0) { $0 + $1.0.point.distance(to: $1.1.point) })
    }

    /// Metres that the documented filter counts in the file, computed here independently of the server.
    func filteredMetres(_ activity: Activity) -> Double {
        let fixes = points.enumerated().map { index, point in
            GPSFilter.Fix(
                sequence: Int64(index + 1), point: point.point, timeMilliseconds: point.timeMilliseconds ?? 0)
        }
        return GPSFilter.recompute(activity: activity == .run ? .run : .cycle, fixes: fixes).filter.distanceMetres
    }

    /// Schedule of the points. No point is sent before its time; backward steps of a recording's clock cause no wait.
    func batches(speed: Double, longestWait: Double) -> [Batch] {
        var batches: [Batch] = []
        var due = 0.0
        var start = 0
        var startDue = 0.0
        var cutWait: Double?
        var last = points.first?.timeMilliseconds ?? 0
        for index in points.indices {
            let time = points[index].timeMilliseconds ?? last
            let wait = max(0, Double(time - last) / 1_000 / speed)
            last = max(last, time)
            if index > start, due + min(wait, longestWait) - startDue > Self.batchSeconds {
                batches.append(Batch(due: due, points: start..<index, cutWait: cutWait))
                start = index
                startDue = due + min(wait, longestWait)
                cutWait = nil
            }
            if wait > longestWait { cutWait = wait }
            due += min(wait, longestWait)
        }
        if start < points.count { batches.append(Batch(due: due, points: start..<points.count, cutWait: cutWait)) }
        return batches
    }

    /// The points as fixes, with the first one at `start` and the others at their original intervals.
    func fixes(_ range: Range<Int>, startingAt start: Timestamp) -> [TrackFix] {
        let first = points.first?.timeMilliseconds ?? 0
        return points[range].map { point in
            TrackFix(
                lat: point.point.latitude, lon: point.point.longitude,
                time: Timestamp(milliseconds: start.milliseconds + (point.timeMilliseconds ?? first) - first),
                altitude: point.elevationMetres.flatMap { (-1_000...20_000).contains($0) ? $0 : nil })
        }
    }

    /// Beginning of the runner's username: `run` and the first letters and digits of the file's name.
    var usernameStart: String {
        "run" + file.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(8)
    }
}
