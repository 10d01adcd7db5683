import CampanileClient
import Foundation
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import Server

extension NoticeFeed {
    /// Somebody's notices wait here.
    fileprivate var holdsNotices: Bool { log.apart.values.contains { $0.limit != nil } }
}

@Suite("Notices of two nodes")
struct NodesNoticeTests {
    /// What somebody is told of notices.
    private final class Follower: Sendable {
        private let state = Mutex((offsets: [Int64](), titles: [String]()))
        var offsets: [Int64] { state.withLock { $0.offsets } }
        var titles: [String] { state.withLock { $0.titles } }

        func follow(_ connection: CampanileConnection, on topic: String = "notices") async throws {
            try await connection.follow(log: topic, of: NoticeEvent.self, since: nil) { event in
                self.state.withLock { state in
                    let news: [Publication<NoticeEvent>] =
                        switch event {
                        case .resumed(let reply): reply.publications
                        case .published(_, let publication): [publication]
                        }
                    for one in news {
                        state.offsets.append(one.offset)
                        if case .notice(let notice) = one.data { state.titles.append(notice.title) }
                    }
                }
            }
        }
    }

    @Test("Whichever node publishes, all at both have it once, in one order, guests on the public topic as well")
    func both() async throws {
        let nodes = try await TwoNodes.start()
        let admin = try await NoticeTests.Person(nodes.first, .admin)
        let atSecond = try await nodes.second.connect(token: admin.token)
        let followers = [Follower(), Follower(), Follower(), Follower()]
        for (follower, server) in zip(followers, [nodes.first, nodes.second]) {
            try await follower.follow(try await NoticeTests.Person(server).connection)
        }
        for (follower, server) in zip(followers[2...], [nodes.first, nodes.second]) {
            try await follower.follow(try await server.connect(), on: "campus/notices")
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, connection) in [admin.connection, atSecond].enumerated() {
                group.addTask {
                    for number in 1...30 {
                        _ = try await connection.call(
                            NoticesPublish.self,
                            .init(id: UUID().uuidString, audience: .campus, title: "\(index).\(number)"))
                    }
                }
            }
            try await group.waitForAll()
        }
        for follower in followers {
            _ = try await eventually("all came") { follower.offsets.count >= 60 ? true : nil }
            #expect(follower.offsets == Array(1...60))
            #expect(follower.titles == followers[0].titles)
        }
        await nodes.stop()
    }

    @Test(
        "A session that is tracked at one node holds back what the account gets at the other, at once, and lets it go")
    func holds() async throws {
        let nodes = try await TwoNodes.start()
        let (admin, runner) = (
            try await NoticeTests.Person(nodes.second, .admin), try await NoticeTests.Person(nodes.first)
        )
        let follower = Follower()
        let phone = try await nodes.second.connect(token: runner.token)
        try await follower.follow(phone)
        let session = try await runner.connection.call(
            TrackingStart.self, .init(activity: .run, clientId: UUID().uuidString)
        ).session
        let second = try #require(await nodes.second.server)
        let hub = second.environment.services.hub
        _ = try await eventually("the other node knows") {
            await hub.notices.holdsNotices ? true : nil
        }
        try await admin.publish("later")
        let probe = Follower()
        try await probe.follow(try await NoticeTests.Person(nodes.second).connection)
        try await admin.publish("end")
        _ = try await eventually("others have it") { probe.titles.contains("end") ? true : nil }
        #expect(follower.titles.isEmpty)
        _ = try await runner.connection.call(TrackingStop.self, .init(session: session.id))
        _ = try await eventually("it comes") { follower.titles == ["later", "end"] ? true : nil }
        #expect(follower.offsets == [1, 2])
        await nodes.stop()
    }
}
