import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

@Suite("A crowd on a client's map", .timeLimit(.minutes(4)))
struct ClientCrowdTests {
    /// The whole campus in one cell.
    private static let wide = MapViewport(south: 51.495, west: 7.99, north: 51.505, east: 8.01, zoom: 9)

    /// Runs, of which no account may have more than five.
    private func runs(_ accounts: Int, on server: TestServer) async throws -> [TestRun] {
        var runs: [TestRun] = []
        for number in 0..<accounts {
            let (connection, account) = try await server.register()
            for index in 0..<5 {
                let run = try await TestRun(
                    connection, account: account.account, course: number, offset: Double(index) * 60)
                try await run.run(3)
                runs.append(run)
            }
        }
        return runs
    }

    @Test("Runners whose cell becomes a crowd turn into counts, and into runners again when there are fewer")
    func crowd() async throws {
        let server = try await TestServer.start()
        var field = try await runs(2, on: server)
        let client = ResilientClient(address: try ServerAddress(url: server.url), loops: try ClientLoops(count: 1))
        await client.start()
        var pictures = client.positions(in: Self.wide).makeAsyncIterator()
        func picture(_ condition: (ViewportPositions) -> Bool) async throws -> ViewportPositions {
            while true {
                let picture = try #require(try await pictures.next())
                if condition(picture) { return picture }
            }
        }
        _ = try await picture { $0.isCurrent && $0.runners.count == 10 && $0.clusters.isEmpty }
        field += try await runs(12, on: server)
        let crowded = try await picture { $0.isCurrent && $0.count == 70 }
        #expect(crowded.runners.isEmpty && crowded.clusters.count == 1)
        for run in field.prefix(30) { try await run.stop() }
        let fewer = try await picture { $0.isCurrent && $0.count == 40 && $0.clusters.isEmpty }
        var left: Set<Int64> = []
        for run in field.dropFirst(30) { left.insert(await run.id) }
        #expect(Set(fewer.runners.keys) == left)
        await client.close()
        await server.stop()
    }
}
