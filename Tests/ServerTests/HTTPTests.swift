import CampanileClient
import Foundation
import Server
import TestSupport
import Testing
import Wire

@Suite("HTTP over real sockets")
struct HTTPTests {
    private func exchange(_ request: String, headOnly: Bool = false) async throws -> RawResponse {
        let socket = try RawSocket(port: try await Shared.server.port)
        defer { socket.close() }
        try await socket.send(request)
        return try await socket.response(headOnly: headOnly)
    }

    private func get(_ path: String, method: String = "GET", headers: String = "") async throws -> RawResponse {
        try await exchange("\(method) \(path) HTTP/1.1\r\nHost: x\r\n\(headers)\r\n", headOnly: method == "HEAD")
    }

    private func rpc(
        _ body: String, type: String? = "application/json", headers: String = ""
    ) async throws -> RawResponse {
        let type = type.map { "Content-Type: \($0)\r\n" } ?? ""
        return try await exchange(
            "POST /rpc HTTP/1.1\r\nHost: x\r\n\(type)\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    // MARK: Pages

    @Test(
        "Every page of the web app is its document",
        arguments: [
            "/", "/map", "/map/", "/map/places", "/search", "/nearby", "/place/room/3", "/track", "/history",
            "/history/3", "/login", "/register", "/account",
            "/s/1.abc", "/l/abc", "/events/3/edit", "/notices/sent/3", "/settings/privacy", "/admin/users/new",
            "/welcome/abc", "/reset", "/reset/abc",
        ])
    func pages(path: String) async throws {
        let response = try await get(path)
        #expect(response.status == 200)
        #expect(response.headers["content-type"] == "text/html; charset=utf-8")
        #expect(response.text.contains("<title>Campanile</title>"))
    }

    @Test("Every file that the service worker keeps for offline use is served")
    func files() async throws {
        let worker = try await get("/sw.js").text
        #expect(worker.contains("importScripts(\"/app/offline.js\")"))
        let lists = try await worker + get("/app/offline.js").text
        let names = lists.matches(of: /"([a-z\/-]+\.(?:js|css|svg))"/).map { String($0.1) }
        #expect(names.count > 200)
        for name in names {
            let path = name.hasPrefix("/") ? name : "/app/\(name)"
            #expect(try await get(path).status == 200, "\(path)")
        }
    }

    @Test("The default picture of accounts is served, also at its former address")
    func defaultPicture() async throws {
        let picture = try await get(Account.defaultPicture)
        #expect(picture.status == 200 && picture.headers["content-type"] == "image/svg+xml")
        #expect(try await get("/app/person.svg").body == picture.body)
    }

    @Test(
        "An address without a page is 404",
        arguments: [
            "/nothing", "/app/nothing.js", "/mapp", "/app/../sql", "/../etc/passwd", "//", "/map/nothing",
            "/settings/nothing",
            "/events//edit", "/events/3/edit/more", "/s", "/:id",
        ])
    func notFound(path: String) async throws {
        let status = try await get(path).status
        #expect(status == 404 || status == 400)
    }

    @Test(
        "A method that does not fit is 405 and names those that do",
        arguments: [
            ("DELETE", "/", "GET, HEAD, OPTIONS"), ("POST", "/map", "GET, HEAD, OPTIONS"),
            ("PATCH", "/config.json", "GET, HEAD, OPTIONS"), ("TRACE", "/healthz", "GET, HEAD, OPTIONS"),
            ("PUT", "/ws", "GET, HEAD, OPTIONS"), ("GET", "/rpc", "POST, OPTIONS"), ("HEAD", "/rpc", "POST, OPTIONS"),
        ])
    func notAllowed(method: String, path: String, allowed: String) async throws {
        let response = try await get(path, method: method)
        #expect(response.status == 405)
        #expect(response.headers["allow"] == allowed)
    }

    @Test("HEAD says what GET would, without the body, and the connection goes on")
    func head() async throws {
        let socket = try RawSocket(port: try await Shared.server.port)
        defer { socket.close() }
        try await socket.send("HEAD /map HTTP/1.1\r\nHost: x\r\n\r\nGET /map HTTP/1.1\r\nHost: x\r\n\r\n")
        let head = try await socket.response(headOnly: true)
        let whole = try await socket.response()
        #expect(head.status == 200)
        #expect(head.headers["content-length"] == whole.headers["content-length"])
        #expect(head.headers["etag"] == whole.headers["etag"])
        #expect(whole.body.count == Int(whole.headers["content-length"] ?? ""))
    }

    @Test("A known entity tag gets 304 without a body", arguments: ["/", "/app/shell/main.js", "/campus/map.geojson"])
    func notModified(path: String) async throws {
        let first = try await get(path)
        let tag = try #require(first.headers["etag"])
        let again = try await get(path, headers: "If-None-Match: \"x\", \(tag)\r\n")
        #expect(again.status == 304)
        #expect(again.headers["etag"] == tag)
        #expect(try await get(path, headers: "If-None-Match: \"x\"\r\n").status == 200)
    }

    @Test(
        "Every answer has the security headers",
        arguments: ["/", "/nothing", "/healthz", "/campus/map.geojson", "/app/shell/main.js"])
    func securityHeaders(path: String) async throws {
        let headers = try await get(path).headers
        let policy = try #require(headers["content-security-policy"])
        #expect(!policy.contains("unsafe"))
        #expect(policy.contains("default-src 'self'"))
        #expect(policy.contains("frame-ancestors 'none'"))
        // Players of videos in a workout, and no other site.
        #expect(policy.contains("; frame-src https://www.youtube-nocookie.com https://player.vimeo.com; "))
        #expect(headers["x-content-type-options"] == "nosniff")
        #expect(headers["referrer-policy"] == "no-referrer")
        #expect(headers["date"]?.hasSuffix(" GMT") == true)
    }

    @Test("The campus map is a FeatureCollection with every kind that the Protocol names")
    func map() async throws {
        let response = try await get("/campus/map.geojson")
        #expect(response.headers["content-type"] == "application/geo+json")
        let map = try response.object()
        #expect(map["type"] as? String == "FeatureCollection")
        let features = try #require(map["features"] as? [[String: Any]])
        let kinds = Set(features.compactMap { ($0["properties"] as? [String: Any])?["kind"] as? String })
        #expect(kinds == ["zone", "building", "way", "place", "area"])
        #expect(features.allSatisfy { $0["type"] as? String == "Feature" && $0["geometry"] is [String: Any] })
    }

    @Test("config.json tells the web app what it needs")
    func config() async throws {
        let config = try await get("/config.json").object()
        #expect(config["version"] as? String == ServerConfiguration.version)
        #expect((config["campus"] as? [String: Any])?["name"] as? String == "Bellmere University")
        #expect(config["demo"] as? Bool == false)
        #expect(config["mail"] as? Bool == false)
    }

    // MARK: /rpc

    @Test("/rpc answers a guest, and an account by its token")
    func rpcTokens() async throws {
        let server = try await Shared.server
        #expect(try await rpc(#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).object()["result"] != nil)
        let guest = try await rpc(#"{"jsonrpc":"2.0","id":1,"method":"account.me"}"#).object()
        #expect((guest["error"] as? [String: Any])?["code"] as? Int == 1001)
        let (connection, account) = try await server.register()
        let me = try await rpc(
            #"{"jsonrpc":"2.0","id":1,"method":"account.me"}"#, headers: "Authorization: Bearer \(account.token)\r\n")
        let name = ((try me.object()["result"] as? [String: Any])?["account"] as? [String: Any])?["username"] as? String
        #expect(name == account.account.username)
        let wrong = try await rpc("{}", headers: "Authorization: Bearer wrong\r\n")
        #expect(wrong.status == 401)
        #expect(try await rpc("{}", headers: "Authorization: Basic eDp5\r\n").status == 401)
        await connection.close()
    }

    @Test("A guest learns the server's version and campus, whether everybody may register, and which methods there are")
    func serverInfo() async throws {
        let reply = try await rpc(#"{"jsonrpc":"2.0","id":1,"method":"server.info"}"#).object()
        let info = try #require(reply["result"] as? [String: Any])
        #expect(info["version"] as? String == ServerConfiguration.version)
        #expect(info["campus"] as? String == "Bellmere University")
        #expect(info["isRegistrationOpen"] as? Bool == true)
        #expect(info["methods"] as? [String] == APIRegistry.methods.map { $0.name }.sorted())
    }

    @Test("/rpc wants JSON", arguments: [nil, "text/plain", "application/x-www-form-urlencoded"])
    func rpcContentType(type: String?) async throws {
        #expect(try await rpc(#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, type: type).status == 415)
    }

    @Test(
        "A request that is wrong gets its error's number and id",
        arguments: [
            ("{", -32700, "null"), ("", -32700, "null"), ("[1,", -32700, "null"), ("7", -32600, "null"),
            (#"{"id":1}"#, -32600, "null"), (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600, "null"),
            (#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, "null"),
            (#"{"jsonrpc":"2.0","id":7,"method":"nothing"}"#, -32601, "7"),
            (#"{"jsonrpc":"2.0","id":"a","method":"campus.locate","params":{"lat":"x","lon":1}}"#, -32602, "\"a\""),
            (#"{"jsonrpc":"2.0","id":1,"method":"campus.locate","params":[1,2]}"#, -32602, "1"),
            (#"{"jsonrpc":"2.0","id":1,"method":"campus.locate"}"#, -32602, "1"),
            (#"{"jsonrpc":"2.0","id":1,"method":"campus.locate","params":{"lat":91,"lon":1}}"#, -32602, "1"),
            (#"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"topic":"zone/1/positions"}}"#, 1004, "1"),
        ])
    func rpcErrors(body: String, code: Int, id: String) async throws {
        let response = try await rpc(body)
        #expect(response.status == 200)
        #expect((try response.object()["error"] as? [String: Any])?["code"] as? Int == code)
        #expect(response.text.contains("\"id\":\(id)"))
    }

    @Test("Wrong types are told with the member's path and without its value")
    func rpcField() async throws {
        let body = #"{"jsonrpc":"2.0","id":1,"method":"campus.locate","params":{"lat":"s3cret","lon":1}}"#
        let response = try await rpc(body)
        let error = try #require(try response.object()["error"] as? [String: Any])
        #expect((error["data"] as? [String: Any])?["field"] as? String == "lat")
        #expect(!response.text.contains("s3cret"))
    }

    @Test("JSON nested a hundred thousand deep is refused, and the server lives")
    func rpcDepth() async throws {
        for opening in ["[", #"{"a":"#] {
            let body = String(repeating: opening, count: 100_000)
            #expect(try await rpc(body).object()["error"] != nil)
        }
        #expect(try await get("/healthz").status == 200)
    }

    @Test("Numbers beyond a double's range are refused, and the server lives")
    func rpcHugeNumbers() async throws {
        let one = #"{"jsonrpc":"2.0","id":1,"method":"campus.locate","params":{"lat":1e999,"lon":-1e999}}"#
        #expect(try await rpc(one).object()["error"] != nil)
        let batch = try await rpc("[\(one)]")
        #expect(batch.text.contains("error"))
        #expect(try await get("/healthz").status == 200)
    }

    @Test("A batch is answered in order, without its notifications")
    func batch() async throws {
        let body = """
            [{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"ping"},5,
             {"jsonrpc":"2.0","id":"b","method":"nothing"},{"jsonrpc":"2.0","method":"nothing"},
             {"jsonrpc":"2.0","id":3,"method":"campus.locate","params":{"lat":51.5,"lon":8.000001}}]
            """
        let replies = try #require(try await rpc(body).json() as? [[String: Any]])
        #expect(replies.count == 4)
        #expect(replies[0]["id"] as? Int == 1)
        #expect((replies[1]["error"] as? [String: Any])?["code"] as? Int == -32600)
        #expect(replies[2]["id"] as? String == "b")
        #expect(replies[3]["result"] != nil)
    }

    @Test("An empty batch and one of more than fifty are invalid requests")
    func batchSizes() async throws {
        let ping = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
        for body in ["[]", "[ ]", "[" + Array(repeating: ping, count: 51).joined(separator: ",") + "]"] {
            #expect((try await rpc(body).object()["error"] as? [String: Any])?["code"] as? Int == -32600)
        }
        let fifty = "[" + Array(repeating: ping, count: 50).joined(separator: ",") + "]"
        #expect((try await rpc(fifty).json() as? [Any])?.count == 50)
    }

    @Test("Notifications alone get 204 and no body")
    func notifications() async throws {
        for body in [#"{"jsonrpc":"2.0","method":"ping"}"#, #"[{"jsonrpc":"2.0","method":"ping"}]"#] {
            let response = try await rpc(body)
            #expect(response.status == 204)
            #expect(response.body.isEmpty)
        }
    }

    // MARK: The protocol's edges

    @Test("A body beyond the limit is 413, told by its declared length, and the connection closes")
    func tooLarge() async throws {
        let socket = try RawSocket(port: try await Shared.server.port)
        defer { socket.close() }
        try await socket.send("POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n")
        let response = try await socket.response()
        #expect(response.status == 413)
        #expect(response.headers["connection"] == "close")
        #expect(try await socket.readToEnd().isEmpty)
    }

    @Test(
        "Bytes that are no HTTP are 400",
        arguments: [
            "GET / HTTP/1.1\nHost: x\n\n", "GET  / HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
            "hello\r\n\r\n", "GET / HTTP/1.1\r\nHost : x\r\n\r\n",
        ])
    func badRequest(bytes: String) async throws {
        let response = try await exchange(bytes)
        #expect(response.status == 400)
        #expect(response.headers["connection"] == "close")
    }

    @Test("A connection is kept, and pipelined requests are answered in order")
    func pipelined() async throws {
        let socket = try RawSocket(port: try await Shared.server.port)
        defer { socket.close() }
        let requests = (0..<40).map { index in
            let body = #"{"jsonrpc":"2.0","id":\#(index),"method":"ping"}"#
            return
                "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                + (index % 3 == 0 ? "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n" : "")
        }
        try await socket.send(requests.joined())
        for index in 0..<40 {
            #expect(try await socket.response().object()["id"] as? Int == index)
            if index % 3 == 0 { #expect(try await socket.response().text.hasPrefix("ok")) }
        }
        try await socket.send("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        #expect(try await socket.response().headers["connection"] == "close")
        #expect(try await socket.readToEnd().isEmpty)
    }

    @Test("Requests that came before the peer shut its side down are all answered")
    func halfClosed() async throws {
        let socket = try RawSocket(port: try await Shared.server.port)
        defer { socket.close() }
        let request = "GET /map HTTP/1.1\r\nHost: x\r\n\r\n"
        try await socket.send(request + request + request)
        socket.shutDownWriting()
        for _ in 0..<3 { #expect(try await socket.response().status == 200) }
        #expect(try await socket.readToEnd().isEmpty)
    }

    @Test("Expect: 100-continue is answered before the body comes")
    func expectContinue() async throws {
        let socket = try RawSocket(port: try await Shared.server.port)
        defer { socket.close() }
        let body = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
        try await socket.send(
            "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        )
        #expect(try await socket.response().status == 100)
        try await socket.send(body)
        #expect(try await socket.response().status == 200)
    }
}
