import Foundation
import TestSupport
import Testing
import Wire

extension WebAccounts {
    @Suite("A forgotten password")
    struct PasswordResetTests {
        @Test("From the log-in page to a new password: the same text for every address, and a link that works once")
        func reset() async throws {
            let mail = try await TestPython.start("mail", ["plain"])
            let server = try await WebRoot.start {
                try $0.sendMail(through: mail)
            }
            let (connection, account) = try await server.register()
            await connection.close()
            let page = try await Page.fresh(on: server)
            let browser = page.browser
            try await page.open("/login")
            try await browser.click("#to-reset")
            try await browser.wait("the form", "document.getElementById('reset-form')")
            try await browser.click("#reset-form-submit")
            try await browser.wait(
                "what is wrong", "document.querySelector('[data-problem=email]').textContent === 'Invalid Email!!!'")
            try await browser.screenshot("reset-wrong")
            for email in ["nobody@example.org", account.account.email] {
                try await page.open("/reset")
                try await browser.type(email, into: "input[name=email]")
                try await browser.click("#reset-form-submit")
                let text = "If this address has an account, we've sent it a link. It works for one hour."
                try await browser.wait(
                    "the same text", "document.getElementById('reset-sent')?.textContent === \(Browser.quoted(text))")
            }
            try await browser.screenshot("reset-sent")
            let token = try await eventually("the mail arrives") {
                mail.said("mail").compactMap { line in
                    line.text("plain").firstMatch(of: /\/reset\/([A-Za-z0-9_-]{43})\s/).map { String($0.1) }
                }.first
            }
            try await follow(token, page)
            try await browser.click(".form-card a.button")
            try await browser.wait("the log-in page", "document.getElementById('login-form')")
            try await browser.type(account.account.email, into: "input[name=email]")
            try await browser.type("Better123", into: "input[name=password]")
            try await browser.click("#login-form-submit")
            try await browser.wait("signed in", "campanile.connection.account === '\(account.account.username)'")
            try await page.open("/reset/\(token)")
            try await browser.wait(
                "whose browser it is",
                "document.getElementById('reset-other').textContent.includes('\(account.account.username)')")
            try await set("Better456", "Better456", browser)
            try await browser.wait("it works once", "document.getElementById('reset-invalid')")
            try await browser.screenshot("reset-invalid")
            try await page.expectQuietConsole()
            await server.stop()
        }

        @Test("Whoever is logged in there is logged out by their own link, and reads that the password was changed")
        func loggedIn() async throws {
            let page = try await Page.fresh()
            let (connection, account) = try await page.signIn()
            await connection.close()
            let token = "a-link-that-resets-a-password"
            let database = try await page.server.database()
            _ = try await database.query(
                "INSERT INTO password_resets VALUES (sha256($1), $2, now() + interval '1 hour')",
                [.bytes(Array(token.utf8)), .int(account.account.id)])
            database.close()
            let browser = page.browser
            try await page.open("/reset/\(token)")
            try await set("Better123", "Better123", browser)
            try await browser.wait("logged out", "campanile.connection.account === null")
            try await browser.wait("it is done", "document.getElementById('reset-done')")
            try await browser.click(".form-card a.button")
            try await browser.wait("the log-in page", "document.getElementById('login-form')")
            try await page.expectQuietConsole()
        }

        /// Sets a password by the link, after two mistakes.
        private func follow(_ token: String, _ page: Page) async throws {
            let browser = page.browser
            try await page.open("/reset/\(token)")
            for (password, again, field, message) in [
                ("better", "better", "password", "Password must be between 8-20 characters long!!!"),
                ("Better123", "Better124", "again", "Password mismatch"),
            ] {
                try await set(password, again, browser)
                try await browser.wait(
                    message, "document.querySelector('[data-problem=\(field)]').textContent === '\(message)'")
            }
            try await browser.screenshot("reset-link")
            try await set("Better123", "Better123", browser)
            try await browser.wait("it is done", "document.getElementById('reset-done')")
            // The link does not stay in the history.
            #expect(try await browser.script("return location.pathname", as: String.self) == "/login")
            try await browser.screenshot("reset-done")
        }

        private func set(_ password: String, _ again: String, _ browser: Browser) async throws {
            try await browser.type(password, into: "input[name=password]")
            try await browser.type(again, into: "input[name=again]")
            try await browser.click("#reset-link-form-submit")
        }

        @Test("Without a mail server the page says what to do instead")
        func noMailServer() async throws {
            let page = try await Page.fresh()
            try await page.open("/reset")
            try await page.browser.wait(
                "what to do",
                "document.getElementById('reset-unavailable')?.textContent.includes('Ask a campus admin')")
            try await page.expectQuietConsole()
        }
    }
}
