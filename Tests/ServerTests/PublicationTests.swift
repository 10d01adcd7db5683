import CampanileClient
import Foundation
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Server

@Suite("Reliable topics over the wire")
struct PublicationTests {
    /// What one follows, over as many connections as it takes.
    fileprivate final class Follower: Sendable {
        struct State: Sendable {
            var position: TopicPosition?
            var data: [String] = []
            var replies: [Resumed<TestPublication>] = []
            var faults = 0
        }
        private let state = Mutex(State())
        let topic: String

        init(_ topic: String, at position: TopicPosition? = nil) {
            self.topic = topic
            state.withLock { $0.position = position }
        }

        var now: State { state.withLock { $0 } }

        func follow(on connection: CampanileConnection) async throws {
            repeat {
                try await connection.follow(log: topic, of: TestPublication.self, since: now.position) { event in
                    self.state.withLock { $0.take(event) }
                }
            } while now.replies.last?.more == true
        }

        func waitFor(_ count: Int) async throws {
            _ = try await eventually("\(count) publications") { self.now.data.count >= count ? true : nil }
        }
    }

    private func publish(_ data: String, _ topic: String, on connection: CampanileConnection) async throws -> Published
    {
        try await connection.call(TestPublish.self, .init(topic: topic, id: UUID().uuidString, data: data))
    }

    @Test("Who comes back after a restart of the server gets what it missed, from the table, and then what is pushed")
    func restart() async throws {
        let server = try await TestServer.start { $0.testEndpoints = true }
        let (publisher, first) = (try await server.connect(), try await server.connect())
        let follower = Follower("test/1")
        try await follower.follow(on: first)
        for number in 1...3 { _ = try await publish("\(number)", "test/1", on: publisher) }
        try await follower.waitFor(3)
        await first.close()
        for number in 4...5 { _ = try await publish("\(number)", "test/1", on: publisher) }
        try await server.startAgain()

        let (again, second) = (try await server.connect(), try await server.connect())
        try await follower.follow(on: second)
        #expect(follower.now.replies.last?.recovered == true)
        #expect(follower.now.data == ["1", "2", "3", "4", "5"])
        let place = try await publish("6", "test/1", on: again)
        try await follower.waitFor(6)
        #expect(place.offset == 6)
        #expect(follower.now.position == TopicPosition(epoch: place.epoch, offset: 6))
        #expect(follower.now.faults == 0)
        for connection in [again, second] { await connection.close() }
        await server.stop()
    }

    @Test("A connection too slow for the reliable lane is closed, and is told the rest when it comes back")
    func tooSlow() async throws {
        let server = try await TestServer.start {
            $0.testEndpoints = true
            $0.rateLimits = .off
        }
        let slow = try await RawWebSocket(port: server.port, isSlow: true)
        try await slow.request(1, "subscribe", #"{"topic":"test/1"}"#)
        #expect(try await slow.reply().errorCode == nil)
        let publisher = try await server.connect()
        let text = String(repeating: "x", count: 9_900)
        for round in 0..<6 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<50 {
                    group.addTask { _ = try await publish("\(round).\(number) \(text)", "test/1", on: publisher) }
                }
                try await group.waitForAll()
            }
        }
        // To read its goodbye would mean to read all that it was too slow for.
        let running = try #require(await server.server)
        let closed = running.environment.metrics.transport.tooSlow
        _ = try await eventually("it is closed") { closed.value == 1 ? true : nil }
        slow.socket.close()
        // It comes back with what it saw last, and is told the rest.
        let last = try await publish("last", "test/1", on: publisher)
        let follower = Follower("test/1", at: TopicPosition(epoch: last.epoch, offset: last.offset - 10))
        let back = try await server.connect()
        try await follower.follow(on: back)
        #expect(follower.now.data.count == 10)
        #expect(follower.now.data.last == "last")
        #expect(follower.now.replies.allSatisfy { $0.recovered })
        #expect(follower.now.faults == 0)
        for connection in [publisher, back] { await connection.close() }
        await server.stop()
    }

    @Test("Guests read notices and may not publish them; students neither; test topics are there only when asked for")
    func access() async throws {
        let server = try await Shared.server
        let guest = try await server.connect()
        let (student, _) = try await server.register()
        let notice = NoticesPublish.Params(id: UUID().uuidString, audience: .campus, title: "Hello")
        for (connection, code) in [(guest, ErrorCode.unauthenticated), (student, .forbidden)] {
            let error = await #expect(throws: RPCError.self) { try await connection.call(NoticesPublish.self, notice) }
            #expect(error?.registered == code)
            let received = Mutex<Resumed<NoticeEvent>?>(nil)
            try await connection.follow(log: "campus/notices", of: NoticeEvent.self, since: nil) { event in
                if case .resumed(let reply) = event { received.withLock { $0 = reply } }
            }
            #expect(received.withLock { $0?.recovered } == false)
            let page = try await connection.call(
                TopicHistory<NoticeEvent>.self, TopicHistory<NoticeEvent>.Params(topic: "campus/notices"))
            #expect(page.topic == "campus/notices")
        }
        let error = await #expect(throws: RPCError.self) { try await publish("x", "test/1", on: guest) }
        #expect(error?.registered == .methodNotFound)
        for topic in ["test/1", "zone/999999/notices"] {
            let error = await #expect(throws: RPCError.self) {
                try await guest.follow(log: topic, of: TestPublication.self, since: nil) { _ in }
            }
            #expect(error?.registered == .notFound)
        }
        for connection in [guest, student] { await connection.close() }
    }

    @Test("What goes over the wire is what the Protocol article says")
    func wire() async throws {
        let server = try await TestServer.start { $0.testEndpoints = true }
        let socket = try await RawWebSocket(port: server.port)
        let id = "4f1d0c1e-8a43-4f6e-9d3c-0d6b1f1f2a10"
        try await socket.request(1, "test.publish", #"{"topic":"test/1","id":"\#(id)","data":"one"}"#)
        let published = try await socket.reply().object()["result"] as? [String: Any]
        let epoch = try #require(published?["epoch"] as? Int64)
        #expect(published?["offset"] as? Int == 1)
        let since = #"{"topic":"test/1","since":{"epoch":\#(epoch),"offset":0}}"#
        try await socket.request(2, "subscribe", since)
        let recovered = try await socket.reply()
        #expect(
            recovered.text.hasPrefix(
                #"{"jsonrpc":"2.0","id":2,"result":{"topic":"test/1","epoch":\#(epoch),"offset":1,"recovered":true,"#
                    + #""publications":[{"offset":1,"data":{"#))
        let result = try #require(try recovered.object()["result"] as? [String: Any])
        let data = (result["publications"] as? [[String: Any]])?.first?["data"] as? [String: String]
        #expect(data == ["type": "test", "id": id, "data": "one"])
        try await socket.request(3, "subscribe", #"{"topic":"test/1","since":{"epoch":1,"offset":9}}"#)
        #expect(
            try await socket.reply().text.hasPrefix(
                #"{"jsonrpc":"2.0","id":3,"result":{"topic":"test/1","epoch":\#(epoch),"offset":1,"recovered":false,"#
                    + #""reason":"epochChanged","publications":[{"offset":1,"data":{"#))
        let other = try await server.connect()
        _ = try await publish("two", "test/1", on: other)
        let push = try await socket.next()
        let params = try #require(try push.object()["params"] as? [String: Any])
        #expect(
            push.text.hasPrefix(
                #"{"jsonrpc":"2.0","method":"push","params":{"topic":"test/1","epoch":\#(epoch),"offset":2,"data":{"#))
        #expect((params["data"] as? [String: Any])?["data"] as? String == "two")
        await other.close()
        await server.stop()
    }
}

extension PublicationTests.Follower.State {
    fileprivate mutating func take(_ event: LogEvent<TestPublication>) {
        switch event {
        case .resumed(let reply):
            replies.append(reply)
            for publication in reply.publications { add(reply.epoch, publication) }
            position = TopicPosition(epoch: reply.epoch, offset: reply.offset)
        case .published(let epoch, let publication): add(epoch, publication)
        }
    }

    private mutating func add(_ epoch: Int64, _ publication: Publication<TestPublication>) {
        if let position, publication.offset != position.offset + 1 { faults += 1 }
        position = TopicPosition(epoch: epoch, offset: publication.offset)
        data.append(publication.data.data)
    }
}
