import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

extension WebSharing {
    /// Anna has a phone and shares, Ben looks at a desktop.
    @Suite("Sharing where one is")
    struct SharingTests {
        static let place = WebTracking.TrackTests.origin
        static let people = "campanile.people()"
        static let bar = "document.getElementById('share-bar')"

        /// Two buddies, whose browsers may find where they are.
        static func buddies(on server: TestServer) async throws -> (anna: Person, ben: Person, conversation: Int64) {
            let all = try await Person.buddies(on: server)
            for person in [all.anna, all.ben] {
                try await person.page.locate(place.lat, place.lon)
            }
            return all
        }

        static func choose(_ css: String, in browser: Browser) async throws {
            // What is hidden cannot be chosen: a script's click would do it all the same.
            try await browser.wait(
                "\(css) is there",
                "document.querySelector('\(css)') && !document.querySelector('\(css)').closest('[hidden]')")
            try await browser.script("document.querySelector('\(css)').click(); return true")
        }

        /// Opens the sheet on the map and begins a share.
        static func share(
            _ person: Person, _ audience: String, exactly precision: String = "exact"
        ) async throws {
            try await person.browser.script("document.getElementById('share-open').click(); return true")
            try await choose("#share-sheet [name=audience][value=\(audience)]", in: person.browser)
            if audience == "person" { try await choose("#whom-buddies input", in: person.browser) }
            try await choose("#share-sheet [name=precision][value=\(precision)]", in: person.browser)
            try await person.browser.script("document.getElementById('share-start').click(); return true")
        }

        @Test(
            "Anna shares with Ben: he sees her on his map with her accuracy, she sees that he looks; when she stops his map is empty, and she has a receipt"
        )
        func person() async throws {
            let server = try await WebRoot.start()
            let (anna, ben, _) = try await Self.buddies(on: server)
            try await anna.page.open("/map")
            try await ben.page.open("/map")
            try await begin(anna, ben)
            try await watch(anna, ben)
            try await stop(anna, ben)
            for person in [anna, ben] {
                try await person.page.expectQuietConsole(except: ["favicon.ico", "location provider"])
                try await person.leave()
            }
            await server.stop()
        }

        private func begin(_ anna: Person, _ ben: Person) async throws {
            let browser = anna.browser
            try await browser.wait("the map's people", "document.getElementById('share-open')")
            try await browser.tap("#share-open")
            try await browser.wait("Ben is offered", "document.querySelector('#whom-buddies input')")
            #expect(
                try await browser.text("document.querySelector('#share-sheet [name=precision]:checked').value")
                    == "building")
            try await browser.shots("sharing-01-sheet-phone")
            try await anna.expectDialog("#share-sheet")
            try await browser.tap("#share-open")
            try await browser.wait(
                "Ben is offered again", "document.querySelector('#share-sheet[open] #whom-buddies input')")
            try await Self.choose("#share-start", in: browser)
            try await browser.wait(
                "it asks for whom", "document.getElementById('whom-problem').textContent.includes('buddy')")
            try await browser.type("nobodyatall", into: "#whom-username")
            try await Self.choose("#share-start", in: browser)
            try await browser.wait(
                "nobody has this name", "document.getElementById('whom-problem').textContent.includes('no account')")
            try await Self.choose("#whom-buddies input", in: browser)
            try await Self.choose("#share-sheet [name=precision][value=exact]", in: browser)
            // A toast is gone in a few seconds.
            try await ben.browser.script(
                """
                window.heard = []; const toasts = document.getElementById('toasts');
                new MutationObserver(() => window.heard.push(toasts.textContent)).observe(toasts, { childList: true, subtree: true });
                return true
                """)
            try await Self.choose("#share-start", in: browser)
            try await browser.wait(
                "the bar", "\(Self.bar).textContent.includes('Sharing with Ben Castro') && !\(Self.bar).hidden")
            try await browser.wait("it is told where she is", "campanile.sharing.toldAt !== null")
            try await ben.browser.wait(
                "Ben hears of it",
                "window.heard.join(' ').includes('Anna Berger is sharing their location with you')")
        }

        private func watch(_ anna: Person, _ ben: Person) async throws {
            try await ben.browser.wait("she is on his map", "\(Self.people).length === 1")
            try await ben.browser.wait(
                "where she is, with her accuracy as a circle",
                """
                (([p]) => p.name === 'Anna Berger' && p.radius === 5 && p.state === 'live' && Math.abs(p.lat - \(Self.place.lat)) < 1e-5)(\(Self.people))
                """)
            try await ben.expectNames("the map with somebody on it")
            try await ben.browser.shots("sharing-02-map-desktop")
            try await anna.browser.wait(
                "she sees that he looks",
                "document.getElementById('share-bar-more').textContent.includes('1 watching')")
            try await anna.browser.shots("sharing-03-bar-phone")
            try await anna.browser.script("document.documentElement.style.fontSize = '200%'; return true")
            try await anna.browser.wait(
                "in large text the bar is a line, and nothing is wider than the screen",
                "\(Self.bar).offsetHeight < 100 && document.scrollingElement.scrollWidth <= 390 && innerWidth === 390")
            try await anna.browser.shots("sharing-03-bar-large-phone")
            try await anna.browser.script("document.documentElement.style.fontSize = ''; return true")
            try await anna.browser.setPosition(Self.place.lat + 0.002, Self.place.lon)
            try await ben.browser.wait(
                "she moves", "Math.abs(\(Self.people)[0].lat - \(Self.place.lat + 0.002)) < 1e-5")
            try await anna.browser.tap("#share-bar a")
            try await anna.browser.wait("the page", "document.querySelector('#my-shares [data-share]')")
            try await anna.expectNames("the sharing page")
            try await anna.browser.shots("sharing-04-page-phone")
            try await Self.choose("#my-shares [data-action=who]", in: anna.browser)
            try await anna.browser.wait(
                "Ben looks now",
                """
                document.querySelector('#receipt-watches')?.textContent.includes('Ben Castro') && document.querySelector('#receipt-watches .tag')
                """)
            #expect(
                try await anna.browser.text(
                    "document.querySelector('#receipt-watches [data-action=person]').getAttribute('aria-label')")
                    == "More for Ben Castro")
            try await anna.browser.shots("sharing-05-receipt-phone")
            try await anna.expectDialog("#receipt")
        }

        private func stop(_ anna: Person, _ ben: Person) async throws {
            try await anna.browser.tap("#share-bar-stop")
            try await ben.browser.wait("his map is empty", "\(Self.people).length === 0")
            #expect(try await ben.browser.script("return !document.querySelector('.person-mark, #people-list li')"))
            try await anna.browser.wait("no bar", "\(Self.bar).hidden && campanile.sharing.duty === 'off'")
            try await Self.choose("#past-shares [data-action=who]", in: anna.browser)
            try await anna.browser.wait(
                "who looked",
                """
                document.getElementById('receipt-count')?.textContent === '1 person watched.'
                  && document.querySelector('#receipt-watches').textContent.includes('saw your exact location')
                """)
            try await anna.browser.shots("sharing-06-past-phone")
            try await anna.browser.press(.escape)
            try await Self.choose("#erase-past", in: anna.browser)
            try await anna.expectDialog("#erase-past-dialog")
            try await Self.choose("#erase-past", in: anna.browser)
            try await Self.choose("#erase-past-dialog [data-answer=yes]", in: anna.browser)
            try await anna.browser.wait("nothing is kept", "!document.querySelector('#past-shares li')")
        }

        @Test(
            "What one tab stops without a network, another of the same browser tells the server at once; the first may be closed, and nothing is told any more"
        )
        func tabs() async throws {
            let server = try await WebRoot.start()
            let (anna, ben, _) = try await Self.buddies(on: server)
            let browser = anna.browser
            try await browser.withEndableSockets {
                try await anna.page.open("/map")
                try await browser.wait("the map's people", "document.getElementById('share-open')")
                try await Self.share(anna, "person")
                try await browser.wait("it is told where she is", "campanile.sharing.toldAt !== null")
                let tabs = try await browser.openTab()
                try await browser.setPosition(Self.place.lat, Self.place.lon)
                try await anna.page.open("/map")
                try await browser.wait(
                    "the second tab's bar", "!\(Self.bar).hidden && campanile.sharing.duty !== 'off'")
                try await browser.use(tab: tabs.first)
                try await browser.loseNetwork()
                try await Self.choose("#share-bar-stop", in: browser)
                try await browser.wait("it stops", "\(Self.bar).dataset.state === 'stopping'")
                try await browser.closeTab(for: tabs.second)
            }
            try await browser.wait("no bar", "\(Self.bar).hidden && campanile.sharing.duty === 'off'")
            #expect(try await anna.connection.call(SharingMine.self).shares.isEmpty)
            #expect(
                try await browser.script(
                    "return !Object.keys(localStorage).some((key) => key.includes('sharesToStop'))"))
            for person in [anna, ben] { try await person.leave() }
            await server.stop()
        }

        @Test("A link opens one person's place without an account, and shows nothing any more when it is stopped")
        func link() async throws {
            let server = try await WebRoot.start()
            let (phone, desktop) = try await Page.pair(on: server)
            let anna = try await Person.ready(
                Profile(firstName: "Anna", lastName: "Berger", birthday: "2003-04-30", gender: .female), at: phone)
            let browser = anna.browser
            try await phone.locate(Self.place.lat, Self.place.lon)
            try await phone.open("/map")
            try await browser.wait("the map's people", "document.getElementById('share-open')")
            try await Self.share(anna, "link")
            try await browser.wait("the link", "document.getElementById('share-link')?.value.includes('/l/')")
            try await browser.shots("sharing-10-link-phone")
            let url = try await browser.text("document.getElementById('share-link').value")
            let path = try #require(URL(string: url)?.path)
            try await anna.expectDialog("#share-sheet")
            #expect(try await browser.script("return !document.body.innerHTML.includes('\(path)')"))

            try await desktop.open(path)
            try await desktop.browser.wait(
                "who it is, and how exactly",
                """
                document.querySelector('h1').textContent === 'annaruns' && document.getElementById('link-place').textContent === 'Within 5 m'
                  && \(Self.people)[0]?.radius === 5
                """)
            #expect(try await desktop.browser.script("return campanile.connection.account === null"))
            try await desktop.browser.shots("sharing-11-guest-desktop")
            try await browser.wait(
                "somebody looks", "document.getElementById('share-bar-more').textContent.includes('1 watching')")
            try await browser.tap("#share-bar-stop")
            try await desktop.browser.wait(
                "it is over", "document.getElementById('link-gone') && \(Self.people).length === 0")
            #expect(try await desktop.browser.script("return !document.body.innerText.includes('annaruns')"))
            try await desktop.browser.shots("sharing-12-gone-desktop")
            try await desktop.open(path)
            try await desktop.browser.wait("and stays so", "document.getElementById('link-gone')")
            for page in [phone, desktop] {
                try await page.expectQuietConsole(except: ["favicon.ico", "location provider"])
            }
            try await anna.leave()
            await server.stop()
        }

        @Test(
            "Where are you now: Ben asks, Anna answers once, Ben reads it once; asked again she declined to share; a stranger who asks she blocks"
        )
        func asking() async throws {
            let server = try await WebRoot.start()
            let (anna, ben, conversation) = try await Self.buddies(on: server)
            try await anna.page.open("/map")
            try await ben.page.open("/chats/\(conversation)")
            try await ask(ben)
            try await anna.browser.wait(
                "she is asked", "\(WebEvents.EventTests.toasts).includes('Ben Castro asked for your location')")
            try await anna.page.open("/sharing")
            try await Self.choose("#questions-to-me [data-action=answer]", in: anna.browser)
            #expect(
                try await anna.browser.script(
                    "return !\(WebEvents.EventTests.toasts).includes('asked for your location')"),
                "the page itself shows it")
            try await anna.browser.shots("sharing-20-answer-phone")
            try await anna.expectDialog("#answer")
            try await Self.choose("#questions-to-me [data-action=answer]", in: anna.browser)
            try await Self.choose("#answer [value=exact]", in: anna.browser)
            try await Self.choose("#answer-send", in: anna.browser)
            try await anna.browser.wait("answered", "!document.querySelector('#questions-to-me li, #answer')")
            #expect(try await anna.browser.script("return campanile.sharing.working === 0 && \(Self.bar).hidden"))

            try await ben.browser.wait(
                "he is told", "\(WebEvents.EventTests.toasts).includes('Anna Berger sent their location')")
            try await ben.page.open("/sharing")
            try await Self.choose("#my-questions [data-action=read]", in: ben.browser)
            try await ben.browser.wait(
                "the answer",
                """
                document.getElementById('answered-words')?.textContent.startsWith('Within 5 m') && document.querySelector('#answered .person-mark')
                """)
            try await ben.browser.shots("sharing-21-read-desktop")
            try await ben.expectDialog("#answered")
            try await ben.browser.wait("it is read", "document.querySelector('#my-questions [data-state=read]')")
            try await ben.browser.reload()
            try await ben.page.live()
            try await ben.browser.wait("for good", "document.querySelector('#my-questions [data-state=read]')")
            #expect(try await ben.browser.script("return !document.querySelector('[data-action=read]')"))

            try await ben.page.open("/chats/\(conversation)")
            try await ask(ben)
            try await Self.choose("#questions-to-me [data-action=answer]", in: anna.browser)
            try await Self.choose("#answer-decline", in: anna.browser)
            try await ben.browser.wait(
                "declined", "\(WebEvents.EventTests.toasts).includes('Anna Berger declined to share')")
            try await blockStranger(anna, on: server)
            for person in [anna, ben] {
                try await person.page.expectQuietConsole(except: ["favicon.ico", "location provider"])
                try await person.leave()
            }
            await server.stop()
        }

        /// Somebody asks and shares who is no buddy: both rows offer to block them, and are gone behind that.
        private func blockStranger(_ anna: Person, on server: TestServer) async throws {
            let (stranger, signedIn) = try await server.register()
            let username = try await anna.browser.text("campanile.connection.account")
            _ = try await stranger.call(
                SharingStart.self,
                .init(
                    clientId: UUID().uuidString, audience: .person, username: username, precision: .zone,
                    expiresIn: 600))
            _ = try await stranger.call(
                SharingAsk.self, .init(clientId: UUID().uuidString, username: username))
            let button = "[data-action=person][aria-label=\"More for \(signedIn.account.username)\"]"
            try await anna.browser.wait(
                "both rows have the button",
                "document.querySelector('#invitations \(button)') && document.querySelector('#questions-to-me \(button)')"
            )
            try await anna.expectNames("the sharing page with a stranger on it")
            #expect(try await anna.browser.script("return document.scrollingElement.scrollWidth <= 390"))
            try await anna.browser.shots("sharing-22-stranger-phone")
            try await Self.choose("#questions-to-me [data-action=person]", in: anna.browser)
            try await anna.browser.shots("sharing-23-menu-phone")
            try await Self.choose("#menu [data-action=block]", in: anna.browser)
            try await Self.choose("#block-dialog [data-answer=yes]", in: anna.browser)
            try await anna.browser.wait(
                "they are gone", "!document.querySelector('#invitations li, #questions-to-me li')")
            let blocked = try await anna.connection.call(SafetyBlocked.self).blocked
            #expect(blocked.map(\.person.name) == [signedIn.account.username])
            await stranger.close()
        }

        /// From the chat, where the other one is chosen already.
        private func ask(_ ben: Person) async throws {
            try await ben.browser.wait("the chat", "document.querySelector('.conversation-name')?.textContent")
            try await ben.browser.click("#conversation-menu")
            try await ben.browser.click("#menu [data-action=ask-where]")
            try await Self.choose("#ask-send", in: ben.browser)
            try await ben.browser.wait("she is asked", "!document.querySelector('#ask')")
        }

        @Test("A group is shared with from its chat on a phone, where what is written stays in sight above the bar")
        func group() async throws {
            let server = try await WebRoot.start()
            let (anna, ben, _) = try await Self.buddies(on: server)
            let group = try await anna.connection.call(
                GroupCreate.self, .init(id: UUID().uuidString, name: "Morning runners", invite: [ben.account])
            ).conversation
            _ = try await ben.connection.call(GroupAnswer.self, .init(conversation: group, accept: true))
            try await ben.page.open("/map")
            try await anna.page.open("/chats/\(group)")
            try await anna.browser.wait(
                "the chat", "document.querySelector('.conversation-name')?.textContent === 'Morning runners'")
            try await Self.choose("#conversation-menu", in: anna.browser)
            try await Self.choose("#menu [data-action=share-here]", in: anna.browser)
            try await anna.browser.wait("it is chosen", "document.querySelector('#whom-groups input:checked')")
            try await Self.choose("#share-sheet [name=precision][value=exact]", in: anna.browser)
            try await Self.choose("#share-start", in: anna.browser)
            try await anna.browser.wait("the bar", "\(Self.bar).textContent.includes('Morning runners')")
            try await ben.browser.wait("Ben sees her", "\(Self.people)[0]?.radius === 5")
            #expect(
                try await anna.browser.script(
                    """
                    const [composer, bar] = ['#composer', '#share-bar'].map((css) => document.querySelector(css).getBoundingClientRect());
                    return composer.height > 30 && composer.bottom <= bar.top && bar.bottom <= innerHeight;
                    """))
            try await anna.browser.shots("sharing-40-chat-phone")
            try await anna.browser.tap("#share-bar-stop")
            try await ben.browser.wait("his map is empty", "\(Self.people).length === 0")
            for person in [anna, ben] {
                try await person.page.expectQuietConsole(except: ["favicon.ico", "location provider"])
                try await person.leave()
            }
            await server.stop()
        }
    }
}
