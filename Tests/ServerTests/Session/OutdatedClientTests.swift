import Foundation
import TestSupport
import Testing
import Wire

@Suite("Clients with a version of the protocol that the server no longer supports")
struct OutdatedClientTests {
    @Test("An outdated client uploads what it holds; every other method says that it must be updated")
    func outdated() async throws {
        let server = try await TestServer.start {
            $0.oldestProtocol = 2
            $0.rateLimits = .off
            $0.testEndpoints = true
        }
        let current = try await RawWebSocket(port: server.port, hello: false)
        try await current.request(1, "hello", #"{"protocolVersion":2}"#)
        #expect(try await current.reply().errorCode == nil)
        try await current.request(
            2, "account.register", #"{"username":"outdated","email":"outdated@example.org","password":"Secret123"}"#)
        let owner = try #require(try await current.reply().object()["result"] as? [String: Any])
        let token = try #require(owner["token"] as? String)
        let client = try await RawWebSocket(port: server.port, hello: false)
        try await client.request(1, "hello", #"{"token":"\#(token)","protocolVersion":1}"#)
        let hello = try #require(try await client.reply().object()["result"] as? [String: Any])
        #expect(hello["isOutdated"] as? Bool == true && hello["webApp"] as? String == "sources")

        for (index, method) in APIRegistry.methods.enumerated()
        where method.name != Hello.name && method.name != AccountLogout.name {
            try await client.request(10 + index, method.name)
            let code = try await client.reply().errorCode
            #expect((code == ErrorCode.clientOutdated.rawValue) != method.isForOutdated, "\(method.name): \(code ?? 0)")
        }
        for (topic, code) in [("user/1", nil), ("zone/1/positions", ErrorCode.clientOutdated.rawValue)] {
            try await client.request(800, "subscribe", #"{"topic":"\#(topic)"}"#)
            #expect(try await client.reply().errorCode == code)
        }
        try await client.request(900, "tracking.start", #"{"clientId":"\#(UUID().uuidString)","activity":"run"}"#)
        let started = try #require(try await client.reply().object()["result"] as? [String: Any])
        let session = try #require(started["session"] as? [String: Any])
        #expect(session["state"] as? String == "running")
        await server.stop()
    }

    @Test("The Protocol article lists the methods that an outdated client may use")
    func documented() throws {
        let article = try String(
            contentsOf: TestServer.root.appendingPathComponent("Sources/campanile/Documentation.docc/Protocol.md"),
            encoding: .utf8)
        let start = try #require(article.range(of: "It then accepts only")).upperBound
        let end = try #require(article.range(of: "All others get 1011", range: start..<article.endIndex)).lowerBound
        let listed = article[start..<end].matches(of: /`([a-z]+(?:\.[A-Za-z]+)?)`/).map { String($0.1) }
        var open: [String] = []
        for method in APIRegistry.methods where method.isForOutdated { open.append(method.name) }
        #expect(listed.sorted() == open.sorted())
    }

    @Test("An outdated client may send each change that waits in the web app")
    func waiting() throws {
        let queue = try String(
            contentsOf: TestServer.root.appendingPathComponent("Sources/WebApp/connection/waitingmethods.js"),
            encoding: .utf8)
        let methods = queue.matches(of: /\n  "([a-z]+\.[A-Za-z]+)": \{/).map { String($0.1) }
        #expect(methods.count >= 30)
        for name in methods {
            #expect(APIRegistry.methods.contains { $0.name == name && $0.isForOutdated }, "\(name)")
        }
    }

    @Test("A client that states the oldest supported version, or a later one, may use every method")
    func supported() async throws {
        let server = try await TestServer.start { $0.oldestProtocol = 2 }
        for version in [2, 3, 2_147_483_647] {
            let client = try await RawWebSocket(port: server.port, hello: false)
            try await client.request(1, "hello", #"{"protocolVersion":\#(version)}"#)
            let hello = try #require(try await client.reply().object()["result"] as? [String: Any])
            #expect(hello["isOutdated"] == nil)
            try await client.request(2, "campus.info")
            #expect(try await client.reply().errorCode == nil)
        }
        await server.stop()
    }
}
