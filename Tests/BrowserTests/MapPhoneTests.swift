import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

extension WebMap {
    @Suite("The map on a phone")
    struct MapPhoneTests {
        /// The boxes of elements that can be seen, as `[left, top, right, bottom, name]`, in an expression.
        private static let controls = """
            [...document.querySelectorAll('.map-tools > .map-button, .leaflet-control-zoom a, .map-legend, .sheet')]
              .filter((e) => e.checkVisibility()).map((e) => {
                const { left, top, right, bottom } = e.getBoundingClientRect();
                return { left, top, right, bottom, name: e.id || e.className };
              })
            """

        /// A phone with the map of a server that has so many runners.
        private func begin(runners: Int) async throws -> (
            server: TestServer, browser: Browser, page: Page, runs: [TestRun]
        ) {
            let server = try await WebRoot.start()
            let page = try await Page.fresh(on: server)
            var runs: [TestRun] = []
            for index in 0..<runners {
                let run = try await TestRun(on: server, course: index, offset: Double(index) * 60)
                try await run.run(20)
                runs.append(run)
            }
            try await page.browser.setPhone(true)
            try await page.open("/map")
            try await page.browser.wait("the runners", "campanile.runners().length === \(runners)")
            return (server, page.browser, page, runs)
        }

        private func finish(_ server: TestServer, _ page: Page) async throws {
            try await page.expectQuietConsole()
            try await page.browser.setScreen(nil)
            await server.stop()
        }

        @Test(
            "At most four buttons and a closed legend stand on the map; no label lies below them, and none hides a zone's name"
        )
        func room() async throws {
            let (server, browser, page, _) = try await begin(runners: 8)
            try await browser.wait("labels", "campanile.labels().length > 2")
            let buttons =
                "[...document.querySelectorAll('#view .map-button, .leaflet-control-zoom a')].filter((e) => e.checkVisibility()).length"
            #expect(try await browser.script("return \(buttons)", as: Int.self) <= 4)
            #expect(
                try await browser.script(
                    "const { width, height } = document.getElementById('legend').getBoundingClientRect(); return width < 130 && height < 50"
                ))
            let covered = try await browser.script(
                """
                const meets = (a, b) => a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;
                const controls = \(Self.controls);
                return campanile.labels().flatMap((label) => controls.filter((control) => meets(label, control))
                  .map(({ name }) => `${label.text} below ${name}`));
                """, as: [String].self)
            #expect(covered.isEmpty)
            #expect(try await browser.script("return campanile.names().length >= 3"))
            try await browser.shots("map-phone")
            try await browser.click("#map-more")
            try await browser.wait("the rest", "document.getElementById('heat-switch').checkVisibility()")
            #expect(try await browser.text("document.activeElement.id") == "fit")
            try await browser.shots("map-phone-more")
            try await browser.press(.escape)
            try await browser.wait(
                "closed",
                "!document.getElementById('fit').checkVisibility() && document.activeElement.id === 'map-more'")
            try await finish(server, page)
        }

        @Test(
            "Moving the map pauses following, Re-centre and the row go on with it; a visit to another page changes nothing of it"
        )
        func following() async throws {
            let (server, browser, page, runs) = try await begin(runners: 2)
            let run = runs[0]
            let row = ".runner-row[data-session=\"\(await run.id)\"]"
            try await browser.click(row)
            let followed = "document.getElementById('follow-name')?.textContent === '\(run.name)'"
            try await browser.wait("followed", followed)
            let paused = "!document.getElementById('recentre').hidden"
            #expect(try await browser.script("return !(\(paused))"))
            try await drag(browser)
            try await browser.wait("paused, and still followed", "\(paused) && \(followed)")
            let zoom = "campanile.view.topics[0].split('/')[1]"
            let before = try await browser.text(zoom)
            try await browser.shots("map-phone-paused")
            try await browser.click("#tabs a[href=\"/events\"]")
            try await browser.wait("away", "!document.getElementById('map')")
            try await browser.click("#tabs a[href=\"/map\"]")
            try await browser.wait("as it was", "\(followed) && \(paused) && \(zoom) === '\(before)'")
            try await browser.click("#recentre")
            try await browser.wait("it goes on", "!(\(paused)) && \(inSight(run.name))")
            try await drag(browser)
            try await browser.wait("paused again", paused)
            try await browser.script("document.querySelector('\(row)').click(); return true")
            try await browser.wait("the row goes on with it", "!(\(paused)) && \(followed)")
            #expect(try await browser.text("document.querySelector('\(row)').ariaCurrent") == "true")
            try await browser.reload()
            try await browser.wait("also after the page was loaded anew", followed)
            try await browser.click("#stop-following")
            try await browser.wait("no more", "!document.getElementById('follow-card')")
            try await browser.reload()
            // Neither runner need be in view where the map was left.
            try await browser.wait("the map", "campanile.view && campanile.view.topics.length > 0")
            #expect(try await browser.script("return !document.getElementById('follow-card')"))
            try await finish(server, page)
        }

        private func inSight(_ name: String) -> String {
            "campanile.runners().some((r) => r.name === '\(name)' && r.x > 60 && r.x < 330 && r.y > 80 && r.y < 420)"
        }

        /// Drags the map by a finger's way to the side, and holds it before letting go: a flung map would glide on, as far as the
        /// browser is fast.
        private func drag(_ browser: Browser) async throws {
            for (type, x) in [("mousePressed", 80), ("mouseMoved", 120), ("mouseMoved", 190), ("mouseReleased", 190)] {
                if type == "mouseReleased" { try await Task.sleep(for: .milliseconds(200)) }
                try await browser.cdp(
                    "Input.dispatchMouseEvent",
                    [
                        "type": type, "x": x, "y": 340, "button": "left", "buttons": type == "mouseReleased" ? 0 : 1,
                        "clickCount": 1,
                    ])
            }
        }

        @Test(
            "Locating from off the campus says how far it is, and leads there and back; on the campus it goes to the place"
        )
        func offCampus() async throws {
            let (server, browser, page, _) = try await begin(runners: 1)
            try await page.locate(52.52, 13.405)
            try await browser.click("#locate")
            let note = "document.getElementById('map-note').textContent"
            try await browser.wait("how far it is", #"/^You.re \d+ km from campus\./.test(\#(note))"#)
            #expect(try await browser.script("return campanile.runners().length === 1"), "the map stays")
            try await browser.shots("map-phone-away")
            try await browser.click("#locate-go")
            try await browser.wait("there", "campanile.runners().length === 0")
            try await browser.click("#locate-back")
            try await browser.wait("back", "campanile.runners().length === 1 && document.getElementById('locate-go')")
            try await browser.click("#locate-off")
            try await browser.wait("no note", "document.getElementById('map-note').hidden")
            try await finish(server, page)
        }

        @Test(
            "On a phone's side the panel stands beside the map and covers no button; where it lies below, the scripts and the styles agree"
        )
        func onItsSide() async throws {
            let (server, browser, page, _) = try await begin(runners: 1)
            for (width, height, isBelow) in [
                (667, 375, false), (740, 360, false), (568, 320, false), (844, 390, false), (360, 340, true),
                (390, 844, true), (740, 700, true), (1280, 800, false),
            ] {
                let size = "\(width) × \(height)"
                try await browser.setSize(width: width, height: height)
                try await browser.wait(size, "innerWidth === \(width) && innerHeight === \(height)")
                try await browser.wait(
                    "\(size): the handle",
                    "document.getElementById('sheet-handle').checkVisibility() === \(isBelow)")
                #expect(
                    try await browser.script(
                        "return (await import('/app/map/narrow.js')).narrow.matches", as: Bool.self) == isBelow,
                    "\(size)")
                let covered = try await browser.script(
                    """
                    return [...document.querySelectorAll('.map-tools > .map-button, .leaflet-control-zoom a, .map-legend summary')]
                      .filter((e) => e.checkVisibility()).filter((e) => {
                        const { left, top, width, height } = e.getBoundingClientRect();
                        const spots = [[0.5, 0.5], [0.5, 0.1], [0.5, 0.9]];
                        return spots.some(([x, y]) => !e.contains(document.elementFromPoint(left + x * width, top + y * height)));
                      }).map((e) => e.id || e.className || e.tagName);
                    """, as: [String].self)
                // As low as above a keyboard there is no room for them.
                if height > 340 || !isBelow { #expect(covered.isEmpty, "\(size)") }
                let lies = """
                    const box = (css) => document.querySelector(css).getBoundingClientRect();
                    return box('.leaflet-control-attribution').top >= box('.leaflet-control-zoom').bottom
                    """
                if !isBelow { #expect(try await browser.script(lies), "\(size): the line below the buttons") }
                try await browser.screenshot("map-side-\(width)")
            }
            try await browser.setSize(width: 667, height: 375)
            try await browser.click("#map-more")
            try await browser.wait("the menu", "document.getElementById('heat-switch').checkVisibility()")
            try await browser.click("#heat-switch")
            try await browser.wait("the heatmap", "document.getElementById('heat-legend').checkVisibility()")
            try await browser.screenshot("map-side-heat")
            try await finish(server, page)
        }

        @Test(
            "A screen that becomes narrower in two steps, the second while the map still moves, shows the whole campus")
        func narrowerInSteps() async throws {
            let (server, browser, page, _) = try await begin(runners: 0)
            let isEmpty = "document.querySelector('#runners-empty h2')?.textContent === 'Nobody is running right now'"
            let cells = "campanile.view.topics.toSorted().join()"
            try await browser.wait("the whole campus", isEmpty)
            let phone = try await browser.text(cells)
            let isAsBefore = "\(isEmpty) && \(cells) === '\(phone)'"
            try await browser.setScreen(.desktop)
            try await browser.wait("another view", "\(cells) !== '\(phone)'")
            try await browser.setSize(width: 700, height: 780)
            try await browser.setPhone(true)
            try await browser.wait("the first view again", isAsBefore)
            try await browser.setScreen(.desktop)
            try await browser.wait("another view", "\(cells) !== '\(phone)'")
            let desktop = try await browser.text(cells)
            try await browser.click("#map .leaflet-control-zoom-in")
            try await browser.wait("a nearer view", "\(cells) !== '\(desktop)'")
            // The motion that it begins is still under way when the screen changes.
            try await browser.click("#fit")
            try await browser.setPhone(true)
            try await browser.wait("the first view once more", isAsBefore)
            try await finish(server, page)
        }

        @Test("Where the keyboard is shows on the map and its buttons, also after Leaflet took the outline away")
        func focus() async throws {
            let page = try await Page.fresh()
            let browser = page.browser
            try await page.open("/map")
            try await browser.wait("the map", "document.querySelector('.leaflet-control-zoom-in')")
            for isDark in [false, true] {
                try await browser.setDark(isDark)
                for css in ["#map", ".leaflet-control-zoom-in", ".leaflet-control-zoom-out"] {
                    let ring = try await browser.script(
                        """
                        const element = document.querySelector('\(css)');
                        element.style.outline = 'none';
                        element.focus({ focusVisible: true });
                        const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element);
                        const probe = Object.assign(document.createElement('i'), { style: 'color: var(--focus)' });
                        document.body.append(probe);
                        const wanted = getComputedStyle(probe).color;
                        probe.remove();
                        return [outlineStyle, outlineWidth, outlineColor === wanted ? 'focus' : outlineColor];
                        """, as: [String].self)
                    #expect(ring == ["solid", "3px", "focus"], "\(css)")
                }
                try await browser.screenshot(isDark ? "map-focus-dark" : "map-focus-light")
            }
            try await browser.setDark(false)
        }

        @Test(
            "Labels: the followed one first, then the selected; none on a button; a zone's name is kept where another side is free"
        )
        func labels() async throws {
            let result = try await Web.logic(
                """
                const { placeLabels, meets } = await import("/app/map/labels.js");
                const item = (session, x, y, priority = 0) => ({ session, x, y, width: 60, height: 21, radius: 9, text: "name", priority });
                const view = { width: 400, height: 400, visible: { left: 0, top: 0, right: 400, bottom: 400 } };
                const box = ({ x, y }, { dx, dy }) => ({ left: x + dx, top: y + dy, right: x + dx + 60, bottom: y + dy + 21 });
                const one = item(1, 200, 200);
                const button = { left: 205, top: 150, right: 260, bottom: 250 };
                const zone = { left: 100, top: 192, right: 195, bottom: 208 };
                const placed = placeLabels([one], new Map(), { ...view, blocked: [button], names: [zone] });
                check("off both", [meets(box(one, placed.get(1)), button), meets(box(one, placed.get(1)), zone)], [false, false]);
                const crowd = Array.from({ length: 60 },
                  (_, index) => item(10 + index, 100 + (index % 8) * 8, 100 + Math.floor(index / 8) * 8));
                const followed = item(500, 130, 130, 2), selected = item(501, 134, 134, 1);
                const some = placeLabels([...crowd, selected, followed], new Map(), view);
                check("both have one", [some.has(500), some.has(501)], [true, true]);
                check("not over each other", meets(box(followed, some.get(500)), box(selected, some.get(501))), false);
                const alone = placeLabels([followed], new Map(), view);
                const at = (labels) => [labels.get(500).dx, labels.get(500).dy];
                check("the followed one has its first choice", at(some), at(alone));
                """)
            #expect(result == "ok")
        }
    }
}
