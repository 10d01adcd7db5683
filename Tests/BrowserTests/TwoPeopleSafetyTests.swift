import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

extension Web.PeopleTests {
    @Test("A group: made, invited to, joined, written in and left; a search finds a message; a muted chat is quiet")
    func groups() async throws {
        let server = try await WebRoot.start()
        let (anna, ben, conversation) = try await Person.buddies(on: server)
        for person in [anna, ben] { try await person.page.open("/chats") }
        let group = try await make(anna, ben)
        try await joinAndLeave(anna, ben, group)
        try await search(anna, ben, conversation)
        try await mute(anna, ben, conversation)
        for person in [anna, ben] {
            try await person.page.expectQuietConsole(except: ["favicon.ico"])
            try await person.leave()
        }
        await server.stop()
    }

    private func make(_ anna: Person, _ ben: Person) async throws -> Int64 {
        try await anna.browser.tap("#new-group")
        try await anna.expectDialog("#new-group-dialog")
        try await anna.browser.tap("#new-group")
        try await anna.browser.type("Thursday intervals", into: "#group-name")
        try await anna.browser.click("#new-group-dialog .picker input")
        try await anna.browser.shots("30-new-group-phone")
        try await anna.browser.tap("#new-group-dialog-submit")
        try await anna.browser.wait(
            "the group is open", "document.querySelector('.conversation-name')?.textContent === 'Thursday intervals'")
        let group = try await anna.browser.script("return Number(location.pathname.split('/').at(-1))", as: Int.self)
        try await ben.browser.wait("the invitation", "document.querySelector('[data-invitation=\"\(group)\"]')")
        try await ben.expectNames("an invitation")
        try await ben.browser.shots("31-invitation-desktop")
        return Int64(group)
    }

    private func joinAndLeave(_ anna: Person, _ ben: Person, _ group: Int64) async throws {
        try await ben.browser.click("[data-invitation=\"\(group)\"] [data-answer=accept]")
        try await anna.browser.wait(
            "Ben joined",
            "[...document.querySelectorAll('[data-event=joined]')].some((line) => line.textContent === 'Ben Castro joined')"
        )
        try await ben.say("Count me in", withButton: false)
        try await anna.browser.wait(
            "who writes is named",
            "\(Person.message("Count me in")).querySelector('.message-name').textContent === 'Ben Castro'")
        try await anna.say("Four times 400?", withButton: true)
        try await ben.sees("Four times 400?")
        try await anna.browser.shots("32-group-phone")
        try await ben.browser.shots("32-group-desktop")
        try await ben.browser.click("#conversation-menu")
        try await ben.expectDialog("#menu")
        try await ben.browser.click("#conversation-menu")
        try await ben.browser.click("#menu [data-action=members]")
        try await ben.browser.shots("33-members-desktop")
        try await ben.expectDialog("#group")
        try await ben.browser.click("#conversation-who")
        try await ben.browser.click("#leave-group")
        try await ben.browser.click("#leave-dialog [data-answer=yes]")
        try await ben.browser.wait(
            "it is gone from Ben's list",
            "location.pathname === '/chats' && !document.querySelector('[data-conversation=\"\(group)\"]')")
        try await anna.browser.wait(
            "Anna reads that he left", "document.querySelector('[data-event=left]')?.textContent === 'Ben Castro left'")
    }

    private func search(_ anna: Person, _ ben: Person, _ conversation: Int64) async throws {
        try await anna.page.open("/chats/\(conversation)")
        try await anna.say("My locker has number 4711", withButton: true)
        for index in 1...3 { try await anna.say("Something else, \(index)", withButton: true) }
        try await ben.browser.type("locker", into: "#chat-search")
        try await ben.browser.wait(
            "it is found", "document.querySelector('#search-results .result mark')?.textContent === 'locker'")
        try await ben.browser.shots("34-search-desktop")
        try await ben.browser.click("#search-results .result")
        try await ben.sees("My locker has number 4711")
        try await ben.browser.type("bicycle", into: "#chat-search")
        try await ben.browser.wait(
            "what nobody wrote is not found",
            "document.getElementById('search-results').textContent.includes('No messages match')")
    }

    private func mute(_ anna: Person, _ ben: Person, _ conversation: Int64) async throws {
        try await anna.browser.tap("#conversation-menu")
        try await anna.browser.tap("#menu [data-action=mute]")
        try await anna.browser.wait("for how long", "document.querySelector('#mute[open]')")
        try await anna.browser.shots("35-mute-phone")
        try await anna.expectDialog("#mute")
        try await anna.browser.tap("#conversation-menu")
        try await anna.browser.tap("#menu [data-action=mute]")
        try await anna.browser.tap("#mute [data-seconds='3600']")
        try await anna.browser.wait(
            "it says so", "document.getElementById('conversation-status').textContent.includes('muted')")
        try await anna.browser.tap(".to-list")
        try await anna.browser.wait(
            "a mark in the list",
            "document.querySelector('[data-conversation=\"\(conversation)\"] .muted-mark')")
        try await anna.browser.shots("36-muted-phone")
        try await anna.page.open("/map")
        try await ben.say("This makes no sound", withButton: false)
        try await anna.browser.wait("it is counted", "campanile.chat.unread === 1")
        // What comes behind it pops up: had the muted one popped up, it would be there by then.
        let (connection, carl) = try await anna.page.server.register("carlruns")
        let other = try await newcomer(connection, carl, meets: anna)
        let toasts = "[...document.querySelectorAll('#toasts .toast')].map((toast) => toast.textContent).join()"
        // A message that comes with the news of its conversation does not pop up beside it.
        try await anna.browser.wait("they are buddies", "\(toasts).includes('now buddies')")
        _ = try await connection.call(
            ChatSend.self, .init(conversation: other, id: UUID().uuidString.lowercased(), text: "Hello from Carl"))
        try await anna.browser.wait("Carl's pops up", "\(toasts).includes('Hello from Carl')")
        #expect(try await anna.browser.script("return !\(toasts).includes('This makes no sound')"))
        await connection.close()
    }

    /// Makes somebody Anna's buddy, through the API; their conversation.
    private func newcomer(
        _ connection: CampanileConnection, _ account: SignedIn, meets anna: Person
    ) async throws -> Int64 {
        try await connection.call(
            ProfileSave.self,
            Profile(firstName: "Carl", lastName: "Dorn", birthday: "2000-02-03", gender: .male))
        let options = try await connection.call(BuddiesOptions.self)
        try await connection.call(BuddiesAgree.self, .init(version: options.rulesVersion))
        try await connection.call(BuddiesSave.self, BuddyProfile())
        let carl = Person(page: anna.page, connection: connection, account: account.account.id)
        return try await Person.match(anna, carl)
    }

    @Test(
        "A report reaches an admin with what was said; a block ends the chat for both at once, and neither is suggested again"
    )
    func safety() async throws {
        let server = try await WebRoot.start()
        let (anna, ben, conversation) = try await Person.buddies(on: server)
        try await ben.browser.withEndableSockets {
            for person in [anna, ben] { try await person.page.open("/chats/\(conversation)") }
            try await ben.say("You run like a duck", withButton: false)
            try await anna.sees("You run like a duck")
            try await report(anna)
            try await block(anna, ben, conversation)
        }
        try await decksAreEmpty(anna, ben)
        for person in [anna, ben] {
            try await person.page.expectQuietConsole(except: ["favicon.ico"] + Page.networkErrors)
        }
        try await adminReads(ben.page)
        for person in [anna, ben] { try await person.leave() }
        await server.stop()
    }

    private func report(_ anna: Person) async throws {
        try await anna.pressLong("You run like a duck")
        try await anna.browser.tap("#menu [data-action=report]")
        try await anna.expectDialog("#report")
        try await anna.pressLong("You run like a duck")
        try await anna.browser.tap("#menu [data-action=report]")
        try await anna.browser.click("#report input[value=harassment]")
        try await anna.browser.type("He does not stop.", into: "#report-note")
        try await anna.browser.shots("40-report-phone")
        try await anna.browser.tap("#send-report")
        try await anna.browser.wait(
            "thanks", "document.getElementById('toasts').textContent.includes('An admin will review your report')")
    }

    /// Ben has the conversation open, and a message on its way, when Anna blocks him.
    private func block(_ anna: Person, _ ben: Person, _ conversation: Int64) async throws {
        try await ben.browser.loseNetwork()
        try await ben.say("Only a joke!", withButton: false)
        try await ben.browser.wait("it waits", "document.querySelector('.message.waiting')")
        try await anna.browser.tap("#conversation-menu")
        try await anna.browser.tap("#menu [data-action=block]")
        try await anna.browser.wait("a question", "document.querySelector('#block-dialog[open]')")
        try await anna.browser.shots("41-block-phone")
        try await anna.browser.tap("#block-dialog [data-answer=yes]")
        try await anna.browser.wait(
            "Anna's list is empty",
            "location.pathname === '/chats' && document.getElementById('chats-empty')?.checkVisibility()")
        try await anna.browser.shots("42-blocked-phone")
        try await ben.browser.setOffline(false)
        try await ben.page.live()
        try await ben.browser.wait(
            "Ben's message is refused, and he is told",
            "document.querySelector('.message.failed .not-sent')?.textContent.includes('Not sent. This chat has ended.')"
        )
        try await ben.browser.wait(
            "Ben's list is empty, and there is nowhere to write",
            "!document.querySelector('[data-conversation]') && !document.getElementById('composer').checkVisibility()")
        try await ben.browser.wait(
            "it says that the chat has ended", "document.getElementById('conversation-status').textContent === 'Ended'")
        try await ben.browser.shots("42-blocked-desktop")
        #expect(try await anna.page.server.stored("Only a joke!", in: conversation) == 0)
        #expect(try await anna.page.server.stored("You run like a duck", in: conversation) == 1)
        try await ben.browser.click("[data-discard]")
        try await ben.browser.reload()
        try await ben.browser.wait(
            "this chat is not here",
            "document.getElementById('conversation-problem')?.textContent.includes('Chat not found')"
        )
        try await ben.browser.shots("43-not-here-desktop")
    }

    private func decksAreEmpty(_ anna: Person, _ ben: Person) async throws {
        for (person, device) in [(anna, "phone"), (ben, "desktop")] {
            try await person.page.open("/buddies")
            try await person.browser.wait("nobody is suggested", "document.getElementById('deck-empty')")
            try await person.browser.shots("44-deck-empty-\(device)")
        }
        try await anna.page.open("/chats/settings")
        try await anna.browser.wait(
            "whom she blocked", "document.querySelector('#blocked li')?.textContent.includes('Ben Castro')")
        try await anna.expectNames("chat settings")
        try await anna.browser.shots("45-chat-settings-phone")
        try await ben.page.open("/chats/settings")
        try await ben.browser.wait(
            "he blocked nobody", "document.body.innerText.includes('blocked anyone')")
        try await ben.browser.shots("45-chat-settings-desktop")
    }

    private func adminReads(_ page: Page) async throws {
        let (connection, admin) = try await page.server.register("theadmin")
        let database = try await page.server.database()
        _ = try await database.query("UPDATE accounts SET role = 'admin' WHERE id = $1", [.int(admin.account.id)])
        // As if there had been more of it than a report holds.
        _ = try await database.query(
            """
            UPDATE reports SET evidence = (
                SELECT json_agg(e::jsonb || '{"cut":true}') FROM json_array_elements(evidence) e)
            """)
        database.close()
        try await page.remember(admin)
        try await page.open("/reports")
        let report = "document.querySelector('#reports .report')?.textContent"
        try await page.browser.wait("the report", "\(report).includes('Harassment')")
        for words in ["You run like a duck", "He does not stop.", "This message is shortened"] {
            try await page.browser.wait(words, "\(report).includes('\(words)')")
        }
        try await Person(page: page, connection: connection, account: admin.account.id).expectNames("reports")
        try await page.browser.shots("46-reports-desktop")
        try await page.browser.setScreen(.phone)
        try await page.browser.shots("46-reports-phone")
        try await page.browser.setScreen(.desktop)
        try await page.browser.type("Talked to him.", into: "#reports textarea")
        try await page.browser.click("#reports button[type=submit]")
        try await page.browser.wait("it is closed", "document.getElementById('reports-empty')")
        await connection.close()
    }
}
