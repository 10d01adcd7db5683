import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

/// What a browser tells of notices when who uses it changes.
extension WebEvents.NoticePageTests {
    @Test(
        "The first log-in on a fresh browser tells nothing of before as news, and one that changes between account and guest tells nothing twice"
    )
    func changes() async throws {
        let server = try await WebRoot.start()
        let (phone, desktop) = try await Page.pair(on: server)
        let admin = try await Self.somebody("theadmin", .admin, at: desktop)
        let (connection, _) = try await server.register("annaruns")
        await connection.close()
        for title in ["old one", "old two", "old three"] { try await Self.publish(title, .important, by: admin) }
        let browser = phone.browser
        try await phone.open("/")
        try await browser.wait("the guest's notices", "campanile.notices.isLoaded")
        try await browser.script(Self.remembering)
        try await logIn(browser)
        #expect(try await browser.text(Self.unread) == "3")
        #expect(try await browser.text("told.join('|')") == "")
        try await Self.publish("new one", .important, by: admin)
        try await browser.wait("what is new is told", "told.join('|') === 'Important: new one'")
        try await Self.publish("Fire", .emergency, by: admin)
        try await browser.wait("the emergency", "\(Self.banner).includes('Fire')")
        try await browser.tap("#emergency-seen")
        var told: [String] = []
        for _ in 0..<2 {
            told += try await logOut(browser)
            // What is told comes a moment after what is known.
            try await marker("guest", by: admin, in: browser)
            // Nothing of who logged out is left, also not that they have seen it (T-6); it is going on.
            try await browser.wait("the emergency", "\(Self.banner).includes('Fire')")
            try await browser.tap("#emergency-seen")
            try await logIn(browser)
            try await marker("member", by: admin, in: browser)
            #expect(try await browser.text(Self.banner) == "")
        }
        told += try await browser.script("return told", as: [String].self)
        #expect(told.filter { $0.contains(/old|new one|Fire/) } == ["Important: new one"])
        #expect(told.filter { $0 != "Logged out." }.count == 5)
        try await Self.leave(admin)
        try await browser.setScreen(nil)
        await server.stop()
    }

    private func marker(_ name: String, by admin: Person, in browser: Browser) async throws {
        let title = "\(name) \(UUID().uuidString.prefix(4))"
        try await Self.publish(title, by: admin)
        try await browser.wait("\(title) is told", "told.includes('\(title)')")
    }

    private func logIn(_ browser: Browser) async throws {
        try await browser.tap("[data-nav=login]")
        try await browser.type("annaruns@example.org", into: "#login-form [name=email]")
        try await browser.type(TestServer.password, into: "#login-form [name=password]")
        try await browser.tap("#login-form-submit")
        try await browser.wait(
            "logged in",
            "campanile.connection.account === 'annaruns' && campanile.notices.isLoaded && location.pathname === '/'")
    }

    /// Logging out brings a new document.
    /// - Returns: What was told in the one before.
    private func logOut(_ browser: Browser) async throws -> [String] {
        try await browser.tap("[data-nav=account]")
        try await browser.wait(
            "nothing moves any more",
            "document.getElementById('goal-distance')")
        let told = try await browser.script("return told", as: [String].self)
        try await browser.tap("#logout")
        try await browser.tap("#logout-dialog [data-answer=yes]")
        try await browser.wait(
            "logged out",
            "campanile.connection.account === null && campanile.notices.isLoaded && location.pathname === '/' && !window.told"
        )
        // With what was told while the document was loaded.
        try await browser.script(
            Self.remembering.replacing(
                "window.told = [];",
                with:
                    "window.told = [...document.querySelectorAll('#toasts .toast')].map((node) => node.firstChild.textContent);"
            ))
        return told
    }
}
