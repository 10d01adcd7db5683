/// Close reason for close code 1012 (service restart). It states when the client may reconnect. Each loop closes its connections in
/// portions of 100. The server draws a random delay for each, so that the reconnects are spread out (requirement B-7). A connection that
/// arrives after that gets a delay of ``spreadMillisecondsMin``.
public enum RestartNotice {
    /// Reconnects per second that the delays permit. A TLS handshake and a sign-in cost about 0.25 ms.
    public static let reconnectsPerSecond = 2_000
    /// Shortest interval over which delays are spread.
    public static let spreadMillisecondsMin = 500
    /// Longest delay that a client accepts, because the reason is untrusted input.
    public static let waitMillisecondsMax = 300_000

    /// Marker before the delay in the reason.
    public static let delayKey = "reconnect-after-ms="

    /// Interval in milliseconds over which the delays of this many connections are spread.
    public static func spreadMilliseconds(connections: Int) -> Int {
        let milliseconds = max(0, connections) * 1_000 / reconnectsPerSecond
        return min(waitMillisecondsMax, max(spreadMillisecondsMin, milliseconds))
    }

    /// Reason of the close frame for a client that may reconnect after this delay.
    public static func reason(milliseconds: Int) -> String { "restart; \(delayKey)\(milliseconds)" }

    /// Delay that a close reason states, bounded by ``waitMillisecondsMax``; nil if it states none.
    public static func milliseconds(in reason: String) -> Int? {
        guard let range = reason.firstRange(of: delayKey) else { return nil }
        let digits = reason[range.upperBound...].prefix { ("0"..."9").contains($0) }
        guard !digits.isEmpty else { return nil }
        // A number that overflows is a long delay too.
        return min(Int(digits) ?? waitMillisecondsMax, waitMillisecondsMax)
    }
}
