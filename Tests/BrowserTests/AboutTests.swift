import TestSupport
import Testing

extension Web {
    @Suite("About Campanile, and the first paint")
    struct AboutTests {
        @Test("A guest gets from the start page to what the server is, and to the descriptions for developers")
        func about() async throws {
            let server = try await WebRoot.start()
            let (page, _) = try await Page.pair(on: server)
            let browser = page.browser
            try await page.open("/")
            try await browser.tap(".home-about a[href='/about']")
            try await browser.wait(
                "the facts",
                "location.pathname === '/about' && /Bellmere University.*Anyone can register/s.test(document.getElementById('about-facts')?.textContent)"
            )
            #expect(try await browser.script("return document.title === 'About Campanile · Campanile'"))
            #expect(
                try await browser.script(
                    """
                    const links = [...document.querySelectorAll('#view a[href^="/api/"]')];
                    const replies = await Promise.all(links.map(async ({ href }) => (await fetch(href)).ok));
                    return replies.length === 2 && replies.every(Boolean);
                    """))
            try await browser.shots("about-phone")
            try await page.expectQuietConsole(except: ["favicon.ico"])
            await server.stop()
        }

        @Test(
            "The document alone has the styles and the outline of the first paint, and the connection that it opens is used"
        )
        func firstPaint() async throws {
            let server = try await WebRoot.start()
            let (_, page) = try await Page.pair(on: server)
            let browser = page.browser
            try await page.open("/map")
            #expect(
                try await browser.script(
                    """
                    const text = await (await fetch("/")).text();
                    const { head, body } = new DOMParser().parseFromString(text, "text/html");
                    return head.querySelectorAll("link[rel=stylesheet], script[src]:not([type=module])").length === 0
                      && head.querySelector("style").textContent.includes(".skeleton")
                      && body.querySelector("main .skeleton") !== null;
                    """))
            try await browser.wait(
                "what the document began is taken",
                "campanileEarly.socket === null && campanileEarly.replies.size === 0")
            #expect(try await browser.script("return document.documentElement.dataset.outline === 'map'"))
            #expect(try await browser.script("return getComputedStyle(document.body).display === 'grid'"))
            try await page.expectQuietConsole(except: ["favicon.ico"])
            await server.stop()
        }
    }
}
