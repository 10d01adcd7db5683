/// The reason why a WebSocket connection ends (RFC 6455 §7.4).
public struct CloseCode: RawRepresentable, Sendable, Hashable {
    public let rawValue: UInt16

    /// Creates a code from any number; `isSendable` states whether it may be in a close frame.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// 1000: the purpose is fulfilled.
    public static let normal = CloseCode(rawValue: 1000)
    /// 1001: the server shuts down or the browser leaves the page.
    public static let goingAway = CloseCode(rawValue: 1001)
    /// 1002: the peer broke the protocol.
    public static let protocolError = CloseCode(rawValue: 1002)
    /// 1003: a type of data that is not accepted, such as binary on a text-only endpoint.
    public static let unsupportedData = CloseCode(rawValue: 1003)
    /// 1007: data not consistent with its type, such as text that is not UTF-8.
    public static let invalidPayload = CloseCode(rawValue: 1007)
    /// 1008: a rule of the application was broken.
    public static let policyViolation = CloseCode(rawValue: 1008)
    /// 1009: a message too big to process.
    public static let messageTooBig = CloseCode(rawValue: 1009)
    /// 1011: the server met an unexpected condition.
    public static let internalError = CloseCode(rawValue: 1011)
    /// 1012: the service restarts (IANA WebSocket Close Code registry).
    public static let serviceRestart = CloseCode(rawValue: 1012)
    /// 1013: the service is overloaded; try again later (IANA WebSocket Close Code registry).
    public static let tryAgainLater = CloseCode(rawValue: 1013)

    /// Whether the code may be in a close frame (RFC 6455 §7.4.1 and §7.4.2). Allowed are the defined codes, 1012 to
    /// 1014 from the IANA registry, and the ranges for libraries (3000s) and applications (4000s). 1005, 1006 and 1015
    /// "MUST NOT be set as a status code in a Close control frame".
    public var isSendable: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
