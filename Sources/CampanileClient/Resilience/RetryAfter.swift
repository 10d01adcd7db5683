import Wire

extension RPCError {
    /// The delay that the server asks for, from 0 to `retryAfterSecondsMax` seconds; nil if it gave none.
    public var retryDelay: Duration? {
        guard let seconds = data?.retryAfter, !seconds.isNaN else { return nil }
        return .seconds(min(max(0, seconds), Self.retryAfterSecondsMax))
    }
}
