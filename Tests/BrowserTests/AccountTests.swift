import CampanileClient
import TestSupport
import Testing
import Wire

extension WebAccounts {
    @Suite("Accounts")
    struct AccountTests {
        @Test("The start page says what Campanile is, counts who is out, and the console stays quiet")
        func start() async throws {
            let page = try await Page.fresh()
            try await page.open("/")
            try await page.browser.wait(
                "the count", "/out right now/.test(document.getElementById('runner-count-text').textContent)")
            #expect(try await page.browser.text("document.querySelector('h1').textContent").contains("live on one map"))
            #expect(
                try await page.browser.text("document.querySelector('.eyebrow').textContent") == "Bellmere University")
            try await page.browser.wait("the badge", "document.querySelector('.badge-text').textContent === 'Live'")
            try await page.browser.screenshot("start")
            try await page.expectQuietConsole()
        }

        @Test("Registering: each wrong field shows its message, word for word, at that field; then it works and lasts")
        func register() async throws {
            let page = try await Page.fresh()
            let browser = page.browser
            try await page.open("/register")
            let name = TestServer.newName("bro")
            let good = (name: name, email: "\(name)@example.org", password: TestServer.password)
            let empty = "Username/Email/Password cannot be Empty!!!"
            let cases: [(String, String, String, String, String)] = [
                ("", good.email, good.password, "username", empty),
                (good.name, "", good.password, "email", empty),
                (good.name, good.email, "", "password", empty),
                ("abc", good.email, good.password, "username", "Username must be between 4-20 characters long!!!"),
                ("ab cd!", good.email, good.password, "username", "Your username cannot contain invalid characters!!!"),
                (good.name, "nowhere", good.password, "email", "Invalid Email!!!"),
                (good.name, "a@b", good.password, "email", "Invalid Email!!!"),
                (good.name, good.email, "Short1", "password", "Password must be between 8-20 characters long!!!"),
                (good.name, good.email, "nocapital1", "password", "At least 1 capital [A-Z] and 1 number [0-9]!!!"),
                (good.name, good.email, "NoNumberAtAll", "password", "At least 1 capital [A-Z] and 1 number [0-9]!!!"),
            ]
            for (username, email, password, field, message) in cases {
                try await fill(
                    browser, ["username": username, "email": email, "password": password, "again": password])
                try await browser.click("#register-form-submit")
                try await expectProblem(browser, field, message)
            }
            try await fill(
                browser, ["username": good.name, "email": good.email, "password": good.password, "again": "Other123"])
            try await browser.click("#register-form-submit")
            try await expectProblem(browser, "again", "Password mismatch")
            let taken = try await page.server.register()
            let account = taken.account.account
            try await fill(browser, ["email": account.email, "again": good.password])
            try await browser.click("#register-form-submit")
            try await expectProblem(browser, "email", "Email Taken!!!")
            try await browser.screenshot("register-wrong")

            try await fill(browser, ["email": good.email])
            try await browser.click("#register-form-submit")
            try await browser.wait("signed in", "campanile.connection.account === '\(name)'")
            try await browser.wait("the message", "document.body.innerText.includes('Account successfully registered')")
            try await browser.reload()
            try await page.live()
            try await browser.wait(
                "still signed in",
                "campanile.connection.account === '\(name)' && document.getElementById('tabs').innerText.includes('\(name)')"
            )
            await taken.connection.close()
            try await page.expectQuietConsole()
        }

        @Test("Logging in: malformed, wrong and right; logging out ends it here, and a reload stays a guest")
        func login() async throws {
            let page = try await Page.fresh()
            let browser = page.browser
            let (connection, account) = try await page.server.register()
            let email = account.account.email
            try await page.open("/login")
            try await browser.click("#login-form-submit")
            try await expectProblem(browser, "email", "Email/Password cannot be Empty!!!")
            try await fill(browser, ["email": "nowhere", "password": "x"])
            try await browser.click("#login-form-submit")
            try await expectProblem(browser, "email", "Invalid Email!!!")
            try await fill(browser, ["email": email, "password": "Wrong1234"])
            try await browser.click("#login-form-submit")
            try await browser.wait(
                "the refusal",
                "document.querySelector('#login-form-problem').textContent.includes('Incorrect email and/or password')")
            try await fill(browser, ["email": email.uppercased(), "password": TestServer.password])
            try await browser.click("#login-form-submit")
            try await browser.wait(
                "signed in",
                "campanile.connection.account === '\(account.account.username)' && location.pathname === '/'")

            try await page.open("/settings/security")
            try await browser.wait("both devices are listed", "document.querySelectorAll('#devices li').length === 2")
            try await page.open("/settings")
            try await browser.click("#logout")
            try await browser.click("#logout-dialog [data-answer=yes]")
            try await browser.wait(
                "a guest", "campanile.connection.account === null && document.querySelector('[data-nav=login]')")
            try await browser.reload()
            try await page.live()
            try await browser.wait("still a guest", "campanile.connection.account === null")
            // The other device is not touched.
            _ = try await connection.call(AccountMe.self)
            await connection.close()
            try await page.expectQuietConsole()
        }

        @Test(
            "Changing the password: what is wrong is said at its field; then other devices are out, and only the new one logs in"
        )
        func changePassword() async throws {
            let page = try await Page.fresh()
            let browser = page.browser
            let (connection, account) = try await page.signIn()
            let email = account.account.email
            let other = try await page.server.connect()
            _ = try await other.call(AccountLogin.self, .init(email: email, password: TestServer.password))
            try await page.open("/settings/security")
            try await browser.click("#to-change-password")
            try await browser.wait("the dialog", "document.querySelector('#change-password[open]')")
            func submit(_ old: String, _ new: String, _ again: String) async throws {
                try await fill(browser, ["password": old, "newPassword": new, "again": again])
                try await browser.click("#password-form-submit")
            }
            try await submit("", "Better123", "Better123")
            try await expectProblem(browser, "password", "Enter your current password.")
            try await submit(TestServer.password, "better", "better")
            try await expectProblem(browser, "newPassword", "Password must be between 8-20 characters long!!!")
            try await submit(TestServer.password, "Better123", "Better124")
            try await expectProblem(browser, "again", "Password mismatch")
            try await submit("Wrong1234", "Better123", "Better123")
            try await expectProblem(browser, "password", "That is not your password: type it again.")
            try await browser.screenshot("password-wrong")
            try await submit(TestServer.password, "Better123", "Better123")
            try await browser.wait(
                "it says so", "document.body.innerText.includes('Password changed. 1 other device was logged out.')")
            try await browser.wait("one device is left", "document.querySelectorAll('#devices li').length === 1")
            let client = try await page.server.connect()
            for (password, isRight) in [(TestServer.password, false), ("Better123", true)] {
                let signedIn = try? await client.call(AccountLogin.self, .init(email: email, password: password))
                #expect((signedIn != nil) == isRight)
            }
            try await page.expectQuietConsole()
            for one in [connection, other, client] { await one.close() }
        }

        private func fill(_ browser: Browser, _ values: [String: String]) async throws {
            for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                try await browser.type(value, into: "input[name=\(name)]")
            }
        }

        private func expectProblem(_ browser: Browser, _ field: String, _ message: String) async throws {
            let problem = "document.querySelector('[data-problem=\(field)]')"
            try await browser.wait("\(message) at \(field)", "\(problem)?.textContent === \(Browser.quoted(message))")
            let input = "document.querySelector('input[name=\(field)]')"
            try await browser.wait("\(field) is marked", "\(input).getAttribute('aria-invalid') === 'true'")
            // Tied to its field for a screen reader.
            try await browser.wait(
                "\(field) is described", "\(input).getAttribute('aria-describedby').split(' ').includes(\(problem).id)")
        }
    }
}
