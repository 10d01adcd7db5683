import EventLoop
import Foundation
import Hub
import Services
import WebSocket
import Wire

/// HTTP resources other than the upgrade: the web app, the campus map, `/rpc` and the health checks.
struct Pages: Sendable {
    let router: Router
    let services: ServiceSet
    let files: StaticFiles
    let configuration: ServerConfiguration
    /// Header fields of every response.
    let common: CommonFields
    let readiness: Readiness
    /// Limits of all uploads together.
    let uploads = UploadCapacity()
    /// Limits of personal data exports.
    let exports = ExportCapacity()
    private let map: MapFile
    private let metrics: MetricsEndpoint

    init(
        router: Router, services: ServiceSet, files: StaticFiles, configuration: ServerConfiguration,
        metrics: MetricsEndpoint,
        readiness: Readiness
    ) {
        self.router = router
        self.services = services
        self.files = files
        self.configuration = configuration
        self.readiness = readiness
        self.metrics = metrics
        common = CommonFields(tileOrigin: configuration.tileOrigin, inline: files.inline)
        map = MapFile(workers: WorkerPool(label: "pages", concurrentMax: 1, waitingMax: 64))
    }

    /// Methods of RFC 9110 §9.3 and RFC 5789. Another method is not implemented (501) rather than not allowed (405) (§9.1).
    private static let knownMethods: Set = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH",
    ]

    private enum Route {
        case rpc, health, ready, config, map, webSocket, metrics, upload, picture, calendar, personalData, unsubscribe
        case openID(OpenIDRoute)
        case file(Resource)
        /// A description of the API, which pages of other sites may read too.
        case document(Task<Resource, Never>)

        var isRead: Bool {
            switch self {
            case .rpc, .upload: false
            default: true
            }
        }
        var allowed: String {
            switch self {
            case .unsubscribe: return "GET, HEAD, POST, OPTIONS"
            case .openID(.callback): return "GET, POST, OPTIONS"
            case .openID(.start): return "GET, OPTIONS"
            default: return isRead ? "GET, HEAD, OPTIONS" : "POST, OPTIONS"
            }
        }
        var isOpenID: Bool { if case .openID = self { true } else { false } }
    }

    /// Whether the path is that of a route for supervisors, who may request it by address and without TLS.
    static func isForSupervisors(_ path: String) -> Bool { path == "/healthz" || path == "/readyz" }

    private func route(_ path: String) -> Route? {
        switch path {
        case "/rpc": .rpc
        case "/healthz": .health
        case "/readyz": .ready
        case "/config.json": .config
        case "/api/openrpc.json": .document(APIDocuments.openRPC)
        case "/api/asyncapi.json": .document(APIDocuments.asyncAPI)
        case "/campus/map.geojson": .map
        case "/ws": .webSocket
        case Self.uploadPath: .upload
        case _ where path.hasPrefix(Self.picturePrefix): .picture
        case _ where Self.isCalendar(path): .calendar
        case _ where Self.isPersonalData(path): .personalData
        case _ where path.hasPrefix(Self.unsubscribePrefix): .unsubscribe
        case _ where path.hasPrefix(OpenIDRoute.prefix): OpenIDRoute(path).map(Route.openID)
        case "/metrics" where metrics.isPublic: .metrics
        default: files.file(at: path).map(Route.file)
        }
    }

    /// Answers a request that is not an upgrade.
    /// - Parameters:
    ///   - address: Address of the caller, for limits.
    ///   - loop: Loop of the connection, on which the response is made.
    ///   - isSecure: Whether the request came over TLS.
    ///   - upload: Admission of the request's body, if the body required one.
    func respond(
        to request: HTTPRequest, address: String, loop: EventLoop, isSecure: Bool = false, upload: Upload? = nil
    ) async -> HTTPResponse {
        guard Self.knownMethods.contains(request.method) else {
            return .plain(501, "there is no such method here: use GET, HEAD, POST or OPTIONS")
        }
        let route = route(request.path)
        guard configuration.allowsHost(of: request) || Self.isForSupervisors(request.path) else {
            return Self.otherHost
        }
        if request.path == "*" { return Self.options("GET, HEAD, POST, OPTIONS") }
        guard let route else { return ErrorPage.notFound(request) }
        if case .unsubscribe = route, ["GET", "HEAD", "POST"].contains(request.method) {
            return await unsubscribe(request, address: address, loop: loop)
        }
        // Not HEAD: an attempt is used up by its answer.
        if case .openID(let openID) = route, request.method == "GET" || request.method == "POST" && openID.isCallback {
            return await answer(openID, request, address: address, loop: loop)
        }
        switch request.method {
        case "OPTIONS": return Self.options(route.allowed)
        case "GET" where route.isRead, "HEAD" where route.isRead && !route.isOpenID:
            switch route {
            case .picture: return await picture(request, address: address, loop: loop)
            case .calendar: return await calendar(request, address: address, loop: loop, isSecure: isSecure)
            case .personalData: return await personalData(request, address: address, loop: loop)
            default: return await get(route, request)
            }
        case "POST" where !route.isRead:
            if let upload { return await storePicture(request, upload) }
            return await rpc(request, address: address, loop: loop)
        default:
            // RFC 9110 §15.5.6: a 405 MUST have Allow.
            var response = HTTPResponse.plain(405, "use \(route.allowed)")
            response.headers.set("Allow", route.allowed)
            return response
        }
    }

    static let needsTLS = HTTPResponse.plain(
        403, "this server answers plain HTTP on its own machine only: use https, or see --plain-http")
    static let otherHost = HTTPResponse.plain(421, "this server does not answer for that host: see --host-name")

    private static func options(_ allowed: String) -> HTTPResponse {
        HTTPResponse(status: 204, headers: ["Allow": allowed])
    }

    private func get(_ route: Route, _ request: HTTPRequest) async -> HTTPResponse {
        switch route {
        case .health, .rpc, .upload, .picture, .calendar, .personalData, .unsubscribe, .openID: return .plain(200, "ok")
        case .ready:
            return await readiness.state().response
        case .config:
            return Resource(
                config(), contentType: "application/json", needsPolicies: false, compresses: false
            )
            .response(to: request, now: common.date)
        case .map: return await map.file(of: services.campus.snapshot).response(to: request, now: common.date)
        case .webSocket:
            // RFC 9110 §15.5.22: a 426 MUST name the protocol in Upgrade.
            var response = HTTPResponse.plain(426, "this address is for WebSockets; use a WebSocket client")
            for (name, value) in [
                ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"),
            ] { response.headers.set(name, value) }
            return response
        case .metrics: return await metrics.response(to: request)
        case .file(let file): return file.response(to: request, now: common.date)
        case .document(let document):
            var response = await document.value.response(to: request, now: common.date)
            response.headers.set("Access-Control-Allow-Origin", "*")
            return response
        }
    }

    private struct Config: Encodable {
        struct CampusName: Encodable { let name: String }
        struct SignIn: Encodable { let name: String, label: String }
        struct Tiles: Encodable { let url: String, attribution: String }
        let version: String
        let campus: CampusName
        let demo: Bool
        /// Log-ins with one click; nil unless this is a demonstration.
        let samples: [SampleSignIns.SignIn]?
        let registration: RegistrationPolicy
        /// Whether the server mails links that reset passwords, and codes that confirm addresses.
        let mail: Bool
        let confirmation: ConfirmationPolicy
        let adminSecondFactor: AdminFactorPolicy
        /// Domains of the addresses that may register; empty if all may.
        let registrationDomains: [String]
        let passwordRule: PasswordRule
        let tiles: Tiles?
        /// Providers of OpenID Connect, in the order of their buttons.
        let signIns: [SignIn]
    }

    private func config() -> [UInt8] {
        let config = Config(
            version: ServerConfiguration.version, campus: .init(name: services.campus.snapshot.info.name),
            demo: configuration.isDemo,
            samples: configuration.isDemo ? configuration.sampleSignIns?.all : nil,
            registration: configuration.registration,
            mail: configuration.accountMail != nil, confirmation: configuration.confirmation,
            adminSecondFactor: configuration.adminSecondFactor,
            registrationDomains: configuration.registrationDomains.names,
            passwordRule: configuration.passwords.rule,
            tiles: configuration.tileURL.map { .init(url: $0, attribution: configuration.tileAttribution) },
            signIns: services.openID?.settings.map { .init(name: $0.name, label: $0.label) } ?? [])
        let encoder = JSONEncoder()
        // Sorted, so that the bytes and thereby the entity tag stay the same.
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        return Array((try? encoder.encode(config)) ?? Data())
    }

    /// Answers a request on the metrics port.
    func respondToScraper(_ request: HTTPRequest) async -> HTTPResponse {
        request.path == "/metrics" ? await metrics.response(to: request) : ErrorPage.notFound(request)
    }
}
