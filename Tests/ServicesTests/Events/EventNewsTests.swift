import Foundation
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Events: telling what is new")
struct EventNewsTests {
    private struct Trouble: Error {}

    private func left(_ event: Event, _ world: EventWorld) async throws -> Int64 {
        let rows = try await world.pool.query(
            "SELECT count(*) AS n FROM event_news WHERE event_id = $1", [.int(event.id)])
        return try rows.first?.int("n") ?? -1
    }

    @Test(
        "What a server committed and did not tell before it died, the next one tells, once; what one tells, no other does"
    )
    func crash() async throws {
        let world = try await EventWorld()
        let people = [try await world.member(), try await world.member(), try await world.member()]
        let (anna, ben, cleo) = (people[0], people[1], people[2])
        let event = try await world.publish(world.details(capacity: 1), by: anna)
        for who in [ben, cleo] { try await world.answer(event, .going, by: who) }
        let received = try await world.listen(cleo)
        // As the server that dies behind this commit.
        _ = try await world.pool.query(
            "SELECT event_answer($1, $2, 'no', $3)",
            [.int(event.id), .int(ben.account.id), .timestamp(world.clock.now.milliseconds)])
        #expect(try await world.news(received) == [])
        // Another has taken it on and is at it.
        _ = try await world.pool.query(
            "UPDATE event_news SET due_at = now() + interval '50 s' WHERE event_id = $1", [.int(event.id)])
        await world.events.publishPendingChanges(of: event.id)
        #expect(try await world.news(received) == [])
        // It died, too.
        _ = try await world.pool.query(
            "UPDATE event_news SET due_at = now() - interval '1 s' WHERE event_id = $1", [.int(event.id)])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { await world.events.publishPendingChanges(of: event.id) } }
        }
        #expect(try await world.news(received) == [.movedUp])
        #expect(try await left(event, world) == 0)
    }

    @Test(
        "What could not be told to everybody who wants to know is told again, and nothing is written for what is undone"
    )
    func hook() async throws {
        let world = try await EventWorld()
        let (anna, ben) = (try await world.member(), try await world.member())
        let event = try await world.publish(by: anna)
        try await world.answer(event, .going, by: ben)
        let seen = Mutex<(fails: Bool, notifications: [EventNotification])>((true, []))
        await world.events.setChangePublished { notifications in
            try seen.withLock {
                guard !$0.fails else { throw Trouble() }
                $0.notifications += notifications
            }
        }
        let changed = try await world.update(event, by: anna) { $0.title = "Evening run" }
        #expect(try await left(event, world) == 1)
        seen.withLock { $0.fails = false }
        _ = try await world.pool.query("UPDATE event_news SET due_at = now() WHERE event_id = $1", [.int(event.id)])
        await world.events.publishPendingChanges(of: event.id)
        #expect(
            seen.withLock { $0.notifications } == [
                EventNotification(account: ben.account.id, event: event.id, news: .changed)
            ])
        #expect(try await left(event, world) == 0)
        // Refused: nothing is left to tell.
        #expect(await refusal(.conflict) { try await world.update(event, by: anna) { $0.title = "Lost" } } != nil)
        #expect(try await left(event, world) == 0)
        _ = try await world.events.cancel(.init(event: changed.id), by: anna)
        #expect(seen.withLock { $0.notifications.last?.news } == .cancelled)
    }

    @Test("Who moves up because an account is deleted, several at once too, or because of a block, is told so")
    func movedUp() async throws {
        let world = try await EventWorld()
        var people: [Identity] = []
        for _ in 0..<6 { people.append(try await world.member()) }
        let (anna, ben, cleo, dora, emil, fay) = (people[0], people[1], people[2], people[3], people[4], people[5])
        let event = try await world.publish(world.details(capacity: 2), by: anna)
        for who in [ben, cleo, dora, emil, fay] { try await world.answer(event, .going, by: who) }
        let (viewerOfEmil, viewerOfFay) = (try await world.listen(emil), try await world.listen(fay))
        // One of those who go in the same statement would have moved up by it.
        _ = try await world.pool.query(
            "DELETE FROM accounts WHERE id = ANY ($1)", [.intArray([ben.account.id, dora.account.id])])
        await world.events.publishPendingChanges(of: event.id)
        #expect(try await world.news(viewerOfEmil) == [.movedUp])
        try await world.chats.block(anna, cleo)
        await world.events.publishPendingChanges(of: event.id)
        #expect(try await world.news(viewerOfFay) == [.movedUp])
        #expect(try await world.events.event(event.id, for: fay).mine.queue == nil)
        #expect(try await left(event, world) == 0)
    }

    @Test("Nobody hears of an event that is none of their business by the time it is told: blocked, withdrawn, or over")
    func lateBlock() async throws {
        let world = try await EventWorld()
        let (anna, ben, cleo) = (try await world.member(), try await world.member(), try await world.member())
        let event = try await world.publish(world.details(capacity: 1), by: anna)
        for who in [ben, cleo] { try await world.answer(event, .going, by: who) }
        let received = try await world.listen(cleo)
        func leave() async throws {
            _ = try await world.pool.query(
                "SELECT event_answer($1, $2, 'no', $3)",
                [.int(event.id), .int(ben.account.id), .timestamp(world.clock.now.milliseconds)])
        }
        try await leave()
        // By a block that was made at the same moment: the answer is still there.
        try await world.blockAlone(cleo, anna)
        await world.events.publishPendingChanges(of: event.id)
        #expect(try await world.news(received) == [])
        #expect(try await left(event, world) == 0)
        // Over meanwhile.
        let other = try await world.publish(world.details(capacity: 1), by: ben)
        let (dora, emil) = (try await world.member(), try await world.member())
        for who in [dora, emil] { try await world.answer(other, .going, by: who) }
        let late = try await world.listen(emil)
        _ = try await world.pool.query(
            "SELECT event_answer($1, $2, 'no', $3)",
            [.int(other.id), .int(dora.account.id), .timestamp(world.clock.now.milliseconds)])
        world.clock.advance(bySeconds: 7_201)
        await world.events.publishPendingChanges(of: other.id)
        #expect(try await world.news(late) == [])
    }

    @Test("A cancelled event of the campus is told to everybody who comes, blocked or not; and names nobody blocked")
    func campus() async throws {
        let world = try await EventWorld()
        let (lecturer, ben) = (try await world.member(.lecturer), try await world.member())
        let event = try await world.publish(nil, .campus, by: lecturer)
        try await world.answer(event, .going, by: ben)
        try await world.chats.match(lecturer, ben)
        try await world.chats.block(ben, lecturer)
        let received = try await world.listen(ben)
        _ = try await world.events.cancel(.init(event: event.id), by: lecturer)
        #expect(try await world.news(received) == [.cancelled])
        // Who announces for the campus is named, as long as they do.
        #expect(try await world.events.event(event.id, for: ben).owner?.account == lecturer.account.id)
        #expect(try await world.events.people(of: .init(event: event.id), for: lecturer).people.isEmpty)
        let admin = try await world.member(.admin)
        #expect(try await world.events.people(of: .init(event: event.id), for: admin).people.count == 1)
        _ = try await world.pool.query(
            "UPDATE accounts SET role = 'student' WHERE id = $1", [.int(lecturer.account.id)])
        #expect(try await world.events.event(event.id, for: ben).owner == nil)
        #expect(try await world.events.event(event.id, for: admin).owner?.account == lecturer.account.id)
        // An invitation by who is blocked is none, also where the event is everybody's.
        let other = try await world.publish(nil, .campus, by: try await world.member(.lecturer))
        _ = try await world.pool.query(
            """
            INSERT INTO event_people (event_id, account_id, invited_by, invited_at) VALUES ($1, $2, $3, now())
            """, [.int(other.id), .int(ben.account.id), .int(lecturer.account.id)])
        #expect(try await world.events.event(other.id, for: ben).mine.invitedBy == nil)
        #expect(try await world.titles(.init(which: .invited), of: ben).isEmpty)
    }
}
