import Foundation
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import Server

@Suite("Shares with viewers at two nodes")
struct SharingNodesTests {
    @Test("A stop cuts viewers of both nodes before it is answered, and nothing arrives after it")
    func stop() async throws {
        let nodes = try await TwoNodes.start()
        let stage = try await ShareStage(nodes.first)
        let viewers = [try await ChatPerson(nodes.first), try await ChatPerson(nodes.second)]
        try await stage.acquaint(viewers[0], viewers[1])
        let share = try await stage.start(.campus).share
        let moving = Task {
            for step in 0... {
                try Task.checkCancellation()
                try await stage.report(step)
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        for viewer in viewers {
            try await viewer.client.watch(share: share.id)
            try await viewer.client.waitUntilLive(share.id)
        }
        _ = try await eventually("both are counted") {
            try await stage.owner.client.call(SharingMine.self, .init()).shares.first?.watching == 2 ? true : nil
        }
        let receipt = try await stage.stop(share.id)
        #expect(Set(receipt.watches.compactMap(\.person?.account)) == Set(viewers.map(\.id)))
        for viewer in viewers {
            try await viewer.client.waitUntilClosed(share.id)
            let count = viewer.client.updates(of: share.id).count
            try await Task.sleep(for: .seconds(1))
            #expect(viewer.client.updates(of: share.id).count == count)
            #expect(try await viewer.client.watch(share: share.id).contains("1003"))
        }
        moving.cancel()
        _ = await moving.result
        await nodes.stop()
    }

    @Test("The exact position of a coarse share is in no message to the other node")
    func reduced() async throws {
        let nodes = try await TwoNodes.start()
        let stage = try await ShareStage(nodes.first)
        let viewer = try await ChatPerson(nodes.second)
        try await stage.report()
        let share = try await stage.start(.person, with: viewer, precision: .zone).share
        try await viewer.client.watch(share: share.id)
        _ = try await eventually("the look comes") {
            viewer.client.updates(of: share.id).contains { $0.state == .live } ? true : nil
        }
        let hub = try #require(await nodes.second.server).environment.services.hub
        #expect(
            await hub.shares.toldByOthers(share.id).allSatisfy {
                $0.location?.source == nil && $0.location?.lat != 41.7365
            })
        #expect(!viewer.client.hasLocation)
        await nodes.stop()
    }

    @Test(
        "Cut off from the bus, a node shows nothing after 5 s, and what was stopped meanwhile is closed there by PostgreSQL"
    )
    func cut() async throws {
        let nodes = try await TwoNodes.start()
        let stage = try await ShareStage(nodes.first)
        let viewer = try await ChatPerson(nodes.second)
        try await stage.report()
        let (kept, stopped) = (
            try await stage.start(.person, with: viewer).share, try await stage.start(.person, with: viewer).share
        )
        for share in [kept, stopped] {
            try await viewer.client.watch(share: share.id)
            _ = try await eventually("it is live") {
                viewer.client.updates(of: share.id).last?.state == .live ? true : nil
            }
        }
        await nodes.nats.kill()
        _ = try await stage.stop(stopped.id)
        try await viewer.client.waitUntilClosed(stopped.id)
        try await stage.report(100)
        _ = try await eventually("it is shown no more") {
            let last = viewer.client.updates(of: kept.id).last
            return last?.state == ShareState.none && last?.location == nil ? true : nil
        }
        try await nodes.nats.startAgain()
        try await nodes.waitUntilMet()
        try await stage.report(200)
        _ = try await eventually("it is back") { viewer.client.updates(of: kept.id).last?.state == .live ? true : nil }
        #expect(viewer.client.isClosed(stopped.id))
        await nodes.stop()
    }

    @Test(
        "Without PostgreSQL a stop is not answered as done, nothing of the share is told, and when it is back the stop holds"
    )
    func databaseAway() async throws {
        let nodes = try await TwoNodes.start()
        let stage = try await ShareStage(nodes.first)
        let viewers = [try await ChatPerson(nodes.first), try await ChatPerson(nodes.second)]
        try await stage.acquaint(viewers[0], viewers[1])
        try await stage.report()
        let share = try await stage.start(.campus).share
        for viewer in viewers {
            try await viewer.client.watch(share: share.id)
            try await viewer.client.waitUntilLive(share.id)
        }
        try await nodes.first.setDatabase(away: true)
        let refused = try await stage.owner.client.ask("sharing.stop", "{\"share\":\(share.id)}")
        #expect(refused.contains("error"))
        for viewer in viewers {
            _ = try await eventually("it is shown no more") {
                viewer.client.updates(of: share.id).last?.state == ShareState.none ? true : nil
            }
        }
        try await nodes.first.setDatabase(away: false)
        let receipt = try await eventually("it is stopped") { try? await stage.stop(share.id) }
        #expect(receipt.watches.count == 2 && receipt.watches.allSatisfy { $0.to != nil })
        for viewer in viewers { try await viewer.client.waitUntilClosed(share.id) }
        await nodes.stop()
    }
}

extension ShareFeed {
    /// What other nodes tell of a share.
    func toldByOthers(_ share: Int64) -> [ShownLocation] { registry.shares[share]?.others.values.map(\.shown) ?? [] }

    /// Where campus-wide shares are.
    var cellsOnMap: [(x: UInt32, y: UInt32)] { registry.onMap.keys.map { ($0.x, $0.y) } }
}
