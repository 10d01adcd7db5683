/// What the server says when it closes with 1012 (service restart): when to come back. Everybody is sent away at once, and
/// each is given a moment of its own, so that they do not come back at once (requirement B-7).
public enum RestartNotice {
    /// Connections that may come back in a second; a handshake over TLS and a sign-in cost about a quarter of a millisecond.
    public static let reconnectsPerSecond = 2_000
    /// The moments are spread over at least this.
    public static let spreadMillisecondsMin = 500
    /// The longest wait that a client takes from a server, whose word is input.
    public static let waitMillisecondsMax = 300_000

    private static let key = "reconnect-after-ms="

    /// How long the moments of so many connections are spread over, milliseconds.
    public static func spreadMilliseconds(connections: Int) -> Int {
        let milliseconds = max(0, connections) * 1_000 / reconnectsPerSecond
        return min(waitMillisecondsMax, max(spreadMillisecondsMin, milliseconds))
    }

    /// The close frame's reason for a client that is to come back after so many milliseconds.
    public static func reason(milliseconds: Int) -> String { "restart; \(key)\(milliseconds)" }

    /// What ``reason(milliseconds:)`` said, bounded; nil when the reason says nothing of the kind.
    public static func milliseconds(in reason: String) -> Int? {
        guard let range = reason.firstRange(of: key) else { return nil }
        let digits = reason[range.upperBound...].prefix { ("0"..."9").contains($0) }
        guard !digits.isEmpty else { return nil }
        // More digits than fit are a long time, too.
        return min(Int(digits) ?? waitMillisecondsMax, waitMillisecondsMax)
    }
}
