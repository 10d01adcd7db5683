/// A failure between this client and the server. Errors that the server reports are `RPCError`.
public enum ClientError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No connection was possible: nothing listens at the address, the name is unknown, or the certificate is not trusted.
    case unreachable(String)
    /// The connection ended. A request in flight may have been executed. `closeCode` is the WebSocket close code, nil if the
    /// connection broke without one (see the Protocol article, "Close codes").
    case disconnected(reason: String, closeCode: UInt16?)
    /// No reply within this time. The request may have been executed.
    case timeout(Duration)
    /// The peer does not speak `campanile.v1`.
    case protocolViolation(String)
    /// This side has closed the connection or client. Create a new one.
    case closed
    /// The maximum number of requests is in flight. Wait for some of them first.
    case tooManyCalls(Int)
    /// Another reader on the same client reads this topic. Share its results, or use another client.
    case alreadyReading(String)

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
