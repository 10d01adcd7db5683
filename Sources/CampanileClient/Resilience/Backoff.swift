import Wire

/// Delays between connection attempts: exponential with full jitter, so that many clients do not reconnect simultaneously.
public struct Backoff: Sendable {
    /// Maximum of the first delay.
    public var base: Duration
    /// Maximum of all delays.
    public var max: Duration
    /// Maximum of the random delay after a service restart (close code 1012), which disconnects all clients at once. It applies if
    /// the server gave no delay.
    public var restartMax: Duration
    /// Source of random numbers from 0 to 1.
    public var random: @Sendable () -> Double

    /// Close codes after which the client connects again without a delay (the Protocol article, "Close codes").
    static let immediateCloseCodes = Set(
        APIRegistry.closeCodes.filter { $0.reconnection == .immediately }.map(\.code))

    /// - Parameters:
    ///   - base: Maximum of the first delay. It doubles with every attempt.
    ///   - max: Maximum of all delays.
    ///   - restartMax: Maximum of the delay after close code 1012.
    ///   - random: Source of random numbers from 0 to 1.
    public init(
        base: Duration = .milliseconds(100), max: Duration = .seconds(5), restartMax: Duration = .seconds(5),
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) {
        self.base = base
        self.max = max
        self.restartMax = restartMax
        self.random = random
    }

    /// The delay before an attempt.
    /// - Parameter attempt: 0 for the first.
    public func delay(attempt: Int) -> Duration {
        // The exponent is capped: 2^30 times any base exceeds any maximum.
        let ceiling = Swift.min(max, base * (1 << Swift.min(attempt, 30)))
        return ceiling * random()
    }

    /// The delay that a server asked for, plus a random part of up to the same length (at most ``max``).
    ///
    /// The server gives many clients the same delay at the same time, so the random part spreads them.
    func delay(askedFor delay: Duration) -> Duration { delay + Swift.min(delay, max) * random() }

    /// The delay after a connection that ended with `closeCode`.
    ///
    /// After a code whose declaration says `immediately`, the first attempt has no delay. A restarting server puts each client's delay
    /// into the reason. Without one, the first delay is random, up to ``restartMax``.
    /// - Parameters:
    ///   - attempt: 0 for the first.
    ///   - closeCode: The WebSocket close code; nil if the connection broke without one.
    ///   - reason: The reason in the close frame.
    public func delay(attempt: Int, closeCode: UInt16?, reason: String) -> Duration {
        if attempt == 0, let closeCode, Self.immediateCloseCodes.contains(closeCode) { return .zero }
        guard closeCode == 1012 else { return delay(attempt: attempt) }
        if let milliseconds = RestartNotice.milliseconds(in: reason) { return .milliseconds(milliseconds) }
        return attempt == 0 ? restartMax * random() : delay(attempt: attempt)
    }
}
