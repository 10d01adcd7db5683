/// Result of handing a message to a mail server, a gateway or a push service.
///
/// The reasons are Campanile's own words: they quote no server and no address.
public enum DeliveryOutcome: Sendable, Equatable {
    /// The other side accepted the message.
    case sent
    /// A temporary failure. The message may be sent again.
    /// - `retryAfter`: Seconds after which the other side accepts another attempt.
    case later(String, retryAfter: Double? = nil)
    /// A permanent failure of this message. Other messages to the address may succeed.
    case refused(String)
    /// A permanent failure of the address.
    case dead(String)
    /// The outcome is in doubt: the message was sent and no answer arrived.
    case doubtful(String)
}
