import Campus
import EventLoop
import Foundation
import TestSupport
import Testing
import Wire

@testable import Services

/// Extracts beside the repository, which a contributor may not have.
private enum Extracts {
    static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("shared/data/campus")
    static func file(_ name: String) -> URL { directory.appendingPathComponent("\(name).osm") }
    static let arePresent = ["northwestern", "tu-dresden-building"].allSatisfy {
        FileManager.default.fileExists(atPath: file($0).path)
    }
}

@Suite("500 queries as people type them", .enabled(if: Extracts.arePresent))
struct SearchQueryTests {
    private struct Query: Decodable {
        let kind: String
        let text: String
        /// Source ids of the objects that answer it.
        let answers: Set<String>
    }

    /// Queries that a program makes which knows nothing of the search.
    private static func queries(_ file: URL, _ count: Int) throws -> [Query] {
        let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("queries.py")
        let output = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: output) }
        let finished = try ChildProcess.run([
            "/usr/bin/python3", program.path, file.path, "\(count)", output.path,
        ])
        #expect(finished.status == 0, "\(finished.output)")
        return try JSONDecoder().decode([Query].self, from: Data(contentsOf: output))
    }

    @Test(
        "At least 95 % of the queries have their answer among the first three results",
        arguments: [("northwestern", 350), ("tu-dresden-building", 150)])
    func queries(name: String, count: Int) async throws {
        let world = World(access: try await MigratedDatabase.shared.own())
        let store = CampusStore(database: world.pool)
        _ = try await store.store(try OSMImport().read(Extracts.file(name)), name: name)
        // A campus of its own: all worlds share theirs.
        let campus = CampusMap()
        campus.replace(with: try await store.load())
        let search = Search(
            loop: world.loop, database: world.pool, campus: campus, openingHours: OpeningHours(library: nil))
        let directory = try await search.current()
        let queries = try Self.queries(Extracts.file(name), count)
        #expect(queries.count == count)
        var missed: [String] = []
        for query in queries {
            let results = try await search.find(.init(text: query.text, limit: 3), for: nil).results
            let sources = results.compactMap { DestinationID($0.id).flatMap { directory[$0] }?.sourceID }
            if query.answers.isDisjoint(with: sources) {
                missed.append("\(query.kind): \(query.text) found \(results.map(\.name))")
            }
        }
        #expect(missed.count * 20 <= queries.count, "\(missed)")
        await world.close()
    }
}
