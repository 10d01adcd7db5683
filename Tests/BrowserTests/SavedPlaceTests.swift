import CampanileClient
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

extension WebMap {
    @Suite("Places one saved, searched for, and was at")
    struct SavedPlaceTests {
        private func row(_ name: String) -> String {
            "[...document.querySelectorAll('.saved-list .saved-row')].find((row) => row.querySelector('strong').textContent === '\(name)')"
        }

        @Test(
            "A place is saved from the map and from the search, renamed, shown on the live map and removed; searches are offered again and forgotten one by one and all"
        )
        func places() async throws {
            let (_, page) = try await Page.pair()
            let (connection, account) = try await page.signIn()
            let anna = Person(page: page, connection: connection, account: account.account.id)
            let browser = page.browser
            _ = try await connection.call(PrivacySettingsSave.self, .init(searches: true))
            try await page.open("/map/places")
            try await browser.wait(
                "nothing yet",
                "document.getElementById('saved-empty') && document.querySelector('#admin-map canvas') && document.getElementById('visited-off')"
            )
            try await anna.expectNames("places")
            try await browser.shots("places-1-empty-desktop")
            try await browser.click("#admin-map")
            try await browser.wait("a mark", "document.getElementById('save-marked')")
            try await browser.click("#save-marked")
            try await anna.expectDialog("#save-place")
            try await browser.click("#save-marked")
            try await browser.type("Meeting oak", into: "#saved-name")
            try await browser.press(Browser.enter)
            try await browser.wait("it is listed", row("Meeting oak"))
            try await search(anna)
            try await rename(anna)
            let id = try #require(
                try await connection.call(SavedList.self).places.first { $0.name == "Old oak" }?.id)
            try await page.open("/map?saved=\(id)")
            try await browser.wait(
                "it is on the live map",
                "[...document.querySelectorAll('.end-label')].some((label) => label.textContent === 'Old oak')")
            try await browser.shots("places-3-live-desktop")
            try await page.open("/map/places")
            try await forget(anna)
            try await page.expectQuietConsole(except: ["favicon.ico"])
            await connection.close()
        }

        private func search(_ anna: Person) async throws {
            let browser = anna.browser
            for (words, name) in [("weav libr", "Weaver Library"), ("kiosk", "Quad Kiosk")] {
                try await browser.type(words, into: "#places-search")
                try await browser.wait(
                    "\(name) is found",
                    "document.querySelector('[data-results=places-search] strong')?.textContent === '\(name)'")
                try await browser.press(Browser.enter)
                try await browser.wait(
                    "it is marked, and the words are kept",
                    "document.querySelector('#marked-place strong').textContent === '\(name)' && [...document.querySelectorAll('.recent')].some((one) => one.textContent === '\(words)')"
                )
            }
            try await browser.click("#save-marked")
            try await browser.wait("its name", "document.getElementById('saved-name').value === 'Quad Kiosk'")
            try await browser.press(Browser.enter)
            try await browser.wait("it is listed", row("Quad Kiosk"))
            let saved = try await anna.connection.call(SavedList.self).places
            #expect(saved.map(\.name) == ["Quad Kiosk", "Meeting oak"])
            #expect(saved.first?.place != nil && saved.last?.place == nil)
            try await browser.shots("places-2-desktop")
        }

        private func rename(_ anna: Person) async throws {
            let browser = anna.browser
            try await browser.click("[aria-label='Rename Meeting oak']")
            try await browser.type("Old oak", into: "#saved-name")
            try await browser.press(Browser.enter)
            try await browser.wait("it has the name", row("Old oak"))
            try await browser.click("[aria-label='Remove Quad Kiosk']")
            try await anna.expectDialog("#remove-saved")
            try await browser.click("[aria-label='Remove Quad Kiosk']")
            try await browser.click("#remove-saved [data-answer=yes]")
            try await browser.wait("it is gone", "!\(row("Quad Kiosk"))")
            #expect(try await anna.connection.call(SavedList.self).places.map(\.name) == ["Old oak"])
        }

        private func forget(_ anna: Person) async throws {
            let browser = anna.browser
            try await browser.wait("both are offered", "document.querySelectorAll('.recent').length === 2")
            try await browser.click("[aria-label='Delete “kiosk”']")
            try await browser.wait(
                "one is offered",
                "[...document.querySelectorAll('.recent')].map((one) => one.textContent).join() === 'weav libr'")
            try await browser.click(".recent")
            try await browser.wait("it searches", "document.querySelector('[data-results=places-search] .place-row')")
            try await WebEvents.EventTests.set("#places-search", to: "", in: browser)
            try await browser.wait("they are offered", "document.getElementById('erase-searches').checkVisibility()")
            try await browser.click("#erase-searches")
            try await browser.click("#erase-searches-dialog [data-answer=yes]")
            try await browser.wait("none is offered", "!document.querySelector('.recent')")
            #expect(try await anna.connection.call(SearchesList.self).searches.isEmpty)
        }

        @Test(
            "The most visited places say that this is off and where to switch it on; then they are listed, and forgotten after a question"
        )
        func visited() async throws {
            let server = try await WebRoot.start()
            let (phone, _) = try await Page.pair(on: server)
            let (connection, account) = try await phone.signIn()
            let anna = Person(page: phone, connection: connection, account: account.account.id)
            let browser = phone.browser
            try await phone.open("/map/places")
            try await browser.tap("#visited-off a")
            try await browser.wait(
                "there it is", "location.pathname === '/settings/privacy' && document.getElementById('privacy-visits')")
            try await browser.tap("label[for=privacy-visits]")
            try await browser.wait("saved", "document.querySelector('#privacy-shown .saved').dataset.state === 'saved'")
            let database = try await server.database()
            defer { database.close() }
            _ = try await database.query(
                "INSERT INTO visits (account_id, kind, subject_id, day) SELECT $1, 'place', id, current_date - n FROM places, generate_series(0, 2) n WHERE name = 'Weaver Library'",
                [.int(account.account.id)])
            try await phone.open("/map/places")
            try await browser.wait(
                "it is listed", "document.getElementById('visited-places').innerText.includes('On 3 days')")
            try await anna.expectNames("places with visits")
            try await browser.shots("places-4-visited-phone")
            try await browser.tap("#visited-places .place-row")
            try await browser.wait(
                "it is marked", "document.querySelector('#marked-place strong').textContent === 'Weaver Library'")
            try await browser.tap("#erase-visits")
            try await browser.tap("#erase-visits-dialog [data-answer=yes]")
            try await browser.wait("none is left", "document.getElementById('visited-empty')")
            #expect(try await connection.call(VisitsMost.self).places.isEmpty)
            await connection.close()
            await server.stop()
        }
    }
}
