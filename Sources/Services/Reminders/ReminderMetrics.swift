import Metrics
import Wire

/// Outcomes of reminders on this server. Atomic; usable from any thread.
public struct ReminderMetrics: Sendable {
    enum Outcome: String, CaseIterable {
        case sent, retried, dropped, failed, dead, doubtful
    }

    private let outcomes: [ReminderChannel: [Outcome: Counter]]
    private let durations: [ReminderChannel: Histogram]

    /// Registers the metrics. The default registry is not exported.
    public init(_ registry: MetricRegistry = MetricRegistry()) {
        var outcomes: [ReminderChannel: [Outcome: Counter]] = [:]
        var durations: [ReminderChannel: Histogram] = [:]
        for channel in ReminderChannel.allCases {
            for outcome in Outcome.allCases {
                outcomes[channel, default: [:]][outcome] = registry.counter(
                    "campanile_reminders_total", "Reminders that this server finished, by channel and outcome.",
                    ["channel": channel.rawValue, "outcome": outcome.rawValue])
            }
            durations[channel] = registry.histogram(
                "campanile_reminder_sending_duration_seconds", "Time to hand a reminder over, by channel.",
                ["channel": channel.rawValue], buckets: .latency)
        }
        (self.outcomes, self.durations) = (outcomes, durations)
    }

    func count(_ outcome: Outcome, _ channel: ReminderChannel, times: Int = 1) {
        outcomes[channel]?[outcome]?.add(times)
    }

    func took(_ nanoseconds: UInt64, _ channel: ReminderChannel) { durations[channel]?.observe(nanoseconds) }
}
