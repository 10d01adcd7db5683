import TestSupport

@testable import WebSocket

/// How an input is cut into the pieces a parser is given.
enum Cut {
    case whole, everyByte
    case at(Int)
    case random(UInt64)

    func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        switch self {
        case .whole: return [bytes]
        case .everyByte: return bytes.map { [$0] }
        case .at(let index): return [Array(bytes[..<index]), Array(bytes[index...])]
        case .random(let seed):
            var generator = SeededGenerator(seed: seed)
            var pieces: [[UInt8]] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...max(1, min(rest.count, 24)), using: &generator)
                pieces.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            return pieces
        }
    }
}

/// Everything a connection made of its input.
struct Outcome: Equatable {
    var events: [WebSocketEvent] = []
    var output: [UInt8] = []
    var state = WebSocketConnection.State.open
}

func receive(
    _ bytes: [UInt8], cut: Cut = .whole, role: WebSocketConnection.Role = .server,
    limits: WebSocketLimits = .init(), deflate: DeflateAgreement? = nil
) -> Outcome {
    var connection = WebSocketConnection(role: role, limits: limits, deflate: deflate)
    var outcome = Outcome()
    for piece in cut.pieces(of: bytes) {
        connection.receive(piece)
        while let event = connection.nextEvent() { outcome.events.append(event) }
        outcome.output += connection.takeOutput()
    }
    outcome.state = connection.state
    return outcome
}

extension WebSocketConnection {
    mutating func receive(_ bytes: [UInt8]) { bytes.withUnsafeBytes { receive($0) } }

    mutating func events(_ bytes: [UInt8]) -> [WebSocketEvent] {
        receive(bytes)
        var events: [WebSocketEvent] = []
        while let event = nextEvent() { events.append(event) }
        return events
    }
}

extension HTTPRequestParser {
    mutating func next(after bytes: some Collection<UInt8>) throws(HTTPParseError) -> HTTPRequest? {
        Array(bytes).withUnsafeBytes { append($0) }
        return try next()
    }
}

/// Everything a request parser made of its input.
struct HTTPOutcome: Equatable {
    var messages: [String] = []
    var error: HTTPParseError?
    var remainder: [UInt8] = []
    var isIdle = true
}

func parseRequests(_ bytes: [UInt8], cut: Cut = .whole, limits: HTTPLimits = .init()) -> HTTPOutcome {
    var parser = HTTPRequestParser(limits: limits)
    var outcome = HTTPOutcome()
    for piece in cut.pieces(of: bytes) {
        piece.withUnsafeBytes { parser.append($0) }
        do throws(HTTPParseError) {
            while let request = try parser.next() { outcome.messages.append(describe(request)) }
        } catch {
            outcome.error = error
        }
    }
    outcome.isIdle = parser.isIdle
    outcome.remainder = parser.takeRemainder()
    return outcome
}

func parseResponses(_ bytes: [UInt8], cut: Cut = .whole, limits: HTTPLimits = .init()) -> HTTPOutcome {
    var parser = HTTPResponseParser(limits: limits)
    var outcome = HTTPOutcome()
    do throws(HTTPParseError) {
        for piece in cut.pieces(of: bytes) {
            piece.withUnsafeBytes { parser.append($0) }
            while let response = try parser.next() { outcome.messages.append(describe(response)) }
        }
        if let response = try parser.finish() { outcome.messages.append(describe(response)) }
    } catch {
        outcome.error = error
    }
    outcome.isIdle = parser.isIdle
    outcome.remainder = parser.takeRemainder()
    return outcome
}

private func describe(_ request: HTTPRequest) -> String {
    "\(request.method) \(request.target) \(request.path) \(request.query) \(Array(request.headers)) \(request.body) "
        + "\(request.keepAlive) \(request.isWebSocketUpgrade)"
}

private func describe(_ response: HTTPResponse) -> String {
    "\(response.status) \(Array(response.headers)) \(response.body)"
}

/// The only request in `text`, where "\n" stands for CRLF.
func request(_ text: String, limits: HTTPLimits = .init()) throws(HTTPParseError) -> HTTPRequest? {
    var parser = HTTPRequestParser(limits: limits)
    wire(text).withUnsafeBytes { parser.append($0) }
    return try parser.next()
}

/// The status a request is refused with, nil when it is not.
func refusal(_ text: String, limits: HTTPLimits = .init()) -> Int? {
    parseRequests(wire(text), limits: limits).error?.status
}

/// The bytes of `text` with each "\n" as CRLF.
func wire(_ text: String) -> [UInt8] {
    text.utf8.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }
}

/// A client's frame.
func masked(
    _ opcode: Opcode, _ payload: [UInt8], isFinal: Bool = true, reservedBits: UInt8 = 0, mask: UInt32 = 0x37FA_213D
) -> [UInt8] {
    FrameEncoder.frame(opcode, payload, isFinal: isFinal, reservedBits: reservedBits, mask: mask)
}

extension Array where Element == UInt8 {
    init(_ text: String) { self = Array(text.utf8) }
}
