import EventLoop
import Foundation
import TestSupport
import Testing
import Wire

@testable import Server

@Suite("GET /metrics")
struct MetricsEndpointTests {
    private static let token = "a-token-for-scrapers"

    private func get(_ port: UInt16, _ headers: String = "", path: String = "/metrics", method: String = "GET")
        async throws
        -> RawResponse
    {
        let socket = try RawSocket(port: port)
        defer { socket.close() }
        try await socket.send("\(method) \(path) HTTP/1.1\r\nHost: x\r\n\(headers)\r\n")
        return try await socket.response(headOnly: method == "HEAD")
    }

    private func scrape(_ port: UInt16) async throws -> Exposition {
        try Exposition(try await get(port, "Authorization: Bearer \(Self.token)\r\n").text)
    }

    @Test("Without being asked for there are none")
    func off() async throws {
        #expect(try await get(try await Shared.server.port).status == 404)
        #expect(try await get(try await Shared.server.port, "Authorization: Bearer \(Self.token)\r\n").status == 404)
    }

    @Test("Only the token opens them")
    func token() async throws {
        let server = try await TestServer.start { $0.metricsToken = Self.token }
        for headers in [
            "", "Authorization: Bearer \(Self.token)x\r\n", "Authorization: Bearer \r\n", "Authorization: Bearer a\r\n",
            "Authorization: Basic \(Self.token)\r\n",
            "Authorization: Bearer \(Self.token)\r\nAuthorization: Bearer \(Self.token)\r\n",
        ] {
            let response = try await get(server.port, headers)
            #expect(response.status == 401 && response.headers["www-authenticate"] == "Bearer", "\(headers)")
            #expect(!response.text.contains("campanile_"))
        }
        let response = try await get(server.port, "Authorization: bearer \(Self.token)\r\n")
        #expect(
            response.status == 200 && response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        #expect(response.headers["cache-control"] == "no-store")
        let open = try await get(
            server.port, "Authorization: Bearer \(Self.token)\r\nAccept: application/openmetrics-text;version=1.0.0\r\n"
        )
        #expect(open.headers["content-type"]?.hasPrefix("application/openmetrics-text") == true)
        #expect(open.text.hasSuffix("# EOF\n"))
        let packed = try await get(server.port, "Authorization: Bearer \(Self.token)\r\nAccept-Encoding: gzip\r\n")
        #expect(packed.headers["content-encoding"] == "gzip" && packed.body.count * 3 < response.body.count)
        await server.stop()
    }

    @Test("A port of its own has them and nothing else, while the server's port has none")
    func port() async throws {
        let server = try await TestServer.start { $0.metricsPort = 0 }
        let port = try #require(await server.metricsPort)
        #expect(try Exposition(try await get(port).text).value("process_open_fds") ?? 0 > 3)
        for path in ["/", "/rpc", "/healthz", "/app/shell/main.js", "/ws"] {
            #expect(try await get(port, path: path).status == 404)
        }
        #expect(try await get(port, method: "POST").status == 405)
        #expect(try await get(server.port).status == 404)
        let socket = try RawSocket(port: port)
        try await socket.send(RawWebSocket.upgradeRequest(port: port))
        #expect(try await socket.response().status == 404)
        await server.stop()
        #expect(throws: RawSocket.Failure.self) { try RawSocket(port: port) }
    }

    @Test("A port of its own has few places, which are not the application's")
    func portIsLimited() async throws {
        let server = try await TestServer.start { $0.metricsPort = 0 }
        let port = try #require(await server.metricsPort)
        let open = try (0..<Listener.scrapersMax).map { _ in try RawSocket(port: port) }
        let refused = try await RawSocket(port: port).response()
        #expect(refused.status == 503)
        #expect(try await get(server.port, path: "/healthz").status == 200)
        for socket in open { socket.close() }
        await server.stop()
    }

    @Test("What happens is counted, and what is over is not open any more")
    func counts() async throws {
        let server = try await TestServer.start {
            $0.metricsToken = Self.token
            $0.rateLimits[.register] = Rate(perSecond: 0.001, burst: 1)
        }
        let before = try await scrape(server.port)
        #expect(before.value("campanile_connections_open", ["kind": "websocket"]) == 0)
        #expect(before.value("campanile_build_info", ["version": ServerConfiguration.version]) == 1)

        let run = try await TestRun(on: server)
        _ = try await run.run(50)
        let viewer = try await server.connect()
        // Kept to the end: a stream that nobody holds is unsubscribed from.
        let events = try await viewer.subscribe(to: .session(await run.id))
        await #expect(throws: RPCError.self) {
            let name = TestServer.newName()
            _ = try await viewer.call(
                AccountRegister.self,
                AccountRegister.Params(username: name, email: "\(name)@example.org", password: TestServer.password))
        }
        let mute = try await RawWebSocket(port: server.port)
        try await mute.request(1, "nothing.here")
        #expect(try await mute.reply().errorCode == -32601)
        try await mute.socket.send(RawWebSocket.frame(2, [1]))
        #expect(try await mute.closeCode() == 1003)
        _ = try await get(server.port, path: "/nothing")

        let after = try await eventually("the closed connection is counted out") { () -> Exposition? in
            let read = try await scrape(server.port)
            return read.value("campanile_websocket_closes_total", ["code": "1003"]) == 1 ? read : nil
        }
        func method(_ name: String, _ outcome: String) -> Double? {
            after.value("campanile_rpc_requests_total", ["method": name, "outcome": outcome])
        }
        #expect(method("tracking.start", "ok") == 1)
        #expect(method("tracking.points", "ok") ?? 0 >= 1)
        #expect(method("account.register", "limited") == 1)
        #expect(method("unknown", "refused") == 1)
        #expect(after.value("campanile_rpc_request_duration_seconds_count", ["method": "tracking.start"]) == 1)
        #expect(after.value("campanile_rate_limited_total", ["limit": "register"]) == 1)
        #expect(after.value("campanile_hub_sessions") == 1)
        #expect(after.value("campanile_hub_subscriptions", ["topic": "session"]) == 1)
        #expect(after.value("campanile_hub_tick_duration_seconds_count") ?? 0 >= 1)
        #expect(after.sum("campanile_http_requests_total", where: ["status": "4xx"]) == 1)
        #expect(after.sum("campanile_http_requests_total", where: ["status": "1xx"]) >= 3)
        #expect(after.value("campanile_database_connections_open") == 5)
        #expect(after.value("campanile_database_query_duration_seconds_count") ?? 0 > 5)
        #expect(after.value("campanile_database_group_writes_count") ?? 0 >= 1)
        #expect(after.sum("campanile_messages_received_total") >= 6)
        #expect(after.sum("campanile_messages_sent_total", where: ["lane": "reply"]) >= 6)
        #expect(after.sum("campanile_network_received_bytes_total") > 1_000)
        #expect(after.sum("campanile_network_sent_bytes_total") > before.sum("campanile_network_sent_bytes_total"))
        #expect(after.sum("campanile_send_queue_bytes") == 0)
        #expect(after.value("process_cpu_seconds_total") ?? 0 > 0)
        #expect(after.value("process_resident_memory_bytes") ?? 0 > 1_000_000)

        withExtendedLifetime(events) {}
        await viewer.close()
        await run.connection.close()
        _ = try await eventually("no WebSocket is open") { () -> Bool? in
            let read = try await scrape(server.port)
            // The scraper's own connection is the one that is open.
            return read.value("campanile_connections_open", ["kind": "websocket"]) == 0
                && read.value("campanile_connections_open", ["kind": "http"]) == 1
                && read.value("campanile_hub_subscriptions", ["topic": "session"]) == 0 ? true : nil
        }
        await server.stop()
    }

    @Test("Every metric is in the Metrics article, and every one there exists")
    func documented() async throws {
        let server = try await TestServer.start { $0.metricsToken = Self.token }
        let read = try await scrape(server.port)
        await server.stop()
        let article = try String(
            contentsOf: TestServer.root.appendingPathComponent("Sources/campanile/Documentation.docc/Metrics.md"),
            encoding: .utf8)
        let received = Set(article.matches(of: /`((?:campanile|process)_[a-z_]+)`/).map { String($0.1) })
        #expect(received == Set(read.types.keys))
    }
}
