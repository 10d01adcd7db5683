import CampanileClient
import EventLoop
import Foundation
import Server
import TestSupport
import Testing
import Wire

extension WebAccounts {
    @Suite("Logging in by a provider of OpenID Connect")
    struct ProviderTests {
        private let provider: TestPython
        private let server: TestServer

        init() async throws {
            provider = try await TestPython.start("openid")
            server = try await Self.start(provider)
        }

        private static func start(_ provider: TestPython, mail: TestPython? = nil) async throws -> TestServer {
            // The provider sends browsers back to this port.
            let port = try #require(try ListeningSocket.bind(host: "127.0.0.1", port: 0).first?.address.port)
            return try await WebRoot.start {
                if let mail { try $0.sendMail(through: mail) }
                $0.port = port
                $0.signIn(by: provider, ["normal", "post"], site: "http://localhost:\(port)") {
                    if $0.name == "post" { ($0.label, $0.responseMode) = ("Form ID", .formPost) }
                }
            }
        }

        private func isHome(_ page: Page) async throws {
            try await page.browser.wait(
                "the person is logged in", "location.pathname === '/' && localStorage.getItem('campanile.token')")
        }

        @Test(
            "A new person registers with a button and a user name, and logs in with the button alone afterwards; axe-core finds nothing"
        )
        func register() async throws {
            try await provider.signIn(sub: "b1", email: "bea@example.org", name: "bea.meyer")
            let page = try await Page.fresh(on: server)
            let browser = page.browser
            try await page.open("/login")
            try await browser.wait("the button", "document.getElementById('provider-normal')")
            #expect(
                try await browser.script(
                    "return document.getElementById('provider-normal').textContent", as: String.self)
                    == "Continue with Campus ID")
            try await browser.expectAccessible("provider-1-login")
            try await browser.click("#provider-normal")
            try await browser.wait("the form", "document.getElementById('provider-register-form')")
            #expect(
                try await browser.script(
                    "return document.getElementById('field-username').value + location.hash + history.length",
                    as: String.self
                ).hasPrefix("beameyer"))
            try await browser.expectAccessible("provider-2-username")
            let name = TestServer.newName()
            try await browser.script("document.getElementById('field-username').value = ''")
            try await browser.type(name, into: "#field-username")
            try await browser.click("#provider-register-form-submit")
            try await isHome(page)
            try await page.open("/settings/security")
            try await browser.wait(
                "the card", "document.querySelector('#provider-row-normal')?.innerText.includes('Connected since')")
            #expect(try await browser.script("return document.getElementById('disconnect-normal').disabled"))
            try await browser.wait("what to do", "document.getElementById('no-password')")
            try await browser.click("#add-passkey")
            try await browser.wait(
                "how to set a password", "document.querySelector('#add-passkey-dialog-no-password a[href=\"/reset\"]')")
            #expect(try await browser.script("return document.getElementById('add-passkey-dialog-password') === null"))
            try await page.expectQuietConsole()

            let again = try await Page.fresh(on: server)
            try await again.open("/login?next=%2Fabout")
            try await again.browser.wait("the button", "document.getElementById('provider-normal')")
            try await again.browser.click("#provider-normal")
            try await again.browser.wait("the page that was wanted", "location.pathname === '/about'")
            #expect(
                try await again.browser.script(
                    "return JSON.parse(localStorage.getItem('campanile.account')).username", as: String.self) == name)
            // What the history keeps opens nothing.
            #expect(
                try await again.browser.script(
                    "return Object.keys(sessionStorage).includes('campanile.openid') || location.href.includes('#')")
                    == false)
            await server.stop()
        }

        @Test(
            "An account with the address is connected by its password, then disconnected and connected in the settings; axe-core finds nothing"
        )
        func connect() async throws {
            let page = try await Page.fresh(on: server)
            let browser = page.browser
            let (connection, account) = try await server.register()
            await connection.close()
            try await provider.signIn(sub: "c1", email: account.account.email)
            try await page.open("/login")
            try await browser.wait("the button", "document.getElementById('provider-normal')")
            try await browser.click("#provider-normal")
            try await browser.wait("the password is asked for", "document.getElementById('provider-connect-form')")
            try await browser.expectAccessible("provider-3-connect")
            try await browser.type("Wrong12345", into: "#field-password")
            try await browser.click("#provider-connect-form-submit")
            try await browser.wait(
                "it is wrong", "document.body.innerText.includes('Incorrect email and/or password')")
            try await browser.script("document.getElementById('field-password').value = ''")
            try await browser.type(TestServer.password, into: "#field-password")
            try await browser.click("#provider-connect-form-submit")
            try await isHome(page)
            try await page.open("/settings/security")
            try await browser.wait("connected", "document.getElementById('disconnect-normal')")
            try await browser.expectAccessible("provider-4-account", at: "#providers-card")
            try await browser.click("#disconnect-normal")
            try await browser.wait(
                "what it ends",
                "document.getElementById('disconnect-effects')?.innerText.includes('Other devices are logged out')")
            try await browser.type(TestServer.password, into: "#disconnect-password")
            try await browser.expectAccessible("provider-5-disconnect")
            try await browser.click("#disconnect-form-submit")
            try await browser.wait("disconnected", "document.getElementById('connect-normal')")
            // The same again, and by a posted form as well.
            for name in ["normal", "post"] {
                try await browser.click("#connect-\(name)")
                try await browser.wait("the password is asked for", "document.getElementById('provider-confirm-form')")
                if name == "normal" { try await browser.expectAccessible("provider-6-confirm") }
                try await browser.type(TestServer.password, into: "#field-password")
                try await browser.click("#provider-confirm-form-submit")
                try await browser.wait("connected", "document.getElementById('disconnect-\(name)')")
            }
            try await page.expectQuietConsole()
            await server.stop()
        }

        @Test(
            "An older account without a password changes its email without one, and once it is confirmed reads how to set one"
        )
        func email() async throws {
            await server.stop()
            let mail = try await TestPython.start("mail", ["plain"])
            let server = try await Self.start(provider, mail: mail)
            try await provider.signIn(sub: "d1", email: "typo@example.org", isVerified: false)
            let page = try await Page.fresh(on: server)
            let browser = page.browser
            try await page.open("/login")
            try await browser.wait("the button", "document.getElementById('provider-normal')")
            try await browser.click("#provider-normal")
            try await browser.type(TestServer.newName(), into: "#field-username")
            try await browser.click("#provider-register-form-submit")
            try await browser.wait("the person is logged in", "localStorage.getItem('campanile.token')")
            // As an account that was made while the server sent no mail.
            let database = try await server.database()
            _ = try await database.query("UPDATE accounts SET confirm_by = NULL")
            database.close()
            try await page.open("/settings/account")
            try await browser.wait("the card", "document.getElementById('change-email')")
            try await browser.click("#change-email")
            try await browser.type("dora@example.org", into: "#new-email")
            #expect(try await browser.script("return document.getElementById('email-password') === null"))
            try await browser.click("#change-email-dialog-form-submit")
            try await browser.wait("a code is asked for", "document.getElementById('keep-email')")
            let code = try await eventually("the mail arrives") {
                mail.said("mail").filter { $0.text("to") == "dora@example.org" }.last?
                    .object("headers").text("subject").firstMatch(of: /^([0-9]{8}) is/).map { String($0.1) }
            }
            try await browser.type(code, into: "#email-code-form input")
            try await browser.click("#email-code-form-submit")
            try await browser.wait(
                "it is confirmed",
                "document.querySelector('#email-card .tag.good') && !document.getElementById('keep-email')")
            try await browser.click("#change-email")
            try await browser.wait(
                "how to set a password", "document.querySelector('#email-no-password a[href=\"/reset\"]')")
            try await browser.screenshot("email-no-password")
            try await page.expectQuietConsole()
            await server.stop()
            mail.end()
        }

        @Test("While the provider is away a page says so and leads back to the log-in, where passwords work")
        func down() async throws {
            try await provider.control("down=normal")
            let page = try await Page.fresh(on: server)
            let browser = page.browser
            let (connection, account) = try await server.register()
            await connection.close()
            try await page.open("/login")
            try await browser.wait("the button", "document.getElementById('provider-normal')")
            try await browser.click("#provider-normal")
            try await browser.wait(
                "what is wrong", "document.getElementById('openid-problem')?.textContent.includes('answer right now')")
            try await browser.expectAccessible("provider-7-away")
            try await browser.click("a[href='/login']")
            try await browser.wait("the form", "document.getElementById('login-form')")
            try await browser.type(account.account.email, into: "#login-form [name=email]")
            try await browser.type(TestServer.password, into: "#login-form [name=password]")
            try await browser.click("#login-form-submit")
            try await isHome(page)
            await server.stop()
        }

        @Test("The address of another person's log-in opens nothing")
        func foreign() async throws {
            let page = try await Page.fresh(on: server)
            try await page.open("/login/provider#\(String(repeating: "A", count: 43))")
            try await page.browser.wait(
                "it is over", "document.getElementById('provider-problem')?.textContent.includes('another tab')")
            try await page.browser.expectAccessible("provider-8-over")
            try await page.expectQuietConsole()
            await server.stop()
        }
    }
}
