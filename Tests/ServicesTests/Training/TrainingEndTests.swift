import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("The end of a training")
struct TrainingEndTests {
    /// Ends that were shown in live groups.
    private final class EndedGroups: Sendable {
        private let ended = Mutex<[String]>([])
        var list: [String] { ended.withLock { $0 } }

        func groups() -> Trainings.Groups {
            .init(
                plan: { _, _ in TrainingWorld.plan() },
                ended: { group, _, _ in self.ended.withLock { $0.append(group) } })
        }
    }

    private func start(
        _ stage: TrainingWorld, _ who: Identity, together: String, id: String = TrainingWorld.id()
    ) async throws -> Training {
        try await stage.trainings.start(
            .init(
                id: id, workout: TrainingWorld.id(), together: together,
                startedAt: stage.now.advanced(bySeconds: -3_600), device: TrainingWorld.id()), by: who)
    }

    @Test("A device that lost control adds its sets and its note at its end, and the training goes on")
    func stale() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let training = try await stage.start(try await stage.workout(of: who), by: who)
        _ = try await stage.trainings.takeOver(.init(training: training.id, device: TrainingWorld.id()), by: who)
        let pause = TrainingPause(from: training.startedAt.advanced(bySeconds: 60))
        _ = try await stage.trainings.record(.init(training: training.id, generation: 2, pauses: [pause]), by: who)
        func finish(_ generation: Int?) async throws -> Training {
            try await stage.trainings.finish(
                .init(
                    training: training.id, endedAt: training.startedAt.advanced(bySeconds: 600), pauses: [],
                    sets: [TrainingWorld.done(training, 0, at: training.startedAt.advanced(bySeconds: 90))],
                    note: "Offline", generation: generation), by: who)
        }
        let stale = try await finish(1)
        #expect(stale.state == .paused && stale.endedAt == nil && stale.pauses == [pause] && stale.generation == 2)
        #expect(stale.sets[0].state == .done && stale.note == "Offline")
        let ended = try await finish(2)
        #expect(ended.state == .finished && ended.pauses.isEmpty)
        #expect(try await finish(1).endedAt == ended.endedAt)
    }

    @Test("Without a generation, a training ends")
    func withoutGeneration() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let training = try await stage.start(try await stage.workout(of: who), by: who)
        _ = try await stage.trainings.takeOver(.init(training: training.id, device: TrainingWorld.id()), by: who)
        let ended = try await stage.trainings.finish(.init(training: training.id, endedAt: stage.now), by: who)
        #expect(ended.state == .finished)
    }

    @Test("A repeated end is shown in the live group again, but not while another training of the person goes on in it")
    func group() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let ended = EndedGroups()
        await stage.trainings.setGroups(ended.groups())
        let group = TrainingWorld.id()
        let training = try await start(stage, who, together: group)
        let request = TrainingFinish.Params(training: training.id, endedAt: stage.now)
        _ = try await stage.trainings.finish(request, by: who)
        _ = try await stage.trainings.finish(request, by: who)
        #expect(ended.list == [group, group])
        let second = try await start(stage, who, together: group)
        _ = try await stage.trainings.finish(request, by: who)
        #expect(ended.list.count == 2, "the person is training again")
        try await stage.trainings.remove(.init(training: training.id), by: who)
        #expect(ended.list.count == 2)
        try await stage.trainings.remove(.init(training: second.id), by: who)
        #expect(ended.list.count == 3)
    }

    @Test("A live group learns of removed and forgotten trainings even if the server stops before the commit")
    func removal() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let pool = stage.world.pool
        let counts = Mutex<[Int64]>([])
        await stage.trainings.setGroups(
            .init(
                plan: { _, _ in TrainingWorld.plan() },
                ended: { _, account, ending in
                    let rows = try? await pool.query(
                        """
                        SELECT count(*) AS n FROM trainings
                        WHERE account_id = $1 AND ended_at IS NULL AND id = ANY ($2::text[]::uuid[])
                        """, [.int(account), .textArray(ending)])
                    let count = (try? rows?.first?.int("n")) ?? -1
                    counts.withLock { $0.append(count) }
                }))
        let training = try await start(stage, who, together: TrainingWorld.id())
        try await stage.trainings.remove(.init(training: training.id), by: who)
        #expect(counts.withLock { $0 } == [1], "the training is still there, so that the request can be repeated")
        // The same goes for trainings that were forgotten.
        let (group, workout) = (TrainingWorld.id(), try await stage.workout(of: who))
        for _ in 0..<2 { _ = try await start(stage, who, together: group) }
        stage.world.clock.advance(bySeconds: 24 * 3_600)
        let next = try await stage.start(workout, by: who, minutesAgo: 0)
        #expect(counts.withLock { $0 } == [1, 2])
        #expect(try await stage.trainings.open(of: who).trainings.map(\.id) == [next.id])
    }

    @Test("A start ends trainings that were forgotten, a minute after their last set, and then has room")
    func forgotten() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        _ = try await stage.body.save(BodySaveWeight.Params(date: "2026-11-20", kilograms: 70), of: who)
        let ended = EndedGroups()
        await stage.trainings.setGroups(ended.groups())
        let group = TrainingWorld.id()
        let workout = try await stage.workout(of: who)
        var open: [Training] = []
        for _ in 0..<4 { open.append(try await stage.start(workout, by: who)) }
        open.append(try await start(stage, who, together: group))
        let last = open[0].startedAt.advanced(bySeconds: 1_200)
        _ = try await stage.trainings.record(
            .init(
                training: open[0].id, generation: 1,
                sets: [
                    TrainingWorld.done(open[0], 0, at: open[0].startedAt.advanced(bySeconds: 60)),
                    TrainingWorld.done(open[0], 1, at: last),
                ], pauses: [.init(from: open[0].startedAt.advanced(bySeconds: 1_230))]), by: who)
        stage.world.clock.advance(bySeconds: 22.5 * 3_600)
        let full = try await stage.refusal { _ = try await stage.start(workout, by: who, minutesAgo: 0) }
        #expect(full?.registered == .conflict, "they may still go on")
        stage.world.clock.advance(bySeconds: 3_600)
        let next = try await stage.start(workout, by: who, minutesAgo: 0)
        #expect(try await stage.trainings.open(of: who).trainings.map(\.id) == [next.id])
        let first = try await stage.trainings.training(open[0].id, of: who)
        #expect(first.endedAt == last.advanced(bySeconds: 60) && first.calories?.kilograms == 70)
        #expect(first.activeSeconds == 1_230)
        let empty = try await stage.trainings.training(open[1].id, of: who)
        #expect(empty.endedAt == open[1].startedAt.advanced(bySeconds: 60))
        #expect(ended.list == [group])
    }

    @Test(
        "Sets and pauses of a device that comes back count after the server ended its training, until the person states an end"
    )
    func returning() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let workout = try await stage.workout(of: who)
        let training = try await stage.start(workout, by: who)
        func second(_ second: Double) -> Timestamp { training.startedAt.advanced(bySeconds: second) }
        func record(_ set: Int, at time: Double, _ pauses: [TrainingPause]) async throws -> Training {
            _ = try await stage.trainings.record(
                .init(
                    training: training.id, generation: 1, sets: [TrainingWorld.done(training, set, at: second(time))],
                    pauses: pauses), by: who)
            return try await stage.trainings.training(training.id, of: who)
        }
        let open = TrainingPause(from: second(1_300))
        _ = try await record(0, at: 1_200, [open])
        stage.world.clock.advance(bySeconds: 25 * 3_600)
        _ = try await stage.start(workout, by: who, minutesAgo: 0)
        let forgotten = try await stage.trainings.training(training.id, of: who)
        #expect(forgotten.endedAt == second(1_260) && forgotten.pauses.isEmpty && forgotten.activeSeconds == 1_260)
        let returned = try await record(1, at: 5_000, [TrainingPause(from: second(1_300), until: second(4_300))])
        #expect(returned.endedAt == second(5_060) && returned.activeSeconds == 2_060)

        // An end that cannot be is not taken, and what comes with it is.
        func finish(at time: Double) async throws -> Training {
            try await stage.trainings.finish(
                .init(training: training.id, endedAt: second(time), note: "Long", generation: 1), by: who)
        }
        let late = try await finish(at: 25 * 3_600)
        #expect(late.endedAt == second(5_060) && late.note == "Long")
        let stated = try await finish(at: 5_500)
        #expect(stated.endedAt == second(5_500) && stated.activeSeconds == 2_500 && stated.pauses.count == 1)
        _ = try await record(1, at: 7_000, [])
        let last = try await stage.trainings.training(training.id, of: who)
        #expect(last.endedAt == second(5_500) && last.pauses.count == 1)
    }

    @Test("A training by a plan of earlier times, with control characters in its texts, is taken without them")
    func oldPlan() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        var plan = TrainingWorld.plan()
        plan.description = "Slowly\u{0B},\r\n\twell\u{85}"
        plan.sections[0].groups[0].entries[0].note = "Left\u{0}, right"
        // A workout of a live group that is gone by now.
        await stage.trainings.setGroups(
            .init(plan: { _, _ in throw RPCError(.notFound, "there is no such group") }, ended: { _, _, _ in }))
        let training = try await stage.trainings.start(
            .init(
                id: TrainingWorld.id(), workout: TrainingWorld.id(), together: TrainingWorld.id(),
                startedAt: stage.now, device: TrainingWorld.id(), plan: plan), by: who)
        #expect(training.plan.description == "Slowly,\n\twell")
        #expect(training.plan.sections[0].groups[0].entries[0].note == "Left, right")
    }

    private func beat(_ training: Training, _ seconds: Double, _ bpm: Int) -> PulseSample {
        .init(at: training.startedAt.advanced(bySeconds: seconds), bpm: bpm)
    }

    private func rows(_ training: Training, of who: Identity, _ stage: TrainingWorld) async throws -> Int64 {
        try await stage.world.pool.query(
            "SELECT count(*) AS n FROM training_pulses WHERE account_id = $1 AND training_id = $2",
            [.int(who.account.id), .uuid(training.id)])[0].int("n")
    }

    @Test("An edit replaces all heart rates, also by lower ones and by none, and the same edit again is harmless")
    func replacedPulse() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let training = try await stage.start(try await stage.workout(of: who), by: who)
        _ = try await stage.trainings.record(
            .init(training: training.id, generation: 1, pulse: [beat(training, 10, 180), beat(training, 1_800, 180)]),
            by: who)
        _ = try await stage.trainings.finish(.init(training: training.id, endedAt: stage.now), by: who)
        func edit(_ pulse: [PulseSample]?) async throws -> [Int]? {
            try await stage.trainings.edit(.init(training: training.id, pulse: pulse), by: who).pulse.map {
                [$0.minimum, $0.maximum]
            }
        }
        #expect(try await edit(nil) == [180, 180])
        for _ in 0..<2 { #expect(try await edit([beat(training, 10, 120), beat(training, 20, 110)]) == [110, 120]) }
        #expect(try await rows(training, of: who, stage) <= 2)
        #expect(try await edit([]) == nil)
        #expect(try await rows(training, of: who, stage) == 0)
        let many = (0...600).map { beat(training, Double($0), 100) }
        let error = try await stage.refusal { _ = try await edit(many) }
        #expect(error?.data?.field == "pulse")
    }

    @Test("An edit of the times removes the heart rates outside, so that their number stays that of a day")
    func movedPulse() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let training = try await stage.start(try await stage.workout(of: who), by: who)
        _ = try await stage.trainings.finish(.init(training: training.id, endedAt: stage.now), by: who)
        for day in 0..<4 {
            let start = training.startedAt.advanced(bySeconds: -Double(day) * 86_400)
            _ = try await stage.trainings.edit(
                .init(training: training.id, startedAt: start, endedAt: start.advanced(bySeconds: 3_600)), by: who)
            _ = try await stage.trainings.record(
                .init(training: training.id, generation: 1, pulse: [.init(at: start, bpm: 100 + day)]), by: who)
            #expect(try await rows(training, of: who, stage) == 1)
            let pulse = try await stage.trainings.training(training.id, of: who).pulse
            #expect(pulse.map { [$0.minimum, $0.maximum] } == [100 + day, 100 + day])
        }
    }

    @Test("Heart rates of a clock that is somewhat ahead are kept, and others are not")
    func ahead() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let training = try await stage.start(try await stage.workout(of: who), by: who, minutesAgo: 10)
        _ = try await stage.trainings.record(
            .init(
                training: training.id, generation: 1,
                pulse: [beat(training, 60, 100), beat(training, 890, 150), beat(training, 910, 200)]), by: who)
        stage.world.clock.advance(bySeconds: 600)
        let ended = try await stage.trainings.finish(.init(training: training.id, endedAt: stage.now), by: who)
        #expect(ended.pulse.map { [$0.minimum, $0.maximum] } == [100, 150])
    }

    @Test("The end that a person states replaces the server's end of a forgotten training, and pauses and pulse count")
    func forgottenEnd() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        _ = try await stage.body.save(BodySaveWeight.Params(date: "2026-11-20", kilograms: 70), of: who)
        let workout = try await stage.workout(of: who)
        let first = try await stage.start(workout, by: who, minutesAgo: 0)
        stage.world.clock.advance(bySeconds: 25 * 3_600)
        _ = try await stage.start(workout, by: who, minutesAgo: 0)
        let byServer = try await stage.trainings.training(first.id, of: who)
        #expect(byServer.endedAt == first.startedAt.advanced(bySeconds: 60))
        _ = try await stage.trainings.record(
            .init(
                training: first.id, generation: 1,
                pulse: [beat(first, 30, 100), beat(first, 3_500, 150), beat(first, 3_700, 200)]), by: who)
        // A note is no statement of the end.
        _ = try await stage.trainings.edit(.init(training: first.id, note: "Legs"), by: who)
        func finish(after seconds: Double) async throws -> Training {
            let (from, until) = (first.startedAt.advanced(bySeconds: 600), first.startedAt.advanced(bySeconds: 900))
            return try await stage.trainings.finish(
                .init(
                    training: first.id, endedAt: first.startedAt.advanced(bySeconds: seconds),
                    pauses: [.init(from: from, until: until)], generation: 1), by: who)
        }
        let ended = try await finish(after: 3_600)
        #expect(ended.endedAt == first.startedAt.advanced(bySeconds: 3_600) && ended.activeSeconds == 3_300)
        #expect(ended.pulse.map { [$0.minimum, $0.maximum] } == [100, 150])
        #expect(try #require(ended.calories).gross > 50, "of an hour, not of a minute")
        #expect(try await finish(after: 1_800) == ended, "the person has stated the end")
        _ = try await stage.trainings.record(
            .init(training: first.id, generation: 1, pulse: [beat(first, 3_800, 210)]), by: who)
        #expect(try await stage.trainings.training(first.id, of: who).pulse == ended.pulse)
    }

    @Test("An edit of the end of a forgotten training is the person's end")
    func forgottenEdit() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let workout = try await stage.workout(of: who)
        let first = try await stage.start(workout, by: who, minutesAgo: 0)
        stage.world.clock.advance(bySeconds: 25 * 3_600)
        _ = try await stage.start(workout, by: who, minutesAgo: 0)
        let end = first.startedAt.advanced(bySeconds: 1_200)
        _ = try await stage.trainings.edit(.init(training: first.id, endedAt: end), by: who)
        let late = try await stage.trainings.finish(
            .init(training: first.id, endedAt: first.startedAt.advanced(bySeconds: 3_600)), by: who)
        #expect(late.endedAt == end)
    }

    @Test("Heart rates outside the stated or edited times do not come back, also those in the same row")
    func trimmedPulse() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let training = try await stage.start(try await stage.workout(of: who), by: who)
        func time(_ seconds: Double) -> Timestamp { training.startedAt.advanced(bySeconds: seconds) }
        _ = try await stage.trainings.record(
            .init(
                training: training.id, generation: 1,
                pulse: [
                    beat(training, 10, 180), beat(training, 60, 100), beat(training, 1_860, 110),
                    beat(training, 2_200, 120), beat(training, 2_300, 200), beat(training, 3_000, 210),
                ]), by: who)
        _ = try await stage.trainings.finish(.init(training: training.id, endedAt: time(2_250)), by: who)
        func edit(_ from: Double, _ until: Double) async throws -> [Int]? {
            try await stage.trainings.edit(
                .init(training: training.id, startedAt: time(from), endedAt: time(until)), by: who
            ).pulse.map { [$0.minimum, $0.maximum] }
        }
        #expect(try await edit(0, 3_600) == [100, 180], "those after the end have gone")
        #expect(try await edit(30, 1_900) == [100, 110])
        #expect(try await edit(0, 3_600) == [100, 110])
        #expect(try await edit(61, 1_859) == nil)
        #expect(try await rows(training, of: who, stage) == 0, "nor is there a row without any")
    }
}
