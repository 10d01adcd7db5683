import Campus
import Routing
import Testing

@testable import Bench

@Suite("A simulated day with routes around crowds")
struct CrowdDayTests {
    private func run(_ policy: CrowdDay.Policy, people: Int, _ hours: ClosedRange<Double> = 8.7...8.8) throws
        -> CrowdDay
    {
        let day = try CampusDay(SampleCampus.document, people: people)
        let run = CrowdDay(day, try RouteGraph(RouteNetwork(SampleCampus.network)), policy)
        run.run(hours)
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

    @Test("Only those who avoid crowds make detours, and without a threshold they change their routes more often")
    func avoiding() throws {
        let hours = 8.6...8.9
        let nobody = try run(.init(name: "", avoiding: 0), people: 12_000, hours)
        let half = try run(.init(name: "", avoiding: 0.5), people: 12_000, hours)
        let eager = try run(.init(name: "", avoiding: 0.5, hasThreshold: false), people: 12_000, hours)
        let lengths = [nobody, half].map { $0.halves.map { $0.metres / Double($0.walks) } }
        #expect(abs(lengths[1][0] - lengths[0][0]) < 2, "\(lengths)")
        #expect(lengths[1][1] > lengths[0][1] + 5, "\(lengths)")
        #expect(eager.halves[1].changes > half.halves[1].changes)
    }
}
