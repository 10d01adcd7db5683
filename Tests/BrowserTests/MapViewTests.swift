import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

extension WebMap {
    @Suite("The map's view")
    struct MapViewTests {
        /// Notes what goes over the page's WebSockets.
        private static let recorder = """
            {
              const wire = window.wire = { sent: [], binary: 0, text: [] };
              const Plain = window.WebSocket;
              window.WebSocket = class extends Plain {
                constructor(...parameters) {
                  super(...parameters);
                  wire.socket = this;
                  this.addEventListener("message", ({ data }) => { if (typeof data === "string") wire.text.push(data); else wire.binary += 1; });
                }
                send(data) { wire.sent.push(data); super.send(data); }
              };
            }
            """

        private static let shownCount = "campanile.runners().length"
        /// The suite's own: nobody else is on its map. Each test takes its runners from it again.
        private static let server = Task { try await WebRoot.start() }

        /// A fresh page of the suite's server, and one who has run there for some seconds.
        private func begin(
            course: Int = 0, seconds: Int = 20
        ) async throws -> (page: Page, browser: Browser, run: TestRun) {
            let server = try await Self.server.value
            let page = try await Page.fresh(on: server)
            let run = try await TestRun(on: server, course: course)
            try await run.run(seconds)
            return (page, page.browser, run)
        }

        private func openMap(_ page: Page, showing count: Int) async throws {
            try await page.open("/map")
            try await page.browser.wait("\(count) on the map", "\(Self.shownCount) === \(count)")
        }

        /// The only one on the map is seen to move when it runs on.
        private func expectToMove(_ run: TestRun, _ browser: Browser) async throws {
            let before = try await browser.script("return campanile.runners()[0].lat", as: Double.self)
            try await run.run(20)
            try await browser.wait("it moves", "campanile.runners()[0].lat !== \(before)")
        }

        private func recorded(_ page: Page, _ body: () async throws -> Void) async throws {
            let added = try await page.browser.cdp(
                "Page.addScriptToEvaluateOnNewDocument", ["source": Self.recorder])
            let identifier = (added as? [String: Any])?["identifier"] as? String ?? ""
            do {
                try await body()
            } catch {
                _ = try? await page.browser.cdp("Page.removeScriptToEvaluateOnNewDocument", ["identifier": identifier])
                throw error
            }
            try await page.browser.cdp("Page.removeScriptToEvaluateOnNewDocument", ["identifier": identifier])
        }

        /// Drags the map with the mouse and holds still before letting go, so that it does not glide on.
        private func drag(_ browser: Browser, byX x: Int, times: Int) async throws {
            for _ in 0..<times {
                let from = 850 - x / 2
                try await mouse(browser, "mousePressed", from)
                for step in 1...4 { try await mouse(browser, "mouseMoved", from + x * step / 4) }
                try await Task.sleep(for: .milliseconds(120))
                try await mouse(browser, "mouseReleased", from + x)
            }
        }

        private func mouse(_ browser: Browser, _ type: String, _ x: Int) async throws {
            try await browser.cdp(
                "Input.dispatchMouseEvent",
                [
                    "type": type, "x": x, "y": 700, "button": "left", "buttons": type == "mouseReleased" ? 0 : 1,
                    "clickCount": 1,
                ])
        }

        @Test(
            "Runners come in binary frames of the view's cells; no zone is subscribed to, and no position comes as text"
        )
        func binary() async throws {
            let (page, browser, run) = try await begin()
            try await recorded(page) {
                try await openMap(page, showing: 1)
                try await expectToMove(run, browser)
                #expect(try await browser.script("return wire.binary", as: Int.self) >= 2)
                let sent = try await browser.script("return wire.sent", as: [String].self)
                #expect(sent.contains { $0.contains("positions.view") && $0.contains("binary") })
                #expect(!sent.contains { $0.contains("/positions\"") })
                #expect(
                    try await browser.script(
                        "return !wire.text.some((text) => text.includes('\"lat\"'))"))
                try await browser.wait(
                    "the count", "document.getElementById('map-count').textContent === '1 runner in view'")
            }
            try await page.expectQuietConsole()
            try await run.stop()
        }

        @Test(
            "Dragged away, the map and its list let the runner go; dragged back, they have it again; the followed one is followed on"
        )
        func away() async throws {
            let (page, browser, run) = try await begin()
            try await page.open("/map")
            let row = ".runner-row[data-session=\"\(await run.id)\"]"
            try await browser.click(row)
            try await browser.wait(
                "followed", "document.getElementById('follow-name')?.textContent === '\(run.name)'")
            try await browser.wait("near", "campanile.view.topics[0]?.startsWith('cell/15/')")
            try await drag(browser, byX: -600, times: 4)
            try await browser.wait("its cell is not in view", "campanile.view.known === 0")
            try await browser.wait("gone from the map", "\(Self.shownCount) === 0")
            try await browser.wait(
                "gone from list and count",
                "!document.querySelector('\(row.replacing("\"", with: "\\\""))') && document.getElementById('map-count').textContent === '0 runners in view'"
            )
            try await browser.wait(
                "it says what to do", "document.getElementById('runners-empty').innerText.includes('Nobody in view')")
            let distance = "document.querySelector('#follow-card [data-figure=distance]').textContent"
            let before = try await browser.text(distance)
            try await run.run(60)
            try await browser.wait("the card goes on", "\(distance) !== '\(before)'")
            try await drag(browser, byX: 600, times: 4)
            try await browser.wait(
                "there again", "\(Self.shownCount) === 1 && campanile.runners()[0].session === \(await run.id)")
            try await page.expectQuietConsole()
            try await run.stop()
        }

        @Test("A runner who passes from cell to cell is on the map in every frame")
        func handover() async throws {
            let (page, browser, run) = try await begin(course: 1, seconds: 5)
            try await openMap(page, showing: 1)
            try await browser.script(
                """
                const { cellTopic } = await import("/app/client/mercator.js");
                const seen = window.passed = { cells: new Set(), frames: 0, missing: 0 };
                const zoom = Number(campanile.view.topics[0].split("/")[1]);
                const frame = () => {
                  const [runner] = campanile.runners();
                  seen.frames += 1;
                  if (runner) seen.cells.add(cellTopic(runner.lat, runner.lon, zoom)); else seen.missing += 1;
                  requestAnimationFrame(frame);
                };
                frame();
                return true;
                """)
            for _ in 0..<12 {
                try await run.run(45)
                let from = try await browser.script("return passed.frames", as: Int.self)
                try await browser.wait("frames", "passed.frames > \(from + 12)")
            }
            try await browser.wait("it passed from one to another", "passed.cells.size >= 2")
            #expect(try await browser.script("return passed.missing", as: Int.self) == 0)
            try await run.stop()
        }

        @Test("After a lost connection the view is asked for anew, and who was hidden meanwhile is gone")
        func reconnect() async throws {
            let (page, browser, stays) = try await begin()
            let hides = try await TestRun(on: page.server, course: 1)
            try await hides.run(20)
            try await recorded(page) {
                try await openMap(page, showing: 2)
                try await browser.setOffline(true)
                try await browser.script("wire.socket.close(); return true")
                try await browser.wait(
                    "it looks old",
                    "document.querySelector('.stage.is-stale') && document.getElementById('map-count').textContent.endsWith('when last updated')"
                )
                #expect(try await browser.script("return \(Self.shownCount)", as: Int.self) == 2)
                try await browser.screenshot("map-stale")
                try await hide(hides)
                try await browser.setOffline(false)
                try await page.live()
                try await browser.wait("the other one", "\(Self.shownCount) === 1")
                try await expectToMove(stays, browser)
                #expect(try await browser.script("return !document.querySelector('.stage.is-stale')"))
            }
            try await stays.stop()
        }

        @Test("Who takes the session back from the public is gone from the map at once")
        func hidden() async throws {
            let (page, browser, run) = try await begin()
            try await openMap(page, showing: 1)
            try await hide(run)
            try await browser.wait("nobody", "\(Self.shownCount) === 0 && campanile.view.known === 0")
            try await browser.wait("nobody is listed", "!document.querySelector('.runner-row')")
            try await run.stop()
        }

        private func hide(_ run: TestRun) async throws {
            try await run.connection.call(
                TrackingAudience.self, TrackingAudience.Params(session: await run.id, audience: .private))
        }
    }
}
