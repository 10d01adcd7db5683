import Hub
import HubCore

/// Topics of the conflating lane that a slow connection skips while its send queue is full (B-1), and whether it counts as slow.
struct SkippedTopics {
    /// Duration of skipping after which a connection counts as slow: two ticks.
    static let slowAfter = Duration.milliseconds(400)
    /// Time between the ends of two periods of skipping below which a connection counts as slow, even after short periods.
    static let slowWithin = Duration.seconds(2)

    private var topics: Set<Topic> = []
    /// Monotonic nanoseconds at which the first topic was skipped, and at which the last period ended.
    private var since: UInt64 = 0
    private var endedAt: UInt64 = 0

    var isEmpty: Bool { topics.isEmpty }

    func contains(_ topic: Topic) -> Bool { topics.contains(topic) }

    mutating func insert(_ topic: Topic, now: UInt64) {
        if topics.isEmpty { since = now }
        topics.insert(topic)
    }

    /// Ends the period of skipping.
    /// - Returns: The topics to send in full, and whether the connection is slow.
    mutating func end(now: UInt64) -> (topics: Set<Topic>, isSlow: Bool) {
        let isSlow = now &- since > Self.slowAfter.nanoseconds || now &- endedAt < Self.slowWithin.nanoseconds
        endedAt = now
        defer { topics.removeAll() }
        return (topics, isSlow)
    }
}
