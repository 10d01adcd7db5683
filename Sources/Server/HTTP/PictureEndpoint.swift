import EventLoop
import Services
import WebSocket
import Wire

extension Pages {
    static let uploadPath = "/pictures"
    static let picturePrefix = "/pictures/"
    static let uploadBytesMax = Pictures.uploadBytesMax
    /// Accepted declared types. The bytes determine the actual type.
    private static let pictureTypes = ["image/jpeg", "image/png", "image/webp"]

    /// Error for an upload that is not admitted.
    struct UploadRefused: Error {
        let response: HTTPResponse
    }

    /// Whether the body of a request is read only after ``admit(_:address:loop:)``.
    @Sendable static func isUpload(method: String, path: String) -> Bool { method == "POST" && path == uploadPath }

    // MARK: Uploads

    /// Decides by its head whether to admit an upload.
    func admit(_ head: HTTPRequest, address: String, loop: EventLoop) async -> Result<Upload, UploadRefused> {
        guard configuration.allowsHost(of: head) else { return .failure(UploadRefused(response: Self.otherHost)) }
        do {
            let (purpose, bytes) = try Self.declared(by: head)
            guard let identity = try await viewer(head, address: address, loop: loop) else { throw Self.missingToken }
            try await services.pictures.requireRoom(for: purpose, of: identity)
            let upload = try Upload(bytes: bytes, purpose: purpose, by: identity, in: uploads)
            try router.limits.use(.upload, of: identity.account.id)
            return .success(upload)
        } catch {
            return .failure(UploadRefused(response: refusal(of: error, isUpload: true)))
        }
    }

    /// Purpose and length that the head declares.
    private static func declared(by head: HTTPRequest) throws -> (PicturePurpose, bytes: Int) {
        let types = head.headers.all("Content-Type").map { $0.lowercased() }
        guard types.count == 1, pictureTypes.contains(types[0]) else {
            throw PictureFailure(415, .rejected, "send Content-Type: image/jpeg, image/png or image/webp")
        }
        let purposes = head.query.filter { $0.0 == "purpose" }
        guard purposes.count == 1, let purpose = PicturePurpose(rawValue: purposes[0].1) else {
            throw RPCError.invalid("purpose", "must be chat, profile or place, such as POST /pictures?purpose=chat")
        }
        // RFC 9110 §15.5.12
        guard let length = head.headers["Content-Length"] else {
            throw PictureFailure(411, .rejected, "send Content-Length, the picture's bytes")
        }
        // The parser refuses text that is not a number; a number that overflows `Int` is too large.
        guard Int(length) ?? .max <= uploadBytesMax else {
            throw PictureFailure(
                413, .rejected, "the picture has more than \(uploadBytesMax / 1_048_576) MiB: make it smaller")
        }
        return (purpose, Int(length) ?? 0)
    }

    /// Stores an admitted upload after its body has arrived.
    func storePicture(_ request: HTTPRequest, _ upload: Upload) async -> HTTPResponse {
        do {
            let picture = try await services.pictures.store(request.body, for: upload.purpose, by: upload.identity)
            services.pictures.metrics.uploaded(.stored)
            var response = HTTPResponse(status: 201, body: try WireJSON.encode(picture))
            response.headers.set("Content-Type", "application/json")
            response.headers.set("Cache-Control", "no-store")
            // RFC 9110 §15.3.2
            response.headers.set("Location", Self.picturePrefix + picture.picture)
            return response
        } catch {
            return refusal(of: error, isUpload: true)
        }
    }

    // MARK: Pictures

    /// Answers GET and HEAD. Access is checked at each request, also for cached copies.
    func picture(_ request: HTTPRequest, address: String, loop: EventLoop) async -> HTTPResponse {
        do {
            let identity = try await viewer(request, address: address, loop: loop)
            guard let (id, form) = Self.name(request.path) else { throw Pictures.notFound }
            let picture: Pictures.Visible
            do {
                picture = try await services.pictures.find(id, for: identity)
            } catch let error as RPCError where error == Pictures.notFound && identity == nil {
                // To guests, a picture that they may not see and one that does not exist look the same.
                throw Self.missingToken
            }
            // A picture never changes, so its id determines its bytes.
            let tag = EntityTag("\(picture.id)-\(form.rawValue)")
            var response = HTTPResponse(status: 200)
            response.headers.set("ETag", tag.description)
            response.headers.set("Cache-Control", "private, no-cache")
            response.headers.set("Vary", "Authorization")
            // Opened directly, it is treated as a picture only; this policy applies in addition to that of every response.
            response.headers.set("Content-Security-Policy", "default-src 'none'; sandbox")
            switch HTTPPreconditions.evaluate(request, tag: tag, modified: nil, now: common.date) {
            case .notModified: response.status = 304
            case .failed:
                response.status = 412
                response.setText("the precondition failed: request the picture again")
            case .proceed:
                response.body = try await services.pictures.bytes(of: picture, form)
                response.headers.set("Content-Type", "image/jpeg")
                response.headers.set("Content-Disposition", "inline")
            }
            return response
        } catch {
            return refusal(of: error, isUpload: false)
        }
    }

    private static func name(_ path: String) -> (id: String, Pictures.Form)? {
        let parts = path.dropFirst(picturePrefix.count).split(separator: "/", omittingEmptySubsequences: false)
        switch parts.count {
        case 1: return (String(parts[0]), .full)
        case 2 where parts[1] == "thumb": return (String(parts[0]), .thumb)
        default: return nil
        }
    }

    // MARK: Callers and failures

    private static let missingToken = RPCError(.unauthenticated, bearerHint)

    /// The signed-in caller, or nil for a guest. Counts the request.
    private func viewer(_ request: HTTPRequest, address: String, loop: EventLoop) async throws -> Identity? {
        let caller = HTTPCaller(address: address, loop: loop)
        var identity: Identity?
        switch await bearer(of: request, address: address) {
        case .none: break
        case .malformed: throw Self.missingToken
        case .failed(let error): throw error
        case .identity(let found): identity = found
        }
        if let identity { caller.become(identity) }
        if let refusal = router.limits.refusal(of: caller) { throw refusal }
        return identity
    }

    private func refusal(of error: any Error, isUpload: Bool) -> HTTPResponse {
        let failure: RPCError
        let status: Int
        switch error {
        case let error as PictureFailure: (failure, status) = (error.error, error.status)
        case let error as PictureRejected:
            (failure, status) = (RPCError(.rejected, error.description), error.reason == .type ? 415 : 422)
        default:
            failure = router.rpcError(error, method: "pictures")
            status = Self.status(of: failure)
        }
        if isUpload { services.pictures.metrics.uploaded(.init(RPCMetrics.Outcome(failure))) }
        var response = Self.failure(failure, status: status)
        // RFC 9110 §15.5.16
        if status == 415 { response.headers.set("Accept", Self.pictureTypes.joined(separator: ", ")) }
        return response
    }

    static func status(of error: RPCError) -> Int {
        switch error.registered {
        case .unauthenticated: 401
        case .rateLimited: 429
        case .invalidParams: 400
        case .forbidden: 403
        case .notFound: 404
        case .conflict: 409
        case .rejected: 422
        case .storageFull: 507
        case .unavailable: 503
        default: 500
        }
    }
}

/// A failure with its own HTTP status.
private struct PictureFailure: Error {
    let status: Int
    let error: RPCError

    init(_ status: Int, _ code: ErrorCode, _ message: String) {
        self.status = status
        error = RPCError(code, message)
    }
}

extension PictureMetrics.Outcome {
    fileprivate init(_ outcome: RPCMetrics.Outcome) {
        switch outcome {
        case .ok: self = .stored
        case .refused: self = .refused
        case .limited: self = .limited
        case .failed: self = .failed
        }
    }
}
