import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

extension Web {
    @Suite("The app when its features cannot be loaded")
    struct FeatureStartTests {
        private static let notice = "document.querySelector('.toast[data-key=\"features\"]')"
        private static let isShown = "\(notice)?.textContent.includes(\"Part of the app couldn't be loaded.\")"

        /// Pages in `body` cannot load the features.
        private func withoutFeatures(of page: Page, _ body: () async throws -> Void) async throws {
            let browser = page.browser
            try await browser.cdp("Network.enable")
            try await browser.cdp("Network.setBlockedURLs", ["urls": ["*" + WebRoot.features()]])
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
            try await browser.cdp("Network.setBlockedURLs", ["urls": [String]()])
            try outcome.get()
        }

        @Test(
            "A signed-in person is not connected without the features and learns why, and is connected once they can be loaded"
        )
        func signedIn() async throws {
            let page = try await Page.fresh()
            let browser = page.browser
            let (_, account) = try await page.signIn()
            try await withoutFeatures(of: page) {
                try await browser.go(page.origin + "/map")
                try await browser.wait("the message is shown", Self.isShown)
                #expect(try await browser.text("campanile.connection.state") == "closed")
                let empty = try await browser.text("document.querySelector('#runners-empty h2')?.textContent")
                #expect(empty == "Finding runners…")
                try await browser.shots("features-missing")
                // Without the file a reload would not help.
                #expect(try await browser.script("return sessionStorage.getItem('campanile.reloads') === null"))
            }
            try await page.live()
            #expect(try await browser.text("campanile.connection.account") == account.account.username)
            #expect(
                try await browser.script(
                    "return sessionStorage.getItem('campanile.reloads') === null && \(Self.notice) === null"))
            try await page.expectQuietConsole(except: Page.networkErrors)
        }

        @Test("A runner that a guest chose before the features were there is followed when they are")
        func chosen() async throws {
            let page = try await Page.fresh()
            let browser = page.browser
            let run = try await TestRun(on: page.server, audience: .public, course: 0, offset: 0)
            try await run.run(20)
            let row = "document.querySelector('.runner-row[data-session=\"\(await run.id)\"]')"
            try await withoutFeatures(of: page) {
                try await page.open("/map")
                try await browser.wait("the runner is listed", row)
                try await browser.script("\(row).click(); return true")
                #expect(try await browser.script("return \(row).ariaCurrent === 'true'"))
                try await browser.wait("the message is shown", Self.isShown)
            }
            try await browser.wait(
                "the runner is followed", "document.getElementById('follow-card') && \(row).ariaCurrent === 'true'")
            #expect(try await browser.script("return sessionStorage.getItem('campanile.mapChosen') === null"))
            try await run.stop()
            try await page.expectQuietConsole(except: Page.networkErrors)
        }
    }
}
