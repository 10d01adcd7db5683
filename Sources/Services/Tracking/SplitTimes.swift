import Campus
import Wire

/// Computes split times per kilometre from judged points. Hidden stretches add neither distance nor time.
struct SplitTimes: Sendable {
    static let splitMetres = 1_000.0
    /// Smallest distance of an unfinished split that is reported, in metres.
    static let restMetresMin = 10.0
    /// Largest number of splits of a session.
    static let splitsMax = 1_000

    private let clock: UnpausedClock
    private var whole: [Split] = []
    private var metres = 0.0
    private var seconds = 0.0
    /// Unpaused seconds at the stretch's newest point; nil before its first.
    private var last: Double?

    init(pauses: [GPSFilter.Pause]) { clock = UnpausedClock(pauses: pauses) }

    /// Begins a visible stretch.
    /// - Parameter from: Start of the stretch; nil if it starts with its first point.
    mutating func beginStretch(from: Timestamp?) { last = from.map { clock.seconds(at: $0.milliseconds) } }

    /// Adds the next point of the stretch.
    mutating func add(_ judged: FilteredPoint) {
        let at = clock.seconds(at: judged.point.time.milliseconds)
        let passed = max(0, at - (last ?? at))
        last = max(last ?? at, at)
        guard judged.reason == nil, judged.distance > 0 else {
            seconds += passed
            return
        }
        var left = judged.distance
        while metres + left >= Self.splitMetres, whole.count < Self.splitsMax {
            let part = Self.splitMetres - metres
            whole.append(
                Split(
                    distance: Self.splitMetres,
                    elapsed: seconds + passed * (judged.distance - left + part) / judged.distance))
            // The remaining time of this point belongs to the next kilometre.
            seconds = -passed * (judged.distance - left + part) / judged.distance
            metres = 0
            left -= part
        }
        metres += left
        seconds += passed
    }

    /// The splits so far; an unfinished kilometre is the last.
    var splits: [Split] {
        guard metres >= Self.restMetresMin, whole.count < Self.splitsMax else { return whole }
        return whole + [Split(distance: metres, elapsed: seconds)]
    }

    /// Splits of a session that the viewer sees completely.
    static func splits(of record: SessionRecord, _ points: [FilteredPoint]) -> [Split] {
        var times = SplitTimes(pauses: record.pauses)
        times.beginStretch(from: record.session.startedAt)
        for point in points { times.add(point) }
        return times.splits
    }
}

/// Clock that omits pauses, in O(log pauses).
private struct UnpausedClock: Sendable {
    private let pauses: [GPSFilter.Pause]
    /// Paused milliseconds before each pause.
    private let pausedBefore: [Int64]

    init(pauses: [GPSFilter.Pause]) {
        self.pauses = pauses.sorted { $0.fromMilliseconds < $1.fromMilliseconds }
        var sum: Int64 = 0
        pausedBefore = self.pauses.map { pause in
            defer { sum += max(0, (pause.toMilliseconds ?? pause.fromMilliseconds) - pause.fromMilliseconds) }
            return sum
        }
    }

    func seconds(at milliseconds: Int64) -> Double {
        var (low, high) = (0, pauses.count)
        while low < high {
            let middle = (low + high) / 2
            if pauses[middle].fromMilliseconds <= milliseconds { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return Double(milliseconds) / 1_000 }
        let pause = pauses[low - 1]
        let paused = max(0, min(milliseconds, pause.toMilliseconds ?? milliseconds) - pause.fromMilliseconds)
        return Double(milliseconds - pausedBefore[low - 1] - paused) / 1_000
    }
}
