import EventLoop
import Services
import WebSocket
import Wire

/// `GET /account/data.json` and `GET /account/tracks.gpx`: everything about the caller, for the caller (U-8).
extension Pages {
    private static let dataPath = "/account/data.json"
    private static let tracksPath = "/account/tracks.gpx"

    static func isPersonalData(_ path: String) -> Bool { path == dataPath || path == tracksPath }

    /// Answers GET; HEAD says what there is, and nothing is put together for it.
    func personalData(_ request: HTTPRequest, address: String, loop: EventLoop) async -> HTTPResponse {
        do {
            let identity = try await owner(request, address: address, loop: loop)
            let isJSON = request.path == Self.dataPath
            guard request.method == "GET" else { return Self.file([], isJSON: isJSON) }
            guard isJSON else {
                let (gpx, next) = try await services.personalData.tracks(of: identity, after: try Self.after(request))
                var response = Self.file(gpx, isJSON: false)
                if let next { response.headers.set("Link", "<\(Self.tracksPath)?after=\(next)>; rel=\"next\"") }
                return response
            }
            return Self.file(try await services.personalData.json(of: identity), isJSON: true)
        } catch {
            let heard = router.hear(error, method: "account.data")
            return Self.failure(heard, status: Self.status(of: heard))
        }
    }

    private static func file(_ bytes: [UInt8], isJSON: Bool) -> HTTPResponse {
        var response = HTTPResponse(
            status: 200, headers: ["Content-Type": isJSON ? "application/json" : "application/gpx+xml"], body: bytes)
        response.headers.set("Cache-Control", "no-store")
        response.headers.set("Vary", "Authorization")
        response.headers.set(
            "Content-Disposition",
            "attachment; filename=\"\(isJSON ? "campanile-data.json" : "campanile-tracks.gpx")\"")
        return response
    }

    private static func after(_ request: HTTPRequest) throws -> Int64 {
        guard let text = request.query.first(where: { $0.0 == "after" })?.1 else { return 0 }
        guard let after = Int64(text), after >= 0 else {
            throw RPCError.invalid("after", "is not that of a Link header")
        }
        return after
    }

    /// The caller, who has an account; the request is counted as a search is, as it costs as much.
    private func owner(_ request: HTTPRequest, address: String, loop: EventLoop) async throws -> Identity {
        let caller = HTTPCaller(address: address, loop: loop)
        switch await bearer(of: request, address: address) {
        case .none, .malformed: throw RPCError(.unauthenticated, Self.bearerHint)
        case .failed(let error): throw error
        case .identity(let identity): caller.become(identity)
        }
        if let refusal = router.limits.refusal(of: caller) { throw refusal }
        let identity = try caller.requireIdentity()
        try router.limits.search(by: identity.account.id)
        return identity
    }
}
