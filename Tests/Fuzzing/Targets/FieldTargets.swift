import Foundation

@testable import Server
@testable import WebSocket

extension FuzzTarget {
    static let fields = [
        FuzzTarget("http-fields", inputBytesMax: 128, run: FieldRules.value),
        FuzzTarget("http-conditions", inputBytesMax: 512, run: FieldRules.conditions),
        FuzzTarget("origin", inputBytesMax: 256, run: FieldRules.origin),
        FuzzTarget("log-line", inputBytesMax: 256, run: FieldRules.logLine),
    ]
}

/// What single fields mean (RFC 9110), and what becomes of them.
private enum FieldRules {
    /// 2026-11-20T16:40:00Z
    private static let now = HTTPDate(seconds: 1_795_192_800)

    // MARK: One value

    /// A date, a list of entity tags, a host, an origin, a range: what can be read, written again reads the same.
    static func value(_ input: [UInt8]) throws {
        let text = fieldText(input)
        if let date = HTTPDate(text, now: now) {
            try demandEqual(HTTPDate(date.description, now: now), date, "a date written again is the same")
        }
        if case .tags(let tags)? = EntityTagList(parsing: [text]), !tags.isEmpty {
            let written = tags.map(\.description).joined(separator: ", ")
            try demandEqual(EntityTagList(parsing: [written]), .tags(tags), "tags written again are the same")
        }
        if let authority = HTTPAuthority(text) {
            let written = authority.host + (authority.port.map { ":\($0)" } ?? "")
            try demandEqual(HTTPAuthority(written), authority, "a host written again is the same")
            try demand(
                authority.host.utf8.allSatisfy { $0.isVisible && !"/@\\?#".utf8.contains($0) }, "a host is a host")
        }
        if let origin = HTTPOrigin(text) {
            let written = "\(origin.scheme)://\(origin.host):\(origin.port)"
            try demandEqual(HTTPOrigin(written), origin, "an origin written again is the same")
        }
        for count in [0, 1, 1000] {
            guard case .parts(let parts) = HTTPRange(field: text, count: count) else { continue }
            try demand((1...HTTPRange.partsMax).contains(parts.count), "ranges keep to their limit")
            try demand(
                parts.allSatisfy { !$0.isEmpty && $0.lowerBound >= 0 && $0.upperBound <= count },
                "ranges are within the representation")
            try demand(parts.reduce(0) { $0 + $1.count } <= count, "no byte is sent twice")
        }
    }

    // MARK: A file

    private static let file = Resource(
        (0..<400).flatMap { Array("line \($0 % 10)\n".utf8) }, contentType: "text/plain", modified: now)

    /// The input is the field lines of a GET.
    static func conditions(_ input: [UInt8]) throws {
        var parser = HTTPRequestParser()
        for bytes in [Array("GET / HTTP/1.1\r\nHost: a\r\n".utf8), input, Array("\r\n\r\n".utf8)] {
            bytes.withUnsafeBytes { parser.append($0) }
        }
        guard let request = try? parser.next() else { return }
        let response = file.response(to: request, now: HTTPDate(seconds: now.seconds + 10))
        try demand([200, 206, 304, 406, 412, 416].contains(response.status), "a file is answered: \(response.status)")
        let isEncoded = response.headers["Content-Encoding"] != nil
        switch response.status {
        case 200: try demand(isEncoded || response.contentLength == file.count, "the whole is the whole")
        case 206:
            // 8 parts, each with its head.
            try demand(
                response.contentLength <= file.count + (HTTPRange.partsMax + 1) * 256,
                "parts are no more than the whole")
            try demand(
                response.headers["Content-Range"] != nil
                    || response.headers["Content-Type"]?.hasPrefix("multipart/byteranges") == true,
                "parts say what they are")
        case 304: try demand(response.contentLength == 0, "a 304 has no body")
        default: try demandPlain(String(decoding: response.body.dropLast(), as: UTF8.self))
        }
        var reader = HTTPResponseParser()
        response.encoded(keepAlive: true).withUnsafeBytes { reader.append($0) }
        let read = try reader.next()
        try demandEqual(read?.status, response.status, "an answer can be read")
        try demandEqual(read?.body, response.bodyTail.reduce(response.body, +), "an answer can be read")
        try demand(reader.takeRemainder().isEmpty, "an answer is one")
    }

    // MARK: Origin

    /// The input is Host and Origin, a line each.
    static func origin(_ input: [UInt8]) throws {
        let lines = input.split(separator: .lineFeed, maxSplits: 1, omittingEmptySubsequences: false)
        guard lines.count == 2 else { return }
        var bytes = Array("GET /ws HTTP/1.1\r\n".utf8)
        appendField("Host", fieldText(lines[0]), to: &bytes)
        appendField("Origin", fieldText(lines[1]), to: &bytes)
        bytes += Array("\r\n".utf8)
        var parser = HTTPRequestParser()
        bytes.withUnsafeBytes { parser.append($0) }
        guard let request = try? parser.next(), let origin = request.headers["Origin"] else { return }
        var configuration = ServerConfiguration(
            dataDirectory: "/nonexistent", resources: Resources(root: URL(fileURLWithPath: "/nonexistent")))
        configuration.allowedOrigins = ["https://campus.example"]
        for isSecure in [false, true] where configuration.allowsOrigin(of: request, isSecure: isSecure) {
            // By Foundation's reading, too, it is the page's own host or the one that is allowed.
            let page = URLComponents(string: origin)
            let host = (page?.host ?? "").lowercased()
            let own = URLComponents(string: "http://" + (request.headers["Host"] ?? ""))?.host?.lowercased() ?? ""
            func plain(_ name: String) -> Substring { name.hasSuffix(".") ? name.dropLast() : name[...] }
            try demand(!host.isEmpty, "an origin that is allowed is an origin: \(origin)")
            try demand(
                plain(host) == plain(own) || plain(host) == "campus.example",
                "an origin that is allowed is our own: \(origin), \(own)")
            try demand(!isSecure || page?.scheme?.lowercased() == "https", "over TLS pages have come over TLS")
        }
    }

    // MARK: Log

    /// What is logged stays in its line.
    static func logLine(_ input: [UInt8]) throws {
        let text = String(decoding: input, as: UTF8.self)
        let line = LogLine(
            time: Date(timeIntervalSince1970: 0), level: .info, area: "a", message: text, metadata: [text: text])
        let plain = line.text(.text)
        try demandPlain(String(plain.dropLast()), bytesMax: 20 * input.count + 100)
        try demand(plain.utf8.last == UInt8.lineFeed, "a line ends with a line feed")
        let json = line.text(.json)
        try demandPlain(String(json.dropLast()), bytesMax: 20 * input.count + 200)
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        try demandEqual(
            (object?["message"] as? String)?.utf8.elementsEqual(text.utf8), true, "JSON says what was logged")
    }
}
