import Foundation
import TestSupport
import Testing

@Suite("The documents that describe the API")
struct APIDocumentTests {
    @Test(
        "A client that reads only the documents registers, tracks, and receives positions, a binary frame and a chat message",
        .timeLimit(.minutes(2)))
    func client() async throws {
        let server = try await TestServer.start()
        let client = try await TestPython.start("apiclient", [server.url])
        _ = try await eventually("the client is done") { client.said("done").first }
        #expect(client.said("registered").count == 1)
        #expect(client.said("tracked").first?.number("stored") == 5)
        #expect(client.said("positions").map { $0.text("kind") } == ["zonePositions", "cellPositions"])
        #expect(client.said("frame").count == 1)
        #expect(client.said("message").first?.text("text") == "Meet at seven?")
        client.end()
        await server.stop()
    }

    @Test("The program of the FirstClient article shows a runner", .timeLimit(.minutes(2)))
    func tutorial() async throws {
        let server = try await TestServer.start()
        let client = try await TestPython.start("tutorial", [server.url])
        _ = try await eventually("the program has shown the runner") { client.said("shown").first }
        #expect(client.said("tracked").first?.number("stored") == 1)
        client.end()
        await server.stop()
    }

    @Test(
        "Pages of other sites may read and keep the documents",
        arguments: ["/api/openrpc.json", "/api/asyncapi.json"])
    func headers(path: String) async throws {
        let socket = try RawSocket(port: try await Shared.server.port)
        defer { socket.close() }
        try await socket.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
        let response = try await socket.response()
        #expect(response.status == 200)
        #expect(response.headers["content-type"] == "application/json")
        #expect(response.headers["access-control-allow-origin"] == "*")
        #expect(response.headers["cache-control"] == "public, max-age=300")
        #expect(response.headers["etag"] != nil)
        #expect(try JSONSerialization.jsonObject(with: Data(response.text.utf8)) is [String: Any])
    }
}
