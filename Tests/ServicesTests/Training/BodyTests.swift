import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Body data")
struct BodyTests {
    @Test("Saving changes the given members, keeps the others, clears the named ones, and confirms all")
    func saving() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let fresh = try await stage.body.data(of: who)
        #expect(fresh.isStale && fresh.confirmedAt == nil && fresh.asksLastPeriod && fresh.injuries.isEmpty)
        let saved = try await stage.body.save(
            .init(
                heightCentimetres: 172, conditions: [.asthma, .asthma], goals: [.buildMuscle], restingPulse: 58,
                maximumPulse: 190), of: who)
        #expect(saved.conditions == [.asthma] && !saved.isStale && saved.confirmedAt == stage.now)
        let changed = try await stage.body.save(
            .init(lastPeriod: .init(skipped: .pregnant), clear: [.maximumPulse]), of: who)
        #expect(changed.heightCentimetres == 172 && changed.maximumPulse == nil && changed.restingPulse == 58)
        #expect(changed.lastPeriod == .init(skipped: .pregnant) && changed.goals == [.buildMuscle])
        stage.world.clock.advance(bySeconds: 30 * 86_400 + 1)
        #expect(try await stage.body.data(of: who).isStale)
        #expect(try await stage.body.confirm(who).isStale == false)
    }

    @Test("Values outside their ranges, contradictions and wrong days are refused, and nothing changes")
    func refused() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let cases: [(BodySave.Params, String)] = [
            (.init(heightCentimetres: 49.9), "heightCentimetres"),
            (.init(heightCentimetres: .nan), "heightCentimetres"),
            (.init(restingPulse: 24), "restingPulse"), (.init(maximumPulse: 241), "maximumPulse"),
            (.init(restingPulse: 110, maximumPulse: 105), "maximumPulse"),
            (.init(goals: [.buildMuscle, .loseWeight, .reduceStress, .stayHealthy]), "goals"),
            (.init(lastPeriod: .init()), "lastPeriod"),
            (.init(lastPeriod: .init(date: "2026-11-02", skipped: .unsure)), "lastPeriod"),
            (.init(lastPeriod: .init(date: "2025-11-02")), "lastPeriod.date"),
            (.init(lastPeriod: .init(date: "2026-12-02")), "lastPeriod.date"),
            (.init(lastPeriod: .init(date: "2026-02-30")), "lastPeriod.date"),
            (.init(heightCentimetres: 180, clear: [.heightCentimetres]), "clear"),
        ]
        for (params, field) in cases {
            let error = try await stage.refusal { _ = try await stage.body.save(params, of: who) }
            #expect(error?.data?.field == field)
        }
        for (day, kilograms) in [
            ("2026-11-30", 70.0), ("1899-12-31", 70), ("2026-11-1", 70), ("2026-11-28", 19.9), ("2026-11-28", 401),
        ] {
            let error = try await stage.refusal {
                _ = try await stage.body.save(BodySaveWeight.Params(date: day, kilograms: kilograms), of: who)
            }
            #expect(error?.registered == .invalidParams)
        }
        #expect(try await stage.body.data(of: who).confirmedAt == nil)
    }

    @Test("Weights are one a day, to a tenth, and the latest counts")
    func weights() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        for (day, kilograms) in [
            ("2026-11-20", 71.26), ("2026-11-25", 70.04), ("1952-03-01", 30), ("2026-11-25", 70.11),
        ] {
            _ = try await stage.body.save(BodySaveWeight.Params(date: day, kilograms: kilograms), of: who)
        }
        let data = try await stage.body.data(of: who)
        #expect(data.weight == BodyWeight(date: "2026-11-25", kilograms: 70.1))
        #expect(try await stage.body.weights(.init(), of: who).weights.map(\.kilograms) == [71.3, 70.1])
        #expect(try await stage.body.weights(.init(from: "1950-01-01", to: "1955-01-01"), of: who).weights.count == 1)
        #expect(try await stage.body.weights(.init(to: "1952-12-31"), of: who).weights.count == 1)
        let wide = try await stage.refusal {
            _ = try await stage.body.weights(.init(from: "1950-01-01", to: "2026-01-01"), of: who)
        }
        #expect(wide?.data?.field == "to")
        let removed = try await stage.body.remove(BodyRemoveWeight.Params(date: "2026-11-25"), of: who)
        #expect(removed.weight?.date == "2026-11-20")
        #expect(try await stage.body.remove(BodyRemoveWeight.Params(date: "2026-11-25"), of: who) == removed)
    }

    @Test("An injury is changed by its id, and one account's id is another account's own")
    func injuries() async throws {
        let stage = try await TrainingWorld()
        let (who, other) = (try await stage.world.member(), try await stage.world.member())
        let id = TrainingWorld.id()
        var params = BodySaveInjury.Params(
            id: id.uppercased(), type: .sprain, area: .ankle, from: "2026-11-01", note: " left ")
        _ = try await stage.body.save(params, of: who)
        params.until = "2026-11-20"
        let data = try await stage.body.save(params, of: who)
        #expect(
            data.injuries == [
                Injury(id: id, type: .sprain, area: .ankle, from: "2026-11-01", until: "2026-11-20", note: "left")
            ])
        let theirs = try await stage.body.save(
            BodySaveInjury.Params(id: id, type: .pain, area: .knee, from: "2026-11-02"), of: other)
        #expect(theirs.injuries.map(\.area) == [.knee])
        _ = try await stage.body.remove(BodyRemoveInjury.Params(id: id), of: other)
        #expect(try await stage.body.data(of: who).injuries.map(\.area) == [.ankle])
        params.until = "2026-10-31"
        let wrong = params
        #expect(try await stage.refusal { _ = try await stage.body.save(wrong, of: who) }?.data?.field == "until")
    }

    @Test("An injury counts from the first moment of its first day anywhere to the last one of its last day anywhere")
    func injuryDays() async throws {
        let stage = try await TrainingWorld(at: "2026-11-28T09:59:59.000Z")
        let who = try await stage.world.member()
        func areas() async throws -> [BodyArea] {
            try await stage.body.known(of: who.account.id).present.injuries.map(\.area)
        }
        func save(_ area: BodyArea, _ from: String, _ until: String?) async throws {
            _ = try await stage.body.save(
                BodySaveInjury.Params(id: TrainingWorld.id(), type: .pain, area: area, from: from, until: until),
                of: who)
        }
        try await save(.knee, "2026-11-20", "2026-11-28")
        stage.world.clock.advance(bySeconds: 2)
        // It is the 29th in Kiritimati.
        try await save(.wrist, "2026-11-29", nil)
        #expect(Set(try await areas()) == [.knee, .wrist])
        // The 28th ends in the most western zone at noon of the 29th.
        stage.world.clock.advance(bySeconds: 26 * 3_600 - 10)
        #expect(Set(try await areas()) == [.knee, .wrist])
        stage.world.clock.advance(bySeconds: 20)
        #expect(try await areas() == [.wrist])
    }

    @Test("There are at most 100 injuries and 4,000 weights")
    func limits() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        _ = try await stage.world.pool.query(
            """
            INSERT INTO injuries (account_id, id, type, area, from_day)
            SELECT $1, gen_random_uuid(), 'pain', 'knee', '2026-01-01' FROM generate_series(1, 100)
            """, [.int(who.account.id)])
        _ = try await stage.world.pool.query(
            "INSERT INTO body_weights SELECT $1, '2000-01-01'::date + n, 70 FROM generate_series(1, 4000) n",
            [.int(who.account.id)])
        let injury = try await stage.refusal {
            _ = try await stage.body.save(
                BodySaveInjury.Params(id: TrainingWorld.id(), type: .pain, area: .knee, from: "2026-01-01"), of: who)
        }
        #expect(injury?.registered == .conflict)
        let weight = try await stage.refusal {
            _ = try await stage.body.save(BodySaveWeight.Params(date: "2026-11-28", kilograms: 70), of: who)
        }
        #expect(weight?.data?.field == "date")
        // A day that has a weight can be changed.
        _ = try await stage.body.save(BodySaveWeight.Params(date: "2000-01-02", kilograms: 71), of: who)
    }

    @Test("Days are added across months, leap years and centuries")
    func days() throws {
        for (day, days, result) in [
            ("2024-02-28", 1, "2024-02-29"), ("2023-02-28", 1, "2023-03-01"), ("1900-02-28", 1, "1900-03-01"),
            ("2000-02-28", 1, "2000-02-29"), ("2026-01-01", -1, "2025-12-31"), ("1970-01-01", 0, "1970-01-01"),
            ("1950-01-01", -365, "1949-01-01"), ("2026-11-28", -3_660, "2016-11-20"),
        ] {
            #expect(Day.adding(days, to: day) == result)
            #expect(Day.number(result) - Day.number(day) == days)
        }
        #expect(Day.number("1970-01-01") == 0)
    }
}
