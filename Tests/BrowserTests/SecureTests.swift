import CampanileClient
import EventLoop
import TestSupport
import Testing
import Wire

extension Web {
    @Suite("Over TLS")
    struct SecureTests {
        @Test("Over https the web app is live by wss, and a runner moves on its map")
        func map() async throws {
            let files = try SelfSignedCertificate.findOrMake(in: try TestDirectory.make("tls"))
            let server = try await TestServer.start { $0.tls = (files.certificateFile, files.keyFile) }
            let page = try await Page.fresh(on: server)
            let browser = page.browser
            try await page.open("/map")
            #expect(try await browser.text("location.protocol") == "https:")
            #expect(try await browser.script("return isSecureContext"))

            let connection = try await server.connect(authorityFile: files.certificateFile)
            let name = TestServer.newName()
            let account = try await connection.call(
                AccountRegister.self,
                AccountRegister.Params(username: name, email: "\(name)@example.org", password: TestServer.password))
            let run = try await TestRun(connection, account: account.account)
            try await run.run(30)
            try await browser.wait(
                "the runner is listed",
                "[...document.querySelectorAll('.runner-row')].some((row) => row.textContent.includes('\(name)'))")
            try await browser.screenshot("https-map")
            // The browser takes no service worker from a certificate it does not trust by itself.
            try await page.expectQuietConsole(except: ["sw.js", "SSL certificate"])
            try await run.stop()
            await connection.close()
            try await browser.go("about:blank")
            await server.stop()
        }
    }
}
