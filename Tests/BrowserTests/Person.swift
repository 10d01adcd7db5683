import CampanileClient
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

/// Somebody at a browser of their own.
struct Person: Sendable {
    let page: Page
    /// The same account from elsewhere.
    let connection: CampanileConnection
    let account: Int64
    var browser: Browser { page.browser }

    /// Taps one element after the other, on the page at `path` or on the open one, and waits for what the page shows then.
    func taps(_ elements: String..., at path: String? = nil, until what: String, _ expression: String) async throws {
        if let path { try await browser.go(page.origin + path) }
        for element in elements { try await browser.tap(element) }
        try await browser.wait(what, expression)
    }

    // MARK: Conversations

    /// A message of the open conversation by its words, as an expression.
    static func message(_ text: String) -> String {
        "[...document.querySelectorAll('#messages .message')].find((m) => m.querySelector('.message-text')?.textContent === \(Browser.quoted(text)))"
    }

    /// Writes and sends, with the keyboard on a desktop and the button on a phone.
    func say(_ text: String, withButton: Bool) async throws {
        try await browser.type(text, into: "#composer")
        if withButton { try await browser.tap("#send") } else { try await browser.press(Browser.enter) }
        try await sees(text)
    }

    func sees(_ text: String) async throws { try await browser.wait("“\(text)” is shown", Self.message(text)) }

    /// Waits until one's own message got so far: `sent`, `delivered` or `read`.
    func sees(_ text: String, reach state: String) async throws {
        try await browser.wait(
            "“\(text)” is \(state)", "\(Self.message(text)).querySelector('.ticks').dataset.state === '\(state)'")
    }

    /// A message's selector.
    func selector(of text: String) async throws -> String {
        try await browser.wait(
            "“\(text)” has its place in the log",
            "![undefined, 'undefined'].includes(\(Self.message(text))?.dataset.offset)")
        let offset = try await browser.text("\(Self.message(text)).dataset.offset")
        return ".message[data-offset=\"\(offset)\"]"
    }

    /// Opens a message's menu with a long press.
    func pressLong(_ text: String) async throws {
        try await browser.hold("\(try await selector(of: text)) .bubble")
        try await browser.wait("the menu", "document.querySelector('#menu[open]')")
        try await browser.lift()
    }

    /// Opens a message's menu with its button, which shows under the mouse.
    func openMenu(of text: String) async throws {
        let message = try await selector(of: text)
        try await browser.hover("\(message) .bubble")
        try await browser.click("\(message) .message-menu")
        try await browser.wait("the menu", "document.querySelector('#menu[open]')")
    }

    // MARK: What everybody must be able to use

    /// Every control that can be seen has a name.
    func expectNames(_ place: String) async throws {
        let nameless = try await browser.script(
            """
            const root = document.querySelector('dialog[open]') ?? document;
            const words = (id) => document.getElementById(id)?.textContent.trim();
            const named = (e) => e.getAttribute('aria-label')?.trim() || [...e.labels ?? []].some((l) => l.textContent.trim())
              || words(e.getAttribute('aria-labelledby')) || (!e.matches('input, select, textarea') && e.textContent.trim());
            return [...root.querySelectorAll('input, select, textarea, button, a[href], [tabindex="0"], dialog[open]')]
              .filter((e) => e.type !== 'hidden' && e.checkVisibility() && !named(e)).map((e) => e.outerHTML.slice(0, 160));
            """, as: [String].self)
        #expect(nameless.isEmpty, "\(place)")
        let widths = try await browser.script(
            "return [document.scrollingElement.scrollWidth, innerWidth]", as: [Int].self)
        #expect(widths[0] <= widths[1], "\(place) scrolls sideways")
    }

    /// The focus is in the open dialog, Tab goes through it in the order it is read, and Escape closes it.
    func expectDialog(_ css: String) async throws {
        try await browser.wait("\(css) is open", "document.querySelector('\(css)[open]')")
        try await expectNames(css)
        let inside = "document.querySelector('\(css)').contains(document.activeElement)"
        #expect(try await browser.script("return \(inside)"), "\(css) has the focus")
        try await browser.script("window.visited = [document.activeElement]; return true")
        let count = try await browser.script(
            "return [...document.querySelectorAll('\(css) :is(button, input, select, textarea, a[href])')].filter((e) => e.checkVisibility() && !e.disabled).length",
            as: Int.self)
        #expect(count > 0)
        for _ in 1..<max(2, min(count, 8)) {
            try await browser.press(.tab)
            let isInOrder = try await browser.script(
                """
                const last = window.visited.at(-1), now = document.activeElement;
                window.visited.push(now);
                return now === document.body || (\(inside) && (now === last || now === window.visited[0] || now === document.querySelector('\(css)')
                  || Boolean(last.compareDocumentPosition(now) & Node.DOCUMENT_POSITION_FOLLOWING)));
                """)
            #expect(isInOrder, "Tab in \(css)")
        }
        try await browser.press(.escape)
        try await browser.wait("\(css) is closed", "!document.querySelector('\(css)')")
    }

    // MARK: Beginnings

    /// Registers somebody with both profiles through the API, and signs their browser in.
    static func ready(
        _ profile: Profile, at page: Page, _ change: (inout BuddyProfile) -> Void = { _ in }
    ) async throws -> Person {
        let (connection, account) = try await registered(profile, on: page.server, change)
        try await page.remember(account)
        return Person(page: page, connection: connection, account: account.account.id)
    }

    /// Registers somebody with both profiles through the API.
    static func registered(
        _ profile: Profile, on server: TestServer, _ change: (inout BuddyProfile) -> Void = { _ in }
    ) async throws -> (connection: CampanileConnection, account: SignedIn) {
        let (connection, account) = try await server.register(profile.firstName.lowercased() + "runs")
        try await connection.call(ProfileSave.self, profile)
        let options = try await connection.call(BuddiesOptions.self)
        try await connection.call(BuddiesAgree.self, .init(version: options.rulesVersion))
        var buddy = BuddyProfile()
        change(&buddy)
        try await connection.call(BuddiesSave.self, buddy)
        return (connection, account)
    }

    /// Anna with a phone and Ben at a desktop, who are buddies; their conversation.
    static func buddies(on server: TestServer) async throws -> (anna: Person, ben: Person, conversation: Int64) {
        let (phone, desktop) = try await Page.pair(on: server)
        let anna = try await ready(
            Profile(firstName: "Anna", lastName: "Berger", birthday: "2003-04-30", gender: .female), at: phone)
        let ben = try await ready(
            Profile(firstName: "Ben", lastName: "Castro", birthday: "2001-11-02", gender: .male), at: desktop)
        return (anna, ben, try await match(anna, ben))
    }

    /// Has both accept the other.
    static func match(_ one: Person, _ other: Person) async throws -> Int64 {
        try await one.connection.call(BuddiesDecide.self, .init(account: other.account, accept: true))
        let outcome = try await other.connection.call(
            BuddiesDecide.self, .init(account: one.account, accept: true))
        return try #require(outcome.conversation)
    }

    /// Lets both sides go.
    func leave() async throws {
        await connection.close()
        try await browser.setOffline(false)
        try await browser.setScreen(nil)
    }
}

extension TestServer {
    /// How many messages with these words the conversation has in the database.
    func stored(_ words: String, in conversation: Int64) async throws -> Int64 {
        let database = try await database()
        defer { database.close() }
        let rows = try await database.query(
            "SELECT count(*) AS count FROM chat_log WHERE conversation_id = $1 AND kind = 'message' AND body = $2",
            [.int(conversation), .text(words)])
        return try #require(try rows.first?.int("count"))
    }
}

/// Pictures for people to send.
enum Drawing {
    /// A running track under an evening sky, 1200 × 900: larger than a thumbnail.
    static let track = """
        <svg xmlns="http://www.w3.org/2000/svg" width="1200" height="900"><defs><linearGradient id="s" x1="0" y1="0" x2="0" y2="1">
        <stop offset="0" stop-color="#2b4a7a"/><stop offset=".6" stop-color="#f0a66b"/><stop offset="1" stop-color="#f7d9a8"/></linearGradient></defs>
        <rect width="1200" height="500" fill="url(#s)"/><circle cx="850" cy="400" r="70" fill="#fff1c9"/>
        <path d="M0 430 L220 330 L420 420 L640 300 L900 430 L1200 350 L1200 520 L0 520 Z" fill="#3d4a5c"/>
        <rect y="490" width="1200" height="410" fill="#4f8a4b"/><path d="M-100 900 C250 560 900 540 1300 600 L1300 900 Z" fill="#b5532f"/>
        <g fill="none" stroke="#f3e3d3" stroke-width="7"><path d="M60 900 C380 620 900 590 1300 650"/>
        <path d="M240 900 C520 690 950 650 1300 710"/><path d="M440 900 C660 760 1000 720 1300 780"/></g></svg>
        """
    /// A face with a cap, 600 × 600.
    static let face = """
        <svg xmlns="http://www.w3.org/2000/svg" width="600" height="600"><rect width="600" height="600" fill="#8fc1c9"/>
        <rect y="420" width="600" height="180" fill="#6b9a6a"/><path d="M120 600 C130 470 230 430 300 430 C370 430 470 470 480 600 Z" fill="#d9603b"/>
        <rect x="262" y="370" width="76" height="90" fill="#d8a07c"/><ellipse cx="300" cy="280" rx="105" ry="128" fill="#e7b48f"/>
        <path d="M188 262 C180 120 420 120 412 262 C420 240 330 205 300 205 C260 205 190 230 188 262 Z" fill="#5b3b28"/>
        <path d="M185 235 C190 110 410 110 415 235 L470 250 L185 250 Z" fill="#24466e"/>
        <circle cx="262" cy="290" r="11" fill="#33241a"/><circle cx="338" cy="290" r="11" fill="#33241a"/>
        <path d="M258 345 C280 370 320 370 342 345" fill="none" stroke="#8c3f2d" stroke-width="9" stroke-linecap="round"/></svg>
        """

    /// As a JPEG file.
    static func file(_ svg: String) throws -> String {
        let path = try TestDirectory.make("drawing") + "/picture.jpg"
        try Data(TestPicture.drawn(svg)).write(to: URL(fileURLWithPath: path))
        return path
    }
}
