import Wire

extension RPCError {
    /// The longest wait taken from a server, seconds: what it says is input, and must neither trap nor put a client to
    /// sleep for good.
    public static let retryAfterSecondsMax = 300.0

    /// How long the server wants us to wait before sending again, 0 to ``retryAfterSecondsMax`` seconds; nil when it gave
    /// no number.
    public var retryDelay: Duration? {
        guard let seconds = data?.retryAfter, !seconds.isNaN else { return nil }
        return .seconds(min(max(0, seconds), Self.retryAfterSecondsMax))
    }
}
