import Wire

/// Whether the server's clock is trusted when it says that a device's time is in the future.
///
/// A device whose clock is wrong and a server whose clock is behind look the same from one request. So each account has a vote, by its
/// latest times: it agrees with the server's clock, or is ahead of it. The clock is trusted while there is at least one vote for it and no
/// fewer than are ahead. The kernel has a vote when it says that an NTP client keeps the clock right. The database's clock can only raise
/// doubt: in a container of its own it is another machine by its address, and the same kernel. When the clock jumps, the votes are void.
///
/// Without trust nothing is refused for good: devices keep what they recorded and send it again.
struct ClockTrust: Sendable {
    /// How long a vote counts.
    static let votesNanosecondsMax: UInt64 = 600_000_000_000
    /// Votes that are kept; with more, any one makes room.
    static let votesMax = 1_024
    /// How old a device's latest time may be to agree: later ones may have waited on the way.
    static let agreesSecondsMax = 60.0
    /// A larger difference between the wall clock and the monotonic clock is a jump.
    static let jumpSecondsMax = 30.0
    /// Devices ahead that are worth an operator's look.
    static let aheadWarningMin = 3
    /// How long devices are asked to wait with what looks as if from the future.
    static let retrySeconds = 30.0

    private struct Vote {
        var agrees: Bool
        var at: UInt64
    }

    private var votes: [Int64: Vote] = [:]
    /// Milliseconds of the wall clock at the monotonic clock's zero.
    private var zero: Double?
    /// Seconds by which the database's clock is ahead; nil when it is on this machine or was not asked.
    private(set) var databaseAheadSeconds: Double?
    /// The kernel says that its clock is kept right.
    private(set) var isSynchronised = false

    /// Takes the times of one request of a live session.
    /// - Parameters:
    ///   - now: The server's wall clock.
    ///   - uptime: The monotonic clock, nanoseconds.
    mutating func note(_ times: [Timestamp], of account: Int64, now: Timestamp, uptime: UInt64) {
        noteJump(now, uptime)
        var (ahead, agreeing) = (0, 0)
        for time in times {
            let seconds = time.seconds(since: now)
            if seconds > ServerClock.aheadSecondsMax {
                ahead += 1
            } else if seconds >= -Self.agreesSecondsMax {
                agreeing += 1
            }
        }
        // Only what is old says nothing: it was recorded offline.
        guard ahead + agreeing > 0 else { return }
        if votes[account] == nil, votes.count >= Self.votesMax, let any = votes.keys.first { votes[any] = nil }
        votes[account] = Vote(agrees: agreeing >= ahead, at: uptime)
    }

    /// The database's answer to what time it is.
    mutating func note(databaseAheadSeconds seconds: Double?) { databaseAheadSeconds = seconds }

    /// The kernel's answer to whether its clock is kept right.
    mutating func note(isSynchronised: Bool) { self.isSynchronised = isSynchronised }

    private mutating func noteJump(_ now: Timestamp, _ uptime: UInt64) {
        let zero = Double(now.milliseconds) - Double(uptime) / 1_000_000
        if let known = self.zero, abs(zero - known) < Self.jumpSecondsMax * 1_000 { return }
        self.zero = zero
        votes.removeAll()
    }

    /// Accounts that agree with the clock, and that are ahead of it.
    func counts(uptime: UInt64) -> (agreeing: Int, ahead: Int) {
        votes.values.reduce(into: (0, 0)) { counts, vote in
            guard uptime &- vote.at <= Self.votesNanosecondsMax else { return }
            if vote.agrees { counts.0 += 1 } else { counts.1 += 1 }
        }
    }

    private var databaseDisagrees: Bool { abs(databaseAheadSeconds ?? 0) > ServerClock.aheadSecondsMax }

    /// Whether a time in the future may be refused for good.
    func isTrusted(uptime: UInt64) -> Bool {
        guard !databaseDisagrees else { return false }
        let counts = counts(uptime: uptime)
        let agreeing = counts.agreeing + (isSynchronised ? 1 : 0)
        return agreeing >= max(1, counts.ahead)
    }

    /// What an operator should know; nil while nothing is wrong.
    func warning(uptime: UInt64) -> String? {
        if databaseDisagrees, let seconds = databaseAheadSeconds {
            let direction = seconds > 0 ? "behind" : "ahead of"
            return "the server's clock is \(Int(abs(seconds).rounded())) s \(direction) the database's: set both by NTP"
        }
        let counts = counts(uptime: uptime)
        guard counts.ahead >= Self.aheadWarningMin, counts.ahead > counts.agreeing else { return nil }
        return "the server's clock seems to be behind: the clocks of \(counts.ahead) devices are ahead of it and "
            + "\(counts.agreeing) agree; set it by NTP. Devices keep what they recorded until then"
    }
}
