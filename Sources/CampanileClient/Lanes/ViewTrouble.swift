import EventLoop

/// When a view is to be asked for anew, because something of it could not be followed or does not come. Owned by one feed.
struct ViewTrouble {
    /// In monotonic nanoseconds.
    private var at: UInt64?
    private var troubles: UInt64 = 0
    private var last: UInt64 = 0

    /// Whether it will be asked for anew.
    var isPending: Bool {
        get { at != nil }
        set { if !newValue { at = nil } }
    }

    /// Soon at first, then ever later.
    mutating func note() {
        guard at == nil else { return }
        let now = EventLoop.nowNanoseconds
        let longest = LivePositions.anewDelayMax.nanoseconds
        if now - last > 2 * longest { troubles = 0 }
        let delay = min(longest, LivePositions.anewDelayMin.nanoseconds << troubles)
        if delay < longest { troubles += 1 }
        last = now
        at = now + delay
    }

    /// Until there will be something to do; nil when nothing is missing.
    func nextLook(awaitedSince oldest: UInt64?) -> Duration? {
        let now = EventLoop.nowNanoseconds
        let next = at ?? oldest.map { $0 + LivePositions.snapshotPatience.nanoseconds }
        return next.map { .nanoseconds($0 > now ? $0 - now : 0) }
    }

    /// Whether it is time to ask anew.
    mutating func isDue(awaitedSince oldest: UInt64?) -> Bool {
        let now = EventLoop.nowNanoseconds
        if at == nil, let oldest, now >= oldest + LivePositions.snapshotPatience.nanoseconds { note() }
        return at.map { now >= $0 } ?? false
    }
}
