import CampanileClient
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

/// What a device keeps of events, and what it does not lose.
extension WebEvents.EventTests {
    private static let mayReturn = "location.pathname + location.search === '/login?next=%2Fevents%2Fnew'"
    private static let keptKeys =
        "Object.keys(localStorage).filter((key) => key.startsWith('campanile.events.')).join()"

    @Test(
        "Without a network the list and the page of an event one goes to are read from the device, with their age; who logs out leaves nothing of them"
    )
    func keptOffline() async throws {
        let server = try await WebRoot.start()
        let (anna, ben, _) = try await Person.buddies(on: server)
        let browser = anna.browser
        let event = try await ben.connection.call(
            EventsCreate.self,
            .init(
                id: UUID().uuidString, audience: .public, details: Self.details("Night run", inHours: 5), publish: true)
        )
        _ = try await anna.connection.call(EventsAnswer.self, .init(event: event.id, answer: .going))
        try await anna.page.open("/events")
        try await browser.wait("what pages need is kept", "navigator.serviceWorker.controller")
        try await browser.wait("the list", "document.querySelector('.event-row')")
        try await browser.wait(
            "it is kept", "localStorage.getItem('campanile.events.\(anna.account)')?.includes('Night run')")
        try await browser.setOffline(true)
        try await browser.go(anna.page.origin + "/events")
        try await browser.wait(
            "the list, and how old it is",
            "document.querySelector('.event-row')?.textContent.includes('Night run') && /^You.re offline. Last updated at \\d\\d:\\d\\d/.test(document.getElementById('event-note').textContent)"
        )
        try await browser.shots("events-40-offline-list-phone")
        try await browser.go(anna.page.origin + "/events/\(event.id)")
        try await browser.wait(
            "its page, and how old it is",
            "document.querySelector('h1').textContent === 'Night run' && document.getElementById('going-note')?.checkVisibility() && document.getElementById('event-kept').checkVisibility()"
        )
        try await browser.shots("events-41-offline-page-phone")
        try await browser.go(anna.page.origin + "/events/\(event.id + 1)")
        try await browser.wait(
            "what was never seen is waited for",
            "document.getElementById('view').textContent.includes('this device has no copy of this yet')")
        try await browser.setOffline(false)
        try await anna.page.open("/events/\(event.id)")
        try await browser.wait(
            "as it is now", "document.getElementById('going-note') && document.getElementById('event-kept').hidden")
        try await anna.page.open("/account")
        try await browser.wait(
            "nothing moves any more",
            "document.getElementById('goal-distance')")
        try await browser.tap("#logout")
        try await browser.tap("#logout-dialog [data-answer=yes]")
        try await browser.wait("logged out", "campanile.connection.account === null")
        #expect(try await browser.text(Self.keptKeys).contains(".\(anna.account)") == false)
        for person in [anna, ben] { try await person.leave() }
        await server.stop()
    }

    @Test("Whose role is changed while writing an event is told why, logs in again and finds the place and the words")
    func changedWhileWriting() async throws {
        let server = try await WebRoot.start()
        let (phone, desktop) = try await Page.pair(on: server)
        let admin = try await Person.official("theadmin", .admin, at: desktop)
        let anna = try await Person.official("annaruns", .student, at: phone)
        let browser = anna.browser
        let boss = try await server.connect()
        _ = try await boss.call(
            AccountLogin.self, .init(email: "theadmin@example.org", password: TestServer.password))
        try await anna.page.open("/events/new")
        try await browser.type("Half written", into: "#field-title")
        _ = try await boss.call(AdminEditUser.self, .init(account: anna.account, role: .lecturer))
        try await browser.wait(
            "it says why, and leads back",
            "\(Self.mayReturn) && \(Self.toasts).includes('An admin has changed your account.')")
        try await browser.shots("events-42-role-changed-phone")
        try await browser.type("annaruns@example.org", into: "#login-form [name=email]")
        try await browser.type(TestServer.password, into: "#login-form [name=password]")
        try await browser.tap("#login-form-submit")
        try await browser.wait(
            "the place and the words",
            "location.pathname === '/events/new' && document.getElementById('field-title')?.value === 'Half written'")
        // Signed out by who left the device: it keeps nothing.
        _ = try await boss.call(AdminSignOutUser.self, .init(account: anna.account))
        try await browser.wait("out again", "campanile.connection.account === null")
        try await browser.wait(
            "nothing is kept",
            "!Object.keys(localStorage).some((key) => key.startsWith('campanile.eventForm'))")
        await boss.close()
        for person in [anna, admin] { try await person.leave() }
        await server.stop()
    }

    @Test("Who is disabled while recording is told why, that the run is kept, and is not asked to log in")
    func disabledWhileRecording() async throws {
        let server = try await WebRoot.start()
        let (phone, desktop) = try await Page.pair(on: server)
        let admin = try await Person.official("theadmin", .admin, at: desktop)
        let anna = try await Person.official("annaruns", .student, at: phone)
        let browser = anna.browser
        try await phone.locate(51.5, 8.0)
        let boss = try await server.connect()
        _ = try await boss.call(
            AccountLogin.self, .init(email: "theadmin@example.org", password: TestServer.password))
        try await anna.page.open("/track")
        let token = try await browser.text("localStorage.getItem('campanile.token')")
        _ = try await anna.page.startTracking()
        _ = try await boss.call(AdminDisableUser.self, .init(account: anna.account, reason: "Spam"))
        try await browser.wait(
            "why, and what is kept",
            "\(Self.toasts).includes('disabled your account. Your recording so far is kept.') && !\(Self.toasts).includes('Log in')"
        )
        try await browser.shots("events-43-disabled-phone")
        // Who was away hears the same.
        try await browser.go(phone.origin + "/healthz")
        try await browser.script("localStorage.setItem('campanile.token', \(Browser.quoted(token))); return true")
        try await anna.page.open("/")
        try await browser.wait("the same later", "\(Self.toasts).includes('disabled your account')")
        await boss.close()
        for person in [anna, admin] { try await person.leave() }
        await server.stop()
    }

    @Test(
        "Who has nobody to invite is led to buddies and the link; a calendar's address can be stopped only when there is one"
    )
    func nobodyToInvite() async throws {
        let server = try await WebRoot.start()
        let page = try await Page.fresh(on: server)
        let browser = page.browser
        let (connection, _) = try await page.signIn()
        let event = try await connection.call(
            EventsCreate.self,
            .init(id: UUID().uuidString, audience: .public, details: Self.details("Alone", inHours: 5), publish: true))
        try await page.open("/events/\(event.id)")
        try await browser.click("#invite-to-event")
        try await browser.wait(
            "it says so, and leads on",
            "document.getElementById('find-buddies')?.checkVisibility() && !document.getElementById('invite-submit') && document.getElementById('share-instead')"
        )
        try await browser.click("#find-buddies")
        try await browser.wait("buddies", "location.pathname === '/buddies' && !document.querySelector('dialog[open]')")
        let off = "document.getElementById('calendar-off').checkVisibility()"
        for (hasAddress, work) in [(false, "#make-calendar"), (true, "#calendar-off"), (false, nil)] {
            try await page.open("/events")
            try await browser.click("#my-calendar")
            try await browser.wait("the dialog", "document.getElementById('make-calendar')")
            try await browser.wait(
                "it knows",
                "document.getElementById('make-calendar').textContent === '\(hasAddress ? "Create new link" : "Create link")' && \(off) === \(hasAddress)"
            )
            guard let work else { break }
            try await browser.click(work)
            try await browser.wait("it is done", "\(off) === \(!hasAddress)")
        }
        await connection.close()
        await server.stop()
    }
}
