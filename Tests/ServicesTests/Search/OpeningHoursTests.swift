import Foundation
import Testing
import Wire

@testable import Services

@Suite("Opening hours", .enabled(if: OpeningHours.installed != nil, "deploy/setup installs opening-hours-py"))
struct OpeningHoursTests {
    /// Noon of Monday, 2 November 2026, in Evanston.
    private static let monday = Timestamp(milliseconds: 1_793_642_400_000)
    private static let evanston = LatLon(42.05, -87.67)

    private func hours(_ values: String...) async -> OpeningHours {
        let hours = OpeningHours(now: { Self.monday })
        await hours.evaluate(Set(values), at: Self.evanston, isComplete: true)
        return hours
    }

    @Test("A value gives the open intervals of eight days in the campus's time zone, and whether it is open now")
    func intervals() async throws {
        let value = "Mo-Fr 10:00-20:00; Sa 10:00-12:00,13:00-14:00; Su off"
        let hours = await hours(value, "Mo 13:00-14:00", "24/7")
        let openings = try #require(hours.openings(value))
        #expect(openings.count == 5 + 2 + 1)
        // 10:00 in Evanston is two hours before noon.
        #expect(openings.first?.from == Self.monday.advanced(bySeconds: -7_200))
        #expect(openings.first?.to == Self.monday.advanced(bySeconds: 8 * 3_600))
        #expect(hours.isOpen(value) == true && hours.isOpen("Mo 13:00-14:00") == false)
        #expect(hours.openings("24/7")?.count == 1 && hours.isOpen("24/7") == true)
        #expect(hours.isOpen(nil) == nil && hours.isOpen("Mo 09:00-10:00") == nil)
    }

    @Test("A value that is no opening hours has no intervals, and does not keep the others from being evaluated")
    func nonsense() async {
        let bad = [
            "ask the porter", "", "\"", "'; import os", "Mo-Fr 99:00-100:00", String(repeating: "Mo,", count: 80),
        ]
        let hours = OpeningHours(now: { Self.monday })
        await hours.evaluate(Set(bad + ["24/7"]), at: Self.evanston, isComplete: true)
        for value in bad { #expect(hours.openings(value) == nil, "\(value)") }
        #expect(hours.isOpen("24/7") == true)
    }

    @Test("Without the library, values are not evaluated")
    func missing() async {
        let hours = OpeningHours(library: nil, now: { Self.monday })
        await hours.evaluate(["24/7"], at: Self.evanston, isComplete: true)
        #expect(hours.openings("24/7") == nil)
    }
}
