import CampanileClient
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

extension WebEvents {
    /// An admin at a desktop, a student with a phone.
    @Suite("Notices")
    struct NoticePageTests {
        static let toasts = WebEvents.EventTests.toasts
        static let titles =
            "[...document.querySelectorAll('#notices .notice-title')].map((t) => t.firstChild.textContent).join('|')"
        static let banner =
            "(document.getElementById('emergency').hidden ? '' : document.getElementById('emergency').textContent)"
        static let unread = "document.getElementById('notices-total').textContent"

        /// Remembers every toast and banner that a page shows, so that one that comes twice is found.
        static let remembering = """
            window.told = [];
            const take = (node) => { if (node.classList?.contains('toast')) told.push(node.firstChild.textContent); };
            new MutationObserver((all) => { for (const { addedNodes } of all) addedNodes.forEach(take); })
              .observe(document.getElementById('toasts'), { childList: true });
            return true;
            """

        /// Somebody with a role and a browser.
        static func somebody(_ name: String, _ role: Role, at page: Page) async throws -> Person {
            let (first, account) = try await page.server.register(name)
            await first.close()
            let database = try await page.server.database()
            _ = try await database.query(
                "UPDATE accounts SET role = $2 WHERE id = $1", [.int(account.account.id), .text(role.rawValue)])
            database.close()
            try await page.remember(account)
            return Person(
                page: page, connection: try await page.server.connect(token: account.token),
                account: account.account.id)
        }

        private static func two(on server: TestServer) async throws -> (admin: Person, anna: Person) {
            let (phone, desktop) = try await Page.pair(on: server)
            return try await two(phone, desktop)
        }

        private static func two(_ phone: Page, _ desktop: Page) async throws -> (admin: Person, anna: Person) {
            let admin = try await somebody("theadmin", .admin, at: desktop)
            let anna = try await somebody("annaruns", .student, at: phone)
            try await anna.page.open("/")
            try await anna.browser.wait("her notices are in", "campanile.notices.isLoaded")
            try await anna.browser.script(remembering)
            return (admin, anna)
        }

        @discardableResult
        static func publish(
            _ title: String, _ level: NoticeLevel = .info, by admin: Person
        ) async throws -> SentNotice {
            try await admin.connection.call(
                NoticesPublish.self,
                .init(id: UUID().uuidString, audience: .campus, title: title, level: level))
        }

        static func leave(_ people: Person...) async throws {
            for person in people {
                try await person.page.expectQuietConsole(except: ["favicon.ico"] + Page.networkErrors)
                try await person.leave()
            }
        }

        // MARK: A notice's life

        @Test(
            "A notice is written, survives a reload, and is sent once; the student hears of it once, reads it, sees its correction and its withdrawal; no figure tells her sender that she read it"
        )
        func life() async throws {
            let server = try await WebRoot.start()
            let (admin, anna) = try await Self.two(on: server)
            try await write(admin)
            try await anna.browser.wait(
                "she is told", "\(Self.toasts).includes('Important: The hall is closed') && \(Self.unread) === '1'")
            try await anna.browser.wait(
                "her start page has it", "document.querySelector('#home-notices .notice-title')?.checkVisibility()")
            try await anna.browser.shots("notices-04-arrived-phone")
            try await anna.browser.tap(".toast button")
            try await anna.browser.wait(
                "it is open, read, and said no more",
                "document.querySelector('#notices [data-open=true][data-unread=false]') && document.getElementById('notices-total').hidden && !\(Self.toasts).includes('hall')"
            )
            try await anna.expectNames("the notices")
            try await anna.browser.shots("notices-05-read-phone")
            try await admin.browser.shots("notices-06-figures-desktop")
            #expect(
                try await anna.browser.text("told.filter((text) => text.includes('The hall is closed')).length") == "1")
            try await correct(admin, anna)
            try await withdraw(admin, anna)
            try await Self.leave(admin, anna)
            await server.stop()
        }

        private func write(_ admin: Person) async throws {
            let browser = admin.browser
            try await admin.page.open("/")
            try await browser.wait("signed in", "document.querySelector('[data-nav=chats]')")
            try await browser.click("#bell")
            try await browser.click("#new-notice")
            try await browser.wait(
                "who gets it is said",
                "/Fewer than 5 people get it/.test(document.getElementById('notice-reach')?.textContent)"
            )
            try await browser.click("#send-notice")
            try await browser.wait(
                "it says what is missing, and goes there",
                "document.querySelector('[data-problem=title]').textContent && document.activeElement.id === 'field-title'"
            )
            try await browser.shots("notices-01-problems-desktop")
            try await browser.type("The hall is closed", into: "#field-title")
            try await browser.type("Until the evening.", into: "#field-body")
            try await browser.click("[data-choice=important]")
            try await admin.expectNames("the form")
            try await browser.reload()
            try await browser.wait("what was written is back", "document.getElementById('draft-note')")
            #expect(try await browser.text("document.getElementById('field-title').value") == "The hall is closed")
            try await browser.wait(
                "how it will look",
                "document.querySelector('.notice-look [data-level=important]')?.textContent.includes('Until the evening.')"
            )
            try await browser.shots("notices-02-form-desktop")
            // The answer gets lost: what is sent again is the same notice.
            try await browser.script(
                """
                const send = WebSocket.prototype.send;
                WebSocket.prototype.send = function (data) {
                  send.call(this, data);
                  if (String(data).includes('notices.publish')) { WebSocket.prototype.send = send; this.onmessage = null; setTimeout(() => this.close(), 50); }
                };
                return true;
                """)
            try await browser.click("#send-notice")
            try await browser.wait(
                "it stays one notice",
                "document.getElementById('notice-form-problem').textContent.includes('second notice')")
            try await admin.page.live()
            try await browser.click("#send-notice")
            try await browser.wait("it is sent", "/^\\/notices\\/sent\\/\\d+$/.test(location.pathname)")
            try await browser.wait(
                "why there are no figures",
                "/at least 20 people/.test(document.getElementById('sent-figures').textContent) && !document.querySelector('[data-figure=received]').checkVisibility()"
            )
            try await browser.shots("notices-03-sent-desktop")
            let list = try await admin.connection.call(NoticesSent.self, .init()).notices
            #expect(list.count == 1)
            #expect(
                try await browser.script(
                    "return !Object.keys(localStorage).some((key) => key.startsWith('campanile.noticeForm'))"))
        }

        private func correct(_ admin: Person, _ anna: Person) async throws {
            try await admin.browser.click("#correct-notice")
            try await admin.browser.type("The hall is open again", into: "#field-title")
            try await admin.browser.click("#send-notice")
            try await admin.browser.wait(
                "it is corrected", "document.querySelector('h1').textContent === 'The hall is open again'")
            try await anna.browser.wait(
                "she sees it where she looks",
                "\(Self.titles) === 'The hall is open again' && document.querySelector('#notices .notice-mark')?.textContent === 'Corrected'"
            )
            try await anna.browser.shots("notices-07-corrected-phone")
        }

        private func withdraw(_ admin: Person, _ anna: Person) async throws {
            try await admin.browser.click("#withdraw-notice")
            try await admin.expectDialog("#withdraw-dialog")
            try await admin.browser.click("#withdraw-notice")
            try await admin.browser.click("#withdraw-dialog [data-answer=yes]")
            try await admin.browser.wait("it is withdrawn", "document.querySelector('[data-state=withdrawn]')")
            try await anna.browser.wait(
                "it is taken back",
                "document.querySelector('#notices [data-withdrawn]') && !document.getElementById('notices').textContent.includes('hall')"
            )
            try await anna.browser.shots("notices-08-withdrawn-phone")
        }

        // MARK: Away, and not to be disturbed

        @Test("Who was offline gets what was missed when the network is back: all of it, in order, once")
        func offline() async throws {
            let server = try await WebRoot.start()
            let (phone, desktop) = try await Page.pair(on: server)
            try await phone.browser.withEndableSockets {
                try await missAndCatchUp(phone, desktop)
            }
            await server.stop()
        }

        private func missAndCatchUp(_ phone: Page, _ desktop: Page) async throws {
            let (admin, anna) = try await Self.two(phone, desktop)
            let browser = anna.browser
            try await Self.publish("zero", by: admin)
            try await browser.wait("the first", "\(Self.unread) === '1'")
            try await browser.wait("what pages need is kept", "navigator.serviceWorker.controller")
            try await browser.loseNetwork()
            for title in ["one", "two", "three", "four", "five"] { try await Self.publish(title, by: admin) }
            try await browser.script(
                "history.pushState(null, '', '/notices'); dispatchEvent(new PopStateEvent('popstate')); return true")
            try await browser.wait("what is known is shown", "\(Self.titles) === 'zero'")
            try await browser.shots("notices-10-offline-phone")
            try await browser.setOffline(false)
            try await anna.page.live()
            try await browser.wait("all of it, newest first", "\(Self.titles) === 'five|four|three|two|one|zero'")
            #expect(try await browser.text(Self.unread) == "6")
            try await browser.tap("#read-all")
            try await browser.wait("all read", "document.getElementById('notices-total').hidden")
            // After a reload nothing comes anew: it knows where it stood.
            try await browser.reload()
            try await browser.script(Self.remembering)
            try await browser.wait("the list", "campanile.notices.isLoaded && campanile.notices.known === 6")
            try await Self.publish("six", by: admin)
            try await browser.wait("what is new comes", "\(Self.titles).startsWith('six|five')")
            #expect(try await browser.text("told.length") == "0")
            try await Self.leave(admin, anna)
        }

        @Test(
            "While a session is recorded notices wait and come when it has stopped, in order; an emergency comes at once and stays until it is seen"
        )
        func held() async throws {
            let server = try await WebRoot.start()
            let (admin, anna) = try await Self.two(on: server)
            let page = anna.page
            let browser = page.browser
            try await page.locate(51.5, 8.0)
            try await browser.tap("[data-nav=track]")
            _ = try await page.startTracking()
            try await Self.publish("first", by: admin)
            try await Self.publish("second", .important, by: admin)
            let emergency = try await Self.publish("Fire in the library", .emergency, by: admin)
            try await browser.wait("the emergency is there", "\(Self.banner).includes('Fire in the library')")
            #expect(try await browser.text(Self.unread) == "1")
            #expect(try await browser.text("document.getElementById('emergency').getAttribute('role')") == "alert")
            try await browser.shots("notices-11-emergency-phone")
            try await browser.tap("#emergency-seen")
            try await browser.wait("it is seen", "document.getElementById('emergency').hidden")
            _ = try await eventually("the server knows, and its sender is not told") {
                let listed = try await anna.connection.call(NoticesList.self, .init()).notices
                return listed.contains { $0.number == emergency.notice.number && $0.readAt != nil } ? true : nil
            }
            let status = try await admin.connection.call(
                NoticesStatus.self, NoticeParams(notice: emergency.notice.number))
            #expect(status.read == nil && status.received == nil)
            #expect(try await browser.text("told.join('|')") == "")
            try await browser.tap("#stop")
            try await browser.tap("dialog[open] [data-answer=yes]")
            try await browser.wait("what waited comes", "\(Self.unread) === '2'")
            try await browser.wait("in order, each once", "told.join('|').includes('first|Important: second')")
            #expect(try await browser.text("told.filter((text) => /first|second/.test(text)).length") == "2")
            #expect(try await browser.text(Self.banner) == "")
            try await browser.shots("notices-12-released-phone")
            try await Self.leave(admin, anna)
            await server.stop()
        }

        // MARK: Settings

        @Test("Quiet hours, zones and reminders are saved at once, and are there after a reload")
        func settings() async throws {
            let server = try await WebRoot.start()
            let (phone, _) = try await Page.pair(on: server)
            let anna = try await Self.somebody("annaruns", .student, at: phone)
            let browser = phone.browser
            try await phone.open("/account")
            try await browser.tap("#to-notifications")
            try await browser.wait("the settings", "document.getElementById('reminder-matrix')")
            try await anna.expectNames("the settings")
            try await browser.shots("notices-20-settings-phone")
            try await browser.tap("label[for=quiet-on]")
            try await browser.wait("saved", "document.querySelector('#quiet .saved')?.textContent === 'Saved'")
            try await WebEvents.EventTests.set("#field-quiet-from", to: "21:30", in: browser)
            try await browser.script(
                "document.getElementById('field-quiet-from').dispatchEvent(new Event('change')); return true")
            _ = try await eventually("the server has them") {
                let hours = try await anna.connection.call(NoticesSettings.self).quietHours
                return hours?.from == "21:30" && hours?.to == "07:00" ? true : nil
            }
            let box = "#remind-goal-push"
            let was = try await browser.script("return document.querySelector('\(box)').checked")
            let isUnavailable = try await browser.script("return document.querySelector('\(box)').disabled")
            if !isUnavailable {
                try await browser.script("document.querySelector('\(box)').click(); return true")
                _ = try await eventually("the choice is saved") {
                    let kinds = try await anna.connection.call(RemindersSettings.self).kinds
                    return kinds.first { $0.kind == .goal }?.channels.contains(.push) == !was ? true : nil
                }
            }
            try await browser.tap("[data-minutes='15']")
            _ = try await eventually("the time before events is saved") {
                try await anna.connection.call(RemindersSettings.self).leads.contains(15) ? true : nil
            }
            try await browser.type("0", into: "#field-unread")
            try await browser.script(
                "document.getElementById('field-unread').dispatchEvent(new Event('change')); return true")
            try await browser.wait(
                "what is wrong is said", "document.querySelector('[data-problem=unread]').textContent")
            try await browser.reload()
            try await browser.wait(
                "it is as it was saved",
                "document.getElementById('quiet-on')?.checked && document.getElementById('field-quiet-from').value === '21:30' && document.querySelector('[data-minutes=\"15\"]').getAttribute('aria-pressed') === 'true'"
            )
            try await browser.shots("notices-21-saved-phone")
            try await phone.expectQuietConsole(except: ["favicon.ico"])
            try await anna.leave()
            await server.stop()
        }
    }
}
