import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

extension Web {
    @Suite("The tutorial of the first visit (U-9)")
    struct TutorialTests {
        private static let steps = 8

        /// A server whose new accounts get the tutorial, a phone and a desktop.
        private static func begin() async throws -> (server: TestServer, phone: Page, desktop: Page) {
            let server = try await WebRoot.start(hasTutorial: true)
            let (phone, desktop) = try await Page.pair(on: server)
            return (server, phone, desktop)
        }

        /// Waits until a step is shown with its page and, after the first, its control in the highlight.
        private static func sees(step: Int, in browser: Browser) async throws {
            try await browser.wait(
                "step \(step)",
                """
                document.querySelector('#tutorial[open] .tutorial-progress')?.textContent === 'Step \(step) of \(steps)'
                  && (\(step) === 1 || document.querySelector('.tutorial.has-target .tutorial-highlight:not([hidden])'))
                  && document.querySelector('#tutorial').contains(document.activeElement)
                """)
        }

        private static func isClosed(in browser: Browser) async throws {
            try await browser.wait("the tutorial is closed", "!document.querySelector('#tutorial')")
        }

        /// The stored setting, once the server has it.
        private static func isSeen(by connection: CampanileConnection) async throws {
            _ = try await eventually("the server knows it") {
                try await connection.call(AccountSettingsGet.self).tutorial == .seen ? true : nil
            }
        }

        /// The page moves until its content is loaded, and the highlight follows.
        private static func settles(in browser: Browser) async throws {
            try await browser.script(
                """
                const box = () => JSON.stringify([...document.querySelectorAll('.tutorial-highlight, .tutorial-card')].map((e) => e.getBoundingClientRect()));
                let last = '', same = 0;
                for (let look = 0; look < 100 && same < 6; look += 1) {
                  await new Promise((done) => setTimeout(done, 60));
                  const now = box();
                  same = now === last && !/((Loading|Waiting for connection)…|has no copy)/.test(document.querySelector('main').innerText) ? same + 1 : 0;
                  last = now;
                }
                return true;
                """)
        }

        @Test(
            "A registration on a phone leads into it: eight taps, each pointing at a control that the card leaves free")
        func firstVisit() async throws {
            let (server, phone, desktop) = try await Self.begin()
            let browser = phone.browser
            let name = TestServer.newName("new")
            try await phone.open("/register")
            let values = [
                "username": name, "email": "\(name)@example.org", "password": TestServer.password,
                "again": TestServer.password,
            ]
            for (field, value) in values { try await browser.type(value, into: "input[name=\(field)]") }
            try await browser.tap("#register-form-submit")
            let clock = ContinuousClock()
            let start = clock.now
            for step in 1...Self.steps {
                try await Self.sees(step: step, in: browser)
                #expect(
                    try await browser.script(
                        "return document.querySelector('.tutorial-card [aria-live]').innerText.replace(/^Step.*/, '').split(/\\s+/).filter(Boolean).length",
                        as: Int.self) <= 20, "step \(step)")
                try await Self.settles(in: browser)
                try await Self.leavesFree(in: browser, "step \(step)")
                try await browser.tap("#tutorial-next")
            }
            let seconds = (clock.now - start) / .seconds(1)
            print("tutorial: \(Self.steps) taps, \(seconds) s without reading")
            try await Self.isClosed(in: browser)
            try await browser.wait(
                "back where it began", "location.pathname === '/' && document.querySelector('.home')")
            // Another device of the account, and a reload.
            let token = try await browser.text("localStorage.getItem('campanile.token')")
            let connection = try await server.connect(token: token)
            try await Self.isSeen(by: connection)
            try await browser.reload()
            try await phone.live()
            try await desktop.browser.go(desktop.origin + "/healthz")
            try await desktop.browser.script("localStorage.setItem('campanile.token', '\(token)'); return true")
            try await desktop.open("/map")
            try await desktop.browser.wait("signed in", "campanile.connection.account === '\(name)'")
            for page in [phone, desktop] {
                try await Task.sleep(for: .seconds(1))
                #expect(try await page.browser.script("return !document.querySelector('#tutorial')"))
                try await page.expectQuietConsole()
            }
            await connection.close()
            await server.stop()
        }

        /// Waits until the card covers none of the highlight and lies in the window: it follows what is loaded behind it.
        private static func leavesFree(in browser: Browser, _ step: String) async throws {
            try await browser.wait(
                "the card leaves the control of \(step) free",
                """
                (() => {
                  const card = document.querySelector('.tutorial-card').getBoundingClientRect();
                  const mark = document.querySelector('.tutorial-highlight').getBoundingClientRect();
                  const side = (from, to) => Math.max(0, to - from);
                  const covered = side(Math.max(card.left, mark.left), Math.min(card.right, mark.right))
                    * side(Math.max(card.top, mark.top), Math.min(card.bottom, mark.bottom));
                  const seen = side(Math.max(card.left, 0), Math.min(card.right, innerWidth))
                    * side(Math.max(card.top, 0), Math.min(card.bottom, innerHeight));
                  return Math.round(covered + card.width * card.height - seen) === 0;
                })()
                """)
        }

        @Test("By keyboard alone: Enter goes on and back, Tab stays in it, Escape skips it; Help opens it again")
        func keyboard() async throws {
            let (server, phone, desktop) = try await Self.begin()
            let browser = desktop.browser
            let (connection, _) = try await desktop.signIn()
            try await desktop.open("/events")
            try await Self.sees(step: 1, in: browser)
            #expect(
                try await browser.script(
                    """
                    const dialog = document.querySelector('#tutorial');
                    return dialog.matches(':modal') && Boolean(document.getElementById(dialog.getAttribute('aria-labelledby')))
                      && Boolean(document.getElementById(dialog.getAttribute('aria-describedby'))) && document.activeElement.id === 'tutorial-next';
                    """))
            for step in 2...4 {
                try await browser.press(Browser.enter)
                try await Self.sees(step: step, in: browser)
            }
            for expected in ["tutorial-skip", "tutorial-back"] {
                try await Self.tab(to: expected, in: browser)
            }
            try await browser.press(Browser.enter)
            try await Self.sees(step: 3, in: browser)
            try await browser.press(.escape)
            try await Self.isClosed(in: browser)
            try await browser.wait("back where it began", "location.pathname === '/events'")
            try await Self.isSeen(by: connection)
            // Again from the help, to its end.
            try await Self.tab(to: "help-button", in: browser)
            try await browser.press(Browser.enter)
            try await browser.wait("the panel", "document.querySelector('#help-panel[open]')")
            try await Self.tab(to: "help-tutorial", in: browser)
            try await browser.press(Browser.enter)
            for step in 1...Self.steps {
                try await Self.sees(step: step, in: browser)
                try await browser.press(Browser.enter)
            }
            try await Self.isClosed(in: browser)
            try await browser.wait("back where it began", "location.pathname === '/events'")
            try await desktop.expectQuietConsole()
            await connection.close()
            try await phone.browser.setScreen(nil)
            await server.stop()
        }

        /// Presses Tab until the element has the focus.
        static func tab(to id: String, in browser: Browser) async throws {
            for _ in 1...60 {
                try await browser.press(.tab)
                if try await browser.text("document.activeElement?.id ?? ''") == id { return }
            }
            Issue.record("Tab does not reach \(id)")
        }

        @Test(
            "It waits while somebody registers by a link; the browser's way back, and an end on another device, close it"
        )
        func others() async throws {
            let (server, phone, desktop) = try await Self.begin()
            let browser = desktop.browser
            let (connection, account) = try await desktop.signIn()
            try await phone.remember(account)
            try await desktop.open("/confirm")
            try await browser.wait("the page", "document.querySelector('main h1')")
            try await Task.sleep(for: .seconds(1))
            #expect(try await browser.script("return !document.querySelector('#tutorial')"))
            try await desktop.open("/map")
            try await phone.open("/map")
            for page in [phone, desktop] { try await Self.sees(step: 1, in: page.browser) }
            try await browser.press(.escape)
            try await Self.isSeen(by: connection)
            try await Self.isClosed(in: phone.browser)
            // One that was asked for stays, until its page is left.
            try await browser.click(".bar .brand")
            try await Self.settles(in: browser)
            try await browser.click(".directory a[href='/help']")
            try await browser.click("#start-tutorial")
            try await Self.sees(step: 1, in: browser)
            try await browser.press(Browser.enter)
            try await Self.sees(step: 2, in: browser)
            try await browser.script("history.back(); return true")
            try await Self.isClosed(in: browser)
            try await browser.wait("the page before", "location.pathname === '/'")
            await connection.close()
            try await phone.browser.setScreen(nil)
            await server.stop()
        }

        @Test("axe-core finds nothing at any step, light and dark, on a phone and a desktop")
        func axe() async throws {
            let (server, phone, desktop) = try await Self.begin()
            async let one: Void = Self.check(phone, "phone")
            async let other: Void = Self.check(desktop, "desktop")
            _ = try await (one, other)
            try await phone.browser.setScreen(nil)
            await server.stop()
        }

        private static func check(_ page: Page, _ name: String) async throws {
            let browser = page.browser
            let (connection, _) = try await page.signIn()
            try await page.open("/")
            for step in 1...steps {
                try await sees(step: step, in: browser)
                try await settles(in: browser)
                try await browser.expectAccessibleInThemes("tutorial-\(step)-\(name)")
                try await leavesFree(in: browser, "\(name) step \(step)")
                try await browser.click("#tutorial-next")
            }
            try await isClosed(in: browser)
            await connection.close()
        }
    }
}
