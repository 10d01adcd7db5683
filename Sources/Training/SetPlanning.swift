import Wire

/// The sets that a training begins with, and its active time.
public enum SetPlanning {
    /// Sets of the plan in its order, with the ids `<entry>/<n>`.
    public static func sets(of plan: WorkoutPlan, at time: Timestamp) -> [TrainingSet] {
        plan.sections.flatMap(\.groups).flatMap(\.entries).flatMap { entry in
            entry.sets.enumerated().map { index, values in
                TrainingSet(
                    id: "\(entry.id)/\(index)", entry: entry.id, position: index, state: .planned, values: values,
                    at: time)
            }
        }
    }

    /// Seconds between start and end, or now, without pauses. Pauses that overlap count once.
    public static func activeSeconds(of training: Training, now: Timestamp) -> Double {
        ActiveTime(training, now: now).seconds
    }
}

/// The time of a training without its pauses.
struct ActiveTime {
    /// Spans in milliseconds, in their order, without overlap.
    let spans: [Range<Int64>]

    init(_ training: Training, now: Timestamp) {
        let range = Timestamp.millisecondsRange
        func clamped(_ time: Timestamp) -> Int64 { min(max(time.milliseconds, range.lowerBound), range.upperBound) }
        let start = clamped(training.startedAt)
        let end = max(start, clamped(training.endedAt ?? now))
        var spans: [Range<Int64>] = []
        var from = start
        for pause in training.pauses.sorted(by: { $0.from < $1.from }) {
            let begin = min(max(clamped(pause.from), start), end)
            let finish = min(max(pause.until.map(clamped) ?? end, begin), end)
            if begin > from { spans.append(from..<begin) }
            from = max(from, finish)
        }
        if end > from { spans.append(from..<end) }
        self.spans = spans
    }

    var seconds: Double { spans.reduce(0) { $0 + Double($1.upperBound - $1.lowerBound) / 1_000 } }

    /// Seconds of a span that are active.
    func seconds(in span: Range<Int64>) -> Double {
        spans.reduce(0) { $0 + Double($1.clamped(to: span).count) / 1_000 }
    }
}
