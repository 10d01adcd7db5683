import Campus
import Testing

@testable import Bench

@Suite("A simulated day")
struct CampusDayTests {
    private func day(_ people: Int, seed: UInt64 = 1) throws -> CampusDay {
        try CampusDay(SampleCampus.document, people: people, seed: seed)
    }

    @Test(
        "A simulated day has people on the campus's ways while they walk, no faster than people walk, and at rest in between"
    )
    func walking() throws {
        let day = try day(40)
        var walks = 0
        for person in 0..<day.count {
            var last: (point: GeoPoint, isWalking: Bool)?
            for second in stride(from: 0, to: CampusDay.secondsOfDay, by: 5) {
                let now = day.position(of: person, at: Double(second))
                if let last, last.isWalking, now.isWalking {
                    #expect(last.point.distance(to: now.point) <= 1.6 * 5 + 0.01)
                }
                if let last, !last.isWalking, !now.isWalking, second % 3_600 > 1_800 {
                    // Nobody is somewhere else without a walk between, but by a walk of less than five seconds.
                    #expect(last.point.distance(to: now.point) < 200)
                }
                if now.isWalking { walks += 1 }
                last = now
            }
        }
        #expect(walks > 40 * 20)
    }

    @Test("A simulated day is the same for the same seed, and differs for another")
    func seeds() throws {
        let days = [try day(30), try day(30), try day(30, seed: 2)]
        let noon = days.map { day in (0..<30).map { day.position(of: $0, at: 43_200).point } }
        #expect(noon[0] == noon[1] && noon[0] != noon[2])
    }

    @Test("A simulated day has everybody at home at night, and many people on their way before a full hour")
    func hours() throws {
        let day = try day(500)
        #expect((0..<500).allSatisfy { !day.position(of: $0, at: 10_800).isWalking })
        var most = 0
        for minute in 470..<610 {
            most = max(most, (0..<500).count { day.position(of: $0, at: Double(minute * 60)).isWalking })
        }
        #expect(most > 25)
        #expect((0..<500).allSatisfy { !day.position(of: $0, at: 86_000).isWalking })
    }

    @Test(
        "A simulated day has a report of each person every five seconds while walking, and every minute while standing")
    func reports() throws {
        let day = try day(100)
        var reports = DayReports(day, from: 8 * 3_600)
        var last: [Int: (second: Int, isWalking: Bool)] = [:]
        for second in 8 * 3_600..<10 * 3_600 {
            reports.take(second) { person, _, isWalking in
                if let last = last[person] {
                    let pause = second - last.second
                    if last.isWalking {
                        #expect(pause == DayReports.walkingSeconds)
                    } else {
                        // Less when a walk began.
                        #expect((1...DayReports.standingSeconds).contains(pause))
                    }
                }
                last[person] = (second, isWalking)
            }
        }
        #expect(last.count == 100 && last.values.allSatisfy { $0.second >= 10 * 3_600 - 60 })
    }

    @Test("A simulated person walks the shortest way")
    func shortest() throws {
        let graph = WalkGraph(SampleCampus.document.ways)
        let goal = graph.nearest(to: SampleCampus.document.bounds.centre)
        let next = graph.waysTo(goal)
        var metres = [Float](repeating: .infinity, count: graph.points.count)
        metres[Int(goal)] = 0
        // Bellman and Ford: slow, and plain.
        for _ in graph.points.indices {
            for (point, edges) in graph.edges.enumerated() {
                for edge in edges { metres[point] = min(metres[point], metres[Int(edge.to)] + edge.metres) }
            }
        }
        for point in graph.points.indices where point != Int(goal) {
            let edge = try #require(graph.edges[point].first { $0.to == next[point] })
            #expect(abs(metres[point] - metres[Int(edge.to)] - edge.metres) < 0.01)
        }
    }
}
