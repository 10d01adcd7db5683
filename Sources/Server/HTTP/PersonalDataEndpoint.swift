import EventLoop
import Services
import WebSocket
import Wire

/// `GET /account/data.json` and `GET /account/tracks.gpx`: all data about the caller, for the caller (U-8).
extension Pages {
    private static let dataPath = "/account/data.json"
    private static let tracksPath = "/account/tracks.gpx"

    static func isPersonalData(_ path: String) -> Bool { path == dataPath || path == tracksPath }

    /// Answers GET. HEAD returns only the header fields, without making the export.
    func personalData(_ request: HTTPRequest, address: String, loop: EventLoop) async -> HTTPResponse {
        do {
            let identity = try await owner(request, address: address, loop: loop)
            let isJSON = request.path == Self.dataPath
            guard request.method == "GET" else { return Self.file([], isJSON: isJSON) }
            let slot = try exports.take(for: identity.account.id)
            try router.limits.use(.export, of: identity.account.id)
            let after = request.query.first { $0.0 == "after" }?.1
            let data = services.personalData
            let file =
                isJSON
                ? try await data.json(of: identity, after: after) : try await data.tracks(of: identity, after: after)
            var response = Self.file(file.bytes, isJSON: isJSON)
            if let next = file.next {
                response.headers.set("Link", "<\(request.path)?after=\(next)>; rel=\"next\"")
            }
            response.hold = slot
            response.bytesPerSecondMin = ExportCapacity.bytesPerSecondMin
            return response
        } catch {
            let failure = router.rpcError(error, method: "account.data")
            return Self.failure(failure, status: Self.status(of: failure))
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

    /// The signed-in caller. Counts the request.
    private func owner(_ request: HTTPRequest, address: String, loop: EventLoop) async throws -> Identity {
        let caller = HTTPCaller(address: address, loop: loop)
        switch await bearer(of: request, address: address) {
        case .none, .malformed: throw RPCError(.unauthenticated, Self.bearerHint)
        case .failed(let error): throw error
        case .identity(let identity): caller.become(identity)
        }
        if let refusal = router.limits.refusal(of: caller) { throw refusal }
        return try caller.requireIdentity()
    }
}
