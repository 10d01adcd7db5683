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
            let server = try await WebRoot.start { $0.tls = (files.certificateFile, files.keyFile) }
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

    @Suite("When the server restarts")
    struct RestartTests {
        @Test("the web app comes back at the moment the server gave it, and not before")
        func slot() async throws {
            let page = try await Page.fresh()
            let browser = page.browser
            try await page.open("/")
            let delay = try await browser.script(
                """
                const { afterClose } = await import('/app/client/backoff.js');
                return [afterClose(1012, 0, () => 0.5, 'restart; reconnect-after-ms=1234'), afterClose(1012, 4, () => 0.5, 'restart; reconnect-after-ms=7'),
                  afterClose(1012, 0, () => 0.5, 'restart'), afterClose(1012, 0, () => 0.5, 'reconnect-after-ms=99999999999')].map((next) => next.delay)
                """, as: [Int].self)
            #expect(delay == [1_234, 7, 2_500, 300_000])
        }

        @Test("a page that is open while another server takes over is live again by itself")
        func takeOver() async throws {
            let server = try await WebRoot.start()
            let page = try await Page.fresh(on: server)
            try await page.open("/map")
            try await page.browser.script(
                """
                window.wasAway = false;
                new MutationObserver(() => { window.wasAway ||= document.documentElement.dataset.connection !== 'live'; })
                  .observe(document.documentElement, { attributes: true });
                return true
                """)
            #expect(try await server.takeOver() == .replaced)
            try await page.browser.wait("the restart was noticed", "window.wasAway")
            try await page.live()
            try await page.browser.go("about:blank")
            await server.stop()
        }
    }
}
