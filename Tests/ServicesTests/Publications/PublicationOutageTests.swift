import Foundation
import Hub
import HubCore
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Publishing while the database goes away", .serialized)
struct PublicationOutageTests {
    private func administrator(_ world: World) async throws -> PostgresConnection {
        try await PostgresConnection.connect(
            configuration: world.access.administrator, loop: world.loop, logger: TestDatabase.logger)
    }

    @Test("A commit that was not heard of is told to the publisher as open, and given to the subscribers all the same")
    func uncertain() async throws {
        // Long enough on a busy machine for a group to reach PostgreSQL, which the lock below supposes.
        let world = World(access: try await MigratedDatabase.shared.own(), publishTimeout: .seconds(5))
        let topic = Topic.test(1)
        var reader = Reader(topic)
        try await reader.subscribe(world)
        try await world.publishUntilAcknowledged("before", on: topic)
        // The group is sent whole, its COMMIT too, and waits for this lock until nobody waits for the answer any more.
        let holder = try await administrator(world)
        try await holder.script("BEGIN; SELECT 1 FROM topics FOR UPDATE")
        let id = World.newID()
        let refused = await refusal(.unavailable) { try await world.publish("uncertain", on: topic, id: id) }
        #expect(refused?.data?.retryAfter ?? 0 > 0)
        try await reader.read()
        #expect(reader.data == ["before"])
        try await holder.script("COMMIT")
        // Nobody sends it again: the look into the table finds it.
        try await reader.read(upTo: 2)
        #expect(reader.data == ["before", "uncertain"])
        #expect(try await world.publishUntilAcknowledged("uncertain", on: topic, id: id).offset == 2)
        try await world.publishUntilAcknowledged("after", on: topic)
        try await reader.read(upTo: 3)
        #expect(reader.offsets == [1, 2, 3])
        holder.close()
        await world.close()
    }

    @Test(
        "Connections cut in the middle: sent again until acknowledged, everything is there once, and given once, in order"
    )
    func terminated() async throws {
        let world = World(access: try await MigratedDatabase.shared.own(), patience: .seconds(30))
        let topic = Topic.test(1)
        var reader = Reader(topic)
        try await reader.subscribe(world)
        let administrator = try await administrator(world)
        let database = try #require(world.access.application.database)
        let cutting = Task {
            var random = SeededGenerator(seed: 5)
            while !Task.isCancelled {
                _ = try await administrator.query(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND usename = $2
                    """, [.text(database), .text(PrivateCluster.applicationRole)])
                await world.loop.sleep(for: .milliseconds(Int.random(in: 20...120, using: &random)))
            }
        }
        let (publishers, each) = (8, 20)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for publisher in 0..<publishers {
                group.addTask {
                    var last: Int64 = 0
                    for number in 0..<each {
                        let place = try await world.publishUntilAcknowledged("\(publisher).\(number)", on: topic)
                        #expect(place.offset > last)
                        last = place.offset
                    }
                }
            }
            try await group.waitForAll()
        }
        cutting.cancel()
        _ = try? await cutting.value
        let kept = try await eventually("the table is read") { try? await world.kept(topic) }
        #expect(kept.map(\.offset) == Array(1...Int64(publishers * each)))
        #expect(Set(kept.map(\.data.data)).count == publishers * each)
        try await reader.read(upTo: kept.count)
        #expect(reader.offsets == kept.map(\.offset))
        #expect(reader.data == kept.map(\.data.data))
        administrator.close()
        await world.close()
    }

    @Test("While the database is away publishers are told to come back, and no more of them wait than may")
    func away() async throws {
        let world = World(access: try await MigratedDatabase.shared.own(), patience: .seconds(120))
        let topic = Topic.test(1)
        try await world.publish("before", on: topic)
        let holder = try await administrator(world)
        try await holder.script("BEGIN; SELECT 1 FROM topics FOR UPDATE")
        let waitingMax = 20
        let publications = Publications(
            loop: world.loop, table: world.table, writer: world.publisher, hub: world.hub, campus: world.campus,
            hasTestTopics: true, waitingMax: waitingMax)
        let count = waitingMax + Publications.groupPublicationsMax + 50
        let publishing = Task {
            await withTaskGroup(of: ErrorCode?.self) { group in
                for number in 0..<count {
                    group.addTask {
                        do {
                            let params = TestPublish.Params(topic: "test/1", id: World.newID(), data: "\(number)")
                            _ = try await publications.publish(params, by: nil)
                            return nil
                        } catch { return RPCError.clientError(error)?.registered }
                    }
                }
                return await group.reduce(into: [ErrorCode?]()) { $0.append($1) }
            }
        }
        // The first group waits for the lock; who finds the queue full is told at once.
        _ = try await eventually("some are refused") {
            await publications.refusedCount >= 50 ? true : nil
        }
        try await holder.script("COMMIT")
        let results = await publishing.value
        let refused = results.count { $0 == .unavailable }
        #expect(refused >= 50)
        #expect(results.allSatisfy { $0 == nil || $0 == .unavailable })
        #expect(try await world.kept(topic).count == count - refused + 1)
        holder.close()
        await world.close()
    }
}
