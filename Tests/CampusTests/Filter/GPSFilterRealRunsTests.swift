import Foundation
import Testing

@testable import Campus

@Suite("The GPS filter on real recordings", .enabled(if: RealData.isPresent))
struct GPSFilterRealRunsTests {
    struct Result {
        var name: String
        var plain = 0.0
        var filter: GPSFilter
        /// Metres of the hop into each point that did not count, by reason.
        var lost: [GPSFilter.Reason: Double] = [:]
        var points: [GPSFilter.Reason: Int] = [:]
        var verdicts: [GPSFilter.Verdict] = []
    }

    static func results() throws -> [Result] {
        try RealData.runs().map { file in
            let fixes = try GPXTrack.read(Data(contentsOf: file)).flatMap { $0.fixes() }
            let outcome = GPSFilter.recompute(activity: .run, fixes: fixes)
            var result = Result(name: String(file.lastPathComponent.prefix(8)), filter: outcome.filter)
            result.verdicts = outcome.verdicts
            for index in fixes.indices {
                let hop = index == 0 ? 0 : fixes[index - 1].point.distance(to: fixes[index].point)
                result.plain += hop
                if case .notCounted(let reason) = outcome.verdicts[index] {
                    result.lost[reason, default: 0] += hop
                    result.points[reason, default: 0] += 1
                }
            }
            return result
        }
    }

    @Test("all 29 ordinary runs stay within 3 % of the plain sum of hops")
    func ordinaryRuns() throws {
        let ordinary = try Self.results().filter { !["556160e9", "720bf570"].contains($0.name) }
        #expect(ordinary.count == 29)
        for result in ordinary {
            let difference = result.filter.distanceMetres / result.plain - 1
            #expect(abs(difference) < 0.03, "\(result.name): \(difference * 100) %")
        }
    }

    @Test("the recording that moves at vehicle speed loses most of its distance, as too fast or vehicle")
    func vehicleSpeed() throws {
        let result = try #require(try Self.results().first { $0.name == "556160e9" })
        #expect(result.filter.distanceMetres < 0.4 * result.plain)
        let fast = [GPSFilter.Reason.tooFast, .vehicle, .teleport].map { result.lost[$0] ?? 0 }
        #expect(fast[0] + fast[1] > 10 * fast[2], "told as too fast, not as a teleport: \(fast)")
        #expect(fast[0] + fast[1] > 0.3 * result.plain)
    }

    @Test("the recording with a gap of hours has its hop across as a gap, and the ride after it as a vehicle")
    func gapOfHours() throws {
        let result = try #require(try Self.results().first { $0.name == "720bf570" })
        #expect(result.points[.gap] == 8)
        #expect((result.lost[.gap] ?? 0) > 600)
        #expect((result.points[.vehicle] ?? 0) > 200)
        #expect((result.lost[.vehicle] ?? 0) > 5_000)
    }

    @Test("streaming with the state saved and loaded after every point gives what one run over all points gives")
    func persistedState() throws {
        let file = try #require(try RealData.runs().first { $0.lastPathComponent.hasPrefix("feaf2949") })
        let fixes = try GPXTrack.read(Data(contentsOf: file)).flatMap { $0.fixes() }
        var filter = GPSFilter(activity: .run)
        var verdicts: [GPSFilter.Verdict] = []
        for fix in fixes {
            verdicts.append(filter.accept(fix))
            let saved = try JSONEncoder().encode(filter)
            #expect(saved.count < 1_024)
            filter = try JSONDecoder().decode(GPSFilter.self, from: saved)
        }
        let whole = GPSFilter.recompute(activity: .run, fixes: fixes)
        #expect(verdicts == whole.verdicts)
        #expect(filter == whole.filter)
    }

    @Test("the table of the documentation", .enabled(if: ProcessInfo.processInfo.environment["CAMPUS_TABLE"] != nil))
    func table() throws {
        for result in try Self.results() {
            let reasons = result.points.sorted { $0.key.rawValue < $1.key.rawValue }
                .map { "\($0.key.rawValue) \($0.value) (\(Int((result.lost[$0.key] ?? 0).rounded())) m)" }
            let percent = (result.filter.distanceMetres / result.plain - 1) * 100
            print(
                "| \(result.name) | \(result.verdicts.count) | \(Int(result.plain.rounded())) |",
                "\(Int(result.filter.distanceMetres.rounded())) | \(String(format: "%+.2f", percent)) |",
                "\(reasons.joined(separator: ", ")) |")
        }
    }
}
