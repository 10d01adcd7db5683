import Testing

@testable import WebSocket

@Suite("HTTP requests (RFC 9112)")
struct HTTPRequestParserTests {
    @Test("a GET request comes out with method, path, query and headers")
    func simpleGet() throws {
        let get = try #require(
            try request(
                "GET /run/a%20b?name=J%C3%BCrgen+M&flag&x=%2B HTTP/1.1\nHost: campus:8080\nX-A:  1 \nx-a: 2\n\n"))
        #expect(get.method == "GET")
        #expect(get.target == "/run/a%20b?name=J%C3%BCrgen+M&flag&x=%2B")
        #expect(get.path == "/run/a b")
        #expect(get.query.map { "\($0.0)=\($0.1)" } == ["name=Jürgen M", "flag=", "x=+"])
        #expect(get.headers["host"] == "campus:8080")
        #expect(get.headers.all("X-a") == ["1", "2"])
        #expect(get.body.isEmpty && get.keepAlive && !get.isWebSocketUpgrade)
    }

    @Test("a body arrives by Content-Length")
    func contentLength() throws {
        let post = try #require(try request("POST /rpc HTTP/1.1\nHost: a\nContent-Length: 5\n\nhello"))
        #expect(post.body == Array("hello"))
    }

    @Test("a chunked body is joined, extensions and trailers are dropped (RFC 9112 §7.1)")
    func chunked() throws {
        let text = """
            POST /rpc HTTP/1.1
            Host: a
            Transfer-Encoding: Chunked

            5;name="value"
            hello
            00B
             wide world
            0
            Digest: x


            """
        let post = try #require(try request(text))
        #expect(post.body == Array("hello wide world"))
        #expect(post.headers["Digest"] == nil)
    }

    @Test("pipelined requests come out one by one, after an empty line too (RFC 9112 §2.2 and §9.3.2)")
    func pipelining() {
        let outcome = parseRequests(
            wire("POST /1 HTTP/1.1\nHost: a\nContent-Length: 2\n\nok\nGET /2 HTTP/1.1\nHost: a\n\nGET /3 HTT"))
        #expect(outcome.messages.count == 2)
        #expect(!outcome.isIdle)
        #expect(outcome.error == nil)
    }

    @Test("the parser is idle only between requests")
    func idle() throws {
        var parser = HTTPRequestParser()
        #expect(parser.isIdle)
        let early = try parser.next(after: wire("GET / HTTP/1.1\nHost: a\n\n").dropLast())
        #expect(early == nil && !parser.isIdle)
        let complete = try parser.next(after: [.lineFeed])
        #expect(complete != nil && parser.isIdle)
    }

    @Test("persistence follows version and Connection (RFC 9112 §9.3)")
    func keepAlive() throws {
        #expect(try request("GET / HTTP/1.1\nHost: a\n\n")?.keepAlive == true)
        #expect(try request("GET / HTTP/1.1\nHost: a\nConnection: x, Close\n\n")?.keepAlive == false)
        #expect(try request("GET / HTTP/1.0\n\n")?.keepAlive == false)
        #expect(try request("GET / HTTP/1.0\nConnection: Keep-Alive\n\n")?.keepAlive == true)
    }

    @Test("an absolute-form target gives the path and takes the place of Host (RFC 9112 §3.2.2)")
    func absoluteForm() throws {
        let absolute = try #require(try request("GET HTTP://campus:1/x?y=z HTTP/1.1\nHost: other\n\n"))
        #expect(absolute.path == "/x" && absolute.query.count == 1)
        #expect(absolute.headers.all("Host") == ["campus:1"])
        #expect(try request("GET http://campus?y HTTP/1.1\nHost: a\n\n")?.path == "/")
        #expect(try request("OPTIONS * HTTP/1.1\nHost: a\n\n")?.path == "*")
    }

    @Test("Upgrade asks for WebSocket in HTTP/1.1 only, and leaves what follows alone (RFC 9110 §7.8)")
    func upgrade() throws {
        let head = "GET /ws HTTP/1.1\nHost: a\nUpgrade: WebSocket\nConnection: keep-alive, Upgrade\n\n"
        var parser = HTTPRequestParser()
        let upgrade = try parser.next(after: wire(head) + [0x81, 0x80])
        #expect(upgrade?.isWebSocketUpgrade == true)
        let nothing = try parser.next(after: [1])
        #expect(nothing == nil)
        let remainders = [parser.takeRemainder(), parser.takeRemainder()]
        #expect(remainders == [[0x81, 0x80, 1], []])
        let old = try request("GET /ws HTTP/1.0\nUpgrade: websocket\nConnection: Upgrade\n\n")
        #expect(old?.isWebSocketUpgrade == false)
    }

    @Test("100 Continue is due once, when the body has not begun (RFC 9110 §10.1.1)")
    func expectContinue() throws {
        var parser = HTTPRequestParser()
        let head = wire("POST / HTTP/1.1\nHost: a\nContent-Length: 2\nExpect: 100-Continue\n\n")
        let early = try parser.next(after: head)
        let due = [parser.takeContinueIsDue(), parser.takeContinueIsDue()]
        #expect(early == nil && due == [true, false])
        let complete = try parser.next(after: Array("ok"))
        #expect(complete?.body == Array("ok"))
        let begun = try parser.next(after: head + Array("o"))
        let dueWhenBegun = parser.takeContinueIsDue()
        #expect(begun == nil && !dueWhenBegun)
    }

    @Test("a header value that is not UTF-8 keeps every byte as ISO 8859-1 (RFC 9110 §5.5)")
    func latinHeader() throws {
        var parser = HTTPRequestParser()
        let latin = try parser.next(after: wire("GET / HTTP/1.1\nHost: a\nX: caf") + [0xE9] + wire("\n\n"))
        #expect(latin?.headers["X"] == "café")
    }

    @Test("header lookups ignore case and read lists over all fields (RFC 9110 §5.1 and §5.6.1)")
    func headerLookups() {
        var headers: HTTPHeaders = ["Connection": "a, ,B"]
        headers.add("connection", "\tc ")
        #expect(headers.list("CONNECTION") == ["a", "B", "c"])
        #expect(headers.contains(token: "b", in: "Connection"))
        #expect(!headers.contains(token: "a,", in: "Connection"))
        #expect(headers.map(\.name) == ["Connection", "connection"])
        headers.set("CONNECTION", "x")
        #expect(headers.count == 1 && headers["connection"] == "x")
    }

    @Test(
        "a request that its owner is asked about stops at its head, whatever follows, and then has a limit of its own")
    func asksBefore() throws {
        let text = "POST /up?a=b HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\n01234567890123456789"
        let next = "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n"
        for step in [1, 7, text.utf8.count] {
            var parser = HTTPRequestParser(limits: HTTPLimits(bodyBytesMax: 10))
            parser.asksBefore = { $0 == "POST" && $1 == "/up" }
            var asked = 0
            var requests: [HTTPRequest] = []
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: step) {
                bytes[start..<min(start + step, bytes.count)].withUnsafeBytes { parser.append($0) }
                if let request = try parser.next() { requests.append(request) }
                if let head = parser.pending {
                    #expect(try parser.next() == nil)
                    #expect(head.path == "/up" && head.headers["Content-Length"] == "20" && head.body.isEmpty)
                    asked += 1
                    parser.admitBody(bytesMax: 20)
                    #expect(parser.pending == nil)
                    if let request = try parser.next() { requests.append(request) }
                }
            }
            #expect(asked == 1)
            #expect(requests.map(\.body) == [Array("01234567890123456789".utf8)])
            // ErasureHandlers have the usual limit again.
            Array(next.utf8).withUnsafeBytes { parser.append($0) }
            #expect(throws: HTTPParseError.self) { _ = try parser.next() }
        }
    }

    @Test("a body beyond the limit that it was given fails with 413, and 100 Continue is due only behind the question")
    func admittedTooLarge() throws {
        var parser = HTTPRequestParser()
        parser.asksBefore = { _, path in path == "/up" }
        let head = "POST /up HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 21\r\n\r\n"
        Array(head.utf8).withUnsafeBytes { parser.append($0) }
        #expect(try parser.next() == nil)
        var other = parser
        let early = parser.takeContinueIsDue()
        #expect(!early)
        parser.admitBody(bytesMax: 21)
        #expect(try parser.next() == nil)
        let due = parser.takeContinueIsDue()
        #expect(due)
        other.admitBody(bytesMax: 20)
        #expect(throws: HTTPParseError(status: 413, message: "body is larger than 20 bytes")) { _ = try other.next() }
    }
}
