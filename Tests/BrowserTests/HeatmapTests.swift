import Foundation
import Hub
import TestSupport
import Testing
import Wire

@testable import Server

extension WebMap {
    @Suite("The heatmap")
    struct HeatmapTests {
        /// Cells of the sample campus, with about 10, 20 and 90 people.
        private static let cells = [
            HeatCell(x: 273_791, y: 174_352, people: 10), HeatCell(x: 273_795, y: 174_355, people: 20),
            HeatCell(x: 273_798, y: 174_358, people: 90),
        ]

        /// How many colours the heatmap's canvas has that cover more than an edge.
        private static let colours = """
            (() => {
              const canvas = document.querySelector('canvas.heat-layer');
              const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
              const counts = new Map();
              for (let at = 0; at < data.length; at += 4) {
                if (data[at + 3] === 0) continue;
                const key = [0, 1, 2].map((part) => data[at + part] >> 4).join();
                counts.set(key, (counts.get(key) ?? 0) + 1);
              }
              return [...counts.values()].filter((count) => count > 300).length;
            })()
            """

        /// Publishes until a condition holds on the page, such as that it has these cells: the server publishes its own each half minute.
        private func publish(
            _ cells: [HeatCell], on server: TestServer, to browser: Browser, until condition: String? = nil
        ) async throws {
            let hub = try #require(await server.server).environment.services.hub
            let condition = condition ?? "campanile.heat.cells === \(cells.count)"
            _ = try await eventually(condition) {
                await hub.heatmap.publish(
                    HeatmapUpdate(serverTime: .now, zoom: 19, peopleMin: 5, cells: cells))
                return try await browser.script("return \(condition)") ? true : nil
            }
        }

        /// Takes the page offline while it has these cells.
        private func loseNetwork(
            with cells: [HeatCell], on server: TestServer, of browser: Browser
        ) async throws {
            _ = try await eventually("the page is offline with the cells") {
                try await publish(cells, on: server, to: browser)
                try await browser.loseNetwork()
                if try await browser.script("return campanile.heat.cells === \(cells.count)") { return true }
                try await browser.setOffline(false)
                return nil
            }
        }

        @Test(
            "A guest switches the heatmap on: cells are drawn by how many people are in them, a legend says how many, how few are not shown and how old it is; it is said when the connection is lost, and the choice is remembered"
        )
        func drawn() async throws {
            let server = try await WebRoot.start()
            let (_, page) = try await Page.pair(on: server)
            let browser = page.browser
            try await browser.withEndableSockets {
                try await page.open("/map")
                try await browser.wait(
                    "a map and its controls",
                    "document.querySelector('#map canvas.campus-layer') && document.getElementById('heat-legend')")
                #expect(
                    try await browser.script(
                        "return !document.querySelector('canvas.heat-layer') && !document.getElementById('heat-legend').checkVisibility()"
                    ))
                try await browser.click("#heat-switch")
                try await browser.wait("a legend", "document.getElementById('heat-legend').checkVisibility()")
                try await loseNetwork(with: Self.cells, on: server, of: browser)
                try await browser.wait("three colours", "\(Self.colours) === 3")
                let legend = try await browser.text("document.getElementById('heat-legend').textContent")
                for words in [
                    "about 10", "about 20", "about 80 or more", "Small groups aren't shown.",
                    "You're offline. Counted", "3 busy squares, the busiest with about 90 people.",
                ] {
                    #expect(legend.contains(words), "\(words)")
                }
                #expect(
                    try await browser.text("document.getElementById('heat-switch').getAttribute('aria-pressed')")
                        == "true")
                try await browser.shots("heat-1-offline-desktop")
                try await browser.setOffline(false)
            }
            try await page.open("/map")
            try await browser.wait(
                "it is remembered",
                "document.getElementById('heat-legend').checkVisibility() && campanile.heat.cells !== null")
            try await publish(Self.cells, on: server, to: browser)
            try await browser.shots("heat-2-desktop")
            try await browser.setScreen(.phone)
            // The squares are what it is about: on a phone its legend is one line, and says more when it is asked.
            let height = "document.getElementById('heat-legend').getBoundingClientRect().height"
            let few = "document.querySelector('.heat-few').getBoundingClientRect().height"
            try await publish(
                Self.cells, on: server, to: browser, until: "\(height) > 0 && \(height) < 60 && \(few) <= 1")
            try await browser.shots("heat-3-phone")
            try await browser.click("#heat-more")
            try await browser.wait("it says more", "\(few) > 10 && \(height) > 60")
            try await browser.shots("heat-4-phone")
            try await browser.setScreen(.desktop)
            try await browser.click("#heat-legend button[aria-label^=Hide]")
            try await browser.wait(
                "it is off",
                "!document.getElementById('heat-legend').checkVisibility() && !document.querySelector('canvas.heat-layer') && document.activeElement.id === 'heat-switch'"
            )
            #expect(try await browser.script("return localStorage.getItem('campanile.heatmap') === null"))
            await server.stop()
        }

        @Test(
            "The map with 2,000 cells is drawn anew in less than the time of a frame, and not at all while it is dragged within what was drawn"
        )
        func cost() async throws {
            let server = try await WebRoot.start()
            let (_, page) = try await Page.pair(on: server)
            let browser = page.browser
            try await page.open("/map")
            try await browser.click("#heat-switch")
            let cells = (0..<2_000).map { index in
                HeatCell(x: 273_770 + UInt32(index % 50), y: 174_336 + UInt32(index / 50), people: 10 << (index % 4))
            }
            try await publish(cells, on: server, to: browser)
            let drawn = try await browser.script(
                "const { frames, drawn } = campanile.heat; return [frames, drawn]", as: [Int].self)
            #expect(drawn[1] > 500)
            let box = try await browser.middle(of: "#heat-switch")
            for (type, x) in [
                ("mousePressed", 700.0), ("mouseMoved", 690), ("mouseMoved", 660), ("mouseMoved", 640),
                ("mouseReleased", 640),
            ] {
                try await browser.cdp(
                    "Input.dispatchMouseEvent",
                    ["type": type, "x": x, "y": box.y + 200, "button": "left", "clickCount": 1])
            }
            let after = try await browser.script("return campanile.heat.frames", as: Int.self)
            #expect(after - drawn[0] <= 1, "drawn anew while it is dragged")
            await server.stop()
        }

        @Test("Steps, their words and their colours: cool to hot, each lighter or darker than the one before")
        func scale() async throws {
            let result = try await Web.logic(
                #"""
                const { byStep, heatSentence, stepOf, steps, stepWords } = await import("/app/heatmap/scale.js");
                check("steps, from the fewest that are ever shown", [0, 9, 10, 19, 20, 39, 40, 80, 5000].map(stepOf), [-1, -1, 0, 0, 1, 1, 2, 3, 3]);
                check("words", steps.map((_, index) => stepWords(index)), ["about 10", "about 20", "about 40", "about 80 or more"]);
                check("cells", byStep([[1, 2, 10], [1, 3, 3], "no", [1], [4, 5, 100], null]), [[[1, 2, 10]], [], [], [[4, 5, 100]]]);
                check("nothing", [byStep(undefined).flat(), heatSentence([])], [[], "No busy spots right now."]);
                check("one", heatSentence([[1, 2, 15]]), "1 busy square, the busiest with about 15 people.");
                const luminance = (hex) => [0.2126, 0.7152, 0.0722].reduce((sum, weight, index) => { const part = parseInt(hex.slice(1 + index * 2, 3 + index * 2), 16) / 255; return sum + weight * (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4); }, 0);
                const order = (theme, sign) => steps.every((step, index) => index === 0 || sign * (luminance(step[theme]) - luminance(steps[index - 1][theme])) > 0.03);
                check("their order is seen in grey", [order("light", -1), order("dark", 1)], [true, true]);
                """#)
            #expect(result == "ok")
        }
    }
}
