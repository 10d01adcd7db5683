import CampanileClient
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import Server

/// Tried over real connections by somebody whom a runner has blocked.
@Suite("A block, over the wire (B-5)")
struct BlockTests {
    private func store(_ blocker: Int64, _ blocked: Int64, on server: TestServer) async throws {
        let database = try await server.database()
        _ = try await database.query(
            "INSERT INTO blocks (blocker_id, blocked_id) VALUES ($1, $2)", [.int(blocker), .int(blocked)])
        database.close()
    }

    private func zone(of run: TestRun) async throws -> (id: Int64, box: [Double]) {
        let point = try #require(await run.next(1).first)
        let located = try await run.connection.call(
            CampusLocate.self, CampusLocate.Params(lat: point.lat, lon: point.lon))
        let box = [point.lat - 0.002, point.lon - 0.002, point.lat + 0.002, point.lon + 0.002]
        return (try #require(located.zone?.id), box)
    }

    /// Two maps of one connection, and a session.
    private func look(_ sight: Sight, _ place: (id: Int64, box: [Double]), _ session: Int64) async throws -> Int? {
        try await sight.watch(zone: place.id)
        try await sight.view(place.box, zoom: 17)
        return try await sight.watch(session: session)
    }

    private func waitUntilCut(_ sight: Sight, _ session: Int64) async throws {
        _ = try await eventually("the runner is gone and the session is cut") {
            sight.runners[session] == nil
                && sight.updates.contains { $0.type == .closed && $0.reason == "no longer shared" } ? true : nil
        }
    }

    @Test(
        "Stored by any process, it takes the runner from the other's maps and sessions; reconnecting, links and signing in again open nothing"
    )
    func life() async throws {
        let server = try await TestServer.start { $0.databasePollInterval = .milliseconds(100) }
        let run = try await TestRun(on: server)
        try await run.run(30)
        let (id, place, owner) = (await run.id, try await zone(of: run), await run.session.owner.id)
        let link = try await run.connection.call(TrackingLink.self, .init(session: id)).link
        let (client, account) = try await server.register()
        let (bystander, other) = try await server.register()
        let sights = [
            try await Sight(server, token: account.token), try await Sight(server, token: other.token),
            try await Sight(server),
        ]
        for sight in sights {
            #expect(try await look(sight, place, id) == nil)
            _ = try await eventually("it is seen") { sight.runners[id] }
        }
        try await store(account.account.id, owner, on: server)
        try await waitUntilCut(sights[0], id)
        _ = sights[0].takeMentions(of: id)
        let before = sights[1].runners[id]
        try await run.run(5)
        for sight in sights[1...] {
            _ = try await eventually("others see it move") {
                sight.runners[id].flatMap { $0.at != before?.at ? $0 : nil }
            }
        }
        // What it asks for now comes behind all that was pushed.
        let notFound = ErrorCode.notFound.rawValue
        #expect(try await sights[0].watch(session: id) == notFound)
        #expect(try await sights[0].watch(session: id, share: link.token) == notFound)
        #expect(sights[0].takeMentions(of: id) == 0 && sights[0].runners[id] == nil)
        #expect(try await sights[0].ask("tracking.session", #"{"session":\#(id)}"#).errorCode == notFound)
        // Again, from another connection; and as a guest's that signs in.
        let again = try await Sight(server, token: account.token)
        #expect(try await look(again, place, id) == notFound)
        let turncoat = try await Sight(server)
        #expect(try await look(turncoat, place, id) == nil)
        #expect(turncoat.runners[id] != nil)
        try await turncoat.ask("hello", #"{"token":"\#(account.token)"}"#)
        try await waitUntilCut(turncoat, id)
        for sight in [again, turncoat] {
            _ = sight.takeMentions(of: id)
            try await sight.ask("positions.view", #"{"box":null}"#)
            try await sight.view(place.box, zoom: 17)
            try await run.run(2)
            try await sight.ask("ping")
            #expect(sight.runners[id] == nil && sight.takeMentions(of: id) == 0)
        }
        // Somebody else on the same connection sees it, and the first one again does not.
        try await again.ask("hello", #"{"token":"\#(other.token)"}"#)
        #expect(try await look(again, place, id) == nil)
        _ = try await eventually("it is seen") { again.runners[id] }
        try await run.stop()
        #expect(try await sights[0].ask("tracking.session", #"{"session":\#(id)}"#).errorCode == notFound)
        #expect(try await again.ask("tracking.session", #"{"session":\#(id)}"#).errorCode == nil)
        for sight in sights + [again, turncoat] { sight.close() }
        for connection in [client, bystander, run.connection] { await connection.close() }
        await server.stop()
    }

    @Test("It is loaded before a server that starts serves anybody")
    func restart() async throws {
        let server = try await TestServer.start { $0.databasePollInterval = .seconds(3_600) }
        let run = try await TestRun(on: server)
        try await run.run(10)
        let (id, place, owner) = (await run.id, try await zone(of: run), await run.session.owner.id)
        let (client, account) = try await server.register()
        try await store(owner, account.account.id, on: server)
        await client.close()
        await run.connection.close()
        await server.stop()
        try await server.startAgain()
        let (sight, guest) = (try await Sight(server, token: account.token), try await Sight(server))
        try await guest.watch(zone: place.id)
        #expect(guest.runners[id] != nil)
        #expect(try await look(sight, place, id) == ErrorCode.notFound.rawValue)
        #expect(sight.runners[id] == nil)
        sight.close()
        guest.close()
        await server.stop()
    }

    @Test("Told at one node it holds at the other, long before that looks into the database", arguments: [true, false])
    func nodes(isAtOwner: Bool) async throws {
        let nodes = try await TwoNodes.start(pollInterval: .seconds(3_600))
        let run = try await TestRun(on: nodes.first)
        try await run.run(20)
        let (id, place, owner) = (await run.id, try await zone(of: run), await run.session.owner.id)
        let (client, account) = try await nodes.first.register()
        let sights = [
            try await Sight(nodes.second, token: account.token), try await Sight(nodes.first, token: account.token),
        ]
        for sight in sights {
            #expect(try await look(sight, place, id) == nil)
            _ = try await eventually("it is seen") { sight.runners[id] }
        }
        try await store(owner, account.account.id, on: nodes.first)
        let server = try #require(await (isAtOwner ? nodes.first : nodes.second).server)
        await server.environment.services.hub.blocks.set(owner, account.account.id, isOn: true)
        for sight in sights {
            try await waitUntilCut(sight, id)
            _ = sight.takeMentions(of: id)
        }
        let witness = try await Sight(nodes.second)
        try await witness.watch(zone: place.id)
        let before = witness.runners[id]
        try await run.run(5)
        _ = try await eventually("others see it move") {
            witness.runners[id].flatMap { $0.at != before?.at ? $0 : nil }
        }
        for sight in sights {
            #expect(try await sight.watch(session: id) == ErrorCode.notFound.rawValue)
            #expect(sight.runners[id] == nil && sight.takeMentions(of: id) == 0)
        }
        for sight in sights + [witness] { sight.close() }
        for connection in [client, run.connection] { await connection.close() }
        await nodes.stop()
    }
}
