import EventLoop

/// Schedule of requests for the same viewport after missing or unreadable frames. Owned by one feed.
struct ViewRetry {
    /// Time of the scheduled request, in monotonic nanoseconds.
    private var at: UInt64?
    private var troubles: UInt64 = 0
    private var last: UInt64 = 0

    /// Whether a request is scheduled. Only false can be set, which cancels it.
    var isPending: Bool {
        get { at != nil }
        set { if !newValue { at = nil } }
    }

    /// Schedules a request, with a delay that doubles at each failure.
    mutating func schedule() {
        guard at == nil else { return }
        let now = EventLoop.nowNanoseconds
        let longest = LivePositions.viewRetryDelayMax.nanoseconds
        if now - last > 2 * longest { troubles = 0 }
        let delay = min(longest, LivePositions.viewRetryDelayMin.nanoseconds << troubles)
        if delay < longest { troubles += 1 }
        last = now
        at = now + delay
    }

    /// Time until the next check; nil if no frame is missing.
    /// - Parameter oldest: Time since which the oldest missing frame is awaited, in monotonic nanoseconds.
    func nextCheck(awaitedSince oldest: UInt64?) -> Duration? {
        let now = EventLoop.nowNanoseconds
        let next = at ?? oldest.map { $0 + LivePositions.completeFrameTimeout.nanoseconds }
        return next.map { .nanoseconds($0 > now ? $0 - now : 0) }
    }

    /// Whether the viewport must be requested again now.
    mutating func isDue(awaitedSince oldest: UInt64?) -> Bool {
        let now = EventLoop.nowNanoseconds
        if at == nil, let oldest, now >= oldest + LivePositions.completeFrameTimeout.nanoseconds { schedule() }
        return at.map { now >= $0 } ?? false
    }
}
