import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

@Suite("Renaming and deleting sessions, over two nodes")
struct SessionEditingTests {
    @Test(
        "A title that was changed at one node shows at the other; a session that is deleted there leaves its maps, and its viewers by audience and by link are cut"
    )
    func elsewhere() async throws {
        let nodes = try await TwoNodes.start(pollInterval: .seconds(600))
        let (connection, account) = try await nodes.first.register()
        let run = try await TestRun(connection, account: account.account, audience: .public)
        let id = await run.id
        try await run.run(20)
        let link = try await connection.call(TrackingLink.self, .init(session: id)).link
        let (_, member) = try await nodes.second.register()
        let device = try await nodes.second.connect(token: account.token)
        let point = try #require(
            try await device.call(TrackingSession.self, .init(session: id)).route.last?.last)
        let box = [point.latitude - 0.01, point.longitude - 0.01, point.latitude + 0.01, point.longitude + 0.01]
        var sights: [(String, Sight)] = []
        for (name, server) in [("first", nodes.first), ("second", nodes.second)] {
            for (kind, token, share) in [("member", member.token, nil), ("guest", nil, link.token)]
                as [(String, String?, String?)]
            {
                let sight = try await Sight(server, token: token)
                try await sight.view(box, zoom: 15)
                _ = try await eventually("\(name), \(kind): it is there") {
                    try await sight.watch(session: id, share: share) == nil ? true : nil
                }
                sights.append(("\(name), \(kind)", sight))
            }
        }
        try await run.run(5)
        for (name, sight) in sights { _ = try await eventually("\(name) sees it") { sight.runners[id] } }

        _ = try await device.call(TrackingRename.self, .init(session: id, title: "Along the river"))
        for (name, sight) in sights {
            try await sight.receives("\(name) hears the title") { $0.session?.title == "Along the river" }
            _ = try await eventually("\(name) sees the title") {
                sight.runners[id]?.title == "Along the river" ? true : nil
            }
        }
        #expect(try await device.call(TrackingDelete.self, .init(session: id)).deleted == 1)
        for (name, sight) in sights {
            try await sight.receives("\(name) is cut") { $0.type == .closed }
            _ = try await eventually("\(name) sees it leave") { sight.runners[id] == nil ? true : nil }
            #expect(!sight.updates.contains { $0.type == .ended }, "\(name)")
            #expect(try await sight.watch(session: id, share: link.token) == ErrorCode.notFound.rawValue, "\(name)")
        }
        // The phone that tracks it is told that there is none.
        let refused = await #expect(throws: RPCError.self) { try await run.run(1) }
        #expect(refused?.registered == .notFound)
        for (_, sight) in sights { sight.close() }
        for one in [connection, device] { await one.close() }
        await nodes.stop()
    }
}
