import Foundation
import Hub
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("To whom notices go")
struct NoticeAudienceTests {
    /// What both a list and a live feed give: the same, by different ways.
    private func recipients(
        of audience: NoticeAudience, by sender: Identity, among people: [String: Identity], _ world: NoticeWorld
    ) async throws -> Set<String> {
        var listeners: [String: NoticeListener] = [:]
        for (name, who) in people { listeners[name] = try await world.listen(who) }
        let title = World.newID()
        try await world.publish(title, to: audience, by: sender)
        // Everybody gets this one: behind it nothing else comes.
        try await world.publish("end", by: try await world.member(.admin))
        var live: Set<String> = []
        var listed: Set<String> = []
        var late: Set<String> = []
        for (name, who) in people {
            guard var listener = listeners[name] else { continue }
            let before = listener.taken.count
            while listener.titles.dropFirst(before).last != "end" {
                try await listener.read(upTo: listener.taken.count + 1)
            }
            #expect(listener.faults == [])
            if listener.titles.contains(title) { live.insert(name) }
            if try await world.listed(who).contains(title) { listed.insert(name) }
            if try await world.listen(who).titles.contains(title) { late.insert(name) }
            await world.hub.disconnect(listener.viewer)
        }
        #expect(live == listed && live == late, "\(audience)")
        return live
    }

    @Test(
        "Campus, zone, role and one account: live, in a list, and in what a new connection gets, it is the same people")
    func matrix() async throws {
        let world = try await NoticeWorld()
        let admin = try await world.member(.admin)
        var people = ["student": try await world.member(), "lecturer": try await world.member(.lecturer)]
        people["follower"] = try await world.member()
        people["other"] = try await world.member()
        try await world.follow([1], try #require(people["follower"]))
        try await world.follow([2], try #require(people["other"]))
        let all = Set(people.keys)
        #expect(try await recipients(of: .campus, by: admin, among: people, world) == all)
        #expect(try await recipients(of: .zone(1), by: admin, among: people, world) == ["follower"])
        #expect(
            try await recipients(of: .role(.student), by: admin, among: people, world) == all.subtracting(["lecturer"]))
        #expect(try await recipients(of: .role(.lecturer), by: admin, among: people, world) == ["lecturer"])
        let one = try #require(people["student"]).account.id
        #expect(try await recipients(of: .user(one), by: admin, among: people, world) == ["student"])
        // What follows is another's with the same account.
        people["student"] = try await world.become(.lecturer, try #require(people["student"]))
        #expect(
            try await recipients(of: .role(.lecturer), by: admin, among: people, world) == ["lecturer", "student"])
        await world.close()
    }

    @Test("Of an event: its owner, who comes, perhaps, waits, is invited or keeps it in view, and not who said no")
    func event() async throws {
        let world = try await NoticeWorld()
        let owner = try await world.member()
        let event = try await world.event(by: owner, capacity: 1)
        var people = ["owner": owner, "stranger": try await world.member()]
        for (name, answer) in [("going", .going), ("waiting", .going), ("maybe", .maybe), ("no", .no)]
            as [(String, EventAnswer)]
        {
            let who = try await world.member()
            people[name] = who
            _ = try await world.events.answer(.init(event: event, answer: answer), by: who)
        }
        for name in ["saved", "savedNo", "blocker", "blocked"] {
            let who = try await world.member()
            people[name] = who
            _ = try await world.events.save(.init(event: event, saved: true), by: who)
        }
        _ = try await world.events.answer(.init(event: event, answer: .no), by: try #require(people["savedNo"]))
        let invited = try await world.member()
        people["invited"] = invited
        _ = try await world.pool.query(
            "INSERT INTO event_people (event_id, account_id, invited_by, invited_at) VALUES ($1, $2, $3, now())",
            [.int(event), .int(invited.account.id), .int(owner.account.id)])
        try await world.block(try #require(people["blocker"]), owner)
        try await world.block(owner, try #require(people["blocked"]))
        #expect(
            try await recipients(of: .event(event), by: owner, among: people, world)
                == ["owner", "going", "waiting", "maybe", "saved", "invited"])
        await world.close()
    }

    @Test("Who is out in a zone when it is published has it, also when they have left; who comes later has not")
    func outThere() async throws {
        let world = try await NoticeWorld()
        let admin = try await world.member(.admin)
        let (early, late, elsewhere) = (
            try await world.member(), try await world.member(), try await world.member()
        )
        func track(_ who: Identity, _ longitude: Double) async throws -> Session {
            let session = try await world.world.start(who)
            try await world.world.send(
                [TrackPoint(seq: 1, lat: 0, lon: longitude, time: world.clock.now)], to: session, as: who)
            return session
        }
        let session = try await track(early, 0.005)
        _ = try await track(elsewhere, 0.015)
        try await world.publish("zone", to: .zone(1), by: admin)
        _ = try await track(late, 0.005)
        try await world.world.stop(session, as: early)
        #expect(try await world.listed(early) == ["zone"])
        #expect(try await world.listed(late) == [])
        #expect(try await world.listed(elsewhere) == [])
        await world.close()
    }

    @Test("A block keeps away what a student sends, and nothing that a lecturer or an admin tells the campus")
    func blocks() async throws {
        let world = try await NoticeWorld()
        let (lecturer, student) = (try await world.member(.lecturer), try await world.member())
        try await world.block(student, lecturer)
        try await world.publish("campus", by: lecturer)
        let event = try await world.event(by: lecturer, .campus)
        _ = try await world.events.answer(.init(event: event, answer: .going), by: student)
        try await world.publish("event", to: .event(event), by: lecturer)
        #expect(try await world.listed(student) == ["campus"])
        #expect(try await world.listed(lecturer) == ["event", "campus"])
        await world.close()
    }

    @Test("Who may: each role, each audience, each level, and a refusal that says what to do")
    func whoMay() async throws {
        let world = try await NoticeWorld()
        let admin = try await world.member(.admin)
        let others = try await world.event(by: admin)
        for role in [Role.student, .rewards, .lecturer, .admin] {
            let who = try await world.member(role)
            let own = try await world.event(by: who)
            let draft = try await world.event(by: who, publish: false)
            let audiences: [(NoticeAudience, ErrorCode?)] = [
                (.campus, role == .student || role == .rewards ? .forbidden : nil),
                (.zone(1), role == .student || role == .rewards ? .forbidden : nil),
                (.zone(99), role == .student || role == .rewards ? .forbidden : .notFound),
                (.role(.student), role == .admin ? nil : .forbidden),
                (.user(who.account.id), role == .admin ? nil : .forbidden),
                (.user(999_999), role == .admin ? .notFound : .forbidden),
                (.event(own), nil), (.event(draft), .conflict), (.event(999_999), .notFound),
                (.event(others), role == .admin ? nil : .forbidden),
            ]
            for (audience, code) in audiences {
                for level in [NoticeLevel.info, .important, .emergency] {
                    // A level that is not theirs is refused before a zone that is not there.
                    let isTooLoud = level == .emergency && role != .admin
                    let expected =
                        isTooLoud && code != .conflict && audience.kind != .event
                        ? .forbidden : code ?? (isTooLoud ? .forbidden : nil)
                    guard let expected else {
                        let sent = try await world.publish(to: audience, level: level, by: who)
                        #expect(sent.state == .published && sent.audience == audience)
                        #expect(sent.notice.to.account == nil, "nobody is named to others")
                        continue
                    }
                    let error = await refusal(expected) {
                        try await world.publish(to: audience, level: level, by: who)
                    }
                    #expect(error?.message.isEmpty == false)
                }
                guard let code else { continue }
                _ = await refusal(code) { try await world.notices.preview(.init(audience: audience), by: who) }
            }
        }
        await world.close()
    }

    @Test("Who has made an event tells its people five times a day, and twenty times to those of all events")
    func seldom() async throws {
        let world = try await NoticeWorld()
        let owner = try await world.member()
        for number in 1...4 {
            let event = try await world.event(by: owner)
            for _ in 1...5 { try await world.publish(to: .event(event), by: owner) }
            let error = await refusal(.rateLimited) { try await world.publish(to: .event(event), by: owner) }
            #expect(error?.data?.retryAfter != nil, "\(number)")
        }
        let another = try await world.event(by: owner)
        _ = await refusal(.rateLimited) { try await world.publish(to: .event(another), by: owner) }
        world.clock.advance(bySeconds: 86_401)
        try await world.publish(to: .event(try await world.event(by: owner)), by: owner)
        await world.close()
    }

    @Test(
        "What is wrong is told by its field",
        arguments: [
            ("id", NoticesPublish.Params(id: "7", audience: .campus, title: "x")),
            ("title", .init(id: World.newID(), audience: .campus, title: " ")),
            ("title", .init(id: World.newID(), audience: .campus, title: String(repeating: "x", count: 121))),
            ("title", .init(id: World.newID(), audience: .campus, title: "a\nb")),
            ("body", .init(id: World.newID(), audience: .campus, title: "x", body: "\u{7}")),
            (
                "body",
                .init(id: World.newID(), audience: .campus, title: "x", body: String(repeating: "x", count: 4_001))
            ),
            ("audience.zone", .init(id: World.newID(), audience: .init(kind: .zone), title: "x")),
            ("audience.account", .init(id: World.newID(), audience: .init(kind: .campus, account: 1), title: "x")),
            (
                "audience.role",
                .init(id: World.newID(), audience: .init(kind: .zone, zone: 1, role: .admin), title: "x")
            ),
            (
                "publishAt",
                .init(
                    id: World.newID(), audience: .campus, title: "x",
                    publishAt: TestClock().now.advanced(bySeconds: 366 * 86_400))
            ),
            ("expiresAt", .init(id: World.newID(), audience: .campus, title: "x", expiresAt: TestClock().now)),
            (
                "expiresAt",
                .init(
                    id: World.newID(), audience: .campus, title: "x",
                    expiresAt: TestClock().now.advanced(bySeconds: 366 * 86_400))
            ),
        ])
    func wrong(field: String, params: NoticesPublish.Params) async throws {
        let world = try await NoticeWorld()
        let admin = try await world.member(.admin)
        let error = await refusal(.invalidParams) { try await world.notices.publish(params, by: admin) }
        #expect(error?.data?.field == field)
        await world.close()
    }
}
