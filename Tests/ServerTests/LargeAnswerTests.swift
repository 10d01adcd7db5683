import EventLoop
import Foundation
import Synchronization
import TestSupport
import Testing
import WebSocket

@testable import Server

@Suite("Answers larger than the send queue")
struct LargeAnswerTests {
    /// More than ``SocketConnection/sendQueueBytesMax``; no two stretches of it are the same.
    private static let file = (0..<6_000_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 11) }
    private static let path = "/app/large.png"

    /// The web app with a large file in it.
    private static func resources() throws -> Resources {
        let root = URL(fileURLWithPath: try TestDirectory.make("large"))
        let from = Resources(root: TestServer.root)
        let webApp = root.appendingPathComponent("WebApp")
        try FileManager.default.copyItem(at: from.webApp, to: webApp)
        try FileManager.default.copyItem(at: from.migrations, to: root.appendingPathComponent("sql"))
        try Data(file).write(to: webApp.appendingPathComponent("large.png"))
        return Resources(root: root)
    }

    private static let shared = Task {
        try await TestServer.start {
            $0.resources = try resources()
        }
    }

    private func request(_ fields: String = "", path: String = path) -> String {
        "GET \(path) HTTP/1.1\r\nHost: x\r\n\(fields)\r\n"
    }

    @Test("One is sent whole, and so are large ranges and parts, one behind the other and behind small ones")
    func pipelined() async throws {
        let socket = try RawSocket(port: try await Self.shared.value.port)
        defer { socket.close() }
        let requests = [
            request(), request(path: "/lib/leaflet/leaflet.js"), request("Range: bytes=0-4300000\r\n"),
            request(path: "/healthz"), request("Range: bytes=1-2999999,3000001-5999998\r\n"), request(),
            request("Connection: close\r\n"),
        ]
        try await socket.send(requests.joined())
        #expect(try await socket.response().body == Self.file)
        #expect(try await socket.response().body.count > 100_000)
        let range = try await socket.response()
        #expect(range.status == 206 && range.body == Array(Self.file[...4_300_000]))
        #expect(try await socket.response().status == 200)
        let parts = try await socket.response()
        let type = try #require(parts.headers["content-type"])
        let boundary = try #require(type.split(separator: "boundary=").last.map { String($0) })
        let expected =
            [1..<3_000_000, 3_000_001..<5_999_999].flatMap { range in
                Array(
                    "\r\n--\(boundary)\r\nContent-Type: image/png\r\nContent-Range: bytes "
                        .appending("\(range.lowerBound)-\(range.upperBound - 1)/\(Self.file.count)\r\n\r\n").utf8)
                    + Self.file[range]
            } + Array("\r\n--\(boundary)--\r\n".utf8)
        #expect(parts.body == expected)
        #expect(try await socket.response().body == Self.file)
        #expect(try await socket.response().body == Self.file)
        #expect(try await socket.readToEnd().isEmpty)
    }

    @Test("Nothing is missing for who reads slowly", arguments: ["", "Range: bytes=1000000-5999998\r\n"])
    func slowly(range: String) async throws {
        let socket = try RawSocket(port: try await Self.shared.value.port, isSlow: true)
        defer { socket.close() }
        try await socket.send(request() + request(range) + request(range + "Connection: close\r\n"))
        #expect(try await socket.response().body == Self.file)
        let expected = range.isEmpty ? Self.file : Array(Self.file[1_000_000..<5_999_999])
        for _ in 1...2 { #expect(try await socket.response().body == expected) }
        #expect(try await socket.readToEnd().isEmpty)
    }

    @Test("HEAD has its length and nothing more")
    func head() async throws {
        let socket = try RawSocket(port: try await Self.shared.value.port)
        defer { socket.close() }
        try await socket.send("HEAD \(Self.path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        let response = try await socket.response(headOnly: true)
        #expect(response.headers["content-length"] == "\(Self.file.count)")
        #expect(try await socket.readToEnd().isEmpty)
    }

    @Test("Over TLS they come whole, too, to who reads slowly")
    func encrypted() async throws {
        let files = try SelfSignedCertificate.findOrMake(in: try TestDirectory.make("tls"))
        let server = try await TestServer.start {
            $0.resources = try Self.resources()
            $0.tls = (certificate: files.certificateFile, key: files.keyFile)
        }
        let reader = Reader()
        let connection = try await SocketConnection.connect(
            host: "localhost", port: server.port, loop: try EventLoop(label: "reader"),
            tls: try .client(authorityFile: files.certificateFile),
            resolver: WorkerPool(label: "resolver", concurrentMax: 1, waitingMax: 1), delegate: reader)
        let requests = Array((request() + request("Range: bytes=5-5900000\r\nConnection: close\r\n")).utf8)
        connection.loop.execute { connection.send(requests) }
        let (whole, range) = (try #require(await reader.response()), try #require(await reader.response()))
        #expect(whole.status == 200 && whole.body == Self.file)
        #expect(range.status == 206 && range.body == Array(Self.file[5...5_900_000]))
        #expect(await reader.response() == nil)
        await server.stop()
    }

    @Test("Who takes a little now and then gets on for as long as the rate asks, and no longer")
    func rate() async throws {
        let server = try await TestServer.start {
            $0.resources = try Self.resources()
            $0.writeStallTimeout = .milliseconds(500)
            $0.sentBytesPerSecondMin = 1_000_000_000
        }
        let socket = try RawSocket(port: server.port, isSlow: true)
        defer { socket.close() }
        try await socket.send(request())
        // Some kilobytes every 20 ms: never still for half a second, and not through within several.
        let count = try await eventually("the answer is cut off, or through") { () -> Int? in
            for _ in 1...4 {
                let isOpen = (try? await socket.readMore()) ?? false
                if !isOpen || socket.buffer.count >= Self.file.count { return socket.buffer.count }
            }
            return nil
        }
        #expect(count < Self.file.count)
        await server.stop()
    }

    @Test("Stretches are queued a slice at a time, in order, behind what is whole")
    func feed() {
        let shared = Array(Self.file[..<200_000])
        let feed = AnswerFeed([1, 2, 3], [shared[5..<5], shared[10..<12], shared[100_000...]])
        #expect(feed.bytes == 100_005)
        #expect(feed.next(queued: 9, queueBytesMax: 11) == nil)
        #expect(feed.next(queued: 8, queueBytesMax: 11) == [1, 2, 3])
        #expect(feed.next(queued: AnswerFeed.sliceBytesMax, queueBytesMax: 1 << 20) == nil)
        let first = feed.next(queued: 0, queueBytesMax: 1 << 20) ?? []
        #expect(first.count == AnswerFeed.sliceBytesMax)
        let second = feed.next(queued: 1, queueBytesMax: 1 << 20) ?? []
        #expect(first + second == Array(shared[10..<12] + shared[100_000...]))
        #expect(feed.bytes == 0 && feed.next(queued: 0, queueBytesMax: 1 << 20) == nil)
    }

    @Test("What is larger than the queue goes there whole, by reference, once the queue is empty")
    func byReference() {
        let feed = AnswerFeed(Self.file, [])
        #expect(feed.next(queued: 1, queueBytesMax: SocketConnection.sendQueueBytesMax) == nil)
        let queued = feed.next(queued: 0, queueBytesMax: SocketConnection.sendQueueBytesMax)
        #expect(queued?.withUnsafeBytes { $0.baseAddress } == Self.file.withUnsafeBytes { $0.baseAddress })
    }

    @Test("Answers to ranges share the file's bytes", arguments: ["bytes=1-4000000", "bytes=1-9,20-4000000"])
    func ranges(field: String) throws {
        let resource = Resource(Self.file, contentType: "image/png", compresses: false)
        var request = HTTPRequestParser()
        Array("GET / HTTP/1.1\r\nHost: x\r\nRange: \(field)\r\n\r\n".utf8).withUnsafeBytes { request.append($0) }
        let response = resource.response(to: try #require(try request.next()), now: HTTPDate(seconds: 0))
        #expect(response.status == 206 && response.body.isEmpty)
        let large = try #require(response.bodyTail.first { $0.count > 1_000_000 })
        let offset = large.withUnsafeBytes { part in
            Self.file.withUnsafeBytes { file in part.baseAddress.flatMap { $0 - (file.baseAddress ?? $0) } }
        }
        #expect(offset == large.startIndex)
    }
}

/// Reads responses until the connection ends, with a pause after each read.
private final class Reader: SocketConnectionDelegate, Sendable {
    private let parser = Mutex(HTTPResponseParser(limits: .init(bodyBytesMax: 8 << 20)))
    private let responses = AsyncStream.makeStream(of: HTTPResponse.self)

    func connection(_ connection: SocketConnection, received bytes: UnsafeRawBufferPointer) {
        parser.withLock { parser in
            parser.append(bytes)
            while let response = try? parser.next() { responses.continuation.yield(response) }
        }
        connection.setReading(false)
        connection.loop.schedule(after: .milliseconds(1)) { connection.setReading(true) }
    }
    func connectionReachedEnd(_ connection: SocketConnection) { connection.closeAfterFlush() }
    func connectionClosed(_ connection: SocketConnection, error: (any Error)?) { responses.continuation.finish() }

    /// The next one; nil at the end.
    func response() async -> HTTPResponse? {
        var iterator = responses.stream.makeAsyncIterator()
        return await iterator.next()
    }
}
