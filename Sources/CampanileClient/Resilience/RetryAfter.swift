import Wire

extension RPCError {
    /// Maximum delay accepted from a server, in seconds. The server's value is untrusted: it must not cause a trap or an endless
    /// delay.
    public static let retryAfterSecondsMax = 300.0

    /// The delay that the server asks for, from 0 to ``retryAfterSecondsMax`` seconds; nil if it gave none.
    public var retryDelay: Duration? {
        guard let seconds = data?.retryAfter, !seconds.isNaN else { return nil }
        return .seconds(min(max(0, seconds), Self.retryAfterSecondsMax))
    }
}
