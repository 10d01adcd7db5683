import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Merging the sets of a training")
struct TrainingMergeTests {
    /// Numbers that are the same in each run.
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    /// Requests of a device: sets of both planned and added ones, with times that may coincide with those of the other device.
    private func requests(
        _ training: Training, added: [String], _ numbers: inout Numbers
    ) -> [TrainingRecord.Params] {
        (0..<Int.random(in: 1...5, using: &numbers)).map { _ in
            let sets = (0..<Int.random(in: 1...4, using: &numbers)).map { _ -> TrainingSet in
                var set = training.sets[Int.random(in: 0..<training.sets.count, using: &numbers)]
                if Bool.random(using: &numbers), let id = added.randomElement(using: &numbers) {
                    set.entry = training.plan.sections[0].groups[0].entries[0].id
                    set.id = "\(set.entry)/\(id)"
                }
                set.state = SetState.allCases.randomElement(using: &numbers) ?? .done
                set.values = PlannedSet(
                    reps: Int.random(in: 0...3, using: &numbers),
                    kilograms: Bool.random(using: &numbers) ? Double(Int.random(in: 0...2, using: &numbers)) : nil)
                set.position = Int.random(in: 0...2, using: &numbers)
                set.at = training.startedAt.advanced(bySeconds: Double(Int.random(in: 1...6, using: &numbers)))
                return set
            }
            return .init(
                training: training.id, generation: Int.random(in: 0...2, using: &numbers), sets: sets,
                pulse: (0..<3).map { _ in
                    PulseSample(
                        at: training.startedAt.advanced(bySeconds: Double(Int.random(in: 0...5, using: &numbers))),
                        bpm: Int.random(in: 60...180, using: &numbers))
                })
        }
    }

    @Test(
        "Two devices that send their changes in any order, with repetitions, lead to the same training, with no set twice",
        arguments: 1...20)
    func converges(seed: Int) async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let workout = try await stage.workout(of: who)
        var numbers = Numbers(state: UInt64(seed))
        let first = try await stage.start(workout, by: who)
        let added = (0..<2).map { _ in TrainingWorld.id() }
        let all = requests(first, added: added, &numbers) + requests(first, added: added, &numbers)
        var outcomes: [[TrainingSet]] = []
        var pulses: [PostgresRows] = []
        for _ in 0..<3 {
            let training = try await stage.start(workout, by: who)
            var sent = (all + all.filter { _ in Bool.random(using: &numbers) }).shuffled(using: &numbers)
            for index in sent.indices { sent[index].training = training.id }
            // Some are sent at the same time.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for request in sent { group.addTask { _ = try await stage.trainings.record(request, by: who) } }
                try await group.waitForAll()
            }
            let result = try await stage.trainings.training(training.id, of: who)
            #expect(Set(result.sets.map(\.id)).count == result.sets.count, "no set is there twice")
            outcomes.append(result.sets)
            pulses.append(
                try await stage.world.pool.query(
                    "SELECT starts_at, samples FROM training_pulses WHERE account_id = $1 AND training_id = $2 ORDER BY 1",
                    [.int(who.account.id), .uuid(training.id)]))
            try await stage.trainings.remove(.init(training: training.id), by: who)
        }
        #expect(outcomes[0] == outcomes[1] && outcomes[1] == outcomes[2])
        let bytes = try pulses.map { try $0.map { try $0.bytes("samples") } }
        #expect(bytes[0] == bytes[1] && bytes[1] == bytes[2])
    }

    @Test("The order of changes is the same in Swift and in SQL")
    func order() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let training = try await stage.start(try await stage.workout(of: who), by: who)
        var numbers = Numbers(state: 7)
        var latest: TrainingSet?
        for _ in 0..<60 {
            var set = training.sets[0]
            set.state = SetState.allCases.randomElement(using: &numbers) ?? .done
            set.values = PlannedSet(reps: Int.random(in: 0...2, using: &numbers))
            set.at = training.startedAt.advanced(bySeconds: Double(Int.random(in: 0...3, using: &numbers)))
            if latest.map({ StoredSet.supersedes(set, $0) }) ?? true { latest = set }
            _ = try await stage.trainings.record(
                .init(training: training.id, generation: 1, sets: [set]), by: who)
            #expect(try await stage.trainings.training(training.id, of: who).sets[0] == latest)
        }
    }

    @Test("A removed set does not come back by an earlier change, and comes back by a later one")
    func removal() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let training = try await stage.start(try await stage.workout(of: who), by: who)
        func send(_ state: SetState, after seconds: Double) async throws -> TrainingProgress {
            let at = training.startedAt.advanced(bySeconds: seconds)
            return try await stage.trainings.record(
                .init(
                    training: training.id, generation: 1,
                    sets: [TrainingWorld.done(training, 0, state: state, at: at)]), by: who)
        }
        _ = try await send(.removed, after: 100)
        let late = try await send(.done, after: 50)
        #expect(late.sets.map(\.state) == [.removed], "the client learns that another change won")
        #expect(try await stage.trainings.training(training.id, of: who).sets[0].state == .removed)
        _ = try await send(.done, after: 150)
        #expect(try await stage.trainings.training(training.id, of: who).sets[0].state == .done)
    }

    @Test(
        "A change from a clock that is ahead counts as made now, and the same change sent again does not undo a later one"
    )
    func future() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let training = try await stage.start(try await stage.workout(of: who), by: who)
        let ahead = TrainingWorld.done(training, 0, reps: 5, at: stage.now.advanced(bySeconds: 3_600))
        let request = TrainingRecord.Params(training: training.id, generation: 1, sets: [ahead])
        _ = try await stage.trainings.record(request, by: who)
        #expect(try await stage.trainings.training(training.id, of: who).sets[0].at == stage.now)
        stage.world.clock.advance(bySeconds: 10)
        let other = TrainingWorld.done(training, 0, reps: 9, at: stage.now)
        _ = try await stage.trainings.record(
            .init(training: training.id, generation: 1, sets: [other]), by: who)
        for wait in [10.0, 7_200] {
            stage.world.clock.advance(bySeconds: wait)
            let answer = try await stage.trainings.record(request, by: who)
            #expect(answer.sets.map(\.values.reps) == [9])
        }
        #expect(try await stage.trainings.training(training.id, of: who).sets[0].values.reps == 9)
    }

    @Test("A device that lost control still adds sets and heart rates, and its pauses are ignored")
    func takenOver() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let training = try await stage.start(try await stage.workout(of: who), by: who)
        let device = TrainingWorld.id()
        let taken = try await stage.trainings.takeOver(.init(training: training.id, device: device), by: who)
        #expect((taken.generation, taken.device) == (2, device))
        let again = try await stage.trainings.takeOver(.init(training: training.id, device: device), by: who)
        #expect(again.generation == 2, "the same request is harmless")
        let pause = TrainingPause(from: training.startedAt.advanced(bySeconds: 60))
        let stale = try await stage.trainings.record(
            .init(
                training: training.id, generation: 1,
                sets: [TrainingWorld.done(training, 1, at: stage.now)], pauses: [pause],
                pulse: [.init(at: stage.now, bpm: 120)]), by: who)
        #expect((stale.generation, stale.state) == (2, .active))
        let known = try await stage.trainings.training(training.id, of: who)
        #expect(known.sets[1].state == .done && known.pauses.isEmpty)
        let current = try await stage.trainings.record(
            .init(training: training.id, generation: 2, pauses: [pause]), by: who)
        #expect(current.state == .paused)
    }

    @Test("Sets of other entries, numbers of no planned set, and too many sets are refused")
    func refused() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let training = try await stage.start(try await stage.workout(of: who), by: who)
        func refusal(_ change: (inout TrainingSet) -> Void) async throws -> RPCError? {
            var set = TrainingWorld.done(training, 0, at: stage.now)
            change(&set)
            let sets = [set]
            return try await stage.refusal {
                _ = try await stage.trainings.record(
                    .init(training: training.id, generation: 1, sets: sets), by: who)
            }
        }
        #expect(try await refusal { $0.entry = TrainingWorld.id() }?.data?.field == "sets[0].entry")
        for id in ["3", "-1", "00", "x", ""] {
            #expect(try await refusal { $0.id = "\($0.entry)/\(id)" }?.data?.field == "sets[0].id")
        }
        #expect(try await refusal { $0.position = 1_001 }?.data?.field == "sets[0].position")
        let entry = training.sets[0].entry
        for count in [300, 300, 300, 100] {
            let many = (0..<count).map { _ in
                TrainingSet(
                    id: "\(entry)/\(TrainingWorld.id())", entry: entry, position: 1, state: .done,
                    values: .init(reps: 1),
                    at: stage.now)
            }
            _ = try await stage.trainings.record(.init(training: training.id, generation: 1, sets: many), by: who)
        }
        let one = TrainingWorld.done(training, 0, at: stage.now)
        let full = try await stage.refusal {
            _ = try await stage.trainings.record(.init(training: training.id, generation: 1, sets: [one]), by: who)
        }
        #expect(full?.registered == .conflict)
    }
}
