import EventLoop
import Hub
import Services
import WebSocket
import Wire

/// Where a request came from: a WebSocket connection or one `POST /rpc`. Used on one loop.
protocol Caller: AnyObject, Sendable {
    /// Nil for a guest.
    var identity: Identity? { get }
    /// Where it is used.
    var loop: EventLoop { get }
    /// The peer's numeric address.
    var address: String { get }
    /// The client program's name, for the list of devices.
    var clientName: String { get set }
    /// A socket must say `hello` before anything else.
    var hasSaidHello: Bool { get set }
    /// Nil over HTTP: nothing can be pushed there.
    var subscriber: (any Subscriber)? { get }
    /// From now on the caller is somebody else: signed in, or a guest again.
    func become(_ identity: Identity?)
    /// How often it was told to wait and went on.
    var refusals: TokenBucket { get set }
    /// It asks far too often: no more of it.
    func cutOff()
    /// It was answered `rateLimited`.
    func told(toWait seconds: Double)
}

extension Caller {
    /// - Throws: ``Wire/RPCError`` `unauthenticated` for a guest.
    func requireIdentity() throws -> Identity {
        guard let identity else { throw MethodAccess.needsAccount }
        return identity
    }

    func told(toWait seconds: Double) {}

    var viewer: Viewer { Viewer(accountID: identity?.account.id) }
}

extension WebSocketSession {
    var loop: EventLoop { subscriberLoop }

    func cutOff() {
        close(
            CloseCode(rawValue: CampanileCloseCode.tooManyRequests.rawValue), "too many requests: connect again later")
    }
}
