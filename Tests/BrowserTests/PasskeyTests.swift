import Foundation
import TestSupport
import Testing
import Wire

extension WebAccounts {
    @Suite("Passkeys")
    struct PasskeyTests {
        /// Chromium's virtual authenticator, which verifies whoever uses it.
        private struct Authenticator {
            let browser: Browser
            let id: String
            /// Keeps pages from offering passkeys in the field of the email, which this authenticator would take at once.
            let withoutOffers: String

            static func add(to browser: Browser) async throws -> Authenticator {
                // A test that failed may have left one.
                try await browser.cdp("WebAuthn.disable")
                try await browser.cdp("WebAuthn.enable", ["enableUI": false])
                let options: [String: Any] = [
                    "protocol": "ctap2", "transport": "internal", "hasResidentKey": true, "hasUserVerification": true,
                    "isUserVerified": true, "automaticPresenceSimulation": true,
                ]
                let added = try await browser.cdp("WebAuthn.addVirtualAuthenticator", ["options": options])
                let id = (added as? [String: Any])?["authenticatorId"] as? String
                let source = "PublicKeyCredential.isConditionalMediationAvailable = async () => false"
                let script = try await browser.cdp("Page.addScriptToEvaluateOnNewDocument", ["source": source])
                return Authenticator(
                    browser: browser, id: try #require(id),
                    withoutOffers: (script as? [String: Any])?["identifier"] as? String ?? "")
            }

            func credentials() async throws -> [[String: Any]] {
                let answer = try await browser.cdp("WebAuthn.getCredentials", ["authenticatorId": id])
                return (answer as? [String: Any])?["credentials"] as? [[String: Any]] ?? []
            }

            /// Replaces what it keeps by an earlier copy.
            func restore(_ credential: [String: Any]) async throws {
                try await browser.cdp("WebAuthn.clearCredentials", ["authenticatorId": id])
                try await browser.cdp("WebAuthn.addCredential", ["authenticatorId": id, "credential": credential])
            }

            func allowOffers() async throws {
                try await browser.cdp("Page.removeScriptToEvaluateOnNewDocument", ["identifier": withoutOffers])
            }

            func remove() async throws {
                try? await allowOffers()
                try await browser.cdp("WebAuthn.disable")
            }
        }

        @Test(
            "From adding a passkey to logging in with it, renaming and removing it; a copy of it is stopped; axe-core finds nothing"
        )
        func life() async throws {
            let page = try await Page.fresh()
            let (connection, account) = try await page.signIn()
            await connection.close()
            let browser = page.browser
            let authenticator = try await Authenticator.add(to: browser)
            try await page.open("/settings/security")
            try await browser.wait("none yet", "document.getElementById('no-passkeys')")
            try await add("Wrong1234", browser)
            try await browser.wait(
                "a wrong password",
                "document.querySelector('[data-problem=password]').textContent.includes('not your password')")
            try await browser.expectAccessible("passkey-add")
            try await browser.type(TestServer.password, into: "#add-passkey-dialog-password")
            try await browser.click("#add-passkey-dialog-form-submit")
            try await browser.wait("it is listed", "document.querySelectorAll('#passkeys li').length === 1")
            #expect(
                try await browser.script(
                    "return document.querySelector('#passkeys strong').textContent", as: String.self
                )
                .hasPrefix("Chrome on"))
            try await logOut(page)
            let before = try #require(try await authenticator.credentials().first)
            try await browser.click("#passkey-login")
            try await browser.wait("logged in", "campanile.connection.account === '\(account.account.username)'")
            try await page.open("/settings/security")
            try await browser.wait("the list", "document.querySelector('#passkeys li')")
            try await browser.click("#passkeys button[aria-label^=Rename]")
            try await browser.expectAccessible("passkey-rename")
            try await browser.type("My laptop", into: "#passkey-name")
            try await browser.click("#rename-passkey-submit")
            try await browser.wait(
                "its name", "document.querySelector('#passkeys strong')?.textContent === 'My laptop'")
            // The copy has the counter from before the log-in.
            try await logOut(page)
            try await authenticator.restore(before)
            try await openLogin(page)
            try await browser.click("#passkey-login")
            try await browser.wait(
                "it is refused",
                "document.getElementById('passkey-problem').textContent.includes('may have been copied')")
            #expect(try await browser.script("return campanile.connection.account === null"))
            try await browser.type(account.account.email, into: "input[name=email]")
            try await browser.type(TestServer.password, into: "input[name=password]")
            try await browser.click("#login-form-submit")
            try await browser.wait("logged in", "campanile.connection.account === '\(account.account.username)'")
            try await page.open("/settings/security")
            try await browser.wait("it is stopped", "document.querySelector('#passkeys .tag.bad')")
            try await browser.expectAccessible("passkeys-stopped", at: "#passkeys-card")
            try await browser.click("#passkeys button[aria-label^=Remove]")
            try await browser.expectAccessible("passkey-remove")
            try await browser.type(TestServer.password, into: "#remove-passkey-dialog-password")
            try await browser.click("#remove-passkey-dialog-form-submit")
            try await browser.wait("it is gone", "document.getElementById('no-passkeys')")
            try await page.expectQuietConsole()
            try await authenticator.remove()
        }

        private func add(_ password: String, _ browser: Browser) async throws {
            try await browser.click("#add-passkey")
            try await browser.wait("the dialog", "document.querySelector('#add-passkey-dialog[open]')")
            try await browser.type(password, into: "#add-passkey-dialog-password")
            try await browser.click("#add-passkey-dialog-form-submit")
        }

        private func logOut(_ page: Page) async throws {
            try await page.browser.script("localStorage.clear(); return true")
            try await openLogin(page)
        }

        private func openLogin(_ page: Page) async throws {
            try await page.open("/login")
            try await page.browser.wait("the form", "document.getElementById('login-form')")
        }

        @Test(
            "Where the browser offers passkeys in the field of the email, choosing one logs in; an admin is asked to make recovery codes"
        )
        func offered() async throws {
            let page = try await Page.fresh()
            let (connection, account) = try await page.signIn()
            await connection.close()
            let browser = page.browser
            let authenticator = try await Authenticator.add(to: browser)
            try await page.open("/settings/security")
            try await add(TestServer.password, browser)
            try await browser.wait("it is listed", "document.querySelectorAll('#passkeys li').length === 1")
            try await authenticator.allowOffers()
            try await browser.script("localStorage.clear(); return true")
            try await page.open("/login")
            try await browser.wait("logged in", "campanile.connection.account === '\(account.account.username)'")
            let database = try await page.server.database()
            _ = try await database.query(
                "UPDATE accounts SET role = 'admin' WHERE id = $1", [.int(account.account.id)])
            database.close()
            try await page.open("/settings/security")
            try await browser.wait("what is missing", "document.getElementById('codes-missing')")
            try await browser.screenshot("recovery-codes-missing")
            try await browser.click("#make-codes")
            try await browser.type(TestServer.password, into: "#make-codes-dialog-password")
            try await browser.click("#make-codes-dialog-form-submit")
            try await browser.wait("the codes", "document.querySelectorAll('#codes li').length === 10")
            try await browser.click("#codes-saved")
            try await browser.wait(
                "nothing is missing",
                "!document.getElementById('codes-missing') && document.getElementById('codes-left')")
            try await page.expectQuietConsole()
            try await authenticator.remove()
        }

        @Test("A passkey of another account, and one of a server with another address, do not log in here")
        func others() async throws {
            let page = try await Page.fresh()
            let browser = page.browser
            let authenticator = try await Authenticator.add(to: browser)
            let (connection, account) = try await page.signIn()
            await connection.close()
            try await page.open("/settings/security")
            try await add(TestServer.password, browser)
            try await browser.wait("it is listed", "document.querySelectorAll('#passkeys li').length === 1")
            // The same key, for another account's handle.
            var credential = try #require(try await authenticator.credentials().first)
            credential["userHandle"] = Data("somebody else".utf8).base64EncodedString()
            try await authenticator.restore(credential)
            try await logOut(page)
            try await browser.click("#passkey-login")
            try await browser.wait(
                "it is refused",
                "document.getElementById('passkey-problem').textContent.includes('log in here any more')")
            #expect(try await browser.script("return campanile.connection.account === null"))
            // A server with another public address says so, before the browser is asked.
            let elsewhere = try await WebRoot.start { $0.reminders.publicURL = "https://campus.example" }
            let other = try await Page.fresh(on: elsewhere)
            try await openLogin(other)
            try await browser.click("#passkey-login")
            try await browser.wait(
                "where they work", "document.getElementById('passkey-problem').textContent.includes('campus.example')")
            let (second, _) = try await other.signIn()
            await second.close()
            try await other.open("/settings/security")
            try await browser.wait("no button", "document.getElementById('passkeys-elsewhere')")
            try await other.expectQuietConsole()
            try await authenticator.remove()
            await elsewhere.stop()
            _ = account
        }

        @Test("A browser without passkeys says so, and logs in by password as before")
        func unsupported() async throws {
            let page = try await Page.fresh()
            let (connection, _) = try await page.signIn()
            await connection.close()
            let browser = page.browser
            let hidden = try await browser.cdp(
                "Page.addScriptToEvaluateOnNewDocument", ["source": "delete globalThis.PublicKeyCredential"])
            try await page.open("/settings/security")
            try await browser.wait("it says so", "document.getElementById('passkeys-unsupported')")
            try await logOut(page)
            #expect(try await browser.script("return !document.getElementById('passkey-login')"))
            let id = (hidden as? [String: Any])?["identifier"] as? String ?? ""
            try await browser.cdp("Page.removeScriptToEvaluateOnNewDocument", ["identifier": id])
            try await page.expectQuietConsole()
        }
    }
}
