import Testing

@testable import WebSocket

/// What two readers in a row could read differently (RFC 9112 §11.2): each sample is refused, or read in the one way there is.
@Suite("Requests that smuggle another")
struct HTTPSmugglingTests {
    private static let head = "POST /rpc HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n"

    @Test(
        "a length that somebody may read differently is refused",
        arguments: [
            "Content-Length: 5\nContent-Length: 6", "Content-Length: 5\ncontent-length: 5", "Content-Length: 5, 5",
            "Content-Length: 5;6", "Content-Length: 05", "Content-Length: 00", "Content-Length: 5.0",
            "Content-Length: 5e0",
            "Content-Length: \u{0c}5", "Content-Length : 5", "Content-Length\u{0b}: 5", " Content-Length: 5",
            "Content-Length: ５", "X: y\rContent-Length: 5", "X: y\u{0}Content-Length: 5",
        ])
    func lengths(field: String) {
        #expect(refusal("POST / HTTP/1.1\nHost: a\n\(field)\n\nhello") == 400)
    }

    @Test(
        "chunked that somebody may not see is refused",
        arguments: [
            ("Transfer-Encoding: chunked\nContent-Length: 5", 400),
            ("Content-Length: 5\nTransfer-Encoding: chunked", 400),
            ("Transfer-Encoding: identity\nContent-Length: 5", 400), ("Transfer-Encoding : chunked", 400),
            ("Transfer-Encoding\u{0b}: chunked", 400), ("Transfer-Encoding: \u{0b}chunked", 400),
            ("Transfer-Encoding: chunked\u{0c}", 400), ("Transfer-Encoding:\n chunked", 400),
            (" Transfer-Encoding: chunked", 400), ("X: y\rTransfer-Encoding: chunked", 400),
            ("Transfer-Encoding: chunked;a=b", 501), ("Transfer-Encoding: \"chunked\"", 501),
            ("Transfer-Encoding: chun\u{e9}ked", 501), ("Transfer-Encoding: x\nTransfer-Encoding: chunked", 501),
            ("Transfer-Encoding: chunked\nTransfer-Encoding: x", 400), ("Transfer-Encoding: chunked, identity", 400),
        ])
    func encodings(fields: String, status: Int) {
        #expect(refusal("POST / HTTP/1.1\nHost: a\n\(fields)\n\n0\n\n") == status)
    }

    @Test("a field that only resembles Transfer-Encoding is none: the body is by its length")
    func resembling() {
        let text =
            "POST / HTTP/1.1\nHost: a\nTransfer_Encoding: chunked\nContent-Length: 3\n\n0\n\nGET /b HTTP/1.1\nHost: a\n\n"
        let outcome = parseRequests(wire(text))
        // "0 CR LF" is the body; the line behind it is the empty one before the next request.
        #expect(outcome.error == nil && outcome.messages.count == 2)
    }

    @Test(
        "a chunk line is held to its grammar (RFC 9112 §7.1.1)",
        arguments: [
            ("1;a\n", nil), ("1;a=b\n", nil), ("1 ; a = b ;c\n", nil), ("1;a=\"x;\\\"y\"\n", nil), ("01;a\n", nil),
            ("1;\n", 400), ("1;a=\n", 400), ("1;=b\n", 400), ("1;a b\n", 400), ("1;a=\"x\n", 400),
            ("1;a=\"x\\\"\n", 400),
            ("1;a\rb\n", 400), ("1;a=\"x\ry\"\n", 400), ("1;a\u{0}\n", 400), ("1,a\n", 400), ("1a=b\n", 400),
            ("1_0\n", 400),
        ] as [(String, Int?)])
    func chunkLines(line: String, status: Int?) {
        #expect(refusal(Self.head + line + "x\n0\n\n") == status)
    }

    @Test("a line feed alone does not end a chunk extension, whatever stands before it (TERM.EXT and its kin)")
    func lineFeedInExtension() {
        let head = wire(Self.head)
        for line in ["1;\n", "1;a\n", "1;a=\"\n\"\r\n", "1;a\n47\r\n"] {
            #expect(
                parseRequests(head + Array(line) + wire("x\n0\n\n")).error?.status == 400, "\(line.debugDescription)")
        }
    }

    @Test("extensions of a message are held to one limit together, so tiny chunks carry nothing uncounted")
    func extensionFlood() {
        let chunk = "1;" + String(repeating: "a", count: 200) + "\nx\n"
        #expect(refusal(Self.head + String(repeating: chunk, count: 20) + "0\n\n") == nil)
        #expect(refusal(Self.head + String(repeating: chunk, count: 21)) == 400)
        // Each message has its own.
        let message = Self.head + String(repeating: chunk, count: 20) + "0\n\n"
        #expect(parseRequests(wire(message + message)).error == nil)
    }

    @Test("trailers are not fields: none changes the request, and bad ones are refused (RFC 9110 §6.5.1)")
    func trailers() throws {
        let kept = try request(
            Self.head + "1\nx\n0\nHost: evil\nContent-Length: 9\nUpgrade: websocket\nConnection: upgrade\n\n")
        #expect(kept?.headers["Host"] == "a" && kept?.headers["Content-Length"] == nil)
        #expect(kept?.isWebSocketUpgrade == false)
        for bad in ["X : y", " X: y", "X", "X: a\rb"] {
            #expect(refusal(Self.head + "0\n\(bad)\n\n") == 400, "\(bad.debugDescription)")
        }
    }

    @Test(
        "an expectation other than 100-continue is refused with 417 (RFC 9110 §10.1.1)",
        arguments: ["x", "100-continue, x", "y 100-continue", "200-ok", "100-continue;q=1"])
    func expectations(value: String) {
        #expect(refusal("POST / HTTP/1.1\nHost: a\nExpect: \(value)\nContent-Length: 1\n\n") == 417)
        // HTTP/1.0 has no expectations: the field means nothing there.
        #expect(refusal("POST / HTTP/1.0\nExpect: \(value)\nContent-Length: 1\n\nx") == nil)
    }

    @Test(
        "a Host that is no host and port is refused (RFC 9112 §3.2)",
        arguments: [
            "a:b", "a:80:81", "a:65536", "[::1", "::1", "[zz]", "a@b", "a/b", "a%2e", "http://a", "a,b", "a b",
            "[::1]x", ":80",
        ])
    func hosts(value: String) {
        #expect(refusal("GET / HTTP/1.1\nHost: \(value)\n\n") == 400)
        // Behind a slash it would be a path.
        if !value.contains("/") { #expect(refusal("GET http://\(value)/ HTTP/1.1\nHost: a\n\n") == 400) }
    }

    @Test("the authority of an absolute target counts, whatever Host says (RFC 9112 §3.2.2)")
    func absoluteForm() throws {
        let mismatch = try request("GET http://campus:1/x HTTP/1.1\nHost: evil\n\n")
        #expect(mismatch?.headers.all("Host") == ["campus:1"])
        #expect(refusal("GET http://campus/ HTTP/1.1\n\n") == 400)
        #expect(refusal("GET http://user@campus/ HTTP/1.1\nHost: a\n\n") == 400)
        #expect(refusal("GET //evil/x HTTP/1.1\nHost: a\n\n") == nil)
    }

    @Test("what follows a body is the next request, never part of it")
    func bodyEnds() {
        for framing in ["Content-Length: 4\n\nabcd", "Transfer-Encoding: chunked\n\n4\nabcd\n0\n\n"] {
            let outcome = parseRequests(
                wire("POST /a HTTP/1.1\nHost: a\n\(framing)GET /b HTTP/1.1\nHost: a\n\n"))
            #expect(outcome.messages.count == 2)
        }
        // A GET may have a body, and it is taken out of the way.
        let get = parseRequests(
            wire("GET /a HTTP/1.1\nHost: a\nContent-Length: 33\n\nGET /hidden HTTP/1.1\nHost: evil\n\n"))
        #expect(get.messages.count == 1)
    }
}
