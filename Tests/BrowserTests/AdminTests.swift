import CampanileClient
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

extension WebTracking {
    /// An admin at a desktop, and others at a phone.
    @Suite("Campus admin")
    struct AdminTests {
        // MARK: People

        @Test(
            "An admin adds a lecturer, who follows the welcome link and logs in; changes a role; disables a student, whose browser is logged out; deletes; and the log tells all of it"
        )
        func people() async throws {
            let server = try await WebRoot.start()
            let (phone, desktop) = try await Page.pair(on: server)
            let admin = try await Person.official("annaruns", .admin, at: desktop)
            let (connection, ben) = try await server.register("benruns")
            await connection.close()
            let link = try await add(admin)
            try await follow(link, phone)
            try await overview(admin)
            try await changeRole(admin)
            try await disable(admin, ben, phone)
            try await delete(admin)
            try await readLog(admin)
            for page in [phone, desktop] {
                try await page.expectQuietConsole(except: ["favicon.ico"])
                try await page.browser.setScreen(nil)
            }
            await admin.connection.close()
            await server.stop()
        }

        /// From the account page to a link that is handed over.
        private func add(_ admin: Person) async throws -> String {
            let browser = admin.browser
            try await admin.page.open("/account")
            try await browser.click("#to-admin")
            try await browser.wait(
                "figures", "document.querySelector('[data-figure=people] .live-value')?.textContent > 0")
            try await browser.click(".console-nav [data-part=users]")
            try await browser.wait("both are listed", "document.querySelectorAll('#users tbody tr').length === 2")
            try await admin.expectNames("people")
            try await browser.shots("admin-02-people-desktop")
            try await browser.click("#new-user")
            try await browser.click("#new-user-form-submit")
            try await browser.wait(
                "it says what is missing, and goes there",
                "document.querySelector('[data-problem=username]').textContent && document.activeElement.id === 'field-username'"
            )
            try await browser.type("lenaruns", into: "#field-username")
            try await browser.type("lenaruns@example.org", into: "#field-email")
            try await browser.click("input[name=role][value=lecturer]")
            try await admin.expectNames("a new person")
            try await browser.click("#new-user-form-submit")
            try await browser.wait("the link", "document.getElementById('welcome-link')")
            try await browser.shots("admin-03-link-desktop")
            let link = "new URL(document.getElementById('welcome-link').value).pathname"
            let first = try await browser.text(link)
            try await browser.click("#to-user")
            try await browser.wait("no password yet", "document.getElementById('invited-user-note')")
            try await browser.click("#new-welcome")
            try await browser.click("#welcome-dialog-form-submit")
            try await browser.wait(
                "for another link one says who one is",
                "document.querySelector('#welcome-dialog [data-problem=password]').textContent")
            try await browser.type(TestServer.password, into: "#own-password")
            try await browser.click("#welcome-dialog-form-submit")
            try await browser.wait("another link", "document.getElementById('welcome-link')")
            let second = try await browser.text(link)
            #expect(second != first)
            return second
        }

        private func follow(_ link: String, _ phone: Page) async throws {
            let browser = phone.browser
            try await phone.open(link)
            try await browser.type("Secret123", into: "#field-password")
            try await browser.type("Secret124", into: "#field-again")
            try await browser.tap("#welcome-form-submit")
            try await browser.wait("they differ", "document.querySelector('[data-problem=again]').textContent")
            try await browser.shots("admin-04-welcome-phone")
            try await browser.type("Secret123", into: "#field-again")
            try await browser.tap("#welcome-form-submit")
            try await browser.wait(
                "she is in", "campanile.connection.account === 'lenaruns' && location.pathname === '/'")
            try await phone.open("/account")
            try await browser.wait("what is above it", "document.getElementById('goal-distance')")
            try await browser.tap("#logout")
            try await browser.tap("#logout-dialog [data-answer=yes]")
            try await browser.wait(
                "a guest, in a new document",
                "campanile.connection.account === null && location.pathname === '/' && document.getElementById('toasts').textContent.includes('Logged out.')"
            )
            try await phone.open(link)
            try await browser.type("Secret125", into: "#field-password")
            try await browser.type("Secret125", into: "#field-again")
            try await browser.tap("#welcome-form-submit")
            try await browser.wait("the link worked once", "document.getElementById('welcome-invalid')")
            try await browser.tap("a[href='/login'].primary")
            try await browser.type("lenaruns@example.org", into: "#login-form [name=email]")
            try await browser.type("Secret123", into: "#login-form [name=password]")
            try await browser.tap("#login-form-submit")
            try await browser.wait("with the password", "campanile.connection.account === 'lenaruns'")
        }

        private func overview(_ admin: Person) async throws {
            let browser = admin.browser
            try await admin.page.open("/admin")
            try await browser.wait(
                "what was done",
                "document.querySelector('#latest-audit')?.textContent.includes('annaruns added lenaruns as Lecturer')")
            try await browser.wait(
                "a line of messages", "document.querySelector('.sparkline path').getAttribute('d').includes('L')")
            try await admin.expectNames("the overview")
            try await browser.shots("admin-01-overview-desktop")
            try await browser.setScreen(.phone)
            try await admin.expectNames("the overview on a phone")
            try await browser.shots("admin-01-overview-phone")
            try await browser.setScreen(.desktop)
        }

        private func changeRole(_ admin: Person) async throws {
            let browser = admin.browser
            try await browser.click(".console-nav [data-part=users]")
            try await browser.type("benr", into: "#user-search")
            try await browser.wait("he is found", "document.querySelectorAll('#users tbody tr').length === 1")
            try await browser.click("#users .row-link")
            try await browser.wait("his page", "document.querySelector('main h1').textContent === 'benruns'")
            try await admin.expectNames("a person")
            try await browser.shots("admin-05-person-desktop")
            try await WebEvents.EventTests.set("#field-role", to: "admin", in: browser)
            try await browser.wait(
                "to make an admin, one says who one is", "document.getElementById('field-password').checkVisibility()")
            try await WebEvents.EventTests.set("#field-role", to: "lecturer", in: browser)
            try await browser.wait(
                "for a lecturer one need not", "!document.getElementById('field-password').checkVisibility()")
            try await browser.click("#user-form-submit")
            try await admin.expectDialog("#edit-dialog")
            try await browser.click("#user-form-submit")
            try await browser.click("#edit-dialog [data-answer=yes]")
            try await browser.wait(
                "his role", "document.querySelector('#user-tags [data-role]').dataset.role === 'lecturer'")
        }

        /// Ben looks at the map meanwhile.
        private func disable(_ admin: Person, _ ben: SignedIn, _ phone: Page) async throws {
            let connection = try await phone.server.connect()
            let again = try await connection.call(
                AccountLogin.self, .init(email: "benruns@example.org", password: TestServer.password))
            await connection.close()
            try await phone.remember(again)
            try await phone.open("/map")
            try await phone.browser.wait("Ben is logged in", "campanile.connection.account === 'benruns'")
            let browser = admin.browser
            try await browser.click("#disable-user")
            try await admin.expectDialog("#disable-dialog")
            try await browser.click("#disable-user")
            try await browser.click("#disable-dialog-form button[type=submit]")
            try await browser.wait("it asks why", "document.querySelector('[data-problem=reason]').textContent")
            try await browser.type("Adverts in the chat", into: "#disable-dialog [name=reason]")
            try await browser.shots("admin-06-disable-desktop")
            try await browser.click("#disable-dialog-form button[type=submit]")
            try await browser.wait(
                "it is said, and can be undone from the keyboard",
                "document.getElementById('disabled-note')?.textContent.includes('Adverts in the chat') && document.activeElement.id === 'enable-user'"
            )
            try await phone.browser.wait(
                "Ben's browser is logged out",
                "campanile.connection.account === null && document.getElementById('toasts').textContent.includes('An admin has disabled your account')"
            )
            try await phone.open("/login")
            for turn in 1...2 {
                try await phone.browser.type("benruns@example.org", into: "#login-form [name=email]")
                try await phone.browser.type(TestServer.password, into: "#login-form [name=password]")
                try await phone.browser.tap("#login-form-submit")
                if turn == 2 { break }
                try await phone.browser.wait(
                    "he is told", "document.getElementById('login-form-problem').textContent.includes('disabled')")
                try await phone.browser.shots("admin-07-disabled-phone")
                try await browser.press(Browser.enter)
                try await browser.wait(
                    "it is undone",
                    "!document.getElementById('disabled-note') && document.activeElement.id === 'disable-user'")
            }
            try await phone.browser.wait("he may again", "campanile.connection.account === 'benruns'")
        }

        private func delete(_ admin: Person) async throws {
            let browser = admin.browser
            try await browser.click("#delete-user")
            try await admin.expectDialog("#delete-dialog")
            try await browser.click("#delete-user")
            try await browser.type("benrun", into: "#delete-dialog [name=username]")
            try await browser.type("Wrong1234", into: "#delete-dialog [name=password]")
            try await browser.click("#delete-dialog-form button[type=submit]")
            try await browser.wait(
                "another name does not do",
                "document.querySelector('#delete-dialog [data-problem=username]').textContent")
            try await browser.shots("admin-08-delete-desktop")
            try await browser.type("benruns", into: "#delete-dialog [name=username]")
            try await browser.click("#delete-dialog-form button[type=submit]")
            try await browser.wait(
                "nor does another password",
                "[...document.querySelectorAll('#delete-dialog .problem')].some((line) => line.textContent && !line.dataset.problem?.startsWith('username'))"
            )
            try await browser.type(TestServer.password, into: "#delete-dialog [name=password]")
            try await browser.click("#delete-dialog-form button[type=submit]")
            try await browser.wait("the list", "location.pathname === '/admin/users'")
            try await browser.wait(
                "without him",
                "document.querySelectorAll('#users tbody tr').length === 2 && !document.getElementById('users').textContent.includes('benruns')"
            )
        }

        private func readLog(_ admin: Person) async throws {
            let browser = admin.browser
            try await browser.click(".console-nav [data-part=audit]")
            try await browser.wait("the log", "document.querySelector('#audit .audit-row')")
            let lines = try await browser.script(
                "return [...document.querySelectorAll('#audit .audit-words')].map((line) => line.textContent)",
                as: [String].self)
            let looks = lines.filter { $0.contains("viewed the account of") }
            #expect(
                Set(looks) == [
                    "annaruns viewed the account of benruns", "annaruns viewed the account of lenaruns",
                ])
            #expect(
                lines.filter { !looks.contains($0) } == [
                    "annaruns deleted the account of benruns (Lecturer)", "annaruns disabled benruns: is being deleted",
                    "annaruns enabled benruns again", "annaruns disabled benruns: Adverts in the chat",
                    "annaruns changed benruns: role Student → Lecturer",
                    "annaruns created a new welcome link for lenaruns", "annaruns added lenaruns as Lecturer",
                ])
            try await admin.expectNames("the log")
            try await browser.shots("admin-09-log-desktop")
            try await WebEvents.EventTests.set("#audit-person", to: "lenaruns", in: browser)
            try await browser.wait(
                "hers alone",
                "(([...rows]) => rows.length > 0 && rows.every((row) => row.textContent.includes('lenaruns')))(document.querySelectorAll('#audit .audit-row'))"
            )
            try await WebEvents.EventTests.set("#audit-kind", to: "user.delete", in: browser)
            try await browser.wait("nobody deleted her", "document.getElementById('audit-empty')")
        }

        // MARK: Who sees what

        @Test("A student, a lecturer and a rewards manager see no more than their part, and no page is blank")
        func parts() async throws {
            let server = try await WebRoot.start()
            let (phone, desktop) = try await Page.pair(on: server)
            for (role, parts) in [
                (Role.student, ""), (.lecturer, "overview events notices"), (.rewards, ""),
            ] {
                for (page, isPhone) in [(phone, true), (desktop, false)] {
                    let person = try await Person.official(TestServer.newName(), role, at: page)
                    let browser = page.browser
                    try await page.open("/account")
                    try await browser.wait("the account", "document.getElementById('account-name')")
                    // The page may be drawn before the reply to hello has brought the role.
                    try await browser.wait(
                        "the link to the console of a \(role)",
                        "Boolean(document.getElementById('to-admin')) === \(role != .student)")
                    try await page.open("/admin")
                    let own = [
                        Role.student: "#no-right", .lecturer: "#next-events .tile-links", .rewards: "#rewards-part",
                    ]
                    try await browser.wait("the \(role)'s part", "document.querySelector('\(own[role] ?? "")')")
                    let offered = try await browser.text(
                        "[...document.querySelectorAll('.console-nav [data-part]')].map((part) => part.dataset.part).join(' ')"
                    )
                    #expect(offered == parts, "\(role)")
                    #expect(
                        try await browser.script(
                            "return Boolean(document.querySelector('#tabs [data-nav=admin]'))") == (role == .lecturer))
                    try await person.expectNames("the console of a \(role)")
                    try await browser.shots(
                        "admin-15-\(role.rawValue)-\(isPhone ? "phone" : "desktop")")
                    for path in [
                        "/admin/users", "/admin/users/new", "/admin/users/1", "/admin/places", "/admin/audit",
                        "/reports",
                    ] {
                        try await page.open(path)
                        try await browser.wait("\(path) says so", "document.querySelector('#no-right a.button')")
                        #expect(
                            try await browser.script(
                                "return !document.querySelector('main :is(input, select, table, .map)')"),
                            "\(path) for a \(role)")
                    }
                    await person.connection.close()
                }
            }
            for page in [phone, desktop] {
                try await page.expectQuietConsole(except: ["favicon.ico"])
                try await page.browser.setScreen(nil)
            }
            await server.stop()
        }

        @Test("Who is no admin any more is logged out of an open console, and finds a plain page behind it")
        func demoted() async throws {
            let server = try await WebRoot.start()
            let (phone, desktop) = try await Page.pair(on: server)
            let anna = try await Person.official("annaruns", .admin, at: desktop)
            let other = try await Person.official("otherruns", .admin, at: phone)
            try await anna.page.open("/admin/users")
            try await anna.browser.wait("people", "document.querySelector('#users tbody tr')")
            try await other.page.open("/admin/users/\(anna.account)")
            try await WebEvents.EventTests.set("#field-role", to: "lecturer", in: other.browser)
            try await other.browser.type(TestServer.password, into: "#user-form [name=password]")
            try await other.browser.tap("#user-form-submit")
            try await other.browser.tap("#edit-dialog [data-answer=yes]")
            try await anna.browser.wait(
                "logged out", "campanile.connection.account === null && location.pathname === '/login'")
            try await anna.browser.type("annaruns@example.org", into: "#login-form [name=email]")
            try await anna.browser.type(TestServer.password, into: "#login-form [name=password]")
            try await anna.browser.click("#login-form-submit")
            try await anna.browser.wait(
                "no blank page", "location.pathname === '/admin/users' && document.getElementById('no-right')")
            for person in [anna, other] { try await person.leave() }
            await server.stop()
        }

        // MARK: Live figures

        @Test("Figures that cannot be refreshed say how old they are, and go on when the network is back")
        func stale() async throws {
            let server = try await WebRoot.start()
            let (_, desktop) = try await Page.pair(on: server)
            let admin = try await Person.official("annaruns", .admin, at: desktop)
            let browser = admin.browser
            try await browser.withEndableSockets {
                try await admin.page.open("/admin")
                let status = "document.getElementById('figures-status').textContent"
                try await browser.wait("figures", "\(status) === 'Updates every 2 seconds'")
                try await browser.loseNetwork()
                try await browser.wait(
                    "they are old",
                    "document.querySelector('.live-figures.is-old') && /^Last updated .*You.re offline/.test(\(status))"
                )
                try await browser.shots("admin-16-stale-desktop")
                try await browser.setOffline(false)
                try await browser.wait(
                    "fresh again",
                    "!document.querySelector('.live-figures.is-old') && \(status) === 'Updates every 2 seconds'")
            }
            try await admin.leave()
            await server.stop()
        }
    }
}

extension Person {
    /// Somebody with a role that the operator gave, signed in at a browser.
    static func official(_ username: String, _ role: Role, at page: Page) async throws -> Person {
        let (connection, account) = try await page.server.register(username)
        let database = try await page.server.database()
        defer { database.close() }
        _ = try await database.query(
            "UPDATE accounts SET role = $2 WHERE id = $1", [.int(account.account.id), .text(role.rawValue)])
        try await page.remember(account)
        return Person(page: page, connection: connection, account: account.account.id)
    }
}
