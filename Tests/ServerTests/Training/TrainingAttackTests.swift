import Campus
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Server

/// Body data and trainings by those who are to get nothing.
@Suite("Training discloses nothing")
struct TrainingAttackTests {
    /// A person with a trace in each table, whose words and numbers occur nowhere else.
    private struct Victim {
        let person: ChatPerson
        let word = "vq" + UUID().uuidString.prefix(8).lowercased()
        let injury = UUID().uuidString
        let workout = UUID().uuidString
        let training = UUID().uuidString
        let height = 163.25

        init(_ server: TestServer, lastName: String) async throws {
            person = try await ChatPerson(server, lastName: lastName)
            let client = person.client
            _ = try await client.call(
                BodySave.self, .init(heightCentimetres: height, conditions: [.epilepsy], restingPulse: 41))
            _ = try await client.call(BodySaveWeight.self, .init(date: "2026-01-02", kilograms: 81.7))
            _ = try await client.call(
                BodySaveInjury.self,
                .init(id: injury, type: .fracture, area: .wrist, from: "2026-01-01", note: "note \(word)"))
            _ = try await client.call(WorkoutsSave.self, .init(id: workout, plan: TrainingPlans.plan("Plan \(word)")))
            let started = try await client.call(
                TrainingStart.self,
                .init(id: training, workout: workout, startedAt: .now, device: UUID().uuidString))
            _ = try await client.call(
                TrainingRecord.self,
                .init(training: training, generation: 1, pulse: [.init(at: started.startedAt, bpm: 173)]))
            _ = try await client.call(
                TrainingFinish.self, .init(training: training, endedAt: .now, note: "done \(word)"))
            _ = try await client.call(InsightsSaveGoals.self, .init(daySteps: 12_345))
            _ = try await client.call(InsightsSaveDay.self, .init(date: "2026-01-02", steps: 54_321))
        }

        /// Traces of the victim in a text.
        func traces(in text: String) -> [String] {
            [word, "163.25", "81.7", "epilepsy", "fracture", "173", "12345", "54321"].filter { text.contains($0) }
        }
    }

    /// Requests for the victim's objects, of every method that takes an id.
    private func requests(_ victim: Victim) -> [(method: String, params: String)] {
        let (workout, training) = (victim.workout, victim.training)
        let device = UUID().uuidString
        return [
            ("body.get", "{}"), ("body.weights", #"{"from":"2025-12-01","to":"2026-12-01"}"#),
            ("body.removeInjury", #"{"id":"\#(victim.injury)"}"#), ("body.removeWeight", #"{"date":"2026-01-02"}"#),
            ("workouts.list", "{}"), ("workouts.get", #"{"workout":"\#(workout)"}"#),
            ("workouts.copy", #"{"workout":"\#(workout)","id":"\#(UUID().uuidString)"}"#),
            ("workouts.schedule", #"{"workout":"\#(workout)","at":"2027-11-28T12:00:00.000Z"}"#),
            ("workouts.share", #"{"workout":"\#(workout)","buddy":"\#(victim.person.username)"}"#),
            ("workouts.remove", #"{"workout":"\#(workout)"}"#),
            (
                "training.start",
                #"{"id":"\#(UUID().uuidString)","workout":"\#(workout)","startedAt":"\#(Timestamp.now)","device":"\#(device)"}"#
            ),
            ("training.record", #"{"training":"\#(training)","generation":1}"#),
            ("training.takeOver", #"{"training":"\#(training)","device":"\#(device)"}"#),
            ("training.finish", #"{"training":"\#(training)","endedAt":"\#(Timestamp.now)"}"#),
            ("training.current", "{}"), ("training.list", "{}"), ("training.list", #"{"workout":"\#(workout)"}"#),
            ("training.get", #"{"training":"\#(training)"}"#), ("training.edit", #"{"training":"\#(training)"}"#),
            ("training.recalculate", #"{"training":"\#(training)"}"#),
            ("training.remove", #"{"training":"\#(training)"}"#),
            ("insights.get", #"{"from":"2026-01-01","to":"2026-12-01"}"#),
            ("workouts.recommend", "{}"), ("exercises.get", #"{"exercise":"campanile/push-up"}"#),
        ]
    }

    @Test(
        "Strangers, buddies, blocked people, admins and guests get nothing of a person's body and trainings, and change nothing"
    )
    func attack() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let victim = try await Victim(server, lastName: "Victim")
        let before = try await [
            victim.person.client.ask("body.get"), victim.person.client.ask("training.list"),
            victim.person.client.ask("workouts.list"),
            victim.person.client.ask("insights.get", #"{"from":"2026-01-01","to":"2026-01-31"}"#),
        ]
        let (stranger, buddy, blocked, admin, provisional) = (
            try await ChatPerson(server, lastName: "Stranger"), try await ChatPerson(server, lastName: "Buddy"),
            try await ChatPerson(server, lastName: "Blocked"), try await ChatPerson(server),
            try await ChatPerson(server)
        )
        try await victim.person.match(buddy)
        try await victim.person.match(blocked)
        _ = try await victim.person.client.call(SafetyBlock.self, .init(account: blocked.id))
        let database = try await server.database()
        defer { database.close() }
        _ = try await database.query("UPDATE accounts SET role = 'admin' WHERE id = $1", [.int(admin.id)])
        _ = try await database.query(
            "UPDATE accounts SET confirm_by = now() + interval '1 day', email_confirmed_at = NULL WHERE id = $1",
            [.int(provisional.id)])
        for attacker in [stranger, buddy, blocked, admin, provisional] {
            for (method, params) in requests(victim) {
                let answer = try await attacker.client.ask(method, params)
                #expect(victim.traces(in: answer).isEmpty, "\(method): \(answer)")
                let takesObject = params.contains(victim.workout) || params.contains(victim.training)
                if takesObject, !method.hasSuffix("remove"), method != "training.list" {
                    #expect(answer.contains("1003"), "\(method): \(answer)")
                }
            }
        }
        let guest = try await ChatClient(server)
        for (method, params) in requests(victim) {
            #expect(try await guest.ask(method, params).contains("1001"), "\(method)")
        }
        let after = try await [
            victim.person.client.ask("body.get"), victim.person.client.ask("training.list"),
            victim.person.client.ask("workouts.list"),
            victim.person.client.ask("insights.get", #"{"from":"2026-01-01","to":"2026-01-31"}"#),
        ]
        #expect(after == before)
        await server.stop()
    }

    @Test("Another account's UUID is free for the attacker, so that it does not tell that it exists")
    func ids() async throws {
        let server = try await Shared.server
        let victim = try await Victim(server, lastName: "Owner")
        let attacker = try await ChatPerson(server)
        let saved = try await attacker.client.call(
            WorkoutsSave.self, .init(id: victim.workout, plan: TrainingPlans.plan("Mine")))
        #expect(saved.revision == 1 && saved.plan.title == "Mine")
        let started = try await attacker.client.call(
            TrainingStart.self,
            .init(id: victim.training, workout: victim.workout, startedAt: .now, device: UUID().uuidString))
        #expect(started.plan.title == "Mine" && started.state == .active)
        let own = try await victim.person.client.call(TrainingGet.self, .init(training: victim.training))
        #expect(own.plan.title == "Plan \(victim.word)" && own.state == .finished)
    }

    @Test("A buddy with a copy of a workout gets the plan and the name, and nothing else")
    func copy() async throws {
        let server = try await Shared.server
        let victim = try await Victim(server, lastName: "Sharer")
        let buddy = try await ChatPerson(server, lastName: "Receiver")
        try await victim.person.match(buddy)
        _ = try await victim.person.client.call(
            WorkoutsShare.self, .init(workout: victim.workout, buddy: buddy.username))
        let list = try await buddy.client.call(WorkoutsList.self, .init(filter: .buddies)).workouts
        let id = try #require(list.first?.id)
        #expect(list.count == 1 && list[0].from == victim.person.username && list[0].status == .notStarted)
        let copy = try await buddy.client.ask("workouts.get", #"{"workout":"\#(id)"}"#)
        #expect(victim.traces(in: copy) == [victim.word], "\(copy)")
        #expect(!copy.contains(victim.workout.lowercased()) && !copy.contains(victim.training.lowercased()))
    }

    @Test("Changes reach the other devices of the owner, and nobody else")
    func signals() async throws {
        let server = try await Shared.server
        let person = try await ChatPerson(server, lastName: "Signals")
        let buddy = try await ChatPerson(server, lastName: "Watcher")
        try await person.match(buddy)
        let device = try await ChatClient(server, token: person.token)
        _ = try await device.ask("subscribe", "{\"topic\":\"user/\(person.id)\"}")
        _ = try await buddy.client.ask("subscribe", "{\"topic\":\"user/\(buddy.id)\"}")
        let (workout, training) = (UUID().uuidString.lowercased(), UUID().uuidString.lowercased())
        _ = try await person.client.call(WorkoutsSave.self, .init(id: workout, plan: TrainingPlans.plan("Plan")))
        _ = try await person.client.call(
            TrainingStart.self, .init(id: training, workout: workout, startedAt: .now, device: UUID().uuidString))
        _ = try await eventually("the other device learns of it") {
            device.signals.contains { $0.type == .training && $0.training == training } ? true : nil
        }
        #expect(!buddy.client.signals.contains { $0.type == .training })
    }

    @Test("The errors of refused requests do not repeat body data")
    func errors() async throws {
        let server = try await Shared.server
        let person = try await ChatPerson(server)
        for (method, params, secret) in [
            ("body.save", #"{"heightCentimetres":13579}"#, "13579"),
            ("body.save", #"{"restingPulse":13579}"#, "13579"),
            ("body.save", #"{"conditions":["secretillness"]}"#, "secretillness"),
            ("body.save", #"{"lastPeriod":{"date":"2031-03-05"}}"#, "2031-03-05"),
            ("body.saveWeight", #"{"date":"2026-01-01","kilograms":13579}"#, "13579"),
            ("body.saveInjury", #"{"id":"secretid","type":"pain","area":"knee","from":"2026-01-01"}"#, "secretid"),
            ("insights.saveDay", #"{"date":"2026-01-01","steps":1357900}"#, "1357900"),
        ] {
            let answer = try await person.client.ask(method, params)
            #expect(answer.contains("-32602") && !answer.contains(secret), "\(method): \(answer)")
        }
    }
}

/// Logs and places of a server that the test starts.
@Suite("Training on a server of its own")
struct TrainingServerTests {
    /// Requests of each method of body data, with values that occur nowhere else: valid ones and refused ones.
    private static let requests: [(method: String, params: String, secrets: [String])] = [
        (
            "body.save",
            #"{"heightCentimetres":163.257,"conditions":["glaucoma"],"goals":["buildMuscle"],"restingPulse":47,"lastPeriod":{"skipped":"preferNotToSay"}}"#,
            ["163.257", "glaucoma", "buildMuscle", "preferNotToSay"]
        ),
        ("body.save", #"{"heightCentimetres":13579.25}"#, ["13579.25"]),
        ("body.save", #"{"conditions":["secretillness"]}"#, ["secretillness"]),
        ("body.save", #"{"lastPeriod":{"date":"2031-03-05"}}"#, ["2031-03-05"]),
        ("body.save", #"{"lastPeriod":{"date":"secretperiod"}}"#, ["secretperiod"]),
        ("body.get", "{}", []), ("body.confirm", "{}", []), ("body.get", #"{"secretmember":1}"#, ["secretmember"]),
        ("body.saveWeight", #"{"date":"2025-04-17","kilograms":81.73}"#, ["2025-04-17", "81.7"]),
        ("body.saveWeight", #"{"date":"2025-04-18","kilograms":24681.5}"#, ["2025-04-18", "24681.5"]),
        ("body.saveWeight", #"{"date":"secretday","kilograms":70}"#, ["secretday"]),
        ("body.weights", #"{"from":"2025-04-01","to":"2025-04-19"}"#, ["2025-04-01", "2025-04-19"]),
        ("body.weights", #"{"from":"secretfrom"}"#, ["secretfrom"]),
        (
            "body.saveInjury",
            #"{"id":"7d9f2c52-0c0b-4f7e-9d0e-3f8a5b1c2d3e","type":"dislocation","area":"elbow","from":"2025-05-06","note":"secretnote"}"#,
            ["7d9f2c52", "dislocation", "elbow", "2025-05-06", "secretnote"]
        ),
        ("body.saveInjury", #"{"id":"secretid","type":"pain","area":"knee","from":"2026-01-01"}"#, ["secretid"]),
        (
            "body.saveInjury",
            #"{"id":"7d9f2c52-0c0b-4f7e-9d0e-3f8a5b1c2d3f","type":"secrettype","area":"secretarea","from":"2026-01-01"}"#,
            ["secrettype", "secretarea"]
        ),
        ("body.removeInjury", #"{"id":"7d9f2c52-0c0b-4f7e-9d0e-3f8a5b1c2d3e"}"#, ["7d9f2c52"]),
        ("body.removeInjury", #"{"id":"secretremoved"}"#, ["secretremoved"]),
        ("body.removeWeight", #"{"date":"2025-04-17"}"#, ["2025-04-17"]),
        ("body.removeWeight", #"{"date":"secretweight"}"#, ["secretweight"]),
        ("insights.saveDay", #"{"date":"2025-06-07","steps":54321,"restingPulse":47}"#, ["2025-06-07", "54321"]),
        ("insights.saveDay", #"{"date":"2025-06-08","steps":1357900}"#, ["2025-06-08", "1357900"]),
    ]

    @Test("No body data gets into the log, at the most verbose level, of valid requests and of refused ones")
    func log() async throws {
        let log = RecordedLog()
        var logger = log.logger
        logger.logLevel = .trace
        let server = try await TestServer.start(logger: logger) { $0.rateLimits = .off }
        let person = try await ChatPerson(server)
        let methods = Set(APIRegistry.methods.map { $0.name }.filter { $0.hasPrefix("body.") })
        #expect(methods.subtracting(Self.requests.map(\.method)).isEmpty)
        for (method, params, _) in Self.requests { _ = try await person.client.ask(method, params) }
        // A fault of the database is logged with its text, in which PostgreSQL quotes values.
        let database = try await server.database()
        defer { database.close() }
        _ = try await database.query("ALTER TABLE body_weights ADD CHECK (kilograms <> 76.4)")
        let failed = try await person.client.ask("body.saveWeight", #"{"date":"2025-07-09","kilograms":76.4}"#)
        #expect(failed.contains("-32603"), "\(failed)")
        let lines = log.lines
        #expect(!lines.isEmpty)
        for secret in Self.requests.flatMap(\.secrets) + ["2025-07-09", "76.4"] {
            #expect(!lines.contains { $0.contains(secret) }, "\(secret): \(lines.first { $0.contains(secret) } ?? "")")
        }
        await server.stop()
    }

    @Test("The closest suitable place of the sample campus is its sports hall, where a workout for a gym takes place")
    func closestPlace() async throws {
        let server = try await Shared.server
        let person = try await ChatPerson(server)
        let point = SampleCampus.origin
        let found = try await person.client.call(
            WorkoutsRecommend.self,
            .init(place: .gym, minutes: 30, lat: point.latitude, lon: point.longitude))
        let place = try #require(found.place)
        // It is 545 m west and 190 m south of the origin.
        #expect(place.name == "Sports Hall" && abs(place.metres - 577) <= 2, "\(place)")
        let plan = try #require(found.recommended ?? found.others.first).plan
        #expect(plan.destination == place.destination && plan.destinationName == "Sports Hall")
        let home = try await person.client.call(
            WorkoutsRecommend.self,
            .init(place: .home, minutes: 30, lat: point.latitude, lon: point.longitude))
        #expect(home.place == nil)
    }
}

/// Plans of tests.
enum TrainingPlans {
    static func plan(_ title: String) -> WorkoutPlan {
        WorkoutPlan(
            title: title, type: .strength, intensity: .moderate, minutes: 30, place: .anywhere, equipment: [],
            tags: [],
            sections: [
                WorkoutSection(
                    kind: .main,
                    groups: [
                        WorkoutGroup(entries: [
                            WorkoutEntry(
                                id: UUID().uuidString.lowercased(), exercise: "campanile/push-up",
                                sets: [PlannedSet(reps: 10)], restSeconds: 60)
                        ])
                    ])
            ], videos: [])
    }
}
