import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

extension Web.PeopleTests {
    private static let announced = "document.getElementById('announcer').textContent"

    private func both(_ anna: Person, _ ben: Person, _ name: String) async throws {
        try await anna.browser.shots("\(name)-phone")
        try await ben.browser.shots("\(name)-desktop")
    }

    @Test(
        "What one writes the other reads, with ticks, unread counts, typing, reactions, replies, edits, deletions and pictures"
    )
    func chatting() async throws {
        let server = try await WebRoot.start()
        let (anna, ben, conversation) = try await Person.buddies(on: server)
        try await receipts(anna, ben, conversation)
        try await typing(anna, ben)
        try await reactions(anna, ben)
        try await changes(anna, ben)
        try await picture(anna, ben)
        for person in [anna, ben] {
            try await person.expectNames("the conversation")
            try await person.page.expectQuietConsole(except: ["favicon.ico"])
            try await person.leave()
        }
        await server.stop()
    }

    /// Ben writes while Anna is away, elsewhere in the app, and in the conversation.
    private func receipts(_ anna: Person, _ ben: Person, _ conversation: Int64) async throws {
        let hello = "Hi Anna! Intervals on the track on Thursday?"
        try await ben.page.open("/chats/\(conversation)")
        try await ben.browser.wait("the beginning", "document.querySelector('[data-event=opened]')")
        try await ben.say(hello, withButton: false)
        try await ben.sees(hello, reach: "sent")
        try await ben.browser.shots("10-sent-desktop")

        try await anna.page.open("/map")
        try await ben.sees(hello, reach: "delivered")
        try await anna.browser.wait(
            "one is unread",
            "document.getElementById('unread-total').checkVisibility() && document.getElementById('unread-total').textContent === '1 unread'"
        )
        try await anna.browser.wait("the title says so", "document.title.startsWith('(1)')")
        try await ben.say("I could be there at six.", withButton: false)
        try await anna.browser.wait(
            "a toast in a live region",
            "document.getElementById('toasts').ariaLive === 'polite' && document.querySelector('#toasts .toast').textContent.includes('Ben Castro: I could be there')"
        )
        try await both(anna, ben, "11-unread-elsewhere")
        try await anna.browser.tap("[data-nav=chats]")
        try await anna.browser.wait(
            "two in the list", "document.querySelector('.chat-row .unread').textContent === '2 unread'")
        try await anna.browser.shots("12-list-unread-phone")
        try await anna.browser.tap(".chat-row")
        try await anna.sees(hello)
        try await anna.browser.wait("the line above what is new", "document.getElementById('new-messages')")
        try await ben.sees(hello, reach: "read")
        try await anna.browser.wait(
            "nothing is unread",
            "document.getElementById('unread-total').hidden && !document.title.startsWith('(') && campanile.chat.unread === 0"
        )
        try await both(anna, ben, "13-read")
    }

    private func typing(_ anna: Person, _ ben: Person) async throws {
        try await anna.browser.tap("#composer")
        try await anna.browser.write("Six is fine. ")
        try await ben.browser.wait(
            "Anna is seen to write", "document.getElementById('typing').textContent === 'Anna is typing'")
        try await both(anna, ben, "14-typing")
        try await anna.say("Six is fine. I bring the cones.", withButton: true)
        try await ben.sees("Six is fine. I bring the cones.")
        try await ben.browser.wait("nobody writes any more", "document.getElementById('typing').textContent === ''")
        try await ben.browser.wait("a screen reader says it", "\(Self.announced).includes('I bring the cones')")
        try await anna.sees("Six is fine. I bring the cones.", reach: "read")
    }

    private func reactions(_ anna: Person, _ ben: Person) async throws {
        let text = "I could be there at six."
        try await anna.pressLong(text)
        #expect(
            try await anna.browser.script("return document.querySelector('#menu[open]') !== null"),
            "Lifting the finger leaves the menu open")
        try await anna.browser.shots("15-menu-phone")
        try await anna.expectDialog("#menu")
        try await anna.pressLong(text)
        try await anna.browser.tap("#menu [data-emoji='💪']")
        let given = "\(Person.message(text)).querySelector('.reaction[data-emoji=\"💪\"]')"
        try await ben.browser.wait("Ben sees the reaction", "\(given)?.textContent === '💪1'")
        try await anna.browser.wait("it is hers", "\(given)?.ariaPressed === 'true'")
        try await ben.browser.click("\(try await ben.selector(of: text)) .reaction")
        try await anna.browser.wait("both gave it", "\(given)?.textContent === '💪2'")
        try await both(anna, ben, "16-reaction")
    }

    private func changes(_ anna: Person, _ ben: Person) async throws {
        let question = "Six is fine. I bring the cones."
        try await ben.openMenu(of: question)
        try await ben.browser.shots("17-menu-desktop")
        try await ben.expectDialog("#menu")
        try await ben.openMenu(of: question)
        try await ben.browser.click("#menu [data-action=reply]")
        try await ben.browser.wait(
            "what is answered", "document.querySelector('.composer-bar').innerText.includes('cones')")
        try await ben.browser.shots("18-replying-desktop")
        try await ben.say("Grat, thank you!", withButton: false)
        try await anna.browser.wait(
            "the quote",
            "\(Person.message("Grat, thank you!")).querySelector('.quote').textContent.includes('I bring the cones')")

        try await ben.openMenu(of: "Grat, thank you!")
        try await ben.browser.click("#menu [data-action=edit]")
        try await ben.browser.wait(
            "it is in the field", "document.getElementById('composer').value === 'Grat, thank you!'")
        try await ben.browser.shots("19-editing-desktop")
        try await ben.say("Great, thank you!", withButton: false)
        try await anna.browser.wait(
            "the change, and that there was one",
            "\(Person.message("Great, thank you!")).querySelector('.edited') && !\(Person.message("Grat, thank you!"))")

        try await anna.say("Wrong chat, sorry", withButton: true)
        let offset = try await ben.selector(of: "Wrong chat, sorry")
        try await anna.pressLong("Wrong chat, sorry")
        try await anna.browser.tap("#menu [data-action=delete]")
        try await anna.browser.wait("a question", "document.querySelector('#delete-dialog[open]')")
        try await anna.browser.shots("20-delete-phone")
        try await anna.browser.tap("#delete-dialog [data-answer=yes]")
        try await ben.browser.wait(
            "it is gone for Ben",
            "document.querySelector('\(offset.replacing("\"", with: "\\\""))').textContent.includes('Message deleted')")
        try await ben.browser.wait(
            "and nowhere on the page", "!document.getElementById('view').innerText.includes('Wrong chat')")
        try await both(anna, ben, "21-changed")
    }

    private func picture(_ anna: Person, _ ben: Person) async throws {
        try await ben.browser.choose(file: try Drawing.file(Drawing.track), in: "#composer-file")
        try await ben.browser.wait("what will be sent", "document.querySelector('.composer-picture img')?.naturalWidth")
        try await ben.browser.shots("22-picture-chosen-desktop")
        try await ben.say("The track last night", withButton: false)
        let thumb = "\(Person.message("The track last night")).querySelector('.picture-button img')"
        try await anna.browser.wait(
            "a thumbnail", "\(thumb).complete && \(thumb).naturalWidth > 100 && \(thumb).naturalWidth < 1200")
        try await both(anna, ben, "23-picture")
        try await anna.browser.tap("\(try await anna.selector(of: "The track last night")) .picture-button")
        let full = "document.querySelector('#picture[open] .full-picture')"
        try await anna.browser.wait("the whole picture", "\(full).naturalWidth === 1200")
        try await anna.browser.shots("24-picture-full-phone")
        try await anna.expectDialog("#picture")
    }

    @Test("Without a network a message waits, survives a reload, and is sent once when the network is back")
    func waiting() async throws {
        let server = try await WebRoot.start()
        let (anna, ben, conversation) = try await Person.buddies(on: server)
        try await anna.browser.withEndableSockets {
            for person in [anna, ben] { try await person.page.open("/chats/\(conversation)") }
            try await keepPage(anna)
            try await writeOffline(anna, ben)
            try await comeBack(anna, ben)
        }
        #expect(try await server.stored("Running late, ten minutes", in: conversation) == 1)
        for person in [anna, ben] {
            try await person.page.expectQuietConsole(except: ["favicon.ico"] + Page.networkErrors)
            try await person.leave()
        }
        await server.stop()
    }

    private static let waiting =
        "document.querySelector('.message.waiting')?.textContent.includes('Running late')"

    /// From here on the page can be loaded without a network.
    private func keepPage(_ anna: Person) async throws {
        try await anna.browser.script("await navigator.serviceWorker.ready; return true")
        try await anna.browser.reload()
        try await anna.page.live()
        try await anna.browser.wait("the page is kept", "navigator.serviceWorker.controller")
        // Half a character, as a field that counts in halves leaves it: it is sent, and holds nothing up.
        try await anna.browser.wait("the conversation is open", "document.getElementById('composer')")
        try await anna.browser.script(
            """
            const field = document.getElementById("composer");
            field.value = "Half of a smile: \\ud83d";
            field.dispatchEvent(new Event("input", { bubbles: true }));
            """)
        try await anna.browser.tap("#send")
        try await anna.say("I am on the tram", withButton: true)
        try await anna.sees("I am on the tram", reach: "read")
        try await anna.sees("Half of a smile: \u{FFFD}", reach: "read")
    }

    private func writeOffline(_ anna: Person, _ ben: Person) async throws {
        try await anna.browser.loseNetwork()
        try await anna.say("Running late, ten minutes", withButton: true)
        try await anna.browser.wait("it waits", Self.waiting)
        try await anna.browser.wait(
            "a toast says so",
            "[...document.querySelectorAll('#toasts .toast')].some((toast) => toast.textContent.includes('Your message will be sent'))"
        )
        try await both(anna, ben, "25-offline")
        try await anna.browser.reload()
        try await anna.browser.wait("it still waits", Self.waiting)
        try await anna.browser.shots("26-offline-reloaded-phone")
        #expect(try await ben.browser.script("return !\(Person.message("Running late, ten minutes"))"))
    }

    private func comeBack(_ anna: Person, _ ben: Person) async throws {
        try await anna.browser.setOffline(false)
        try await anna.page.live()
        try await ben.sees("Running late, ten minutes")
        try await anna.sees("Running late, ten minutes", reach: "read")
        try await anna.browser.wait(
            "nothing waits any more",
            "campanile.chat.outbox === 0 && document.querySelectorAll('.message.waiting').length === 0")
        try await both(anna, ben, "27-online-again")
    }
}
