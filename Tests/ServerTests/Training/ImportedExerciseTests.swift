import CampanileClient
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@Suite("Imported exercises of a server")
struct ImportedExerciseTests {
    private static func id() -> String { UUID().uuidString.lowercased() }

    /// Adds an exercise as `campanile exercises import` does.
    private func add(_ number: Int, to server: TestServer) async throws -> String {
        let exercise = Exercise(
            id: "wger/\(number)", source: .wger, name: "Press \(number)", type: .strength, level: .beginner,
            primaryMuscles: [.chest], secondaryMuscles: [], equipment: [.barbell], measures: [.reps],
            instructions: ["Lift."], met: .init(value: 3.5, code: "02054", year: 2024, activity: "weights"),
            isUnilateral: false)
        let database = try await server.database()
        defer { database.close() }
        _ = try await database.query("BEGIN")
        _ = try await database.query(
            "INSERT INTO exercises (id, source, exercise) VALUES ($1, 'wger', $2::text::jsonb)",
            [.text(exercise.id), .text(String(decoding: try WireJSON.encode(exercise), as: UTF8.self))])
        _ = try await database.query(
            """
            INSERT INTO exercise_imports AS i (source, version, imported_at) VALUES ('wger', 1, now())
            ON CONFLICT (source) DO UPDATE SET version = i.version + 1
            """)
        _ = try await database.query("COMMIT")
        return exercise.id
    }

    private func save(_ exercise: String, by person: CampanileConnection) async throws -> [String] {
        let entry = WorkoutEntry(id: Self.id(), exercise: exercise, sets: [PlannedSet(reps: 10)], restSeconds: 60)
        let plan = WorkoutPlan(
            title: "Press", type: .strength, intensity: .moderate, minutes: 30, place: .gym, equipment: [], tags: [],
            sections: [WorkoutSection(kind: .main, groups: [WorkoutGroup(entries: [entry])])], videos: [])
        return try await person.call(WorkoutsSave.self, .init(id: Self.id(), plan: plan)).exercises.map(\.id)
    }

    @Test("A save with one is accepted right after the import, and as the first request after a start")
    func first() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let (person, signedIn) = try await server.register()
        for number in 1...3 {
            let exercise = try await add(number, to: server)
            #expect(try await save(exercise, by: person) == [exercise])
        }
        await person.close()
        await server.stop()
        let exercise = try await add(4, to: server)
        try await server.startAgain()
        let again = try await server.connect(token: signedIn.token)
        #expect(try await save(exercise, by: again) == [exercise])
        await again.close()
        await server.stop()
    }
}
