import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

extension WebMap {
    @Suite("Who watches, in the browser")
    struct WatchingTests {
        private typealias Events = AsyncStream<LiveEvent<SessionSnapshot, SessionUpdate>>

        private static let watching = "document.getElementById('watching')?.textContent"
        private static let note = "document.getElementById('watching-note')?.textContent"
        private static let names = "[...document.querySelectorAll('.watcher-names li')].map((item) => item.textContent)"

        /// Takes the page's picture at both sizes, light and dark.
        private func pictures(_ browser: Browser, _ name: String) async throws {
            for (isPhone, isDark) in [(false, false), (false, true), (true, true), (true, false)] {
                try await browser.setPhone(isPhone)
                try await browser.setDark(isDark)
                try await browser.wait("drawn", "document.querySelector('.watchers')?.checkVisibility()")
                let widths = try await browser.script(
                    "return [document.scrollingElement.scrollWidth, innerWidth]", as: [Int].self)
                #expect(widths[0] <= widths[1])
                try await browser.script(
                    "document.getElementById('watching').scrollIntoView({ block: 'center' }); return true")
                try await browser.screenshot("\(name)-\(isPhone ? "phone" : "desktop")-\(isDark ? "dark" : "light")")
            }
            try await browser.setPhone(false)
        }

        @Test("The runner sees how many watch and the names of who is signed in, and that nobody does any more")
        func runner() async throws {
            let server = try await WebRoot.start()
            let (page, owner, _) = try await Page.tracking(on: server, at: (51.5, 8.0))
            let browser = page.browser
            let id = try await page.startTracking()
            try await browser.wait("nobody", "\(Self.watching) === 'Nobody is watching'")
            try await owner.call(TrackingAudience.self, .init(session: id, audience: .public))
            // ErasureHandlers find it when it has been seen.
            let guest = try await server.connect()
            var step = 0.0
            _ = try await eventually("it is seen") { () -> Bool? in
                step += 1
                try await browser.setPosition(51.5 + step * 0.000_03, 8.0)
                try await Task.sleep(for: .seconds(1))
                return (try? await guest.call(TrackingSession.self, .init(session: id))) == nil ? nil : true
            }
            await guest.close()
            var connections: [CampanileConnection] = []
            var streams: [Events] = []
            for name in ["zoe", "bob", nil, "ann", nil] {
                let connection =
                    if let name { try await server.register("\(name)runs").connection } else {
                        try await server.connect()
                    }
                connections.append(connection)
                streams.append(try await connection.subscribe(to: .session(id)))
            }
            try await browser.wait("the count", "\(Self.watching) === '5 watching'")
            #expect(
                try await browser.script("return \(Self.names)", as: [String].self) == [
                    "annruns", "bobruns", "zoeruns", "2 guests",
                ])
            try await pictures(browser, "watchers-track")
            for connection in connections { await connection.close() }
            try await browser.wait("nobody again", "\(Self.watching) === 'Nobody is watching'")
            #expect(try await browser.script("return \(Self.names)", as: [String].self).isEmpty)
            #expect(streams.count == 5)
            await owner.close()
            try await page.expectQuietConsole(except: ["favicon.ico"])
            await server.stop()
        }

        @Test(
            "Who watches is told how many do and what the runner sees of it: as a guest by a link, and signed in on the map"
        )
        func watcher() async throws {
            let server = try await WebRoot.start()
            let page = try await Page.fresh(on: server)
            let browser = page.browser
            let run = try await TestRun(on: server, audience: .campus)
            try await run.run(30)
            let (other, account) = try await server.register("annruns")
            let stream = try await other.subscribe(to: .session(await run.id))
            let link = try await run.connection.call(TrackingLink.self, .init(session: await run.id)).link
            try await page.open(link.path)
            try await browser.wait("the count", "\(Self.watching) === '2 watching'")
            #expect(
                try await browser.text(Self.note)
                    == "\(run.name) sees how many guests watch, but not who you are.")
            try await pictures(browser, "watchers-link")
            let (connection, _) = try await page.signIn()
            try await page.open("/map?follow=\(await run.id)")
            try await browser.wait("the count", "\(Self.watching) === '2 watching'")
            #expect(
                try await browser.text(Self.note) == "\(run.name) sees your name while you watch.")
            #expect(
                try await browser.script(
                    "return !document.body.innerText.includes('\(account.account.username)') && \(Self.names).length === 0"
                ))
            try await pictures(browser, "watchers-map")
            withExtendedLifetime(stream) {}
            for one in [connection, other, run.connection] { await one.close() }
            try await page.expectQuietConsole(except: ["favicon.ico"])
            await server.stop()
        }
    }
}
