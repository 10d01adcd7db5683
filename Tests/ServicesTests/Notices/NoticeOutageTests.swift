import Foundation
import Hub
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Notices while the database goes away", .serialized)
struct NoticeOutageTests {
    @Test("Connections cut in the middle: each notice is published once, and given to everybody once, in order")
    func terminated() async throws {
        let world = try await NoticeWorld()
        let admin = try await world.member(.admin)
        let (one, other) = (try await world.member(), try await world.member())
        var listeners = [try await world.listen(one), try await world.listen(other)]
        let administrator = try await PostgresConnection.connect(
            configuration: world.world.access.administrator, loop: world.loop, logger: TestDatabase.logger)
        let database = try #require(world.world.access.application.database)
        let cutting = Task {
            var random = SeededGenerator(seed: 7)
            while !Task.isCancelled {
                _ = try await administrator.query(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND usename = $2",
                    [.text(database), .text(PrivateCluster.applicationRole)])
                await world.loop.sleep(for: .milliseconds(Int64.random(in: 5...60, using: &random)))
            }
        }
        let count = 40
        var numbers: [Int64] = []
        for number in 1...count {
            let id = World.newID()
            while true {
                do {
                    let audience: NoticeAudience = number % 2 == 0 ? .campus : .role(.student)
                    numbers.append(
                        try await world.publish("\(number)", to: audience, id: id, by: admin).notice.number)
                    break
                } catch {
                    guard RPCError.clientError(error)?.registered?.isRetryable == true else { throw error }
                    await world.loop.sleep(for: .milliseconds(5))
                }
            }
        }
        cutting.cancel()
        _ = try? await cutting.value
        for index in listeners.indices {
            try await listeners[index].read(upTo: count)
            #expect(listeners[index].titles == (1...count).map { "\($0)" })
            #expect(listeners[index].faults == [] && listeners[index].repeated.isEmpty)
        }
        // A connection that was cut last shows it to the next who uses it.
        let head = try await eventually("the head can be read") { try? await world.table.head() }
        #expect(head.offset == Int64(count))
        administrator.close()
        await world.close()
    }
}
