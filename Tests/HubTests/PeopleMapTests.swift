import Campus
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import HubCore

/// The map of people on one node: turns, connections that are slow, and pins.
extension ShareTests {
    private func cell() throws -> Cell {
        Cell(containing: try GeoPoint(latitude: 1, longitude: 0.0001), zoom: Topic.peopleZoom)
    }

    /// Looks at the cell where people report in these tests.
    private func look(as account: Int64) async throws -> (viewer: RecordingViewer, first: PeopleUpdate) {
        let viewer = stage.viewer()
        try await stage.hub.shares.subscribe(viewer, toPeople: try cell(), as: account) { picture in
            (try? WireJSON.encode(Push(topic: "people", data: picture))) ?? []
        }
        return (viewer, try #require(try await pictures(viewer).first))
    }

    private func refresh(_ viewer: RecordingViewer) async throws {
        await stage.hub.refresh(viewer, topics: [.people(try cell())], isSlow: false)
    }

    @Test(
        "Whoever comes to look makes no turn for the others: they have what these have, and all the rest with the next one"
    )
    func comingToLook() async throws {
        await stage.hub.shares.sweepOnlyOnDemand()
        let first = await share(.exact, id: 1, audience: .campus, owner: 1_001)
        try await report(0.0001, owner: 1_001)
        await stage.hub.shares.changed(first)
        let early = try await look(as: 5)
        #expect(early.first.people.map(\.share) == [1])
        let second = await share(.exact, id: 2, audience: .campus, owner: 1_002)
        try await report(0.0001, owner: 1_002)
        await stage.hub.shares.changed(second)
        let late = try await look(as: 6)
        #expect(late.first.people.map(\.share) == [1])
        #expect(await early.viewer.take().isEmpty)
        stage.clock.advance(bySeconds: 1)
        await stage.hub.shares.runSweep()
        for viewer in [early.viewer, late.viewer] {
            #expect(try await pictures(viewer).map { $0.people.map(\.share) } == [[2]])
        }
        // Whoever looks when the turn is late makes it.
        try await report(0.0001, latitude: 51, owner: 1_002)
        stage.clock.advance(bySeconds: 2)
        #expect(try await look(as: 7).first.people.map(\.share) == [1])
        #expect(try await pictures(early.viewer).map(\.left) == [[2]])
    }

    @Test(
        "Of an account with a block, no connection keeps somebody who left because another one was sent all of it meanwhile"
    )
    func connectionsApart() async throws {
        await stage.hub.shares.sweepOnlyOnDemand()
        for owner in [1_001, 1_002, 1_003] as [Int64] {
            let share = await share(.exact, id: owner - 1_000, audience: .campus, owner: owner)
            try await report(0.0001, owner: owner)
            await stage.hub.shares.changed(share)
        }
        await stage.hub.blocks.set(7, 1_002, isOn: true)
        let devices = [try await look(as: 7), try await look(as: 7), try await look(as: 7)]
        for device in devices { #expect(device.first.people.map(\.share) == [1, 3]) }
        stage.clock.advance(bySeconds: 2)
        try await report(0.0001, latitude: 51, owner: 1_001)
        try await refresh(devices[0].viewer)
        // One of three goes: the others still have theirs.
        await stage.hub.unsubscribe(devices[2].viewer, topic: .people(try cell()))
        await stage.hub.shares.runSweep()
        for device in devices.prefix(2) {
            let last = try #require(try await pictures(device.viewer).last)
            #expect(last.full == true && last.people.map(\.share) == [3])
        }
        #expect(await devices[2].viewer.take().isEmpty)
    }

    @Test("A connection that catches up is sent no position of a share whose time is up, before the clock has ended it")
    func catchingUp() async throws {
        await stage.hub.shares.sweepOnlyOnDemand()
        let share = await share(.exact, audience: .campus)
        try await report(0.0001)
        await stage.hub.shares.changed(share)
        let viewer = try await watch(share)
        let mapViewer = try await look(as: 5).viewer
        _ = try await updates(viewer)
        stage.clock.advance(bySeconds: 7_201)
        await stage.hub.refresh(viewer, topics: [.share(share.id)], isSlow: false)
        try await refresh(mapViewer)
        let received = try await updates(viewer)
        #expect(received.map(\.state) == [ShareState.none] && received.allSatisfy { $0.location == nil })
        #expect(try await pictures(mapViewer).map(\.people.count) == [0])
    }

    @Test(
        "A pin is kept for its 2 hours without a report, and 15 minutes behind the last one that came, not for 2 hours more"
    )
    func pinKept() async throws {
        await stage.hub.shares.sweepOnlyOnDemand()
        _ = await share(.exact)
        func pin() async throws {
            try await stage.hub.shares.locate(
                LocatedFix(
                    point: try GeoPoint(latitude: 1, longitude: 0.1), accuracy: 5, heading: nil, speed: nil,
                    source: .manual, at: stage.clock.now), of: 9)
        }
        try await pin()
        stage.clock.advance(bySeconds: 7_199)
        await stage.hub.shares.runSweep()
        #expect(await stage.hub.shares.location(of: 9) != nil)
        stage.clock.advance(bySeconds: 2)
        await stage.hub.shares.runSweep()
        #expect(await stage.hub.shares.location(of: 9) == nil)
        try await pin()
        stage.clock.advance(bySeconds: 7_100)
        try await report(0.3)
        stage.clock.advance(bySeconds: 899)
        await stage.hub.shares.runSweep()
        #expect(await stage.hub.shares.location(of: 9)?.position.longitude == 0.1)
        stage.clock.advance(bySeconds: 2)
        await stage.hub.shares.runSweep()
        #expect(await stage.hub.shares.location(of: 9) == nil)
    }
}
