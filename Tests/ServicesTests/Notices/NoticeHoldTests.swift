import Foundation
import Hub
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Do not disturb")
struct NoticeHoldTests {
    /// Nothing else comes: what was given out is there, and another connection has it.
    private func silence(_ listener: inout NoticeListener, _ world: NoticeWorld, _ probe: Identity) async throws {
        let other = try await world.listen(probe)
        let count = other.taken.count
        try await world.publish("probe", to: .user(probe.account.id), by: try await world.member(.admin))
        var waiting = other
        try await waiting.read(upTo: count + 1)
        try await listener.read()
        await world.hub.disconnect(waiting.viewer)
    }

    @Test("While a session runs notices wait, but for emergencies; behind it they come in order, once")
    func session() async throws {
        let world = try await NoticeWorld()
        let (admin, runner, probe) = (
            try await world.member(.admin), try await world.member(), try await world.member()
        )
        var listener = try await world.listen(runner)
        try await world.publish("before", by: admin)
        try await listener.read(upTo: 1)
        let session = try await world.world.start(runner)
        try await world.publish("one", by: admin)
        let emergency = try await world.publish("fire", level: .emergency, by: admin)
        try await world.publish("two", level: .important, by: admin)
        try await listener.read(upTo: 2)
        try await silence(&listener, world, probe)
        #expect(listener.titles == ["before", "fire"])
        #expect(listener.early == [emergency.notice.number])
        #expect(try await world.listed(runner) == ["fire", "before"])
        #expect(try await world.notices.read(.init(notices: [1]), by: runner).unread == 1)
        // The same client comes again, and another device does.
        var again = listener.reconnected()
        try await again.subscribe(world.hub, account: runner.account.id)
        try await again.read()
        #expect(again.titles == ["before", "fire"] && again.repeated.map(\.number) == [emergency.notice.number])
        var other = try await world.listen(runner)
        try await other.read(upTo: 2)
        #expect(other.titles == ["before", "fire"])
        try await world.world.stop(session, as: runner)
        for one in [listener, again, other] {
            var one = one
            try await one.read(upTo: 4)
            #expect(one.titles == ["before", "fire", "one", "two"])
            #expect(one.faults == [])
            #expect(one.position?.offset == (try await world.table.head().offset - 1), "but for the probe's")
        }
        #expect(try await world.listed(runner) == ["two", "fire", "one", "before"])
        await world.close()
    }

    @Test("A pause lets them through, and going on holds what comes then; a correction of an emergency passes as well")
    func pause() async throws {
        let world = try await NoticeWorld()
        let (admin, runner, probe) = (
            try await world.member(.admin), try await world.member(), try await world.member()
        )
        var listener = try await world.listen(runner)
        let session = try await world.world.start(runner)
        try await world.publish("one", by: admin)
        world.clock.advance(bySeconds: 10)
        _ = try await world.world.pause(session, as: runner)
        try await listener.read(upTo: 1)
        world.clock.advance(bySeconds: 10)
        _ = try await world.world.resume(session, as: runner)
        let fire = try await world.publish("fire", level: .emergency, by: admin)
        // A notice that is corrected before it was read from the log comes as corrected alone.
        try await listener.read(upTo: 2)
        try await world.publish("two", by: admin)
        let over = try await world.correct(fire, "false alarm", level: .info, by: admin)
        try await listener.read(upTo: 3)
        try await silence(&listener, world, probe)
        #expect(listener.titles == ["one", "fire", "false alarm"])
        #expect(listener.early == [fire.notice.number, over.notice.number])
        try await world.world.stop(session, as: runner)
        try await listener.read(upTo: 4)
        #expect(listener.titles == ["one", "fire", "false alarm", "two"])
        #expect(listener.repeated.isEmpty, "this connection had them already")
        #expect(listener.faults == [])
        await world.close()
    }

    @Test("Two sessions of one account: notices wait until the last one is stopped")
    func twoSessions() async throws {
        let world = try await NoticeWorld()
        let (admin, runner, probe) = (
            try await world.member(.admin), try await world.member(), try await world.member()
        )
        var listener = try await world.listen(runner)
        let first = try await world.world.start(runner)
        let second = try await world.world.start(runner)
        try await world.publish("one", by: admin)
        try await world.world.stop(first, as: runner)
        try await silence(&listener, world, probe)
        #expect(listener.taken.isEmpty)
        try await world.world.stop(second, as: runner)
        try await listener.read(upTo: 1)
        await world.close()
    }

    @Test(
        "A session that was forgotten holds nothing any more once it is finished; nor one that another server stopped")
    func abandoned() async throws {
        let world = try await NoticeWorld()
        let (admin, runner) = (try await world.member(.admin), try await world.member())
        var listener = try await world.listen(runner)
        _ = try await world.world.start(runner)
        try await world.publish("one", by: admin)
        _ = try await world.pool.query("UPDATE sessions SET created_at = started_at")
        world.clock.advance(bySeconds: 86_401)
        try await world.world.tracking.finishAbandoned()
        try await listener.read(upTo: 1)
        // Nobody tells this hub: the look finds it.
        let session = try await world.world.start(runner)
        try await world.publish("two", by: admin)
        _ = try await world.pool.query(
            "UPDATE sessions SET state = 'finished', ended_at = started_at WHERE id = $1", [.int(session.id)])
        try await listener.read(upTo: 2)
        #expect(listener.titles == ["one", "two"] && listener.faults == [])
        await world.close()
    }

    @Test("In quiet hours notices wait until they end; saving others lets them through at once")
    func quietHours() async throws {
        let world = try await NoticeWorld()
        let (admin, sleeper, probe) = (
            try await world.member(.admin), try await world.member(), try await world.member()
        )
        // It is 16:00 in Greenwich, 17:00 in Berlin.
        try await world.follow([], sleeper, quiet: QuietHours(from: "17:30", to: "07:00", timeZone: "Europe/Berlin"))
        var listener = try await world.listen(sleeper)
        try await world.publish("day", by: admin)
        try await listener.read(upTo: 1)
        world.clock.advance(bySeconds: 1_801)
        // Before any look: it is the clock that says so.
        try await world.publish("night", by: admin)
        let fire = try await world.publish("fire", level: .emergency, by: admin)
        try await listener.read(upTo: 2)
        try await silence(&listener, world, probe)
        #expect(listener.titles == ["day", "fire"] && listener.early == [fire.notice.number])
        #expect(try await world.listed(sleeper) == ["fire", "day"])
        var second = try await world.listen(sleeper)
        try await second.read(upTo: 2)
        #expect(second.titles == ["day", "fire"])
        world.clock.advance(bySeconds: 13.5 * 3_600)
        try await listener.read(upTo: 3)
        try await second.read(upTo: 3)
        #expect(listener.titles == ["day", "fire", "night"] && second.titles == ["day", "fire", "night"])
        world.clock.advance(bySeconds: 12 * 3_600)
        try await world.publish("evening", by: admin)
        try await silence(&listener, world, probe)
        #expect(listener.taken.count == 3)
        try await world.follow([], sleeper)
        try await listener.read(upTo: 4)
        #expect(listener.titles.last == "evening")
        #expect(listener.faults == [] && second.faults == [])
        await world.close()
    }

    @Test("Settings are what was saved; hours, zones and time zones that are none are refused by their field")
    func settings() async throws {
        let world = try await NoticeWorld()
        let who = try await world.member()
        #expect(try await world.notices.settings(of: who) == NoticeSettings())
        let saved = NoticeSettings(
            quietHours: QuietHours(from: "22:00", to: "07:00", timeZone: "Europe/Berlin"), zones: [1, 2])
        #expect(
            try await world.notices.save(.init(quietHours: saved.quietHours, zones: [2, 1, 2]), of: who) == saved)
        #expect(try await world.notices.settings(of: who) == saved)
        for (from, to, zone, field) in [
            ("24:00", "07:00", "Europe/Berlin", "from"), ("7:00", "08:00", "UTC", "from"),
            ("22:00", "22:00", "UTC", "to"), ("22:00", "x", "UTC", "to"), ("22:00", "07:00", "Berlin", "timeZone"),
            ("22:00", "07:00", "Mars/Base", "timeZone"), ("22:00", "07:00", "../../etc/passwd", "timeZone"),
        ] {
            let hours = QuietHours(from: from, to: to, timeZone: zone)
            let error = await refusal(.invalidParams) {
                try await world.notices.save(.init(quietHours: hours), of: who)
            }
            #expect(error?.data?.field == "quietHours.\(field)")
        }
        _ = await refusal(.notFound) { try await world.notices.save(.init(zones: [99]), of: who) }
        _ = await refusal(.invalidParams) { try await world.notices.save(.init(zones: Array(1...51)), of: who) }
        #expect(try await world.notices.settings(of: who) == saved)
        await world.close()
    }
}

@Suite("Quiet hours")
struct QuietTimesTests {
    private static let night = QuietHours(from: "22:00", to: "07:00", timeZone: "Europe/Berlin")

    private func time(_ text: String) throws -> Timestamp { try #require(Timestamp(text)) }

    @Test(
        "Quiet hours hold over midnight, in the time of their zone, and in both nights of the year when the clocks are changed",
        arguments: [
            // Winter: an hour ahead of UTC.
            ("2026-11-20T20:59:59.999Z", nil, "2026-11-20T21:00:00.000Z"),
            ("2026-11-20T21:00:00.000Z", "2026-11-20T21:00:00.000Z", "2026-11-21T06:00:00.000Z"),
            ("2026-11-21T05:59:59.999Z", "2026-11-20T21:00:00.000Z", "2026-11-21T06:00:00.000Z"),
            ("2026-11-21T06:00:00.000Z", nil, "2026-11-21T21:00:00.000Z"),
            // The night of the 29th of March 2026 has an hour less.
            ("2026-03-28T22:00:00.000Z", "2026-03-28T21:00:00.000Z", "2026-03-29T05:00:00.000Z"),
            ("2026-03-29T05:00:00.000Z", nil, "2026-03-29T20:00:00.000Z"),
            // That of the 25th of October 2026 an hour more.
            ("2026-10-24T22:00:00.000Z", "2026-10-24T20:00:00.000Z", "2026-10-25T06:00:00.000Z"),
            ("2026-10-25T06:00:00.000Z", nil, "2026-10-25T21:00:00.000Z"),
        ] as [(String, String?, String)])
    func night(now: String, since: String?, changes: String) throws {
        let window = try #require(QuietHoursCalendar.window(of: Self.night, at: time(now)))
        #expect(window.since == (try since.map { try time($0) }))
        #expect(window.changesAt == (try time(changes)))
    }

    @Test("Hours within the one that the clocks skip, or have twice, begin and end, and never last a day")
    func skipped() throws {
        for (from, to) in [("02:15", "02:45"), ("01:30", "02:30"), ("02:30", "03:30")] {
            let hours = QuietHours(from: from, to: to, timeZone: "Europe/Berlin")
            for start in ["2026-03-28T12:00:00.000Z", "2026-10-24T12:00:00.000Z"] {
                var quietMinutes = 0
                for minute in 0..<1_440 {
                    let now = try time(start).advanced(bySeconds: Double(minute) * 60)
                    let window = try #require(QuietHoursCalendar.window(of: hours, at: now))
                    #expect(window.changesAt > now)
                    if window.since != nil { quietMinutes += 1 }
                }
                // The first of them are left out in spring: that night does not have them.
                let least = from == "02:15" ? 0 : 30
                #expect((least...120).contains(quietMinutes), "\(from) to \(to): \(quietMinutes)")
            }
        }
    }

    @Test("A clock that is put back, or forward by years, is believed at once")
    func jumps() throws {
        let times = QuietHoursCalendar()
        let day = try time("2026-11-20T12:00:00.000Z")
        let quiet = try time("2026-11-20T23:00:00.000Z")
        for now in [day, quiet, day, quiet.advanced(bySeconds: 10 * 365 * 86_400), day, quiet] {
            #expect(
                times.window(of: Self.night, at: now) == QuietHoursCalendar.window(of: Self.night, at: now), "\(now)")
        }
    }
}
