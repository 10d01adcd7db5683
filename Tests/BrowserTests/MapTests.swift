import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

extension WebMap {
    @Suite("The spectator map")
    struct MapTests {
        private static let shown = "Object.fromEntries(campanile.runners().map((r) => [r.session, [r.lat, r.lon]]))"

        /// Keeps runners running until the task is cancelled.
        private func keepRunning(_ runs: [TestRun]) -> Task<Void, Never> {
            Task {
                while !Task.isCancelled {
                    for run in runs { _ = try? await run.run(1) }
                    try? await Task.sleep(for: .milliseconds(300))
                }
            }
        }

        func makeRuns(_ count: Int, on server: TestServer, audience: Audience = .public) async throws
            -> [TestRun]
        {
            var runs: [TestRun] = []
            for index in 0..<count {
                let run = try await TestRun(on: server, audience: audience, course: index, offset: Double(index) * 40)
                try await run.run(20)
                runs.append(run)
            }
            return runs
        }

        @Test(
            "Runners move on the map; one that stops leaves; one that pauses says so in the list; a private one is never there"
        )
        func moving() async throws {
            let server = try await WebRoot.start()
            let page = try await Page.fresh(on: server)
            let browser = page.browser
            let runs = try await makeRuns(8, on: server)
            let hidden = try await makeRuns(1, on: server, audience: .private)
            let moving = keepRunning(runs + hidden)
            defer { moving.cancel() }
            try await page.open("/map")
            try await browser.wait("all are there", "campanile.runners().length === 8")
            let before = try await browser.script("return \(Self.shown)", as: [String: [Double]].self)
            let encoded = String(decoding: try JSONSerialization.data(withJSONObject: before), as: UTF8.self)
            try await browser.wait(
                "every runner has moved",
                "((before, now) => Object.keys(before).every((id) => now[id] && (now[id][0] !== before[id][0] || now[id][1] !== before[id][1])))(\(encoded), \(Self.shown))"
            )
            try await browser.wait(
                "the count", "document.getElementById('map-count').textContent === '8 runners in view'")
            try await browser.screenshot("map-desktop")

            let paused = runs[0]
            try await paused.connection.call(TrackingPause.self, SessionTimeParams(session: await paused.id))
            let row = "document.querySelector('.runner-row[data-session=\"\(await paused.id)\"] .runner-state')"
            try await browser.wait("paused is said in words", "\(row)?.textContent.startsWith('Paused')")

            let gone = runs[1]
            try await gone.stop()
            try await browser.wait(
                "the finished one leaves the count", "document.getElementById('map-count').textContent.startsWith('7 ')"
            )
            let hiddenID = await hidden[0].id
            #expect(
                try await browser.script("return !document.querySelector('.runner-row[data-session=\"\(hiddenID)\"]')"))
            try await page.expectQuietConsole()
            await server.stop()
        }

        @Test(
            "Following one draws the route and tells distance, time and average as the rules have it; Escape stops it")
        func follow() async throws {
            let page = try await Page.fresh()
            let browser = page.browser
            let run = try await makeRuns(1, on: page.server)[0]
            try await run.run(300)
            let moving = keepRunning([run])
            defer { moving.cancel() }
            try await page.open("/map")
            let id = await run.id
            try await browser.click(".runner-row[data-session=\"\(id)\"]")
            try await browser.wait("the card", "document.getElementById('follow-name')?.textContent === '\(run.name)'")
            try await browser.wait(
                "the route is drawn",
                "[...document.querySelectorAll('.leaflet-overlay-pane path')].some((path) => path.getAttribute('d').length > 40)"
            )
            let figure = { (name: String) in "document.querySelector('#follow-card [data-figure=\(name)]').textContent"
            }
            try await browser.wait(
                "the distance",
                #"/^\d+\.\d\d km$/.test(\#(figure("distance"))) && parseFloat(\#(figure("distance"))) > 0.8"#)
            try await browser.wait("the time", #"/^\d\d:\d\d:\d\d$/.test(\#(figure("time")))"#)
            try await browser.wait("the average", #"/^\d+:\d\d min\/km$/.test(\#(figure("speed")))"#)
            try await browser.screenshot("map-follow")
            try await browser.press("\u{E00C}")
            try await browser.wait("no card any more", "!document.getElementById('follow-card')")
            moving.cancel()
            try await run.stop()
            try await page.expectQuietConsole()
        }

        @Test("By keyboard alone: Tab reaches the runners, Enter follows")
        func keyboard() async throws {
            let page = try await Page.fresh()
            let browser = page.browser
            let run = try await makeRuns(1, on: page.server)[0]
            try await page.open("/map")
            try await browser.wait("the runner is listed", "document.querySelector('.runner-row')")
            var presses = 0
            while try await browser.script("return !document.activeElement.matches('.runner-row')") {
                presses += 1
                guard presses < 40 else {
                    Issue.record("Tab does not reach the list of runners")
                    return
                }
                try await browser.press(Browser.tab)
            }
            try await browser.press(Browser.enter)
            try await browser.wait("followed", "document.getElementById('follow-name')?.textContent === '\(run.name)'")
            try await run.stop()
        }

        @Test("A link shows its runner without an account, and says so once it is revoked")
        func link() async throws {
            let page = try await Page.fresh()
            let browser = page.browser
            let run = try await makeRuns(1, on: page.server, audience: .private)[0]
            let id = await run.id
            let moving = keepRunning([run])
            defer { moving.cancel() }
            let link = try await run.connection.call(TrackingLink.self, TrackingLink.Params(session: id)).link
            try await page.open(link.path)
            try await browser.wait("the runner", "campanile.runners().some((r) => r.session === \(id))")
            #expect(try await browser.text("campanile.connection.account") == "null")
            try await browser.wait(
                "the distance", #"/^\d+\.\d\d km$/.test(document.querySelector('[data-figure=distance]').textContent)"#)
            try await browser.screenshot("link")
            try await run.connection.call(TrackingUnlink.self, TrackingUnlink.Params(session: id, link: link.id))
            try await browser.wait(
                "the link is gone", "document.getElementById('link-gone')?.textContent.includes('deleted')")
            try await browser.wait("the runner is gone from the map", "campanile.runners().length === 0")
            try await page.open(link.path)
            try await browser.wait("still gone", "document.getElementById('link-gone')")
            moving.cancel()
            try await run.stop()
            try await page.expectQuietConsole()
        }

        @Test("Who is watched by a link and comes where they are not shown is not left standing at their last point")
        func notShown() async throws {
            let page = try await Page.fresh()
            let browser = page.browser
            let run = try await makeRuns(1, on: page.server, audience: .private)[0]
            let link = try await run.connection.call(TrackingLink.self, TrackingLink.Params(session: await run.id)).link
            try await page.open(link.path)
            try await browser.wait("the runner", "campanile.runners().length === 1")
            let last = try #require(
                try await run.connection.call(TrackingSession.self, .init(session: await run.id)).route.last?.last)
            let zone = try await run.connection.call(
                PrivacySaveZone.self,
                .init(clientId: UUID().uuidString, name: "Home", lat: last.latitude, lon: last.longitude, size: .small))
            try await browser.wait(
                "it says so, and nobody is on the map",
                "document.getElementById('follow-state').textContent === 'Hidden right now' && campanile.runners().length === 0"
            )
            try await browser.screenshot("link-not-shown")
            try await run.connection.call(PrivacyDeleteZone.self, .init(zone: zone.id))
            try await run.run(10)
            try await browser.wait(
                "and goes on",
                "document.getElementById('follow-state').textContent !== 'Hidden right now' && campanile.runners().length === 1"
            )
            try await run.stop()
            try await page.expectQuietConsole()
        }

        @Test(
            "With the server gone the badge says so and the runners stay; it comes back by itself, and who was not heard is offline"
        )
        func serverGone() async throws {
            let server = try await WebRoot.start()
            let page = try await Page.fresh(on: server)
            let browser = page.browser
            let run = try await makeRuns(1, on: server)[0]
            try await page.open("/map")
            try await browser.wait("the runner", "campanile.runners().length === 1")
            await server.stop()
            try await browser.wait(
                "the badge", "/^(Reconnecting|Offline)/.test(document.querySelector('.badge-text').textContent)")
            #expect(try await browser.script("return campanile.runners().length === 1"))
            try await server.startAgain()
            try await page.live()
            let row = "document.querySelector('.runner-row[data-session=\"\(await run.id)\"] .runner-state')"
            try await browser.wait("offline is said in words", "\(row)?.textContent.startsWith('Offline')")
            try await browser.wait("the badge", "document.querySelector('.badge-text').textContent === 'Live'")
            try await page.expectQuietConsole(except: Page.networkErrors)
            await server.stop()
        }
    }
}
