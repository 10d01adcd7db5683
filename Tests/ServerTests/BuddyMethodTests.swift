import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

@Suite("Buddies over the wire")
struct BuddyMethodTests {
    @Test("Two clients go the whole way: rules, profile, deck, match, list, report, block")
    func wholeWay() async throws {
        let server = try await TestServer.start()
        var people: [(connection: CampanileConnection, account: Int64)] = []
        for name in ["Ana", "Ben"] {
            let (connection, signedIn) = try await server.register()
            let options = try await connection.call(BuddiesOptions.self, Empty())
            #expect(
                options.agreed == nil
                    && options.rules.map(\.title).starts(with: ["Be Motivated", "Build Your Own Community", "Have Fun"])
            )
            _ = try await connection.call(BuddiesAgree.self, .init(version: options.rulesVersion))
            _ = try await connection.call(
                ProfileSave.self, Profile(firstName: name, lastName: "Souza", birthday: "1999-12-31", gender: .other))
            let saved = try await connection.call(BuddiesSave.self, BuddyProfile(goals: [options.goals.options[0].id]))
            #expect(saved.preview?.name == name)
            people.append((connection, signedIn.account.id))
        }
        let (ana, ben) = (people[0], people[1])
        let cards = try await ana.connection.call(BuddiesSuggestions.self, .init()).cards
        #expect(cards.map(\.account) == [ben.account] && cards[0].name == "Ben" && cards[0].shared == ["build-muscle"])
        _ = try await ana.connection.call(BuddiesDecide.self, .init(account: ben.account, accept: true))
        let match = try await ben.connection.call(BuddiesDecide.self, .init(account: ana.account, accept: true))
        let list = try await ana.connection.call(BuddiesList.self, Empty()).buddies
        #expect(list.map(\.person.name) == ["Ben Souza"] && list[0].conversation == match.conversation)
        _ = try await ana.connection.call(
            SafetyReport.self, .init(id: UUID().uuidString, account: ben.account, reason: .other))
        await #expect { try await ana.connection.call(ReportsList.self, .init()) } throws: {
            ($0 as? RPCError)?.registered == .forbidden
        }
        _ = try await ana.connection.call(SafetyBlock.self, .init(account: ben.account))
        #expect(try await ben.connection.call(BuddiesList.self, Empty()).buddies.isEmpty)
        #expect(
            try await ana.connection.call(SafetyBlocked.self, Empty()).blocked.map(\.person.account) == [ben.account])
        for one in people { await one.connection.close() }
        await server.stop()
    }

    @Test("A guest has no profile and no deck, blocks nobody and reports nobody")
    func guests() async throws {
        let server = try await TestServer.start()
        let socket = try await RawWebSocket(port: server.port)
        let params = #"{"account":1,"version":1,"accept":true}"#
        for method in [
            "profile.get", "buddies.options", "buddies.deck", "buddies.decide", "safety.block", "reports.list",
        ] {
            try await socket.request(1, method, params)
            #expect(try await socket.reply().errorCode == ErrorCode.unauthenticated.rawValue, "\(method)")
        }
        await server.stop()
    }
}
