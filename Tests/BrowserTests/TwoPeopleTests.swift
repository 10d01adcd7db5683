import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

extension Web {
    /// Anna has a phone, Ben a desktop: two people in two browsers.
    @Suite("Two people")
    struct PeopleTests {
        private struct Newcomer {
            let username: String, first: String, last: String, birthday: String, gender: String, words: String
            let picture: String?
        }

        @Test(
            "Two people register, agree to the rules, fill in their profiles, find each other by a swipe and a key, and both see the match"
        )
        func meeting() async throws {
            let server = try await WebRoot.start()
            let (phone, desktop) = try await Page.pair(on: server)
            try await join(
                phone,
                Newcomer(
                    username: "annaruns", first: "Anna", last: "Berger", birthday: "2003-04-30", gender: "female",
                    words: "Evening runs, and weights twice a week.", picture: try Drawing.file(Drawing.face)), "phone")
            try await phone.browser.wait("nobody else is here", "document.getElementById('deck-empty')")
            try await phone.browser.shots("05-deck-empty-phone")
            try await join(
                desktop,
                Newcomer(
                    username: "benlifts", first: "Ben", last: "Castro", birthday: "2001-11-02", gender: "male",
                    words: "Training for my first half marathon.", picture: nil), "desktop")
            try await swipe(phone.browser)
            try await decideByKey(desktop.browser)
            try await bothSeeTheMatch(phone.browser, desktop.browser)
            for page in [phone, desktop] {
                try await page.expectQuietConsole(except: ["favicon.ico"])
                try await page.browser.setScreen(nil)
            }
            await server.stop()
        }

        /// From the first visit to the deck, in the app alone.
        private func join(_ page: Page, _ person: Newcomer, _ device: String) async throws {
            let browser = page.browser
            try await page.open("/buddies")
            try await browser.click("a[href^='/register']")
            for (field, value) in [
                ("username", person.username), ("email", "\(person.username)@example.org"),
                ("password", TestServer.password), ("again", TestServer.password),
            ] { try await browser.type(value, into: "input[name=\(field)]") }
            try await browser.shots("01-register-\(device)")
            try await browser.click("#register-form-submit")
            try await browser.wait("the rules", "document.querySelectorAll('#rules li').length === 5")
            try await browser.shots("02-rules-\(device)")
            try await browser.click("#agree")
            try await browser.type(person.first, into: "input[name=firstName]")
            try await browser.type(person.last, into: "input[name=lastName]")
            try await browser.script(
                "const day = document.querySelector('input[name=birthday]'); day.value = '\(person.birthday)'; day.dispatchEvent(new Event('input', { bubbles: true })); return true"
            )
            try await browser.click("input[name=gender][value=\(person.gender)]")
            if let picture = person.picture {
                try await browser.choose(file: picture, in: "#profile-picture")
                try await browser.wait(
                    "the picture is with the server", "document.getElementById('remove-picture').checkVisibility()")
            }
            try await browser.type(person.words, into: "#field-description")
            try await browser.shots("03-profile-top-\(device)")
            for choice in [
                "[data-time=mon-evening]", "[data-time=thu-evening]", "[data-field=goals] [data-chip=gain-endurance]",
                "[data-field=goals] [data-chip=finish-a-race]", "[data-field=strengths] [data-chip=running-far]",
                "[data-field=styles] [data-chip=running]", "[data-field=places] [data-chip=track]",
            ] {
                // Out from behind the bar that holds the save button.
                _ = try await browser.middle(of: choice)
                try await browser.click(choice)
            }
            try await browser.shots("04-profile-training-\(device)")
            try await browser.click("#save-profile")
            try await browser.wait("the deck", "document.querySelector('.deck')")
        }

        private static let top = "document.querySelector('.pile-card.top')"

        /// Anna swipes, at first not far enough.
        private func swipe(_ browser: Browser) async throws {
            try await browser.click("#deck-empty button")
            try await browser.wait("Ben's card", "\(Self.top)?.querySelector('h2').textContent === 'Ben'")
            let card = try await browser.text("document.getElementById('view').innerText")
            #expect(!card.contains("Castro"), "Nobody's last name shows before a match")
            #expect(card.contains("in common with you"))
            try await browser.wait(
                "the drawing", "\(Self.top).querySelector('img').src.endsWith('/app/assets/person-male.svg')")
            try await browser.shots("06-deck-phone")
            try await browser.drag(".pile-card.top .buddy-top", by: 60)
            try await browser.wait(
                "the card follows the finger",
                "\(Self.top).dataset.side === 'accept' && \(Self.top).style.transform.includes('translateX(6') && !\(Self.top).classList.contains('decides')"
            )
            try await browser.lift()
            try await browser.wait(
                "it springs back", "\(Self.top).style.transform === '' && !\(Self.top).classList.contains('held')")
            try await browser.drag(".pile-card.top .buddy-top", by: 170)
            try await browser.wait("letting go decides", "\(Self.top).classList.contains('decides')")
            try await browser.shots("07-swipe-phone")
            try await browser.lift()
            try await browser.wait("no card is left", "document.getElementById('deck-empty')")
            #expect(
                try await browser.script("return !document.getElementById('match')"), "One acceptance is no match")
        }

        private func decideByKey(_ browser: Browser) async throws {
            try await browser.wait("Anna's card", "\(Self.top)?.querySelector('h2').textContent === 'Anna'")
            try await browser.wait(
                "her picture",
                "((img) => img.src.startsWith('blob:') && img.naturalWidth > 200)(\(Self.top).querySelector('img'))")
            try await browser.shots("06-deck-desktop")
            try await browser.press(.right)
            try await browser.wait("the match", "document.querySelector('#match[open]')")
        }

        private func bothSeeTheMatch(_ phone: Browser, _ desktop: Browser) async throws {
            #expect(try await desktop.text("document.getElementById('match-title').textContent").contains("Anna"))
            try await phone.wait(
                "Anna hears of it, too",
                "[...document.querySelectorAll('#toasts .toast')].some((toast) => /You and Ben Castro are now buddies/.test(toast.textContent))"
            )
            for (browser, device) in [(phone, "phone"), (desktop, "desktop")] {
                try await browser.shots("08-match-\(device)")
            }
            try await desktop.click("#say-hello")
            try await desktop.wait(
                "the chat", "document.querySelector('.conversation-name')?.textContent === 'Anna Berger'")
            try await phone.tap("[data-nav=chats]")
            try await phone.wait(
                "a new chat", "document.querySelector('.chat-row .tag')?.textContent === 'new'")
            try await phone.wait(
                "with the full name", "document.querySelector('.chat-name')?.textContent === 'Ben Castro'")
            for (browser, device) in [(phone, "phone"), (desktop, "desktop")] {
                try await browser.shots("09-new-chat-\(device)")
            }
            try await phone.tap(".chat-row")
            try await phone.wait(
                "it begins", "document.querySelector('[data-event=opened]')?.textContent.includes('Say hello')")
        }
    }
}
