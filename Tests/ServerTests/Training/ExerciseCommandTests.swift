import EventLoop
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Server

@Suite("campanile exercises import")
struct ExerciseCommandTests {
    private static let workers = WorkerPool(label: "exercise-command", concurrentMax: 2, waitingMax: 20)

    private func run(_ text: String, _ server: TestServer) async throws -> ChildProcess.Finished {
        let directory = try TestDirectory.make("exercises")
        let file = "\(directory)/exercises.json"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let program = TestServer.root.appendingPathComponent(".build/debug/campanile").path
        let environment = [
            "CAMPANILE_RESOURCES": TestServer.root.path, "HOME": "/nonexistent", "DATABASE_URL": server.databaseURL,
        ]
        return try await Self.workers.run {
            try ChildProcess.run(
                [program, "exercises", "import", "--data", directory, file], environment: environment,
                timeLimit: .seconds(120))
        }
    }

    private func exercise(_ id: String, _ name: String) -> String {
        """
        {"id":"\(id)","name":"\(name)","force":"push","level":"beginner","mechanic":"compound","equipment":"barbell",
        "primaryMuscles":["chest"],"secondaryMuscles":[],"instructions":["Press."],"category":"strength","images":[]}
        """
    }

    @Test("It prints what changed, a running server offers it, and bad data changes nothing and ends with 65")
    func imports() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let person = try await ChatPerson(server)
        let (one, two, three) = (
            exercise("One", "Zq press one"), exercise("Two", "Zq press two"), exercise("Two", "Zq press other")
        )
        let first = try await run("[\(one),\(two)]", server)
        #expect(first.status == 0 && first.output.contains("2 exercises of freeExerciseDB: 2 added"), "\(first.output)")
        func names() async throws -> [String] {
            try await person.client.call(ExercisesSearch.self, .init(text: "zq press")).exercises.map(\.name)
        }
        _ = try await eventually("the running server has it") { try await names().count == 2 ? true : nil }
        for bad in ["", "{", "[]", "{\"a\":1}", "[1,2]", "<html>"] {
            let refused = try await run(bad, server)
            #expect(refused.status == 65, "\(bad): \(refused.output)")
        }
        let second = try await run("[\(three)]", server)
        #expect(
            second.status == 0 && second.output.contains("0 added, 1 changed, 0 as before, 1 removed"),
            "\(second.output)")
        _ = try await eventually("the running server has it") { try await names() == ["Zq press other"] ? true : nil }
        await server.stop()
    }
}
