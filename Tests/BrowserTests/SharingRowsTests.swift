import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

extension WebSharing {
    @Suite("What is said of shares while they change, and the buttons that stop them")
    struct SharingRowsTests {
        private static let focus = "document.activeElement"

        /// Has the focus on an element, and marks it. What is known of people comes behind the page, and draws their rows anew: only what
        /// stays for a while is marked.
        private func focus(_ css: String, in browser: Browser) async throws {
            try await browser.wait("\(css) is there", "document.querySelector('\(css)')?.checkVisibility()")
            _ = try await eventually("\(css) stays") { () -> Bool? in
                try await browser.script(
                    "const element = document.querySelector('\(css)'); element?.focus(); if (element) element.isKept = true; return true"
                )
                try await Task.sleep(for: .milliseconds(1_500))
                return try await browser.script("return \(Self.focus).isKept === true") ? true : nil
            }
        }

        private func expectKept(_ what: Comment, in browser: Browser) async throws {
            #expect(try await browser.script("return \(Self.focus).isKept === true"), what)
        }

        @Test(
            "While who watches changes, the buttons that stop a share stay the same, with the focus on them; when the last is pressed, the focus is on the page's heading"
        )
        func buttons() async throws {
            let server = try await WebRoot.start()
            let (anna, ben, _) = try await SharingTests.buddies(on: server)
            let browser = anna.browser
            try await anna.page.open("/map")
            try await browser.wait("the map's people", "document.getElementById('share-open')")
            for (audience, count) in [("person", 1), ("campus", 2)] {
                try await SharingTests.share(anna, audience)
                try await browser.wait("\(count)", "campanile.sharing.working === \(count)")
            }
            try await anna.page.open("/sharing")
            let row = "#my-shares li:last-child"
            try await focus("\(row) [data-action=stop]", in: browser)
            try await ben.page.open("/map")
            try await browser.wait(
                "Ben watches", "document.querySelector('\(row)').textContent.includes('1 watching')")
            try await expectKept("on the page", in: browser)
            try await browser.shots("sharing-50-page-phone")

            try await browser.tap("#share-bar-stop")
            let listed = "#stop-list li:last-child"
            try await focus("\(listed) button", in: browser)
            try await hide(ben)
            try await ben.page.open("/events")
            try await browser.wait(
                "nobody watches",
                "document.querySelector('\(listed)').textContent.includes('nobody is watching')")
            try await expectKept("in the dialog", in: browser)
            try await browser.shots("sharing-51-stop-phone")
            try await browser.press(Browser.enter)
            try await browser.wait("one is left", "document.querySelectorAll('#stop-list li').length === 1")
            #expect(try await browser.script("return \(Self.focus).matches('#stop-shares h2')"))
            try await browser.press(.escape)
            try await browser.wait("it is closed", "!document.querySelector('#stop-shares')")
            try await focus("\(row) [data-action=stop]", in: browser)
            try await browser.press(Browser.enter)
            try await browser.wait("none is left", "!document.querySelector('\(row)') && \(SharingTests.bar).hidden")
            #expect(try await browser.script("return \(Self.focus).matches('#view h1')"))
            for person in [anna, ben] {
                try await person.page.expectQuietConsole(except: ["favicon.ico", "location provider"])
                try await person.leave()
            }
            await server.stop()
        }

        /// The row of who shares stays while its age goes on, and who hides somebody can go on to where they are shown again.
        private func hide(_ ben: Person) async throws {
            let browser = ben.browser
            let state = "document.querySelector('#people-list .runner-state').textContent"
            try await focus("#people-list .icon-button", in: browser)
            try await browser.script("window.before = \(state); return true")
            try await browser.wait("the age goes on", "\(state) !== window.before")
            try await expectKept("in the list of people", in: browser)
            try await browser.press(Browser.enter)
            try await browser.wait("she is hidden", "!document.querySelector('#people-list li')")
            #expect(try await browser.script("return \(Self.focus).matches('.people-head a')"))
        }

        @Test(
            "Of a share with everybody it is said that everybody can see it, and an open receipt names who looked by itself, but not that they look now"
        )
        func campus() async throws {
            let server = try await WebRoot.start()
            let (anna, ben, _) = try await SharingTests.buddies(on: server)
            let browser = anna.browser
            try await anna.page.open("/map")
            try await browser.wait("the map's people", "document.getElementById('share-open')")
            try await SharingTests.share(anna, "campus")
            try await browser.wait(
                "the bar", "\(SharingTests.bar).textContent.includes('for everyone logged in')")
            try await browser.shots("sharing-52-campus-map-phone")
            try await anna.page.open("/sharing")
            try await browser.wait(
                "the row",
                "document.querySelector('#my-shares li').textContent.includes('Everyone logged in can see you')")
            try await SharingTests.choose("#my-shares [data-action=who]", in: browser)
            try await browser.wait(
                "nobody yet",
                "document.getElementById('receipt-count')?.textContent === 'Nobody has watched. Everyone logged in can see you.'"
            )
            try await ben.page.open("/map")
            try await SharingTests.choose("#people-campus", in: ben.browser)
            try await ben.browser.wait("Ben sees her", "\(SharingTests.people).length === 1")
            try await browser.wait(
                "the receipt has him",
                """
                document.querySelectorAll('#receipt-watches li').length === 1 && document.getElementById('receipt-count').textContent.startsWith('1 person watched.')
                """)
            #expect(
                try await browser.script(
                    """
                    const line = document.querySelector('#receipt-watches li');
                    return line.textContent.includes('First ') && !line.querySelector('.tag') && !document.body.innerText.includes('obody is watching');
                    """))
            try await browser.shots("sharing-53-campus-receipt-phone")
            try await ben.browser.shots("sharing-54-campus-map-desktop")
            for person in [anna, ben] {
                try await person.page.expectQuietConsole(except: ["favicon.ico", "location provider"])
                try await person.leave()
            }
            await server.stop()
        }

        @Test("A receipt says how often somebody looked, first and last, and how many guests there were by the link")
        func lines() async throws {
            let server = try await WebRoot.start()
            let (anna, ben, _) = try await SharingTests.buddies(on: server)
            let share = try await anna.connection.call(
                SharingStart.self,
                .init(clientId: UUID().uuidString, audience: .link, precision: .exact, expiresIn: 3_600)
            ).share.id
            let database = try await server.database()
            _ = try await database.query(
                """
                INSERT INTO share_watches (share_id, account_id, opening, precision, from_at, to_at)
                SELECT $1, account, nextval('share_openings'), precision, now() - first * interval '1 minute',
                    now() - last * interval '1 minute'
                FROM (VALUES ($2::bigint, 'exact', 50, 45), ($2, 'exact', 30, 29), ($2, 'exact', 10, 4),
                    ($2, 'zone', 60, 50), (NULL, 'exact', 40, 39), (NULL, 'exact', 35, 30), (NULL, 'exact', 3, NULL))
                    l (account, precision, first, last)
                """, [.int(share), .int(ben.account)])
            database.close()
            let browser = anna.browser
            try await anna.page.open("/sharing")
            try await SharingTests.choose("#my-shares [data-action=who]", in: browser)
            try await browser.wait("all lines", "document.querySelectorAll('#receipt-watches li').length === 3")
            let lines = try await browser.script(
                "return [...document.querySelectorAll('#receipt-watches li')].map((line) => line.textContent)",
                as: [String].self)
            #expect(
                lines[0].contains(/Guests with the link3 times, first .*\d\d:\d\d, last since .*\d\d:\d\d · .*now$/))
            #expect(
                lines[1].contains(
                    /3 times, first .*\d\d:\d\d, last .*\d\d:\d\d to \d\d:\d\d · saw your exact location$/))
            #expect(lines[2].contains(/\d\d:\d\d to \d\d:\d\d · saw your zone$/))
            let count = try await browser.text("document.getElementById('receipt-count').textContent")
            #expect(count == "4 people watched. Nobody is watching.")
            try await anna.expectNames("the receipt")
            try await browser.shots("sharing-55-receipt-phone")
            for person in [anna, ben] { try await person.leave() }
            await server.stop()
        }

        @Test(
            "What the note on the map says is announced once, not with each second of its age; its buttons leave the focus on those that began it"
        )
        func note() async throws {
            let (phone, _) = try await Page.pair()
            let browser = phone.browser
            try await phone.locate(SharingTests.place.lat, SharingTests.place.lon)
            let (connection, _) = try await phone.signIn()
            try await phone.open("/map")
            try await browser.wait("the map", "document.querySelector('#map.leaflet-container canvas')")
            try await browser.script(
                """
                window.heard = []; const announcer = document.getElementById('announcer');
                new MutationObserver(() => { if (announcer.textContent) window.heard.push(announcer.textContent); }).observe(announcer, { childList: true, subtree: true, characterData: true });
                return true
                """)
            let note = "document.getElementById('map-note')"
            try await browser.tap("#locate")
            try await browser.wait("her age", "/You \\(±5 m.* ([3-9]|\\d\\d) s ago/.test(\(note).textContent)")
            #expect(
                try await browser.script(
                    "return !\(note).closest('[role=status], [aria-live]') && window.heard.filter((text) => text.startsWith('You (±5 m')).length === 1"
                ))
            try await browser.shots("sharing-56-note-phone")
            try await focus("#locate-off", in: browser)
            try await browser.press(Browser.enter)
            try await browser.wait("no note", "\(note).hidden")
            #expect(try await browser.text("\(Self.focus).id") == "locate")
            try await browser.tap("#map-more")
            try await browser.tap("#pin")
            try await focus("#pin-cancel", in: browser)
            try await browser.press(Browser.enter)
            try await browser.wait("no note again", "\(note).hidden")
            #expect(try await browser.text("\(Self.focus).id") == "map-more")
            await connection.close()
            try await browser.setScreen(nil)
        }

        @Test("Ages and bytes are no live region: what begins, breaks and ends is announced, and nothing in between")
        func announced() async throws {
            let result = try await Web.logic(
                #"""
                const region = document.createElement("p"), heard = [];
                region.id = "announcer";
                document.body.append(region);
                new MutationObserver(() => { if (region.textContent) heard.push(region.textContent); }).observe(region, { childList: true });
                const settled = () => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))); });
                const { makeShareStatus } = await import("/app/sharing/status.js");
                const reporter = Object.assign(new EventTarget(), { duty: "tell", trouble: null, mine: null, toldAt: Date.now(), fix: { accuracy: 12 }, missedSeconds: null, isSparing: false, isPinned: false });
                const status = makeShareStatus({ reporter, net: { state: "live", clock: Date }, sharing: { working: [{}], isLoaded: true, isStopping: () => false } });
                document.body.append(status.element);
                const texts = new Set();
                for (const seconds of [0, 5, 10]) {
                  reporter.toldAt = Date.now() - seconds * 1000;
                  status.draw();
                  texts.add(status.element.textContent);
                  await settled();
                }
                check("it tells an age, to nobody who listens", [texts.size, status.element.closest("[role], [aria-live]"), heard], [3, null, []]);
                for (const trouble of [{ code: "denied" }, { code: "denied" }, null]) {
                  reporter.trouble = trouble;
                  status.draw();
                  await settled();
                }
                check("trouble and its end", heard.map((text) => text.slice(0, 19)), ["Location is blocked", "This device is send"]);
                const { makeExportCard } = await import("/app/privacy/exportcard.js");
                window.fetch = async () => { let left = 30; return new Response(new ReadableStream({ pull(stream) { left -= 1; if (left < 0) stream.close(); else stream.enqueue(new Uint8Array(5000)); } })); };
                HTMLAnchorElement.prototype.click = () => {};
                const { element } = makeExportCard({ net: { token: "abc" } });
                document.body.append(element);
                heard.length = 0;
                element.querySelector("#export-json").click();
                await until("saved", () => heard.some((text) => text.startsWith("Saved")));
                check("a file", [heard.length <= 3, element.querySelector("#export-status").closest("[role], [aria-live]")], [true, null]);
                """#)
            #expect(result == "ok")
        }
    }
}
