import EventLoop
import Foundation
import TestSupport
import Testing
import WebSocket

@testable import Server

@Suite("Plain HTTP")
struct PlainHTTPTests {
    private static func request(_ proto: String? = nil) throws -> HTTPRequest {
        var request = HTTPRequest(method: "GET", target: "/", path: "/")
        if let proto { request.headers.set("X-Forwarded-Proto", proto) }
        return request
    }

    @Test("Requests without TLS come from this machine, named networks, and proxies that do not pass plain HTTP on")
    func rule() throws {
        var configuration = ServerConfiguration(dataDirectory: "/nowhere", resources: try Resources.find())
        configuration.trustedProxies = [try #require(NetworkPrefix("192.0.2.0/24"))]
        func allows(_ peer: String, _ proto: String? = nil, isSecure: Bool = false) throws -> Bool {
            configuration.allowsTransport(of: try Self.request(proto), from: peer, isSecure: isSecure)
        }
        for peer in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "192.0.2.7"] {
            #expect(try allows(peer), "\(peer)")
        }
        for peer in ["198.51.100.7", "2001:db8::1", "10.0.0.1", "::ffff:198.51.100.7"] {
            #expect(try !allows(peer), "\(peer)")
            #expect(try allows(peer, isSecure: true), "\(peer)")
            #expect(try !allows(peer, "https"), "\(peer) is no proxy")
        }
        #expect(try allows("192.0.2.7", "https") && !allows("192.0.2.7", "HTTP"))
        configuration.plainHTTPNetworks += [try #require(NetworkPrefix("10.0.0.0/8"))]
        #expect(try allows("10.1.2.3") && !allows("198.51.100.7"))
        configuration.plainHTTPNetworks = NetworkPrefix.all
        #expect(try allows("198.51.100.7") && allows("2001:db8::1"))
    }

    @Test(
        "Pages, requests, uploads and upgrades from elsewhere get 403 and the connection ends; supervisors are answered"
    )
    func refused() async throws {
        // This machine counts as elsewhere.
        let server = try await TestServer.start { $0.plainHTTPNetworks = [] }
        func status(_ head: String) async throws -> Int {
            let socket = try RawSocket(port: server.port)
            defer { socket.close() }
            try await socket.send(head)
            let status = try await socket.response().status
            if status == 403 { #expect(try await socket.readToEnd().isEmpty) }
            return status
        }
        let host = "Host: 127.0.0.1:\(server.port)\r\n"
        #expect(try await status("GET / HTTP/1.1\r\n\(host)\r\n") == 403)
        #expect(try await status("POST /rpc HTTP/1.1\r\n\(host)Content-Length: 2\r\n\r\n{}") == 403)
        #expect(try await status("POST /pictures HTTP/1.1\r\n\(host)Content-Length: 2000000\r\n\r\n") == 403)
        #expect(try await status(RawWebSocket.upgradeRequest(port: server.port)) == 403)
        #expect(try await status("GET /healthz HTTP/1.1\r\n\(host)\r\n") == 200)
        #expect(try await status("GET /readyz HTTP/1.1\r\n\(host)\r\n") == 200)
        await server.stop()
    }
}
