import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

extension Web {
    /// Anna has a phone; her account is used from elsewhere, too.
    @Suite("Privacy")
    struct PrivacyTests {
        private static let toasts =
            "[...document.querySelectorAll('#toasts .toast')].map((toast) => toast.textContent).join(' ')"

        private func person(at page: Page) async throws -> Person {
            let (connection, account) = try await page.signIn()
            return Person(page: page, connection: connection, account: account.account.id)
        }

        private func open(_ person: Person) async throws {
            try await person.page.open("/settings/privacy")
            try await person.browser.wait(
                "all parts",
                "document.querySelector('#kept-list [data-kind=account]') && document.getElementById('privacy-residences') && !document.querySelector('#add-zone').closest('[hidden]')"
            )
        }

        // MARK: Switches

        @Test(
            "All four switches are off at first; one that is switched on is saved and still on after a reload; switching off what was kept asks before it forgets"
        )
        func switches() async throws {
            let (_, page) = try await Page.pair()
            let anna = try await person(at: page)
            let browser = page.browser
            try await open(anna)
            let checked =
                "[...document.querySelectorAll('.privacy-switches input')].map((input) => input.checked).join()"
            #expect(try await browser.text(checked) == "false,false,false,false")
            try await anna.expectNames("privacy")
            try await browser.shots("privacy-1-desktop")
            try await browser.click("label[for=privacy-searches]")
            try await browser.wait("saved", "document.querySelector('#privacy-shown .saved').dataset.state === 'saved'")
            #expect(try await anna.connection.call(PrivacySettingsGet.self) == PrivacySettings(searches: true))
            #expect(try await anna.connection.call(SearchesNote.self, .init(text: "library")).kept)
            try await open(anna)
            try await browser.wait("as it was", "\(checked) === 'false,false,true,false'")
            try await browser.wait(
                "one is kept, for 90 days",
                "document.querySelector('#kept-list [data-kind=searches]')?.innerText.includes('90 days')")
            try await browser.click("label[for=privacy-searches]")
            try await anna.expectDialog("#forget-dialog")
            try await browser.wait("still on", "\(checked) === 'false,false,true,false'")
            try await browser.click("label[for=privacy-searches]")
            try await browser.click("#forget-dialog [data-answer=yes]")
            try await browser.wait("off", "document.querySelector('#privacy-shown .saved').dataset.state === 'saved'")
            #expect(try await anna.connection.call(PrivacySettingsGet.self) == PrivacySettings())
            try await page.expectQuietConsole(except: ["favicon.ico"])
            await anna.connection.close()
        }

        @Test(
            "A page that is old changes what was tapped, and nothing that another device changed meanwhile; counted in the heatmap, every tab of the browser is ready to tell where it is, until that is switched off"
        )
        func settingsElsewhere() async throws {
            let (_, page) = try await Page.pair()
            let anna = try await person(at: page)
            let browser = page.browser
            try await page.locate(51.5, 8)
            try await open(anna)
            let tabs = try await browser.openTab()
            try await page.open("/events")
            try await browser.wait("it counts nobody", "campanile.sharing.isLoaded && campanile.sharing.duty === 'off'")
            try await browser.use(tab: tabs.first)
            try await browser.script(
                "const ask = navigator.geolocation.getCurrentPosition; window.asks = 0; navigator.geolocation.getCurrentPosition = function (...given) { window.asks += 1; return ask.apply(this, given); }; return true"
            )
            _ = try await anna.connection.call(
                PrivacySettingsSave.self, .init(searches: true, residences: true))
            try await browser.click("label[for=privacy-heatmap]")
            try await browser.wait(
                "counted, and asked where it is",
                "['tell', 'otherTab'].includes(campanile.sharing.duty) && window.asks > 0")
            #expect(
                try await anna.connection.call(PrivacySettingsGet.self)
                    == PrivacySettings(heatmap: true, searches: true, residences: true))
            try await browser.use(tab: tabs.second)
            try await browser.wait("the other tab, too", "campanile.sharing.duty !== 'off'")
            try await browser.use(tab: tabs.first)
            try await browser.click("label[for=privacy-heatmap]")
            try await browser.wait("no longer", "campanile.sharing.duty === 'off'")
            try await browser.use(tab: tabs.second)
            try await browser.wait("nor there", "campanile.sharing.duty === 'off'")
            #expect(
                try await anna.connection.call(PrivacySettingsGet.self)
                    == PrivacySettings(searches: true, residences: true))
            try await browser.closeTab(for: tabs.first)
            await anna.connection.close()
        }

        @Test(
            "Who has visits noted is asked where they are, and that is told while Campanile is open, without a share; the switch says so"
        )
        func visits() async throws {
            let (page, _) = try await Page.pair()
            let anna = try await person(at: page)
            let browser = page.browser
            try await page.locate(51.5, 8)
            try await open(anna)
            #expect(
                try await browser.text("document.getElementById('privacy-visits').closest('label').textContent")
                    .contains("with Campanile open and location allowed"))
            #expect(try await browser.script("return campanile.sharing.duty === 'off'"))
            try await browser.tap("label[for=privacy-visits]")
            try await browser.wait(
                "it is told", "campanile.sharing.duty === 'tell' && campanile.sharing.toldAt !== null")
            #expect(try await anna.connection.call(LocationMine.self).location != nil)
            try await browser.tap("label[for=privacy-visits]")
            try await browser.wait("no longer", "campanile.sharing.duty === 'off'")
            try await anna.leave()
        }

        @Test(
            "What another device switches off is off here, too: nothing more is told, and the switch that is looked at says so"
        )
        func otherDevice() async throws {
            let (_, page) = try await Page.pair()
            let anna = try await person(at: page)
            let browser = page.browser
            try await page.locate(51.5, 8)
            try await open(anna)
            try await browser.click("label[for=privacy-heatmap]")
            try await browser.wait("it is told", "campanile.sharing.duty === 'tell'")
            _ = try await anna.connection.call(PrivacySettingsSave.self, .init(heatmap: false, searches: true))
            try await browser.wait(
                "no longer, and it is shown",
                """
                campanile.sharing.duty === 'off' && !document.getElementById('privacy-heatmap').checked
                  && document.getElementById('privacy-searches').checked
                """)
            await anna.connection.close()
        }

        @Test("A change whose request or answer is lost waits, is sent again, and is drawn as the server has it")
        func lostAnswer() async throws {
            let (_, page) = try await Page.pair()
            let anna = try await person(at: page)
            let browser = page.browser
            try await open(anna)
            // The answer is that of a database that was away.
            try await browser.script(
                """
                window.lost = null;
                const send = WebSocket.prototype.send;
                WebSocket.prototype.send = function (data) {
                  const { id, method } = typeof data === 'string' ? JSON.parse(data) : {};
                  if (method !== 'privacy.saveSettings' || window.lost === null) return send.call(this, data);
                  const receive = this.onmessage;
                  const error = { jsonrpc: '2.0', id, error: { code: 1006, message: 'the database is away', data: { name: 'unavailable' } } };
                  const lose = () => { this.onmessage = receive; receive({ data: JSON.stringify(error) }); };
                  if (window.lost === 'request') return setTimeout(lose, 5);
                  this.onmessage = (event) => { if (typeof event.data === 'string' && JSON.parse(event.data).id === id) lose(); else receive(event); };
                  return send.call(this, data);
                };
                return true;
                """)
            let state = "document.querySelector('#privacy-shown .saved').dataset.state"
            let isOn = "document.getElementById('privacy-residences').checked"
            for (lost, stored) in [("answer", true), ("request", true)] {
                try await browser.script("window.lost = '\(lost)'; return true")
                try await browser.click("label[for=privacy-residences]")
                try await browser.wait("it waits", "\(state) === 'waiting' && \(isOn) === \(lost == "answer")")
                #expect(try await anna.connection.call(PrivacySettingsGet.self) == PrivacySettings(residences: stored))
                try await browser.script("window.lost = null; return true")
                try await browser.wait("it is sent", "\(state) === '' && \(isOn) === \(lost == "answer")")
            }
            #expect(try await anna.connection.call(PrivacySettingsGet.self) == PrivacySettings())
            await anna.connection.close()
        }

        @Test("What is kept can be erased by its button after a question, and is shown as erased")
        func erases() async throws {
            let (page, _) = try await Page.pair()
            let anna = try await person(at: page)
            _ = try await anna.connection.call(
                SavedSave.self, .init(clientId: UUID().uuidString, name: "Oak", lat: 51.5, lon: 8))
            try await open(anna)
            let row = "document.querySelector('#kept-list [data-kind=savedPlaces]')"
            try await page.browser.wait("it is kept", "\(row)?.querySelector('.kept-count').textContent === '1'")
            try await page.browser.tap("#kept-list [data-kind=savedPlaces] button")
            try await anna.expectDialog("#erase-dialog")
            try await page.browser.tap("#kept-list [data-kind=savedPlaces] button")
            try await page.browser.tap("#erase-dialog [data-answer=yes]")
            try await page.browser.wait("it is gone", "!\(row)")
            #expect(try await anna.connection.call(SavedList.self).places.isEmpty)
            try await page.expectQuietConsole(except: ["favicon.ico"])
            await anna.connection.close()
        }

        // MARK: Zones

        @Test(
            "A private zone is made by a tap on the map, changed with the keyboard and by a search, and deleted after a question; each is on the server"
        )
        func zones() async throws {
            let (page, _) = try await Page.pair()
            let anna = try await person(at: page)
            let browser = page.browser
            try await open(anna)
            try await browser.tap("#add-zone")
            try await browser.wait(
                "a form and a map", "document.querySelector('#zone-form') && document.querySelector('#zone-map canvas')"
            )
            try await browser.tap("#zone-form-submit")
            try await browser.wait(
                "both are missing",
                "document.querySelector('[data-problem=name]').textContent && document.querySelector('[data-problem=lat]').textContent.includes('tap the map')"
            )
            try await browser.type("Home", into: "#zone-name")
            try await browser.tap("#zone-map")
            try await browser.wait(
                "it is marked", "document.getElementById('zone-note').textContent.startsWith('Marked')")
            // The sample campus is 1.5 km²: a small zone would hide more than a quarter of it.
            #expect(try await browser.text("document.querySelector('[name=size]:checked').value") == "tiny")
            let sizes = try await browser.text("document.getElementById('zone-form').innerText")
            #expect(sizes.contains("Very small: 150 to 225 m around, recommended here, protects less"))
            #expect(sizes.contains("This campus is small"))
            try await browser.wait(
                "how much it hides",
                #"/^Very small hides you on about \d+ % of campus/.test(document.getElementById('zone-share').textContent)"#
            )
            try await browser.tap("input[name=size][value=small]")
            try await anna.expectNames("a new zone")
            try await browser.shots("privacy-2-zone-phone")
            try await browser.tap("#zone-form-submit")
            try await browser.wait(
                "it is listed and has the focus",
                "document.activeElement.getAttribute('aria-label') === 'Edit Home' && document.querySelector('#zone-list').innerText.includes('Small: 300 to 450 m around, protects a home')"
            )
            let made = try #require(try await anna.connection.call(PrivacyZones.self).zones.first)
            #expect(made.name == "Home" && made.size == .small)
            #expect(
                try await browser.text("document.getElementById('zones-secret').textContent").contains(
                    "secret, even to you"))
            try await change(anna, from: made)
            try await browser.tap("[aria-label='Delete Flat']")
            try await anna.expectDialog("#delete-zone")
            try await browser.tap("[aria-label='Delete Flat']")
            try await browser.shots("privacy-4-delete-zone-phone")
            try await browser.tap("#delete-zone [data-answer=yes]")
            try await browser.wait("none is left", "document.getElementById('zones-empty').checkVisibility()")
            #expect(try await anna.connection.call(PrivacyZones.self).zones.isEmpty)
            try await page.expectQuietConsole(except: ["favicon.ico"])
            await anna.connection.close()
        }

        private func change(_ anna: Person, from made: PrivateZone) async throws {
            let browser = anna.browser
            try await browser.press(Browser.enter)
            try await browser.wait("its form", "document.getElementById('zone-name').value === 'Home'")
            try await browser.type("Flat", into: "#zone-name")
            try await browser.type("quad", into: "#zone-search")
            try await browser.wait("places", "document.querySelector('[data-results=zone-search] .place-row')")
            try await browser.press(Browser.enter)
            try await browser.wait("one is taken", "document.getElementById('zone-search').value === ''")
            try await browser.shots("privacy-3-zone-change-phone")
            try await browser.tap("#zone-form-submit")
            try await browser.wait("changed", "document.querySelector('[aria-label=\"Edit Flat\"]')")
            let changed = try await anna.connection.call(PrivacyZones.self).zones
            #expect(changed.map(\.name) == ["Flat"] && changed.first?.id == made.id && changed.first?.size == .small)
            #expect(changed.first?.lat != made.lat)
        }

        @Test(
            "Without a connection a switch waits, and is saved when the connection is back; what needs the server says so"
        )
        func offline() async throws {
            let (_, page) = try await Page.pair()
            let anna = try await person(at: page)
            let browser = page.browser
            try await browser.withEndableSockets {
                try await open(anna)
                try await browser.loseNetwork()
                try await browser.click("label[for=privacy-visits]")
                let isWaiting = "document.querySelector('#privacy-shown .saved').dataset.state === 'waiting'"
                try await browser.wait("it waits", "\(isWaiting) && document.getElementById('privacy-visits').checked")
                #expect(try await anna.connection.call(PrivacySettingsGet.self).visits == false)
                try await browser.shots("privacy-5-offline-desktop")
                try await browser.setOffline(false)
                try await browser.wait(
                    "it is sent", "!(\(isWaiting)) && document.getElementById('privacy-visits').checked")
                #expect(try await anna.connection.call(PrivacySettingsGet.self).visits)
                try await page.open("/settings/data")
                try await browser.loseNetwork()
                try await browser.wait("it is said", "document.getElementById('data-offline').checkVisibility()")
                try await browser.click("#export-json")
                try await browser.wait(
                    "no file",
                    "document.getElementById('export-status').textContent.includes('reach the server')")
                try await browser.setOffline(false)
                try await browser.wait("it is back", "!document.getElementById('data-offline').checkVisibility()")
            }
            await anna.connection.close()
        }

        // MARK: Shares

        @Test("Where a private zone hides somebody who shares, the bar says so instead of with whom they share")
        func bar() async throws {
            let (page, _) = try await Page.pair()
            let anna = try await person(at: page)
            let browser = page.browser
            _ = try await anna.connection.call(PrivacySettingsSave.self, .init(residences: true))
            // Another device of hers began it, and tells where she is.
            let report = LocationReport.Params(lat: 51.5, lon: 8, accuracy: 5, source: .gps)
            _ = try await anna.connection.call(
                SharingStart.self,
                .init(clientId: UUID().uuidString, audience: .link, precision: .exact, expiresIn: 3_600))
            _ = try await anna.connection.call(LocationReport.self, report)
            try await page.open("/events")
            let text = "document.getElementById('share-bar-text').textContent"
            try await browser.wait("shared", "\(text) === 'Sharing by a link'")
            let zone = try await anna.connection.call(
                PrivacySaveZone.self,
                .init(clientId: UUID().uuidString, name: "Home", lat: 51.5, lon: 8, size: .small))
            _ = try await anna.connection.call(LocationReport.self, report)
            try await browser.wait("hidden", "\(text) === \"Hidden: you're in a private zone\"")
            try await browser.shots("privacy-7-bar-phone")
            _ = try await anna.connection.call(PrivacyDeleteZone.self, .init(zone: zone.id))
            try await anna.leave()
        }

        // MARK: Routes

        /// A run within some metres of the place; its link.
        private func shortRun(_ anna: Person, at start: Timestamp) async throws -> String {
            let session = try await anna.connection.call(
                TrackingStart.self, .init(activity: .run, clientId: UUID().uuidString, startedAt: start)
            ).session.id
            let points = (1...40).map { seq in
                TrackPoint(
                    seq: Int64(seq), lat: 51.5 + Double(seq) * 4e-6, lon: 8,
                    time: start.advanced(bySeconds: Double(seq)), accuracy: 5)
            }
            _ = try await anna.connection.call(TrackingPoints.self, .init(session: session, points: points))
            _ = try await anna.connection.call(TrackingStop.self, .init(session: session))
            return try await anna.connection.call(TrackingLink.self, .init(session: session)).link.path
        }

        /// Whoever has the link of a run that a later zone hides all of reads that its runner hides it.
        private func expectHidden(_ link: String, on page: Page) async throws {
            try await page.open(link)
            try await page.browser.wait(
                "the runner hides it",
                "document.getElementById('follow-age')?.textContent.includes('hides this run')")
            #expect(try await page.browser.text("document.getElementById('follow-state').textContent") == "Hidden")
            #expect(
                try await page.browser.script(
                    "return !document.querySelector('#follow-card .figures').checkVisibility()"))
        }

        @Test(
            "The owner's route shows which part only the owner sees, with a sentence; without a private zone there is none"
        )
        func route() async throws {
            let (guest, page) = try await Page.pair()
            let anna = try await person(at: page)
            _ = try await anna.connection.call(PrivacySettingsSave.self, .init(residences: true))
            let start = Timestamp.now.advanced(bySeconds: -2_000)
            let session = try await anna.connection.call(
                TrackingStart.self, .init(activity: .run, clientId: UUID().uuidString, startedAt: start)
            ).session.id
            let points = (1...400).map { seq in
                TrackPoint(
                    seq: Int64(seq), lat: 51.5 + Double(seq) * 3e-5, lon: 8,
                    time: start.advanced(bySeconds: Double(seq)),
                    accuracy: 5)
            }
            _ = try await anna.connection.call(TrackingPoints.self, .init(session: session, points: points))
            _ = try await anna.connection.call(TrackingStop.self, .init(session: session))
            let link = try await shortRun(anna, at: start)
            try await page.open("/history/\(session)")
            try await page.browser.wait("the route", "document.querySelector('.route-map path')")
            #expect(try await page.browser.script("return !document.getElementById('hidden-note')"))
            _ = try await anna.connection.call(
                PrivacySaveZone.self,
                .init(clientId: UUID().uuidString, name: "Home", lat: 51.5, lon: 8, size: .small))
            try await page.open("/history/\(session)")
            try await page.browser.wait(
                "a part is only for the owner",
                "document.getElementById('hidden-note')?.textContent.includes('only you see th') && document.querySelector('path.hidden-part')"
            )
            try await page.browser.shots("privacy-6-route-desktop")
            try await expectHidden(link, on: guest)
            await anna.connection.close()
        }
    }
}
