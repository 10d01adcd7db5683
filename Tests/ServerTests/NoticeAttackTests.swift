import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

@testable import Server
@testable import Services

/// Senders who try to learn from notices where somebody is, whether they are there, and what they read.
@Suite("Notices, tried as an attacker would")
struct NoticeAttackTests {
    private typealias Person = NoticeTests.Person

    /// Somebody whom the attacker is after, on a server with the sample campus.
    private struct Scene {
        let server: TestServer
        let admin: Person
        let victim: ChatPerson
        /// A buddy of the victim.
        let host: ChatPerson
        let zones: [Int64]

        init() async throws {
            server = try await TestServer.start { $0.rateLimits = .off }
            admin = try await Person(server, .admin)
            victim = try await ChatPerson(server, lastName: "Berg")
            host = try await ChatPerson(server, lastName: "Host")
            try await host.match(victim)
            zones = try await admin.connection.call(CampusInfoGet.self, Empty()).zones.map(\.id)
        }

        /// What previews, scheduled notices and published ones say of all zones, without what is new with each notice.
        func counts() async throws -> [String] {
            var counts: [String] = []
            for zone in zones {
                let preview = try await admin.connection.call(NoticesPreview.self, .init(audience: .zone(zone)))
                let later = NoticesPublish.Params(
                    id: UUID().uuidString, audience: .zone(zone), title: "x",
                    publishAt: Timestamp.now.advanced(bySeconds: 3_600))
                let scheduled = try await admin.connection.call(NoticesPublish.self, later)
                let published = try await admin.publish("x", to: .zone(zone))
                for sent in [scheduled, published] {
                    counts.append("\(zone) \(sent.recipients) \(sent.received ?? -1) \(sent.read ?? -1)")
                }
                counts.append(String(decoding: try WireJSON.encode(preview), as: UTF8.self))
            }
            return counts
        }

        /// An event of the host's to which the victim alone is invited.
        func privateEvent() async throws -> Int64 {
            let details = EventDetails(
                title: "Run", startsAt: Timestamp.now.advanced(bySeconds: 7_200), duration: 3_600,
                place: EventPlace(name: "Track"))
            let event = try await host.client.call(
                EventsCreate.self,
                .init(id: UUID().uuidString, audience: .private, details: details, publish: true))
            _ = try await host.client.call(EventsInvite.self, .init(event: event.id, accounts: [victim.id]))
            return event.id
        }

        func status(_ sent: SentNotice) async throws -> [Int64?] {
            let status = try await admin.connection.call(NoticesStatus.self, .init(notice: sent.notice.number))
            return [status.recipients, status.received, status.read]
        }
    }

    @Test(
        "A private run moves no count of any zone: previews, scheduled and published notices and receipts say the same")
    func privateRunInZone() async throws {
        let scene = try await Scene()
        let before = try await scene.counts()
        let run = try await TestRun(on: scene.server, audience: .private)
        try await run.run(3)
        let point = try #require(await run.next(1).first)
        let zone = try #require(
            try await scene.admin.connection.call(CampusLocate.self, .init(lat: point.lat, lon: point.lon)).zone)
        #expect(try await scene.counts() == before)

        // Who is out there has it all the same, and no receipt says so.
        let sent = try await scene.admin.publish("to the zone", to: .zone(zone.id), .emergency)
        let (runner, number) = (run.connection, NoticeNumbers(notices: [sent.notice.number]))
        #expect(try await runner.call(NoticesList.self, .init()).notices.map(\.number) == number.notices)
        let quiet = try await scene.status(sent)
        _ = try await runner.call(NoticesReceived.self, number)
        _ = try await runner.call(NoticesRead.self, number)
        #expect(try await scene.status(sent) == quiet)
        #expect(quiet == [0, nil, nil])
        await scene.server.stop()
    }

    @Test("Private runs move no count that is one short of the next step; one more follower does")
    func privateRunsBesideFollowers() async throws {
        let scene = try await Scene()
        func follow() async throws {
            let follower = try await ChatPerson(scene.server)
            _ = try await follower.client.call(NoticesSaveSettings.self, NoticeSettings(zones: scene.zones))
        }
        for _ in 1..<NoticeCounts.step { try await follow() }
        let before = try await scene.counts()
        var runs: [TestRun] = []
        for count in [1, Int(NoticeCounts.step)] {
            while runs.count < count {
                let run = try await TestRun(on: scene.server, audience: .private)
                try await run.run(3)
                runs.append(run)
            }
            #expect(try await scene.counts() == before, "\(count) private runs")
        }
        try await follow()
        #expect(try await scene.counts() != before)
        await scene.server.stop()
    }

    @Test("A preview says the same whether the one it is about is connected, in quiet hours, on a run, or away")
    func presence() async throws {
        let scene = try await Scene()
        let event = try await scene.privateEvent()
        func previews() async throws -> [String] {
            var texts: [String] = []
            for audience in [.user(scene.victim.id), .role(.student)] as [NoticeAudience] {
                let preview = try await scene.admin.connection.call(NoticesPreview.self, .init(audience: audience))
                texts.append(String(decoding: try WireJSON.encode(preview), as: UTF8.self))
            }
            let answer = try await scene.host.client.ask(
                "notices.preview", "{\"audience\":{\"kind\":\"event\",\"event\":\(event)}}")
            return texts + [answer]
        }
        let there = try await previews()
        _ = try await scene.victim.client.ask("subscribe", #"{"topic":"notices"}"#)
        #expect(try await previews() == there)
        _ = try await scene.victim.client.call(
            TrackingStart.self, .init(activity: .run, clientId: UUID().uuidString))
        #expect(try await previews() == there)
        scene.victim.client.close()
        #expect(try await previews() == there)
        #expect(there == [#"{"people":1}"#, #"{"people":0}"#, #"{"jsonrpc":"2.0","result":{"people":0}}"#])
        await scene.server.stop()
    }

    @Test("The owner of an event with one guest learns neither when a notice reaches the guest nor that it was read")
    func eventReceipts() async throws {
        let scene = try await Scene()
        let event = try await scene.privateEvent()
        let params = NoticesPublish.Params(id: UUID().uuidString, audience: .event(event), title: "Where are you?")
        let sent = try await scene.host.client.call(NoticesPublish.self, params)
        func status() async throws -> String {
            let status = try await scene.host.client.call(NoticesStatus.self, .init(notice: sent.notice.number))
            return try ChatClient.sorted(String(decoding: try WireJSON.encode(status), as: UTF8.self))
        }
        let before = try await status()
        let session = try await scene.victim.client.call(
            TrackingStart.self, .init(activity: .run, clientId: UUID().uuidString)
        ).session.id
        #expect(try await status() == before)
        _ = try await scene.victim.client.call(TrackingStop.self, .init(session: session))
        let numbers = NoticeNumbers(notices: [sent.notice.number])
        _ = try await scene.victim.client.call(NoticesReceived.self, numbers)
        #expect(try await status() == before)
        _ = try await scene.victim.client.call(NoticesRead.self, numbers)
        #expect(try await status() == before)
        let list = try await scene.host.client.call(NoticesSent.self, .init())
        #expect(list.notices.allSatisfy { $0.received == nil && $0.read == nil && $0.recipients == 0 })
        await scene.server.stop()
    }

    @Test("An admin learns nothing of one account's receipts, nor of those of a small role")
    func smallAudiences() async throws {
        let scene = try await Scene()
        let lecturer = try await Person(scene.server, .lecturer)
        let sent = [
            try await scene.admin.publish("x", to: .user(scene.victim.id)),
            try await scene.admin.publish("x", to: .role(.lecturer)), try await scene.admin.publish("x"),
        ]
        var before: [[Int64?]] = []
        for one in sent { before.append(try await scene.status(one)) }
        for one in sent {
            let number = NoticeNumbers(notices: [one.notice.number])
            _ = try await scene.victim.client.call(NoticesRead.self, number)
            _ = try await lecturer.connection.call(NoticesRead.self, number)
        }
        for (one, counts) in zip(sent, before) { #expect(try await scene.status(one) == counts) }
        #expect(before == [[1, nil, nil], [0, nil, nil], [0, nil, nil]])
        await scene.server.stop()
    }

    @Test(
        "What a notice said before it was corrected or withdrawn is read by no guest: not in the history, not since an offset"
    )
    func takenBackWords() async throws {
        let scene = try await Scene()
        let guest = try await ChatClient(scene.server)
        let topic = #"{"topic":"campus/notices"}"#
        _ = try await guest.ask("subscribe", topic)
        let first = try await scene.admin.publish("secretone")
        let second = try await scene.admin.publish("secrettwo")
        let zone = try await scene.admin.publish("secretzone", to: .zone(scene.zones[0]))
        let expired = try await scene.admin.publish("secretexpired")
        _ = try await eventually("the guest has them") {
            guest.frames.contains { $0.contains("secretexpired") } ? true : nil
        }
        let database = try await scene.server.database()
        _ = try await database.query(
            """
            UPDATE notices SET publish_at = publish_at - interval '2 days', expires_at = now() - interval '1 second' WHERE id = $1
            """, [.int(expired.notice.number)])
        database.close()
        _ = try await scene.admin.connection.call(NoticesWithdraw.self, .init(notice: expired.notice.number))
        let audit = try await scene.admin.connection.call(AdminAudit.self, .init(action: "notice.withdraw"))
        #expect(audit.entries.count == 1)
        _ = try await scene.admin.connection.call(NoticesWithdraw.self, .init(notice: first.notice.number))
        _ = try await scene.admin.connection.call(NoticesWithdraw.self, .init(notice: zone.notice.number))
        _ = try await scene.admin.connection.call(
            NoticesCorrect.self, .init(notice: second.notice.number, revision: 1, title: "Harmless"))
        let zoneTopic = "{\"topic\":\"zone/\(scene.zones[0])/notices\"}"
        func outlets() async throws -> [String] {
            let late = try await ChatClient(scene.server)
            let epoch = try await late.call(TopicHistory<NoticeEvent>.self, .init(topic: "campus/notices")).epoch
            return [
                try await late.ask("topic.history", topic), try await late.ask("topic.history", zoneTopic),
                try await late.ask("subscribe", topic), try await late.ask("subscribe", zoneTopic),
                try await ChatClient(scene.server).ask(
                    "subscribe", #"{"topic":"campus/notices","since":{"epoch":\#(epoch),"offset":0}}"#),
            ]
        }
        let attempts = try await outlets()
        #expect(attempts.allSatisfy { !$0.contains("secret") })
        #expect(attempts[0].contains("Harmless") && attempts[4].contains(#""recovered":true"#))
        // After a restart as well, from the table alone.
        try await scene.server.startAgain()
        #expect(try await outlets().allSatisfy { !$0.contains("secret") })
        await scene.server.stop()
    }
}
