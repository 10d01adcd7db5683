import Foundation
import Postgres
import TestSupport
import Testing
import Wire

extension WebMap {
    /// A guest at a phone, an admin at a desktop.
    @Suite("Directions and walks")
    struct RouteTests {
        /// A room on level 3 of the library, which two lifts reach.
        private static let room = "2103.03.201"
        /// In front of the library.
        private static let (latitude, longitude) = (51.50085, 8.0007)

        private static let instruction = "document.getElementById('walk-instruction').textContent"

        @Test(
            "A guest walks step-free to a room on another floor; an admin marks the lift out of order, and the phone shows the other way with the reason; it goes on without a network and after a reload, to the arrival"
        )
        func brokenLift() async throws {
            let server = try await WebRoot.start(hasRoutes: true)
            let room = try await Self.id(of: Self.room, on: server)
            let (phone, desktop) = try await Page.pair(on: server)
            let admin = try await Person.official("annaruns", .admin, at: desktop)
            let browser = phone.browser
            try await allowLocation(phone)
            try await browser.withEndableSockets {
                try await findRoute(to: room, at: phone)
                let lift = try await walkToLift(browser)
                try await close(lift, admin)
                try await browser.wait(
                    "the other way, with the reason",
                    "/\(lift)\\b.* out of order/.test(document.getElementById('walk-news').textContent)")
                try await browser.wait("the map marks it", "campanile.route.closures === 1")
                #expect(try await browser.axeFindings() == [])
                try await browser.shots("route-4-news-phone")
                try await browser.loseNetwork()
                try await browser.wait("it says so", "document.getElementById('walk-offline').checkVisibility()")
                try await browser.click("#walk-next")
                try await browser.shots("route-5-offline-phone")
                try await browser.setOffline(false)
            }
            try await phone.open("/walk")
            try await browser.wait("the walk goes on", "campanile.route.state === 'walking' && campanile.route.leg > 0")
            try await reopen(admin)
            try await arrive(browser)
            #expect(try await browser.script("return localStorage.getItem('campanile.walk') === null"))
            for page in [phone, desktop] {
                try await page.expectQuietConsole(except: ["favicon.ico"] + Page.networkErrors)
                try await page.browser.setScreen(nil)
            }
            await admin.connection.close()
            await server.stop()
        }

        @Test(
            "A start and a destination that no path joins get the server's sentence; without a destination the page asks for one; a walk without one leads to directions"
        )
        func problems() async throws {
            let server = try await WebRoot.start(hasRoutes: true)
            let (phone, _) = try await Page.pair(on: server)
            let browser = phone.browser
            try await phone.open("/route")
            try await browser.wait(
                "it asks", "document.getElementById('route-status').textContent === 'Choose where you want to go.'")
            try await phone.open("/route?from=10.000000,20.000000&to=\(Self.latitude),\(Self.longitude)")
            try await browser.wait(
                "what to do",
                "/The start is outside the campus: choose/.test(document.getElementById('route-problem')?.textContent)")
            #expect(try await browser.axeFindings() == [])
            try await phone.open("/route?from=\(Self.latitude),\(Self.longitude)&to=room/999999999")
            try await browser.wait(
                "an unknown room", "document.getElementById('route-problem')?.textContent.length > 10")
            try await phone.open("/walk")
            try await browser.wait("the way to one", "document.querySelector('main a[href=\"/route\"]')")
            await server.stop()
        }

        // MARK: the guest

        private static func id(of code: String, on server: TestServer) async throws -> Int64 {
            let database = try await server.database()
            defer { database.close() }
            let rows = try await database.query("SELECT id FROM rooms WHERE code = $1", [.text(code)])
            return try #require(rows.first).int("id")
        }

        private func allowLocation(_ page: Page) async throws {
            try await page.browser.cdp(
                "Browser.setPermission",
                ["permission": ["name": "geolocation"], "setting": "granted", "origin": page.origin])
            try await page.browser.setPosition(Self.latitude, Self.longitude)
        }

        private func findRoute(to room: Int64, at phone: Page) async throws {
            let browser = phone.browser
            try await phone.open("/route?to=room/\(room)")
            try await browser.click("#route-options")
            try await browser.wait(
                "the words of the requirements",
                "['Avoid Pedestrian Traffic', 'Disability Friendly Route'].every((words) => document.getElementById('preferences').textContent.includes(words))"
            )
            try await browser.click("label[for=prefer-stepFree]")
            #expect(try await browser.axeFindings() == [])
            try await browser.click("#preferences-done")
            try await browser.wait(
                "directions with a lift and a plan",
                "/lift to level 3/.test(document.getElementById('directions')?.textContent) && campanile.route.rooms > 0"
            )
            #expect(try await browser.axeFindings() == [])
            try await browser.shots("route-1-directions-phone")
            try await browser.click("#start-walk")
            try await browser.wait("the first instruction", "\(Self.instruction).length > 0")
        }

        /// Steps to the lift. Returns its name.
        private func walkToLift(_ browser: Browser) async throws -> String {
            try await browser.shots("route-2-walk-phone")
            for _ in 0..<12 where try await !browser.script("return /lift to level 3/.test(\(Self.instruction))") {
                let leg = try await browser.script("return campanile.route.leg", as: Int.self)
                try await browser.click("#walk-next")
                try await browser.wait("the next step", "campanile.route.leg > \(leg)")
            }
            #expect(try await browser.script("return /lift to level 3/.test(\(Self.instruction))"))
            #expect(
                try await browser.text("document.getElementById('walk-next').textContent") == "I'm on level 3")
            #expect(try await browser.axeFindings() == [])
            try await browser.shots("route-3-lift-phone")
            let kept = "JSON.parse(localStorage.getItem('campanile.walk')).route.legs"
            return try await browser.text("\(kept).find(({ kind }) => kind === 'lift').name ?? 'Lift'")
        }

        private func arrive(_ browser: Browser) async throws {
            for _ in 0..<20 where try await browser.script("return campanile.route.state === 'walking'") {
                try await browser.click("#walk-next")
            }
            try await browser.wait(
                "the arrival", "/^You've arrived/.test(document.getElementById('walk-arrived')?.textContent)")
            #expect(try await browser.axeFindings() == [])
            try await browser.shots("route-6-arrived-phone")
        }

        // MARK: the admin

        private func close(_ lift: String, _ admin: Person) async throws {
            let browser = admin.browser
            try await admin.page.open("/admin/closures")
            try await browser.wait("everything is open", "document.getElementById('closures-empty')")
            try await admin.expectNames("closures")
            try await browser.type(lift, into: "#closable-search")
            let row =
                "[...document.querySelectorAll('#closable .place-row')].find((row) => row.textContent.includes('Weaver Library'))"
            try await browser.wait("the lift", "document.querySelectorAll('#closable li').length < 20 && \(row)")
            try await browser.shots("route-7-closures-desktop")
            try await browser.script("\(row).click(); return true")
            try await browser.wait("the dialog", "document.querySelector('#closure-dialog[open]')")
            try await browser.type("Waiting for a part", into: "#field-reason")
            try await admin.expectNames("a closure")
            #expect(try await browser.axeFindings() == [])
            try await browser.click("#closure-form-submit")
            try await browser.wait("it is closed", "document.querySelector('.closure[data-state=active]')")
            #expect(try await browser.axeFindings() == [])
            try await browser.shots("route-8-closed-desktop")
        }

        private func reopen(_ admin: Person) async throws {
            try await admin.browser.click(".closure[data-state=active] button")
            try await admin.browser.wait("it is open", "document.getElementById('closures-empty')")
        }
    }
}
