import Foundation
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Events: made, seen, changed")
struct EventTests {
    @Test("An event is the same one when it is made again; a draft is its owner's alone until it is published")
    func making() async throws {
        let world = try await EventWorld()
        let (anna, ben) = (try await world.member(), try await world.member())
        let id = World.newID()
        let params = EventsCreate.Params(
            id: id, audience: .public, details: world.details("Draft"), publish: false)
        let draft = try await world.events.create(params, by: anna)
        #expect(try await world.events.create(params, by: anna).id == draft.id)
        #expect(draft.state == .draft && draft.mine.owns && draft.details == params.details(inZone: 1))
        #expect(try await world.titles(.init(which: .own), of: anna) == ["Draft"])
        #expect(await refusal(.notFound) { try await world.events.event(draft.id, for: ben) } != nil)
        #expect(await refusal(.notFound) { try await world.answer(draft, .going, by: ben) } != nil)
        #expect(await refusal(.conflict) { try await world.answer(draft, .going, by: anna) } != nil)
        #expect(await refusal(.notFound) { try await world.events.publish(.init(event: draft.id), by: ben) } != nil)
        for _ in 0..<2 {
            let event = try await world.events.publish(.init(event: draft.id), by: anna)
            #expect(event.state == .published && event.revision == 1)
        }
        #expect(try await world.events.event(draft.id, for: ben).owner?.account == anna.account.id)
        #expect(await refusal(.conflict) { try await world.events.delete(.init(event: draft.id), by: anna) } != nil)
        let other = try await world.events.create(
            .init(id: World.newID(), audience: .private, details: world.details(), publish: false), by: anna)
        #expect(await refusal(.notFound) { try await world.events.delete(.init(event: other.id), by: ben) } != nil)
        _ = try await world.events.delete(.init(event: other.id), by: anna)
        #expect(await refusal(.notFound) { try await world.events.event(other.id, for: anna) } != nil)
    }

    @Test("What is wrong with an event is said with its name, and nothing is made of it")
    func invalid() async throws {
        let world = try await EventWorld()
        let anna = try await world.member()
        let changes: [(String, (inout EventDetails) -> Void)] = [
            ("details.title", { $0.title = "  " }),
            ("details.title", { $0.title = String(repeating: "é", count: 121) }),
            ("details.title", { $0.title = "a\nb" }), ("details.title", { $0.title = "abc\u{202E}gnp" }),
            ("details.title", { $0.title = "\u{200B}\u{200D}" }),
            ("details.place.name", { $0.place.name = "\u{2800}" }),
            ("details.description", { $0.description = String(repeating: "x", count: 2_001) }),
            ("details.workout", { $0.workout = "chess" }), ("details.duration", { $0.duration = 299 }),
            ("details.duration", { $0.duration = 1_209_601 }), ("details.duration", { $0.duration = .infinity }),
            ("details.duration", { $0.duration = .nan }),
            ("details.startsAt", { $0.startsAt = .init(milliseconds: 0) }),
            ("details.startsAt", { $0.startsAt = $0.startsAt.advanced(bySeconds: 731 * 86_400) }),
            ("details.place.name", { $0.place.name = "" }), ("details.place", { $0.place.lon = nil }),
            ("details.place.lat", { $0.place.lat = 91 }), ("details.place.lat", { $0.place.lon = .nan }),
            ("details.capacity", { $0.capacity = 0 }), ("details.capacity", { $0.capacity = 100_001 }),
        ]
        for (field, change) in changes {
            var details = world.details()
            change(&details)
            let error = await refusal(.invalidParams) { try await world.publish(details, by: anna) }
            #expect(error?.data?.field == field)
        }
        #expect(try await world.titles(.init(which: .own), of: anna).isEmpty)
    }

    @Test(
        "Of the campus only by admins and lecturers, seen by guests too; public for who is signed in; private for who is invited"
    )
    func audiences() async throws {
        let world = try await EventWorld()
        let (anna, ben, cleo) = (try await world.member(), try await world.member(), try await world.member())
        let lecturer = try await world.member(.lecturer)
        for role in [Role.student, .rewards] {
            let who = try await world.member(role)
            #expect(await refusal(.forbidden) { try await world.publish(nil, .campus, by: who) } != nil)
        }
        let title = World.name()
        let campus = try await world.publish(world.details("\(title) campus"), .campus, by: lecturer)
        let open = try await world.publish(world.details("\(title) public", in: 7_200), .public, by: anna)
        let own = try await world.publish(world.details("\(title) private", in: 10_800), .private, by: anna)
        try await world.chats.match(anna, ben)
        #expect(try await world.events.invite(.init(event: own.id, accounts: [ben.account.id]), by: anna) == 1)
        func seen(_ who: Identity?) async throws -> [String] {
            try await world.titles(.init(text: title), of: who).map { String($0.dropFirst(title.count + 1)) }
        }
        #expect(try await seen(nil) == ["campus"])
        #expect(try await seen(cleo) == ["campus", "public"])
        #expect(try await seen(ben) == ["campus", "public", "private"])
        #expect(try await world.events.event(campus.id, for: nil).owner == nil)
        for event in [open, own] {
            #expect(await refusal(.notFound) { try await world.events.event(event.id, for: nil) } != nil)
        }
        for attempt in [
            { _ = try await world.events.event(own.id, for: cleo) },
            { _ = try await world.answer(own, .going, by: cleo) },
            { _ = try await world.events.save(.init(event: own.id, saved: true), by: cleo) },
            { _ = try await world.events.people(of: .init(event: own.id), for: cleo) },
            { _ = try await world.events.cancel(.init(event: own.id), by: cleo) },
            { _ = try await world.events.invite(.init(event: own.id, accounts: [ben.account.id]), by: cleo) },
        ] as [@Sendable () async throws -> Void] {
            #expect(await refusal(.notFound) { try await attempt() } != nil)
        }
        // Blocked: gone for each other, but not what the campus announces.
        try await world.chats.block(ben, anna)
        #expect(try await seen(ben) == ["campus"])
        try await world.chats.match(lecturer, ben)
        try await world.chats.block(lecturer, ben)
        #expect(try await seen(ben) == ["campus"])
    }

    @Test("Lists are in the order of time, page by page, by zone, kind, words and stretch, and hold what is not over")
    func listing() async throws {
        let world = try await EventWorld()
        let anna = try await world.member()
        let mark = World.name()
        var expected: [String] = []
        for number in 0..<12 {
            // Two each begin at the same moment.
            let seconds = Double(number / 2) * 600 + 600
            let workout = number % 3 == 0 ? "yoga" : nil
            let event = try await world.publish(
                world.details("\(mark) no\(number)", in: seconds, workout: workout), by: anna)
            expected.append(event.details.title)
        }
        for limit in [1, 5, 12, 50] {
            var found: [String] = []
            var after: EventCursor?
            repeat {
                let page = try await world.events.list(.init(text: mark, after: after, limit: limit), for: anna)
                found += page.events.map(\.details.title)
                after = page.next
            } while after != nil && found.count < 100
            #expect(found == expected, "\(limit)")
        }
        #expect(try await world.titles(.init(workout: "yoga", text: mark), of: anna).count == 4)
        #expect(try await world.titles(.init(zone: 1, text: mark), of: anna).count == 12)
        #expect(try await world.titles(.init(zone: 2, text: mark), of: anna).isEmpty)
        #expect(try await world.titles(.init(text: "\(mark.uppercased()) STAD no7"), of: anna) == [expected[7]])
        #expect(try await world.titles(.init(text: "%_"), of: anna).isEmpty)
        let to = world.clock.now.advanced(bySeconds: 1_200)
        #expect(try await world.titles(.init(to: to, text: mark), of: anna) == Array(expected[..<2]))
        world.clock.advance(bySeconds: 600 + 3_600)
        #expect(try await world.titles(.init(text: mark), of: anna) == Array(expected[2...]))
        for limit in [0, 51] {
            #expect(await refusal(.invalidParams) { try await world.titles(.init(limit: limit), of: anna) } != nil)
        }
        #expect(await refusal(.unauthenticated) { try await world.titles(.init(which: .saved), of: nil) } != nil)
    }

    @Test(
        "A change is refused when somebody changed it meanwhile; a cancelled event stays listed and takes nothing more")
    func changing() async throws {
        let world = try await EventWorld()
        let (anna, ben) = (try await world.member(), try await world.member())
        let (admin, other) = (try await world.member(.admin), try await world.member(.lecturer))
        let event = try await world.publish(by: anna)
        try await world.answer(event, .maybe, by: ben)
        let mine = try await world.listen(ben)
        let changed = try await world.update(event, by: anna) { $0.title = "Evening run" }
        #expect(changed.revision == event.revision + 1 && changed.details.title == "Evening run")
        #expect(try await world.update(event, by: anna) { $0.title = "Evening run" } == changed, "sent again")
        #expect(await refusal(.conflict) { try await world.update(event, by: anna) { $0.title = "Lost" } } != nil)
        for who in [ben, admin] {
            #expect(await refusal(.forbidden) { try await world.update(changed, by: who) { $0.title = "No" } } != nil)
            #expect(await refusal(.forbidden) { try await world.events.cancel(.init(event: event.id), by: who) } != nil)
        }
        for _ in 0..<2 {
            let cancelled = try await world.events.cancel(.init(event: event.id, reason: "Rain"), by: anna)
            #expect(cancelled.state == .cancelled && cancelled.cancelReason == "Rain")
        }
        #expect(try await world.news(mine) == [.changed, .cancelled])
        #expect(try await world.titles(.init(which: .coming), of: ben) == ["Evening run"])
        #expect(await refusal(.conflict) { try await world.answer(event, .going, by: ben) } != nil)
        #expect(await refusal(.conflict) { try await world.update(changed, by: anna) { $0.title = "No" } } != nil)
        // What the campus announces, every admin may change, and no other lecturer.
        let campus = try await world.publish(nil, .campus, by: other)
        #expect(try await world.update(campus, by: admin) { $0.title = "Moved" }.details.title == "Moved")
        let lecturer = try await world.member(.lecturer)
        #expect(
            await refusal(.forbidden) { try await world.events.cancel(.init(event: campus.id), by: lecturer) } != nil)
    }

    @Test("Nobody has more than fifty events that are not over")
    func limit() async throws {
        let world = try await EventWorld()
        let anna = try await world.member()
        for _ in 0..<Events.openEventsMax { _ = try await world.publish(by: anna) }
        #expect(await refusal(.conflict) { try await world.publish(by: anna) } != nil)
        // Cancelled ones count as well: otherwise lists could be filled with them.
        let last = try await world.events.list(.init(which: .own), for: anna).events[0]
        _ = try await world.events.cancel(.init(event: last.id), by: anna)
        #expect(await refusal(.conflict) { try await world.publish(by: anna) } != nil)
        world.clock.advance(bySeconds: 7_201)
        #expect(await refusal(.conflict) { try await world.publish(by: anna) } != nil)
        world.clock.advance(bySeconds: 86_400)
        _ = try await world.publish(by: anna)
    }

    @Test("Who may announce no more for the campus can cancel what was announced, and change or publish nothing")
    func demoted() async throws {
        let world = try await EventWorld()
        let lecturer = try await world.member(.lecturer)
        let event = try await world.publish(nil, .campus, by: lecturer)
        let draft = try await world.events.create(
            .init(id: World.newID(), audience: .campus, details: world.details(), publish: false), by: lecturer)
        _ = try await world.pool.query(
            "UPDATE accounts SET role = 'student' WHERE id = $1", [.int(lecturer.account.id)])
        var account = lecturer.account
        account.role = .student
        let student = Identity(account: account, tokenID: lecturer.tokenID)
        #expect(await refusal(.forbidden) { try await world.update(event, by: student) { $0.title = "No" } } != nil)
        #expect(
            await refusal(.forbidden) { try await world.events.publish(.init(event: draft.id), by: student) } != nil)
        #expect(try await world.events.event(event.id, for: student).mine.owns == false)
        #expect(try await world.events.cancel(.init(event: event.id), by: student).state == .cancelled)
    }

    @Test("What is found is found in either Unicode form, and a cancelled event is listed to who has to do with it")
    func found() async throws {
        let world = try await EventWorld()
        let (anna, ben, cleo) = (try await world.member(), try await world.member(), try await world.member())
        let mark = World.name()
        let event = try await world.publish(world.details("\(mark) Cafe\u{301} İstanbul"), by: anna)
        for text in ["Café", "Cafe\u{301}", "İstanbul", "CAFÉ"] {
            #expect(try await world.titles(.init(text: "\(mark) \(text)"), of: ben).count == 1, "\(text)")
        }
        try await world.answer(event, .going, by: ben)
        _ = try await world.events.cancel(.init(event: event.id), by: anna)
        #expect(try await world.titles(.init(text: mark), of: ben).count == 1)
        #expect(try await world.titles(.init(text: mark), of: cleo).isEmpty)
        #expect(await refusal(.invalidParams) { try await world.titles(.init(workout: "a\u{0}b"), of: cleo) } != nil)
    }
}

extension EventsCreate.Params {
    /// As the server gives it back.
    fileprivate func details(inZone zone: Int64) -> EventDetails {
        var details = details
        details.place.zone = zone
        return details
    }
}
