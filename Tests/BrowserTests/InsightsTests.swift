import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

extension Web {
    @Suite("Personal analytics")
    struct InsightsTests {
        @Test("The table of a chart has exactly the days and figures of the method, and a day without one is not in it")
        func figures() async throws {
            let page = try await Page.fresh()
            let (connection, _) = try await page.signIn()
            let browser = page.browser
            let today = try await Self.today(browser)
            for (back, steps) in [(0, 4_321), (2, 0), (3, 12_000)] {
                try await connection.call(
                    InsightsSaveDay.self, .init(date: try Self.day(today, minus: back), steps: steps, restingPulse: 60))
            }
            try await page.open("/insights")
            try await browser.click("[data-span=month]")
            try await browser.wait("the chart is drawn", Self.drawn)
            try await browser.click("#chart-steps .chart-toggle")
            try await browser.wait("the table", "document.querySelector('#chart-steps tbody tr')")
            let month = try await browser.script(
                """
                return [...document.querySelectorAll('#chart-steps tbody tr')]
                  .map((row) => `${row.dataset.day} ${row.querySelector('td').dataset.value}`);
                """, as: [String].self)
            let span = try await connection.call(
                InsightsGet.self,
                .init(from: String(today.prefix(8)) + "01", to: today, timeZone: try await browser.text(Self.timeZone)))
            let expected = span.days.reversed().compactMap { day in day.steps.map { "\(day.date) \($0)" } }
            #expect(month == expected && !expected.isEmpty)
            #expect(
                try await browser.text("document.querySelector('[data-figure=steps] dd').textContent") == "4,321")
            try await page.expectQuietConsole(except: ["favicon.ico"])
            await connection.close()
        }

        @Test("Steps and goals that are entered on the page are saved, and the progress follows")
        func entries() async throws {
            let page = try await Page.fresh()
            let (connection, _) = try await page.signIn()
            let browser = page.browser
            try await page.open("/insights")
            try await browser.click("#goals-edit")
            try await browser.type("8000", into: "#goal-daySteps")
            try await browser.click("#goals-form-submit")
            try await browser.wait(
                "the goal", "document.querySelector('[data-goal=daySteps]')?.innerText.includes('0 of 8,000 steps')")
            try await browser.click("#today-card summary")
            try await browser.type("4000", into: "#today-steps")
            try await browser.click("#form-steps button")
            try await browser.wait(
                "half of it",
                "document.querySelector('[data-goal=daySteps] [role=progressbar]')?.getAttribute('aria-valuenow') === '50'"
            )
            let today = try await Self.today(browser)
            let saved = try await connection.call(
                InsightsGet.self, .init(from: today, to: today, timeZone: try await browser.text(Self.timeZone)))
            #expect(saved.goals.daySteps == 8_000 && saved.today?.steps == 4_000)
            try await page.expectQuietConsole(except: ["favicon.ico"])
            await connection.close()
        }

        /// Whether the chart of steps has anything on its canvas, which says how many figures it shows.
        private static let drawn = """
            (() => {
              const canvas = document.querySelector('#chart-steps canvas');
              canvas.scrollIntoView({ block: 'center' });
              return canvas.getAttribute('aria-label')?.includes('value')
                && canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(Boolean);
            })()
            """
        private static let timeZone = "Intl.DateTimeFormat().resolvedOptions().timeZone"

        /// The day as the browser has it.
        private static func today(_ browser: Browser) async throws -> String {
            try await browser.text("new Date().toLocaleDateString('sv')")
        }

        private static func day(_ today: String, minus days: Int) throws -> String {
            let style = Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day()
            return try style.parse(today).addingTimeInterval(Double(-86_400 * days)).formatted(style)
        }
    }
}
