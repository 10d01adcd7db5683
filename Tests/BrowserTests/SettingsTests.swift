import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

extension WebAccounts {
    @Suite("One settings area, on all devices of a person (C-6, U-3, N-3, T-6)")
    struct SettingsTests {
        /// A person with a phone and a desktop, each signed in by itself.
        private static func devices() async throws -> (phone: Page, desktop: Page, account: SignedIn) {
            let (phone, desktop) = try await Page.pair()
            let (connection, account) = try await phone.signIn()
            let other = try await connection.call(
                AccountLogin.self, .init(email: account.account.email, password: TestServer.password))
            try await desktop.remember(other)
            await connection.close()
            return (phone, desktop, account)
        }

        private static func leave(_ pages: Page...) async throws {
            for page in pages {
                try await page.expectQuietConsole(except: ["favicon.ico", "ERR_INTERNET_DISCONNECTED"])
                try await page.browser.setScreen(nil)
            }
        }

        /// Opens another page of the app in the same document, as a link does.
        private static func visit(_ path: String, in browser: Browser) async throws {
            try await browser.script(
                """
                const link = Object.assign(document.createElement('a'), { href: '\(path)' });
                document.body.append(link);
                link.click();
                link.remove();
                return true;
                """)
            try await browser.wait(
                path,
                "location.pathname === '\(path)' && document.querySelector('main h1') && !document.querySelector('main[aria-busy]')"
            )
        }

        @Test("Each setting that is changed on one device applies on the other at once, and after a reload")
        func settings() async throws {
            let (phone, desktop, _) = try await Self.devices()
            try await desktop.open("/settings/appearance")
            try await phone.open("/settings/appearance")
            let (one, other) = (phone.browser, desktop.browser)

            try await one.tap("[data-setting=theme] label:has([value=dark])")
            try await one.wait(
                "it says so", "document.querySelector('[data-setting=theme] .saved').textContent === 'Saved'")
            try await other.wait(
                "dark",
                "document.documentElement.dataset.theme === 'dark' && document.querySelector('[name=theme][value=dark]').checked"
            )
            try await other.reload()
            // Before any module ran: early.js alone knows it.
            #expect(try await other.script("return document.documentElement.dataset.theme === 'dark'"))
            try await desktop.live()
            try await other.click("#theme-switch")
            try await one.wait("light", "document.documentElement.dataset.theme === 'light'")
            try await other.click("label:has([name=theme][value=system])")
            try await one.wait(
                "as the device is",
                "!document.documentElement.dataset.theme && localStorage.getItem('campanile.theme') === null")

            try await one.tap("[data-setting=units] label:has([value=kmh])")
            try await other.wait(
                "the units",
                "localStorage.getItem('campanile.speedUnit') === 'kmh' && document.querySelector('[name=units][value=kmh]').checked"
            )

            try await Self.visit("/settings/location", in: one)
            try await Self.visit("/track", in: other)
            try await one.tap("[data-setting=audience] label:has([value=campus])")
            try await one.wait(
                "saved", "document.querySelector('[data-setting=audience] .saved').textContent === 'Saved'")
            // The open page follows.
            try await other.wait("the audience", "document.querySelector('#start-form [value=campus]').checked")
            // What is chosen for this session stays.
            try await other.click("#start-form label:has([value=private])")
            try await one.tap("[data-setting=audience] label:has([value=public])")
            try await other.wait(
                "the setting",
                "Object.entries(localStorage).some(([key, value]) => key.startsWith('campanile.settings.') && value.includes('public'))"
            )
            #expect(try await other.script("return document.querySelector('#start-form [value=private]').checked"))
            try await Self.visit("/settings/location", in: other)
            try await Self.visit("/track", in: other)
            try await other.wait("the audience", "document.querySelector('#start-form [value=public]').checked")
            try await Self.leave(phone, desktop)
        }

        @Test(
            "Location off on one device pauses the recording on the other and lets nothing start there, until it is on again"
        )
        func location() async throws {
            let (phone, desktop, _) = try await Self.devices()
            let (one, other) = (phone.browser, desktop.browser)
            try await desktop.locate(51.4965, 8.0)
            try await desktop.open("/track")
            _ = try await desktop.startTracking()
            try await phone.open("/settings/location")
            try await one.tap("label[for=setting-location]")
            try await one.wait(
                "saved", "document.querySelector('[data-setting=location] .saved').textContent === 'Saved'")
            try await other.wait(
                "paused",
                "document.getElementById('toasts').textContent.includes('Your location is off, so the session is paused.')"
            )
            _ = try await eventually("the server has it") {
                try await other.script("return campanile.tracking.state === 'paused'") ? true : nil
            }
            try await one.shots("settings-location-off-phone")
            try await Self.visit("/track", in: one)
            try await one.tap("#start")
            try await one.wait(
                "it says why",
                "document.querySelector('#start-gate [data-gate=trouble]')?.textContent.includes('Your location is off')"
            )
            // The server would refuse it as well.
            #expect(try await one.script("return document.getElementById('start-without') === null"))
            try await Self.visit("/settings/location", in: one)
            try await one.tap("label[for=setting-location]")
            try await other.wait(
                "on", "!document.getElementById('toasts').textContent.includes('Your location is off')")
            try await Self.leave(phone, desktop)
        }

        @Test(
            "Switches of notifications, quiet hours and chats follow a change on the other device while their pages are open"
        )
        func otherSettings() async throws {
            let (phone, desktop, _) = try await Self.devices()
            try await desktop.open("/settings/notifications")
            try await phone.open("/settings/notifications")
            let (one, other) = (phone.browser, desktop.browser)
            for id in ["hides-text", "quiet-on"] {
                try await one.wait("the switch", "document.querySelector('#\(id)')")
                try await other.wait("it is off", "document.querySelector('#\(id)')?.checked === false")
                _ = try await one.script("document.querySelector('#\(id)').click()")
                try await other.wait("\(id) is on", "document.querySelector('#\(id)').checked")
                #expect(try await one.script("return document.querySelector('#\(id)').checked"))
            }
            try await Self.visit("/chats/settings", in: one)
            try await Self.visit("/chats/settings", in: other)
            try await one.wait("the switch", "document.querySelector('#setting-typing:enabled')")
            try await other.wait("it is on", "document.querySelector('#setting-typing:enabled')?.checked")
            _ = try await one.script("document.querySelector('#setting-typing').click()")
            try await other.wait("typing is off", "!document.querySelector('#setting-typing').checked")
            try await Self.leave(phone, desktop)
        }

        @Test("“My location” finds the reader again after the location was off")
        func locateAgain() async throws {
            let (phone, desktop, _) = try await Self.devices()
            let (one, other) = (phone.browser, desktop.browser)
            let isShown = "document.getElementById('map-note')?.hidden === false"
            try await desktop.locate(51.4965, 8.0)
            try await desktop.open("/map")
            try await other.click("#locate")
            try await other.wait("found", "\(isShown) && document.getElementById('locate-off')")
            try await phone.open("/settings/location")
            try await one.tap("label[for=setting-location]")
            try await other.wait("it ends", "document.getElementById('map-note').hidden")
            try await one.tap("label[for=setting-location]")
            try await other.wait("on", "campanile.settings?.value('location') !== false")
            _ = try await eventually("found again") {
                try await other.click("#locate")
                return try await other.script("return \(isShown)") ? true : nil
            }
            try await Self.leave(phone, desktop)
        }

        @Test("The profile is saved while it is edited, says so at each field, and the other device shows it at once")
        func profile() async throws {
            let (phone, desktop, account) = try await Self.devices()
            let (one, other) = (phone.browser, desktop.browser)
            try await desktop.open("/settings/profile")
            try await other.wait("the profile", "document.getElementById('profile-firstName')")
            try await phone.open("/settings/profile")
            try await one.type("Mia", into: "#profile-firstName")
            try await one.wait(
                "saved", "document.querySelector('.field:has(#profile-firstName) .saved').textContent === 'Saved'")
            try await one.type("Berg", into: "#profile-lastName")
            try await other.wait(
                "both names",
                "document.getElementById('profile-lastName').value === 'Berg' && document.getElementById('shown-names').textContent.includes('“Mia Berg”, people in your chats “Mia B.”')"
            )
            try await other.wait(
                "one name everywhere",
                "document.querySelector('[data-nav=account] .tab-label').textContent === 'Mia Berg'")
            try await one.tap("[data-chip=yoga]")
            try await other.wait(
                "the interest", "document.querySelector('[data-chip=yoga]').getAttribute('aria-pressed') === 'true'")

            let file = try TestDirectory.make("picture") + "/me.jpg"
            try Data(try TestPicture.make("jpg", width: 200, height: 200)).write(to: URL(fileURLWithPath: file))
            try await one.choose(file: file, in: "#profile-picture")
            try await one.wait("saved", "document.querySelector('#picture-card .saved').textContent === 'Saved'")
            try await other.wait("the picture", "document.querySelector('#picture-card img').src.startsWith('blob:')")

            try await one.tap("#home-choose")
            try await one.type("quad", into: "#home-search")
            try await one.wait("places", "document.querySelector('[data-results=home-search] .place-row')")
            try await one.tap("[data-results=home-search] .place-row")
            try await one.shots("settings-home-phone")
            try await one.tap("#home-save")
            try await other.wait("the home", "/quad/i.test(document.getElementById('home-name')?.textContent)")
            try await one.shots("settings-profile-filled-phone")
            try await other.shots("settings-profile-filled-desktop")
            try await Self.visit("/map/places", in: other)
            try await other.wait("the home as a place", "/quad/i.test(document.getElementById('go-home')?.textContent)")

            let connection = try await phone.server.connect(token: account.token)
            let profile = try await connection.call(AccountProfileGet.self).profile
            #expect((profile.displayName, profile.interests) == ("Mia Berg", ["yoga"]))
            #expect(profile.picture != nil && profile.home != nil)
            await connection.close()
            try await Self.leave(phone, desktop)
        }

        @Test(
            "Without a connection an edit of the profile waits on the device and says so, also on other pages; it is sent when the connection is back, whatever page is open, and by the next document"
        )
        func profileOffline() async throws {
            let (phone, desktop, _) = try await Self.devices()
            let browser = phone.browser
            try await desktop.open("/settings/profile")
            try await browser.withEndableSockets {
                try await phone.open("/settings/profile")
                try await browser.wait("the profile", "document.getElementById('profile-degree')")
                try await browser.wait("what pages need is kept", "navigator.serviceWorker.controller")
                try await browser.loseNetwork()
                try await browser.type("Physics", into: "#profile-degree")
                try await browser.wait(
                    "it waits",
                    "document.querySelector('.field:has(#profile-degree) .saved').textContent.startsWith('Saved on this device.')"
                )
                try await browser.shots("settings-profile-offline-phone")
                try await browser.tap(".settings-back a")
                try await browser.wait(
                    "the directory says it, and so does a message",
                    "document.querySelector('#to-profile .hint').textContent.startsWith('Changes wait') && document.getElementById('toasts').textContent.includes('send your profile changes when')"
                )
                try await browser.shots("settings-waiting-phone")
                try await browser.setOffline(false)
                try await browser.wait(
                    "it is sent, and both say so",
                    "document.querySelector('#to-profile .hint').textContent.startsWith('Picture') && document.getElementById('toasts').textContent.includes('Your profile changes are saved.')"
                )
                try await desktop.browser.wait(
                    "the degree", "document.getElementById('profile-degree')?.value === 'Physics'")
                try await phone.open("/settings/profile")
                try await browser.wait("the profile", "document.getElementById('profile-degree')?.value === 'Physics'")
                try await browser.loseNetwork()
                // The driver clears a field without an `input` event, so that the page would draw the old text again before it types.
                try await browser.script(
                    "const field = document.getElementById('profile-degree'); field.focus(); field.value = 'Law'; field.dispatchEvent(new InputEvent('input', { bubbles: true })); return true"
                )
                try await browser.wait(
                    "all of it waits",
                    "Object.keys(localStorage).some((key) => key.startsWith('campanile.profileEdits.') && localStorage[key].includes('Law'))"
                )
                try await browser.setOffline(false)
                try await phone.open("/help")
            }
            try await desktop.browser.wait(
                "the other degree", "document.getElementById('profile-degree')?.value === 'Law'")
            #expect(
                try await browser.script(
                    "return location.pathname === '/help' && !Object.keys(localStorage).some((key) => key.startsWith('campanile.profileEdits.'))"
                ))
            try await Self.leave(phone, desktop)
        }

        @Test("The username changes with the messages of U-3, and the other device has it at once")
        func username() async throws {
            let (phone, desktop, account) = try await Self.devices()
            let (one, other) = (phone.browser, desktop.browser)
            try await desktop.open("/settings")
            try await phone.open("/settings/account")
            func submit(_ username: String) async throws {
                try await one.wait("the form", "document.getElementById('new-username')")
                try await one.script("document.getElementById('new-username').value = ''; return true")
                if !username.isEmpty { try await one.type(username, into: "#new-username") }
                try await one.tap("#username-form-submit")
            }
            for (username, message) in [
                ("", "Missing inputs"), ("no", "Invalid Username"), ("not valid", "Invalid Username"),
            ] {
                try await submit(username)
                try await one.wait(
                    message,
                    "document.querySelector('#username-form [data-problem=username]').textContent === '\(message)'")
            }
            try await one.shots("settings-username-invalid-phone")
            let name = TestServer.newName("new")
            try await submit(name)
            try await one.wait("changed", "campanile.connection.account === '\(name)'")
            try await other.wait(
                "the other device", "document.getElementById('account-name').textContent === '\(name)'")
            try await submit(account.account.username)
            try await one.wait(
                "the limit is said",
                "document.getElementById('username-limit').textContent.startsWith('You can change it again from')")
            try await Self.leave(phone, desktop)
        }

        /// Functions with the taps that lead to them from the start page, and what is there then.
        private static let functions: [(name: String, taps: [String], there: String)] = [
            ("live map", ["/map"], "#map, .map"), ("track", ["/track"], "#start-form"),
            ("history", ["/history"], "main h1"),
            ("goal", ["/account"], "#goal"), ("search places", ["/map/places"], "#places-search"),
            ("events", ["/events"], "main h1"), ("create an event", ["/events", "/events/new"], "form"),
            ("buddies", ["/buddies"], "main h1"), ("chats", ["/chats"], "main h1"),
            ("chat settings", ["/chats", "/chats/settings"], "main h1"), ("sharing", ["/sharing"], "main h1"),
            ("notices", ["/notices"], "main h1"), ("help", ["/help"], ".help-list"),
            ("profile", ["/settings", "/settings/profile"], "#profile-firstName"),
            ("picture", ["/settings", "/settings/profile"], "#profile-picture"),
            ("home location", ["/settings", "/settings/profile"], "#home-choose"),
            ("username", ["/settings", "/settings/account"], "#username-form"),
            ("email", ["/settings", "/settings/account"], "#email-card"),
            ("password", ["/settings", "/settings/security"], "#to-change-password"),
            ("devices", ["/settings", "/settings/security"], "#devices"),
            ("log out everywhere", ["/settings", "/settings/security"], "#logout-everywhere"),
            ("privacy", ["/settings", "/settings/privacy"], "#privacy-shown"),
            ("private zones", ["/settings", "/settings/privacy"], "#add-zone"),
            ("notifications", ["/settings", "/settings/notifications"], "#reminder-matrix"),
            ("location", ["/settings", "/settings/location"], "#setting-location"),
            ("default audience", ["/settings", "/settings/location"], "[data-setting=audience]"),
            ("theme", ["/settings", "/settings/appearance"], "[data-setting=theme]"),
            ("units", ["/settings", "/settings/appearance"], "[data-setting=units]"),
            ("export", ["/settings", "/settings/data"], "#export-json"),
            ("delete the account", ["/settings", "/settings/data"], "#delete-open"),
            ("about", ["/settings", "/about"], "#about-facts"), ("licences", ["/settings", "/licences"], "#licences"),
            ("log out", ["/settings"], "#logout"),
        ]

        @Test("Each function is at most two taps away from the start page, which is a directory")
        func directory() async throws {
            let page = try await Page.fresh()
            let browser = page.browser
            try await browser.setScreen(.phone)
            let (connection, _) = try await page.signIn()
            try await page.open("/")
            for (name, taps, there) in Self.functions {
                #expect(taps.count <= 2)
                try await Self.visit("/", in: browser)
                for path in taps {
                    let link =
                        "[...document.querySelectorAll('main a[href=\"\(path)\"]')].find((link) => link.checkVisibility())"
                    try await browser.wait("\(name): the way to \(path)", link)
                    try await browser.script("\(link).click(); return true")
                    try await browser.wait("\(name): \(path)", "location.pathname === '\(path)'")
                }
                try await browser.wait(name, "document.querySelector('main :is(\(there))')")
            }
            await connection.close()
            try await Self.leave(page)
        }
    }
}
