import CampanileClient
import Foundation
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import Server

@Suite("Two nodes without NATS, for a while")
struct NodesOutageTests {
    /// What one follows of a test topic.
    private final class Follower: Sendable {
        private let state = Mutex((offsets: [Int64](), data: Set<String>()))
        var offsets: [Int64] { state.withLock { $0.offsets } }

        func follow(_ topic: String, on connection: CampanileConnection) async throws {
            try await connection.follow(log: topic, of: TestPublication.self, since: nil) { event in
                self.state.withLock { state in
                    let news: [Publication<TestPublication>] =
                        switch event {
                        case .resumed(let reply): reply.publications
                        case .published(_, let publication): [publication]
                        }
                    for one in news {
                        state.offsets.append(one.offset)
                        state.data.insert(one.data.data)
                    }
                }
            }
        }
    }

    @Test("Publications at both nodes reach followers at both, each once and in order, through a kill of NATS")
    func publications() async throws {
        let nodes = try await TwoNodes.start()
        let connections = [try await nodes.first.connect(), try await nodes.second.connect()]
        let followers = [Follower(), Follower()]
        for (follower, connection) in zip(followers, connections) {
            try await follower.follow("test/1", on: connection)
        }
        func publish(_ range: Range<Int>) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, connection) in connections.enumerated() {
                    group.addTask {
                        for number in range {
                            _ = try await connection.call(
                                TestPublish.self,
                                .init(topic: "test/1", id: UUID().uuidString, data: "\(index).\(number)"))
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        try await publish(0..<50)
        await nodes.nats.kill()
        try await publish(50..<80)
        try await nodes.nats.startAgain()
        try await publish(80..<100)
        try await nodes.waitUntilMet()
        try await publish(100..<150)
        for follower in followers {
            _ = try await eventually("all have come") { follower.offsets.count >= 300 ? true : nil }
            #expect(follower.offsets == Array(1...300))
        }
        for connection in connections { await connection.close() }
        await nodes.stop()
    }

    @Test(
        "Without NATS runners at the other node are offline, and come back with it; what was narrowed meanwhile is hidden"
    )
    func positions() async throws {
        let nodes = try await TwoNodes.start()
        let (run, narrowed, ended) = (
            try await TestRun(on: nodes.first), try await TestRun(on: nodes.first), try await TestRun(on: nodes.first)
        )
        let ids = (run: await run.id, narrowed: await narrowed.id, ended: await ended.id)
        let point = try #require(await run.next(1).first)
        let zone = try #require(
            try await run.connection.call(CampusLocate.self, .init(lat: point.lat, lon: point.lon)).zone?.id)
        let guest = try await Sight(nodes.second)
        try await guest.watch(zone: zone)
        for one in [run, narrowed, ended] { try await one.run(20) }
        for id in [ids.run, ids.narrowed, ids.ended] {
            _ = try await eventually("they are seen") { guest.runners[id]?.state == .moving ? true : nil }
        }
        await nodes.nats.kill()
        _ = try await eventually("it is offline") { guest.runners[ids.run]?.state == .offline ? true : nil }
        try await narrowed.connection.call(TrackingAudience.self, .init(session: ids.narrowed, audience: .private))
        try await ended.stop()
        // Told by PostgreSQL, as nobody else can.
        _ = try await eventually("what is private is hidden") { guest.runners[ids.narrowed] == nil ? true : nil }
        _ = try await eventually("what is finished is gone") { guest.runners[ids.ended] == nil ? true : nil }
        _ = guest.takeMentions(of: ids.narrowed)
        let moved = try await run.run(10)
        try await narrowed.run(10)
        try await nodes.nats.startAgain()
        try await nodes.waitUntilMet()
        _ = try await eventually("it is back, where it is now") {
            guest.runners[ids.run].map { $0.state == .moving && $0.distance == moved.session.distance } == true
                ? true : nil
        }
        #expect(guest.takeMentions(of: ids.narrowed) == 0)
        #expect(guest.runners[ids.ended] == nil)
        guest.close()
        for one in [run, narrowed, ended] { await one.connection.close() }
        await nodes.stop()
    }

    @Test("A node that stops leaves its runners to the others: offline, and moving again once their phones are there")
    func nodeStops() async throws {
        let nodes = try await TwoNodes.start()
        let run = try await TestRun(on: nodes.first)
        let id = await run.id
        let point = try #require(await run.next(1).first)
        let zone = try #require(
            try await run.connection.call(CampusLocate.self, .init(lat: point.lat, lon: point.lon)).zone?.id)
        let before = try await run.run(10)
        let token = try await run.connection.call(
            AccountLogin.self, .init(email: "\(run.name)@example.org", password: TestServer.password)
        ).token
        await nodes.first.stop()
        // Nobody looked at it here: it is read from PostgreSQL.
        let guest = try await Sight(nodes.second)
        try await guest.watch(zone: zone)
        let seen = try await eventually("it is seen") { guest.runners[id] }
        #expect(seen.state == .offline)
        #expect(seen.distance == before.session.distance)
        let phone = try await nodes.second.connect(token: token)
        let points = await run.next(5)
        try await phone.call(TrackingPoints.self, .init(session: id, points: points))
        _ = try await eventually("it moves") { guest.runners[id]?.state == .moving ? true : nil }
        try await nodes.first.startAgain()
        try await nodes.waitUntilMet()
        let back = try await Sight(nodes.first)
        try await back.watch(zone: zone)
        _ = try await eventually("the node that is back sees it as it is") {
            back.runners[id]?.state == .moving ? true : nil
        }
        for sight in [guest, back] { sight.close() }
        await phone.close()
        await nodes.stop()
    }
}
