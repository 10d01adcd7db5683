import Foundation
import Hub
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Notices")
struct NoticeTests {
    private func identity(_ world: World, _ role: Role) async throws -> Identity {
        let member = try await world.member()
        let account = try await world.accounts.setRole(role, ofEmail: member.account.email)
        return Identity(account: account, tokenID: member.tokenID)
    }

    private func notice(
        _ topic: String = "campus/notices", title: String = "Lift 3 is broken", body: String? = nil,
        level: NoticeLevel? = nil, id: String = World.newID()
    ) -> NoticesPublish.Params {
        .init(topic: topic, id: id, title: title, body: body, level: level)
    }

    private static let tooLong = String(repeating: "x", count: 4_001)

    private struct Page: Decodable {
        let epoch: Int64
        let publications: [Publication<Notice>]
        let next: Int64?
    }

    private func history(_ world: World, _ topic: String, before: Int64? = nil, limit: Int? = nil) async throws -> Page
    {
        try WireJSON.decode(
            Page.self, from: try await world.publications.history(topic: topic, before: before, limit: limit))
    }

    @Test("are published by admins and lecturers, and by nobody else")
    func roles() async throws {
        let world = try await World()
        for role in [Role.admin, .lecturer] {
            let who = try await identity(world, role)
            #expect(try await world.publications.publish(notice(), by: who).offset > 0)
        }
        for role in [Role.student, .rewards] {
            let who = try await identity(world, role)
            _ = await refusal(.forbidden) { try await world.publications.publish(notice(), by: who) }
        }
    }

    @Test("say what they said, in a history by pages, newest first, on the topic they were published on")
    func pages() async throws {
        let world = World(access: try await MigratedDatabase.shared.own(), patience: .seconds(30))
        let admin = try await identity(world, .admin)
        #expect(try await history(world, "zone/2/notices").publications.isEmpty)
        let id = World.newID()
        for number in 1...25 {
            _ = try await world.publications.publish(
                notice(
                    "zone/1/notices", title: " Notice \(number) ", body: number == 25 ? "Line\n\tmore" : " ",
                    level: number == 25 ? .urgent : nil, id: number == 25 ? id : World.newID()), by: admin)
        }
        let first = try await history(world, "zone/1/notices")
        #expect(first.publications.map(\.offset) == (6...25).reversed())
        #expect(
            first.publications.first?.data
                == Notice(
                    id: id.lowercased(), at: world.clock.now, title: "Notice 25", body: "Line\n\tmore", level: .urgent))
        #expect(first.publications.last?.data.body == nil)
        #expect(first.publications.last?.data.level == .info)
        let second = try await history(world, "zone/1/notices", before: first.next, limit: 3)
        #expect(second.publications.map(\.data.title) == ["Notice 5", "Notice 4", "Notice 3"])
        let last = try await history(world, "zone/1/notices", before: second.next)
        #expect(last.publications.map(\.offset) == [2, 1])
        #expect(last.next == nil)
        #expect(try await history(world, "campus/notices").publications.isEmpty)
        await world.close()
    }

    @Test(
        "What is wrong is told by its field",
        arguments: [
            ("id", NoticesPublish.Params(topic: "campus/notices", id: "7", title: "x")),
            ("title", .init(topic: "campus/notices", id: World.newID(), title: " ")),
            ("title", .init(topic: "campus/notices", id: World.newID(), title: String(repeating: "x", count: 121))),
            ("title", .init(topic: "campus/notices", id: World.newID(), title: "a\nb")),
            ("body", .init(topic: "campus/notices", id: World.newID(), title: "x", body: tooLong)),
            ("body", .init(topic: "campus/notices", id: World.newID(), title: "x", body: "\u{7}")),
            ("topic", .init(topic: "test/1", id: World.newID(), title: "x")),
            ("topic", .init(topic: "zone/1/positions", id: World.newID(), title: "x")),
            ("topic", .init(topic: "nowhere", id: World.newID(), title: "x")),
        ])
    func wrong(field: String, params: NoticesPublish.Params) async throws {
        let world = try await World()
        let admin = try await identity(world, .admin)
        let error = await refusal(.invalidParams) { try await world.publications.publish(params, by: admin) }
        #expect(error?.data?.field == field)
    }

    @Test("Topics that do not exist can be neither read nor written: zones, and test topics without test endpoints")
    func unknownTopics() async throws {
        let world = try await World()
        let admin = try await identity(world, .admin)
        _ = await refusal(.notFound) { try await world.publications.publish(notice("zone/99/notices"), by: admin) }
        let plain = Publications(
            loop: world.loop, table: world.table, writer: world.publisher, hub: world.hub, campus: world.campus)
        for (publications, topic) in [(world.publications, Topic.zoneNotices(99)), (plain, .test(1))] {
            let viewer = RecordingViewer(loop: world.loop)
            _ = await refusal(.notFound) {
                try await publications.watch(viewer, topic, since: nil) { $0.json }
            }
            _ = await refusal(.notFound) {
                try await publications.history(topic: topic.description, before: nil, limit: nil)
            }
        }
        _ = await refusal(.notFound) {
            try await plain.publish(TestPublish.Params(topic: "test/1", id: World.newID(), data: ""), by: nil)
        }
        for topic in ["session/1", "zone/1/positions", "x"] {
            _ = await refusal(.invalidParams) {
                try await world.publications.history(topic: topic, before: nil, limit: nil)
            }
        }
        for (before, limit) in [(0, 1), (1, 0), (1, 101)] as [(Int64, Int)] {
            _ = await refusal(.invalidParams) {
                try await world.publications.history(topic: "campus/notices", before: before, limit: limit)
            }
        }
    }
}
