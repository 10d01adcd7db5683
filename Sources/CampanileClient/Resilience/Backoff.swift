import Wire

/// How long to wait before the next attempt: exponential with full jitter, so that many clients that lost the same server
/// do not come back in step.
public struct Backoff: Sendable {
    /// The longest first wait.
    public var base: Duration
    /// The longest wait of all.
    public var max: Duration
    /// After a service restart (close code 1012) everyone was sent away at once: a random wait of up to this, unless the server
    /// said when to come back.
    public var restartMax: Duration
    /// 0 to 1; the system's generator unless a test gives another.
    public var random: @Sendable () -> Double

    /// - Parameters:
    ///   - base: The longest first wait; it doubles with every attempt.
    ///   - max: The longest wait of all.
    ///   - restartMax: The longest wait after close code 1012.
    ///   - random: 0 to 1.
    public init(
        base: Duration = .milliseconds(100), max: Duration = .seconds(5), restartMax: Duration = .seconds(5),
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) {
        self.base = base
        self.max = max
        self.restartMax = restartMax
        self.random = random
    }

    /// - Parameter attempt: 0 for the first.
    public func delay(attempt: Int) -> Duration {
        // 2^30 times any base is beyond any maximum.
        let ceiling = Swift.min(max, base * (1 << Swift.min(attempt, 30)))
        return ceiling * random()
    }

    /// The wait when a server asked for one: never less, and up to twice as long (at most ``max`` longer), because it told
    /// many the same at the same time.
    func delay(askedFor delay: Duration) -> Duration { delay + Swift.min(delay, max) * random() }

    /// The wait after a connection that ended with `closeCode`. A restarting server says in the reason when each client is
    /// to come back; one that does not is given a random while.
    /// - Parameters:
    ///   - attempt: 0 for the first.
    ///   - closeCode: Of the WebSocket's close; nil when it broke without one.
    ///   - reason: What was said with it.
    public func delay(attempt: Int, closeCode: UInt16?, reason: String) -> Duration {
        guard closeCode == 1012 else { return delay(attempt: attempt) }
        if let milliseconds = RestartNotice.milliseconds(in: reason) { return .milliseconds(milliseconds) }
        return attempt == 0 ? restartMax * random() : delay(attempt: attempt)
    }
}
