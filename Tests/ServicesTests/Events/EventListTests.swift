import Foundation
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Events: lists, suggestions, upkeep")
struct EventListTests {
    @Test("Around a place is what is on the map within so many metres, and lists begin no longer ago than is kept")
    func near() async throws {
        let world = try await EventWorld()
        let anna = try await world.member()
        let mark = World.name()
        // A thousandth of a degree on the equator is 111.2 m.
        for (name, lon) in [("here", 0.001), ("near", 0.002), ("far", 0.009)] {
            var details = world.details("\(mark) \(name)")
            details.place = EventPlace(name: name, lat: 0.001, lon: lon)
            _ = try await world.publish(details, by: anna)
        }
        var details = world.details("\(mark) nowhere")
        details.place = EventPlace(name: "nowhere")
        _ = try await world.publish(details, by: anna)
        func places(_ metres: Double) async throws -> [String] {
            let circle = EventCircle(lat: 0.001, lon: 0.001, metres: metres)
            return try await world.events.list(.init(text: mark, near: circle), for: anna).events.map(
                \.details.place.name)
        }
        #expect(try await places(50) == ["here"])
        #expect(try await places(110) == ["here"])
        #expect(try await places(113) == ["here", "near"])
        #expect(try await places(5_000) == ["here", "near", "far"])
        // Halfway to the pole a degree of longitude is half as long: 83 m apart.
        details.place = EventPlace(name: "north", lat: 60, lon: 0.001)
        _ = try await world.publish(details, by: anna)
        for (metres, count) in [(80.0, 0), (87.0, 1)] {
            let circle = EventCircle(lat: 60, lon: 0.0025, metres: metres)
            #expect(try await world.titles(.init(text: mark, near: circle), of: anna).count == count)
        }
        for circle in [
            EventCircle(lat: 91, lon: 0, metres: 100), EventCircle(lat: 0, lon: 181, metres: 100),
            EventCircle(lat: 0, lon: 0, metres: 49), EventCircle(lat: 0, lon: 0, metres: 5_001),
            EventCircle(lat: .nan, lon: 0, metres: 100), EventCircle(lat: 0, lon: 0, metres: .infinity),
        ] {
            #expect(await refusal(.invalidParams) { try await world.titles(.init(near: circle), of: anna) } != nil)
        }
        let early = world.clock.now.advanced(bySeconds: -Events.pastDaysMax * 86_400)
        _ = try await world.titles(.init(from: early, text: mark), of: anna)
        #expect(
            await refusal(.invalidParams) {
                try await world.titles(.init(from: early.advanced(bySeconds: -1)), of: anna)
            }?.data?.field == "from")
    }

    @Test("A page looks at so many events and no more: what is rare among many is found page by page, each once")
    func looked() async throws {
        try await EventWorld.alone { world in
            let owner = try await world.member()
            // Before, amid and behind more than two pages look at; every fifth at the same moment as the one before.
            _ = try await world.pool.query(
                """
                INSERT INTO events (owner_id, client_id, audience, state, title, starts_at, ends_at, place, created_at, changed_at)
                SELECT $1, gen_random_uuid(), 'public', 'published',
                    CASE WHEN n IN (1, $3::bigint / 2, $3, $3 + 1, 2 * $3 + 5) THEN 'needle ' || n ELSE 'hay' END,
                    $2::timestamptz + (n / 5) * interval '1 s', $2::timestamptz + interval '2 days', 'x', $2, $2
                FROM generate_series(1, 2 * $3::bigint + 10) n
                """,
                [.int(owner.account.id), .timestamp(world.clock.now.milliseconds), .int(Int64(Events.scannedMax))])
            var found: [String] = []
            var after: EventCursor?
            var pages = 0
            repeat {
                let page = try await world.events.list(.init(text: "needle", after: after), for: owner)
                found += page.events.map(\.details.title)
                after = page.next
                pages += 1
            } while after != nil && pages < 10
            let max = Events.scannedMax
            #expect(found == [1, max / 2, max, max + 1, 2 * max + 5].map { "needle \($0)" })
            #expect(pages == 3)
        }
    }

    @Test(
        "Suggested is what a buddy goes to, then what one likes, then where one often is; never what one knows already")
    func suggested() async throws {
        try await EventWorld.alone { world in try await suggested(in: world) }
    }

    private func suggested(in world: EventWorld) async throws {
        let (anna, ben, cleo) = (try await world.member(), try await world.member(), try await world.member())
        let mark = World.name()
        func event(_ name: String, _ workout: String?, lon: Double = 0.015, in seconds: Double = 3_600) async throws
            -> Event
        {
            var details = world.details("\(mark) \(name)", in: seconds, workout: workout)
            details.place = EventPlace(name: name, lat: 0.001, lon: lon)
            return try await world.publish(details, by: anna)
        }
        func suggested(_ who: Identity) async throws -> [String] {
            try await world.events.suggested(.init(limit: 20), for: who).suggestions
                .filter { $0.event.details.title.hasPrefix(mark) }
                .map { "\($0.event.details.place.name): \($0.because.rawValue)" }
        }
        let dance = try await event("dance", "dance")
        _ = try await event("run", "running")
        _ = try await event("ride", "cycling")
        let yoga = try await event("yoga", "yoga")
        let secret = try await world.publish(world.details("\(mark) secret"), .private, by: anna)
        _ = secret
        #expect(try await suggested(ben).isEmpty)
        // A session in zone 2, where all of them are, and another in zone 1, where nothing is.
        try await world.finishedRun(ben, lon: 0.015)
        let run = ["run: interest"]
        #expect(try await suggested(ben) == run + ["dance: place", "ride: place", "yoga: place"])
        // What one answered tells what one likes, and is not suggested again.
        let ball = try await event("ball", "dance", lon: 0.001)
        try await world.answer(dance, .maybe, by: ben)
        #expect(try await suggested(ben) == ["run: interest", "ball: interest", "ride: place", "yoga: place"])
        try await world.answer(ball, .no, by: ben)
        // A buddy goes; who perhaps goes, or is no buddy, counts for nothing.
        try await world.answer(yoga, .going, by: cleo)
        #expect(try await suggested(ben) == ["run: interest", "ride: place", "yoga: place"])
        try await world.chats.match(ben, cleo)
        #expect(try await suggested(ben) == ["yoga: buddies", "run: interest", "ride: place"])
        try await world.answer(yoga, .maybe, by: cleo)
        #expect(try await suggested(ben) == ["run: interest", "ride: place", "yoga: place"])
        try await world.answer(yoga, .going, by: cleo)
        try await world.chats.block(cleo, ben)
        #expect(try await suggested(ben) == ["run: interest", "ride: place", "yoga: place"])
        #expect(try await suggested(anna).isEmpty, "one's own")
        try await world.chats.block(ben, anna)
        #expect(try await suggested(ben).isEmpty)
        for limit in [0, 21] {
            #expect(
                await refusal(.invalidParams) { try await world.events.suggested(.init(limit: limit), for: ben) } != nil
            )
        }
    }

    @Test("What is over for longer than lists go back is removed with its answers, and so are rows that say nothing")
    func pruning() async throws {
        try await EventWorld.alone { world in
            let (anna, ben) = (try await world.member(), try await world.member())
            let events = world.events
            let old = try await world.publish(by: anna)
            try await world.answer(old, .going, by: ben)
            let end = old.details.startsAt.advanced(bySeconds: old.details.duration + Events.keptDaysMax * 86_400)
            world.clock.advance(bySeconds: end.seconds(since: world.clock.now))
            let event = try await world.publish(by: anna)
            _ = try await events.save(.init(event: event.id, saved: true), by: ben)
            try await events.prune()
            #expect(try await events.event(old.id, for: ben).mine.answer == .going, "not a moment too early")
            #expect(try await events.event(event.id, for: ben).mine.saved)
            func rows() async throws -> [Int64] {
                try await world.pool.query("SELECT event_id FROM event_people ORDER BY event_id").map {
                    try $0.int("event_id")
                }
            }
            #expect(try await rows() == [old.id, event.id])
            _ = try await events.save(.init(event: event.id, saved: false), by: ben)
            world.clock.advance(bySeconds: 0.001)
            try await events.prune()
            #expect(await refusal(.notFound) { try await events.event(old.id, for: ben) } != nil)
            #expect(try await events.event(event.id, for: ben).mine.answer == nil)
            #expect(try await rows().isEmpty)
        }
    }

    @Test("A report of an event copies its words; of an event that one may not see it tells nothing, there or not")
    func reports() async throws {
        let world = try await EventWorld()
        let people = [try await world.member(), try await world.member(), try await world.member(.admin)]
        let (anna, ben, admin) = (people[0], people[1], people[2])
        let safety = Safety(
            loop: world.world.loop, database: world.pool, now: { [clock = world.clock] in clock.now })
        func report(_ event: Int64, _ owner: Identity? = nil) async throws -> Int64 {
            try await safety.report(
                ben,
                .init(id: World.newID(), account: (owner ?? anna).account.id, reason: .unsafe, event: event)
            ).report
        }
        let event = try await world.publish(world.details("Buy pills"), by: anna)
        let hidden = try await world.publish(world.details("Hidden"), .private, by: anna)
        let number = try await report(event.id)
        _ = try await world.update(event, by: anna) { $0.title = "Innocent" }
        let listed = try await safety.reports(admin, .init(before: number + 1, limit: 1)).reports.first
        let copy = try #require(listed?.event)
        #expect(copy.event == event.id && copy.title == "Buy pills" && copy.description == "Easy pace.")
        #expect(listed?.reported?.account == anna.account.id && listed?.evidence == [])
        let refused = await refusal(.notFound) { try await report(hidden.id) }
        let absent = await refusal(.notFound) { try await report(.max) }
        let others = await refusal(.notFound) { try await report(event.id, admin) }
        #expect(refused != nil && refused == absent && refused == others)
        #expect(
            await refusal(.invalidParams) {
                try await safety.report(
                    ben,
                    .init(id: World.newID(), account: anna.account.id, reason: .spam, conversation: 1, event: event.id))
            } != nil)
        // Who blocks first can report afterwards; who is blocked learns nothing.
        try await world.chats.block(ben, anna)
        _ = try await report(event.id)
        try await world.blockAlone(anna, ben)
        let afterwards = await refusal(.notFound) { try await report(event.id) }
        #expect(afterwards == refused)
    }
}
