import CampanileClient
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

extension WebEvents {
    /// Anna has a phone, Ben a desktop.
    @Suite("Events")
    struct EventTests {
        private static let title = "Easy evening run"
        static let toasts =
            "[...document.querySelectorAll('#toasts .toast')].map((toast) => toast.textContent).join(' ')"

        /// Sets a field as a person does who fills it in: dates and times have no keys of their own.
        static func set(_ css: String, to value: String, in browser: Browser) async throws {
            try await browser.wait("\(css) is there", "document.querySelector('\(css)')")
            try await browser.script(
                """
                const field = document.querySelector('\(css)');
                field.value = \(Browser.quoted(value));
                field.dispatchEvent(new Event(field.matches('select') ? 'change' : 'input', { bubbles: true }));
                return true;
                """)
        }

        static func isPressed(_ answer: String) -> String {
            "document.querySelector('#event-answer [data-answer=\(answer)]').getAttribute('aria-pressed') === 'true'"
        }

        /// Details of an event in so many hours.
        static func details(_ title: String, inHours hours: Double, capacity: Int? = nil) -> EventDetails {
            EventDetails(
                title: title, description: "Bring a light.", workout: "running",
                startsAt: Timestamp.now.advanced(bySeconds: hours * 3_600), duration: 3_600,
                place: EventPlace(name: "Weaver Library"), capacity: capacity)
        }

        // MARK: An event's life

        @Test(
            "An event is written, survives a reload, is published, invited to, answered, full, moved up in, changed and cancelled, and the other one hears of each"
        )
        func life() async throws {
            let server = try await WebRoot.start()
            let (anna, ben, _) = try await Person.buddies(on: server)
            try await write(anna)
            let event = try await publishAndInvite(anna)
            try await answerAtHome(ben, event)
            try await wait(anna, ben, event)
            try await change(anna, ben, event)
            try await cancel(anna, ben, event)
            for person in [anna, ben] {
                try await person.page.expectQuietConsole(except: ["favicon.ico"])
                try await person.leave()
            }
            await server.stop()
        }

        private func write(_ anna: Person) async throws {
            let browser = anna.browser
            try await anna.page.open("/")
            try await browser.wait("signed in", "document.querySelector('[data-nav=chats]')")
            try await browser.wait(
                "nothing is planned", "document.getElementById('home-coming')?.textContent.includes('Nothing planned')")
            try await browser.tap("[data-nav=events]")
            try await browser.wait("no events", "document.getElementById('events-empty')")
            try await anna.expectNames("the empty list")
            try await browser.shots("events-01-empty-phone")
            try await browser.tap("#new-event")
            try await browser.wait("the form", "document.querySelector('#event-form .leaflet-container')")
            try await browser.tap("#publish")
            try await browser.wait(
                "it says what is missing, and goes there",
                "document.querySelector('[data-problem=title]').textContent && document.activeElement.id === 'field-title'"
            )
            try await browser.shots("events-02-problems-phone")
            try await browser.type(Self.title, into: "#field-title")
            try await browser.script(
                "document.querySelector('input[name=workout][value=running]').click(); return true")
            try await browser.type("Weaver Library", into: "#field-place")
            try await browser.wait(
                "the name marks the place", "document.getElementById('place-note').textContent.includes('Old Quad')")
            try await browser.type("1", into: "#field-capacity")
            try await browser.type("Bring a light.", into: "#field-description")
            try await anna.expectNames("the form")
            try await browser.shots("events-03-form-phone")
            try await browser.reload()
            try await browser.wait("what was written is back", "document.getElementById('draft-note')")
            let kept = try await browser.text(
                "[...document.querySelectorAll('#field-title, #field-place, #field-capacity, #field-description, input[name=workout]:checked')].map((f) => f.value).join('|')"
            )
            #expect(kept == "\(Self.title)|running|Weaver Library|1|Bring a light.")
            try await browser.wait("the mark, too", "!document.getElementById('remove-place').hidden")
            try await browser.tap("#save-draft")
            try await browser.wait("the draft", "document.getElementById('publish-event')")
            #expect(
                try await browser.script(
                    "return !Object.keys(localStorage).some((key) => key.startsWith('campanile.eventForm'))"))
            try await browser.shots("events-04-draft-phone")
        }

        private func publishAndInvite(_ anna: Person) async throws -> Int64 {
            let browser = anna.browser
            try await browser.tap("#publish-event")
            try await browser.wait("it can be answered", "document.querySelector('#event-answer .answers')")
            try await browser.wait(
                "its host is counted",
                "/You're hosting/.test(document.getElementById('going-note').textContent) && document.getElementById('event-places').textContent.startsWith('Full')"
            )
            try await browser.shots("events-04b-host-phone")
            try await browser.tap("#event-answer [data-answer=no]")
            try await browser.wait("Anna will not be there", Self.isPressed("no"))
            // What stands above the buttons changes with the reply.
            try await browser.wait(
                "a place is free", "!document.getElementById('event-places').textContent.startsWith('Full')")
            let event = try #require(Int64(try await browser.text("location.pathname.split('/').pop()")))
            try await browser.tap("#invite-to-event")
            try await browser.wait("Ben can be invited", "document.querySelector('#invite-buddies input')")
            try await browser.shots("events-05-invite-phone")
            try await anna.expectDialog("#invite-people")
            try await browser.tap("#invite-to-event")
            try await browser.tap("#invite-buddies label")
            try await browser.tap("#invite-submit")
            try await browser.wait(
                "Ben is invited", "document.querySelector('[data-people^=Invited]')?.textContent.includes('Ben')")
            return event
        }

        /// Ben opens the app only now, and answers on the start page.
        private func answerAtHome(_ ben: Person, _ event: Int64) async throws {
            let browser = ben.browser
            try await ben.page.open("/")
            try await browser.wait(
                "an invitation", "document.querySelector('#home-invitations [data-event=\"\(event)\"]')")
            try await browser.wait(
                "the tab tells how many", "document.getElementById('invitations-total')?.textContent === '1 to answer'")
            try await ben.expectNames("the start page")
            try await browser.shots("events-06-invited-desktop")
            try await browser.click("#home-invitations [data-answer=going]")
            try await browser.wait(
                "it comes up", "document.querySelector('#home-coming [data-event=\"\(event)\"] [data-mine=going]')")
            try await browser.wait(
                "nothing is left to answer",
                "document.getElementById('home-invitations').hidden && document.getElementById('invitations-total').hidden"
            )
            try await browser.shots("events-07-coming-desktop")
            try await browser.click("#home-coming .event-link")
            try await browser.wait("he has a place", "document.getElementById('going-note')")
            try await browser.shots("events-08-going-desktop")
        }

        /// Anna comes too late for her own event, and moves up when Ben says no.
        private func wait(_ anna: Person, _ ben: Person, _ event: Int64) async throws {
            try await anna.browser.wait(
                "the button says what it does",
                "document.querySelector('#event-answer [data-answer=going]').textContent === 'Join the waiting list'")
            try await anna.browser.shots("events-08b-full-phone")
            try await anna.browser.tap("#event-answer [data-answer=going]")
            try await anna.browser.wait(
                "she waits", "document.getElementById('waiting-note')?.textContent.includes('number 1')")
            try await anna.browser.wait(
                "behind Ben", "document.querySelector('[data-people=Going]')?.textContent.includes('Ben')")
            try await anna.browser.shots("events-09-waiting-phone")
            try await ben.browser.click("#event-answer [data-answer=no]")
            try await anna.browser.wait(
                "she has a place now",
                "document.getElementById('going-note') && \(Self.toasts).includes('You got a spot')")
            try await anna.browser.shots("events-10-moved-up-phone")
            try await ben.browser.click("#event-answer [data-answer=maybe]")
            try await ben.browser.wait("he may come", Self.isPressed("maybe"))
        }

        /// Ben, who may come, is told of another time where he looks.
        private func change(_ anna: Person, _ ben: Person, _ event: Int64) async throws {
            try await anna.browser.tap("#edit-event")
            try await anna.browser.wait("the form", "document.querySelector('#event-form .leaflet-container')")
            let day = try await anna.browser.text("new Date(Date.now() + 2 * 86400000).toISOString().slice(0, 10)")
            try await Self.set("#field-date", to: day, in: anna.browser)
            try await Self.set("#field-time", to: "18:30", in: anna.browser)
            try await anna.browser.shots("events-11-edit-phone")
            try await anna.browser.tap("#publish")
            try await anna.browser.wait(
                "it is saved", "document.getElementById('event-when')?.textContent.includes('18:30–19:30')")
            try await ben.browser.wait(
                "Ben sees what is another",
                "/Start.*18:30/s.test(document.getElementById('event-changed')?.textContent)")
            try await ben.browser.wait(
                "and the new time", "document.getElementById('event-when').textContent.includes('18:30–19:30')")
            try await ben.browser.shots("events-12-changed-desktop")
        }

        private func cancel(_ anna: Person, _ ben: Person, _ event: Int64) async throws {
            try await ben.browser.click(".event-page .back")
            try await ben.browser.wait("the list", "document.querySelector('.event-row[data-event=\"\(event)\"]')")
            try await ben.browser.shots("events-13-list-desktop")
            try await anna.browser.tap("#cancel-event")
            try await anna.expectDialog("#cancel-event-dialog")
            try await anna.browser.tap("#cancel-event")
            try await anna.browser.type("Ice on the path.", into: "#cancel-reason")
            try await anna.browser.shots("events-14-cancel-phone")
            try await anna.browser.tap("#cancel-event-dialog [data-answer=yes]")
            try await anna.browser.wait(
                "it is cancelled", "document.getElementById('event-state')?.textContent.includes('Ice on the path.')")
            #expect(
                try await anna.browser.script(
                    "return !document.getElementById('edit-event') || document.getElementById('event-manage').hidden"))
            try await ben.browser.wait(
                "Ben's list says so",
                "document.querySelector('.event-row[data-state=cancelled]')?.textContent.includes('Cancelled')")
            try await ben.browser.wait("and he is told", "\(Self.toasts).includes('Cancelled: \(Self.title)')")
            try await ben.browser.shots("events-15-cancelled-list-desktop")
            try await ben.browser.click(".event-link")
            try await ben.browser.wait(
                "why", "document.getElementById('event-state')?.textContent.includes('Ice on the path.')")
            #expect(
                try await ben.browser.script(
                    "return !document.querySelector('#event-answer .answers')?.checkVisibility()"))
            try await ben.expectNames("a cancelled event")
            try await ben.browser.shots("events-16-cancelled-desktop")
        }

        // MARK: Guests

        @Test("A guest sees the campus' events, in kinds and days, is invited to log in, and does not learn of others")
        func guests() async throws {
            let server = try await WebRoot.start()
            let (first, account) = try await server.register("lectures")
            let database = try await server.database()
            _ = try await database.query(
                "UPDATE accounts SET role = 'lecturer' WHERE id = $1", [.int(account.account.id)])
            database.close()
            await first.close()
            let connection = try await server.connect()
            try await connection.call(
                AccountLogin.self, .init(email: account.account.email, password: TestServer.password))
            func make(_ title: String, _ audience: EventAudience, _ kind: String) async throws -> Int64 {
                var details = Self.details(title, inHours: 30)
                details.workout = kind
                return try await connection.call(
                    EventsCreate.self, .init(id: UUID().uuidString, audience: audience, details: details, publish: true)
                ).id
            }
            let open = try await make("Yoga for everybody", .campus, "yoga")
            _ = try await make("Run for everybody", .campus, "running")
            let hidden = try await make("Only with an account", .public, "running")

            let page = try await Page.fresh(on: server)
            let browser = page.browser
            try await browser.setScreen(.phone)
            try await page.open("/events")
            try await browser.wait("two events", "document.querySelectorAll('#event-list .event-row').length === 2")
            #expect(
                try await browser.script(
                    "return Boolean(document.querySelector('#event-guest a[href^=\"/login\"]')) && !document.getElementById('new-event')"
                ))
            try await browser.shots("events-20-guest-phone")
            try await browser.tap(".event-kinds [data-kind=yoga]")
            try await browser.wait(
                "one kind",
                "document.querySelectorAll('#event-list .event-row').length === 1 && document.querySelector('.event-title').textContent === 'Yoga for everybody'"
            )
            #expect(try await browser.text("location.search") == "?kind=yoga")
            try await browser.tap(".event-link")
            try await browser.wait(
                "the event", "location.pathname === '/events/\(open)' && document.getElementById('login-to-answer')")
            #expect(try await browser.script("return !document.getElementById('view').innerText.includes('Hosted by')"))
            try await browser.shots("events-21-guest-event-phone")
            try await page.open("/events/\(hidden)")
            try await browser.wait(
                "nothing is told of the other",
                "document.getElementById('event-problem') && document.querySelector('h1').textContent === 'Event not found'"
            )
            try await page.expectQuietConsole(except: ["favicon.ico"])
            try await browser.setScreen(nil)
            await connection.close()
            await server.stop()
        }
    }
}
