import Wire

/// When viewers learn that a session or a share ended, or that its device fell silent, in a hidden place: at the full multiples of a quarter of
/// an hour since they last saw its owner. How long somebody walks on behind the border of a private zone is worth as much as how far.
///
/// Everything that ends or falls silent in a hidden place asks this clock: sessions, shares tied to them, and all other shares.
public struct HiddenEndClock: Sendable, Equatable {
    /// Milliseconds between two times at which viewers may learn of it.
    public static let stepMilliseconds: Int64 = 900_000

    /// When viewers last saw the owner; before they ever did, when the session or share began for them.
    public let lastSeen: Timestamp

    /// The clock of a session or share whose viewers last saw its owner then.
    public init(lastSeen: Timestamp) { self.lastSeen = lastSeen }

    /// When viewers learn of an event.
    public func publication(of event: Timestamp) -> Timestamp {
        let span = max(1, event.milliseconds - lastSeen.milliseconds)
        let steps = (span + Self.stepMilliseconds - 1) / Self.stepMilliseconds
        return Timestamp(milliseconds: lastSeen.milliseconds + steps * Self.stepMilliseconds)
    }
}
