import CampanileClient
import Foundation
import Postgres
import Server
import TestSupport
import Testing
import Wire

extension WebTracking {
    /// Anna has a phone, Ben is her buddy.
    @Suite("Without a network (N-8)")
    struct OfflineTests {
        static let age = "/^You.re offline. Last updated at \\d\\d:\\d\\d/"
        /// All that this device keeps of replies, as text.
        static let kept = """
            await new Promise((done) => {
              const request = indexedDB.open('campanile-kept');
              request.onsuccess = () => {
                const database = request.result;
                if (!database.objectStoreNames.contains('replies')) return done('');
                const reading = database.transaction('replies').objectStore('replies').getAll();
                reading.onsuccess = () => { database.close(); done(JSON.stringify(reading.result)); };
              };
            })
            """

        static func keeps(_ words: String, _ browser: Browser) async throws -> Bool {
            try await browser.script("return (\(kept)).includes(\(Browser.quoted(words)))")
        }

        static func run(_ anna: Person) async throws -> Int64 {
            let start = Timestamp.now.advanced(bySeconds: -600)
            let session = try await anna.connection.call(
                TrackingStart.self,
                .init(activity: .run, clientId: UUID().uuidString, title: "Morning loop", startedAt: start)
            ).session.id
            let points = (1...60).map { seq in
                TrackPoint(
                    seq: Int64(seq), lat: 51.5 + Double(seq) * 3e-5, lon: 8,
                    time: start.advanced(bySeconds: Double(seq)), accuracy: 5)
            }
            _ = try await anna.connection.call(TrackingPoints.self, .init(session: session, points: points))
            _ = try await anna.connection.call(TrackingStop.self, .init(session: session))
            return session
        }

        /// Opens pages until each has what it shows without a network.
        private func open(_ pages: [Seen], _ anna: Person) async throws {
            for page in pages {
                try await anna.page.open(page.path)
                try await anna.browser.wait("\(page.path) is drawn", page.isDrawn)
                // What it read is written after it is drawn.
                try await Task.sleep(for: .milliseconds(400))
            }
            try await anna.browser.wait("what pages need is kept", "navigator.serviceWorker.controller")
        }

        /// A page, when it is drawn, and where it shows its age.
        private struct Seen {
            let path: String
            let isDrawn: String
            var note = ".kept-note"
        }

        private func pages(_ session: Int64, _ event: Int64, _ conversation: Int64) -> [Seen] {
            let text = "document.getElementById('view').textContent"
            return [
                Seen(
                    path: "/map", isDrawn: "document.querySelector('.runner-row')?.textContent.includes('Ben Castro')",
                    note: "#map-kept"),
                Seen(path: "/account", isDrawn: "document.getElementById('goal-distance')", note: "#goal-kept"),
                Seen(path: "/history", isDrawn: "document.querySelector('[data-session=\"\(session)\"]')"),
                Seen(
                    path: "/history/\(session)",
                    isDrawn:
                        "document.querySelector('h1').textContent === 'Morning loop' && document.querySelector('.route-map path')"
                ),
                Seen(path: "/chats", isDrawn: "\(text).includes('From Ben himself')"),
                Seen(path: "/chats/\(conversation)", isDrawn: Person.message("From Ben himself")),
                Seen(path: "/map/places", isDrawn: "\(text).includes('Meeting oak')"),
                Seen(
                    path: "/settings/profile", isDrawn: "document.getElementById('profile-firstName')?.value === 'Anna'"
                ),
                Seen(
                    path: "/settings/privacy",
                    isDrawn: "document.getElementById('privacy-heatmap') && document.getElementById('kept-list')"),
                Seen(path: "/settings/notifications", isDrawn: "document.querySelector('#view table, #view .matrix')"),
                Seen(
                    path: "/chats/settings", isDrawn: "document.getElementById('setting-read')?.disabled === false"),
                Seen(
                    path: "/events/\(event)", isDrawn: "document.querySelector('h1').textContent === 'Night run'",
                    note: "#event-kept"),
            ]
        }

        @Test(
            "All that was seen last is shown without a network, with its age, also after a reload; what was not seen says so; a block removes what was kept of a person, and logging out all of it"
        )
        func seen() async throws {
            let server = try await WebRoot.start()
            let (anna, ben, conversation) = try await Person.buddies(on: server)
            let browser = anna.browser
            let session = try await Self.run(anna)
            let out = try await ben.connection.call(
                TrackingStart.self, .init(activity: .run, clientId: UUID().uuidString, audience: .public)
            ).session.id
            let here = TrackPoint(seq: 1, lat: 51.5, lon: 8, time: .now, accuracy: 5)
            _ = try await ben.connection.call(TrackingPoints.self, .init(session: out, points: [here]))
            _ = try await anna.connection.call(
                SavedSave.self, .init(clientId: UUID().uuidString, name: "Meeting oak", lat: 51.5, lon: 8))
            _ = try await ben.connection.call(
                ChatSend.self,
                .init(conversation: conversation, id: UUID().uuidString.lowercased(), text: "From Ben himself"))
            let event = try await Self.nightRun(by: ben)
            _ = try await anna.connection.call(EventsAnswer.self, .init(event: event, answer: .maybe))
            let pages = pages(session, event, conversation)
            try await open(pages, anna)
            try await browser.setOffline(true)
            for page in pages {
                try await browser.go(anna.page.origin + page.path)
                try await browser.wait("\(page.path) without a network", page.isDrawn)
                try await browser.wait(
                    "\(page.path): its age",
                    "[...document.querySelectorAll('\(page.note)')].some((note) => note.checkVisibility() && \(Self.age).test(note.textContent))"
                )
                try await browser.shots(
                    "offline-1\(page.path.replacing("/", with: "-").replacing(/\d+/, with: "N"))-phone")
            }
            // Live again, each says so by itself.
            try await browser.setOffline(false)
            try await browser.wait("as it is now", "document.getElementById('event-kept').hidden")
            try await browser.setOffline(true)
            try await browser.go(anna.page.origin + "/history/\(session + 1)")
            try await browser.wait(
                "what was never seen says so",
                "document.getElementById('view').textContent.includes('this device has no copy of this yet')")
            try await browser.shots("offline-2-never-seen-phone")
            try await browser.setOffline(false)
            try await blockAndLeave(anna, ben)
            await server.stop()
        }

        private func blockAndLeave(_ anna: Person, _ ben: Person) async throws {
            let browser = anna.browser
            try await anna.page.open("/chats/settings")
            #expect(try await Self.keeps("From Ben himself", browser))
            _ = try await ben.connection.call(SafetyBlock.self, .init(account: anna.account))
            _ = try await eventually("nothing of Ben is kept") {
                try await Self.keeps("From Ben himself", browser) ? nil : true
            }
            #expect(try await Self.keeps("Morning loop", browser))
            try await anna.page.open("/account")
            try await browser.wait("nothing moves any more", "document.getElementById('goal-distance')")
            try await browser.tap("#logout")
            try await browser.tap("#logout-dialog [data-answer=yes]")
            try await browser.wait("logged out", "campanile.connection?.account === null && location.pathname === '/'")
            _ = try await eventually("nothing is kept") {
                try await browser.script("return (\(Self.kept)) === '[]'") ? true : nil
            }
            // The next person at this browser sees nothing of it, also without a network.
            let (carl, next) = try await anna.page.server.register("carlruns")
            try await anna.page.remember(next)
            try await anna.page.open("/chats")
            try await browser.wait("their own", "document.getElementById('chats-empty')")
            try await browser.setOffline(true)
            try await browser.go(anna.page.origin + "/history")
            try await browser.wait("no copy", "document.getElementById('view').textContent.includes('has no copy')")
            #expect(try await browser.script("return !document.documentElement.outerHTML.includes('Morning loop')"))
            await carl.close()
            for person in [anna, ben] { try await person.leave() }
        }

        @Test("What this device has no copy of says so once, without an error, and comes by itself with the connection")
        func recovers() async throws {
            let page = try await Page.fresh()
            let browser = page.browser
            let (connection, _) = try await page.signIn()
            try await page.open("/settings/security")
            try await browser.wait("what pages need is kept", "navigator.serviceWorker.controller")
            try await browser.setOffline(true)
            let text = "document.getElementById('view').innerText"
            try await browser.go(page.origin + "/settings/security")
            try await browser.wait("it waits", "\(text).split('has no copy of this yet').length === 4")
            #expect(try await browser.script("return !\(text).includes('Try again')"))
            try await browser.setOffline(false)
            try await browser.wait(
                "it is here",
                "document.getElementById('no-passkeys') && document.getElementById('set-up-totp') && document.querySelector('#devices li') && !\(text).includes('no copy')"
            )
            for (path, isDrawn) in [
                ("/account", "document.getElementById('goal-distance')"),
                ("/sharing", "\(text).includes('Nobody is sharing with you')"),
            ] {
                try await browser.setOffline(true)
                try await browser.go(page.origin + path)
                try await browser.wait(
                    "\(path) says that it is offline",
                    "document.querySelector('h1') && /You.re offline/.test(\(text))")
                #expect(try await browser.script("return !/Waiting for connection/.test(\(text))"), "\(path)")
                try await browser.setOffline(false)
                try await browser.wait("\(path) is here", isDrawn)
            }
            await connection.close()
        }

        @Test("The app can be installed, and starts without a network in a window of its own")
        func installed() async throws {
            let page = try await Page.fresh()
            let browser = page.browser
            let (connection, _) = try await page.signIn()
            try await page.open("/map")
            try await browser.wait("what pages need is kept", "navigator.serviceWorker.controller")
            let errors = try await browser.cdp("Page.getInstallabilityErrors") as? [String: Any]
            #expect((errors?["installabilityErrors"] as? [Any])?.isEmpty == true, "\(String(describing: errors))")
            let reply = try await browser.cdp("Page.getAppManifest") as? [String: Any]
            #expect((reply?["errors"] as? [Any])?.isEmpty == true)
            let manifest = try #require(
                try JSONSerialization.jsonObject(with: Data(((reply?["data"] as? String) ?? "").utf8)) as? [String: Any]
            )
            #expect(manifest["display"] as? String == "standalone")
            #expect((manifest["shortcuts"] as? [Any])?.isEmpty == false)
            let start = try #require(manifest["start_url"] as? String)
            try await browser.setOffline(true)
            try await browser.go(page.origin + start)
            try await browser.wait(
                "the app",
                "document.querySelector('h1') && document.documentElement.dataset.connection === 'offline'"
            )
            try await browser.script("document.querySelector('#tabs a[href=\"/track\"]').click(); return true")
            try await browser.wait("a page of it", "document.getElementById('start-form')")
            try await browser.setOffline(false)
            await connection.close()
        }

        @Test(
            "Data that the browser removed is reported once, with what was lost, and the settings say how much is kept")
        func evicted() async throws {
            let page = try await Page.fresh()
            let browser = page.browser
            let (connection, _) = try await page.signIn()
            try await page.open("/settings/data")
            let lost = "document.querySelector('.toast[data-key=storage-lost]')"
            try await browser.wait(
                "what is stored",
                "document.getElementById('device-size').textContent.startsWith('This device stores') && document.getElementById('waiting-summary').textContent === 'Everything you did here is sent.'"
            )
            #expect(try await browser.script("return \(lost) === null"))
            try await browser.wait(
                "the mark, and nothing that changes it any more",
                "Object.keys(localStorage).some((key) => key.startsWith('campanile.stored.')) && campanile.chat.isLoaded && campanile.connection.reading === 0"
            )
            try await browser.shots("offline-3-device-desktop")
            try await browser.script(
                """
                const key = Object.keys(localStorage).find((key) => key.startsWith('campanile.stored.'));
                localStorage.setItem(key, JSON.stringify({ ...JSON.parse(localStorage.getItem(key)), waited: '12 points and 2 messages' }));
                return true;
                """)
            // Away from the page first, as a browser removes the data of pages that are not open.
            try await browser.go("about:blank")
            _ = try await browser.cdp(
                "Storage.clearDataForOrigin", ["origin": page.origin, "storageTypes": "indexeddb"])
            try await page.open("/settings/data")
            try await browser.wait(
                "the report", "\(lost)?.textContent.includes('Not sent, and lost: 12 points and 2 messages.')")
            try await browser.shots("offline-4-evicted-desktop")
            try await page.open("/settings/data")
            try await browser.wait("it is there", "document.getElementById('device-size').textContent !== ''")
            try await Task.sleep(for: .milliseconds(500))
            #expect(try await browser.script("return \(lost) === null"), "reported twice")
            try await browser.go("about:blank")
            _ = try await browser.cdp(
                "Storage.clearDataForOrigin", ["origin": page.origin, "storageTypes": "local_storage"])
            try await page.open("/")
            try await browser.wait(
                "the sign-in is gone, and why", "\(lost)?.textContent.includes('You were logged out.')")
            await connection.close()
        }
    }
}
