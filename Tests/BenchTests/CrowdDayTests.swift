import Campus
import Routing
import Testing

@testable import Bench

@Suite("A simulated day with routes around crowds")
struct CrowdDayTests {
    private func run(_ policy: CrowdDay.Policy, people: Int) throws -> CrowdDay {
        let day = try CampusDay(SampleCampus.document, people: people)
        let run = CrowdDay(day, try RouteGraph(RouteNetwork(SampleCampus.network)), policy)
        run.run(8.7...8.8)
        return run
    }

    @Test("Everybody who leaves arrives on a route, the same people in each policy, at a walking speed")
    func arrivals() throws {
        let nobody = try run(.init(name: "", avoiding: 0), people: 2_000)
        let half = try run(.init(name: "", avoiding: 0.5), people: 2_000)
        #expect(nobody.missing == 0 && half.missing == 0)
        #expect(nobody.halves.map(\.walks) == half.halves.map(\.walks))
        #expect(nobody.halves.allSatisfy { $0.walks > 50 && $0.changes == 0 })
        for sums in nobody.halves + half.halves {
            #expect((0.3...1.7).contains(sums.metres / sums.seconds))
        }
        #expect(half.halves[0].changes == 0)
    }

    @Test("In a crowd of many, those who avoid it spend a smaller share of their time in crowded cells")
    func avoiding() throws {
        let half = try run(.init(name: "", avoiding: 0.5), people: 20_000)
        let shares = half.halves.map { $0.crowdedSeconds / $0.seconds }
        #expect(shares[0] > 0.01)
        #expect(shares[1] < shares[0], "\(shares)")
    }
}
