import EventLoop
import Foundation
import Server
import Services
import TestSupport
import Testing
import Wire

@testable import class Server.Upload
@testable import class Server.UploadCapacity

@Suite("Pictures over HTTP")
struct PictureTests {
    private static let bytes = Result { try TestPicture.make("jpg", width: 400, height: 300) }

    /// The head of an upload.
    private func head(
        _ token: String?, length: Int?, type: String? = "image/jpeg", purpose: String = "chat", more: String = ""
    ) -> String {
        "POST /pictures?purpose=\(purpose) HTTP/1.1\r\nHost: x\r\n"
            + (token.map { "Authorization: Bearer \($0)\r\n" } ?? "") + (type.map { "Content-Type: \($0)\r\n" } ?? "")
            + (length.map { "Content-Length: \($0)\r\n" } ?? "") + more + "\r\n"
    }

    private func upload(
        _ server: TestServer, _ token: String?, _ bytes: [UInt8], type: String? = "image/jpeg", purpose: String = "chat"
    ) async throws -> RawResponse {
        let socket = try RawSocket(port: server.port)
        defer { socket.close() }
        try await socket.send(Array(head(token, length: bytes.count, type: type, purpose: purpose).utf8) + bytes)
        return try await socket.response()
    }

    /// The answer to a head alone.
    private func answer(_ server: TestServer, _ head: String) async throws -> RawResponse {
        let socket = try RawSocket(port: server.port)
        defer { socket.close() }
        try await socket.send(head)
        return try await socket.response()
    }

    private func get(
        _ server: TestServer, _ path: String, _ token: String?, more: String = "", method: String = "GET"
    ) async throws -> RawResponse {
        let socket = try RawSocket(port: server.port)
        defer { socket.close() }
        let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        try await socket.send("\(method) \(path) HTTP/1.1\r\nHost: x\r\n\(authorization)\(more)\r\n")
        return try await socket.response(headOnly: method == "HEAD")
    }

    private func token(_ server: TestServer) async throws -> String {
        let (connection, account) = try await server.register()
        await connection.close()
        return account.token
    }

    private func error(_ response: RawResponse) throws -> [String: Any] {
        #expect(response.headers["content-type"] == "application/json")
        #expect(response.headers["cache-control"] == "no-store")
        return try response.object()["error"] as? [String: Any] ?? [:]
    }

    // MARK: Taking and showing

    @Test("A picture that was sent is shown to its owner, whole and as a thumbnail, and never kept unasked")
    func roundTrip() async throws {
        let server = try await Shared.server
        let token = try await token(server)
        let photograph = try TestPicture.photograph(width: 2_000, height: 1_000, orientation: 6)
        let answer = try await upload(server, token, photograph)
        #expect(answer.status == 201)
        let picture = try JSONDecoder().decode(UploadedPicture.self, from: Data(answer.body))
        #expect((picture.width, picture.height) == (800, 1_600))
        #expect(answer.headers["location"] == "/pictures/\(picture.picture)")
        #expect(answer.headers["connection"] == "keep-alive")
        for (path, width) in [("/pictures/\(picture.picture)", 800), ("/pictures/\(picture.picture)/thumb", 160)] {
            let shown = try await get(server, path, token)
            #expect(shown.status == 200)
            let facts = try TestPicture.look(at: shown.body)
            #expect(facts.width == width && !facts.header.contains("exif"))
            #expect(shown.headers["content-type"] == "image/jpeg")
            #expect(shown.headers["cache-control"] == "private, no-cache")
            #expect(shown.headers["content-disposition"] == "inline")
            #expect(shown.headers["x-content-type-options"] == "nosniff")
            let tag = try #require(shown.headers["etag"])
            #expect(try await get(server, path, token, more: "If-None-Match: \(tag)\r\n").status == 304)
            let headOnly = try await get(server, path, token, method: "HEAD")
            #expect(headOnly.headers["content-length"] == "\(shown.body.count)")
            // Who may not see it hears nothing of what is kept either.
            let stranger = try await self.token(server)
            #expect(try await get(server, path, stranger, more: "If-None-Match: \(tag)\r\n").status == 404)
        }
        let page = try await get(server, "/", nil)
        #expect(page.headers["content-security-policy"]?.contains("img-src 'self' data: blob:") == true)
    }

    @Test("A picture that is not the caller's to see is answered as one that is not there, and without a token neither")
    func strangers() async throws {
        let server = try await Shared.server
        let (owner, stranger) = (try await token(server), try await token(server))
        let sent = try await upload(server, owner, try Self.bytes.get())
        let id = try #require(try sent.object()["picture"] as? String)
        for suffix in ["", "/thumb", "/other", "/thumb/x"] {
            let refused = try await get(server, "/pictures/\(id)\(suffix)", stranger)
            let missing = try await get(server, "/pictures/\(UUID().uuidString.lowercased())\(suffix)", stranger)
            #expect(refused.status == 404 && missing.status == 404)
            #expect(refused.body == missing.body)
            var headers = refused.headers
            headers["date"] = missing.headers["date"]
            #expect(headers == missing.headers)
        }
        for wrong in [nil, "not-a-token"] {
            let refused = try await get(server, "/pictures/\(id)", wrong)
            #expect(refused.status == 401)
            #expect(refused.headers["www-authenticate"] == "Bearer")
            #expect(try error(refused)["code"] as? Int == ErrorCode.unauthenticated.rawValue)
        }
        #expect(try await get(server, "/pictures/\(id)?token=\(owner)", nil).status == 401)
    }

    // MARK: Refusing

    @Test("By its head an upload is refused before a byte of its body is taken")
    func heads() async throws {
        let server = try await Shared.server
        let token = try await token(server)
        for (head, status) in [
            (head(nil, length: 1_000), 401), (head("wrong", length: 1_000), 401), (head(token, length: nil), 411),
            (head(token, length: 8 * 1_048_576 + 1), 413), (head(token, length: 1_000, type: "image/gif"), 415),
            (head(token, length: 1_000, type: nil), 415), (head(token, length: 1_000, purpose: "banner"), 400),
            (head(token, length: nil, more: "Transfer-Encoding: chunked\r\n"), 411),
        ] {
            let refused = try await answer(server, head)
            #expect(refused.status == status, "\(head)")
            #expect(try error(refused)["message"] is String)
            #expect(refused.headers["connection"] == "close")
        }
        #expect(try await get(server, "/pictures", token).status == 405)
        // ErasureHandlers still have the limit that they had.
        let long = try await answer(
            server, "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2000000\r\n\r\n"
        )
        #expect(long.status == 413)
    }

    @Test("What is no picture, or cannot be decoded, is refused with what to do, and the connection goes on")
    func bodies() async throws {
        let server = try await Shared.server
        let token = try await token(server)
        let gif = try await upload(server, token, Array("GIF89a and so on".utf8))
        #expect(gif.status == 415)
        #expect(gif.headers["accept"] == "image/jpeg, image/png, image/webp")
        #expect((try error(gif)["message"] as? String)?.contains("JPEG, PNG or WebP") == true)
        let half = Array(try Self.bytes.get().dropLast(1_000))
        let damaged = try await upload(server, token, half)
        #expect(damaged.status == 422)
        #expect((try error(damaged)["message"] as? String)?.contains("damaged") == true)
        let bomb = try await upload(server, token, try TestPicture.bomb(side: 30_000), type: "image/png")
        #expect(bomb.status == 422)
        #expect((try error(bomb)["message"] as? String)?.contains("million pixels") == true)
        #expect(bomb.headers["connection"] == "keep-alive")
    }

    @Test("100 Continue is said only once the sender is known, and what is pipelined behind a picture is answered")
    func continues() async throws {
        let server = try await Shared.server
        let token = try await token(server)
        let refused = try await answer(server, head("wrong", length: 1_000, more: "Expect: 100-continue\r\n"))
        #expect(refused.status == 401)
        let bytes = try Self.bytes.get()
        let socket = try RawSocket(port: server.port)
        defer { socket.close() }
        try await socket.send(head(token, length: bytes.count, more: "Expect: 100-continue\r\n"))
        #expect(try await socket.response().status == 100)
        try await socket.send(bytes + Array("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        #expect(try await socket.response().status == 201)
        #expect(try await socket.response().text == "ok\n")
    }

    @Test("After so many pictures an account waits, and another does not")
    func limit() async throws {
        let server = try await TestServer.start { $0.rateLimits[.upload] = Rate(perSecond: 0.001, burst: 2) }
        let (token, other) = (try await token(server), try await token(server))
        for _ in 0..<2 { #expect(try await upload(server, token, try Self.bytes.get()).status == 201) }
        let refused = try await upload(server, token, try Self.bytes.get())
        #expect(refused.status == 429)
        #expect(Int(refused.headers["retry-after"] ?? "") ?? 0 > 100)
        #expect(try error(refused)["code"] as? Int == ErrorCode.rateLimited.rawValue)
        #expect(try await upload(server, other, try Self.bytes.get()).status == 201)
        await server.stop()
    }

    @Test("An account has two uploads on their way, and the third waits until one has come or is given up")
    func atOnce() async throws {
        let server = try await Shared.server
        let token = try await token(server)
        var sockets: [RawSocket] = []
        for _ in 0..<2 {
            let socket = try RawSocket(port: server.port)
            try await socket.send(head(token, length: 1_000_000, more: "Expect: 100-continue\r\n"))
            #expect(try await socket.response().status == 100)
            sockets.append(socket)
        }
        let third = try await answer(server, head(token, length: 1_000))
        #expect(third.status == 429)
        sockets[0].close()
        _ = try await eventually("there is room again") {
            try await upload(server, token, try Self.bytes.get()).status == 201 ? true : nil
        }
        sockets[1].close()
    }

    @Test("Uploads of all accounts together have bounded room, which comes back")
    func room() throws {
        let room = UploadCapacity(bytesMax: 1_000)
        let identity = { (id: Int64) in
            Identity(
                account: Account(id: id, username: "u", role: .student, email: "", simulated: false), tokenID: 1)
        }
        var first: Upload? = try Upload(bytes: 600, purpose: .chat, by: identity(1), in: room)
        #expect(throws: RPCError.self) { try Upload(bytes: 401, purpose: .chat, by: identity(2), in: room) }
        let second = try Upload(bytes: 400, purpose: .chat, by: identity(2), in: room)
        #expect(room.bytes == 1_000)
        withExtendedLifetime(first) {}
        first = nil
        #expect(room.bytes == 400)
        withExtendedLifetime(second) {}
    }

    // MARK: Time

    @Test("A picture may take longer than other requests, as long as it comes")
    func slow() async throws {
        let server = try await TestServer.start { $0.requestTimeout = .milliseconds(200) }
        let token = try await token(server)
        let bytes = try Self.bytes.get()
        let socket = try RawSocket(port: server.port)
        defer { socket.close() }
        try await socket.send(Array(head(token, length: bytes.count).utf8) + bytes.prefix(1_000))
        // Another request that began later, and is given up because of its time.
        for _ in 0..<2 {
            let half = try await answer(server, "GET / HTTP/1.1\r\nHost:")
            #expect(half.status == 408)
        }
        try await socket.send(Array(bytes.dropFirst(1_000)))
        #expect(try await socket.response().status == 201)
        await server.stop()
    }

    @Test("A picture that stops coming is given up, and its room is free again")
    func stalled() async throws {
        let server = try await TestServer.start {
            $0.uploadGraceTime = .milliseconds(200)
            $0.uploadBytesPerSecondMin = 1_000_000
        }
        let token = try await token(server)
        let bytes = try Self.bytes.get()
        for _ in 0..<3 {
            let socket = try RawSocket(port: server.port)
            try await socket.send(Array(head(token, length: bytes.count).utf8) + bytes.prefix(1_000))
            #expect(try await socket.response().status == 408)
            socket.close()
        }
        await server.stop()
    }

    // MARK: Operation

    @Test("With more than 1,100 descriptors open pictures are still made, and uploads are counted by outcome")
    func manyDescriptors() async throws {
        let server = try await TestServer.start { $0.metricsToken = "a-token-for-metrics" }
        let token = try await token(server)
        let opened = (0..<1_200).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
        defer { for descriptor in opened { close(descriptor) } }
        try #require((opened.max() ?? 0) > 1_100)
        #expect(try await upload(server, token, try Self.bytes.get()).status == 201)
        #expect(try await upload(server, token, [1, 2, 3]).status == 415)
        let metrics = try await get(server, "/metrics", "a-token-for-metrics").text
        #expect(metrics.contains("campanile_picture_uploads_total{outcome=\"stored\"} 1\n"))
        #expect(metrics.contains("campanile_picture_uploads_total{outcome=\"refused\"} 1\n"))
        #expect(metrics.contains("campanile_picture_encoding_duration_seconds_count 2\n"))
        await server.stop()
    }

    @Test("While the database is away an upload is told when to come again")
    func outage() async throws {
        let server = try await TestServer.start()
        let token = try await token(server)
        try await server.setDatabase(away: true)
        let refused = try await upload(server, token, try Self.bytes.get())
        #expect(refused.status == 503)
        #expect(refused.headers["retry-after"] != nil)
        try await server.setDatabase(away: false)
        _ = try await eventually("it is taken again") {
            try await upload(server, token, try Self.bytes.get()).status == 201 ? true : nil
        }
        await server.stop()
    }
}
