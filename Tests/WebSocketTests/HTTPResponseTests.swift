import Testing

@testable import WebSocket

@Suite("HTTP responses")
struct HTTPResponseTests {
    @Test("a response is encoded with its length and persistence")
    func encoding() {
        let response = HTTPResponse(status: 200, headers: ["Content-Type": "text/plain"], body: Array("hi"))
        #expect(
            response.encoded(keepAlive: true)
                == wire("HTTP/1.1 200 OK\nContent-Type: text/plain\nContent-Length: 2\nConnection: keep-alive\n\nhi"))
        #expect(
            response.encoded(keepAlive: false, headOnly: true)
                == wire("HTTP/1.1 200 OK\nContent-Type: text/plain\nContent-Length: 2\nConnection: close\n\n"))
    }

    @Test("no length is sent with 1xx, 204 and 304 (RFC 9110 §8.6 and §15.4.5)", arguments: [101, 204, 304])
    func bodiless(status: Int) {
        let text = String(decoding: HTTPResponse(status: status, body: [1]).encoded(keepAlive: true), as: UTF8.self)
        #expect(!text.contains("Content-Length"))
        #expect(text.hasSuffix("\r\n\r\n"))
    }

    @Test("a value with a line break cannot split the response (RFC 9110 §5.5)")
    func splitting() {
        let response = HTTPResponse(
            status: 302, headers: ["Location": "/x\r\nSet-Cookie: a", "Bad Name": "1", "Content-Length": "99"])
        #expect(
            response.encoded(keepAlive: true)
                == wire(
                    "HTTP/1.1 302 Found\nLocation: /x  Set-Cookie: a\nContent-Length: 0\nConnection: keep-alive\n\n"))
    }

    @Test("what is encoded is parsed back, whatever the framing")
    func parsing() {
        let encoded = HTTPResponse(status: 404, text: "no").encoded(keepAlive: true)
        let chunked = wire("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\nok\n0\n\n")
        let untilClose = wire("HTTP/1.0 200 \n\nrest")
        let outcome = parseResponses(
            encoded + wire("HTTP/1.1 100 Continue\n\nHTTP/1.1 204 No Content\n\n") + chunked + untilClose)
        #expect(outcome.error == nil)
        #expect(outcome.messages.map { $0.prefix(3) } == ["404", "204", "200", "200"])
        #expect(outcome.messages.last?.hasSuffix("\(Array("rest"))") == true)
        #expect(outcome.isIdle)
    }

    @Test(
        "a malformed or cut response is refused (RFC 9112 §4 and §8)",
        arguments: [
            "HTTP/1.1 200\n", "HTTP/1.1 20 OK\n", "HTTP/1.1 2000 OK\n", "HTTP/1.1 600 X\n", "HTTP/2.0 200 OK\n",
            "HTTP/1.1 200 O\u{1}\n", "HTTP/1.1 200 OK\nContent-Length: 5\n\nabc", "HTTP/1.1 200 OK\n",
        ])
    func refused(text: String) {
        #expect(parseResponses(wire(text)).error != nil)
    }

    @Test("every status used has a phrase")
    func phrases() {
        #expect(HTTPResponse.reasonPhrase(for: 426) == "Upgrade Required")
        #expect(HTTPResponse.reasonPhrase(for: 299).isEmpty)
    }
}
