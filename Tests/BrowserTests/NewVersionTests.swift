import Foundation
import Server
import TestSupport
import Testing

extension Web {
    @Suite("A new version of the app (U-9)")
    struct NewVersionTests {
        private static let version = "document.querySelector('meta[name=campanile-version]').content"

        /// A copy of the app as a later release would have it.
        static func laterApp(than app: URL) throws -> URL {
            let copy = URL(fileURLWithPath: try TestDirectory.make("later")).appendingPathComponent("WebApp")
            try FileManager.default.copyItem(at: app, to: copy)
            for name in ["index.html", "index.html.gz", "index.html.br"] {
                let file = copy.appendingPathComponent(name)
                guard name == "index.html" else {
                    try? FileManager.default.removeItem(at: file)
                    continue
                }
                let text = try String(contentsOf: file, encoding: .utf8)
                try text.replacing(/(campanile-version" content=")[^"]*/) { "\($0.1)later" }
                    .write(to: file, atomically: true, encoding: .utf8)
            }
            return copy
        }

        @Test(
            "After an upgrade an open page says so at the next connection, and one tap loads the new version, still logged in"
        )
        func upgraded() async throws {
            let server = try await WebRoot.start()
            let page = try await Page.fresh(on: server)
            let (connection, account) = try await page.signIn()
            await connection.close()
            let browser = page.browser
            try await page.open("/settings/appearance")
            try await server.startAgain {
                $0.resources.chosenWebApp = try Self.laterApp(than: $0.resources.webApp)
            }
            try await browser.wait(
                "the notice",
                "document.querySelector('.toast[data-key=version]')?.textContent.includes('A new version of Campanile is ready.')"
            )
            #expect(try await browser.script("return \(Self.version) !== 'later'"))
            try await browser.click(".toast[data-key=version] .toast-action")
            try await browser.wait("the new version", "\(Self.version) === 'later'")
            try await page.live()
            #expect(
                try await browser.script(
                    "return campanile.connection.account", as: String.self) == account.account.username)
            #expect(try await browser.script("return document.querySelector('.toast[data-key=version]') === null"))
            try await browser.go("about:blank")
            await server.stop()
        }

        @Test(
            "A page that the server no longer supports says so, and what was changed without a network is still saved, once"
        )
        func outdated() async throws {
            let server = try await WebRoot.start()
            let page = try await Page.fresh(on: server)
            let (connection, _) = try await page.signIn()
            await connection.close()
            let browser = page.browser
            try await page.open("/settings/appearance")
            try await browser.wait("the choice", "document.querySelector('[name=theme][value=dark]')")
            await server.stop()
            _ = try await browser.script("document.querySelector('[name=theme][value=dark]').click()")
            try await server.startAgain { $0.oldestProtocol = 2 }
            try await browser.wait(
                "the notice",
                "document.querySelector('.toast[data-key=version]')?.textContent.includes('This version of Campanile is too old.')"
            )
            let database = try await server.database()
            defer { database.close() }
            let saved = try await eventually("the choice is saved") {
                try await database.query(
                    "SELECT value, version FROM account_settings WHERE name = 'theme'"
                ).first
            }
            #expect(try saved.text("value") == "dark" && saved.int("version") == 1)
            try await browser.go("about:blank")
            await server.stop()
        }
    }
}
