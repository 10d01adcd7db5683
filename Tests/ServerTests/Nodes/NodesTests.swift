import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import Server

@Suite("Two nodes, one campus")
struct NodesTests {
    private func zone(of run: TestRun) async throws -> Int64 {
        let point = try #require(await run.next(1).first)
        let located = try await run.connection.call(
            CampusLocate.self, CampusLocate.Params(lat: point.lat, lon: point.lon))
        return try #require(located.zone?.id)
    }

    private func see(_ what: String, _ sight: Sight, _ id: Int64, _ body: (Runner) -> Bool = { _ in true }) async throws
        -> Runner
    {
        try await eventually(what) { sight.runners[id].flatMap { body($0) ? $0 : nil } }
    }

    @Test(
        "A spectator at one node sees a runner at the other enter, move and finish, and goes on seeing it when it reconnects to another"
    )
    func positions() async throws {
        let nodes = try await TwoNodes.start()
        let run = try await TestRun(on: nodes.first)
        let id = await run.id
        let zone = try await zone(of: run)
        let (here, there) = (try await Sight(nodes.first), try await Sight(nodes.second))
        for sight in [here, there] { try await sight.watch(zone: zone) }
        try await run.run(20)
        let seen = try await see("it enters", there, id)
        #expect(seen.state == .moving)
        #expect(seen == (try await see("it enters", here, id)))
        try await run.run(5)
        let moved = try await see("it moves", there, id) { $0.at != seen.at }
        #expect(moved.lat != seen.lat || moved.lon != seen.lon)
        // One who comes later sees it at once.
        let late = try await Sight(nodes.second)
        try await late.watch(zone: zone)
        #expect(late.runners[id] == moved)

        // The same phone, at the other node.
        let token = try await run.connection.call(
            AccountLogin.self,
            .init(email: "\(run.name)@example.org", password: TestServer.password)
        ).token
        let moved2 = try await nodes.second.connect(token: token)
        let next = await run.next(5)
        let result = try await moved2.call(TrackingPoints.self, .init(session: id, points: next))
        #expect(result.stored == 5)
        let again = try await see("it moves on, told by its new home", here, id) { $0.at != moved.at }
        #expect(again.distance == result.session.distance)
        // And back: what was in memory at the first node must not be taken up again.
        let back = try await run.run(5)
        #expect(back.session.points == 35)
        #expect(back.session.distance > result.session.distance)
        _ = try await see("it is home again", there, id) { $0.distance == back.session.distance }

        try await run.stop()
        for sight in [here, there, late] {
            _ = try await eventually("it leaves") { sight.runners[id] == nil ? true : nil }
            #expect(sight.left.last == .init(session: id, reason: .finished))
        }
        await moved2.close()
        await run.connection.close()
        await nodes.stop()
    }

    @Test("A map at one node shows runners at the other wherever it looks, and its node hears nothing of elsewhere")
    func viewports() async throws {
        let nodes = try await TwoNodes.start()
        let run = try await TestRun(on: nodes.first)
        try await run.run(10)
        let id = await run.id
        let place = try #require(await run.next(1).first)
        let map = try await Sight(nodes.second)
        func box(_ latitude: Double, _ longitude: Double) -> [Double] {
            [latitude - 0.002, longitude - 0.002, latitude + 0.002, longitude + 0.002]
        }
        for zoom in [17.0, 15, 13] {
            try await map.view(box(place.lat, place.lon), zoom: zoom)
            _ = try await see("it is in view at \(zoom)", map, id)
            try await map.view(box(place.lat + 1, place.lon), zoom: zoom)
            #expect(map.runners.isEmpty)
        }
        // A wide view hears of all cells.
        try await map.view([place.lat - 1, place.lon - 1, place.lat + 1, place.lon + 1], zoom: 8)
        _ = try await see("it is in the wide view", map, id)
        try await map.view(box(place.lat + 1, place.lon), zoom: 17)
        let hub = try #require(await nodes.second.server).environment.services.hub
        let other = try #require(await nodes.first.server).environment.services.hub
        _ = try await eventually("its copy is gone") {
            await hub.sessions.hasCopy(of: id) ? nil : true
        }
        _ = try await eventually("the other is told") { await other.sessions.isAskedForAll ? nil : true }
        map.close()
        await run.connection.close()
        await nodes.stop()
    }

    @Test("Narrowing the audience at one node hides at the other at once, whichever way somebody asks there")
    func audience() async throws {
        let nodes = try await TwoNodes.start()
        let run = try await TestRun(on: nodes.first)
        let id = await run.id
        let zone = try await zone(of: run)
        let guest = try await Sight(nodes.second)
        let (_, account) = try await nodes.second.register()
        let member = try await Sight(nodes.second, token: account.token)
        for sight in [guest, member] { try await sight.watch(zone: zone) }
        try await run.run(20)
        for sight in [guest, member] {
            _ = try await eventually("it is there for others once it was seen") {
                try await sight.watch(session: id) == nil ? true : nil
            }
        }
        for sight in [guest, member] { _ = try await see("it enters", sight, id) }

        try await run.connection.call(TrackingAudience.self, .init(session: id, audience: .campus))
        _ = try await eventually("the guest is told") { guest.runners[id] == nil ? true : nil }
        #expect(guest.left.last?.reason == .hidden)
        _ = try await eventually("its watch is closed") { guest.updates.last?.type == .closed ? true : nil }
        _ = guest.takeMentions(of: id)
        let result = try await run.run(5)
        _ = try await see("members see it move", member, id) { $0.distance == result.session.distance }
        // As an attacker would: every way there is.
        #expect(try await guest.watch(session: id) == ErrorCode.notFound.rawValue)
        let other = try await Sight(nodes.second)
        try await other.watch(zone: zone)
        let place = try #require(await run.next(1).first)
        try await other.view([place.lat - 0.01, place.lon - 0.01, place.lat + 0.01, place.lon + 0.01], zoom: 15)
        #expect(try await guest.ask("tracking.session", #"{"session":\#(id)}"#).errorCode != nil)

        // The owner's laptop is at the other node: the phone's node must obey as well.
        let token = try await run.connection.call(
            AccountLogin.self, .init(email: "\(run.name)@example.org", password: TestServer.password)
        ).token
        let laptop = try await nodes.second.connect(token: token)
        let local = try await Sight(nodes.first, token: account.token)
        try await local.watch(zone: zone)
        _ = try await see("a member at the phone's node sees it", local, id)
        try await laptop.call(TrackingAudience.self, .init(session: id, audience: .private))
        for sight in [member, local] {
            _ = try await eventually("members are told") { sight.runners[id] == nil ? true : nil }
        }
        for sight in [guest, member, local, other] { _ = sight.takeMentions(of: id) }
        try await run.run(5)
        // A public run that moves behind it has been told of: so would this one.
        let witness = try await TestRun(on: nodes.first)
        try await witness.run(5)
        let witnessID = await witness.id
        for sight in [guest, member, local] { _ = try await see("the witness is seen", sight, witnessID) }
        for sight in [guest, member, local, other] { #expect(sight.takeMentions(of: id) == 0) }
        for sight in [guest, member, local, other] { sight.close() }
        for connection in [laptop, run.connection, witness.connection] { await connection.close() }
        await nodes.stop()
    }

    @Test("Signing out everywhere at one node closes the account's connections at the other")
    func tokens() async throws {
        let nodes = try await TwoNodes.start(pollInterval: .seconds(3_600))
        let (connection, account) = try await nodes.first.register()
        let other = try await Sight(nodes.second, token: account.token)
        try await connection.call(AccountLogoutEverywhere.self, .init())
        _ = try await eventually("it is closed") {
            other.closeCode == Int(CampanileCloseCode.tokenRevoked.rawValue) ? true : nil
        }
        await #expect(throws: (any Error).self) { try await nodes.second.connect(token: account.token) }
        await connection.close()
        await nodes.stop()
    }

    @Test("A session is watched at another node: its route, what it grows by, and its end; a revoked link is cut there")
    func session() async throws {
        let nodes = try await TwoNodes.start()
        let run = try await TestRun(on: nodes.first, audience: .private)
        try await run.run(30)
        let id = await run.id
        let link = try await run.connection.call(TrackingLink.self, .init(session: id)).link
        let (guest, spared) = (try await Sight(nodes.second), try await Sight(nodes.second))
        let second = try await run.connection.call(TrackingLink.self, .init(session: id)).link
        #expect(try await guest.watch(session: id) == ErrorCode.notFound.rawValue)
        #expect(try await guest.watch(session: id, share: link.token) == nil)
        #expect(try await spared.watch(session: id, share: second.token) == nil)
        let snapshot = try #require(guest.snapshots.first)
        #expect(snapshot.route.flatMap { $0 }.count > 15)
        #expect(snapshot.runner != nil)
        for round in 1...3 {
            let result = try await run.run(3)
            _ = try await eventually("it grows, \(round)") {
                guest.updates.last?.session?.points == result.session.points ? true : nil
            }
        }
        let known = guest.updates.reduce(snapshot.route.flatMap { $0 }) { known, update in
            update.route?.flatMap { $0 } ?? known + (update.append ?? [])
        }
        let local = try await Sight(nodes.first)
        #expect(try await local.watch(session: id, share: link.token) == nil)
        #expect(local.snapshots.first?.route.flatMap { $0 }.count == known.count)

        try await run.connection.call(TrackingUnlink.self, .init(session: id, link: link.id))
        _ = try await eventually("it is cut") { guest.updates.last?.type == .closed ? true : nil }
        let count = guest.updates.count
        let result = try await run.run(3)
        _ = try await eventually("the other link goes on") {
            spared.updates.last?.session?.points == result.session.points ? true : nil
        }
        #expect(guest.updates.count == count)
        #expect(try await guest.watch(session: id, share: link.token) == ErrorCode.notFound.rawValue)
        try await run.stop()
        _ = try await eventually("it ends") { spared.updates.last?.type == .ended ? true : nil }
        for sight in [guest, spared, local] { sight.close() }
        await run.connection.close()
        await nodes.stop()
    }
}
