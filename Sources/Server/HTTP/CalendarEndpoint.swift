import EventLoop
import Services
import WebSocket
import Wire

extension Pages {
    private static let eventPrefix = "/events/"
    private static let calendarPrefix = "/calendar/"
    private static let calendarSuffix = ".ics"
    /// RFC 5545 §8.1
    private static let calendarType = "text/calendar; charset=utf-8"

    static func isCalendar(_ path: String) -> Bool {
        path.hasSuffix(calendarSuffix) && (path.hasPrefix(eventPrefix) || path.hasPrefix(calendarPrefix))
    }

    /// Answers GET and HEAD. Access is checked at each request, also for cached copies.
    func calendar(_ request: HTTPRequest, address: String, loop: EventLoop, isSecure: Bool) async -> HTTPResponse {
        let origin = origin(of: request, isSecure: isSecure)
        let name = String(request.path.dropFirst().dropLast(Self.calendarSuffix.count).drop { $0 != "/" }.dropFirst())
        do {
            if request.path.hasPrefix(Self.calendarPrefix) {
                let account = try await calendarOwner(name, address: address)
                let file = try await services.events.calendar(of: account, origin: origin)
                return answer(request, file, name: "campanile")
            }
            let identity = try await eventViewer(request, address: address, loop: loop)
            // Accepts only the canonical form of the number, so that each event has one address.
            guard let id = Int64(name), "\(id)" == name else { throw Events.notFound }
            let file = try await services.events.calendarFile(id, for: identity, origin: origin)
            var response = answer(request, file, name: "event-\(id)")
            response.headers.set("Vary", "Authorization")
            return response
        } catch {
            let failure = router.rpcError(error, method: "calendar")
            return Self.failure(failure, status: Self.status(of: failure))
        }
    }

    private func answer(_ request: HTTPRequest, _ file: [UInt8], name: String) -> HTTPResponse {
        var response = Resource(
            file, contentType: Self.calendarType, cacheControl: "private, no-cache", compresses: false
        ).response(to: request, now: common.date)
        if response.status == 200 {
            response.headers.set("Content-Disposition", "attachment; filename=\"\(name).ics\"")
        }
        return response
    }

    /// Owner of a calendar. Invalid tokens count like invalid bearer tokens, valid ones like lists of their account.
    private func calendarOwner(_ token: String, address: String) async throws -> Int64 {
        do {
            let account = try await services.events.calendarOwner(token: token)
            try router.limits.use(.list, of: account)
            return account
        } catch let error as RPCError where error.registered == .notFound {
            throw router.limits.invalidToken(from: address) ?? error
        }
    }

    /// The caller; nil for a guest. Counts the request.
    private func eventViewer(_ request: HTTPRequest, address: String, loop: EventLoop) async throws -> Identity? {
        let caller = HTTPCaller(address: address, loop: loop)
        switch await bearer(of: request, address: address) {
        case .none: break
        case .malformed: throw RPCError(.unauthenticated, Self.bearerHint)
        case .failed(let error): throw error
        case .identity(let identity): caller.become(identity)
        }
        if let refusal = router.limits.refusal(of: caller) { throw refusal }
        return caller.identity
    }

    /// Origin by which the caller reached this server, for links. Behind a TLS proxy, it is the allowed origin with the same host.
    private func origin(of request: HTTPRequest, isSecure: Bool) -> String {
        let host = HTTPAuthority(request.headers["Host"] ?? "")
        if let host, let named = configuration.allowedOrigins.first(where: { HTTPOrigin($0)?.host == host.host }) {
            return named
        }
        let port = host?.port.map { ":\($0)" } ?? ""
        return (isSecure ? "https://" : "http://") + (host?.host ?? "localhost") + port
    }
}
