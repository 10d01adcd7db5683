import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

/// Somebody without a mouse: each key is counted, and after each the focus has to be seen.
private final class Keyboard {
    let browser: Browser
    private(set) var count = 0

    init(_ browser: Browser) { self.browser = browser }

    /// Remembers what screen readers say, for ``expectSaid(_:)``.
    static let listening = """
        window.said = [];
        for (const region of document.querySelectorAll('#announcer, #toasts')) {
          new MutationObserver(() => { if (region.textContent) window.said.push(region.textContent); })
            .observe(region, { childList: true, characterData: true, subtree: true });
        }
        return true;
        """

    /// Why the focused element cannot be seen as such; empty when it can. Headings get the focus for readers, without a ring.
    private static let nowhere = "the focus is nowhere"
    private static let lost = """
        (() => {
          const element = document.activeElement;
          if (!element || element === document.body) return '\(nowhere)';
          const { left, top, right, bottom } = element.getBoundingClientRect();
          const name = `${element.tagName} #${element.id} “${element.textContent.trim().slice(0, 30)}”`;
          if (!element.checkVisibility({ visibilityProperty: true })) return `${name} is hidden`;
          if (bottom <= 0 || right <= 0 || top >= innerHeight || left >= innerWidth) return `${name} is out of view`;
          if (element.tabIndex < 0 || element.matches('[role=region], dialog')) return '';
          const rings = [element, element.closest('label'), element.closest('.search-box, .composer')].filter(Boolean);
          const hasRing = (one) => {
            const { outlineStyle, outlineWidth } = getComputedStyle(one);
            return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
          };
          return rings.some(hasRing) ? '' : `${name} shows no ring`;
        })()
        """

    func press(_ key: Browser.Key, _ source: SourceLocation = #_sourceLocation) async throws {
        try await browser.press(key)
        count += 1
        // A button that sends something has no focus until the reply; what Tab reaches may glide into view.
        let lost = try await browser.script(
            """
            let lost = '';
            for (let look = 0; look < \(Self.looksMax); look += 1) {
              lost = \(Self.lost);
              if (lost === '' || \(key == .tab) && lost === '\(Self.nowhere)') break;
              await new Promise((done) => setTimeout(done, 20));
            }
            return lost;
            """, as: String.self)
        // Behind the last control Tab leaves the page, and comes back at its beginning.
        if key == .tab, lost == Self.nowhere { return try await comeBack(source) }
        #expect(lost == "", "after \(key), key \(count)", sourceLocation: source)
    }

    private func comeBack(_ source: SourceLocation) async throws {
        try await browser.press(.tab)
        count += 1
        let isFirst = try await browser.script("return document.activeElement.matches('.skip')")
        #expect(isFirst, "the focus was lost before key \(count)", sourceLocation: source)
    }

    /// Presses Tab until the focus is there.
    func tab(to css: String, _ source: SourceLocation = #_sourceLocation) async throws {
        try await browser.wait("\(css) is there", "document.querySelector(\(Browser.quoted(css)))?.checkVisibility()")
        for _ in 1...Self.tabsMax {
            if try await browser.script("return document.activeElement.matches(\(Browser.quoted(css)))") { return }
            try await press(.tab, source)
        }
        Issue.record("Tab does not reach \(css)", sourceLocation: source)
    }

    private static let tabsMax = 50
    private static let looksMax = 50

    func write(_ text: String) async throws {
        try await browser.write(text)
        count += text.count
    }

    /// Waits until the focus is on an element, which screen readers call so.
    func expectFocus(
        on css: String, _ role: String, _ name: String, _ source: SourceLocation = #_sourceLocation
    ) async throws {
        try await browser.wait("the focus on \(css)", "document.activeElement.matches(\(Browser.quoted(css)))")
        let lost = try await browser.text(Self.lost)
        #expect(lost == "", "\(css)", sourceLocation: source)
        var (isRole, isName) = ("", "")
        // A heading gets its name when what it names is loaded.
        _ = try? await eventually("\(css) is called \(name)") {
            (isRole, isName) = try await browser.accessible("document.activeElement")
            return isName.hasPrefix(name) ? true : nil
        }
        #expect(isRole == role, "\(css)", sourceLocation: source)
        #expect(isName.hasPrefix(name), "\(css) is “\(isName)”", sourceLocation: source)
    }

    /// Waits until a live region has said it.
    func expectSaid(_ text: String) async throws {
        try await browser.wait(
            "“\(text)” is said", "window.said.some((said) => said.includes(\(Browser.quoted(text))))")
    }

    func report(_ task: String) { print("keyboard: \(task) \(count) keys") }
}

extension Browser {
    /// Role and name of an element in Chromium's accessibility tree.
    fileprivate func accessible(_ expression: String) async throws -> (role: String, name: String) {
        let found = try await cdp("Runtime.evaluate", ["expression": expression]) as? [String: Any]
        let object = (found?["result"] as? [String: Any])?["objectId"] as? String ?? ""
        let tree =
            try await cdp("Accessibility.getPartialAXTree", ["objectId": object, "fetchRelatives": false])
            as? [String: Any]
        let node = (tree?["nodes"] as? [[String: Any]])?.first ?? [:]
        let text = { (member: String) in (node[member] as? [String: Any])?["value"] as? String ?? "" }
        return (text("role"), text("name"))
    }
}

extension WebTracking {
    /// The five tasks that the app is for, without a mouse.
    @Suite("By keyboard alone")
    struct KeyboardTests {
        private static func begin(_ page: Page, at path: String) async throws -> Keyboard {
            try await page.browser.setScreen(.desktop)
            try await page.open(path)
            try await page.browser.wait("\(path) is drawn", "document.querySelector('main h1')")
            try await page.browser.script(Keyboard.listening)
            return Keyboard(page.browser)
        }

        @Test("A guest watches a runner: from the start page to the map, a row of the list, and back to it")
        func watch() async throws {
            let run = try await TestRun(on: try await Page.fresh().server)
            try await run.run(20)
            let page = try await Page.fresh()
            let keys = try await Self.begin(page, at: "/")
            try await keys.tab(to: "#tabs [data-nav=map]")
            try await keys.press(.enter)
            try await keys.expectFocus(on: "#panel h1", "heading", "Live map")
            let row = ".runner-row[data-session='\(await run.id)']"
            try await keys.tab(to: row)
            try await keys.expectFocus(on: row, "button", run.name)
            try await keys.press(.enter)
            try await keys.browser.wait("the card", "document.querySelector('#follow-card #follow-name')?.textContent")
            try await keys.expectSaid("Following \(run.name).")
            try await keys.expectFocus(on: row, "button", run.name)
            keys.report("watch a runner")
            try await keys.press(.escape)
            try await keys.expectSaid("Stopped following.")
            try await keys.expectFocus(on: row, "button", run.name)
            try await run.stop()
            await run.connection.close()
            try await page.browser.setScreen(nil)
        }

        @Test("A run is recorded: started, paused, resumed and stopped, and its page has the focus on its heading")
        func record() async throws {
            let (page, connection, _) = try await Page.tracking(on: nil, at: TrackTests.origin)
            let keys = try await Self.begin(page, at: "/")
            try await keys.tab(to: "main a#track")
            try await keys.press(.enter)
            try await keys.expectFocus(on: "#track-page h1", "heading", "Track")
            try await keys.tab(to: "#start")
            try await keys.press(.enter)
            try await keys.expectFocus(on: "#track-page h1", "heading", "Urban Adventure")
            try await keys.expectSaid("Recording")
            try await keys.tab(to: "#pause")
            try await keys.press(.enter)
            try await keys.expectSaid("Paused.")
            try await keys.expectFocus(on: "#resume", "button", "Resume")
            try await keys.press(.enter)
            try await keys.expectSaid("Resumed.")
            try await keys.expectFocus(on: "#pause", "button", "Pause")
            try await keys.tab(to: "#stop")
            try await keys.press(.enter)
            try await keys.browser.wait("the question", "document.querySelector('#stop-dialog:modal')")
            let (role, name) = try await keys.browser.accessible("document.querySelector('#stop-dialog')")
            #expect((role, name) == ("dialog", "Stop this session?"))
            try await keys.tab(to: "#stop-dialog [data-answer=yes]")
            try await keys.press(.enter)
            try await keys.browser.wait("its page", "location.pathname.startsWith('/history/')")
            try await keys.expectFocus(on: "main h1", "heading", "")
            keys.report("record a run")
            await connection.close()
            try await page.browser.setScreen(nil)
        }

        @Test(
            "A buddy is found: accepted, and greeted in the chat that follows"
        )
        func buddy() async throws {
            let server = try await WebRoot.start()
            let (phone, desktop) = try await Page.pair(on: server)
            let anna = try await Person.ready(
                Profile(firstName: "Anna", lastName: "Berger", birthday: "2003-04-30", gender: .female), at: desktop)
            let ben = try await Person.ready(
                Profile(firstName: "Ben", lastName: "Castro", birthday: "2001-11-02", gender: .male), at: phone)
            try await ben.connection.call(BuddiesDecide.self, .init(account: anna.account, accept: true))
            let keys = try await Self.begin(anna.page, at: "/")
            try await keys.tab(to: "main [data-to='/buddies']")
            try await keys.press(.enter)
            try await keys.expectFocus(on: "main h1", "heading", "Buddies")
            try await keys.tab(to: "#accept")
            try await keys.expectFocus(on: "#accept", "button", "Accept")
            try await keys.press(.enter)
            try await keys.browser.wait("the match", "document.querySelector('#match:modal')")
            try await keys.expectSaid("Accepted.")
            let (role, name) = try await keys.browser.accessible("document.querySelector('#match')")
            #expect(role == "dialog" && name.hasPrefix("You and Ben"))
            try await keys.expectFocus(on: "#say-hello", "button", "Say hello")
            try await keys.press(.enter)
            try await keys.browser.wait("the chat", "document.querySelector('#composer')")
            try await keys.tab(to: "#composer")
            try await keys.write("Hi!")
            try await keys.press(.enter)
            try await anna.sees("Hi!")
            try await keys.expectFocus(on: "#composer", "textbox", "Message")
            keys.report("find a buddy")
            try await keys.browser.script("history.back(); return true")
            try await keys.browser.wait("the deck", "document.querySelector('#deck-empty')")
            for person in [anna, ben] { try await person.leave() }
            await server.stop()
        }

        @Test("An event is joined: found in the list, opened, answered, and the answer is said")
        func event() async throws {
            let page = try await Page.fresh()
            let (host, _) = try await page.server.register()
            let event = try await host.call(
                EventsCreate.self,
                .init(
                    id: UUID().uuidString, audience: .public,
                    details: WebEvents.EventTests.details("Lake", inHours: 5), publish: true))
            let (connection, _) = try await page.signIn()
            let keys = try await Self.begin(page, at: "/")
            try await keys.tab(to: "main [data-to='/events']")
            try await keys.press(.enter)
            try await keys.expectFocus(on: "main h1", "heading", "Events")
            try await keys.tab(to: "main a[href='/events/\(event.id)']")
            try await keys.press(.enter)
            try await keys.expectFocus(on: "main h1", "heading", "Lake")
            let going = "#event-answer [data-answer=going]"
            try await keys.tab(to: going)
            try await keys.press(.enter)
            try await keys.browser.wait(
                "it is said",
                "document.querySelector('.answer-note[role=status]').textContent.includes(\"You're going\")")
            try await keys.expectFocus(on: going, "button", "Going")
            #expect(try await keys.browser.text("document.activeElement.ariaPressed") == "true")
            keys.report("join an event")
            _ = try await host.call(EventsCancel.self, .init(event: event.id))
            for connection in [host, connection] { await connection.close() }
            try await page.browser.setScreen(nil)
        }

        @Test(
            "A location is shared with a link: by arrow keys in the sheet, which hands the focus on and gives it back; and stopped"
        )
        func share() async throws {
            let page = try await Page.fresh()
            try await page.locate(TrackTests.origin.lat, TrackTests.origin.lon)
            let (connection, _) = try await page.signIn()
            let keys = try await Self.begin(page, at: "/")
            try await keys.tab(to: "main a#watch")
            try await keys.press(.enter)
            try await keys.expectFocus(on: "#panel h1", "heading", "Live map")
            try await keys.tab(to: "#share-open")
            try await keys.press(.enter)
            try await keys.expectFocus(on: "#share-sheet h2", "heading", "Share my location")
            let (role, name) = try await keys.browser.accessible("document.querySelector('#share-sheet')")
            #expect((role, name) == ("dialog", "Share my location"))
            try await keys.tab(to: "#share-sheet [name=audience]")
            try await keys.press(.up)
            try await keys.expectFocus(on: "#share-sheet [name=audience][value=link]", "radio", "")
            try await keys.tab(to: "#share-start")
            try await keys.press(.enter)
            try await keys.expectFocus(on: "#share-link", "textbox", "The link")
            try await keys.expectSaid("Link ready.")
            keys.report("share a location")
            try await keys.press(.escape)
            try await keys.expectFocus(on: "#share-open", "button", "")
            try await keys.tab(to: "#share-bar-stop")
            try await keys.press(.enter)
            try await keys.browser.wait("it has ended", "document.getElementById('share-bar').hidden")
            try await keys.expectFocus(on: "main h1", "heading", "Live map")
            await connection.close()
            try await page.browser.setScreen(nil)
        }

        @Test("The panel of the map keeps the focus in view while a key raises and lowers it")
        func sheet() async throws {
            let run = try await TestRun(on: try await Page.fresh().server)
            try await run.run(20)
            let page = try await Page.fresh()
            let keys = try await Self.begin(page, at: "/map")
            try await page.browser.setPhone(true)
            // Whether the focus is in view is looked at in the same moment.
            try await page.browser.setMotion(isReduced: true)
            try await keys.tab(to: "#sheet-handle")
            for (name, height) in [("Lower", "full"), ("Raise", "peek"), ("Raise", "half")] {
                try await keys.press(.enter)
                try await keys.expectFocus(on: "#sheet-handle[aria-expanded]", "button", "\(name) the panel")
                #expect(try await page.browser.text("document.getElementById('panel').dataset.sheet") == height)
            }
            let row = ".runner-row[data-session='\(await run.id)']"
            try await keys.tab(to: row)
            // As a pin does that waits for its place on the map.
            try await page.browser.script(
                """
                const handle = document.getElementById('sheet-handle');
                while (document.getElementById('panel').dataset.sheet !== 'peek') handle.click();
                return true;
                """)
            try await keys.expectFocus(on: "#sheet-handle", "button", "Raise the panel")
            try await keys.tab(to: row)
            #expect(try await page.browser.text("document.getElementById('panel').dataset.sheet") == "half")
            try await page.browser.setMotion(isReduced: false)
            try await run.stop()
            await run.connection.close()
            try await page.browser.setPhone(false)
        }

        @Test("With reduced motion nothing moves longer than a frame: no animation, no transition, no gliding map")
        func reducedMotion() async throws {
            let run = try await TestRun(on: try await Page.fresh().server)
            try await run.run(20)
            let page = try await Page.fresh()
            let browser = page.browser
            try await browser.setScreen(.desktop)
            try await browser.setMotion(isReduced: true)
            let (connection, _) = try await page.signIn()
            try await page.open("/map")
            // Whatever runs is looked at in each frame.
            try await browser.script(
                """
                window.moving = [];
                const look = () => {
                  for (const animation of document.getAnimations()) {
                    const { duration, iterations } = animation.effect.getComputedTiming();
                    if (duration * iterations <= 17) continue;
                    const name = animation.animationName ?? animation.transitionProperty;
                    window.moving.push(`${name}: ${duration} ms of ${animation.effect.target.className}`);
                  }
                  requestAnimationFrame(look);
                };
                look();
                return true;
                """)
            try await browser.click(".runner-row[data-session='\(await run.id)']")
            try await browser.wait("the card", "document.querySelector('#follow-card')")
            try await browser.click("#fit")
            try await browser.click("#share-open")
            try await browser.wait("the sheet", "document.querySelector('#share-sheet:modal')")
            try await browser.press(.escape)
            // What glides otherwise: the panel of a phone, and a switch.
            try await browser.setPhone(true)
            try await browser.click("#sheet-handle")
            try await browser.wait("it is raised", "document.getElementById('panel').dataset.sheet === 'full'")
            for path in ["/buddies", "/track", "/settings/location"] {
                try await browser.script(
                    "history.pushState(null, '', '\(path)'); dispatchEvent(new PopStateEvent('popstate')); return true")
                try await browser.wait(path, "location.pathname === '\(path)' && document.querySelector('main h1')")
            }
            try await browser.click("label[for=setting-location]")
            try await browser.wait("it is off", "!document.getElementById('setting-location').checked")
            let moving = try await browser.script("return [...new Set(window.moving)]", as: [String].self)
            #expect(moving == [])
            #expect(
                try await browser.script("return !document.querySelector('.leaflet-zoom-anim, .leaflet-fade-anim')"))
            try await browser.setMotion(isReduced: false)
            try await run.stop()
            for connection in [connection, run.connection] { await connection.close() }
            try await browser.setScreen(nil)
        }
    }
}
