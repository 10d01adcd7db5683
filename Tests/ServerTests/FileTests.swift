import CZlib
import Foundation
import TestSupport
import Testing

@Suite("Files over HTTP: codings, conditions, ranges")
struct FileTests {
    /// Each sends `Connection: close` and reads to the end, so that a byte too many would be seen.
    private func get(_ path: String, _ headers: String = "", method: String = "GET") async throws -> RawResponse {
        let socket = try RawSocket(port: try await Shared.server.port)
        defer { socket.close() }
        try await socket.send("\(method) \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(headers)\r\n")
        let response = try await socket.response(headOnly: method == "HEAD")
        #expect(try await socket.readToEnd().isEmpty)
        return response
    }

    private func inflated(_ bytes: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        guard campanile_inflateInit2(&stream, 15 + 16) == Z_OK else { return [] }
        defer { inflateEnd(&stream) }
        var output = [UInt8](repeating: 0, count: 8 * 1_048_576)
        let status = bytes.withUnsafeBufferPointer { input in
            output.withUnsafeMutableBufferPointer { room in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = UInt32(input.count)
                stream.next_out = room.baseAddress
                stream.avail_out = UInt32(room.count)
                return inflate(&stream, Z_FINISH)
            }
        }
        guard status == Z_STREAM_END, stream.avail_in == 0 else { return [] }
        return Array(output.prefix(output.count - Int(stream.avail_out)))
    }

    private static let large = [
        "/", "/app/kit/base.css", "/lib/leaflet/leaflet.js", "/campus/map.geojson", "/app/assets/icon.svg",
    ]

    @Test(
        "What compresses comes with gzip to who takes it, with an entity tag of its own, and is the same inside",
        arguments: large)
    func gzip(path: String) async throws {
        let plain = try await get(path)
        let packed = try await get(path, "Accept-Encoding: br, gzip\r\n")
        #expect(plain.headers["content-encoding"] == nil && plain.status == 200)
        guard packed.headers["content-encoding"] == "gzip" else {
            // Too small to be worth it.
            #expect(plain.body.count <= 1_024)
            return
        }
        #expect(plain.headers["vary"] == "Accept-Encoding" && packed.headers["vary"] == "Accept-Encoding")
        #expect(packed.headers["etag"] != plain.headers["etag"])
        #expect(packed.headers["content-type"] == plain.headers["content-type"])
        #expect(packed.body.count < plain.body.count * 9 / 10)
        #expect(inflated(packed.body) == plain.body)
        // Each tag belongs to one form.
        let tag = try #require(packed.headers["etag"])
        #expect(try await get(path, "If-None-Match: \(tag)\r\n").status == 200)
        let known = try await get(path, "If-None-Match: \(tag)\r\nAccept-Encoding: gzip\r\n")
        #expect(known.status == 304 && known.headers["etag"] == tag && known.headers["vary"] == "Accept-Encoding")
    }

    @Test("Who excludes every coding gets 406")
    func notAcceptable() async throws {
        #expect(try await get("/", "Accept-Encoding: identity;q=0, br\r\n").status == 406)
        #expect(try await get("/", "Accept-Encoding: identity;q=0, gzip\r\n").headers["content-encoding"] == "gzip")
        #expect(try await get("/healthz", "Accept-Encoding: gzip\r\n").headers["content-encoding"] == nil)
    }

    @Test(
        "HEAD says what GET says, to the letter",
        arguments: [
            "/", "/app/shell/main.js", "/campus/map.geojson", "/config.json", "/healthz", "/nothing", "/ws", "/rpc",
            "/sw.js",
        ])
    func head(path: String) async throws {
        for headers in ["", "Accept-Encoding: gzip\r\n", "If-None-Match: *\r\n", "Accept: text/html\r\n"] {
            let (whole, head) = (try await get(path, headers), try await get(path, headers, method: "HEAD"))
            #expect(head.status == whole.status && head.headers.keys == whole.headers.keys, "\(path) \(headers)")
            // The clock may tick between the two.
            for (name, value) in whole.headers where name != "date" {
                #expect(head.headers[name] == value, "\(path) \(headers)\(name)")
            }
        }
    }

    @Test("Conditions hold or fail: 304, 412, and the whole when the file changed")
    func conditions() async throws {
        let path = "/app/shell/main.js"
        let first = try await get(path)
        let tag = try #require(first.headers["etag"])
        let modified = try #require(first.headers["last-modified"])
        #expect(tag.hasPrefix("\""))
        #expect(try await get(path, "If-Modified-Since: \(modified)\r\n").status == 304)
        #expect(try await get(path, "If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT\r\n").status == 200)
        #expect(try await get(path, "If-None-Match: W/\(tag)\r\n").status == 304)
        #expect(try await get(path, "If-None-Match: \"x\"\r\nIf-Modified-Since: \(modified)\r\n").status == 200)
        #expect(try await get(path, "If-Match: \(tag)\r\n").status == 200)
        #expect(try await get(path, "If-Match: W/\(tag)\r\n").status == 412)
        #expect(try await get(path, "If-Unmodified-Since: \(modified)\r\n").status == 200)
        let failed = try await get(path, "If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT\r\n")
        #expect(failed.status == 412 && failed.body.count < 200)
    }

    @Test("Ranges give those bytes, alone or in parts, and 416 says how many there are")
    func ranges() async throws {
        let path = "/app/shell/main.js"
        let whole = try await get(path)
        let count = whole.body.count
        #expect(whole.headers["accept-ranges"] == "bytes")
        let first = try await get(path, "Range: bytes=0-99\r\n")
        #expect(first.status == 206 && first.body == Array(whole.body[..<100]))
        #expect(first.headers["content-range"] == "bytes 0-99/\(count)")
        #expect(first.headers["etag"] == whole.headers["etag"])
        #expect(try await get(path, "Range: bytes=-7\r\n").body == Array(whole.body.suffix(7)))
        #expect(try await get(path, "Range: bytes=\(count - 3)-\r\n").body == Array(whole.body.suffix(3)))
        let beyond = try await get(path, "Range: bytes=\(count)-\r\n")
        #expect(beyond.status == 416 && beyond.headers["content-range"] == "bytes */\(count)")

        let parts = try await get(path, "Range: bytes=10-19,0-4\r\n")
        #expect(parts.status == 206)
        let type = try #require(parts.headers["content-type"])
        let boundary = try #require(type.split(separator: "boundary=").last.map { String($0) })
        #expect(type.hasPrefix("multipart/byteranges") && parts.headers["content-range"] == nil)
        let expected =
            [10..<20, 0..<5].map { range in
                "\r\n--\(boundary)\r\nContent-Type: text/javascript; charset=utf-8\r\nContent-Range: bytes "
                    + "\(range.lowerBound)-\(range.upperBound - 1)/\(count)\r\n\r\n\(String(decoding: whole.body[range], as: UTF8.self))"
            }.joined() + "\r\n--\(boundary)--\r\n"
        #expect(parts.text == expected)
    }

    @Test("Ranges that overlap, or are many, cost the whole once and no more")
    func hostileRanges() async throws {
        let path = "/app/shell/main.js"
        let count = try await get(path).body.count
        let overlapping = (0..<500).map { "\($0)-" }.joined(separator: ",")
        let many = (0..<200).map { "\($0 * 2)-\($0 * 2)" }.joined(separator: ",")
        for field in [overlapping, many, "0-,0-"] {
            let response = try await get(path, "Range: bytes=\(field)\r\n")
            #expect(response.status == 200 && response.body.count == count)
        }
    }

    @Test("A range of what has changed meanwhile is the whole (If-Range), of the form that was asked for")
    func ifRange() async throws {
        let path = "/app/shell/main.js"
        let plain = try await get(path)
        let packed = try await get(path, "Accept-Encoding: gzip\r\n")
        let (tag, packedTag) = (try #require(plain.headers["etag"]), try #require(packed.headers["etag"]))
        #expect(try await get(path, "Range: bytes=0-9\r\nIf-Range: \(tag)\r\n").status == 206)
        #expect(try await get(path, "Range: bytes=0-9\r\nIf-Range: \(packedTag)\r\n").status == 200)
        #expect(try await get(path, "Range: bytes=0-9\r\nIf-Range: W/\(tag)\r\n").status == 200)
        let part = try await get(path, "Range: bytes=10-19\r\nIf-Range: \(packedTag)\r\nAccept-Encoding: gzip\r\n")
        #expect(part.status == 206 && part.body == Array(packed.body[10..<20]))
        #expect(part.headers["content-encoding"] == "gzip")
    }

    @Test("A browser that goes astray sees a page, anything else one line, and neither sees its own words again")
    func notFoundPage() async throws {
        let page = try await get("/nothing-%3Cscript%3E", "Accept: text/html,*/*;q=0.8\r\n")
        #expect(page.status == 404 && page.headers["content-type"] == "text/html; charset=utf-8")
        #expect(page.text.contains("Check the address for typos") && !page.text.contains("nothing-"))
        // The content security policy would block either.
        #expect(!page.text.contains("<style") && !page.text.contains("style="))
        let linked = page.text.matches(of: /"(\/app\/[^"]+)"/).map { String($0.1) }
        #expect(linked.count >= 3)
        for path in Set(linked) {
            #expect(try await get(path).status == 200, "\(path)")
        }
        let line = try await get("/nothing", "Accept: */*\r\n")
        #expect(line.status == 404 && line.headers["content-type"] == "text/plain; charset=utf-8")
        #expect(page.headers["vary"] == "Accept" && line.headers["vary"] == "Accept")
        #expect(page.headers["cache-control"] == "no-store")
    }

    @Test("OPTIONS names the methods of an address, and of the server")
    func options() async throws {
        #expect(try await get("/map", method: "OPTIONS").headers["allow"] == "GET, HEAD, OPTIONS")
        #expect(try await get("/rpc", method: "OPTIONS").headers["allow"] == "POST, OPTIONS")
        let server = try await get("*", method: "OPTIONS")
        #expect(server.status == 204 && server.headers["allow"] == "GET, HEAD, POST, OPTIONS")
        #expect(try await get("/nothing", method: "OPTIONS").status == 404)
    }

    @Test("A method that nobody knows is 501, TRACE repeats nothing")
    func methods() async throws {
        #expect(try await get("/", method: "BREW").status == 501)
        #expect(try await get("/", method: "get").status == 501)
        let trace = try await get("/", "X-Secret: s3cret\r\n", method: "TRACE")
        #expect(trace.status == 405 && !trace.text.contains("s3cret"))
    }
}
