import Foundation
import Testing

@testable import Samples

@Suite("Sample motion")
struct SampleMotionTests {
    /// A square of about 110 m.
    private let square = [
        (lat: 0.0, lon: 0.0), (lat: 0.001, lon: 0.0), (lat: 0.001, lon: 0.001), (lat: 0.0, lon: 0.001),
    ]

    @Test("the same seed gives the same fixes, another seed others")
    func deterministic() throws {
        let course = try #require(Course(square))
        func fixes(_ seed: UInt64) throws -> [Double] {
            var motion = try #require(SampleMotion(index: 2, courses: [course], seed: seed))
            return (0..<300).map { _ in motion.step().lat }
        }
        #expect(try fixes(1) == fixes(1))
        #expect(try fixes(1) != fixes(2))
    }

    @Test("runners run and riders ride at human speeds, whatever the noise", arguments: [0, 3])
    func humanSpeeds(index: Int) throws {
        let course = try #require(Course(square))
        var motion = try #require(SampleMotion(index: index, courses: [course], seed: 7))
        let metresPerDegree = 6_371_008.8 * .pi / 180
        var last = motion.step()
        var fastest = 0.0
        var sum = 0.0
        for _ in 0..<600 {
            let next = motion.step()
            let north = (next.lat - last.lat) * metresPerDegree
            let east = (next.lon - last.lon) * metresPerDegree
            let speed = (north * north + east * east).squareRoot()
            fastest = max(fastest, speed)
            sum += speed
            last = next
        }
        #expect(motion.isRide == (index == 3))
        #expect(fastest < (motion.isRide ? 13 : 9))
        #expect((motion.isRide ? 4.5...8.8 : 2.2...4.6).contains(sum / 600))
    }

    @Test("of eight, some pause, stand and go offline, and come back")
    func breaks() throws {
        let course = try #require(Course(square))
        var seen: Set<String> = []
        for index in 0..<8 {
            var motion = try #require(SampleMotion(index: index, courses: [course], seed: 1))
            for _ in 0..<300 {
                _ = motion.step()
                seen.insert("\(motion.behaviour)")
            }
        }
        #expect(seen == ["moving", "standing", "paused", "offline"])
    }

    @Test("a course is closed, and one without length is none")
    func course() throws {
        let course = try #require(Course(square))
        let start = course.position(at: 0)
        let round = course.position(at: course.lengthMetres * 3)
        #expect(abs(start.lat - round.lat) < 1e-9 && abs(start.lon - round.lon) < 1e-9)
        #expect(Course([(1, 1)]) == nil)
        #expect(Course([(1, 1), (1, 1)]) == nil)
    }
}
