import Testing

@testable import WebSocket

@Suite("Opening handshake (RFC 6455 §4)")
struct HandshakeTests {
    /// The handshake of RFC 6455 §1.2 and §1.3, whose key is the base64 of "the sample nonce".
    private let sample = """
        GET /chat HTTP/1.1
        Host: server.example.com
        Upgrade: websocket
        Connection: Upgrade
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
        Origin: http://example.com
        Sec-WebSocket-Protocol: chat, superchat
        Sec-WebSocket-Version: 13


        """

    private func respond(_ text: String, subprotocols: [String] = []) throws -> ServerHandshake.Result {
        ServerHandshake.respond(to: try #require(try request(text)), subprotocols: subprotocols)
    }

    private func refusal(replacing line: String, with other: String) throws -> HTTPResponse {
        var lines = sample.split(separator: "\n", omittingEmptySubsequences: false)
        let index = try #require(lines.firstIndex { $0 == line })
        if other.isEmpty { lines.remove(at: index) } else { lines[index] = other[...] }
        guard case .refuse(let response) = try respond(lines.joined(separator: "\n")) else {
            Issue.record("accepted")
            return HTTPResponse(status: 0)
        }
        return response
    }

    @Test("the sample nonce gives the sample answer (RFC 6455 §1.3)")
    func vector() throws {
        guard case .accept(let response, let subprotocol, _) = try respond(sample, subprotocols: ["superchat", "chat"])
        else {
            Issue.record("refused")
            return
        }
        #expect(subprotocol == "superchat")
        #expect(
            response
                == wire(
                    """
                    HTTP/1.1 101 Switching Protocols
                    Upgrade: websocket
                    Connection: Upgrade
                    Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=
                    Sec-WebSocket-Protocol: superchat


                    """))
    }

    @Test("without a subprotocol in common none is agreed on")
    func noSubprotocol() throws {
        guard case .accept(let response, nil, _) = try respond(sample, subprotocols: ["Chat"]) else {
            Issue.record("refused, or a subprotocol")
            return
        }
        #expect(!String(decoding: response, as: UTF8.self).contains("Protocol:"))
    }

    @Test(
        "another version is answered with 426 and the one spoken (RFC 6455 §4.2.2)",
        arguments: ["", "Sec-WebSocket-Version: 8", "Sec-WebSocket-Version: 13, 8", "Sec-WebSocket-Version: 013"])
    func version(line: String) throws {
        let response = try refusal(replacing: "Sec-WebSocket-Version: 13", with: line)
        #expect(response.status == 426)
        #expect(response.headers["Sec-WebSocket-Version"] == "13")
        let text = String(decoding: response.encoded(keepAlive: false), as: UTF8.self)
        #expect(text.contains("Connection: Upgrade, close\r\n"))
    }

    @Test(
        "a missing, short, doubled or non-base64 key is answered with 400 (RFC 6455 §4.2.1)",
        arguments: [
            "", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=", "Sec-WebSocket-Key: dGhlIHNhbXBsZQ==",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25j!Q==", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZSE=",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ])
    func key(line: String) throws {
        let response = try refusal(replacing: "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", with: line)
        #expect(response.status == 400)
        #expect(String(decoding: response.body, as: UTF8.self).contains("Sec-WebSocket-Key"))
    }

    @Test("another method is answered with 400, no upgrade with 426")
    func methodAndUpgrade() throws {
        #expect(try refusal(replacing: "GET /chat HTTP/1.1", with: "POST /chat HTTP/1.1").status == 400)
        #expect(try refusal(replacing: "Upgrade: websocket", with: "Upgrade: h2c").status == 426)
        #expect(try refusal(replacing: "Connection: Upgrade", with: "Connection: close").status == 426)
        #expect(try refusal(replacing: "GET /chat HTTP/1.1", with: "GET /chat HTTP/1.0").status == 426)
        #expect(
            try refusal(replacing: "Sec-WebSocket-Protocol: chat, superchat", with: "Sec-WebSocket-Protocol: a b")
                .status == 400)
    }

    @Test("a client and a server agree")
    func agreement() throws {
        let client = ClientHandshake(
            host: "campus:80", path: "/ws?a=ü", subprotocols: ["campanile.v1", "other"],
            headers: ["Origin": "http://campus\r\nX: y", "Upgrade": "h2c"])
        var requests = HTTPRequestParser()
        client.request.withUnsafeBytes { requests.append($0) }
        let request = try #require(try requests.next())
        #expect(request.query.first?.1 == "ü")
        #expect(request.headers.all("Upgrade") == ["websocket"])
        #expect(request.headers["X"] == nil)
        guard
            case .accept(let bytes, let subprotocol, _) = ServerHandshake.respond(
                to: request, subprotocols: ["campanile.v1"])
        else {
            Issue.record("refused")
            return
        }
        var responses = HTTPResponseParser()
        (bytes + FrameEncoder.text(Array("first"))).withUnsafeBytes { responses.append($0) }
        let response = try #require(try responses.next())
        #expect(try client.verify(response).subprotocol == subprotocol)
        let remainder = responses.takeRemainder()
        #expect(remainder == FrameEncoder.text(Array("first")))
    }

    @Test("every handshake has a key of its own")
    func randomKeys() {
        let requests = (0..<10).map { _ in ClientHandshake(host: "a", path: "/").request }
        #expect(Set(requests).count == 10)
    }

    @Test("a client refuses an answer that breaks a rule (RFC 6455 §4.1)")
    func verification() throws {
        let client = ClientHandshake(
            host: "a", path: "/", subprotocols: ["chat"], key: Array("the sample nonce"))
        let good: HTTPHeaders = [
            "Upgrade": "WebSocket", "Connection": "upgrade", "Sec-WebSocket-Accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
        ]
        #expect(try client.verify(HTTPResponse(status: 101, headers: good)).subprotocol == nil)
        #expect(throws: HandshakeError.refused(status: 200)) {
            try client.verify(HTTPResponse(status: 200, headers: good))
        }
        for (name, value) in [
            ("Upgrade", "h2c"), ("Connection", "close"), ("Sec-WebSocket-Accept", "x"),
            ("Sec-WebSocket-Extensions", "permessage-deflate"), ("Sec-WebSocket-Protocol", "other"),
        ] {
            var bad = good
            bad.set(name, value)
            #expect(throws: HandshakeError.self, "\(name)") {
                try client.verify(HTTPResponse(status: 101, headers: bad))
            }
        }
    }
}
