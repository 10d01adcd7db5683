import TestSupport
import Testing
import Wire

@testable import Bench

/// The published attacks, against plain circles and against ours. The same code makes the tables of `campanile bench privacy`.
@Suite("Attacks on what is shown of somebody", .serialized)
struct PrivacyAttackTests {
    @Test(
        "Homes in plain circles are found by the ends of routes and by shown distances over 200 commutes; homes in private zones are not"
    )
    func zones() async throws {
        let graph = StreetGraph(blocks: 34, seed: 1)
        for size in [PrivateZoneSize.small, .medium] {
            let world = CommuteWorld(graph: graph, size: size, homes: 20, commutesPerHome: 10)
            let found = try await longWork { world.run(seed: 7) }
            let plain = try #require(found[.plain])
            // Were the attack to fail on what it was published against, it would prove nothing.
            #expect(try #require(plain["circle"]).within50 >= 0.8, "\(size) \(found)")
            #expect(try #require(plain["distance"]).within50 >= 0.8, "\(size) \(found)")
            // A secret circle alone does not help where the distance is told.
            let leaking = try #require(found[.secretCircle])
            #expect(try #require(leaking["distance"]).within50 >= 0.8, "\(size) \(found)")
            let ours = try #require(found[.ours])
            // A small zone is 300 to 450 m around: whoever knows that has less left to search.
            let limits = size == .small ? (within50: 0.1, within100: 0.3) : (within50: 0.1, within100: 0.2)
            for attack in ["circle", "distance", "method"] {
                let success = try #require(ours[attack])
                #expect(success.within50 <= limits.within50, "\(size) \(attack) \(success)")
                #expect(success.within100 <= limits.within100, "\(size) \(attack) \(success)")
                #expect(success.medianMetres >= 120, "\(size) \(attack) \(success)")
            }
        }
    }

    @Test(
        "An hour of updates reveals no more than one update, on each rung; noise drawn for each update would be averaged away"
    )
    func standing() async throws {
        let found = try await longWork { LadderWorld(people: 40).standing(seed: 3) }
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

    @Test("Coarse updates of somebody who walks reveal no more than the coarse location, averaged or not")
    func walking() async throws {
        let found = try await longWork { LadderWorld(people: 15).walking(seed: 4) }
        let median = LadderWorld.Recovered.median
        let errors = try Precision.allCases.map { median(try #require(found[.rung($0)]).single) }
        #expect(errors[0] < 20, "\(errors)")
        #expect(errors[1] > 60 && errors[2] > 60 && errors[3] > 200, "\(errors)")
        for precision in [Precision.building, .zone, .campus] {
            #expect(median(try #require(found[.rung(precision)]).averaged) > 60, "\(precision)")
        }
    }
}
