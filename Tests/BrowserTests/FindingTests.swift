import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

extension WebMap {
    @Suite("Finding a place")
    struct FindingTests {
        private static let option = "document.querySelector('#search-results [role=option] strong')?.textContent"
        private static let heading = "document.querySelector('h1')?.textContent"
        /// Points of the map that are tapped until one is on a building.
        private static let (columns, rows) = (9, 9)

        @Test(
            "A guest gets to the search from the start page and the live map with one tap, finds a place with the keyboard, opens its page, and finds the search again on the way back"
        )
        func guest() async throws {
            let (phone, desktop) = try await Page.pair()
            let browser = desktop.browser
            for (path, link) in [("/", "#find"), ("/map", "#to-search")] {
                try await phone.open(path)
                try await phone.browser.wait("\(path) leads to the search", "document.querySelector('\(link)')")
                try await phone.browser.tap(link)
                try await phone.browser.wait("the search", "document.querySelector('#search[role=combobox]')")
            }
            try await desktop.open("/search")
            try await browser.wait("the field has the focus", "document.activeElement?.id === 'search'")
            try await browser.type("weav libr", into: "#search")
            try await browser.wait("it is found", "\(Self.option) === 'Weaver Library'")
            try await browser.press(.down)
            try await browser.wait(
                "the first result is the active one, on the map, too",
                """
                document.getElementById(document.getElementById('search').getAttribute('aria-activedescendant'))?.ariaSelected === 'true'
                    && document.querySelector('.place-mark .number-mark.is-active')
                """)
            #expect(try await browser.axeFindings() == [])
            try await browser.shots("search-1-found-desktop")
            try await browser.press(.enter)
            try await browser.wait(
                "its page", "\(Self.heading) === 'Weaver Library' && document.getElementById('navigate')")
            #expect(try await browser.text("location.pathname").wholeMatch(of: /\/place\/(place|building)\/\d+/) != nil)
            #expect(
                try await browser.text(
                    "document.getElementById('navigate').pathname + document.getElementById('navigate').search"
                )
                .hasPrefix("/route?to="))
            try await browser.expectAccessible("search-2-place")
            try await browser.script("history.back(); return true")
            try await browser.wait(
                "the results again", "document.getElementById('search')?.value === 'weav libr' && \(Self.option)")
            try await desktop.expectQuietConsole(except: ["favicon.ico"])
        }

        @Test("No match says so and how to go on; the filters can be removed; an address that is no place says so")
        func none() async throws {
            let page = try await Page.fresh()
            let browser = page.browser
            try await page.open("/search?q=qqqqqqqq&open=1")
            try await browser.wait(
                "no match",
                "document.querySelector('.place-search')?.textContent.includes('No places match “qqqqqqqq” with these filters.')"
            )
            #expect(try await browser.axeFindings() == [])
            let advice = try await browser.text("document.querySelector('.place-search').textContent")
            #expect(!advice.contains("spelling"))
            try await browser.tap("#search-unfiltered")
            try await browser.wait(
                "without filters",
                "location.search === '?q=qqqqqqqq' && document.querySelector('.place-search').textContent.includes('No places match “qqqqqqqq”.')"
            )
            try await browser.shots("search-3-none-phone")
            for path in ["/place/place/999999", "/place/planet/1"] {
                try await page.open(path)
                try await browser.wait(
                    "\(path) is no place", "\(Self.heading) === \(Browser.quoted("This place isn't here"))")
            }
        }

        @Test(
            "Places nearby are sorted by walking time from the position that was asked for, and each leads to its page")
        func nearby() async throws {
            let page = try await Page.fresh()
            let browser = page.browser
            try await page.locate(51.5, 8)
            try await page.open("/nearby")
            try await browser.wait("places", "document.querySelectorAll('#nearby-list li').length > 2")
            try await browser.tap("#nearby-locate")
            try await browser.wait(
                "from here", "document.getElementById('nearby-from').textContent.startsWith('From your location')")
            let minutes = try await browser.script(
                "return [...document.querySelectorAll('.walk-time')].map((time) => parseInt(time.textContent))",
                as: [Int].self)
            #expect(minutes == minutes.sorted() && !minutes.isEmpty)
            #expect(try await browser.axeFindings() == [])
            try await browser.shots("search-4-nearby-phone")
            try await browser.tap("#nearby-list [data-others='toilets']")
            try await browser.wait(
                "all toilets with their building, and the focus on their button",
                """
                document.querySelectorAll('#nearby-list li').length > 1 && !document.querySelector('#nearby-list [data-others]')
                    && [...document.querySelectorAll('#nearby-list strong')].every((name) => name.textContent === 'Toilets')
                    && /Library|Hall|Building/.test(document.querySelector('#nearby-list .muted').textContent)
                    && document.activeElement?.dataset.class === 'toilets'
                """)
            try await browser.tap(".nearby-classes [data-class='']")
            try await browser.wait("all kinds", "document.querySelector('#nearby-list [data-others]')")
            let name = try await browser.text("document.querySelector('#nearby-list strong').textContent")
            try await browser.tap("#nearby-list a")
            try await browser.wait("its page", "\(Self.heading) === \(Browser.quoted(name))")
        }

        @Test("A tap on a building of the live map shows its card, which leads to its page")
        func tapped() async throws {
            let page = try await Page.fresh()
            let browser = page.browser
            try await page.open("/map")
            try await browser.wait(
                "the map", "document.querySelector('#map canvas') && campanile.campus.drawn.length > 0")
            try await browser.wait("its names", "campanile.names().length > 0")
            for index in 0..<(Self.columns * Self.rows) {
                let (column, row) = (index % Self.columns, index / Self.columns)
                try await browser.script(
                    """
                    const { left, top, width, height } = document.getElementById('map').getBoundingClientRect();
                    const at = { clientX: left + width * \(Double(column + 1) / 10), clientY: top + height * \(Double(row + 1) / 22), bubbles: true };
                    for (const type of ['mousedown', 'mouseup', 'click']) document.getElementById('map').dispatchEvent(new MouseEvent(type, at));
                    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
                    return true;
                    """)
                if try await browser.script("return document.getElementById('tapped-place') !== null") { break }
            }
            try await browser.wait("a card", "document.getElementById('tapped-details')")
            #expect(try await browser.axeFindings() == [])
            try await browser.shots("search-5-tapped-phone")
            let name = try await browser.text("document.getElementById('tapped-name').textContent")
            try await browser.tap("#tapped-details")
            try await browser.wait("its page", "\(Self.heading) === \(Browser.quoted(name))")
        }

        @Test(
            "A place is saved and shared in a chat from its page, which is shown with its age without a network, where the search finds what is drawn"
        )
        func account() async throws {
            let server = try await WebRoot.start()
            let (anna, ben, conversation) = try await Person.buddies(on: server)
            let browser = anna.browser
            let place = try #require(
                try await anna.connection.call(PlacesList.self, .init(text: "Weaver Library")).places.first)
            try await browser.withEndableSockets {
                try await anna.page.open("/place/place/\(place.id)")
                try await browser.wait("its page", "document.getElementById('share-place-button')")
                try await browser.tap("#save-place-button")
                try await browser.tap("#save-place-form-submit")
                try await browser.wait(
                    "it is saved",
                    "document.getElementById('save-place-button').getAttribute('aria-pressed') === 'true'")
                #expect(try await anna.connection.call(SavedList.self).places.map(\.place) == [place.id])
                try await browser.tap("#share-place-button")
                try await anna.expectDialog("#share-place")
                try await browser.tap("#share-place-button")
                try await browser.tap("[data-conversation='\(conversation)']")
                try await ben.page.open("/chats/\(conversation)")
                try await ben.browser.wait(
                    "Ben has the link", "document.querySelector('#messages a[href$=\"/place/place/\(place.id)\"]')")
                try await browser.wait("what pages need is kept", "navigator.serviceWorker.controller")
                try await browser.loseNetwork()
                try await browser.script(
                    "history.pushState(null, '', '/search?q=weaver'); dispatchEvent(new PopStateEvent('popstate')); return true"
                )
                try await browser.wait(
                    "found on the map",
                    "\(Self.option) === 'Weaver Library' && document.querySelector('.place-search').textContent.includes('These are from the campus map.')"
                )
                try await browser.tap("#search-results [role=option]")
                try await browser.wait(
                    "its page with its age",
                    "\(Self.heading) === 'Weaver Library' && document.querySelector('.kept-note:not([hidden])')?.textContent.includes('Last updated')"
                )
                try await browser.setOffline(false)
            }
            for person in [anna, ben] { try await person.leave() }
            await server.stop()
        }

        @Test(
            "An admin lets somebody manage a place; they edit its page, and what cannot be evaluated is shown as it was written"
        )
        func managed() async throws {
            let server = try await WebRoot.start()
            let (phone, desktop) = try await Page.pair(on: server)
            let admin = try await Person.official("annaruns", .admin, at: desktop)
            let (connection, account) = try await phone.signIn()
            let place = try #require(try await connection.call(PlacesList.self, .init(text: "Quad Kiosk")).places.first)
            try await phone.open("/place/place/\(place.id)")
            try await phone.browser.wait(
                "no way to edit", "document.getElementById('navigate') && !document.getElementById('edit-place')")
            let console = admin.browser
            try await admin.page.open("/admin/places?place=\(place.id)")
            try await console.click("#place-more summary")
            try await console.wait("the fields", "document.getElementById('field-manager')?.disabled === false")
            try await console.type(account.account.username, into: "#field-manager")
            try await console.shots("search-6-console-desktop")
            try await console.click("#place-form-submit")
            try await console.wait("it is saved", "!document.getElementById('place-form')")
            try await phone.open("/place/place/\(place.id)")
            try await phone.browser.tap("#edit-place")
            for (field, text) in [("menu", "Espresso 1.80"), ("openingHours", "by appointment")] {
                try await WebEvents.EventTests.set("#field-\(field)", to: text, in: phone.browser)
            }
            try await phone.browser.tap("#edit-place-form-submit")
            try await phone.browser.wait(
                "both are shown",
                "document.querySelector('#place-menu .verbatim')?.textContent === 'Espresso 1.80' && document.querySelector('#place-hours .verbatim')?.textContent === 'by appointment'"
            )
            #expect(try await phone.browser.axeFindings() == [])
            await connection.close()
            await admin.connection.close()
            await server.stop()
        }
    }
}
