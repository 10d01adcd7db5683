import EventLoop
import Hub
import HubCore
import Services
import WebSocket
import Wire

/// Source of a request: a WebSocket connection or one `POST /rpc`. Used on one loop.
protocol Caller: AnyObject, Sendable {
    /// Nil for a guest.
    var identity: Identity? { get }
    /// Loop on which the caller is used.
    var loop: EventLoop { get }
    /// Numeric address of the peer.
    var address: String { get }
    /// Name of the client program, for the list of devices.
    var clientName: String { get set }
    /// What the client program runs on, by its own account.
    var platform: String? { get set }
    /// Whether the connection has sent `hello`. A socket must send it before any other request.
    var hasSentHello: Bool { get set }
    /// Whether the server no longer supports the client's version of the protocol: it may only send what it holds.
    var isOutdated: Bool { get set }
    /// Subscriber for publications; nil over HTTP.
    var subscriber: (any Subscriber)? { get }
    /// Changes the identity of the caller after signing in, or to nil for a guest.
    func become(_ identity: Identity?)
    /// Token bucket of `rateLimited` replies, for cutting off callers that ignore them.
    var refusals: TokenBucket { get set }
    /// Closes the connection of a caller that far exceeds its rate limits.
    func cutOff()
    /// Records that the caller got the error `rateLimited`.
    func rateLimited(retryAfter seconds: Double)
}

extension Caller {
    func requireIdentity() throws -> Identity {
        guard let identity else { throw MethodAccess.needsAccount }
        return identity
    }

    /// Refuses an outdated client what is not for it.
    func requireSupportedProtocol() throws {
        guard isOutdated else { return }
        throw RPCError(.clientOutdated, "this client is too old: update it; what it still holds is accepted")
    }

    /// The client program, as the owner of the account sees it.
    var client: ClientDescription {
        ClientDescription(program: clientName, platform: platform, address: address)
    }

    func rateLimited(retryAfter seconds: Double) {}

    var viewer: Viewer {
        Viewer(accountID: identity?.account.id, isMember: identity?.isOfCampus ?? false)
    }
}

extension WebSocketSession {
    var loop: EventLoop { subscriberLoop }

    func cutOff() {
        close(
            CloseCode(rawValue: CampanileCloseCode.tooManyRequests.rawValue), "too many requests: connect again later")
    }
}
