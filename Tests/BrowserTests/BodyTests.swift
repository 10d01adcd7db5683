import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

extension Web {
    @Suite("Body data")
    struct BodyTests {
        @Test("What a person enters is saved as it is edited, shown after a reload, and removed again")
        func saving() async throws {
            let page = try await Page.fresh()
            let (connection, _) = try await page.signIn()
            let browser = page.browser
            try await page.open("/body")
            try await browser.type("172,5", into: "#body-heightCentimetres")
            try await browser.wait(
                "it says so", "document.querySelector('#height-card .saved')?.dataset.state === 'saved'")
            try await browser.type("70.4", into: "#field-weight")
            try await browser.click("#weight-add")
            try await browser.wait(
                "the weight is listed", "document.querySelector('#weights strong')?.textContent === '70.4 kg'")
            try await browser.click("[data-chip=asthma]")
            try await browser.wait(
                "it says so", "document.querySelector('#conditions-card .saved')?.dataset.state === 'saved'")
            try await addInjury(browser)
            let data = try await connection.call(BodyGet.self)
            #expect(data.heightCentimetres == 172.5 && data.weight?.kilograms == 70.4)
            #expect(data.conditions == [.asthma] && !data.isStale)
            #expect(data.injuries.map(\.area) == [.knee] && data.injuries.map(\.type) == [.strain])
            try await browser.reload()
            try await browser.wait(
                "the height is shown", "document.querySelector('#body-heightCentimetres')?.value === '172.5'")
            try await browser.click("#weights button")
            try await browser.click("#remove-weight [data-answer=yes]")
            try await browser.wait("no weight is left", "!document.querySelector('#weights li')")
            #expect(try await connection.call(BodyWeights.self, .init()).weights == [])
            try await page.expectQuietConsole(except: ["favicon.ico"])
            await connection.close()
        }

        private func addInjury(_ browser: Browser) async throws {
            try await browser.click("#injury-add")
            try await browser.wait("the dialog", "document.querySelector('#injury-form')")
            try await browser.script(
                """
                document.getElementById('injury-type').value = 'strain';
                document.getElementById('injury-area').value = 'knee';
                return true;
                """)
            try await browser.click("#injury-form-submit")
            try await browser.wait(
                "the injury is listed",
                "document.querySelector('#injuries strong')?.textContent === 'Strained muscle: knee'")
        }

        @Test("A figure outside its range is refused beside its field and not sent")
        func refusal() async throws {
            let page = try await Page.fresh()
            let (connection, _) = try await page.signIn()
            try await page.open("/body")
            try await page.browser.type("20", into: "#body-heightCentimetres")
            try await page.browser.wait(
                "the refusal",
                "document.querySelector('#height-card .problem')?.textContent === 'Enter a number from 50 to 250 cm.'")
            #expect(try await connection.call(BodyGet.self).heightCentimetres == nil)
            await connection.close()
        }

        @Test("A change without a network waits, says so, and is sent when the connection is back")
        func offline() async throws {
            let page = try await Page.fresh()
            let (connection, _) = try await page.signIn()
            let browser = page.browser
            try await page.open("/body")
            try await browser.wait("the data", "document.querySelector('#body-restingPulse')")
            try await browser.withEndableSockets {
                try await browser.reload()
                try await page.live()
                try await browser.wait("the data", "document.querySelector('#body-restingPulse')")
                try await browser.loseNetwork()
                try await browser.type("61", into: "#body-restingPulse")
                try await browser.wait(
                    "it waits", "document.querySelector('#pulse-card .saved')?.dataset.state === 'waiting'")
            }
            try await browser.setOffline(false)
            try await eventually("the heart rate is saved") {
                try await connection.call(BodyGet.self).restingPulse == 61 ? true : nil
            }
            await connection.close()
        }
    }
}
