import Foundation
import Hub
import Services
import WebSocket
import Wire

/// What HTTP serves besides the upgrade: the web app, the campus map, `/rpc` and the health checks.
struct Pages: Sendable {
    let router: Router
    let services: ServiceSet
    let files: StaticFiles
    let configuration: ServerConfiguration
    /// Whether the database answers.
    let isReady: @Sendable () async -> Bool

    func respond(to request: HTTPRequest, address: String) async -> HTTPResponse {
        switch (request.method, request.path) {
        case ("POST", "/rpc"): return await rpc(request, address: address)
        case (_, "/rpc"): return Self.notAllowed("POST")
        case ("GET", _), ("HEAD", _): return await get(request)
        default: return Self.notAllowed("GET, HEAD")
        }
    }

    private static func notAllowed(_ allowed: String) -> HTTPResponse {
        var response = HTTPResponse(status: 405, text: "use \(allowed)")
        response.headers.set("Allow", allowed)
        return response
    }

    private func get(_ request: HTTPRequest) async -> HTTPResponse {
        switch request.path {
        case "/healthz": return HTTPResponse(status: 200, text: "ok")
        case "/readyz":
            return await isReady()
                ? HTTPResponse(status: 200, text: "ready")
                : HTTPResponse(status: 503, text: "not ready: the database does not answer")
        case "/config.json": return Self.json(config(), request)
        case "/campus/map.geojson":
            let picture = services.campus.picture
            return StaticFiles.File(
                body: picture.geoJSON, contentType: "application/geo+json", tag: "\"campus-\(picture.info.version)\""
            ).response(to: request)
        default:
            guard let file = files.file(at: request.path) else {
                return HTTPResponse(status: 404, text: "there is nothing at this address")
            }
            return file.response(to: request)
        }
    }

    private struct Config: Encodable {
        struct CampusName: Encodable { let name: String }
        struct Tiles: Encodable { let url: String, attribution: String }
        let version: String
        let campus: CampusName
        let demo: Bool
        let tiles: Tiles?
    }

    private func config() -> Config {
        Config(
            version: ServerConfiguration.version, campus: .init(name: services.campus.picture.info.name),
            demo: configuration.isDemo,
            tiles: configuration.tileURL.map { .init(url: $0, attribution: configuration.tileAttribution) })
    }

    private static func json(_ value: some Encodable, _ request: HTTPRequest) -> HTTPResponse {
        var response = HTTPResponse(status: 200, body: (try? WireJSON.encode(value)) ?? [])
        response.headers.set("Content-Type", "application/json")
        response.headers.set("Cache-Control", "no-cache")
        return response
    }

    // MARK: /rpc

    private func rpc(_ request: HTTPRequest, address: String) async -> HTTPResponse {
        guard request.headers["Content-Type"]?.lowercased().hasPrefix("application/json") == true else {
            return HTTPResponse(status: 415, text: "send Content-Type: application/json")
        }
        let caller = HTTPCaller(address: address)
        if let authorization = request.headers["Authorization"] {
            guard authorization.lowercased().hasPrefix("bearer ") else {
                return HTTPResponse(status: 401, text: "send Authorization: Bearer TOKEN")
            }
            let token = String(authorization.dropFirst("bearer ".count)).trimmingCharacters(in: .whitespaces)
            do {
                caller.become(try await services.accounts.authenticate(token: token, notesUse: false))
            } catch {
                return Self.failure(router.hear(error, method: "rpc"))
            }
        }
        guard let reply = await router.handle(request.body, from: caller) else { return HTTPResponse(status: 204) }
        var response = HTTPResponse(status: 200, body: reply)
        response.headers.set("Content-Type", "application/json")
        response.headers.set("Cache-Control", "no-store")
        return response
    }

    private static func failure(_ error: RPCError) -> HTTPResponse {
        var response = HTTPResponse(status: error.registered == .unauthenticated ? 401 : 503)
        response.body = (try? WireJSON.encode(Failure(id: .null, error: error))) ?? []
        response.headers.set("Content-Type", "application/json")
        return response
    }

    // MARK: Headers

    /// On every answer: nothing of ours is framed, sniffed, or given scripts from elsewhere.
    static func addSecurityHeaders(to response: inout HTTPResponse, environment: ServerEnvironment) {
        let tiles = environment.configuration.tileOrigin.map { " " + $0 } ?? ""
        response.headers.set(
            "Content-Security-Policy",
            "default-src 'self'; img-src 'self' data:\(tiles); connect-src 'self'; style-src 'self'; "
                + "script-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'")
        response.headers.set("X-Content-Type-Options", "nosniff")
        response.headers.set("Referrer-Policy", "no-referrer")
        response.headers.set("Permissions-Policy", "geolocation=(self), camera=(), microphone=()")
        response.headers.set("Date", Self.date())
    }

    private static func date() -> String {
        // RFC 9110 §5.6.7, IMF-fixdate.
        Date.now.formatted(
            Date.VerbatimFormatStyle(
                format:
                    "\(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .padded(4)) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) GMT",
                locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, calendar: Calendar(identifier: .gregorian)))
    }
}

/// The caller of one `POST /rpc`. On the connection's loop.
final class HTTPCaller: @unchecked Sendable, Caller {
    private(set) var identity: Identity?
    let address: String
    var clientName = "rpc"
    // There is no connection to say hello on: the bearer token says it.
    var hasSaidHello = true
    var subscriber: (any Subscriber)? { nil }

    init(address: String) { self.address = address }

    func become(_ identity: Identity?) { self.identity = identity }
}
