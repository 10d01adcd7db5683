import COpenSSL
import WebSocket

/// Content for GET and HEAD in each of its codings. Immutable; all responses share the bytes, including those to range requests.
///
/// Each coding is a separate representation with its own entity tag (RFC 9110 §8.8.3.3).
struct Resource: Sendable {
    private struct Form: Sendable {
        let body: [UInt8]
        let tag: EntityTag

        init(_ body: [UInt8]) {
            self.body = body
            tag = EntityTag(Resource.digest(body))
        }
    }

    private let contentType: String
    private let modified: HTTPDate?
    private let plain: Form
    private let gzip: Form?
    private let brotli: Form?
    private let cacheControl: String
    private let needsPolicies: Bool

    /// - Parameters:
    ///   - modified: Time of the last change; nil if unknown.
    ///   - cacheControl: The default lets clients cache but requires revalidation, because a new version must not mix with old modules.
    ///   - needsPolicies: As ``HTTPResponse/needsPolicies``.
    ///   - compresses: Whether to also make the gzip form if it is worthwhile. Compression is slow, so not on a loop.
    ///   - level: Level of the compression, 1 (fast) to 9 (small).
    init(
        _ body: [UInt8], contentType: String, modified: HTTPDate? = nil, cacheControl: String = "no-cache",
        needsPolicies: Bool = true, compresses: Bool = true, level: Int32 = 9
    ) {
        self.contentType = contentType
        self.modified = modified
        self.cacheControl = cacheControl
        self.needsPolicies = needsPolicies
        plain = Form(body)
        gzip = compresses && Gzip.suits(contentType) ? Gzip.compressed(body, level: level).map(Form.init) : nil
        brotli = nil
    }

    /// A file whose other codings were made before.
    /// - Parameters:
    ///   - needsPolicies: As ``HTTPResponse/needsPolicies``.
    ///   - gzip: Its gzip form; nil if there is none.
    ///   - brotli: Its Brotli form (RFC 7932); nil if there is none.
    init(
        _ body: [UInt8], contentType: String, modified: HTTPDate?, cacheControl: String, needsPolicies: Bool,
        gzip: [UInt8]?, brotli: [UInt8]?
    ) {
        self.contentType = contentType
        self.modified = modified
        self.cacheControl = cacheControl
        self.needsPolicies = needsPolicies
        plain = Form(body)
        self.gzip = gzip.map(Form.init)
        self.brotli = brotli.map(Form.init)
    }

    /// Number of bytes without a coding.
    var count: Int { plain.body.count }

    /// Answers GET or HEAD: coding, conditions and ranges, in the order of RFC 9110 §13.2.2.
    /// - Parameter now: Clock of the server.
    func response(to request: HTTPRequest, now: HTTPDate) -> HTTPResponse {
        let form: Form
        var coding: String?
        var response = HTTPResponse(status: 200)
        response.needsPolicies = needsPolicies
        // §12.5.5: on every response that depends on Accept-Encoding, including 304 and 406.
        if gzip != nil || brotli != nil { response.headers.set("Vary", "Accept-Encoding") }
        switch HTTPNegotiation.coding(for: request.headers, hasGzip: gzip != nil, hasBrotli: brotli != nil) {
        case .gzip: (form, coding) = (gzip ?? plain, gzip.map { _ in "gzip" })
        case .brotli: (form, coding) = (brotli ?? plain, brotli.map { _ in "br" })
        case .identity: form = plain
        case .none:
            response.status = 406
            response.setText("this is sent as it is or, when large, with gzip: Accept-Encoding excludes both")
            return response
        }
        // §15.4.5: a 304 has the same Cache-Control, ETag, Vary and similar fields as a 200.
        response.headers.set("ETag", form.tag.description)
        response.headers.set("Cache-Control", cacheControl)
        if let modified { response.headers.set("Last-Modified", modified.description) }
        switch HTTPPreconditions.evaluate(request, tag: form.tag, modified: modified, now: now) {
        case .notModified:
            response.status = 304
            return response
        case .failed:
            response.status = 412
            response.setText("the precondition failed: request the current version")
            return response
        case .proceed: break
        }
        response.headers.set("Accept-Ranges", "bytes")
        if let coding { response.headers.set("Content-Encoding", coding) }
        let range =
            HTTPPreconditions.allowsRange(request, tag: form.tag, modified: modified, now: now)
            ? HTTPRange(request, count: form.body.count) : .whole
        fill(&response, form.body, range)
        return response
    }

    private func fill(_ response: inout HTTPResponse, _ body: [UInt8], _ range: HTTPRange) {
        switch range {
        case .whole:
            response.headers.set("Content-Type", contentType)
            response.body = body
        case .unsatisfiable:
            response.status = 416
            response.headers.remove("Content-Encoding")
            response.headers.set("Content-Range", "bytes */\(body.count)")
            response.setText("there are no such bytes")
        case .parts(let parts) where parts.count == 1:
            response.status = 206
            response.headers.set("Content-Type", contentType)
            response.headers.set("Content-Range", HTTPRange.contentRange(parts[0], count: body.count))
            response.bodyTail = [body[parts[0]]]
        case .parts(let parts):
            response.status = 206
            // §14.6. The boundary is a digest that cannot occur in the body.
            let boundary = "part-\(Self.digest(body).prefix(24))"
            response.headers.set("Content-Type", "multipart/byteranges; boundary=\(boundary)")
            for part in parts {
                let range = HTTPRange.contentRange(part, count: body.count)
                response.bodyTail += [
                    ArraySlice(
                        "\r\n--\(boundary)\r\nContent-Type: \(contentType)\r\nContent-Range: \(range)\r\n\r\n".utf8),
                    body[part],
                ]
            }
            response.bodyTail.append(ArraySlice("\r\n--\(boundary)--\r\n".utf8))
        }
    }

    /// First half of SHA-256 in hexadecimal, which different contents do not share.
    private static func digest(_ bytes: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        EVP_Digest(bytes, bytes.count, &digest, &length, EVP_sha256(), nil)
        return digest.prefix(16).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

extension HTTPResponse {
    /// Sets a plain-text body for a person, which is not cached.
    mutating func setText(_ text: String) {
        body = Array((text + "\n").utf8)
        headers.set("Content-Type", "text/plain; charset=utf-8")
        headers.set("Cache-Control", "no-store")
    }

    /// A plain-text response for a person, which is not cached.
    static func plain(_ status: Int, _ text: String) -> HTTPResponse {
        var response = HTTPResponse(status: status)
        response.setText(text)
        return response
    }
}
