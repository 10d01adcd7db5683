import Testing
import Wire

@testable import Bench

/// The published attacks, against plain circles and against ours. The same code makes the tables of `campanile bench privacy`.
@Suite("Attacks on what is shown of somebody")
struct PrivacyAttackTests {
    @Test(
        "over 200 commutes, homes in plain circles are found by the ends of routes and by told distances, and ours are not"
    )
    func zones() throws {
        let graph = StreetGraph(blocks: 34, seed: 1)
        for size in [PrivateZoneSize.small, .medium] {
            let found = CommuteWorld(graph: graph, size: size, homes: 20, commutesPerHome: 10).run(seed: 7)
            let plain = try #require(found[.plain])
            // Were the attack to fail on what it was published against, it would prove nothing.
            #expect(try #require(plain["circle"]).within50 >= 0.8, "\(size)")
            #expect(try #require(plain["distance"]).within50 >= 0.8, "\(size)")
            // A secret circle alone does not help where the distance is told.
            let leaking = try #require(found[.secretCircle])
            #expect(try #require(leaking["distance"]).within50 >= 0.8, "\(size)")
            #expect(try #require(leaking["circle"]).within50 <= 0.1, "\(size)")
            let ours = try #require(found[.ours])
            for attack in ["circle", "distance", "method"] {
                let success = try #require(ours[attack])
                #expect(success.within50 <= 0.1, "\(size) \(attack)")
                #expect(success.within100 <= 0.35, "\(size) \(attack)")
                #expect(success.medianMetres >= 90, "\(size) \(attack)")
            }
        }
    }

    @Test(
        "an hour of updates tells no more than one of them, on each rung; noise of one's own for each would be averaged away"
    )
    func standing() throws {
        let found = LadderWorld(people: 40).standing(seed: 3)
        let median = LadderWorld.Recovered.median
        for precision in Precision.allCases {
            let rung = try #require(found[.rung(precision)])
            // The average is as far off as each one is.
            #expect(abs(median(rung.averaged) - median(rung.single)) < 0.5, "\(precision)")
        }
        let noise = try #require(found[.noise])
        #expect(median(noise.averaged) < median(noise.single) / 4)
        let drifting = try #require(found[.drifting])
        #expect(median(drifting.averaged) < 1)
        // Each rung tells less than the one before.
        let errors = try Precision.allCases.map { median(try #require(found[.rung($0)]).averaged) }
        #expect(zip(errors, errors.dropFirst()).allSatisfy { $0 < $1 }, "\(errors)")
        #expect(errors[0] > 3 && errors[1] > 10 && errors[2] > 60 && errors[3] > 200, "\(errors)")
    }

    @Test("of somebody who walks, coarse updates tell no more than where they are coarsely, averaged or not")
    func walking() throws {
        let found = LadderWorld(people: 15).walking(seed: 4)
        let median = LadderWorld.Recovered.median
        let errors = try Precision.allCases.map { median(try #require(found[.rung($0)]).single) }
        #expect(errors[0] < 20, "\(errors)")
        #expect(errors[1] > 60 && errors[2] > 60 && errors[3] > 200, "\(errors)")
        for precision in [Precision.building, .zone, .campus] {
            #expect(median(try #require(found[.rung(precision)]).averaged) > 60, "\(precision)")
        }
    }
}
