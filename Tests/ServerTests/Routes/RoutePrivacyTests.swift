import Foundation
import TestSupport
import Testing
import Wire

@testable import Server

/// Routes to people, and walks of others, by those who are to get nothing.
@Suite("Routes disclose nothing (B-4, B-9)")
struct RoutePrivacyTests {
    @Test(
        "A route leads to a person who shares exactly with the caller at the moment, is in the access log, and for all others there is no such person"
    )
    func people() async throws {
        let stage = try await RouteStage.start()
        let (owner, friend, other) = (
            try await ChatPerson(stage.server), try await ChatPerson(stage.server), try await ChatPerson(stage.server)
        )
        let from = try stage.room(RouteStage.upperRoom)
        let request = RoutesFind.Params(from: from, to: .init(person: owner.id))
        let gate = try RouteStage.gate()
        func report() async throws {
            _ = try await owner.client.call(
                LocationReport.self, .init(lat: gate.lat ?? 0, lon: gate.lon ?? 0, accuracy: 5, source: .gps))
        }
        func share(with person: ChatPerson, _ precision: Precision) async throws -> Int64 {
            try await owner.client.call(
                SharingStart.self,
                .init(
                    clientId: UUID().uuidString, audience: .person, username: person.username, precision: precision,
                    expiresIn: 600)
            ).share.id
        }
        try await owner.introduce("Owner")
        for person in [friend, other] {
            try await person.introduce("Friend")
            try await owner.match(person)
        }
        try await report()
        let unknown = try #require(
            try await friend.client.refusal(RoutesFind.self, .init(from: from, to: .init(person: 9_000_000))))
        #expect(unknown.code == 1003)
        // Nothing is shared; the caller is a guest; the share is not exact.
        let guest = try await ChatClient(stage.server)
        #expect(try await friend.client.refusal(RoutesFind.self, request) == unknown)
        #expect(try await guest.refusal(RoutesFind.self, request) == unknown)
        _ = try await share(with: other, .zone)
        #expect(try await other.client.refusal(RoutesFind.self, request) == unknown)
        // Shared exactly.
        let exact = try await share(with: friend, .exact)
        let route = try await eventually("a route to the person") {
            try? await friend.client.call(RoutesFind.self, request).routes.first
        }
        let end = try #require(route.points.last)
        #expect(abs(end.lat - (gate.lat ?? 0)) < 0.001 && abs(end.lon - (gate.lon ?? 0)) < 0.001)
        let receipt = try await owner.client.call(SharingReceiptGet.self, .init(share: exact))
        #expect(receipt.watches.contains { $0.person?.account == friend.id }, "\(receipt)")
        #expect(try await other.client.refusal(RoutesFind.self, request) == unknown)
        #expect(try await owner.client.refusal(RoutesFind.self, request) == unknown)
        // It has ended, and a walk neither.
        _ = try await owner.client.call(SharingStop.self, .init(share: exact))
        #expect(try await friend.client.refusal(RoutesFind.self, request) == unknown)
        let walk = RoutesWalk.Params(from: from, to: .init(person: owner.id))
        #expect(try await friend.client.refusal(RoutesWalk.self, walk) == unknown)
        await stage.stop()
    }

    @Test(
        "A walk is its owner's alone: nobody else subscribes, moves, resumes or ends it, each answer is that for a walk that does not exist"
    )
    func walks() async throws {
        let stage = try await RouteStage.start()
        let (owner, attacker) = (try await ChatPerson(stage.server), try await ChatPerson(stage.server))
        let guest = try await ChatClient(stage.server)
        let params = RoutesWalk.Params(
            from: try RouteStage.gate(), to: try stage.room(RouteStage.upperRoom), preferences: .init(stepFree: true))
        let walk = try await owner.client.call(RoutesWalk.self, params).walk
        let none = UUID().uuidString.lowercased()
        for client in [attacker.client, guest] {
            for method in ["routes.move", "routes.resume", "routes.end"] {
                func ask(_ id: String) async throws -> String {
                    try await client.ask(method, #"{"walk":"\#(id)","lat":51.5,"lon":8}"#)
                }
                #expect(try await ask(walk) == ask(none), "\(method)")
            }
            for id in [walk, none] {
                let answer = try await client.ask("subscribe", #"{"topic":"route/\#(id)"}"#)
                #expect(answer.contains("-32602"), "\(answer)")
                #expect(!(try await client.ask("topic.history", #"{"topic":"route/\#(id)"}"#)).contains("result"))
            }
        }
        // It still works for its owner, and a break reaches nobody else.
        let admin = try await Official(stage.server, .admin)
        for lift in stage.lifts.prefix(2) {
            _ = try await admin.client.call(AdminSaveClosure.self, .init(id: UUID().uuidString, object: lift))
        }
        _ = try await owner.client.update(of: walk, version: 2)
        for client in [attacker.client, guest, admin.client] {
            #expect(!client.frames.contains { $0.contains("\"route/\(walk)\"") && $0.contains("\"push\"") })
        }
        await stage.stop()
    }

    @Test("Nothing of a walk is in the log, in the database or in an export, and its owner's erasure ends it")
    func traces() async throws {
        let log = RecordedLog()
        let server = try await TestServer.start(logger: log.logger, hasRoutes: true) { $0.rateLimits = .off }
        let stage = try await RouteStage(server)
        let owner = try await ChatPerson(server)
        let gate = try RouteStage.gate()
        let walk = try await owner.client.call(
            RoutesWalk.self, .init(from: gate, to: try stage.room(RouteStage.upperRoom))
        ).walk
        _ = try await owner.client.refusal(RoutesMove.self, .init(walk: walk, lat: 3.1234567, lon: 4.7654321))
        let database = try await server.database()
        defer { database.close() }
        let tables = try await database.query(
            "SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' AND c.relkind = 'r'"
        )
        for table in try tables.map({ try $0.text("name") }) where table != "spatial_ref_sys" {
            let rows = try await database.query(
                "SELECT count(*) AS n FROM \(table) t WHERE t::text ILIKE '%' || $1 || '%' OR t::text LIKE '%3.1234567%'",
                [.text(walk)])
            #expect(try rows[0].int("n") == 0, "\(table)")
        }
        #expect(!log.lines.contains { $0.contains(walk) || $0.contains("3.1234567") })
        #expect(try await server.server?.environment.services.routes.walkCount == 1)
        _ = try await owner.client.call(
            AccountDelete.self, .init(password: TestServer.password, username: owner.username))
        _ = try await eventually("no walk") {
            await server.server?.environment.services.routes.walkCount == 0 ? true : nil
        }
        await server.stop()
    }
}
