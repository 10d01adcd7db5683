@testable import WebSocket

extension FuzzTarget {
    static let http = [
        FuzzTarget("http-request", inputBytesMax: 2048, run: HTTPRules.requests),
        FuzzTarget("http-response", inputBytesMax: 2048, run: HTTPRules.responses),
    ]
}

/// HTTP/1.1 messages (RFC 9112).
private enum HTTPRules {
    private static let limits = [
        HTTPLimits(), HTTPLimits(headBytesMax: 96, headerCountMax: 3, bodyBytesMax: 12, targetBytesMax: 24),
    ]

    /// What two readings of the same input must have in common.
    private struct Outcome: Equatable {
        var messages: [String] = []
        var error: HTTPParseError?
        var remainder: [UInt8] = []
        var isIdle = true
    }

    // MARK: Requests

    static func requests(_ input: [UInt8]) throws {
        for limits in limits {
            let (whole, requests) = try requests(input, .whole, limits)
            for cut in Cut.allCases.dropFirst() {
                try demandEqual(
                    try Self.requests(input, cut, limits).outcome, whole, "cut into \(cut) it is the same")
            }
            try checkError(whole.error, allowed: [400, 413, 414, 417, 431, 501, 505])
            for request in requests {
                try check(request, limits)
                try checkWritten(request)
            }
        }
    }

    private static func requests(
        _ input: [UInt8], _ cut: Cut, _ limits: HTTPLimits
    ) throws -> (outcome: Outcome, requests: [HTTPRequest]) {
        var parser = HTTPRequestParser(limits: limits)
        var outcome = Outcome()
        var requests: [HTTPRequest] = []
        for piece in cut.pieces(of: input) {
            piece.withUnsafeBytes { parser.append($0) }
            do throws(HTTPParseError) {
                while let request = try parser.next() {
                    requests.append(request)
                    outcome.messages.append(describe(request))
                }
            } catch {
                try demand(outcome.error == nil || outcome.error == error, "a failure is final")
                outcome.error = error
            }
            let isUpgraded = requests.last?.isWebSocketUpgrade == true
            _ = parser.takeContinueIsDue()
            if cut == .pieces, !isUpgraded { try checkMemory(parser, limits, piece.count) }
        }
        outcome.isIdle = parser.isIdle
        outcome.remainder = parser.takeRemainder()
        return (outcome, requests)
    }

    private static func check(_ request: HTTPRequest, _ limits: HTTPLimits) throws {
        try demand(isToken(request.method.utf8), "a method is a token")
        try demand(request.path.hasPrefix("/") || request.path == "*", "a path begins with a slash")
        try demand(!request.path.utf8.contains(0), "a path holds no NUL")
        try demand(request.target.utf8.allSatisfy(\.isVisible), "a target is visible")
        try demand(request.target.utf8.count <= limits.targetBytesMax, "targets keep to their limit")
        try demand(request.body.count <= limits.bodyBytesMax, "bodies keep to their limit")
        try check(request.headers, limits)
        let (lengths, codings) = (request.headers.all("Content-Length"), request.headers.all("Transfer-Encoding"))
        try demand(lengths.isEmpty || codings.isEmpty, "one framing (RFC 9112 §6.1)")
        try demand(lengths.count <= 1 && request.headers.all("Host").count <= 1, "one length, one host")
        if let length = lengths.first { try demandEqual(Int(length), request.body.count, "the body has its length") }
        if lengths.isEmpty, codings.isEmpty { try demand(request.body.isEmpty, "no body without a framing") }
    }

    private static func check(_ headers: HTTPHeaders, _ limits: HTTPLimits) throws {
        try demand(headers.count <= limits.headerCountMax, "fields keep to their limit")
        for (name, value) in headers {
            try demand(isToken(name.utf8), "a field's name is a token")
            try demand(value.utf8.allSatisfy(\.isFieldValueCharacter), "a field's value holds no control bytes")
            try demand(trimmingOptionalWhitespace(Array(value.utf8)).count == value.utf8.count, "a value is trimmed")
        }
    }

    /// Written out plainly, a request reads as itself: what one reader hands on, another must not take for something else.
    private static func checkWritten(_ request: HTTPRequest) throws {
        let isOldVersion = request.headers["Host"] == nil
        var bytes = Array("\(request.method) \(request.target) HTTP/1.\(isOldVersion ? 0 : 1)\r\n".utf8)
        for (name, value) in request.headers
        where !["Content-Length", "Transfer-Encoding", "Expect"].contains(where: { HTTPHeaders.same($0, name) }) {
            appendField(name, value, to: &bytes)
        }
        if !request.body.isEmpty { appendField("Content-Length", "\(request.body.count)", to: &bytes) }
        bytes += Array("\r\n".utf8) + request.body
        var parser = HTTPRequestParser(limits: HTTPLimits(headBytesMax: 65_536))
        bytes.withUnsafeBytes { parser.append($0) }
        do {
            guard let again = try parser.next() else { throw BrokenRule(description: "written again it is whole") }
            try demandEqual(again.path, request.path, "written again it has the same path")
            try demandEqual(again.body, request.body, "written again it has the same body")
            try demandEqual("\(again.query)", "\(request.query)", "written again it has the same query")
            try demand(parser.takeRemainder().isEmpty, "written again it is one request")
        } catch let error as HTTPParseError {
            throw BrokenRule(description: "written again it is refused: \(error)")
        }
    }

    private static func describe(_ request: HTTPRequest) -> String {
        "\(request.method) \(request.target) \(request.path) \(request.query) \(Array(request.headers)) \(request.body) "
            + "\(request.keepAlive) \(request.isWebSocketUpgrade)"
    }

    // MARK: Responses

    static func responses(_ input: [UInt8]) throws {
        for limits in limits {
            let (whole, responses) = try responses(input, .whole, limits)
            for cut in Cut.allCases.dropFirst() {
                try demandEqual(
                    try Self.responses(input, cut, limits).outcome, whole, "cut into \(cut) it is the same")
            }
            try checkError(whole.error, allowed: Array(400...599))
            for response in responses {
                try demand((100...599).contains(response.status), "a status is 100 to 599")
                try demand(response.body.count <= limits.bodyBytesMax, "bodies keep to their limit")
                try check(response.headers, limits)
                try checkWritten(response)
            }
        }
    }

    private static func responses(
        _ input: [UInt8], _ cut: Cut, _ limits: HTTPLimits
    ) throws -> (outcome: Outcome, responses: [HTTPResponse]) {
        var parser = HTTPResponseParser(limits: limits)
        var outcome = Outcome()
        var responses: [HTTPResponse] = []
        do throws(HTTPParseError) {
            for piece in cut.pieces(of: input) {
                piece.withUnsafeBytes { parser.append($0) }
                while let response = try parser.next() { responses.append(response) }
            }
            if let response = try parser.finish() { responses.append(response) }
        } catch {
            outcome.error = error
        }
        outcome.messages = responses.map { "\($0.status) \(Array($0.headers)) \($0.body)" }
        outcome.isIdle = parser.isIdle
        outcome.remainder = parser.takeRemainder()
        return (outcome, responses)
    }

    /// What the encoder writes of a response, the parser reads.
    private static func checkWritten(_ response: HTTPResponse) throws {
        guard response.status >= 200 else { return }
        var parser = HTTPResponseParser(limits: HTTPLimits(headBytesMax: 65_536, headerCountMax: 110))
        response.encoded(keepAlive: true).withUnsafeBytes { parser.append($0) }
        do {
            guard let again = try parser.next() else { throw BrokenRule(description: "written again it is whole") }
            try demandEqual(again.status, response.status, "written again it has the same status")
            if response.status != 204, response.status != 304 {
                try demandEqual(again.body, response.body, "written again it has the same body")
            }
            try demand(parser.takeRemainder().isEmpty, "written again it is one response")
        } catch let error as HTTPParseError {
            throw BrokenRule(description: "written again it is refused: \(error)")
        }
    }

    // MARK: Both

    private static func checkError(_ error: HTTPParseError?, allowed: [Int]) throws {
        guard let error else { return }
        try demand(
            allowed.contains(error.status), "an error has one of the statuses that are documented: \(error.status)")
        try demandPlain(error.message)
    }

    /// A head is held as text, in which a byte may become two (ISO 8859-1).
    private static func checkMemory(_ parser: Any, _ limits: HTTPLimits, _ pieceBytes: Int) throws {
        let held = heldBytes(parser)
        let bytesMax = 3 * limits.headBytesMax + limits.bodyBytesMax + 256 + 2 * pieceBytes
        try demand(held <= bytesMax, "a parser holds no more than its limits: \(held) of \(bytesMax) bytes")
    }
}
