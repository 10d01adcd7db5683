import Testing

@testable import WebSocket

@Suite("HTTP requests that are refused")
struct HTTPStrictnessTests {
    @Test(
        "a malformed request line is refused (RFC 9112 §3)",
        arguments: [
            ("GET  / HTTP/1.1", 400), ("GET / HTTP/1.1 ", 400), ("GET /", 400), ("G@T / HTTP/1.1", 400),
            (" GET / HTTP/1.1", 400), ("GET\t/ HTTP/1.1", 400), ("GET / http/1.1", 400), ("GET / HTTP/1.1x", 400),
            ("GET / HTTP/11", 400), ("GET / HTTP/2.0", 505), ("PRI * HTTP/2.0", 505), ("GET / HTTP/1.2", 505),
            ("GET / HTTP/0.9", 505), ("GET x HTTP/1.1", 400), ("GET * HTTP/1.1", 400), ("GET /a#b HTTP/1.1", 400),
            ("GET /\u{7f} HTTP/1.1", 400), ("GET /é HTTP/1.1", 400), ("GET http:///x HTTP/1.1", 400),
            ("GET http://a@b/x HTTP/1.1", 400), ("GET ftp://a/x HTTP/1.1", 400), ("CONNECT a:1 HTTP/1.1", 501),
        ])
    func requestLine(line: String, status: Int) {
        #expect(refusal(line + "\nHost: a\n\n") == status)
    }

    @Test(
        "a malformed percent-encoding is refused (RFC 3986 §2.1)",
        arguments: ["/%", "/%4", "/%4g", "/%+1", "/%ff", "/%00", "/?a=%", "/?%zz=1", "/?a=%c3", "/%ed%a0%80"])
    func percentEncoding(target: String) {
        #expect(refusal("GET \(target) HTTP/1.1\nHost: a\n\n") == 400)
    }

    @Test(
        "a malformed header line is refused (RFC 9112 §5)",
        arguments: [
            "X : 1", "X\t: 1", ": 1", "X", "X: a\n folded", "X: a\n\tfolded", " X: 1", "X@: 1", "X: a\u{0}b",
            "X: a\u{1b}", "X: a\u{7f}", "X: a\rb", "Ä: 1", "Host: b", "Host: a b",
        ])
    func headerLine(line: String) {
        #expect(refusal("GET / HTTP/1.1\nHost: a\n\(line)\n\n") == 400)
    }

    @Test("a line that ends in a bare LF is refused wherever it is (RFC 9112 §2.2)")
    func bareLineFeed() {
        let samples = [
            "GET / HTTP/1.1\n", "\n", "GET / HTTP/1.1\r\nHost: a\n", "GET / HTTP/1.1\r\nHost: a\r\n\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\n\n",
        ]
        for sample in samples {
            #expect(parseRequests(Array(sample)).error?.status == 400, "\(sample.debugDescription)")
        }
    }

    @Test("HTTP/1.1 needs exactly one Host of valid characters (RFC 9112 §3.2)")
    func host() {
        #expect(refusal("GET / HTTP/1.1\n\n") == 400)
        #expect(refusal("GET / HTTP/1.1\nHost: a\nhost: a\n\n") == 400)
        #expect(refusal("GET / HTTP/1.0\nHost: a\nHost: b\n\n") == 400)
        #expect(refusal("GET / HTTP/1.1\nHost: a/b\n\n") == 400)
        #expect(refusal("GET / HTTP/1.0\n\n") == nil)
        #expect(refusal("GET / HTTP/1.1\nHost: [::1]:80\n\n") == nil)
        #expect(refusal("GET / HTTP/1.1\nHost:\n\n") == nil)
    }

    @Test(
        "a doubtful body length is refused (RFC 9112 §6)",
        arguments: [
            ("Content-Length: 1\nContent-Length: 1", 400), ("Content-Length: 1\nContent-Length: 2", 400),
            ("Content-Length: 1, 1", 400), ("Content-Length: +1", 400), ("Content-Length: -1", 400),
            ("Content-Length: 0x1", 400), ("Content-Length:", 400), ("Content-Length: 1 1", 400),
            ("Content-Length: 1048577", 413), ("Content-Length: 99999999999999999999999999", 413),
            ("Content-Length: 1\nTransfer-Encoding: chunked", 400), ("Transfer-Encoding: gzip", 501),
            ("Transfer-Encoding: gzip, chunked", 501), ("Transfer-Encoding: chunked, gzip", 400),
            ("Transfer-Encoding: chunked, chunked", 400),
            ("Transfer-Encoding: chunked\nTransfer-Encoding: chunked", 400),
            ("Transfer-Encoding: identity", 501), ("Transfer-Encoding:", 501), ("Transfer-Encoding: xchunked", 501),
        ])
    func framing(fields: String, status: Int) {
        #expect(refusal("POST / HTTP/1.1\nHost: a\n\(fields)\n\n") == status)
    }

    @Test("Transfer-Encoding in HTTP/1.0 is refused (RFC 9112 §6.1)")
    func transferEncodingInOldVersion() {
        #expect(refusal("POST / HTTP/1.0\nTransfer-Encoding: chunked\n\n") == 400)
    }

    @Test(
        "a malformed chunk is refused (RFC 9112 §7.1)",
        arguments: [
            ("\n", 400), ("g\n", 400), (" 1\n", 400), ("1 \n", 400), ("0x1\n", 400), ("-1\n", 400), ("1 x\n", 400),
            ("1;\u{1}\n", 400), ("1\nab\n", 400), ("1\na1\n", 400), ("100001\n", 413),
            ("ffffffffffffffff\n", 413), ("fffffffffffffffff\n", 400), ("00000000000000001\na\n0\n\n", 400),
            ("0\nX : 1\n", 400), ("0\n X: 1\n", 400),
            (String(repeating: "0", count: 258), 400), ("1\na\n0\n\nx", nil), ("1 ;x\na\n0\n\n", nil),
        ])
    func chunks(body: String, status: Int?) {
        let outcome = parseRequests(wire("POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n\(body)"))
        #expect(outcome.error?.status == status)
    }

    @Test("chunks are held to the body limit together")
    func chunksTogether() {
        let head = "POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n"
        #expect(refusal(head + "4\nabcd\n4\nabcd\n", limits: HTTPLimits(bodyBytesMax: 8)) == nil)
        #expect(refusal(head + "4\nabcd\n5\n", limits: HTTPLimits(bodyBytesMax: 8)) == 413)
    }

    @Test("each limit is refused with its own status, before the rest arrives")
    func limits() {
        let long = String(repeating: "a", count: 20_000)
        #expect(refusal("GET /\(long)") == 414)
        #expect(refusal("GET /\(long.prefix(8192)) HTTP/1.1\n") == 414)
        #expect(refusal("GET /\(long.prefix(8191)) HTTP/1.1\nHost: a\n\n") == nil)
        #expect(refusal("GET / HTTP/1.1\nHost: a\nX: \(long)") == 431)
        let lines = String(repeating: "X: 1\n", count: 100)
        #expect(refusal("GET / HTTP/1.1\nHost: a\n\(lines)") == 431)
        #expect(refusal("GET / HTTP/1.1\nHost: a\n\(lines.dropLast(5))\n") == nil)
        let exact = "GET / HTTP/1.0\nX: 1\n\n"
        #expect(refusal(exact, limits: HTTPLimits(headBytesMax: 24)) == nil)
        #expect(refusal(exact, limits: HTTPLimits(headBytesMax: 23)) == 431)
    }

    @Test("endless trailers are refused")
    func trailers() {
        let head = "POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n0\n"
        #expect(refusal(head + String(repeating: "X: 1\n", count: 99)) == 431)
    }

    @Test("two empty lines before a request are refused")
    func emptyLines() {
        #expect(refusal("\nGET / HTTP/1.1\nHost: a\n\n") == nil)
        #expect(refusal("\n\n") == 400)
    }

    @Test("a failure is final")
    func final() {
        var parser = HTTPRequestParser()
        #expect(throws: HTTPParseError.self) { try parser.next(after: wire("bad\n")) }
        #expect(throws: HTTPParseError.self) { try parser.next(after: wire("GET / HTTP/1.1\nHost: a\n\n")) }
        let remainder = parser.takeRemainder()
        #expect(!parser.isIdle && remainder.isEmpty)
    }

    @Test("error messages do not quote the peer")
    func noLeak() {
        let outcome = parseRequests(wire("GET / HTTP/1.1\nHost: a\nsecret token\n\n"))
        #expect(outcome.error?.message.contains("secret") == false)
    }
}
