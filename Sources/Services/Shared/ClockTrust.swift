import Wire

/// Whether the server's clock is trusted when it says that a device's time is in the future.
///
/// From one request, a device with a wrong clock and a server whose clock is behind look the same. Each account therefore has one vote,
/// based on its latest times: it agrees with the server's clock or is ahead of it. The clock is trusted if it has at least one agreeing
/// vote and no fewer agreeing votes than votes ahead. The kernel adds an agreeing vote when it reports that an NTP client synchronises
/// its clock. The database's clock can only remove trust: a database in its own container has another address but the same kernel clock.
/// A clock jump voids all votes.
///
/// While the clock is not trusted, the server rejects no time permanently: devices keep their recorded points and send them again.
struct ClockTrust: Sendable {
    /// Nanoseconds for which a vote counts.
    static let votesNanosecondsMax: UInt64 = 600_000_000_000
    /// Largest number of votes kept; a new vote beyond it replaces an arbitrary one.
    static let votesMax = 1_024
    /// Largest age of a device's latest time that still counts as agreement; delivery can delay a point by this much.
    static let agreementSecondsMax = 60.0
    /// Smallest difference between wall clock and monotonic clock that counts as a jump.
    static let jumpSecondsMax = 30.0
    /// Smallest number of devices ahead that produces a warning for the operator.
    static let aheadWarningMin = 3
    /// Delay before a device sends times again that seem to be in the future.
    static let retrySeconds = 30.0

    private struct Vote {
        var agrees: Bool
        var at: UInt64
    }

    private var votes: [Int64: Vote] = [:]
    /// Milliseconds of the wall clock at the monotonic clock's zero.
    private var zero: Double?
    /// Seconds by which the database's clock is ahead of the server's; nil for a local database, and before the first comparison.
    private(set) var databaseAheadSeconds: Double?
    /// Whether the kernel reports a synchronised clock.
    private(set) var isSynchronised = false

    /// Counts the vote that the times of one live-session request cast.
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
            } else if seconds >= -Self.agreementSecondsMax {
                agreeing += 1
            }
        }
        // Old times cast no vote: the device recorded them offline.
        guard ahead + agreeing > 0 else { return }
        if votes[account] == nil, votes.count >= Self.votesMax, let any = votes.keys.first { votes[any] = nil }
        votes[account] = Vote(agrees: agreeing >= ahead, at: uptime)
    }

    /// Records the result of the latest comparison with the database's clock.
    mutating func note(databaseAheadSeconds seconds: Double?) { databaseAheadSeconds = seconds }

    /// Records whether the kernel reports a synchronised clock.
    mutating func note(isSynchronised: Bool) { self.isSynchronised = isSynchronised }

    private mutating func noteJump(_ now: Timestamp, _ uptime: UInt64) {
        let zero = Double(now.milliseconds) - Double(uptime) / 1_000_000
        if let known = self.zero, abs(zero - known) < Self.jumpSecondsMax * 1_000 { return }
        self.zero = zero
        votes.removeAll()
    }

    /// Numbers of accounts that agree with the clock and that are ahead of it.
    func counts(uptime: UInt64) -> (agreeing: Int, ahead: Int) {
        votes.values.reduce(into: (0, 0)) { counts, vote in
            guard uptime &- vote.at <= Self.votesNanosecondsMax else { return }
            if vote.agrees { counts.0 += 1 } else { counts.1 += 1 }
        }
    }

    private var databaseDisagrees: Bool { abs(databaseAheadSeconds ?? 0) > ServerClock.aheadSecondsMax }

    /// Whether the server may permanently reject a time in the future.
    func isTrusted(uptime: UInt64) -> Bool {
        guard !databaseDisagrees else { return false }
        let counts = counts(uptime: uptime)
        let agreeing = counts.agreeing + (isSynchronised ? 1 : 0)
        return agreeing >= max(1, counts.ahead)
    }

    /// Warning for the operator; nil while the clock seems right.
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
