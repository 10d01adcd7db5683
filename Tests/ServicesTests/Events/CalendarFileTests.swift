import Foundation
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Events: calendar files")
struct CalendarFileTests {
    private let origin = "https://campus.example"

    /// Lines as they are, each within 75 octets and whole UTF-8.
    private func lines(_ bytes: [UInt8]) throws -> [String] {
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasSuffix("\r\n"))
        let lines = bytes.dropLast(2).split(separator: 13, omittingEmptySubsequences: false).enumerated().map {
            $0 == 0 ? Array($1) : Array($1.dropFirst())
        }
        for line in lines {
            #expect(line.count <= 75)
            #expect(!line.contains(10))
            #expect(String(validating: line, as: UTF8.self) != nil, "a character is cut in two")
        }
        return lines.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("Whatever texts an event has, another program reads them as they are, as one event and nothing else")
    func hostile() async throws {
        let world = try await EventWorld()
        let anna = try await world.member()
        let titles = [
            #"Run, swim; ride: \n is no break \\ and "quotes""#,
            "END:VEVENT", #"a\,b\;c\"#, String(repeating: "🏃🏽‍♀️", count: 24),
            // The fold falls in each place within a character of two, three and four octets.
            String(repeating: "x", count: 65) + "é🚴漢é🚴漢", String(repeating: "x", count: 66) + "🚴🚴",
            String(repeating: "x", count: 64) + "漢字漢字", String(repeating: "漢", count: 120), " SUMMARY:two",
            ":;=,\"'^n %0D%0A",
        ]
        let description = """
            First line
            \tsecond, with; signs \\ and
            END:VEVENT
            END:VCALENDAR
            BEGIN:VCALENDAR
            ATTACH:file:///etc/passwd
            """ + "\u{2028}END:VEVENT\u{2029}BEGIN:VALARM\u{200B}" + String(repeating: "é", count: 400)
        for title in titles {
            var details = world.details(title)
            details.description = description
            details.place.name = title
            let event = try await world.publish(details, by: anna)
            let bytes = try await world.events.calendarFile(event.id, for: anna, origin: origin)
            let lines = try lines(bytes)
            #expect(lines.filter { $0.hasPrefix("END:") || $0.hasPrefix("BEGIN:") }.count == 4)
            let file = try CalendarReader.read(bytes)
            let found = try #require(file.events.first)
            #expect(file.events.count == 1 && file.others == 0 && file.version == "2.0")
            let said = event.details.title
            // Debian's release of the reader (4.0.3) takes an escaped backslash before an n for a line break; newer ones (7.3.0) do not.
            if !said.contains("\\") {
                #expect(found.summary == said && found.location == said, "\(title)")
            }
            #expect(
                found.description
                    == event.details.description?.replacing("\u{2028}", with: "\n").replacing("\u{2029}", with: "\n"))
            #expect(
                found.names == [
                    "CATEGORIES", "DESCRIPTION", "DTEND", "DTSTAMP", "DTSTART", "GEO", "LAST-MODIFIED", "LOCATION",
                    "SEQUENCE", "STATUS", "SUMMARY", "UID", "URL",
                ])
        }
    }

    @Test("Control characters and every kind of line break are written so that no line of theirs begins")
    func escaping() {
        #expect(
            CalendarFile.escaped("a\r\nb\nc\rd\u{B}e\u{C}f\u{85}g\u{1E}h\u{7}i\u{7F}j\tk")
                == #"a\nb\nc\nd\ne\nf\ng\nhij"# + "\tk")
        #expect(CalendarFile.escaped(#"\,;:""#) == #"\\\,\;:""#)
    }

    @Test("Backslashes, commas and semicolons are escaped once each, as RFC 5545 §3.3.11 has it")
    func backslashes() async throws {
        let world = try await EventWorld()
        let anna = try await world.member()
        let event = try await world.publish(world.details(#"a\,b\n;c"#), by: anna)
        let bytes = try await world.events.calendarFile(event.id, for: anna, origin: origin)
        #expect(try lines(bytes).contains(#"SUMMARY:a\\\,b\\n\;c"#))
    }

    @Test("The same event is the same bytes; a change counts SEQUENCE up and keeps UID; a cancelled one says so")
    func life() async throws {
        let world = try await EventWorld()
        let (anna, ben) = (try await world.member(), try await world.member())
        let draft = try await world.events.create(
            .init(id: World.newID(), audience: .public, details: world.details(), publish: false), by: anna)
        func read(_ who: Identity) async throws -> CalendarReader.Entry {
            let bytes = try await world.events.calendarFile(draft.id, for: who, origin: origin)
            #expect(try await world.events.calendarFile(draft.id, for: who, origin: origin) == bytes)
            return try #require(try CalendarReader.read(bytes).events.first)
        }
        let first = try await read(anna)
        #expect(first.status == "TENTATIVE" && first.sequence == 0)
        #expect(await refusal(.notFound) { try await read(ben) } != nil)
        let published = try await world.events.publish(.init(event: draft.id), by: anna)
        let second = try await read(ben)
        #expect(second.status == "CONFIRMED" && second.sequence == 1 && second.uid == first.uid)
        #expect(second.categories == ["Running"] && second.geo == [0.001, 0.001])
        #expect(second.url == "\(origin)/events/\(draft.id)")
        // The clock stands at 2026-11-20T16:00:00Z and the event begins an hour later.
        #expect(
            second.start == "\(hour(world.clock.now, 3_600))UTC" && second.end == "\(hour(world.clock.now, 7_200))UTC")
        world.clock.advance(bySeconds: 60)
        try await world.answer(published, .going, by: ben)
        #expect(try await read(ben) == second, "answers are none of the calendar's business")
        let moved = try await world.update(published, by: anna) { $0.place = EventPlace(name: "Hall") }
        _ = try await world.events.cancel(.init(event: moved.id, reason: "Rain, rain; rain"), by: anna)
        let last = try await read(ben)
        #expect(last.status == "CANCELLED" && last.sequence == 3 && last.uid == first.uid && last.geo == nil)
        #expect(last.description == "Cancelled: Rain, rain; rain\n\nEasy pace." && last.stamp > second.stamp)
        #expect(last.stamp == last.changed)
    }

    private func hour(_ time: Timestamp, _ seconds: Double) -> String {
        String(time.advanced(bySeconds: seconds).description.prefix(19))
    }

    @Test("The calendar of whoever is disabled cannot be found, and is there again when they are not")
    func disabled() async throws {
        let world = try await EventWorld()
        let anna = try await world.member()
        let path = try #require(try await world.events.calendar(of: anna, .init()).path)
        let token = try #require(path.wholeMatch(of: /\/calendar\/([A-Za-z0-9_-]{43})\.ics/)).1
        for isDisabled in [true, false] {
            _ = try await world.pool.query(
                "UPDATE accounts SET disabled_at = CASE WHEN $2 THEN now() END WHERE id = $1",
                [.int(anna.account.id), .bool(isDisabled)])
            let owner = try? await world.events.calendarOwner(token: String(token))
            #expect(owner == (isDisabled ? nil : anna.account.id))
        }
    }

    @Test("A calendar has what one goes to, perhaps, waits for and made, and nothing that one may not see any more")
    func feed() async throws {
        let world = try await EventWorld()
        let (anna, ben, cleo) = (try await world.member(), try await world.member(), try await world.member())
        let lecturer = try await world.member(.lecturer)
        func event(_ title: String, _ answer: EventAnswer? = nil, by who: Identity, capacity: Int? = nil) async throws
            -> Event
        {
            let event = try await world.publish(world.details(title, capacity: capacity), by: who)
            if let answer { try await world.answer(event, answer, by: ben) }
            return event
        }
        _ = try await event("goes", .going, by: anna)
        _ = try await event("perhaps", .maybe, by: anna)
        _ = try await event("declined", .no, by: anna)
        _ = try await event("unanswered", by: anna)
        let full = try await event("waits", by: anna, capacity: 1)
        for who in [cleo, ben] { try await world.answer(full, .going, by: who) }
        _ = try await event("made", by: ben)
        _ = try await world.events.create(
            .init(id: World.newID(), audience: .public, details: world.details("draft"), publish: false), by: ben)
        let off = try await event("off", .going, by: anna)
        _ = try await world.events.cancel(.init(event: off.id), by: anna)
        let hidden = try await event("blocked", .going, by: cleo)
        let campus = try await world.publish(world.details("campus"), .campus, by: lecturer)
        try await world.answer(campus, .going, by: ben)

        let path = try #require(try await world.events.calendar(of: ben, .init()).path)
        let token = try #require(path.wholeMatch(of: /\/calendar\/([A-Za-z0-9_-]{43})\.ics/)).1
        func statuses() async throws -> [String: String] {
            let owner = try await world.events.calendarOwner(token: String(token))
            let file = try CalendarReader.read(try await world.events.calendar(of: owner, origin: origin))
            #expect(file.name == "Campus events" && file.refresh == "PT1H")
            return Dictionary(uniqueKeysWithValues: file.events.map { ($0.summary, $0.status) })
        }
        var expected = [
            "goes": "CONFIRMED", "perhaps": "TENTATIVE", "waits": "TENTATIVE", "made": "CONFIRMED", "off": "CANCELLED",
            "blocked": "CONFIRMED", "campus": "CONFIRMED",
        ]
        #expect(try await statuses() == expected)
        try await world.blockAlone(cleo, ben)
        expected["blocked"] = nil
        #expect(try await statuses() == expected)
        #expect(
            await refusal(.notFound) { try await world.events.calendarFile(hidden.id, for: ben, origin: "") } != nil)
        world.clock.advance(bySeconds: Events.calendarCancelledDays * 86_400 + 1)
        expected["off"] = nil
        #expect(try await statuses() == expected)
        world.clock.advance(bySeconds: Events.calendarPastDays * 86_400)
        #expect(try await statuses() == [:])
    }

    @Test(
        "A new address ends the old one, off ends it, only the digest of a token is kept, and an account takes it along"
    )
    func tokens() async throws {
        let world = try await EventWorld()
        let ben = try await world.member()
        func token() async throws -> String {
            String(try #require(try await world.events.calendar(of: ben, .init()).path).dropFirst(10).dropLast(4))
        }
        let first = try await token()
        #expect(try await world.events.calendarOwner(token: first) == ben.account.id)
        let second = try await token()
        #expect(await refusal(.notFound) { try await world.events.calendarOwner(token: first) } != nil)
        let kept = try await world.pool.query(
            "SELECT hash FROM calendar_feeds WHERE account_id = $1", [.int(ben.account.id)])
        #expect(try kept.first?.bytes("hash") == Secrets.hash(second))
        #expect(try await world.events.endCalendar(of: ben).wasOn)
        #expect(try await !world.events.endCalendar(of: ben).wasOn)
        #expect(await refusal(.notFound) { try await world.events.calendarOwner(token: second) } != nil)
        let third = try await token()
        _ = try await world.pool.query("DELETE FROM accounts WHERE id = $1", [.int(ben.account.id)])
        for token in [third, "", "x", String(repeating: "x", count: 5_000)] {
            #expect(await refusal(.notFound) { try await world.events.calendarOwner(token: token) } != nil)
        }
    }
}
