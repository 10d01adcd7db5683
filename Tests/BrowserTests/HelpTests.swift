import TestSupport
import Testing
import Wire

extension Web {
    @Suite("Help")
    struct HelpTests {
        /// A page for each kind of help, with the title of its panel.
        private static let pages = [
            ("/", "Start page"), ("/map", "Live map"), ("/map/places", "Places"), ("/search", "Search"),
            ("/nearby", "Nearby"), ("/place/place/1", "The page of a place"), ("/track", "Track"),
            ("/history", "History and goal"), ("/events", "Events"), ("/events/new", "Your own events"),
            ("/buddies", "Buddies"), ("/chats", "Chats"), ("/sharing", "Sharing"), ("/notices", "Notices"),
            ("/settings", "Settings"), ("/settings/privacy", "Privacy"), ("/settings/security", "Security"),
            ("/help", "Using help"), ("/nowhere", "Page not found"),
        ]

        @Test(
            "The question mark opens the help of each page; axe-core finds nothing, light and dark, on a phone and a desktop"
        )
        func panels() async throws {
            let (phone, desktop) = try await Page.pair()
            async let one: Void = Self.check(phone, "phone")
            async let other: Void = Self.check(desktop, "desktop")
            _ = try await (one, other)
            try await phone.browser.setScreen(nil)
        }

        private static func check(_ page: Page, _ name: String) async throws {
            let browser = page.browser
            let (connection, _) = try await page.signIn()
            try await page.open("/about")
            for (path, title) in pages {
                try await browser.script(
                    """
                    document.querySelector('main h1')?.setAttribute('data-before', '');
                    history.pushState(null, '', '\(path)');
                    dispatchEvent(new PopStateEvent('popstate'));
                    return true;
                    """)
                // The page before would close the panel when it goes.
                try await browser.wait(
                    "\(path) is drawn",
                    "location.pathname === '\(path)' && document.querySelector('main h1:not([data-before])')")
                try await browser.click("#help-button")
                try await browser.wait(
                    "the help of \(path)",
                    "document.querySelector('#help-panel[open] h2')?.textContent === 'Help: \(title)'")
                try await browser.expectAccessibleInThemes("help-panel\(path.replacing("/", with: "-"))-\(name)")
                try await browser.press(.escape)
                try await browser.wait("it is closed", "!document.querySelector('#help-panel')")
                #expect(try await browser.text("document.activeElement.id") == "help-button", "\(path)")
            }
            await connection.close()
        }

        @Test("By keyboard alone: a search finds, suggests what was meant, and a result leads to its page and back")
        func search() async throws {
            let page = try await Page.fresh()
            let browser = page.browser
            try await browser.setScreen(.desktop)
            let (connection, _) = try await page.signIn()
            try await page.open("/track")
            try await TutorialTests.tab(to: "help-button", in: browser)
            try await browser.press(Browser.enter)
            try await browser.wait("the panel", "document.querySelector('#help-panel[open]')")
            try await TutorialTests.tab(to: "help-all", in: browser)
            try await browser.press(Browser.enter)
            try await browser.wait(
                "all topics", "location.pathname === '/help' && document.querySelector('#help-search')")
            try await TutorialTests.tab(to: "help-search", in: browser)
            try await browser.write("BÁTTERY")
            try await browser.wait(
                "the result",
                "document.querySelector('#help-found summary')?.textContent === 'Recording uses a lot of battery'")
            try await browser.type("batery", into: "#help-search")
            try await browser.wait(
                "a suggestion", "document.querySelector('#help-count button')?.dataset.word === 'battery'")
            try await browser.press(.tab)
            try await browser.press(Browser.enter)
            try await browser.wait(
                "it is searched",
                "document.querySelector('#help-search').value === 'battery' && document.querySelector('#help-found details')"
            )
            #expect(try await browser.text("document.activeElement.id") == "help-search")
            try await browser.type("xyzzyq", into: "#help-search")
            try await browser.wait(
                "nothing is found, and said",
                "/No help for “xyzzyq”/.test(document.querySelector('#help-count').textContent) && document.querySelectorAll('#help-count button').length === 4"
            )
            try await browser.type("kmh", into: "#help-search")
            try await browser.wait("one result, open", "document.querySelector('#help-found details[open] a')")
            try await browser.script("document.querySelector('#help-found details[open] a').focus(); return true")
            try await browser.press(Browser.enter)
            try await browser.wait("its page", "location.pathname === '/settings'")
            try await browser.script("history.back(); return true")
            try await browser.wait(
                "the search is still there",
                "document.querySelector('#help-search')?.value === 'kmh' && document.querySelector('#help-found details')"
            )
            try await page.expectQuietConsole()
            await connection.close()
        }

        @Test("axe-core finds nothing on the page of all topics, with results, with none, and with an open topic")
        func page() async throws {
            let (phone, desktop) = try await Page.pair()
            for (page, name) in [(phone, "phone"), (desktop, "desktop")] {
                let browser = page.browser
                try await page.open("/help")
                try await browser.wait("the page", "document.querySelector('#help-search')")
                for (text, state) in [
                    ("", "all"), ("location", "found"), ("qqqq", "none"), ("firefox android", "open"),
                ] {
                    try await browser.type(text, into: "#help-search")
                    // An emptied field reports no input to the page.
                    try await browser.script(
                        "document.querySelector('#help-search').dispatchEvent(new Event('input')); return true")
                    try await browser.expectAccessibleInThemes("help-\(state)-\(name)")
                }
                try await page.expectQuietConsole()
            }
            try await phone.browser.setScreen(nil)
        }

        @Test("Without a network the page, its search and the panel still open")
        func offline() async throws {
            let page = try await Page.fresh()
            let browser = page.browser
            let (connection, _) = try await page.signIn()
            try await page.open("/map")
            try await browser.wait("the worker has the app", "navigator.serviceWorker.controller")
            try await browser.setOffline(true)
            try await browser.go(page.origin + "/help")
            try await browser.type("offline", into: "#help-search")
            try await browser.wait("the result", "document.querySelector('#help-found details')")
            try await browser.click("#help-button")
            try await browser.wait("the panel", "document.querySelector('#help-panel[open]')")
            try await browser.setOffline(false)
            await connection.close()
        }
    }
}
