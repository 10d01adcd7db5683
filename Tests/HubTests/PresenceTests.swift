import TestSupport
import Testing
import Wire

@testable import Hub
@testable import HubCore

@Suite("A runner's presence")
struct PresenceTests {
    let stage = Stage()

    private var runner: Runner? {
        get async { await stage.hub.sessions.shown(1)?.runner }
    }

    @Test("A runner is moving, stationary or paused, and has speed and heading only while moving")
    func states() async throws {
        await stage.place(1, zone: 7)
        #expect(await runner?.state == .moving)
        #expect(await runner?.speed == 3)
        #expect(await runner?.heading == 90)
        #expect(await runner?.rate == 1)
        await stage.hub.sessions.move(stage.session(1), fix: stage.fix(7, isStationary: true), append: [])
        #expect(await runner?.state == .stationary)
        #expect(await runner?.speed == 0)
        #expect(await runner?.heading == nil)
        await stage.hub.sessions.update(stage.session(1, state: .paused))
        #expect(await runner?.state == .paused)
        #expect(await runner?.rate == 0)
    }

    @Test(
        "A runner is offline after 15 s without a point: it says so, keeps the age of the fix, and is back with the next point"
    )
    func offline() async throws {
        await stage.place(1, zone: 7)
        let fixed = stage.clock.now
        let viewer = stage.viewer()
        try await stage.watch(viewer, zone: 7)
        _ = await viewer.take()
        stage.clock.advance(bySeconds: 15)
        await stage.hub.sessions.sweep()
        await stage.hub.tickNow()
        #expect(await viewer.take().isEmpty)
        stage.clock.advance(bySeconds: 0.001)
        await stage.hub.sessions.sweep()
        await stage.hub.tickNow()
        let update = try #require(try await viewer.zoneUpdates().first)
        #expect(update.runners.map(\.state) == [.offline])
        #expect(update.runners.first?.at == fixed)
        #expect(update.serverTime.seconds(since: fixed) == 15.001)
        await stage.hub.sessions.sweep()
        await stage.hub.tickNow()
        #expect(await viewer.take().isEmpty)
        await stage.hub.sessions.move(stage.session(1), fix: stage.fix(7), append: [])
        await stage.hub.tickNow()
        #expect(try await viewer.zoneUpdates().flatMap(\.runners).map(\.state) == [.moving])
    }

    @Test("A runner is not offline while paused, however long")
    func pausedForLong() async throws {
        await stage.place(1, zone: 7)
        await stage.hub.sessions.update(stage.session(1, state: .paused))
        stage.clock.advance(bySeconds: 3_600)
        await stage.hub.sessions.sweep()
        #expect(await runner?.state == .paused)
    }

    @Test("A runner is offline after a restart of the server until the next point")
    func restored() async throws {
        await stage.hub.sessions.begin(stage.session(1), rate: 1, route: [[LatLon(0, 0)]], fix: stage.fix(7))
        #expect(await runner?.state == .offline)
        let viewer = stage.viewer()
        try await stage.watch(viewer, zone: 7)
        guard case .zoneSnapshot(let snapshot)? = try await viewer.events().first else {
            Issue.record("no snapshot")
            return
        }
        #expect(snapshot.runners.map(\.state) == [.offline])
        #expect(snapshot.trails == ["1": [LatLon(0, 0)]])
        await stage.hub.sessions.update(stage.session(1))
        #expect(await runner?.state == .moving)
    }

    @Test("a change of the audience is not a word from the runner")
    func audienceIsNotHeard() async throws {
        await stage.place(1, zone: 7)
        stage.clock.advance(bySeconds: 31)
        await stage.hub.sessions.sweep()
        await stage.hub.sessions.changeAudience(stage.session(1, .campus))
        #expect(await runner?.state == .offline)
    }
}

@Suite("A subscriber")
struct SubscriberTests {
    let stage = Stage()

    @Test("A subscriber may watch 512 topics, and one more when it leaves one")
    func limit() async throws {
        let viewer = stage.viewer()
        for zone in 1...Int64(HubCore.subscriptionsMax) { try await stage.watch(viewer, zone: zone) }
        try await stage.watch(viewer, zone: 1)
        let error = await #expect(throws: RPCError.self) { try await stage.watch(viewer, zone: 1_000) }
        #expect(error?.registered == .rateLimited)
        #expect(await stage.hub.sessions.watchedZoneCount == HubCore.subscriptionsMax)
        await stage.hub.unsubscribe(viewer, topic: .zonePositions(5))
        try await stage.watch(viewer, zone: 1_000)
        await stage.hub.disconnect(viewer)
        #expect(await stage.hub.subscriberTablesAreEmpty)
        #expect(await stage.hub.subscriberTablesAreEmpty)
    }

    @Test(
        "A subscriber leaves nothing behind when it unsubscribes or disconnects, also twice, and receives nothing more")
    func leaving() async throws {
        await stage.place(1, zone: 7)
        let viewer = stage.viewer()
        let gone = stage.viewer(Stage.secondLoop)
        for one in [viewer, gone] {
            try await stage.watch(one, zone: 7)
            try await stage.watch(one, session: 1)
            _ = await one.take()
        }
        for _ in 0..<2 {
            await stage.hub.unsubscribe(viewer, topic: .zonePositions(7))
            await stage.hub.unsubscribe(viewer, topic: .session(1))
            await stage.hub.disconnect(gone)
        }
        #expect(await stage.hub.subscriberTablesAreEmpty)
        await stage.hub.sessions.move(stage.session(1), fix: stage.fix(7), append: [])
        await stage.hub.tickNow()
        #expect(await viewer.take().isEmpty)
        #expect(await gone.take().isEmpty)
        await stage.hub.disconnect(viewer)
        #expect(await stage.hub.subscriberTablesAreEmpty)
    }
}

@Suite("A topic's name")
struct TopicTests {
    @Test(
        "A topic's name is read back as it was written",
        arguments: [
            Topic.zonePositions(7), .session(42), .session(WireLimit.numberMax), .campusNotices, .zoneNotices(7),
            .heatmap, .test(1), .test(1_000),
        ])
    func roundTrip(topic: Topic) { #expect(Topic(topic.description) == topic) }

    @Test(
        "A topic's name that does not exist is nil",
        arguments: [
            "", "zone", "zone/7", "zone/7/", "zone/7/positions/", "zone//positions", "zone/07/positions",
            "zone/0/positions",
            "zone/-1/positions", "zone/+1/positions", "session/", "session/x", "session/1/", "session/1/x", "session/٣",
            "campus", "campus/notices/", "campus/1/notices", "zone/notices", "zone/07/notices", "test/0", "test/01",
            "test/1001",
            "session/9007199254740992", "session/9223372036854775808", "Session/1", " session/1", "session/1\0",
            "user/", "user/me", "chat/0",
            "chat/1/typing", "heatmap/", "heatmap/1", "Heatmap",
        ])
    func malformed(name: String) { #expect(Topic(name) == nil) }
}
