import Campus
import TestSupport
import Testing

@testable import Bench

/// Acceptance: k holds under attacks that try. Each of them is won against plain counting from k people on; see <doc:Heatmap>.
@Suite("Attacks on the heatmap", .serialized)
struct HeatmapAttackTests {
    private func right(_ attack: HeatmapAttack, _ way: HeatmapPublishing, trials: Int = 400) async throws -> Double {
        try await longWork { attack.run(against: way, trials: trials, seed: 1).right }
    }

    @Test(
        "An attack with k - 1 accounts reveals nothing about others in a cell; it reveals everything where k alone is the rule"
    )
    func fewAccounts() async throws {
        for count in 1..<HeatmapRules.peopleMin {
            #expect(try await right(.sybils(count), .product, trials: 200) == 0.5)
        }
        #expect(try await right(.sybils(4), .plain, trials: 100) == 1)
        #expect(try await right(.sybils(4), .jittered, trials: 200) > 0.7)
    }

    @Test("An attack with more accounts reveals another person one time in five, in an hour")
    func manyAccounts() async throws {
        for count in [8, 12, 16] {
            #expect(try await right(.sybils(count), .plain, trials: 40) == 1)
            #expect(try await right(.sybils(count), .product) < 0.68)
        }
    }

    @Test("An attack that compares two ticks reveals little of who came or went among people who are all known")
    func ticks() async throws {
        for attack in [HeatmapAttack.coming(to: 8), .coming(to: 12), .coming(to: 20), .going(from: 13, after: 4)] {
            #expect(try await right(attack, .plain, trials: 100) == 1)
            #expect(try await right(attack, .product) < 0.58)
        }
        // As many gone before as one can without knowing that the cell was looked at meanwhile.
        for attack in [HeatmapAttack.going(from: 13, after: 8), .going(from: 20, after: 8)] {
            let careless = [
                try await right(attack, .rounded, trials: 100), try await right(attack, .plain, trials: 100),
            ]
            #expect(careless.contains(1))
            #expect(try await right(attack, .product) < 0.65)
        }
    }

    @Test("An attack on neighbouring cells reveals little of who crossed from one into the other")
    func neighbours() async throws {
        for attack in [HeatmapAttack.crossing(9, 4), .crossing(12, 12), .crossing(30, 20)] {
            #expect(try await right(attack, .plain, trials: 100) == 1)
            #expect(try await right(attack, .product) < 0.58)
        }
    }

    @Test(
        "An attack over an hour of ticks does not locate a person for sure, although it knows where everybody else was"
    )
    func hour() async throws {
        let attack = HeatmapAttack.hour(20, moving: 40)
        #expect(try await right(attack, .plain, trials: 40) == 1)
        #expect(try await right(attack, .rounded, trials: 100) == 1)
        #expect(try await right(attack, .product) < 0.85)
    }
}
