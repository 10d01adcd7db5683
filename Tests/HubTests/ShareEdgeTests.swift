import Campus
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import HubCore

extension ShareTests {
    @Test(
        "What becomes dark where somebody is, without a word to this hub, is hidden within a second, at each precision and on the map",
        arguments: [Wire.Precision.exact, .building, .zone])
    func darkAfterwards(precision: Wire.Precision) async throws {
        let share = await share(precision, audience: .campus)
        try await report(0.0001)
        await stage.hub.shares.changed(share)
        let (viewer, mapViewer) = (try await watch(share), stage.viewer())
        let cell = Cell(
            containing: try GeoPoint(latitude: 1, longitude: precision == .exact ? 0.0001 : 1), zoom: Topic.peopleZoom)
        try await stage.hub.shares.subscribe(mapViewer, toPeople: cell, as: 3) { _ in Array("{}".utf8) }
        await stage.hub.shares.runSweep()
        _ = (try await updates(viewer), await mapViewer.take())
        rules.setBorder(0.5)
        stage.clock.advance(bySeconds: 1)
        await stage.hub.shares.runSweep()
        let received = try await updates(viewer)
        #expect(received.map(\.state) == [.hidden] && received.allSatisfy { $0.location == nil })
        #expect(try await pictures(mapViewer).last?.left == [share.id])
        // And light again.
        rules.setBorder(50)
        stage.clock.advance(bySeconds: Double(share.precision.samplingSeconds))
        await stage.hub.shares.runSweep()
        #expect(try await updates(viewer).last?.location != nil)
    }

    @Test(
        "Whoever comes into the dark is hidden, however near to where they stood before and however badly it is measured"
    )
    func darkNearby() async throws {
        let share = await share(.exact)
        rules.setBorder(1.0002)
        try await report(0.1, speed: 0, accuracy: 10)
        await stage.hub.shares.changed(share)
        let viewer = try await watch(share)
        _ = try await updates(viewer)
        stage.clock.advance(bySeconds: 10)
        // 33 m north: as near as standing still is.
        try await report(0.1, latitude: 1.0003, speed: 0, accuracy: 20)
        let received = try await updates(viewer)
        #expect(received.map(\.state) == [.hidden] && received.allSatisfy { $0.location == nil })
    }

    @Test(
        "A coarser precision is on the map of people when it is answered, and nobody who comes then gets the exact position"
    )
    func coarserOnMap() async throws {
        var share = await share(.exact, audience: .campus)
        try await report(0.0001)
        await stage.hub.shares.changed(share)
        let viewer = stage.viewer()
        let cell = Cell(containing: try GeoPoint(latitude: 1, longitude: 0.0001), zoom: Topic.peopleZoom)
        try await stage.hub.shares.subscribe(viewer, toPeople: cell, as: 3) { _ in Array("{}".utf8) }
        _ = await viewer.take()
        stage.clock.advance(bySeconds: 0.1)
        share.precision = .zone
        share.chosenAt = stage.clock.now
        share.version += 1
        memory.store(share)
        await stage.hub.shares.changed(share)
        // No turn of the map's clock in between.
        #expect(try await pictures(viewer).map(\.left) == [[share.id]])
        let picture = Mutex<PeopleUpdate?>(nil)
        try await stage.hub.shares.subscribe(stage.viewer(), toPeople: cell, as: 4) { update in
            picture.withLock { $0 = update }
            return Array("{}".utf8)
        }
        #expect(picture.withLock { $0?.people.isEmpty } == true)
    }

    @Test("A look that was due while a share was exact is not done after it became coarse")
    func lookOfBefore() async throws {
        var share = await share(.exact)
        try await report(0.1)
        await stage.hub.shares.changed(share)
        let viewer = try await watch(share)
        // Sooner than a second after the last: due later, by the real clock.
        try await report(0.2)
        share.precision = .building
        share.chosenAt = stage.clock.now
        share.version += 1
        memory.store(share)
        await stage.hub.shares.changed(share)
        _ = try await updates(viewer)
        stage.clock.advance(bySeconds: 0.2)
        try await report(-0.3)
        try await Task.sleep(for: .milliseconds(1_300))
        #expect(try await updates(viewer).isEmpty)
    }

    @Test(
        "Who left a group while they were let in gets nothing of what is shared there, and after a while may come again"
    )
    func leftMeanwhile() async throws {
        let share = await share(.exact, audience: .group, group: 77)
        try await report(0.1)
        await stage.hub.shares.changed(share)
        await stage.hub.shares.leftGroup(77, [1])
        await #expect(throws: ShareFeed.ShareClosed.self) { _ = try await watch(share) }
        stage.clock.advance(bySeconds: ShareLimits.leftSeconds + 1)
        _ = try await watch(share)
    }

    @Test("A share whose time was up here first, and was made longer before, goes on")
    func longerAfterAll() async throws {
        var share = await share(.exact)
        try await report(0.1)
        await stage.hub.shares.changed(share)
        let viewer = try await watch(share)
        stage.clock.advance(bySeconds: 7_201)
        await stage.hub.shares.runSweep()
        #expect(try await updates(viewer).last?.type == .closed)
        share.expiresAt = stage.clock.now.advanced(bySeconds: 600)
        share.version += 1
        memory.store(share)
        try await report(0.1)
        await stage.hub.shares.changed(share)
        _ = try await watch(share)
    }

    @Test(
        "What was in doubt is told again when it was read; what ended without a word ends with the next look at PostgreSQL"
    )
    func markInDoubt() async throws {
        let share = await share(.exact)
        try await report(0.1)
        await stage.hub.shares.changed(share)
        let viewer = try await watch(share)
        _ = try await updates(viewer)
        await stage.hub.shares.markInDoubt([share.id])
        #expect(try await updates(viewer).map(\.state) == [ShareState.none])
        await stage.hub.shares.changed(share)
        #expect(try await updates(viewer).map(\.state) == [.live])
        let looking = Task { await stage.hub.shares.confirmRegularly() }
        memory.end(share.id)
        var received: [ShareUpdate] = []
        for _ in 0..<600 where received.isEmpty {
            try await Task.sleep(for: .milliseconds(50))
            received = try await updates(viewer)
        }
        #expect(received.map(\.type) == [.closed])
        looking.cancel()
    }

    @Test(
        "A block cuts who came by a link as a guest and signed in since, whoever of the two makes it",
        arguments: [true, false])
    func signedInSince(isByOwner: Bool) async throws {
        let share = await share(.exact, audience: .link)
        try await report(0.1)
        await stage.hub.shares.changed(share)
        let viewer = stage.viewer()
        try await stage.hub.shares.watch(
            viewer, share, account: nil, opening: 1, byLink: true, reply: RecordingViewer.reply(.share(share.id)))
        await stage.hub.signIn(viewer, as: 7)
        _ = try await updates(viewer)
        await stage.hub.blocks.set(isByOwner ? 9 : 7, isByOwner ? 7 : 9, isOn: true)
        #expect(try await updates(viewer).map(\.type) == [.closed])
        stage.clock.advance(bySeconds: 2)
        try await report(0.2)
        #expect(try await updates(viewer).isEmpty)
    }

    func pictures(_ viewer: RecordingViewer) async throws -> [PeopleUpdate] {
        await viewer.take().flatMap(\.messages).compactMap {
            try? WireJSON.decode(Push<PeopleUpdate>.self, from: RecordingViewer.payload(of: $0.frame)).params.data
        }
    }
}
