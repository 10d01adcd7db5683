import Foundation
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Events: who comes")
struct EventAnswerTests {
    @Test(
        "An answer is told at once to who made the event and to one's other devices, but not across a block, and to nobody else"
    )
    func answered() async throws {
        let world = try await EventWorld()
        let (anna, ben, cleo) = (try await world.member(.lecturer), try await world.member(), try await world.member())
        let event = try await world.publish(world.details(), .campus, by: anna)
        let viewers = try await [world.listen(anna), world.listen(ben), world.listen(cleo)]
        try await world.answer(event, .going, by: ben)
        #expect(try await world.received(viewers[0]) == [.answered])
        #expect(try await world.received(viewers[1]) == [.answered])
        #expect(try await world.received(viewers[2]) == [])
        await world.chats.hub.blocks.set(anna.account.id, cleo.account.id, isOn: true)
        try await world.answer(event, .maybe, by: cleo)
        #expect(try await world.received(viewers[0]) == [])
    }

    @Test("Who finds no room waits in turn and moves up by itself, is told so, and an answer repeated keeps the place")
    func queue() async throws {
        let world = try await EventWorld()
        let anna = try await world.member()
        var people: [Identity] = []
        for _ in 0..<5 { people.append(try await world.member()) }
        let event = try await world.publish(world.details(capacity: 2), by: anna)
        for who in people { try await world.answer(event, .going, by: who) }
        try await world.answer(event, .going, by: people[2])
        func queue() async throws -> [Int?] {
            var places: [Int?] = []
            for who in people { places.append(try await world.events.event(event.id, for: who).mine.queue) }
            return places
        }
        #expect(try await queue() == [nil, nil, 1, 2, 3])
        let third = try await world.listen(people[2])
        let changed = try await world.answer(event, .no, by: people[0])
        #expect(changed.going == 2 && changed.waiting == 2)
        #expect(try await queue() == [nil, nil, nil, 1, 2])
        #expect(try await world.news(third) == [.movedUp])
        // Back again: at the end.
        try await world.answer(event, .going, by: people[0])
        #expect(try await queue() == [3, nil, nil, 1, 2])
        try await world.answer(event, nil, by: people[3])
        try await world.answer(event, .maybe, by: people[1])
        #expect(try await queue() == [1, nil, nil, nil, nil])
        #expect(try await world.events.event(event.id, for: anna).maybe == 1)
        // More room, and less: nobody loses a place.
        let more = try await world.update(try await world.events.event(event.id, for: anna), by: anna) {
            $0.capacity = 9
        }
        #expect(more.going == 3 && more.waiting == 0)
        let less = try await world.update(more, by: anna) { $0.capacity = 1 }
        #expect(less.going == 3)
        try await world.answer(event, .going, by: people[3])
        #expect(try await world.events.event(event.id, for: people[3]).mine.queue == 1)
        let open = try await world.update(try await world.events.event(event.id, for: anna), by: anna) {
            $0.capacity = nil
        }
        #expect(open.going == 4 && open.waiting == 0)
    }

    @Test("Forty who answer at once for ten places: ten have one, thirty wait, each in a place of their own")
    func rush() async throws {
        let world = try await EventWorld()
        let anna = try await world.member()
        let event = try await world.publish(world.details(capacity: 10), by: anna)
        var people: [Identity] = []
        for _ in 0..<40 { people.append(try await world.member()) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for who in people { group.addTask { try await world.answer(event, .going, by: who) } }
            for (index, who) in people.enumerated() where index % 4 == 0 {
                group.addTask { try await world.answer(event, .going, by: who) }
            }
            try await group.waitForAll()
        }
        var places: [Int] = []
        for who in people {
            if let place = try await world.events.event(event.id, for: who).mine.queue { places.append(place) }
        }
        #expect(places.sorted() == Array(1...30))
        let seen = try await world.events.event(event.id, for: anna)
        #expect(seen.going == 10 && seen.waiting == 30)
        // Ten leave at once: the first ten who waited come, whoever left first.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for who in people {
                group.addTask {
                    guard try await world.events.event(event.id, for: who).mine.queue == nil else { return }
                    try await world.answer(event, .no, by: who)
                }
            }
            try await group.waitForAll()
        }
        let after = try await world.events.event(event.id, for: anna)
        #expect(after.going == 10 && after.going + after.waiting <= 30)
    }

    @Test("Buddies and groups are invited once each; who said no hears nothing more; others see their buddies alone")
    func inviting() async throws {
        let world = try await EventWorld()
        let people = [
            try await world.member(), try await world.member(), try await world.member(), try await world.member(),
        ]
        let (anna, ben, cleo, dora) = (people[0], people[1], people[2], people[3])
        let group = try await world.chats.group([anna, ben, cleo], invited: [dora])
        let event = try await world.publish(nil, .private, by: anna)
        let received = try await world.listen(cleo)
        #expect(try await world.events.invite(.init(event: event.id, groups: [group]), by: anna) == 2)
        #expect(
            try await world.events.invite(.init(event: event.id, accounts: [ben.account.id], groups: [group]), by: anna)
                == 2)
        #expect(try await world.news(received) == [.invited])
        #expect(try await world.titles(.init(which: .invited), of: cleo) == ["Morning run"])
        #expect(try await world.events.event(event.id, for: cleo).mine.invitedBy?.account == anna.account.id)
        // Not joined is not in the group.
        #expect(await refusal(.notFound) { try await world.events.event(event.id, for: dora) } != nil)
        let stranger = try await world.member()
        for params in [
            EventsInvite.Params(event: event.id, accounts: [stranger.account.id]),
            .init(event: event.id, accounts: [.max]),
        ] {
            #expect(await refusal(.forbidden) { try await world.events.invite(params, by: anna) } != nil)
        }
        #expect(
            await refusal(.notFound) { try await world.events.invite(.init(event: event.id, groups: [.max]), by: anna) }
                != nil)
        // A private event's guests invite nobody.
        #expect(
            await refusal(.forbidden) {
                try await world.events.invite(
                    .init(event: event.id, accounts: [anna.account.id], groups: [group]), by: ben)
            } != nil)
        try await world.answer(event, .no, by: cleo)
        try await world.answer(event, .going, by: ben)
        _ = try await world.update(try await world.events.event(event.id, for: anna), by: anna) { $0.title = "Later" }
        #expect(try await world.news(received) == [])
        let all = try await world.events.people(of: .init(event: event.id), for: anna).people
        #expect(all.map(\.person.account) == [ben.account.id, cleo.account.id] && all.map(\.answer) == [.going, .no])
        #expect(
            try await world.events.people(of: .init(event: event.id), for: cleo).people.map(\.person.account) == [
                cleo.account.id
            ])
        // Blocked since: neither is invited nor told why.
        try await world.chats.match(anna, dora)
        let second = try await world.publish(nil, .private, by: anna)
        try await world.chats.block(cleo, anna)
        #expect(try await world.events.invite(.init(event: second.id, groups: [group]), by: anna) == 2)
        #expect(try await world.news(received) == [])
        #expect(await refusal(.notFound) { try await world.events.event(second.id, for: cleo) } != nil)
    }

    @Test("What is saved is found again, also when one answers, and no more when it is not")
    func saving() async throws {
        let world = try await EventWorld()
        let (anna, ben) = (try await world.member(), try await world.member())
        let event = try await world.publish(by: anna)
        #expect(try await world.events.save(.init(event: event.id, saved: true), by: ben).mine.saved)
        try await world.answer(event, .going, by: ben)
        #expect(try await world.titles(.init(which: .saved), of: ben) == ["Morning run"])
        #expect(try await world.titles(.init(which: .coming), of: ben) == ["Morning run"])
        _ = try await world.events.save(.init(event: event.id, saved: false), by: ben)
        #expect(try await world.titles(.init(which: .saved), of: ben).isEmpty)
        #expect(try await world.events.event(event.id, for: ben).mine.answer == .going)
    }

    @Test(
        "Who made an event can be blocked, and who comes to one's own; then neither is in the other's, and who waited has the place"
    )
    func blocking() async throws {
        let world = try await EventWorld()
        let (anna, ben, cleo) = (try await world.member(), try await world.member(), try await world.member())
        #expect(await refusal(.notFound) { try await world.chats.block(ben, anna) } != nil)
        let event = try await world.publish(world.details(capacity: 1), by: anna)
        let campus = try await world.publish(nil, .campus, by: try await world.member(.lecturer))
        for who in [ben, cleo] { try await world.answer(event, .going, by: who) }
        try await world.answer(campus, .going, by: ben)
        try await world.chats.block(ben, anna)
        let seen = try await world.events.event(event.id, for: cleo)
        #expect(seen.mine.queue == nil && seen.going == 1 && seen.waiting == 0)
        #expect(
            try await world.events.people(of: .init(event: event.id), for: anna).people.map(\.person.account) == [
                cleo.account.id
            ])
        #expect(try await world.events.event(campus.id, for: ben).mine.answer == .going)
        try await world.chats.block(anna, cleo)
        let after = try await world.events.event(event.id, for: anna)
        #expect(after.going == 0 && after.waiting == 0)
        #expect(await refusal(.notFound) { try await world.events.event(event.id, for: cleo) } != nil)
    }

    @Test(
        "When an account goes, its places are free for who waits, its own events go where nobody was to come, and what it announced stays"
    )
    func gone() async throws {
        let world = try await EventWorld()
        let (anna, ben, cleo) = (try await world.member(.lecturer), try await world.member(), try await world.member())
        let campus = try await world.publish(world.details(capacity: 1), .campus, by: anna)
        let own = try await world.publish(nil, .public, by: anna)
        try await world.answer(campus, .going, by: ben)
        try await world.answer(campus, .going, by: cleo)
        _ = try await world.pool.query("DELETE FROM accounts WHERE id = $1", [.int(ben.account.id)])
        let seen = try await world.events.event(campus.id, for: cleo)
        #expect(seen.mine.queue == nil && seen.mine.answer == .going && seen.going == 1 && seen.waiting == 0)
        _ = try await world.pool.query("DELETE FROM accounts WHERE id = $1", [.int(anna.account.id)])
        #expect(try await world.events.event(campus.id, for: cleo).owner == nil)
        #expect(await refusal(.notFound) { try await world.events.event(own.id, for: cleo) } != nil)
    }
}
