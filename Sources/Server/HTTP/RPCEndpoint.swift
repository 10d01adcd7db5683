import EventLoop
import Foundation
import Hub
import HubCore
import Services
import WebSocket
import Wire

/// `POST /rpc`: a request or batch as on a WebSocket, one for each body. Never compressed: replies contain tokens next to values that the
/// caller chose, and their length would reveal the tokens (BREACH).
extension Pages {
    func rpc(_ request: HTTPRequest, address: String, loop: EventLoop) async -> HTTPResponse {
        // A page of another site cannot send this type without a preflight request (Fetch: CORS-safelisted types).
        let types = request.headers.all("Content-Type")
        guard types.count == 1, Self.isJSON(types[0]) else {
            var response = HTTPResponse.plain(415, "send Content-Type: application/json")
            // RFC 9110 §15.5.16, §12.5.1
            response.headers.set("Accept", "application/json")
            return response
        }
        let caller = HTTPCaller(address: address, loop: loop)
        switch await bearer(of: request, address: address) {
        case .none: break
        case .malformed: return Self.unauthenticated(.plain(401, Self.bearerHint))
        case .failed(let error): return Self.failure(error)
        case .identity(let identity): caller.become(identity)
        }
        guard let reply = await router.handle(request.body, from: caller) else { return HTTPResponse(status: 204) }
        var response = HTTPResponse(status: 200, body: reply)
        response.headers.set("Content-Type", "application/json")
        response.headers.set("Cache-Control", "no-store")
        let isBatch = reply.first == UInt8(ascii: "[")
        if let seconds = caller.askedToWait, !isBatch { Self.limit(&response, seconds) }
        return response
    }

    private static func isJSON(_ type: String) -> Bool {
        let name = type.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
        return name.lowercased() == "application/json"
    }
}

/// Caller of one request over HTTP. On the connection's loop.
final class HTTPCaller: @unchecked Sendable, Caller {
    private(set) var identity: Identity?
    let address: String
    let loop: EventLoop
    var clientName = "rpc"
    var platform: String?
    // No `hello` is needed, because the bearer token identifies the caller.
    var hasSentHello = true
    // Nor does it state a version.
    var isOutdated = false
    var subscriber: (any Subscriber)? { nil }
    var refusals = TokenBucket()
    private(set) var askedToWait: Double?

    init(address: String, loop: EventLoop) {
        self.address = address
        self.loop = loop
    }

    func become(_ identity: Identity?) {
        self.identity = identity
        self.identity?.address = address
    }

    func rateLimited(retryAfter seconds: Double) { askedToWait = seconds }

    /// Does nothing: ``HTTPConnection`` counts its 429 responses instead.
    func cutOff() {}
}
