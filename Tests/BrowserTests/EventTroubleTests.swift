import CampanileClient
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

extension WebEvents.EventTests {
    @Test("An event whose answer was lost waits, is sent again, and is one event")
    func lostReply() async throws {
        let server = try await WebRoot.start()
        let (anna, ben, _) = try await Person.buddies(on: server)
        let browser = anna.browser
        try await browser.withEndableSockets {
            try await anna.page.open("/")
            try await browser.wait("signed in", "document.querySelector('[data-nav=chats]')")
            try await browser.tap("[data-nav=events]")
            try await browser.tap("#new-event")
            try await browser.type("Lost and found", into: "#field-title")
            try await browser.type("Boathouse", into: "#field-place")
            try await browser.script(
                """
                const socket = window.lastSocket, receive = socket.onmessage;
                socket.onmessage = (message) => {
                  if (!/"audience"/.test(message.data)) return receive.call(socket, message);
                  window.isLost = true;
                  return socket.close();
                };
                return true;
                """)
            try await browser.tap("#publish")
            try await browser.wait("the answer is lost", "window.isLost && location.pathname === '/events'")
            try await anna.page.live()
            try await browser.wait(
                "the event",
                """
                [...document.querySelectorAll('a[href^="/events/"]')].some((link) => link.textContent.includes('Lost and found'))
                  && !document.querySelector('.waiting-words')
                """)
        }
        let database = try await server.database()
        let rows = try await database.query("SELECT title FROM events")
        database.close()
        #expect(try rows.map { try $0.text("title") } == ["Lost and found"])
        for person in [anna, ben] { try await person.leave() }
        await server.stop()
    }

    @Test("Who changes an event that was changed meanwhile sees both, and chooses")
    func conflict() async throws {
        let server = try await WebRoot.start()
        let (anna, ben, _) = try await Person.buddies(on: server)
        let event = try await anna.connection.call(
            EventsCreate.self,
            .init(id: UUID().uuidString, audience: .public, details: Self.details("Before", inHours: 5), publish: true))
        try await anna.page.open("/")
        try await anna.browser.wait("signed in", "document.querySelector('[data-nav=chats]')")
        try await anna.page.open("/events/\(event.id)/edit")
        try await anna.browser.type("Mine", into: "#field-title")
        var theirs = event.details
        theirs.title = "Theirs"
        try await anna.connection.call(
            EventsUpdate.self, .init(event: event.id, revision: event.revision, details: theirs))
        try await anna.browser.tap("#publish")
        try await anna.browser.wait(
            "both are shown",
            "(({ textContent: text }) => text.includes('“Mine”') && text.includes('“Theirs”'))(document.getElementById('event-conflict'))"
        )
        try await anna.expectNames("a conflict")
        try await anna.browser.shots("events-30-conflict-phone")
        #expect(try await anna.connection.call(EventsGet.self, .init(event: event.id)).details.title == "Theirs")
        try await anna.browser.tap("#keep-mine")
        try await anna.browser.wait(
            "it is hers", "document.querySelector('h1').textContent === 'Mine' && document.getElementById('event-when')"
        )
        #expect(try await anna.connection.call(EventsGet.self, .init(event: event.id)).details.title == "Mine")
        for person in [anna, ben] { try await person.leave() }
        await server.stop()
    }

    @Test(
        "An answer without a network shows at once and waits; when the server refuses it then, it is taken back with the reason"
    )
    func undone() async throws {
        let server = try await WebRoot.start()
        let (anna, ben, _) = try await Person.buddies(on: server)
        let event = try await ben.connection.call(
            EventsCreate.self,
            .init(
                id: UUID().uuidString, audience: .public, details: Self.details("Far away", inHours: 5), publish: true))
        let browser = anna.browser
        try await browser.withEndableSockets {
            try await anna.page.open("/")
            try await browser.wait("signed in", "document.querySelector('[data-nav=chats]')")
            try await browser.tap("[data-nav=events]")
            try await browser.tap(".event-link")
            try await browser.wait("the event", "document.querySelector('#event-answer .answers')")
            try await browser.loseNetwork()
            try await browser.tap("#event-answer [data-answer=going]")
            try await browser.wait("it shows at once", Self.isPressed("going"))
            try await browser.wait("it waits", "document.getElementById('answer-waiting')")
            try await ben.connection.call(EventsCancel.self, .init(event: event.id, reason: "Ice"))
            try await browser.setOffline(false)
            try await browser.wait(
                "it is taken back, and why",
                "\(Self.toasts).includes('A change you made offline') && !document.getElementById('answer-waiting') && document.getElementById('view').textContent.includes('Cancelled')"
            )
        }
        #expect(try await anna.connection.call(EventsGet.self, .init(event: event.id)).mine.answer == nil)
        for person in [anna, ben] { try await person.leave() }
        await server.stop()
    }

    @Test("While a session is recorded nothing pops up of events: it is told when the session has ended")
    func held() async throws {
        let server = try await WebRoot.start()
        let (anna, ben, _) = try await Person.buddies(on: server)
        let page = anna.page
        let browser = page.browser
        try await page.locate(51.5, 8.0)
        try await page.open("/")
        try await browser.wait("signed in", "document.querySelector('[data-nav=chats]')")
        try await browser.tap("[data-nav=track]")
        _ = try await page.startTracking()
        let event = try await ben.connection.call(
            EventsCreate.self,
            .init(id: UUID().uuidString, audience: .private, details: Self.details("Quiet", inHours: 5), publish: true))
        _ = try await ben.connection.call(EventsInvite.self, .init(event: event.id, accounts: [anna.account]))
        try await browser.wait(
            "the tab knows", "document.getElementById('invitations-total')?.textContent === '1 to answer'")
        #expect(try await browser.text(Self.toasts).contains("Quiet") == false)
        try await browser.tap("#stop")
        try await browser.tap("dialog[open] [data-answer=yes]")
        try await browser.wait("now it is told", "\(Self.toasts).includes('invited you to Quiet')")
        for person in [anna, ben] { try await person.leave() }
        await server.stop()
    }

    @Test("A report of an event says which event it is about")
    func report() async throws {
        let server = try await WebRoot.start()
        let (anna, ben, _) = try await Person.buddies(on: server)
        let event = try await ben.connection.call(
            EventsCreate.self,
            .init(
                id: UUID().uuidString, audience: .public, details: Self.details("Buy this", inHours: 5), publish: true))
        let browser = anna.browser
        try await anna.page.open("/")
        try await browser.wait("signed in", "document.querySelector('[data-nav=chats]')")
        try await browser.script(
            """
            const send = WebSocket.prototype.send;
            WebSocket.prototype.send = function (data) {
              if (typeof data === "string" && data.includes("safety.report")) window.reported = JSON.parse(data).params;
              return send.call(this, data);
            };
            return true;
            """)
        try await browser.tap("[data-nav=events]")
        try await browser.tap(".event-link")
        try await browser.tap("#report-event")
        try await anna.expectDialog("#report")
        try await browser.tap("#report-event")
        try await browser.tap("#report .choice:has([value=spam])")
        try await browser.tap("#send-report")
        try await browser.wait("it is taken", "\(Self.toasts).includes('Thank you')")
        #expect(
            try await browser.text("[reported.account, reported.event, reported.reason].join()")
                == "\(ben.account),\(event.id),spam")
        for person in [anna, ben] { try await person.leave() }
        await server.stop()
    }
}
