import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

extension WebMap {
    @Suite("A crowd on the map")
    struct CrowdTests {
        private static let counted = "campanile.clusters().reduce((sum, one) => sum + one.count, 0)"

        /// Seventy runs on all courses; no account may have more than five.
        private func field(on server: TestServer) async throws -> [TestRun] {
            var runs: [TestRun] = []
            for number in 0..<14 {
                let (connection, account) = try await server.register()
                for index in 0..<5 {
                    let run = try await TestRun(
                        connection, account: account.account, audience: number == 0 ? .private : .public,
                        course: number, offset: Double(index) * 60)
                    try await run.run(5)
                    runs.append(run)
                }
            }
            return runs
        }

        /// Zooms by the map's own buttons.
        private func zoom(_ browser: Browser, out: Bool, _ times: Int) async throws {
            for _ in 0..<times {
                // A click during a zoom does nothing.
                try await browser.wait("no zoom is under way", "!document.querySelector('.leaflet-zoom-anim')")
                try await browser.script(
                    "document.querySelector('.leaflet-control-zoom-\(out ? "out" : "in")').click(); return true")
                try await Task.sleep(for: .milliseconds(400))
            }
        }

        @Test(
            "From afar a crowd is circles with numbers, in the list as well, where a click zooms in until there are runners; the private are in no number"
        )
        func crowd() async throws {
            let server = try await WebRoot.start()
            let page = try await Page.fresh(on: server)
            let browser = page.browser
            let runs = try await field(on: server)
            let (extra, account) = try await server.register()
            let more = try await TestRun(extra, account: account.account, audience: .public)
            try await more.run(5)
            try await page.open("/map")
            try await browser.wait("all who are public", "campanile.runners().length === 66")
            try await zoom(browser, out: true, 4)
            try await browser.wait("counts", "\(Self.counted) === 66 && campanile.runners().length === 0")
            try await browser.wait(
                "the count", "document.getElementById('map-count').textContent === '66 runners in view'")
            try await browser.wait(
                "the list says so",
                "document.getElementById('clusters-note').textContent === '66 runners are grouped. Zoom in to see who.'"
            )
            #expect(try await browser.script("return !document.getElementById('runners-empty').checkVisibility()"))
            let shots = [(false, false), (false, true), (true, true), (true, false)]
            for (isPhone, isDark) in Browser.takesScreenshots ? shots : [] {
                try await browser.setPhone(isPhone)
                try await browser.setDark(isDark)
                try await Task.sleep(for: .milliseconds(900))
                try await browser.screenshot("crowd-\(isPhone ? "phone" : "desktop")-\(isDark ? "dark" : "light")")
            }
            try await browser.setPhone(false)
            try await browser.wait("counts still", "\(Self.counted) === 66")
            // By keyboard: the largest crowd's row.
            for _ in 0..<4 where try await browser.script("return \(Self.counted) > 0") {
                try await browser.script(
                    """
                    const size = (row) => parseInt(row.querySelector(".runner-name").textContent.replace(/,/g, ""), 10);
                    const [largest] = [...document.querySelectorAll(".cluster-row")].sort((a, b) => size(b) - size(a));
                    largest?.focus();
                    largest?.click();
                    return true;
                    """)
                try await Task.sleep(for: .milliseconds(900))
            }
            try await browser.wait("runners again", "campanile.runners().length > 0 && \(Self.counted) === 0")
            try await browser.wait("the focus is in the panel", "document.activeElement.closest('.sheet') !== null")
            // By a click on the circle itself.
            try await browser.click("#fit")
            try await zoom(browser, out: true, 4)
            try await browser.wait("counts again", "\(Self.counted) === 66")
            // Again as long as the map was still moving beneath: the click then meets no circle.
            for _ in 0..<10 where try await browser.script("return \(Self.counted) === 66") {
                let at = try await browser.script(
                    """
                    const [one] = campanile.clusters().filter(({ x }) => x > 430).sort((a, b) => b.count - a.count);
                    return [Math.round(one?.x ?? 0), Math.round(one?.y ?? 0)];
                    """, as: [Int].self)
                for type in ["mousePressed", "mouseReleased"] {
                    try await browser.cdp(
                        "Input.dispatchMouseEvent",
                        ["type": type, "x": at[0], "y": at[1], "button": "left", "clickCount": 1])
                }
                try await Task.sleep(for: .milliseconds(900))
            }
            try await browser.wait(
                "closer", "\(Self.counted) < 66 && campanile.clusters().length + campanile.runners().length > 0")
            try await page.expectQuietConsole(except: ["favicon.ico"])
            for run in runs.prefix(1) + [more] { await run.connection.close() }
            await server.stop()
        }

        @Test(
            "Crowds that outgrow each other keep their circle's key, their row's place and its focus; a row that goes hands it on"
        )
        func focus() async throws {
            let page = try await Page.fresh()
            try await page.browser.go(page.origin + "/healthz")
            let result = try await page.browser.script(
                """
                const { gather } = await import("/app/map/clusters.js");
                const { makeClusterList } = await import("/app/livemap/clusterlist.js");
                const square = (index, count, lon) => ({ index, count, lat: 42.05, lon });
                // Two squares whose middles are so near that one circle is drawn of them, and two far away.
                const keys = (a, b) => gather({ clusters: new Map([["cell/13/2100/3039", [square(0, a, -87.67), square(1, b, -87.6699)]]]) }, 256 * 2 ** 13)
                  .map(({ key }) => key);
                if (keys(9, 3).length !== 1 || keys(9, 3)[0] !== keys(3, 9)[0]) return `${keys(9, 3)}, then ${keys(3, 9)}`;
                let found = [];
                let lost = 0;
                const list = makeClusterList({ clusters: () => found, middle: () => ({ x: 0, y: 0 }), onSelect: () => {}, onFocusLost: () => { lost += 1; } });
                document.body.append(list.element);
                const show = (...crowds) => {
                  found = crowds.map(([key, count, unitX]) => ({ key, count, unitX, unitY: 0 }));
                  list.update();
                  return [...list.element.querySelectorAll(".runner-name")].map(({ textContent }) => parseInt(textContent, 10)).join();
                };
                if (show(["a", 9, 1], ["b", 5, 2]) !== "9,5") return "not there";
                const focused = list.element.querySelectorAll("button")[1];
                focused.focus();
                let blurs = 0;
                focused.addEventListener("blur", () => { blurs += 1; });
                if (show(["b", 20, 2], ["a", 3, 1]) !== "3,20") return "the rows change places";
                // Eight are larger, seven of which are shown with what has the focus.
                const many = [..."cdefghij"].map((key, index) => [key, 30, 10 + index]);
                if (show(["a", 3, 1], ["b", 20, 2], ...many) !== "20,30,30,30,30,30,30,30") return "not the largest, and what has the focus";
                if (document.activeElement !== focused || blurs !== 0) return "the focus went";
                show(["z", 20, 2.1], ["y", 99, 7]);
                if (!document.activeElement.textContent.includes("20 runners")) return `to ${document.activeElement.textContent}`;
                show();
                return `lost ${lost}, hidden ${list.element.hidden}`;
                """, as: String.self)
            #expect(result == "lost 1, hidden true")
        }

        @Test("Who is followed stays on the map though the cell counts, and is not counted twice")
        func followed() async throws {
            let server = try await WebRoot.start()
            let page = try await Page.fresh(on: server)
            let browser = page.browser
            let runs = try await field(on: server) + [try await TestRun(on: server)]
            try await runs[70].run(5)
            let id = await runs[40].id
            try await page.open("/map?follow=\(id)")
            try await browser.wait("followed", "campanile.runners().some(({ session }) => session === \(id))")
            try await zoom(browser, out: true, 4)
            try await browser.wait(
                "one runner among numbers",
                "\(Self.counted) === 66 && campanile.runners().length === 1 && campanile.runners()[0].session === \(id)"
            )
            try await browser.wait(
                "the count", "document.getElementById('map-count').textContent === '66 runners in view'")
            try await browser.press("\u{E00C}")
            try await browser.wait("numbers only", "campanile.runners().length === 0")
            await server.stop()
        }
    }
}
