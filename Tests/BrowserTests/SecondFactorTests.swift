import Authenticators
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

extension WebAccounts {
    @Suite("Two-step log-in")
    struct SecondFactorTests {
        @Test(
            "An admin sets an authenticator app up, which opens the console, and logs in by a code and a recovery code; axe-core finds nothing on the way"
        )
        func admin() async throws {
            let server = try await WebRoot.start { $0.adminSecondFactor = .required }
            let page = try await Page.fresh(on: server)
            let browser = page.browser
            let (connection, account) = try await page.signIn()
            await connection.close()
            let database = try await server.database()
            _ = try await database.query(
                "UPDATE accounts SET role = 'admin' WHERE id = $1", [.int(account.account.id)])
            try await page.open("/admin")
            try await browser.wait("what is needed", "document.getElementById('factor-needed')")
            try await browser.expectAccessible("factor-needed")
            try await browser.click("#factor-needed a")
            try await browser.wait("the card", "document.getElementById('second-factor-required')")
            try await browser.click("#set-up-totp")
            try await browser.type(TestServer.password, into: "#set-up-totp-dialog-password")
            try await browser.click("#set-up-totp-dialog-form-submit")
            try await browser.wait("the QR code", "document.querySelector('#totp-qr path')")
            let row = try #require(try await database.query("SELECT secret FROM totp_secrets").first)
            let totp = TOTP(secret: try row.bytes("secret"))
            #expect(
                try await browser.script(
                    "return document.getElementById('totp-secret').textContent.replaceAll(' ', '')", as: String.self)
                    == totp.text)
            try await browser.expectAccessible("totp-setup")
            try await browser.type("12345", into: "#totp-code")
            try await browser.click("#confirm-totp-submit")
            try await browser.wait(
                "what is wrong", "document.querySelector('[data-problem=code]').textContent.includes('6 digits')")
            try await browser.type(code(totp), into: "#totp-code")
            try await browser.click("#confirm-totp-submit")
            try await browser.wait("the codes", "document.querySelectorAll('#codes li').length === 10")
            let recovery = try await browser.script(
                "return [...document.querySelectorAll('#codes code')].map((c) => c.textContent)", as: [String].self)
            try await browser.expectAccessible("recovery-codes")
            try await browser.click("#codes-saved")
            try await browser.wait(
                "it is on", "document.getElementById('codes-left')?.textContent.includes('10 recovery codes')")
            try await browser.expectAccessible("account-security", at: "#passkeys-card")
            try await page.open("/admin")
            try await browser.wait(
                "the console is open",
                "document.querySelector('.console .tile, .console .tiles') || !document.getElementById('factor-needed')"
            )
            // Another code than the one that set it up.
            _ = try await database.query("UPDATE totp_secrets SET last_step = last_step - 2")
            try await logIn(account, page)
            try await browser.wait("the second step", "document.querySelector('#second-step input[name=code]')")
            try await browser.expectAccessible("second-step")
            try await browser.type("000000", into: "#second-step input")
            try await browser.click("#second-step-submit")
            try await browser.wait(
                "it is wrong", "document.querySelector('#second-step .problem').textContent.includes('not the code')")
            try await browser.type(code(totp), into: "#second-step input")
            try await browser.click("#second-step-submit")
            try await browser.wait("logged in", "campanile.connection.account === '\(account.account.username)'")
            try await logIn(account, page)
            try await browser.wait("the second step", "document.getElementById('second-step')")
            try await browser.click("[data-way=recoveryCode]")
            try await browser.expectAccessible("second-step-recovery")
            try await browser.type(recovery[3], into: "#second-step input")
            try await browser.click("#second-step-submit")
            try await browser.wait("logged in", "campanile.connection.account === '\(account.account.username)'")
            // A ticket that is over leads back.
            try await logIn(account, page)
            try await browser.wait("the second step", "document.getElementById('second-step')")
            _ = try await database.query("DELETE FROM pending_sign_ins")
            try await browser.type("123456", into: "#second-step input")
            try await browser.click("#second-step-submit")
            try await browser.wait("back at the start", "document.getElementById('login-again')")
            try await browser.expectAccessible("login")
            database.close()
            try await page.expectQuietConsole()
            await server.stop()
        }

        private func code(_ totp: TOTP) -> String {
            totp.code(ofStep: TOTP.step(at: Timestamp.now.milliseconds / 1_000)) ?? ""
        }

        private func logIn(_ account: SignedIn, _ page: Page) async throws {
            try await page.browser.script("localStorage.clear(); return true")
            try await page.open("/login")
            try await page.browser.type(account.account.email, into: "input[name=email]")
            try await page.browser.type(TestServer.password, into: "input[name=password]")
            try await page.browser.click("#login-form-submit")
        }
    }
}
