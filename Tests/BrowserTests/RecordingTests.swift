import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

extension WebTracking.TrackTests {
    /// Answers the browser's question for the location.
    private func setLocation(allowed: Bool, _ page: Page) async throws {
        try await page.browser.cdp(
            "Browser.setPermission",
            [
                "permission": ["name": "geolocation"], "setting": allowed ? "granted" : "denied",
                "origin": page.origin,
            ])
    }

    private func stop(_ browser: Browser) async throws {
        try await browser.click("#stop")
        try await browser.click("#stop-dialog [data-answer=yes]")
    }

    @Test(
        "With the location blocked Start explains how to allow it and begins nothing; it starts once it is allowed, or without a map on purpose, and what is recorded can be renamed and deleted"
    )
    func blocked() async throws {
        let server = try await WebRoot.start()
        let page = try await Page.fresh(on: server)
        let browser = page.browser
        try await setLocation(allowed: false, page)
        let (connection, _) = try await page.signIn()
        try await browser.setScreen(.phone)
        try await page.open("/track")
        try await browser.click("#start")
        try await browser.wait(
            "it explains what to do",
            "document.querySelector('[data-gate=trouble]')?.innerText.includes('Location is blocked') && document.querySelectorAll('.steps li').length >= 3"
        )
        try await browser.shots("track-blocked-phone")
        #expect(try await connection.call(TrackingCurrent.self).sessions.isEmpty)
        // Still blocked: the same again, and no session.
        try await browser.click("#start-again")
        try await browser.wait("it explains again", "document.querySelector('[data-gate=trouble]')")
        #expect(try await browser.script("return campanile.tracking === null"))

        try await browser.click("#start-without")
        try await browser.wait("it records the time", "campanile.tracking?.session > 0")
        #expect(
            try await browser.script(
                "return !document.getElementById('figure-distance').checkVisibility() && document.getElementById('figure-time').checkVisibility()"
            ))
        try await browser.shots("track-time-only-phone")
        let timed = try await browser.script("return campanile.tracking.session", as: Int.self)
        try await stop(browser)
        try await browser.wait("the finish page says so", "document.getElementById('time-only')")
        try await browser.click("#rename")
        try await browser.type("Laps in the hall", into: "#field-title")
        try await browser.click("#rename-form-submit")
        try await browser.wait("another title", "document.querySelector('h1').textContent === 'Laps in the hall'")
        try await browser.shots("finish-time-only-phone")
        try await browser.click("#finish-done")
        let row = "document.querySelector('.history-row[data-session=\"\(timed)\"]')"
        try await browser.wait("it is labelled", "\(row).innerText.includes('Time only')")
        #expect(try await browser.text("\(row).innerText").contains("Laps in the hall"))
        #expect(try await !browser.text("\(row).innerText").contains("0.00 km"))

        try await page.open("/track")
        try await browser.click("#start")
        try await browser.wait("it is blocked", "document.getElementById('start-again')")
        try await setLocation(allowed: true, page)
        try await browser.setPosition(Self.origin.lat, Self.origin.lon)
        try await browser.click("#start-again")
        try await browser.wait("it starts by itself", "campanile.tracking?.session > 0")
        let mapped = try await browser.script("return campanile.tracking.session", as: Int.self)
        try await browser.wait("with its first position", "campanile.tracking.unsent === 0")
        try await stop(browser)
        try await browser.wait("the finish page", "location.pathname === '/history/\(mapped)'")
        let points = try await connection.call(TrackingSession.self, .init(session: Int64(mapped))).session.points
        #expect(points >= 1)
        try await browser.click("#delete")
        try await browser.click("#delete-dialog [data-answer=yes]")
        try await browser.wait("the history", "location.pathname === '/history' && \(row)")
        #expect(
            try await browser.script("return document.querySelector('[data-session=\"\(mapped)\"]') === null"))
        #expect(try await connection.call(TrackingHistory.self, .init()).sessions.map(\.id) == [Int64(timed)])

        let other = try await connection.call(
            TrackingStart.self, .init(activity: .cycle, clientId: UUID().uuidString)
        ).session.id
        try await page.open("/track")
        try await browser.click("[data-elsewhere=\"\(other)\"] .row > button:last-child")
        try await browser.click("#stop-dialog [data-answer=yes]")
        try await browser.wait(
            "that another device's session was saved shows",
            "document.querySelector('#saved-note a')?.getAttribute('href') === '/history/\(other)' && !document.querySelector('[data-elsewhere]')"
        )
        try await browser.setScreen(nil)
        await connection.close()
        try await page.expectQuietConsole(except: ["favicon.ico"])
        await server.stop()
    }

    /// Pages opened afterwards have a browser that opens its storage two seconds late.
    private static let slowStorage = """
        const { open } = IDBFactory.prototype;
        IDBFactory.prototype.open = function (...given) {
          const request = open.apply(this, given);
          const late = (event) => { window.lastDatabase = request.result; return event; };
          Object.defineProperty(request, "onsuccess", {
            set(listener) { request.addEventListener("success", (event) => setTimeout(() => listener(late(event)), 2_000)); },
          });
          return request;
        };
        """

    @Test("A run starts although the browser opens its storage late, and goes on when the browser closes the storage")
    func storageOpensLate() async throws {
        let server = try await WebRoot.start()
        let (page, connection, _) = try await Page.tracking(on: server, at: Self.origin)
        let browser = page.browser
        let added = try await browser.cdp("Page.addScriptToEvaluateOnNewDocument", ["source": Self.slowStorage])
        let identifier = (added as? [String: Any])?["identifier"] as? String ?? ""
        try await page.open("/track")
        #expect(try await browser.script("return window.lastDatabase === undefined"))
        let id = try await page.startTracking()
        try await browser.script(
            "window.lastDatabase.close(); window.lastDatabase.dispatchEvent(new Event('close')); return true")
        _ = try await walk(browser, from: 0, steps: 3)
        try await browser.wait("all is sent", "campanile.tracking.unsent === 0")
        let points = try await connection.call(TrackingSession.self, .init(session: id)).session.points
        #expect(points >= 3)
        try await browser.cdp("Page.removeScriptToEvaluateOnNewDocument", ["identifier": identifier])
        try await page.expectQuietConsole()
        await connection.close()
        await server.stop()
    }

    @Test("A run that ended without a network is in the open history as waiting, and as saved once it is uploaded")
    func uploadedLater() async throws {
        let server = try await WebRoot.start()
        let (page, connection, _) = try await Page.tracking(on: server, at: Self.origin)
        let browser = page.browser
        try await browser.script("await navigator.serviceWorker.ready; return true")
        let id = try await page.startTracking()
        _ = try await walk(browser, from: 0, steps: 4)
        await connection.close()
        await server.stop()
        try await browser.wait("it is noticed", "campanile.connection.state !== 'live'")
        try await stop(browser)
        try await browser.wait(
            "it is kept", "document.getElementById('waiting-note')?.innerText.includes('is saved on this device')")
        try await browser.click("#track-page a[href=\"/history\"]")
        try await browser.wait("it waits", "document.querySelector('.history-row[data-waiting]')")
        try await browser.shots("history-waiting")
        try await server.startAgain()
        try await browser.wait(
            "it is there without a reload",
            "document.querySelector('.history-row[data-session=\"\(id)\"]') && !document.querySelector('.history-row[data-waiting]')"
        )
        try await page.expectQuietConsole(except: Page.networkErrors)
        await server.stop()
    }
}

extension WebMap.MapTests {
    /// Pages opened afterwards hear and say nothing while `window.isSilent` is set, as when a network is lost under an open socket.
    private static let silencing = """
        window.WebSocket = class extends WebSocket {
          send(data) { if (!window.isSilent) super.send(data); }
          set onmessage(listener) { super.onmessage = listener && ((event) => { if (!window.isSilent) listener(event); }); }
        };
        """

    /// What goes wrong in pages opened afterwards is in `window.failures`.
    private static let watching = """
        window.failures = [];
        addEventListener("error", ({ message }) => { if (message) window.failures.push(message); });
        """

    /// Without a map who is in the list can be followed, and left again.
    private func followWithoutMap(_ page: Page, _ row: String) async throws {
        let browser = page.browser
        let added = try await browser.cdp("Page.addScriptToEvaluateOnNewDocument", ["source": Self.watching])
        let identifier = (added as? [String: Any])?["identifier"] as? String ?? ""
        try await browser.cdp("Network.enable")
        try await browser.cdp("Network.setBlockedURLs", ["urls": ["*" + WebRoot.maps()]])
        try await page.open("/map")
        try await browser.wait("no map", "document.querySelector('.map-problem') && \(row)")
        try await browser.script("\(row).click(); return true")
        try await browser.wait(
            "followed", "document.getElementById('follow-card') && \(row).ariaCurrent === 'true'")
        try await browser.script("\(row).click(); return true")
        try await browser.click("#stop-following")
        try await browser.wait(
            "no more", "!document.getElementById('follow-card') && \(row).ariaCurrent === 'false'")
        #expect(try await browser.script("return window.failures", as: [String].self).isEmpty)
        try await browser.cdp("Network.setBlockedURLs", ["urls": [String]()])
        try await browser.cdp("Page.removeScriptToEvaluateOnNewDocument", ["identifier": identifier])
    }

    @Test("When the network falls silent the badge and the list say so in seconds, and the runner's clock stands still")
    func silence() async throws {
        let server = try await WebRoot.start()
        let page = try await Page.fresh(on: server)
        let browser = page.browser
        let run = try await makeRuns(1, on: server)[0]
        let added = try await browser.cdp("Page.addScriptToEvaluateOnNewDocument", ["source": Self.silencing])
        let identifier = (added as? [String: Any])?["identifier"] as? String ?? ""
        try await page.open("/map")
        let row = "document.querySelector('.runner-row[data-session=\"\(await run.id)\"]')"
        try await browser.wait("the runner moves", "\(row)?.dataset.state === 'moving'")
        try await browser.script("window.isSilent = true; return true")
        try await browser.wait(
            "it is said",
            "document.querySelector('.badge-text').textContent === 'Reconnecting' && \(row).innerText.includes('Was moving')"
        )
        let clock = "\(row).querySelector('.runner-figures').children[1].textContent"
        let (before, state) = (try await browser.text(clock), try await browser.text("\(row).dataset.state"))
        #expect(state == "unknown")
        try await browser.shots("map-silent")
        // The list is drawn each second: its ages go on, its clock does not.
        let age = try await browser.text("\(row).querySelector('.runner-state').textContent")
        try await browser.wait(
            "it is drawn anew", "\(row).querySelector('.runner-state').textContent !== \(Browser.quoted(age))")
        #expect(try await browser.text(clock) == before)
        try await browser.script("window.isSilent = false; return true")
        try await page.live()
        try await browser.wait("it moves again", "\(row)?.dataset.state !== 'unknown'")
        try await browser.cdp("Page.removeScriptToEvaluateOnNewDocument", ["identifier": identifier])
        try await followWithoutMap(page, row)
        try await page.expectQuietConsole(except: Page.networkErrors)
        await server.stop()
    }
}
