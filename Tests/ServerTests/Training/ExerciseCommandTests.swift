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

    private func run(_ texts: String..., on server: TestServer) async throws -> ChildProcess.Finished {
        let directory = try TestDirectory.make("exercises")
        let files = try texts.enumerated().map { number, text in
            let file = "\(directory)/exercises-\(number).json"
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            return file
        }
        let program = TestServer.root.appendingPathComponent(".build/debug/campanile").path
        let environment = [
            "CAMPANILE_RESOURCES": TestServer.root.path, "HOME": "/nonexistent", "DATABASE_URL": server.databaseURL,
        ]
        return try await Self.workers.run {
            try ChildProcess.run(
                [program, "exercises", "import", "--data", directory] + files, environment: environment,
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
        let first = try await run("[\(one),\(two)]", on: server)
        #expect(
            first.status == 0 && first.output.contains("2 exercises of free-exercise-db: 2 added"), "\(first.output)")
        func names() async throws -> [String] {
            try await person.client.call(ExercisesSearch.self, .init(text: "zq press")).exercises.map(\.name)
        }
        _ = try await eventually("the running server has it") { try await names().count == 2 ? true : nil }
        for bad in ["", "{", "[]", "{\"a\":1}", "[1,2]", "<html>"] {
            let refused = try await run(bad, on: server)
            #expect(refused.status == 65, "\(bad): \(refused.output)")
        }
        let second = try await run("[\(three)]", on: server)
        #expect(
            second.status == 0 && second.output.contains("0 added, 1 changed, 0 as before, 1 removed"),
            "\(second.output)")
        _ = try await eventually("the running server has it") { try await names() == ["Zq press other"] ? true : nil }
        let several = try await run("[\(one),\(two)]", "[\(three)]", on: server)
        #expect(
            several.status == 0 && several.output.contains("1 added, 1 changed, 0 as before, 0 removed")
                && several.output.contains("left out Zq press other: An earlier file has the same id."),
            "\(several.output)")
        let sit = #"{"id":1,"category":{"id":10},"muscles":[],"translations":[{"language":2,"name":"Sit"}]}"#
        let wger = #"{"results":[\#(sit)]}"#
        let mixed = try await run("[\(one)]", wger, on: server)
        #expect(mixed.status == 65 && mixed.output.contains("of another catalogue"), "\(mixed.output)")
        // The last page of a catalogue may be empty.
        let pages = try await run(wger, #"{"results":[]}"#, on: server)
        #expect(pages.status == 0 && pages.output.contains("1 exercises of wger: 1 added"), "\(pages.output)")
        let empty = try await run(#"{"results":[]}"#, on: server)
        #expect(empty.status == 65 && empty.output.contains("no usable exercise"), "\(empty.output)")
        await server.stop()
    }
}
