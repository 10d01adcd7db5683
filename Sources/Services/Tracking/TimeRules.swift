import Wire

/// What the server believes about a client's times (U-4.3).
///
/// A live session is on the server's clock: clients correct theirs by `hello`. Points may come late, never from the
/// future. A recorded session (simulated accounts only, which takes the operator's key) is on the recording's clock: its
/// times start at the session's start and may run ahead of the server's, because the replay is sped up; everything else
/// holds for it as well, and it is marked as simulated wherever it is shown.
enum TimeRules {
    /// How long before the session's start a point may be: receivers report the fix they have.
    static let beforeStartSecondsMax = 5.0
    /// How long ago a start made offline may be.
    static let startedAgoSecondsMax = 86_400.0
    /// How long a recording may be.
    static let recordedSpanSecondsMax = 30.0 * 86_400

    enum Refusal: String {
        case futureTime, beforeStart, afterStop, tooManyPoints
    }

    /// Why a point with this time can never be stored, or nil.
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

    /// A moment (pause, resume, stop) as the server takes it.
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
