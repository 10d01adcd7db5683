import TestSupport
import Testing
import Wire

extension WebTracking {
    /// An admin at a desktop, a guest at a phone.
    @Suite("Campus admin: places and zones")
    struct AdminPlaceTests {
        @Test(
            "An admin marks a place by a tap and draws a zone by its corners; another browser's map has both; what is removed can be brought back from the keyboard"
        )
        func places() async throws {
            let server = try await WebRoot.start()
            let (phone, desktop) = try await Page.pair(on: server)
            let admin = try await Person.official("annaruns", .admin, at: desktop)
            try await mark(admin)
            try await draw(admin)
            try await phone.open("/events")
            try await phone.browser.wait(
                "a guest can choose the zone",
                "[...document.querySelectorAll('#event-zone option')].some((zone) => zone.textContent === 'Oak lawn')")
            try await phone.open("/map")
            try await phone.browser.wait(
                "both are drawn", "['Meeting oak', 'Oak lawn'].every((name) => campanile.campus.drawn.includes(name))")
            try await phone.browser.shots("admin-13-map-phone")
            try await bringBack(admin)
            for page in [phone, desktop] {
                try await page.expectQuietConsole(except: ["favicon.ico"])
                try await page.browser.setScreen(nil)
            }
            await admin.connection.close()
            await server.stop()
        }

        private func mark(_ admin: Person) async throws {
            let browser = admin.browser
            try await admin.page.open("/admin/places")
            try await browser.wait(
                "places and a map",
                "document.querySelector('.place-row') && document.querySelector('#admin-map canvas') && campanile.campus.drawn.length > 0"
            )
            try await admin.expectNames("places")
            try await browser.shots("admin-10-places-desktop")
            try await tap(browser, right: 0.45, down: 0.8)
            try await browser.wait(
                "a new place, there",
                "document.querySelector('#place-card h2')?.textContent === 'New place' && document.getElementById('place-zone').textContent === 'In Arboretum.'"
            )
            let south = try await browser.text("document.getElementById('field-lat').value")
            try await browser.click("#mark-middle")
            try await browser.wait(
                "the keyboard's way", "Number(document.getElementById('field-lat').value) > \(south)")
            try await tap(browser, right: 0.45, down: 0.8)
            try await browser.wait("back", "Math.abs(document.getElementById('field-lat').value - \(south)) < 1e-4")
            try await browser.click("#place-form-submit")
            try await browser.wait("it needs a name", "document.querySelector('[data-problem=name]').textContent")
            try await browser.type("Meeting oak", into: "#field-name")
            try await browser.type("meeting point", into: "#field-kind")
            try await admin.expectNames("a new place")
            try await browser.shots("admin-11-place-desktop")
            try await browser.click("#place-form-submit")
            try await browser.wait(
                "it is listed, and has the focus", "\(Self.row("Meeting oak")) === document.activeElement")
            #expect(try await browser.script("return campanile.campus.drawn.includes('Meeting oak')"))
        }

        /// Clicks the map at a part of its width and height.
        private func tap(_ browser: Browser, right: Double, down: Double) async throws {
            let point = try await browser.script(
                "const box = document.getElementById('admin-map').getBoundingClientRect(); return [box.left + box.width * \(right), box.top + box.height * \(down)].map(String)",
                as: [String].self
            ).compactMap(Double.init)
            for type in ["mousePressed", "mouseReleased"] {
                try await browser.cdp(
                    "Input.dispatchMouseEvent",
                    ["type": type, "x": point[0], "y": point[1], "button": "left", "clickCount": 1])
            }
        }

        private func draw(_ admin: Person) async throws {
            let browser = admin.browser
            try await browser.click("[data-show=zones]")
            try await browser.wait("zones", Self.row("Arboretum"))
            try await browser.click("#add-place")
            try await browser.click("#outline-middle")
            try await browser.wait("a corner", "document.getElementById('outline-note').textContent.startsWith('1 of')")
            try await browser.click(".outline-text summary")
            try await outline("51.4965, 7.9990\n51.4972, 8.0000\n51.4965, 8.0000\n51.4972, 7.9990", browser)
            try await browser.wait(
                "crossing lines", "document.getElementById('outline-problem').textContent.includes('cross')")
            try await outline("51.4965, 7.9990\n51.4965, 8.0000\n51.4972, 8.0000\n51.4972, 7.9990", browser)
            try await browser.wait(
                "an outline", "document.getElementById('outline-note').textContent.startsWith('4 corners, 5,')")
            try await browser.click("#outline-undo")
            try await browser.wait(
                "a step back", "document.getElementById('outline-problem').textContent.includes('cross')")
            try await outline("51.4965, 7.9990\n51.4965, 8.0000\n51.4972, 8.0000\n51.4972, 7.9990", browser)
            try await browser.type("Oak lawn", into: "#field-name")
            try await browser.type("OL", into: "#field-ref")
            try await admin.expectNames("a new zone")
            try await browser.shots("admin-12-zone-desktop")
            try await browser.click("#zone-form-submit")
            try await browser.wait(
                "it is listed, and has the focus", "\(Self.row("Oak lawn")) === document.activeElement")
        }

        /// Presses Remove until the dialog is open: a change just before has the form drawn anew, and a press at that moment is lost.
        private static func remove(_ what: String, _ dialog: String, in browser: Browser) async throws {
            try await browser.wait(
                "\(dialog) opens",
                "document.querySelector('\(dialog)[open]') || document.getElementById('remove-\(what)')?.click()")
        }

        private func bringBack(_ admin: Person) async throws {
            let browser = admin.browser
            for (what, name, dialog) in [
                ("zone", "Oak lawn", "#delete-zone"), ("place", "Meeting oak", "#delete-place"),
            ] {
                try await browser.click("[data-show=\(what)s]")
                try await browser.wait(name, Self.row(name))
                try await browser.script("\(Self.row(name)).click(); return true")
                try await Self.remove(what, dialog, in: browser)
                try await admin.expectDialog(dialog)
                try await Self.remove(what, dialog, in: browser)
                try await browser.shots("admin-14-remove-\(what)-desktop")
                try await browser.click("\(dialog) [data-answer=yes]")
                try await browser.wait(
                    "\(name) is gone, and Undo has the focus",
                    "document.activeElement.id === 'undo-removal' && !\(Self.row(name)) && !campanile.campus.drawn.includes('\(name)')"
                )
                try await browser.press(Browser.enter)
                try await browser.wait(
                    "\(name) is back", "\(Self.row(name)) && campanile.campus.drawn.includes('\(name)')")
            }
        }

        private func outline(_ text: String, _ browser: Browser) async throws {
            try await browser.script(
                """
                const field = document.getElementById('field-outline');
                field.value = \(Browser.quoted(text).replacing("\n", with: "\\n"));
                field.dispatchEvent(new Event('change', { bubbles: true }));
                return true;
                """)
        }

        private static func row(_ name: String) -> String {
            "[...document.querySelectorAll('#place-list .place-row')].find((row) => row.checkVisibility() && row.querySelector('strong').textContent === '\(name)')"
        }
    }
}
