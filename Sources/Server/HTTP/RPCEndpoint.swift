import EventLoop
import Foundation
import Hub
import Services
import WebSocket
import Wire

/// `POST /rpc`: the requests of a WebSocket, one body each. Never compressed: answers hold tokens beside what the caller chose,
/// and their length would tell (BREACH).
extension Pages {
    func rpc(_ request: HTTPRequest, address: String, loop: EventLoop) async -> HTTPResponse {
        // A page of another site cannot send this type without being asked first (Fetch: CORS-safelisted types).
        let types = request.headers.all("Content-Type")
        guard types.count == 1, Self.isJSON(types[0]) else {
            var response = HTTPResponse.plain(415, "send Content-Type: application/json")
            // RFC 9110 §15.5.16, §12.5.1
            response.headers.set("Accept", "application/json")
            return response
        }
        let caller = HTTPCaller(address: address, loop: loop)
        let authorizations = request.headers.all("Authorization")
        if let authorization = authorizations.first {
            guard authorizations.count == 1, authorization.lowercased().hasPrefix("bearer ") else {
                return Self.unauthenticated(.plain(401, "send Authorization: Bearer TOKEN"))
            }
            let token = String(authorization.dropFirst("bearer ".count)).trimmingCharacters(in: .whitespaces)
            do {
                try router.limits.checkToken(from: address)
                caller.become(try await services.accounts.authenticate(token: token, notesUse: false))
            } catch {
                let heard = router.hear(error, method: "rpc")
                if heard.registered == .unauthenticated { router.limits.wrongToken(from: address) }
                return Self.failure(heard)
            }
        }
        guard let reply = await router.handle(request.body, from: caller) else { return HTTPResponse(status: 204) }
        var response = HTTPResponse(status: 200, body: reply)
        response.headers.set("Content-Type", "application/json")
        response.headers.set("Cache-Control", "no-store")
        let isBatch = reply.first == UInt8(ascii: "[")
        if let seconds = caller.toldToWait, !isBatch { Self.limit(&response, seconds) }
        return response
    }

    private static func isJSON(_ type: String) -> Bool {
        let name = type.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
        return name.lowercased() == "application/json"
    }

    private static func failure(_ error: RPCError) -> HTTPResponse {
        var response = HTTPResponse(status: 503)
        response.body = (try? WireJSON.encode(Failure(id: .null, error: error))) ?? []
        response.headers.set("Content-Type", "application/json")
        response.headers.set("Cache-Control", "no-store")
        switch error.registered {
        case .unauthenticated: return unauthenticated(response)
        case .rateLimited: limit(&response, error.data?.retryAfter ?? 1)
        default: response.headers.set("Retry-After", String(Int((error.data?.retryAfter ?? 1).rounded(.up))))
        }
        return response
    }

    /// RFC 9110 §15.5.2: a server that answers 401 MUST send WWW-Authenticate.
    private static func unauthenticated(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.status = 401
        response.headers.set("WWW-Authenticate", "Bearer")
        return response
    }

    /// RFC 6585 §4.
    private static func limit(_ response: inout HTTPResponse, _ seconds: Double) {
        response.status = 429
        response.headers.set("Retry-After", String(max(1, Int(min(seconds, 86_400).rounded(.up)))))
    }
}

/// The caller of one `POST /rpc`. On the connection's loop.
final class HTTPCaller: @unchecked Sendable, Caller {
    private(set) var identity: Identity?
    let address: String
    let loop: EventLoop
    var clientName = "rpc"
    // There is no connection to say hello on: the bearer token says it.
    var hasSaidHello = true
    var subscriber: (any Subscriber)? { nil }
    var refusals = TokenBucket()
    private(set) var toldToWait: Double?

    init(address: String, loop: EventLoop) {
        self.address = address
        self.loop = loop
    }

    func become(_ identity: Identity?) { self.identity = identity }

    func told(toWait seconds: Double) { toldToWait = seconds }

    /// ``HTTPConnection`` counts its answers of 429.
    func cutOff() {}
}
