import Foundation
import Testing

@testable import Campus

@Suite("The GPS filter")
struct GPSFilterTests {
    private static let origin = GeoPoint(trustedLatitude: 51.5, longitude: 8)

    /// A fix at metres from the origin and seconds from the start.
    private static func fix(
        _ second: Double, east: Double, north: Double = 0, accuracy: Double? = nil
    ) -> GPSFilter.Fix {
        GPSFilter.Fix(
            sequence: Int64(second * 1_000), point: origin.offset(eastMetres: east, northMetres: north),
            timeMilliseconds: 1_600_000_000_000 + Int64(second * 1_000), accuracyMetres: accuracy)
    }

    /// A straight run eastwards at a speed, one fix every `step` seconds from `from` to `to`, both included.
    private static func straight(
        from: Double, to: Double, speed: Double, step: Double = 1, startEast: Double = 0
    ) -> [GPSFilter.Fix] {
        stride(from: from, through: to, by: step).map { fix($0, east: startEast + ($0 - from) * speed) }
    }

    private static func reasons(_ verdicts: [GPSFilter.Verdict]) -> [GPSFilter.Reason] {
        verdicts.compactMap { if case .notCounted(let reason) = $0 { reason } else { nil } }
    }

    @Test("a run at 1 Hz with steps of 2 to 3 m is counted whole", arguments: [2.0, 2.5, 3.0])
    func smallSteps(speed: Double) {
        let outcome = GPSFilter.recompute(activity: .run, fixes: Self.straight(from: 0, to: 600, speed: speed))
        #expect(abs(outcome.filter.distanceMetres / (600 * speed) - 1) < 0.001)
        #expect(abs(outcome.filter.movingSeconds - 600) < 12)
    }

    @Test("a walk at 1 m/s is counted whole")
    func walking() {
        let outcome = GPSFilter.recompute(activity: .run, fixes: Self.straight(from: 0, to: 600, speed: 1))
        #expect(abs(outcome.filter.distanceMetres / 600 - 1) < 0.03)
    }

    @Test(
        "a phone lying still for 10 minutes with noise of ±3 to ±8 m counts at most 50 m",
        arguments: [3.0, 5, 8], [1.0, 4])
    func standingFromTheStart(noise: Double, step: Double) {
        for seed in 1...20 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let fixes = stride(from: 0.0, through: 600, by: step).map { second in
                Self.fix(
                    second, east: .random(in: -noise...noise, using: &generator),
                    north: .random(in: -noise...noise, using: &generator))
            }
            let metres = GPSFilter.recompute(activity: .run, fixes: fixes).filter.distanceMetres
            #expect(metres <= 50, "seed \(seed): \(metres) m")
        }
    }

    @Test(
        "a phone that comes to rest after a run adds at most 400 m of noise, at most 100 m of it after 45 s",
        arguments: [3.0, 5, 8], [1.0, 4])
    func standingAfterARun(noise: Double, step: Double) {
        for seed in 1...40 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var filter = GPSFilter(activity: .run)
            for fix in Self.straight(from: 0, to: 300, speed: 2.5, step: step) { _ = filter.accept(fix) }
            let before = filter.distanceMetres
            var settled = 0.0
            for second in stride(from: 300 + step, through: 900, by: step) {
                _ = filter.accept(
                    Self.fix(
                        second, east: 750 + .random(in: -noise...noise, using: &generator),
                        north: .random(in: -noise...noise, using: &generator)))
                if second <= 345 { settled = filter.distanceMetres }
            }
            #expect(filter.isStanding)
            #expect(filter.distanceMetres - settled <= 100, "seed \(seed): \(filter.distanceMetres - settled) m late")
            #expect(filter.distanceMetres - before <= 400, "seed \(seed): \(filter.distanceMetres - before) m")
        }
    }

    @Test("duplicate and backward times are named and change nothing")
    func times() {
        var filter = GPSFilter(activity: .run)
        for fix in Self.straight(from: 0, to: 60, speed: 3) { _ = filter.accept(fix) }
        let before = filter
        #expect(filter.accept(Self.fix(60, east: 500)) == .notCounted(.duplicateTime))
        #expect(filter.accept(Self.fix(30, east: 500)) == .notCounted(.backwardTime))
        #expect(filter == before)
        #expect(filter.accept(Self.fix(61, east: 183)) != .notCounted(.duplicateTime))
        #expect(abs(filter.distanceMetres - 183) < 0.5)
    }

    @Test("points with an accuracy beyond 50 m or none that is a number are left out, and the run goes on across them")
    func poorAccuracy() {
        var filter = GPSFilter(activity: .run)
        for fix in Self.straight(from: 0, to: 60, speed: 3) { _ = filter.accept(fix) }
        #expect(filter.accept(Self.fix(61, east: 400, accuracy: 50.1)) == .notCounted(.poorAccuracy))
        #expect(filter.accept(Self.fix(62, east: 400, accuracy: .nan)) == .notCounted(.poorAccuracy))
        _ = filter.accept(Self.fix(63, east: 189, accuracy: 50))
        #expect(abs(filter.distanceMetres - 189) < 0.5)
    }

    @Test("a late-delivered burst of 50 m in 0.1 s is counted, and the normal run after it too")
    func lateBurst() {
        var fixes = Self.straight(from: 0, to: 60, speed: 3)
        fixes.append(Self.fix(75, east: 180))
        fixes.append(Self.fix(75.1, east: 225))
        fixes += Self.straight(from: 76, to: 120, speed: 3, startEast: 228)
        let outcome = GPSFilter.recompute(activity: .run, fixes: fixes)
        #expect(abs(outcome.filter.distanceMetres - 360) < 1)
        #expect(Set(Self.reasons(outcome.verdicts)).isSubset(of: [.first, .drift]))
    }

    @Test("a teleport is not counted, and three consistent points at the new place go on from there")
    func teleport() {
        var fixes = Self.straight(from: 0, to: 60, speed: 3)
        fixes += Self.straight(from: 61, to: 180, speed: 3, startEast: 20_000)
        let outcome = GPSFilter.recompute(activity: .run, fixes: fixes)
        #expect(outcome.verdicts[61] == .notCounted(.teleport))
        #expect(outcome.verdicts[62] == .notCounted(.reanchored))
        #expect(outcome.verdicts[63] == .notCounted(.reanchored))
        // 180 m before, 357 m after less the two hops that confirmed the new place.
        #expect(abs(outcome.filter.distanceMetres - (180 + 351)) < 1)
    }

    @Test("one stray point far away costs only itself")
    func strayPoint() {
        var fixes = Self.straight(from: 0, to: 120, speed: 3)
        fixes[60] = Self.fix(60, east: 5_000, north: 5_000)
        let outcome = GPSFilter.recompute(activity: .run, fixes: fixes)
        #expect(outcome.verdicts[60] == .notCounted(.teleport))
        #expect(abs(outcome.filter.distanceMetres - 360) < 1)
    }

    @Test("a car ride is named a vehicle; the run after it counts again")
    func vehicleRide() {
        var fixes = Self.straight(from: 0, to: 300, speed: 3)
        fixes += Self.straight(from: 301, to: 900, speed: 20, startEast: 920)
        fixes += Self.straight(from: 901, to: 1_200, speed: 3, startEast: 12_903)
        let outcome = GPSFilter.recompute(activity: .run, fixes: fixes)
        let counts = Self.reasons(outcome.verdicts).reduce(into: [:]) { $0[$1, default: 0] += 1 }
        #expect((counts[.vehicle] ?? 0) > 550)
        // Of the ride at most the budget, as it is spent at 13 of 20 m/s; of the run after, less the 20 s of confirming.
        let ride = outcome.filter.distanceMetres - 900 - 840
        #expect(ride > -10 && ride < 300 / 13 * 20 + 20, "\(ride) m of the ride")
        #expect(outcome.verdicts.last.map { if case .counted = $0 { true } else { false } } == true)
    }

    @Test("a ride that stops at lights is recognised again at once")
    func vehicleAtLights() {
        var fixes = Self.straight(from: 0, to: 120, speed: 15)
        fixes += Self.straight(from: 121, to: 180, speed: 0, startEast: 1_800)
        let before = GPSFilter.recompute(activity: .run, fixes: fixes).filter.distanceMetres
        fixes += Self.straight(from: 181, to: 300, speed: 15, startEast: 1_815)
        let after = GPSFilter.recompute(activity: .run, fixes: fixes).filter.distanceMetres
        #expect(after - before < 120, "\(after - before) m of 1,800")
    }

    @Test("15 m/s is a vehicle for a runner and plain riding for a cyclist")
    func activities() {
        let fixes = Self.straight(from: 0, to: 600, speed: 15)
        #expect(GPSFilter.recompute(activity: .run, fixes: fixes).filter.distanceMetres < 700)
        #expect(abs(GPSFilter.recompute(activity: .cycle, fixes: fixes).filter.distanceMetres - 9_000) < 1)
    }

    @Test("more than 10 minutes without points is a gap; exactly 10 minutes is not")
    func gap() {
        var fixes = Self.straight(from: 0, to: 60, speed: 3)
        fixes.append(Self.fix(660, east: 1_000))
        #expect(Self.reasons(GPSFilter.recompute(activity: .run, fixes: fixes).verdicts).contains(.gap) == false)
        fixes[61] = Self.fix(660.001, east: 1_000)
        let outcome = GPSFilter.recompute(activity: .run, fixes: fixes)
        #expect(outcome.verdicts.last == .notCounted(.gap))
        #expect(abs(outcome.filter.distanceMetres - 180) < 0.5)
    }

    @Test("points within a pause do not count, the first after it only sets the place, and recompute agrees")
    func pauses() {
        let fixes = Self.straight(from: 0, to: 300, speed: 3)
        var filter = GPSFilter(activity: .run)
        var verdicts: [GPSFilter.Verdict] = []
        for (second, fix) in fixes.enumerated() {
            if second == 100 { filter.pause() }
            if second == 200 { filter.resume() }
            verdicts.append(filter.accept(fix))
        }
        #expect(verdicts[100] == .notCounted(.paused))
        #expect(verdicts[199] == .notCounted(.paused))
        #expect(verdicts[200] == .notCounted(.resumed))
        #expect(abs(filter.distanceMetres - (297 + 300)) < 1)
        let pause = GPSFilter.Pause(
            fromMilliseconds: fixes[100].timeMilliseconds, toMilliseconds: fixes[200].timeMilliseconds)
        let whole = GPSFilter.recompute(activity: .run, fixes: fixes, pauses: [pause])
        #expect(whole.verdicts == verdicts)
        #expect(whole.filter == filter)
    }

    @Test("every reason has a sentence of its own")
    func sentences() {
        let sentences = Set(GPSFilter.Reason.allCases.map(\.sentence))
        #expect(sentences.count == GPSFilter.Reason.allCases.count)
        #expect(sentences.allSatisfy { $0.hasSuffix(".") })
    }
}
