import TestSupport
import Testing
import Wire

extension Web {
    @Suite("Phone, dark, accessible")
    struct AppearanceTests {
        @Test("In the dark the page is dark and its text is light; the switch turns it and is remembered")
        func dark() async throws {
            let page = try await Page.fresh()
            let browser = page.browser
            let lightness = """
                (() => { const parse = (c) => c.match(/[\\d.]+/g).slice(0, 3).map(Number); const style = getComputedStyle(document.body);
                const sum = (c) => parse(c).reduce((a, b) => a + b, 0) / 3; const opaque = [document.body, document.documentElement].map((e) => getComputedStyle(e).backgroundColor).find((c) => !/, 0\\)$/.test(c));
                return [sum(opaque), sum(style.color)]; })()
                """
            try await browser.setDark(true)
            try await page.open("/")
            let dark = try await browser.script("return \(lightness).map(Math.round)", as: [Int].self)
            #expect(dark[0] < 60 && dark[1] > 180)
            try await browser.screenshot("dark-start")
            try await page.open("/map")
            try await browser.screenshot("dark-map")
            try await browser.setDark(false)
            try await page.open("/")
            let light = try await browser.script("return \(lightness).map(Math.round)", as: [Int].self)
            #expect(light[0] > 200 && light[1] < 90)
            try await browser.click("#theme-switch")
            try await browser.wait("switched", "\(lightness)[0] < 60")
            try await browser.reload()
            try await browser.wait("remembered", "\(lightness)[0] < 60")
        }
    }
}
