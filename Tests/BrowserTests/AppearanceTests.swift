import TestSupport
import Testing
import Wire

extension Web {
    @Suite("Phone, dark, accessible")
    struct AppearanceTests {
        private static let guestPaths = [
            "/", "/map", "/login", "/register", "/track", "/s/1.wrong", "/welcome/wrong", "/reset",
            "/reset/wrong", "/settings", "/settings/appearance", "/help",
        ]
        private static let memberPaths = [
            "/", "/map", "/track", "/history", "/account", "/buddies", "/buddies/profile", "/chats", "/chats/1",
            "/chats/settings", "/reports", "/settings", "/settings/profile", "/settings/account", "/settings/security",
            "/settings/location", "/settings/appearance", "/settings/data", "/help", "/licences",
        ]

        /// Opens every page, as a guest and signed in, and runs the check.
        private func onEveryPage(_ page: Page, _ check: (String) async throws -> Void) async throws {
            for path in Self.guestPaths {
                try await page.open(path)
                try await page.browser.wait("\(path) is drawn", "document.querySelector('main h1')")
                try await check("guest \(path)")
            }
            let (connection, _) = try await page.signIn()
            for path in Self.memberPaths {
                try await page.open(path)
                try await page.browser.wait("\(path) is drawn", "document.querySelector('main h1')")
                try await check("member \(path)")
            }
            await connection.close()
        }

        @Test("On a phone no page scrolls sideways")
        func phone() async throws {
            let page = try await Page.fresh()
            let browser = page.browser
            try await browser.setPhone(true)
            let run = try await TestRun(on: page.server)
            try await run.run(30)
            try await onEveryPage(page) { name in
                let widths = try await browser.script(
                    "return [document.scrollingElement.scrollWidth, innerWidth]", as: [Int].self)
                #expect(widths[0] <= widths[1], "\(name)")
                try await browser.screenshot("phone-" + name.replacing(" /", with: "-").replacing("/", with: "-"))
            }
            try await run.stop()
            try await browser.setPhone(false)
        }

        @Test("Every control has a name that a screen reader can say, every page one h1 and a title")
        func names() async throws {
            let page = try await Page.fresh()
            let browser = page.browser
            try await onEveryPage(page) { name in
                let nameless = try await browser.script(
                    """
                    const named = (e) => (e.getAttribute('aria-label') ?? '').trim() || e.labels?.length || (e.textContent ?? '').trim()
                      || (e.getAttribute('aria-labelledby') && document.getElementById(e.getAttribute('aria-labelledby'))?.textContent.trim());
                    return [...document.querySelectorAll('input, select, textarea, button, a[href]')].filter((e) => e.type !== 'hidden' && !named(e)).map((e) => e.outerHTML.slice(0, 120))
                    """, as: [String].self)
                #expect(nameless.isEmpty, "\(name)")
                #expect(
                    try await browser.script("return document.querySelectorAll('h1').length", as: Int.self) == 1,
                    "\(name)")
                #expect(try await browser.text("document.documentElement.lang") == "en")
            }
        }

        @Test("In the dark the page is dark and its text is light; the switch turns it and is remembered")
        func dark() async throws {
            let page = try await Page.fresh()
            let browser = page.browser
            let lightness = """
                (() => { const parse = (c) => c.match(/[\\d.]+/g).slice(0, 3).map(Number); const style = getComputedStyle(document.body);
                const sum = (c) => parse(c).reduce((a, b) => a + b, 0) / 3; const opaque = [document.body, document.documentElement].map((e) => getComputedStyle(e).backgroundColor).find((c) => !/, 0\\)$/.test(c));
                return [sum(opaque), sum(style.color)]; })()
                """
            try await browser.setDark(true)
            try await page.open("/")
            let dark = try await browser.script("return \(lightness).map(Math.round)", as: [Int].self)
            #expect(dark[0] < 60 && dark[1] > 180)
            try await browser.screenshot("dark-start")
            try await page.open("/map")
            try await browser.screenshot("dark-map")
            try await browser.setDark(false)
            try await page.open("/")
            let light = try await browser.script("return \(lightness).map(Math.round)", as: [Int].self)
            #expect(light[0] > 200 && light[1] < 90)
            try await browser.click("#theme-switch")
            try await browser.wait("switched", "\(lightness)[0] < 60")
            try await browser.reload()
            try await browser.wait("remembered", "\(lightness)[0] < 60")
        }
    }
}
