import Wire

/// Determines when viewers learn that a session or share ended in a hidden area, or that its device fell silent there:
/// at full multiples of 15 minutes since they last saw the owner. The exact time would reveal how long the owner moved
/// on behind the border of a private zone, which is as sensitive as how far.
///
/// Sessions, shares tied to sessions and all other shares use this clock.
public struct HiddenEndClock: Sendable, Equatable {
    /// Milliseconds between two possible publication times.
    public static let stepMilliseconds: Int64 = 900_000

    /// The time when viewers last saw the owner; before that, the start of the session or share for them.
    public let lastSeen: Timestamp

    public init(lastSeen: Timestamp) { self.lastSeen = lastSeen }

    /// The time at which viewers learn of an event.
    public func publication(of event: Timestamp) -> Timestamp {
        let span = max(1, event.milliseconds - lastSeen.milliseconds)
        let steps = (span + Self.stepMilliseconds - 1) / Self.stepMilliseconds
        return Timestamp(milliseconds: lastSeen.milliseconds + steps * Self.stepMilliseconds)
    }
}
