import CampanileClient
import Foundation
import Postgres
import Server
import TestSupport
import Testing
import Wire

extension WebTracking.OfflineTests {
    /// Loses the first answer to an event with its connection, and then the first reply to each kind of change, each with the connection: the server has done what the page does not know.
    private static let losingReplies = """
        const lossy = ['events.answer', 'events.save', 'saved.save', 'goals.save', 'chat.send', 'account.saveSettings', 'account.updateProfile',
          'notices.read', 'sharing.stop', 'tracking.start', 'tracking.stop', 'tracking.rename', 'tracking.delete', 'goals.reset',
          'privacy.saveSettings', 'privacy.deleteZone', 'reminders.saveSettings', 'notices.saveSettings', 'chat.saveSettings',
          'chat.delete', 'group.answer', 'group.create', 'group.leave', 'events.update', 'events.publish', 'events.create',
          'privacy.saveZone', 'chat.edit', 'chat.react', 'chat.mute', 'group.rename', 'events.cancel', 'events.delete', 'visits.erase',
          'searches.erase', 'safety.block', 'safety.unblock', 'buddies.remove', 'tracking.audience', 'tracking.unlink'];
        const seen = new Set();
        window.lostReplies = [];
        let isRequestLost = false;
        window.WebSocket = class extends WebSocket {
          #lost = new Map();
          send(data) {
            const { id, method } = typeof data === 'string' ? JSON.parse(data) : {};
            if (this.readyState !== 1) return;
            if (method === 'events.answer' && !isRequestLost) {
              isRequestLost = true;
              return this.lose();
            }
            if (lossy.includes(method) && !seen.has(method)) { seen.add(method); this.#lost.set(id, method); }
            super.send(data);
          }
          lose() {
            this.close();
            // The client connects again at once, and not after a wait.
            setTimeout(() => dispatchEvent(new Event('online')), 100);
          }
          set onmessage(body) {
            super.onmessage = (event) => {
              const parts = typeof event.data === 'string' ? [JSON.parse(event.data)].flat() : [];
              const method = parts.map(({ id }) => this.#lost.get(id)).find(Boolean);
              if (!method) return this.readyState === 1 && body(event);
              // Replies that come later are lost, too.
              window.lostReplies.push(...this.#lost.values());
              this.lose();
            };
          }
        };
        """

    /// An expression for what a page has to show before the network goes: what is changed there without one.
    private static func last(of path: String, event: Int64, _ changed: Changed) -> String {
        let css =
            switch path {
            case "/events/\(event)": "#event-answer [data-answer=going]"
            case "/events/\(changed.draft)": "#edit-event"
            case "/events/new": "#field-title"
            case "/events?which=own": "[data-event='\(changed.edited.cancelled)']"
            case "/history": "#goal-edit"
            case "/history/\(changed.renamed)": "#links [data-link]"
            case "/history/\(changed.deleted)": "#delete"
            case "/map/places": ".recent-list"
            case "/settings/profile": "#profile-degree"
            case "/settings/privacy": "[aria-label='Delete Flat']"
            case "/settings/notifications": "#zones [data-zone]"
            case "/chats/settings": "[data-blocked='\(changed.edited.unblocked)'] button"
            case "/chats": "[data-invitation='\(changed.invitation)']"
            case "/notices": "#read-all"
            case "/sharing": "#my-shares [data-share] [data-action=stop]"
            default: "#conversation-who"
            }
        return "document.querySelector(\"\(css)\")?.checkVisibility()"
    }

    func count(_ server: TestServer, _ query: String, _ values: PostgresValue...) async throws -> Int64 {
        let database = try await server.database()
        defer { database.close() }
        let row = try await database.query("SELECT count(*) AS count FROM \(query)", values).first
        return try #require(row).int("count")
    }

    @Test(
        "Every kind of change that may wait for the network waits where it can be seen, through a reload, a restart of the server and a new version, and is done exactly once, also when the answer is lost"
    )
    func written() async throws {
        let server = try await WebRoot.start()
        let (anna, ben, conversation) = try await Person.buddies(on: server)
        let browser = anna.browser
        try await anna.page.locate(51.5, 8)
        let event = try await Self.nightRun(by: ben)
        let changed = try await prepare(server, anna, ben, conversation)
        try await publishNotice(on: server)
        _ = try await anna.connection.call(
            SharingStart.self,
            .init(
                clientId: UUID().uuidString, audience: .person, account: ben.account, precision: .exact,
                expiresIn: 3_600))
        _ = try await anna.connection.call(EventsSave.self, .init(event: event, saved: true))
        let added = try await browser.cdp(
            "Page.addScriptToEvaluateOnNewDocument", ["source": Self.losingReplies])
        for path in [
            "/events/\(event)", "/chats/\(conversation)", "/history", "/map/places", "/settings/profile",
            "/notices", "/sharing",
        ] + changed.paths {
            try await anna.page.open(path)
            // What was kept before is drawn first, and what is there by now comes later. It is kept once it is written.
            try await browser.wait(
                "\(path) has all of it",
                """
                \(Self.last(of: path, event: event, changed)) && campanile.connection.reading === 0
                  && !/Loading…/.test(document.getElementById('view').innerText)
                """)
        }
        try await browser.wait("what pages need is kept", "navigator.serviceWorker.controller")
        await anna.connection.close()
        await ben.connection.close()
        await server.stop()
        try await browser.setOffline(true)
        try await changeAll(anna, event: event, conversation: conversation)
        try await changeMore(anna, changed)

        try await browser.go(anna.page.origin + "/settings/data")
        let all = """
            ['stopped session', '2 messages', '7 changes to your events', '1 change to your saved places', '2 changes to your goal',
             '4 changes to your sessions', '3 changes to your privacy settings', '3 changes to your notification settings',
             '1 change to your chat settings', '8 changes to your chats', '2 changes to your searches and visits',
             '3 changes to blocked people and buddies',
             '1 change to your profile', '1 setting', '1 read notice', 'The end of a location share'].every((text) => document.getElementById('waiting-list')?.innerText.includes(text))
            """
        try await browser.wait("all that waits", all)
        try await browser.shots("offline-5-waiting-phone")
        try await browser.reload()
        try await browser.wait("it waits after a reload", all)

        try await server.startAgain {
            $0.resources.chosenWebApp = try Web.NewVersionTests.laterApp(than: $0.resources.webApp)
        }
        try await browser.setOffline(false)
        try await browser.wait(
            "the new version", "document.querySelector('.toast[data-key=version]')?.textContent.includes('is ready')")
        try await browser.wait(
            "all is sent",
            "document.getElementById('waiting-summary').textContent === 'Everything you did here is sent.'")
        let lost = try await browser.script("return window.lostReplies", as: [String].self)
        #expect(Set(lost).count >= 36, "\(lost)")
        if let identifier = (added as? [String: Any])?["identifier"] as? String {
            _ = try await browser.cdp("Page.removeScriptToEvaluateOnNewDocument", ["identifier": identifier])
        }
        try await browser.click(".toast[data-key=version] .toast-action")
        try await anna.page.live()
        try await expectOnce(server, anna.account, event: event)
        try await expectMoreOnce(server, anna.account, changed)
        try await anna.leave()
        try await ben.leave()
        await server.stop()
    }

    private func publishNotice(on server: TestServer) async throws {
        let (connection, admin) = try await server.register("theadmin")
        let database = try await server.database()
        defer { database.close() }
        _ = try await database.query("UPDATE accounts SET role = 'admin' WHERE id = $1", [.int(admin.account.id)])
        let again = try await server.connect()
        _ = try await again.call(
            AccountLogin.self, .init(email: "theadmin@example.org", password: TestServer.password))
        _ = try await again.call(
            NoticesPublish.self,
            .init(id: UUID().uuidString, audience: .campus, title: "Gates close early", level: .info))
        for one in [connection, again] { await one.close() }
    }

    private func changeAll(_ anna: Person, event: Int64, conversation: Int64) async throws {
        let (browser, origin) = (anna.browser, anna.page.origin)
        try await browser.go(origin + "/events/\(event)")
        try await browser.tap("#event-answer [data-answer=going]")
        try await browser.wait("the answer waits", "document.getElementById('answer-waiting')")
        try await browser.tap("#save-event")
        try await browser.wait("not saved", "document.getElementById('save-event').textContent === 'Save'")
        try await browser.shots("offline-6-answer-phone")
        try await browser.go(origin + "/map/places")
        try await browser.tap("#mark-middle")
        try await browser.tap("#save-marked")
        try await browser.type("Offline oak", into: "#saved-name")
        try await browser.press(Browser.enter)
        try await browser.wait(
            "the place waits", "document.querySelector('.saved-list')?.textContent.includes('Offline oakWaits until')")
        try await browser.shots("offline-7-place-phone")
        try await eraseNotes(anna)
        try await browser.go(origin + "/history")
        try await browser.tap("#goal-edit")
        try await browser.type("42", into: "#goal-form [name=kilometres]")
        try await browser.press(Browser.enter)
        try await browser.wait("the goal waits", "document.getElementById('goal-waiting')")
        try await browser.go(origin + "/settings/appearance")
        try await browser.wait("the themes", "document.querySelector('[name=theme][value=dark]')")
        try await browser.script("document.querySelector('[name=theme][value=dark]').click(); return true")
        try await browser.go(origin + "/settings/profile")
        try await browser.type("Botany", into: "#profile-degree")
        try await browser.wait(
            "the edit is kept", "localStorage.getItem('campanile.profileEdits.\(anna.account)')?.includes('Botany')")
        try await browser.go(origin + "/chats/\(conversation)")
        try await anna.say("From the tunnel", withButton: true)
        try await browser.choose(file: try Drawing.file(Drawing.track), in: "#composer-file")
        try await browser.wait("the picture", "document.querySelector('.composer-picture img')?.naturalWidth")
        try await anna.say("The track", withButton: true)
        try await browser.go(origin + "/notices")
        try await browser.tap("#read-all")
        try await browser.wait("it is read", "document.getElementById('unread-note').textContent === 'All read'")
        try await browser.go(origin + "/sharing")
        try await browser.tap("#my-shares [data-share] [data-action=stop]")
        try await browser.wait(
            "it is to be stopped", "Object.keys(localStorage).some((key) => key.startsWith('campanile.sharesToStop.'))")
        try await browser.go(origin + "/track")
        try await browser.tap("#start")
        try await browser.wait("it records", "campanile.tracking?.state === 'running'")
        for step in 1...3 {
            try await browser.setPosition(51.5 + Double(step) * 5e-5, 8)
            try await Task.sleep(for: .milliseconds(700))
        }
        try await browser.tap("#pause")
        try await browser.tap("#resume")
        try await browser.tap("#stop")
        try await browser.tap("#stop-dialog [data-answer=yes]")
        try await browser.wait("it is stopped", "campanile.tracking?.state !== 'running'")
    }

    private func expectOnce(_ server: TestServer, _ account: Int64, event: Int64) async throws {
        let own = PostgresValue.int(account)
        #expect(
            try await count(
                server, "event_people WHERE event_id = $2 AND account_id = $1 AND answer = 'going' AND NOT is_saved",
                own,
                .int(event)) == 1)
        #expect(try await count(server, "saved_places WHERE account_id = $1 AND name = 'Offline oak'", own) == 1)
        #expect(try await count(server, "saved_places WHERE account_id = $1", own) == 1)
        #expect(try await count(server, "goals WHERE account_id = $1 AND kilometres = 42", own) == 1)
        #expect(
            try await count(
                server, "account_settings WHERE account_id = $1 AND name = 'theme' AND value = 'dark' AND version = 1",
                own) == 1)
        #expect(try await count(server, "profiles WHERE account_id = $1 AND degree = 'Botany'", own) == 1)
        #expect(
            try await count(server, "chat_log WHERE kind = 'message' AND body = 'From the tunnel' AND $1 > 0", own) == 1
        )
        #expect(
            try await count(
                server, "chat_log WHERE kind = 'message' AND body = 'The track' AND picture_id IS NOT NULL AND $1 > 0",
                own)
                == 1)
        #expect(try await count(server, "notice_receipts WHERE account_id = $1 AND read_at IS NOT NULL", own) == 1)
        #expect(try await count(server, "shares WHERE account_id = $1 AND ended_at IS NOT NULL", own) == 1)
        let recorded = "account_id = $1 AND ended_at IS NOT NULL AND title NOT IN ('Morning loop', 'Tunnel loop')"
        #expect(try await count(server, "sessions WHERE \(recorded)", own) == 1)
        let points = "points JOIN sessions ON sessions.id = session_id WHERE \(recorded)"
        let stored = try await count(server, points, own)
        #expect(stored >= 2)
        #expect(try await count(server, "(SELECT DISTINCT session_id, seq FROM \(points)) AS one", own) == stored)
    }

    /// Saves a place without a network, which an open connection would survive.
    private func savePlace(_ name: String, _ browser: Browser) async throws {
        try await browser.setOffline(true)
        try await browser.reload()
        try await browser.wait("the map", "document.querySelector('#admin-map canvas')")
        try await browser.tap("#mark-middle")
        try await browser.tap("#save-marked")
        try await browser.type(name, into: "#saved-name")
        try await browser.press(Browser.enter)
        try await browser.wait(
            "the place waits", "document.querySelector('.saved-list')?.textContent.includes('\(name)Waits until')")
    }

    @Test("A place that is sent while a dialog renames or removes it has the new name or is gone, and is saved once")
    func sentMeanwhile() async throws {
        let server = try await WebRoot.start()
        let (anna, ben, _) = try await Person.buddies(on: server)
        let browser = anna.browser
        try await anna.page.open("/map/places")
        try await browser.wait(
            "the page", "document.getElementById('saved-empty') && document.querySelector('#admin-map canvas')")
        try await browser.wait("what pages need is kept", "navigator.serviceWorker.controller")
        try await savePlace("Oak", browser)
        try await browser.wait("a toast", "document.querySelector('.toast[data-key=writes]')")
        try await browser.tap("[aria-label='Rename Oak']")
        try await browser.setOffline(false)
        try await browser.wait(
            "it is sent, and the card shows it",
            """
            document.querySelector('#marked-place a[href^="/map?saved="]')
              && !document.querySelector('.saved-list').textContent.includes('Waits')
            """)
        try await browser.wait("no toast", "!document.querySelector('.toast[data-key=writes]')")
        try await browser.type("Old oak", into: "#saved-name")
        try await browser.press(Browser.enter)
        try await browser.wait(
            "it is renamed", "document.querySelector('.saved-list strong')?.textContent === 'Old oak'")
        #expect(try await anna.connection.call(SavedList.self).places.map(\.name) == ["Old oak"])

        try await savePlace("Elm", browser)
        try await browser.tap("[aria-label='Remove Elm']")
        try await browser.setOffline(false)
        try await browser.wait("it is sent", "!document.querySelector('.saved-list').textContent.includes('Waits')")
        try await browser.tap("#remove-saved [data-answer=yes]")
        try await browser.wait(
            "it is gone",
            "[...document.querySelectorAll('.saved-list strong')].map((one) => one.textContent).join() === 'Old oak'")
        try await Task.sleep(for: .milliseconds(500))
        #expect(try await anna.connection.call(SavedList.self).places.map(\.name) == ["Old oak"])

        try await savePlace("Ash", browser)
        try await browser.go(anna.page.origin + "/settings/data")
        try await browser.tap("[aria-label='Discard 1 change to your saved places']")
        try await browser.tap("#discard-changes [data-answer=yes]")
        try await browser.wait(
            "nothing waits",
            "document.getElementById('waiting-summary').textContent === 'Everything you did here is sent.'")
        try await browser.setOffline(false)
        try await anna.page.live()
        #expect(try await anna.connection.call(SavedList.self).places.map(\.name) == ["Old oak"])
        try await anna.leave()
        try await ben.leave()
        await server.stop()
    }
}
