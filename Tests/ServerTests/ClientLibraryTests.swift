import EventLoop
import Foundation
import TestSupport
import Testing
import Wire

@testable import CampanileClient

@Suite("The client library against a real server", .timeLimit(.minutes(4)))
struct ClientLibraryTests {
    private static let loops = Result { try ClientLoops(count: 1) }
    /// The sample campus as a whole.
    private static let campus = MapViewport(south: 51.495, west: 7.99, north: 51.505, east: 8.01, zoom: 15)
    /// Somewhere else.
    private static let elsewhere = MapViewport(south: 10, west: 10, north: 10.01, east: 10.01, zoom: 15)

    /// A client that comes back at once.
    private func client(of server: TestServer, token: String? = nil) async throws -> ResilientClient {
        var options = ResilientClient.Options()
        options.connection = TestServer.patient
        options.backoff = Backoff(base: .milliseconds(20), max: .milliseconds(200), restartMax: .milliseconds(20))
        let client = ResilientClient(
            address: try ServerAddress(url: server.url), token: token, loops: try Self.loops.get(), options: options)
        await client.start()
        return client
    }

    private func numbers(_ events: [PublicationEvent<TestPublication>]) -> [Int] {
        events.compactMap { if case .publication(let data, _) = $0 { Int(data.data) } else { nil } }
    }

    // MARK: The reliable lane

    @Test(
        "A reader gets every publication once, in order, though the server is restarted under it and its network drops")
    func publications() async throws {
        let server = try await TestServer.start { $0.testEndpoints = true }
        let (reader, publisher) = (try await client(of: server), try await client(of: server))
        let count = 60
        let reading = Task {
            var events: [PublicationEvent<TestPublication>] = []
            for try await event in reader.publications(of: .test(1), since: nil) {
                events.append(event)
                if events.count == count { break }
            }
            return events
        }
        for number in 1...count {
            try await publisher.publish(test: "\(number)", to: .test(1))
            if number % 25 == 0 { try await server.startAgain() }
            if number % 10 == 7 { await reader.reconnect("a tunnel") }
        }
        let events = try await reading.value
        #expect(numbers(events) == Array(1...count))
        #expect(await reader.reconnections > 2)
        let offsets = events.compactMap { if case .publication(_, let position) = $0 { position.offset } else { nil } }
        #expect(offsets == (1...Int64(count)).map(\.self))
        await reader.close()
        await publisher.close()
        await server.stop()
    }

    @Test("Who kept a position goes on behind it; one that means nothing is answered with its reason, then the newest")
    func positions() async throws {
        let server = try await TestServer.start { $0.testEndpoints = true }
        let client = try await client(of: server)
        var last = Published(topic: "", epoch: 0, offset: 0)
        for number in 1...30 { last = try await client.publish(test: "\(number)", to: .test(2)) }
        #expect(last.offset == 30)
        func first(_ count: Int, since: TopicPosition?) async throws -> [PublicationEvent<TestPublication>] {
            var events: [PublicationEvent<TestPublication>] = []
            for try await event in client.publications(of: .test(2), since: since) {
                events.append(event)
                if events.count == count { break }
            }
            return events
        }
        let known = try await first(5, since: TopicPosition(epoch: last.epoch, offset: 25))
        #expect(numbers(known) == [26, 27, 28, 29, 30])
        for (since, reason) in [
            (TopicPosition(epoch: last.epoch - 1, offset: 25), RecoveryFailure.epochChanged),
            (TopicPosition(epoch: last.epoch, offset: 31), .future),
        ] {
            // A test topic shows its newest three.
            let events = try await first(4, since: since)
            #expect(events.first == .lost(reason))
            #expect(numbers(events) == [28, 29, 30])
        }
        #expect(numbers(try await first(3, since: nil)) == [28, 29, 30])
        await client.close()
        await server.stop()
    }

    @Test("A reader that does not read holds no more than so many publications, and then gets all that it left out")
    func slowReader() async throws {
        let server = try await TestServer.start {
            $0.testEndpoints = true
            $0.rateLimits = .off
        }
        let client = try await client(of: server)
        // A connection's requests are handled one after the other.
        var publishers: [ResilientClient] = []
        for _ in 0..<10 { publishers.append(try await self.client(of: server)) }
        let count = 2_600
        var reader = client.publications(of: .test(3), since: nil).makeAsyncIterator()
        try await client.publish(test: "0", to: .test(3))
        #expect(numbers([try #require(try await reader.next())]) == [0])
        for start in stride(from: 1, through: count, by: 100) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in start..<start + 100 {
                    let publisher = publishers[number % publishers.count]
                    group.addTask { try await publisher.publish(test: "\(number)", to: .test(3)) }
                }
                try await group.waitForAll()
            }
        }
        let feed = reader.feed
        let waiting = try await eventually("it stops taking") { await feed.isFull ? await feed.bufferedCount : nil }
        #expect(waiting <= Publications<TestPublication>.bufferedMax && waiting > 0)
        var seen: Set<Int> = []
        var offset: Int64 = 1
        for _ in 0..<count {
            guard case .publication(let data, let position) = try #require(try await reader.next()) else {
                Issue.record("something was lost")
                return
            }
            #expect(position.offset == offset + 1)
            offset = position.offset
            seen.insert(Int(data.data) ?? -1)
        }
        #expect(seen == Set(1...count))
        for publisher in publishers { await publisher.close() }
        await client.close()
        await server.stop()
    }

    @Test("To cancel who reads unsubscribes, and the topic is free for another; two at once are told so")
    func cancellation() async throws {
        let server = try await TestServer.start { $0.testEndpoints = true }
        let client = try await client(of: server)
        let connection = try await client.connected()
        for _ in 0..<3 {
            let reading = Task {
                for try await _ in client.publications(of: .test(4)) {}
            }
            _ = try await eventually("it is subscribed") { await connection.topics["test/4"] == nil ? nil : true }
            reading.cancel()
            await #expect(throws: CancellationError.self) { try await reading.value }
            _ = try await eventually("it is unsubscribed") { await connection.topics["test/4"] == nil ? true : nil }
        }
        var one = client.publications(of: .test(4)).makeAsyncIterator()
        try await client.publish(test: "1", to: .test(4))
        _ = try await one.next()
        var other = client.publications(of: .test(4)).makeAsyncIterator()
        await #expect(throws: ClientError.alreadyReading("test/4")) { try await other.next() }
        await client.close()
        await #expect(throws: ClientError.closed) { try await one.next() }
        await server.stop()
    }

    // MARK: The conflating lane

    @Test(
        "A map shows who is in view, follows moves and restarts, and a reader that was away is given the newest alone")
    func livePositions() async throws {
        let server = try await TestServer.start()
        let run = try await TestRun(on: server)
        try await run.run(3)
        let id = await run.id
        let client = try await client(of: server)
        let map = client.positions(in: Self.campus)
        var pictures = map.makeAsyncIterator()
        func picture(_ condition: (ViewportPositions) -> Bool) async throws -> ViewportPositions {
            while true {
                let picture = try #require(try await pictures.next())
                if condition(picture) { return picture }
            }
        }
        _ = try await picture { $0.runners[id] != nil && $0.isCurrent }
        // Nobody reads meanwhile.
        var last = TrackPoint(seq: 0, lat: 0, lon: 0, time: Timestamp(milliseconds: 0))
        for _ in 0..<6 {
            let points = await run.next(2)
            last = try #require(points.last)
            try await run.send(points)
            try await Task.sleep(for: .milliseconds(250))
        }
        let newest = try #require(try await pictures.next())
        let runner = try #require(newest.runners[id])
        #expect(abs(runner.lat - last.lat) < 1e-5 && abs(runner.lon - last.lon) < 1e-5)

        map.move(to: Self.elsewhere)
        _ = try await picture { $0.viewport == Self.elsewhere && $0.runners.isEmpty }
        map.move(to: Self.campus)
        _ = try await picture { $0.runners[id] != nil }

        try await server.startAgain()
        let after = try await picture { $0.isCurrent && $0.runners[id] != nil }
        #expect(await client.reconnections > 0 && after.viewport == Self.campus)
        await client.close()
        await #expect(throws: ClientError.closed) { while try await pictures.next() != nil {} }
        await server.stop()
    }

    @Test("A session's reader sees its route grow through a restart, and ends with its finish")
    func session() async throws {
        let server = try await TestServer.start()
        let (registering, account) = try await server.register()
        await registering.close()
        let runner = try await client(of: server, token: account.token)
        let uploader = TrackUploader(client: runner, options: .init(activity: .run, audience: .public))
        let id = try await uploader.start().id
        let watcher = try await client(of: server)
        let watching = Task {
            var pictures: [FollowedSession] = []
            for try await picture in watcher.session(id) { pictures.append(picture) }
            return pictures
        }
        let began = Timestamp.now
        for step in 1...20 {
            try await uploader.add(
                TrackFix(
                    lat: 51.5 + Double(step) * 3e-5, lon: 8, time: began.advanced(bySeconds: Double(step)), accuracy: 4)
            )
            if step == 10 { try await server.startAgain() }
            try await Task.sleep(for: .milliseconds(20))
        }
        let finished = try await uploader.finish()
        let pictures = try await watching.value
        let last = try #require(pictures.last)
        #expect(last.isFinished && last.session.state == .finished && last.session.points == finished.points)
        #expect(finished.points == 20 && last.route.joined().count > 2)
        #expect(pictures.dropLast().allSatisfy { !$0.isFinished })
        // What was put together from changes is what the server tells whole.
        var whole: [[LatLon]] = []
        for try await picture in watcher.session(id) { whole = picture.route }
        #expect(last.route == whole)
        await #expect(throws: RPCError.self) {
            for try await _ in watcher.session(id + 1_000_000) {}
        }
        await runner.close()
        await watcher.close()
        await server.stop()
    }
}
