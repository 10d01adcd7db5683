import COpenSSL
import WebSocket

/// Something that GET and HEAD are answered with, in each coding it exists in. Immutable; the bytes are shared by all answers,
/// those to range requests included.
///
/// A media type is sent as it is; each coding is a representation of its own with an entity tag of its own (RFC 9110 §8.8.3.3).
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
    private let cacheControl: String

    /// - Parameters:
    ///   - modified: When it last changed; nil when that is not known.
    ///   - cacheControl: By default: keep it, but always ask, since a new version must not meet old modules.
    ///   - compresses: Makes the gzip form, too, where that is worth it. Takes its time: not on a loop.
    init(
        _ body: [UInt8], contentType: String, modified: HTTPDate? = nil, cacheControl: String = "no-cache",
        compresses: Bool = true
    ) {
        self.contentType = contentType
        self.modified = modified
        self.cacheControl = cacheControl
        plain = Form(body)
        gzip = compresses && Gzip.suits(contentType) ? Gzip.compressed(body, level: 9).map(Form.init) : nil
    }

    /// Bytes in the form without a coding.
    var count: Int { plain.body.count }

    /// Answers GET or HEAD: coding, conditions, ranges, in the order of RFC 9110 §13.2.2.
    /// - Parameter now: The server's clock.
    func response(to request: HTTPRequest, now: HTTPDate) -> HTTPResponse {
        let form: Form
        var response = HTTPResponse(status: 200)
        // §12.5.5: on every answer that another Accept-Encoding would have changed, a 304 and a 406 included.
        if gzip != nil { response.headers.set("Vary", "Accept-Encoding") }
        switch HTTPNegotiation.coding(for: request.headers, hasGzip: gzip != nil) {
        case .gzip: form = gzip ?? plain
        case .identity: form = plain
        case .none:
            response.status = 406
            response.setText("this is sent as it is or, when large, with gzip: Accept-Encoding excludes both")
            return response
        }
        // §15.4.5: a 304 has the fields that a 200 would have had of Cache-Control, ETag, Vary, and the like.
        response.headers.set("ETag", form.tag.description)
        response.headers.set("Cache-Control", cacheControl)
        if let modified { response.headers.set("Last-Modified", modified.description) }
        switch HTTPPreconditions.evaluate(request, tag: form.tag, modified: modified, now: now) {
        case .notModified:
            response.status = 304
            return response
        case .failed:
            response.status = 412
            response.setText("the condition does not hold: ask for the current version again")
            return response
        case .proceed: break
        }
        response.headers.set("Accept-Ranges", "bytes")
        if gzip != nil, form.tag == gzip?.tag { response.headers.set("Content-Encoding", "gzip") }
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
            // §14.6. The boundary is a digest that nobody can have written into the body.
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

    /// The first half of SHA-256 in hex: two contents never share it.
    private static func digest(_ bytes: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        EVP_Digest(bytes, bytes.count, &digest, &length, EVP_sha256(), nil)
        return digest.prefix(16).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

extension HTTPResponse {
    /// A plain-text body for a person, which nobody keeps.
    mutating func setText(_ text: String) {
        body = Array((text + "\n").utf8)
        headers.set("Content-Type", "text/plain; charset=utf-8")
        headers.set("Cache-Control", "no-store")
    }

    /// An answer in plain text, for a person; nobody keeps it.
    static func plain(_ status: Int, _ text: String) -> HTTPResponse {
        var response = HTTPResponse(status: status)
        response.setText(text)
        return response
    }
}
