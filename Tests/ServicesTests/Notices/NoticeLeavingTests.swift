import EventLoop
import Foundation
import Hub
import Metrics
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Events and notices of accounts and events that go", .timeLimit(.minutes(3)))
struct NoticeLeavingTests {
    /// Removes an account as an admin does, at the time of the test's clock.
    private func remove(_ who: Identity, _ world: NoticeWorld) async throws {
        let at = world.clock.now
        try await world.pool.transaction { transaction in
            _ = try await transaction.query(
                "SELECT event_leave($1, $2)", [.int(who.account.id), .timestamp(at.milliseconds)])
            _ = try await transaction.query("DELETE FROM accounts WHERE id = $1", [.int(who.account.id)])
        }
        await world.hub.notices.appended()
    }

    private func answer(_ event: Int64, _ answer: EventAnswer, by who: Identity, _ world: NoticeWorld) async throws {
        _ = try await world.events.answer(.init(event: event, answer: answer), by: who)
    }

    private func delivered(_ viewer: RecordingViewer) async throws -> [EventNews] {
        try await viewer.take().flatMap(\.messages).compactMap { message in
            let json = RecordingViewer.payload(of: message.frame)
            return json.isEmpty ? nil : try WireJSON.decode(Push<UserSignal>.self, from: json).params.data.news
        }
    }

    @Test(
        "When an account goes, its events to come that others have to do with are cancelled, and those are told; what it wrote of them goes, and its other events"
    )
    func cancelled() async throws {
        let world = try await NoticeWorld()
        let (owner, guest, no) = (try await world.member(), try await world.member(), try await world.member())
        let event = try await world.event(by: owner)
        let alone = try await world.event(by: owner)
        let draft = try await world.event(by: owner, publish: false)
        _ = try await world.pool.query("UPDATE events SET description = 'At my place'")
        try await answer(event, .going, by: guest, world)
        try await answer(event, .no, by: no, world)
        let viewers = [RecordingViewer(loop: world.loop), RecordingViewer(loop: world.loop)]
        for (viewer, who) in zip(viewers, [guest, no]) {
            try await world.hub.signals.subscribe(viewer, account: who.account.id) { [] }
            _ = await viewer.take()
        }
        try await remove(owner, world)
        try await world.events.publishPendingChanges()
        let seen = try await world.events.event(event, for: guest)
        #expect(seen.state == .cancelled && seen.cancelReason == "Whoever made it has left." && seen.owner == nil)
        #expect(seen.details.title == "Run" && seen.details.description == nil && seen.revision == 1)
        #expect(try await delivered(viewers[0]) == [.cancelled])
        #expect(try await delivered(viewers[1]).isEmpty, "who does not come is not told")
        let left = try await world.pool.query("SELECT id FROM events ORDER BY id").map { try $0.int("id") }
        #expect(left == [event], "not \(alone), where nobody was to come, nor the draft \(draft)")
        await world.close()
    }

    @Test(
        "What an account told the people of its events is withdrawn when it goes; what was announced for the campus stays"
    )
    func withdrawn() async throws {
        let world = try await NoticeWorld()
        let (owner, guest) = (try await world.member(.lecturer), try await world.member())
        let own = try await world.event(by: owner)
        let campus = try await world.event(by: owner, .campus)
        for event in [own, campus] { try await answer(event, .going, by: guest, world) }
        var listener = try await world.listen(guest)
        try await world.publish("Bring a light", to: .event(own), by: owner)
        try await world.publish("Room 12", to: .event(campus), by: owner)
        try await world.publish("Lift 3 is broken", by: owner)
        try await world.publish(
            "Later", to: .event(own), at: world.clock.now.advanced(bySeconds: 600), by: owner)
        try await listener.read(upTo: 3)
        try await remove(owner, world)
        try await listener.read(upTo: 4)
        #expect(listener.titles == ["Bring a light", "Room 12", "Lift 3 is broken", "-"])
        #expect(try await world.listed(guest) == ["Lift 3 is broken", "Room 12"])
        world.clock.advance(bySeconds: 700)
        try await world.notices.publishDue()
        #expect(try await world.listed(guest) == ["Lift 3 is broken", "Room 12"], "nothing goes out of who has left")
        await world.close()
    }

    @Test(
        "When an event goes, whoever has a notice to its people is told that it is withdrawn, also who was away meanwhile"
    )
    func eventGone() async throws {
        let world = try await NoticeWorld()
        let (admin, owner) = (try await world.member(.admin), try await world.member())
        let (guest, away, other) = (try await world.member(), try await world.member(), try await world.member())
        let event = try await world.event(by: owner)
        for who in [guest, away] { try await answer(event, .going, by: who, world) }
        let sent = try await world.publish("Bring a light", to: .event(event), by: admin)
        var (listener, returning) = (try await world.listen(guest), try await world.listen(away))
        var stranger = try await world.listen(other)
        #expect(listener.titles == ["Bring a light"] && returning.titles == ["Bring a light"])
        await world.hub.disconnect(returning.viewer)
        _ = try await world.pool.query("DELETE FROM events WHERE id = $1", [.int(event)])
        await world.hub.notices.appended()
        try await listener.read(upTo: 2)
        #expect(listener.titles.last == "-" && listener.faults.isEmpty)
        returning = returning.reconnected()
        try await returning.subscribe(world.hub, account: away.account.id)
        #expect(returning.titles == ["Bring a light", "-"] && returning.faults.isEmpty)
        try await stranger.read()
        #expect(stranger.numbers.isEmpty)
        let status = try await world.notices.status(of: .init(notice: sent.notice.number), for: admin)
        #expect(status.state == .withdrawn && status.audience.event == nil)
        await world.close()
    }

    @Test(
        "An account that goes while others answer where it is going: nothing waits for ever, and all that can be done is done"
    )
    func whileAnswering() async throws {
        let world = try await NoticeWorld()
        let owner = try await world.member()
        var events: [Int64] = []
        for _ in 0..<3 { events.append(try await world.event(by: owner, capacity: 1)) }
        var people: [Identity] = []
        for _ in 0..<8 { people.append(try await world.member()) }
        for event in events { for who in people { try await answer(event, .going, by: who, world) } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, who) in people.enumerated() {
                let order = place % 2 == 0 ? events : events.reversed()
                group.addTask {
                    guard place >= 4 else { return try await remove(who, world) }
                    for event in order {
                        try await answer(event, .no, by: who, world)
                        try await answer(event, .going, by: who, world)
                    }
                }
            }
            try await group.waitForAll()
        }
        for event in events {
            let seen = try await world.events.event(event, for: people[4])
            #expect(seen.going == 1 && seen.waiting == 3)
        }
        await world.close()
    }

    @Test(
        "Who is removed while waiting for a place that somebody else gives up meanwhile: neither of both is begun again"
    )
    func lockOrder() async throws {
        let world = try await NoticeWorld()
        let (owner, going, waiting) = (try await world.member(), try await world.member(), try await world.member())
        let event = try await world.event(by: owner, capacity: 1)
        for who in [going, waiting] { try await answer(event, .going, by: who, world) }
        let (tries, isEndDelayed) = (Counter(), Counter())
        try await withThrowingTaskGroup(of: Void.self) { group in
            let at = world.clock.now
            group.addTask {
                try await world.pool.transaction { transaction in
                    tries.add()
                    // As an answer begins; then the other one comes.
                    _ = try await transaction.query("SELECT FROM events WHERE id = $1 FOR NO KEY UPDATE", [.int(event)])
                    isEndDelayed.add()
                    _ = try await eventually("the other waits") {
                        try await world.pool.query(
                            "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
                        ).isEmpty ? nil : true
                    }
                    _ = try await transaction.query(
                        "SELECT event_answer($1, $2, 'no', $3)",
                        [.int(event), .int(going.account.id), .timestamp(at.milliseconds)])
                }
            }
            group.addTask {
                _ = try await eventually("the event is held") { isEndDelayed.value > 0 ? true : nil }
                try await world.pool.transaction { transaction in
                    tries.add()
                    _ = try await transaction.query(
                        "DELETE FROM accounts WHERE id = $1", [.int(waiting.account.id)])
                }
            }
            try await group.waitForAll()
        }
        #expect(tries.value == 2)
        let seen = try await world.events.event(event, for: owner)
        #expect(seen.going == 0 && seen.waiting == 0)
        await world.close()
    }

    @Test(
        "How many have a notice and have read it is what the receipts say, also when accounts go and receipts come twice"
    )
    func counted() async throws {
        let world = try await NoticeWorld()
        let admin = try await world.member(.admin)
        var people: [Identity] = []
        for _ in 0..<5 { people.append(try await world.member()) }
        let sent = [try await world.publish("One", by: admin), try await world.publish("Two", by: admin)]
        let numbers = sent.map(\.notice.number)
        for who in people { try await world.notices.received(.init(notices: numbers), by: who) }
        for who in people[..<3] { _ = try await world.notices.read(.init(notices: [numbers[0]]), by: who) }
        for who in people[..<3] { _ = try await world.notices.read(.init(notices: [numbers[0]]), by: who) }
        func counts() async throws -> [[Int64]] {
            try await world.pool.query("SELECT received, read FROM notice_counts ORDER BY notice_id").map {
                [try $0.int("received"), try $0.int("read")]
            }
        }
        _ = try await eventually("receipts are written") { try await counts().first?[0] == 5 ? true : nil }
        #expect(try await counts() == [[5, 3], [5, 0]])
        try await remove(people[0], world)
        #expect(try await counts() == [[4, 2], [4, 0]])
        let kept = try await world.pool.query(
            """
            SELECT count(*) AS wrong FROM notice_counts c WHERE (c.received, c.read) IS DISTINCT FROM
                (SELECT (count(*), count(r.read_at)) FROM notice_receipts r WHERE r.notice_id = c.notice_id)
            """)
        #expect(try kept.first?.int("wrong") == 0)
        await world.close()
    }
}
