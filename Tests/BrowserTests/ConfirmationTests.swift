import CampanileClient
import Foundation
import Server
import TestSupport
import Testing
import Wire

extension WebAccounts {
    @Suite("Confirming and changing the email")
    struct ConfirmationTests {
        private let mail: TestPython
        private let server: TestServer

        init() async throws {
            let mail = try await TestPython.start("mail", ["plain"])
            self.mail = mail
            server = try await Self.start(mail, .optional)
        }

        private static func start(_ mail: TestPython, _ confirmation: ConfirmationPolicy) async throws -> TestServer {
            try await WebRoot.start {
                try $0.sendMail(through: mail)
                $0.confirmation = confirmation
            }
        }

        /// The latest code that was mailed to an address, and the path of the link beside it.
        private func proof(to email: String, after number: Int = 0) async throws -> (code: String, path: String) {
            try await eventually("the mail arrives") {
                let mails = mail.said("mail").filter {
                    $0.text("to") == email && $0.text("plain").contains("/confirm/")
                }
                guard mails.count > number, let last = mails.last,
                    let code = last.object("headers").text("subject").firstMatch(of: /^([0-9]{8}) is/),
                    let link = last.text("plain").firstMatch(of: /https:\/\/campus\.example(\/confirm\/\S{43})\s/)
                else { return nil }
                return (String(code.1), String(link.1))
            }
        }

        private func enter(_ code: String, _ browser: Browser) async throws {
            try await browser.script("document.querySelector('#email-code-form input').value = ''")
            try await browser.type(code, into: "#email-code-form input")
            try await browser.click("#email-code-form-submit")
        }

        @Test(
            "A new person enters the code; until then pages say what is closed and why, and afterwards it is open; the email is changed by a code, too"
        )
        func code() async throws {
            let page = try await Page.fresh(on: server)
            let browser = page.browser
            let name = TestServer.newName()
            let email = "\(name)@example.org"
            try await page.open("/register")
            for (field, value) in [
                ("username", name), ("email", email), ("password", TestServer.password), ("again", TestServer.password),
            ] { try await browser.type(value, into: "#register-form [name=\(field)]") }
            try await browser.click("#register-form-submit")
            try await browser.wait(
                "the code is asked for",
                "location.pathname === '/confirm' && document.getElementById('email-code-form')")
            try await browser.shots("confirm-1-code-desktop")
            try await browser.click("#confirm-later")
            try await browser.wait("the note", "document.getElementById('confirm-note')")
            try await browser.shots("confirm-2-home-desktop")
            try await page.open("/buddies")
            try await browser.wait("it is closed", "document.getElementById('confirm-first')")
            try await browser.shots("confirm-3-buddies-desktop")
            try await page.open("/track")
            try await browser.wait(
                "only private",
                "[...document.querySelectorAll('[name=audience]')].map((one) => one.disabled).join() === 'false,true,true'"
            )
            try await page.open("/confirm?next=%2Fsettings%2Faccount")
            let code = try await proof(to: email).code
            try await enter("12345", browser)
            try await browser.wait(
                "what is wrong",
                "document.querySelector('[data-problem=code]').textContent === 'Enter the eight-digit code.'")
            try await enter(code == "00000000" ? "00000001" : "00000000", browser)
            try await browser.wait(
                "it is not the code",
                "document.querySelector('[data-problem=code]').textContent.includes('4 more tries')")
            try await browser.click("#resend-code")
            try await browser.wait("it is sent", "document.body.innerText.includes('Only the latest code works')")
            try await enter(try await proof(to: email, after: 1).code, browser)
            try await browser.wait(
                "it is confirmed",
                "location.pathname === '/settings/account' && document.querySelector('#email-card .tag')?.textContent === 'Confirmed'"
            )
            try await page.open("/buddies")
            try await browser.wait(
                "it is open", "document.querySelector('.buddies-page') && !document.getElementById('confirm-first')")

            try await page.open("/settings/account")
            let new = "new.\(name)@example.org"
            try await browser.click("#change-email")
            try await browser.type(new, into: "#new-email")
            try await browser.type("Wrong12345", into: "#email-password")
            try await browser.click("#change-email-dialog-form-submit")
            try await browser.wait(
                "a wrong password",
                "document.querySelector('#change-email-dialog [data-problem=password]').textContent.includes('not your password')"
            )
            try await browser.shots("confirm-4-change-desktop")
            try await browser.script("document.getElementById('email-password').value = ''")
            try await browser.type(TestServer.password, into: "#email-password")
            try await browser.click("#change-email-dialog-form-submit")
            try await browser.wait("a code is asked for", "document.getElementById('keep-email')")
            try await browser.shots("confirm-5-changing-desktop")
            try await browser.setScreen(.phone)
            try await browser.shots("confirm-6-changing-phone")
            try await enter(try await proof(to: new).code, browser)
            try await browser.wait(
                "it is changed", "document.querySelector('#email-card strong').textContent === \(Browser.quoted(new))")
            try await browser.setScreen(nil)
            try await page.expectQuietConsole()
            await server.stop()
        }

        @Test(
            "The link confirms where its account is logged in, once, and leads to the log-in elsewhere; an open page learns of it"
        )
        func link() async throws {
            let page = try await Page.fresh(on: server)
            let browser = page.browser
            let (connection, account) = try await page.signIn()
            try await page.open("/settings/account")
            try await browser.wait("the code is asked for", "document.getElementById('email-code-form')")
            let other = try await proof(to: account.account.email)
            _ = try await connection.call(AccountConfirmEmail.self, .init(code: other.code))
            try await browser.wait(
                "the page learns of it", "document.querySelector('#email-card .tag')?.textContent === 'Confirmed'")
            try await page.open(other.path)
            try await browser.wait("the link is used", "document.getElementById('confirm-invalid')")
            try await browser.shots("confirm-7-invalid-desktop")
            await connection.close()
            try await page.expectQuietConsole()

            let (another, fresh) = try await server.register()
            await another.close()
            let guest = try await Page.fresh(on: server)
            let path = try await proof(to: fresh.account.email).path
            try await guest.open(path)
            try await guest.browser.wait("the log-in page", "document.getElementById('login-form')")
            try await guest.browser.type(fresh.account.email, into: "#login-form [name=email]")
            try await guest.browser.type(TestServer.password, into: "#login-form [name=password]")
            try await guest.browser.click("#login-form-submit")
            try await guest.browser.wait(
                "it is confirmed",
                "location.pathname === '/settings/account' && document.querySelector('#email-card .tag')?.textContent === 'Confirmed'"
            )
            try await guest.expectQuietConsole()
            await server.stop()
        }

        @Test(
            "Where a confirmed email is required, the pages of an account lead to the code, and on to the page afterwards"
        )
        func required() async throws {
            let server = try await Self.start(mail, .required)
            let page = try await Page.fresh(on: server)
            let (connection, account) = try await page.signIn()
            await connection.close()
            let browser = page.browser
            try await page.open("/chats")
            try await browser.wait(
                "the code is asked for",
                "location.pathname === '/confirm' && document.getElementById('email-code-form')")
            try await browser.shots("confirm-8-required-desktop")
            try await enter(try await proof(to: account.account.email).code, browser)
            try await browser.wait("the page", "location.pathname === '/chats'")
            await server.stop()
        }

        @Test("Without a mail server the card says whom to ask, and calls no email unconfirmed")
        func noMail() async throws {
            let page = try await Page.fresh()
            let (connection, _) = try await page.signIn()
            await connection.close()
            try await page.open("/settings/account")
            try await page.browser.wait(
                "whom to ask", "document.getElementById('email-no-mail')?.textContent.includes('ask a campus admin')")
            #expect(try await page.browser.script("return document.querySelector('#email-card .tag') === null"))
            try await page.browser.shots("confirm-9-no-mail-desktop")
        }
    }
}
