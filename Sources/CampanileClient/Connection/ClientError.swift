/// What went wrong between this client and the server, as opposed to what the server said (`RPCError`).
public enum ClientError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No connection could be made: nothing listens there, the name is unknown, or the certificate is not trusted.
    case unreachable(String)
    /// The connection ended. A request that was under way may or may not have been carried out. `closeCode` is the
    /// WebSocket close code, nil when the connection broke without one (see the Protocol article, "Close codes").
    case disconnected(reason: String, closeCode: UInt16?)
    /// No answer within this time. The request may or may not have been carried out.
    case timeout(Duration)
    /// The server, or whatever answers in its place, does not speak `campanile.v1`.
    case protocolViolation(String)
    /// This side has closed it: make a new one.
    case closed
    /// More than this many requests wait for an answer: wait for some of them first.
    case tooManyCalls(Int)
    /// Somebody reads this topic on the same client already: share what it is given, or take another client.
    case alreadyReading(String)

    /// One plain fact.
    public var description: String {
        switch self {
        case .unreachable(let reason): "the server cannot be reached: \(reason)"
        case .disconnected(let reason, let code?): "the connection ended: \(reason) (close code \(code))"
        case .disconnected(let reason, nil): "the connection ended: \(reason)"
        case .timeout(let limit): "no answer within \(limit)"
        case .protocolViolation(let reason): "the server does not speak campanile.v1: \(reason)"
        case .closed: "the client was closed"
        case .alreadyReading(let topic): "\(topic) is being read on this client already"
        case .tooManyCalls(let limit): "more than \(limit) requests wait for an answer"
        }
    }
}
