/// What became of something that was handed to a mail server, a gateway or a push service.
///
/// The reasons are ours: nothing of what a server says is repeated, and no address.
public enum DeliveryOutcome: Sendable, Equatable {
    /// It was taken.
    case sent
    /// It was not taken now: try again.
    /// - `retryAfter`: Seconds that the other side asks to be left alone.
    case later(String, retryAfter: Double? = nil)
    /// This was refused for good; others may pass.
    case refused(String)
    /// The address is refused for good.
    case dead(String)
    /// It was handed over, and no answer came: nobody knows.
    case doubtful(String)
}
