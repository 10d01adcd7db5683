import Wire

/// Validation of client times (U-4.3).
///
/// A live session uses the server's clock, to which clients adjust theirs by `hello`. Its points may arrive late but must not be in the
/// future. Before these rules refuse such a point for good, ``ServerClock`` checks whether the server's clock itself is trusted
/// (``ClockTrust``).
///
/// A session with a recorded clock is the replay of a recording, and not a session that a device recorded offline. It is only for simulated
/// accounts, which require the operator's key, and uses the recording's clock. Its times begin at the session's start and may be ahead of
/// the server's clock because the replay is accelerated. All other rules apply to it as well, and every view marks it as simulated.
enum TimeRules {
    /// Seconds by which a point may precede the session's start, because receivers report the latest fix they have.
    static let beforeStartSecondsMax = 5.0
    /// Largest age of a start that was made offline, in seconds.
    static let startedAgoSecondsMax = 86_400.0
    /// Largest duration of a recording, in seconds.
    static let recordedSpanSecondsMax = 30.0 * 86_400

    enum Refusal: String {
        case futureTime, beforeStart, afterStop, tooManyPoints
    }

    /// Reason for which a point with this time can never be stored; nil if it can.
    static func refusal(of time: Timestamp, in record: SessionRecord, now: Timestamp) -> Refusal? {
        let session = record.session
        if time.seconds(since: session.startedAt) < -beforeStartSecondsMax { return .beforeStart }
        if let end = session.endedAt, time > end { return .afterStop }
        let limit: Timestamp
        switch record.clock.kind {
        case .live: limit = now.advanced(bySeconds: ServerClock.aheadSecondsMax)
        case .recorded: limit = session.startedAt.advanced(bySeconds: recordedSpanSecondsMax)
        }
        return time > limit ? .futureTime : nil
    }

    /// Validates the time of a pause, resume or stop.
    /// - Throws: ``Wire/RPCError`` when it is before the start or in the future.
    static func moment(_ at: Timestamp?, in record: SessionRecord, now: Timestamp) throws -> Timestamp {
        let session = record.session
        guard let at else {
            return record.clock.kind == .live ? max(now, session.startedAt) : (session.lastFixAt ?? session.startedAt)
        }
        guard at.seconds(since: session.startedAt) >= -beforeStartSecondsMax else {
            throw RPCError.invalid("at", "is before the session's start")
        }
        guard refusal(of: at, in: record, now: now) != .futureTime else {
            throw RPCError.invalid("at", "is in the future: correct the clock by hello's serverTime")
        }
        return max(at, session.startedAt)
    }
}
