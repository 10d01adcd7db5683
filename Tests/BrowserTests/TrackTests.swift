import CampanileClient
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

extension WebTracking {
    @Suite("Tracking in the browser")
    struct TrackTests {
        static let origin = (lat: 51.5, lon: 8.0)
        static let metresPerDegree = 111_195.0

        /// Walks north, a fix each time the app has taken the last one.
        func walk(
            _ browser: Browser, from start: Double, steps: Int, metresPerStep: Double = 6
        ) async throws -> Double {
            var metres = start
            for _ in 0..<steps {
                metres += metresPerStep
                try await browser.setPosition(Self.origin.lat + metres / Self.metresPerDegree, Self.origin.lon)
                // A fix a second, as phones have them: the filter judges speed.
                try await Task.sleep(for: .milliseconds(700))
            }
            return metres
        }

        func stored(_ server: TestServer, _ session: Int64) async throws -> (
            count: Int64, distinct: Int64, last: Int64
        ) {
            let database = try await server.database()
            defer { database.close() }
            let row = try #require(
                try await database.query(
                    "SELECT count(*) AS n, count(DISTINCT seq) AS d, coalesce(max(seq), 0) AS last FROM points WHERE session_id = $1",
                    [.int(session)]
                ).first)
            return (try row.int("n"), try row.int("d"), try row.int("last"))
        }

        @Test(
            "Start, run, pause, resume, lose the server, reload, get it back, stop: nothing lost, nothing twice, and history shows it"
        )
        func whole() async throws {
            let server = try await WebRoot.start()
            let (page, connection, account) = try await Page.tracking(on: server, at: Self.origin)
            let browser = page.browser
            try await browser.script("await navigator.serviceWorker.ready; return true")
            try await browser.script(
                """
                const send = WebSocket.prototype.send;
                window.binarySent = 0;
                WebSocket.prototype.send = function (data) {
                  if (typeof data !== "string") window.binarySent += 1;
                  else if (data.includes("tracking.points")) window.binarySent = -Infinity;
                  return send.call(this, data);
                };
                """)
            let id = try await page.startTracking()

            var metres = try await walk(browser, from: 0, steps: 8)
            _ = try await eventually("points arrive in PostgreSQL") {
                try await stored(server, id).count >= 6 ? true : nil
            }
            #expect(try await browser.script("return window.binarySent > 0", as: Bool.self), "points go as JSON")
            try await browser.click("#pause")
            try await browser.wait("paused", "campanile.tracking.state === 'paused' && campanile.tracking.unsent === 0")
            let beforePause = try await session(connection, id)
            #expect(beforePause.distance > 10)
            // Half a kilometre by bus does not count.
            metres += 500
            try await browser.setPosition(Self.origin.lat + metres / Self.metresPerDegree, Self.origin.lon)
            _ = try await eventually("the server knows of the pause") {
                try await session(connection, id).state == .paused ? true : nil
            }
            try await browser.click("#resume")
            try await browser.wait("running", "campanile.tracking.state === 'running'")
            metres = try await walk(browser, from: metres, steps: 11)
            try await browser.wait("all are acknowledged", "campanile.tracking.unsent === 0")
            let afterPause = try await session(connection, id)
            let reasons = try await connection.call(TrackingSession.self, TrackingSession.Params(session: id))
                .notCounted
            #expect(afterPause.distance > beforePause.distance, "not counted: \(reasons)")
            #expect(afterPause.distance < beforePause.distance + 150)

            let acknowledged = try await stored(server, id)
            await server.stop()
            try await browser.setOffline(true)
            metres = try await walk(browser, from: metres, steps: 5)
            try await browser.wait(
                "points are kept and counted",
                "campanile.tracking.unsent >= 3 && Number(document.getElementById('figure-unsent').textContent) >= 3")
            try await browser.wait(
                "it says so", "document.getElementById('track-warnings').innerText.includes('re offline')")
            try await browser.screenshot("track-offline")
            let kept = try await browser.script("return campanile.tracking.unsent", as: Int.self)
            try await browser.reload()
            try await browser.wait(
                "the same session goes on, from the device",
                "campanile.tracking?.session === \(id) && campanile.tracking.unsent >= \(kept)")
            metres = try await walk(browser, from: metres, steps: 3)

            try await server.startAgain()
            try await browser.setOffline(false)
            try await page.live()
            try await browser.wait("all are acknowledged", "campanile.tracking.unsent === 0")
            let after = try await stored(server, id)
            #expect(after.count == after.distinct)
            #expect(after.count >= acknowledged.count + Int64(kept))
            #expect(after.count == after.last, "a number was left out or used for nothing")

            let reader = try await server.connect(token: account.token)
            try await browser.click("#stop")
            try await browser.click("#stop-dialog [data-answer=yes]")
            try await browser.wait(
                "the finish page, with the message word for word",
                "location.pathname === '/history/\(id)' && document.getElementById('saved-note')?.textContent === 'Session successfully saved'"
            )
            let finished = try await session(reader, id)
            #expect(finished.state == .finished)
            #expect(finished.points == Int(after.count) || finished.points == Int(after.count) + 1)
            try await expectHistory(page, id, finished)
            for connection in [connection, reader] { await connection.close() }
            try await page.expectQuietConsole(except: Page.networkErrors)
            await server.stop()
        }

        private func expectHistory(_ page: Page, _ id: Int64, _ session: Session) async throws {
            let browser = page.browser
            try await page.open("/history")
            let row = ".history-row[data-session=\"\(id)\"]"
            try await browser.wait("it is in the history", "document.querySelector('\(row)')")
            let text = try await browser.text("document.querySelector('\(row)').innerText")
            #expect(text.contains(String(format: "%.2f km", session.distance / 1_000)))
            #expect(text.contains(/\d\d:\d\d:\d\d/))
            #expect(text.contains(/[A-Z][a-z]{2} \d{1,2}, \d{4}, \d\d:\d\d/))
            #expect(text.contains("Urban Adventure"))
            try await browser.click(row)
            try await browser.wait(
                "the route is drawn",
                "[...document.querySelectorAll('.leaflet-overlay-pane path')].filter((path) => path.getAttribute('d').length > 20).length >= 2"
            )
            let speed = try await browser.text(
                "document.querySelector('#session-details [data-figure=speed]').textContent")
            #expect(speed == String(format: "%.2f m/s", session.averageSpeed))
            #expect(
                try await browser.text("document.querySelector('#session-figures [data-figure=rate]').textContent")
                    .contains(/^\d+:\d\d min\/km$/))
            try await browser.screenshot("history-session")
        }

        private func session(_ connection: CampanileConnection, _ id: Int64) async throws -> Session {
            let (server, session) = (connection, id)
            return try await server.call(TrackingSession.self, TrackingSession.Params(session: session)).session
        }
    }
}
