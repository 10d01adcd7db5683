import CampanileClient
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

extension WebEvents {
    /// A lecturer has a phone, a student a desktop, an admin the console, and somebody else comes over the wire.
    @Suite("Events: a whole life, seen from all sides")
    struct EventsLifeTests {
        private static let title = "Open evening, with music; free"
        private static let start = "18:30"

        private struct Sides {
            let lecturer: Person
            let student: Person
            let admin: Person
            let other: CampanileConnection
            /// What the student's browser saves.
            let downloads: String
        }

        @Test(
            "A lecturer makes an event for the campus and publishes it; a student takes the only place and the calendar file, somebody else waits; its time changes and the student is told; the place changes hands; the admin's console shows it, the admin cancels it, all are told, and the audit log says who did what"
        )
        func life() async throws {
            let server = try await WebRoot.start()
            let (phone, desktop) = try await Page.pair(on: server)
            let third = Page(server: server, browser: try await Browser.open())
            try await third.browser.setScreen(.desktop)
            let (connection, ben) = try await server.register("benruns")
            try await desktop.remember(ben)
            let sides = Sides(
                lecturer: try await Person.official("lenaruns", .lecturer, at: phone),
                student: Person(page: desktop, connection: connection, account: ben.account.id),
                admin: try await Person.official("annaruns", .admin, at: third),
                other: try await server.register("cleoruns").connection, downloads: try TestDirectory.make("downloads"))
            let event = try await publish(sides)
            try await answer(sides, event)
            try await lookAtConsole(sides, event, going: "1 person going")
            try await changeTime(sides, event)
            try await changeHands(sides, event)
            try await cancel(sides, event)
            try await readLog(sides, event)
            for person in [sides.lecturer, sides.student, sides.admin] {
                try await person.page.expectQuietConsole(except: ["favicon.ico"])
                try await person.leave()
            }
            await sides.other.close()
            await third.browser.close()
            await server.stop()
        }

        /// A draft first, which nobody else sees.
        private func publish(_ sides: Sides) async throws -> Int64 {
            let browser = sides.lecturer.browser
            try await sides.lecturer.page.open("/events/new")
            try await browser.wait("the form", "document.querySelector('#event-form .leaflet-container')")
            try await browser.script(
                "document.querySelector('input[name=audience][value=campus]').click(); return true")
            try await browser.type(Self.title, into: "#field-title")
            try await browser.type("Weaver Library", into: "#field-place")
            try await browser.type("1", into: "#field-capacity")
            try await browser.type("Bring a light.", into: "#field-description")
            try await browser.shots("life-01-form-phone")
            try await browser.tap("#save-draft")
            try await browser.wait("the draft", "document.getElementById('publish-event')")
            try await sides.student.page.open("/events")
            try await sides.student.browser.wait("nothing yet", "document.getElementById('events-empty')")
            try await browser.tap("#publish-event")
            try await browser.wait("it is published", "document.querySelector('#event-answer .answers')")
            try await browser.shots("life-02-published-phone")
            return try #require(Int64(try await browser.text("location.pathname.split('/').pop()")))
        }

        /// The student is first, and saves the calendar file; the other one waits.
        private func answer(_ sides: Sides, _ event: Int64) async throws {
            let browser = sides.student.browser
            try await browser.reload()
            try await browser.wait("it is listed", "document.querySelector('.event-row[data-event=\"\(event)\"]')")
            try await browser.shots("life-03-list-desktop")
            try await browser.click(".event-link")
            try await browser.click("#event-answer [data-answer=going]")
            try await browser.wait("a place", "document.getElementById('going-note')")
            _ = try await eventually("the server has it") {
                try await sides.other.call(EventsGet.self, .init(event: event)).going == 1 ? true : nil
            }
            // Nobody's press is lost because somebody else answers while the finger is down.
            let buttons = "[...document.querySelectorAll('.event-tools > *')]"
            try await browser.script("\(buttons).forEach((one) => { one.seen = true; }); return true")
            let waiting = try await sides.other.call(EventsAnswer.self, .init(event: event, answer: .going))
            #expect(waiting.mine.queue == 1)
            try await browser.wait(
                "the student sees that somebody waits",
                "document.getElementById('event-places').innerText.includes('Full, 1 waiting')")
            #expect(try await browser.script("return \(buttons).length === 4 && \(buttons).every((one) => one.seen)"))
            try await sides.lecturer.browser.wait(
                "the lecturer sees both",
                "document.querySelector('[data-people=Going]') && document.querySelector('[data-people=\"Waiting list\"]')"
            )
            try await sides.lecturer.browser.shots("life-04-people-phone")
            try await browser.shots("life-05-going-desktop")
            let first = try await file(sides, event)
            #expect(first.status == "CONFIRMED" && first.description == "Bring a light.")
        }

        /// Presses the button, and has what the browser saved read by another program.
        private func file(_ sides: Sides, _ event: Int64) async throws -> CalendarReader.Entry {
            let browser = sides.student.browser
            let place = URL(fileURLWithPath: sides.downloads).appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try await browser.cdp("Browser.setDownloadBehavior", ["behavior": "allow", "downloadPath": place.path])
            try await browser.click("#add-calendar")
            let bytes = try await Array(Browser.saved("event-\(event).ics", in: place.path))
            let calendar = try CalendarReader.read(bytes)
            #expect(calendar.events.count == 1 && calendar.others == 0)
            let entry = try #require(calendar.events.first)
            #expect(entry.summary == Self.title && entry.location == "Weaver Library")
            #expect(entry.url.hasSuffix("/events/\(event)"))
            return entry
        }

        /// At both sizes.
        private func lookAtConsole(_ sides: Sides, _ event: Int64, going: String) async throws {
            let browser = sides.admin.browser
            let row = "document.querySelector('#next-events li[data-key=\"\(event)\"]')?.textContent"
            try await sides.admin.page.open("/admin")
            try await browser.wait(
                "the console has it, \(going)",
                "\(row)?.includes(\(Browser.quoted(Self.title))) && \(row).includes(\(Browser.quoted(going)))")
            for screen in [Browser.Screen.phone, .desktop] {
                try await browser.setScreen(screen)
                try await browser.script(
                    "document.getElementById('next-events').scrollIntoView({ block: 'center' }); return true")
                try await sides.admin.expectNames("the console, \(screen)")
                try await browser.shots("life-06-console-\(going.prefix(9).filter(\.isLetter))-\(screen)")
            }
        }

        private func changeTime(_ sides: Sides, _ event: Int64) async throws {
            let (phone, desktop) = (sides.lecturer.browser, sides.student.browser)
            let before = try await file(sides, event)
            try await phone.tap("#edit-event")
            try await phone.wait("the form", "document.querySelector('#event-form .leaflet-container')")
            let day = try await phone.text("new Date(Date.now() + 2 * 86400000).toISOString().slice(0, 10)")
            try await EventTests.set("#field-date", to: day, in: phone)
            try await EventTests.set("#field-time", to: Self.start, in: phone)
            try await phone.tap("#publish")
            let shows = "document.getElementById('event-when')?.textContent.includes('\(Self.start)')"
            try await phone.wait("it is saved", shows)
            try await desktop.wait(
                "the student sees what is another",
                "/Start.*\(Self.start)/s.test(document.getElementById('event-changed')?.textContent) && \(shows)")
            try await desktop.shots("life-07-changed-desktop")
            try await phone.shots("life-07-changed-phone")
            let after = try await file(sides, event)
            #expect(after.uid == before.uid && after.sequence > before.sequence && after.start != before.start)
            #expect(after.start.hasPrefix(day))
        }

        /// Who waited has the place as soon as it is free.
        private func changeHands(_ sides: Sides, _ event: Int64) async throws {
            try await sides.student.browser.click("#event-answer [data-answer=maybe]")
            try await sides.student.browser.wait("perhaps", EventTests.isPressed("maybe"))
            // The button shows it before it is answered.
            _ = try await eventually("who waited has the place") {
                let moved = try await sides.other.call(EventsGet.self, .init(event: event))
                return moved.mine.answer == .going && moved.mine.queue == nil && moved.going == 1 && moved.maybe == 1
                    ? true : nil
            }
        }

        /// From the console, by the admin, whose event it is not.
        private func cancel(_ sides: Sides, _ event: Int64) async throws {
            let browser = sides.admin.browser
            try await browser.click("#next-events li[data-key=\"\(event)\"] a")
            try await browser.wait(
                "as an admin", "document.getElementById('event-manage').textContent.includes('Manage as admin')")
            try await browser.wait(
                "the admin sees who comes", "document.querySelector('[data-people=Maybe]')?.textContent.length > 0")
            try await browser.shots("life-08-admin-event-desktop")
            try await browser.click("#cancel-event")
            try await browser.type("The hall is flooded.", into: "#cancel-reason")
            try await browser.click("#cancel-event-dialog [data-answer=yes]")
            for (person, name) in [(sides.admin, "admin"), (sides.student, "desktop"), (sides.lecturer, "phone")] {
                try await person.browser.wait(
                    "\(name) is told",
                    "document.getElementById('event-state')?.textContent.includes('The hall is flooded.')")
                try await person.browser.shots("life-09-cancelled-\(name)")
            }
            let told = try await sides.other.call(EventsGet.self, .init(event: event))
            #expect(told.state == .cancelled && told.cancelReason == "The hall is flooded.")
            let last = try await file(sides, event)
            #expect(
                last.status == "CANCELLED" && last.description == "Cancelled: The hall is flooded.\n\nBring a light.")
            try await lookAtConsole(sides, event, going: "cancelled")
        }

        private func readLog(_ sides: Sides, _ event: Int64) async throws {
            let browser = sides.admin.browser
            try await browser.wait(
                "the console says what was done",
                "document.getElementById('latest-audit').textContent.includes(\(Browser.quoted(Self.title)))")
            try await sides.admin.page.open("/admin/audit")
            try await browser.wait("the log", "document.querySelector('#audit .audit-row')")
            let lines = try await browser.script(
                "return [...document.querySelectorAll('#audit .audit-words')].map((line) => line.textContent)",
                as: [String].self)
            #expect(
                lines == ["annaruns cancelled the event \(Self.title)"], "what a lecturer does to their own is theirs")
            for screen in [Browser.Screen.phone, .desktop] {
                try await browser.setScreen(screen)
                try await sides.admin.expectNames("the log, \(screen)")
                try await browser.shots("life-10-log-\(screen)")
            }
            try await EventTests.set("#audit-kind", to: "event.", in: browser)
            try await browser.wait("of events", "document.querySelectorAll('#audit .audit-row').length === 1")
        }
    }
}
