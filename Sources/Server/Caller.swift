import Hub
import Services
import Wire

/// Where a request came from: a WebSocket connection or one `POST /rpc`. Used on one loop.
protocol Caller: AnyObject, Sendable {
    /// Nil for a guest.
    var identity: Identity? { get }
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
}

extension Caller {
    /// - Throws: ``Wire/RPCError`` `unauthenticated` for a guest.
    func requireIdentity() throws -> Identity {
        guard let identity else {
            throw RPCError(.unauthenticated, "this needs an account: sign in with account.login or register first")
        }
        return identity
    }

    var viewer: Viewer { Viewer(accountID: identity?.account.id) }
}
