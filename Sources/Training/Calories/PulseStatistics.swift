import Wire

/// Heart rate of a training.
public enum PulseStatistics {
    public static let bpmRange = 20...260
    /// A sample counts until the next one, and at most so long.
    static let holdSecondsMax = 15.0
    /// Samples beyond this number are ignored: a day at one a second.
    static let samplesMax = 86_400
    static let zones = 5

    /// Nil without samples in the active time.
    /// - Parameters:
    ///   - samples: In any order.
    ///   - maximumPulse: For the zones, which are 0 without it.
    public static func summary(of samples: [PulseSample], in training: Training, maximumPulse: Int?) -> PulseSummary? {
        let course = PulseCourse(
            samples, in: ActiveTime(training, now: training.endedAt ?? samples.map(\.at).max() ?? .now))
        guard !course.steps.isEmpty, course.seconds > 0 else { return nil }
        var zones = [Double](repeating: 0, count: Self.zones)
        if let maximumPulse, maximumPulse > 0 {
            for step in course.steps {
                // Zone 1 begins at half of the maximum, and each further one a tenth above.
                let zone = min(step.bpm * 10 / maximumPulse - 5, Self.zones - 1)
                if zones.indices.contains(zone) { zones[zone] += step.seconds }
            }
        }
        let bpm = course.steps.map(\.bpm)
        return PulseSummary(
            average: Int(course.average.rounded()), minimum: bpm.min() ?? 0, maximum: bpm.max() ?? 0, zones: zones)
    }
}

/// Heart rate over the active time, in steps.
struct PulseCourse {
    let steps: [(bpm: Int, seconds: Double)]
    let seconds: Double

    init(_ samples: [PulseSample], in time: ActiveTime) {
        let sorted = samples.prefix(PulseStatistics.samplesMax).filter { PulseStatistics.bpmRange.contains($0.bpm) }
            .sorted { $0.at < $1.at }
        let hold = Int64(PulseStatistics.holdSecondsMax * 1_000)
        var steps: [(bpm: Int, seconds: Double)] = []
        // Spans and samples are both in order, so that each is passed once.
        var first = 0
        for (index, sample) in sorted.enumerated() {
            let from = min(max(sample.at.milliseconds, 0), Timestamp.millisecondsRange.upperBound)
            let next = index + 1 < sorted.count ? sorted[index + 1].at.milliseconds : from + hold
            let until = max(from, min(next, from + hold))
            while first < time.spans.count, time.spans[first].upperBound <= from { first += 1 }
            var seconds = 0.0
            for span in time.spans.dropFirst(first) {
                guard span.lowerBound < until else { break }
                seconds += Double(max(0, min(span.upperBound, until) - max(span.lowerBound, from))) / 1_000
            }
            if seconds > 0 { steps.append((sample.bpm, seconds)) }
        }
        self.steps = steps
        self.seconds = steps.reduce(0) { $0 + $1.seconds }
    }

    var average: Double {
        seconds > 0 ? steps.reduce(0) { $0 + Double($1.bpm) * $1.seconds } / seconds : 0
    }
}
