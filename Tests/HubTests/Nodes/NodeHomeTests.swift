import Bus
import TestSupport
import Testing
import Wire

@testable import Hub

@Suite("Homes of sessions")
struct NodeHomeTests {
    @Test("Many runners in one place come in as many answers as it takes, each with its trail")
    func pages() async throws {
        let hubs = try await TwoHubs()
        let count = Int64(NodeLimits.statesPerMessageMax * 2 + 7)
        for id in 1...count { await hubs.begin(id, at: hubs.ownerNode) }
        let map = try await ZoneMap(on: hubs.other, loop: hubs.loop)
        try await map.waitFor("all are seen") { $0.count == Int(count) }
        for id in 1...count { await hubs.ownerNode.hub.sessions.end(hubs.session(id, state: .finished)) }
        try await map.waitFor("all are gone") { $0.isEmpty }
        await hubs.stop()
    }

    @Test("Of two nodes that both think that a session is theirs, one gives it up and forgets what it has")
    func bothClaim() async throws {
        let hubs = try await TwoHubs()
        hubs.network.part([hubs.ownerNode.bus], from: [hubs.other.bus])
        await hubs.begin(1, at: hubs.ownerNode)
        hubs.clock.advance(bySeconds: 5)
        await hubs.begin(1, at: hubs.other)
        let map = try await ZoneMap(on: hubs.ownerNode, loop: hubs.loop)
        #expect(await hubs.ownerNode.hub.sessions.ownedSessionIDs == [1])
        hubs.network.heal()
        try await hubs.waitUntilMet()
        _ = try await eventually("one gives it up") {
            await hubs.ownerNode.hub.sessions.ownedSessionIDs.isEmpty ? true : nil
        }
        #expect(await hubs.other.hub.sessions.ownedSessionIDs == [1])
        #expect(hubs.backing.surrendered.contains(1))
        await hubs.move(1, metres: 50, at: hubs.other)
        try await map.waitFor("it is where the later home says") { $0[1]?.distance == 50 }
        // Whoever was the home does not write over it any more.
        await hubs.move(1, metres: 99, at: hubs.ownerNode)
        await hubs.move(1, metres: 60, at: hubs.other)
        try await map.waitFor("it moves on") { $0[1]?.distance == 60 }
        await hubs.stop()
    }

    @Test("What an earlier home says is void, however late it comes; a later one's counts at once")
    func generations() async throws {
        let hubs = try await TwoHubs()
        await hubs.begin(1, at: hubs.ownerNode)
        let map = try await ZoneMap(on: hubs.other, loop: hubs.loop)
        try await map.waitFor("it is seen") { $0[1] != nil }
        var old = try #require(await hubs.ownerNode.hub.sessions.announcedState(1))
        hubs.clock.advance(bySeconds: 1)
        await hubs.begin(1, at: hubs.other)
        _ = try await eventually("the first has given it up") {
            await hubs.ownerNode.hub.sessions.ownedSessionIDs.isEmpty ? true : nil
        }
        old.session.distance = 77
        old.revision += 1_000
        await hubs.other.hub.sessions.receive(old, from: hubs.ownerNode.bus.node.id)
        await hubs.move(1, metres: 5, at: hubs.other)
        try await map.waitFor("it is the new home's") { $0[1]?.distance == 5 }
        #expect(await hubs.other.hub.sessions.ownedSessionIDs == [1])
        await hubs.stop()
    }

    @Test("A node that is not heard any more leaves its runners offline; those known to be finished go")
    func lost() async throws {
        let hubs = try await TwoHubs(silenceMax: .milliseconds(500))
        for id in 1...2 { await hubs.begin(Int64(id), at: hubs.ownerNode) }
        let map = try await ZoneMap(on: hubs.other, loop: hubs.loop)
        try await map.waitFor("they are seen") { $0.count == 2 && $0[1]?.state == .moving }
        hubs.backing.set(2, .public, .finished)
        hubs.network.part([hubs.ownerNode.bus], from: [hubs.other.bus])
        try await map.waitFor("one is offline") { $0[1]?.state == .offline }
        try await map.waitFor("one is gone") { $0[2] == nil }
        hubs.network.heal()
        await hubs.move(1, metres: 5, at: hubs.ownerNode)
        try await map.waitFor("it is back") { $0[1]?.state == .moving && $0[1]?.distance == 5 }
        await hubs.stop()
    }

    @Test("What nobody looks at is not listened to, and the copies of it go")
    func interest() async throws {
        let hubs = try await TwoHubs()
        await hubs.begin(1, at: hubs.ownerNode)
        #expect(await hubs.other.hub.sessions.followedRegionCount() == 0)
        let map = try await ZoneMap(on: hubs.other, loop: hubs.loop)
        try await map.waitFor("it is seen") { $0[1] != nil }
        #expect(await hubs.other.hub.sessions.followedRegionCount() > 0)
        await hubs.other.hub.disconnect(map.viewer)
        _ = try await eventually("it is noticed") { await hubs.other.hub.sessions.isFollowingUnneeded ? true : nil }
        #expect(await hubs.other.hub.sessions.followedRegionCount() > 0)
        hubs.clock.advance(bySeconds: 6)
        await hubs.other.hub.sessions.sweep()
        #expect(await hubs.other.hub.sessions.followedRegionCount() == 0)
        _ = try await eventually("its copy is gone") { () -> Bool? in
            await hubs.other.hub.sessions.sweep()
            return await hubs.other.hub.sessions.shown(1) == nil ? true : nil
        }
        await hubs.stop()
    }

    @Test("A node that took a session before another one did, and begins it later, neither shows nor claims it")
    func late() async throws {
        let hubs = try await TwoHubs()
        hubs.backing.set(1, .private)
        await hubs.other.hub.sessions.begin(hubs.session(1, .private), rate: 1, fencingToken: 1_000_011)
        _ = try await eventually("it is heard of") { await hubs.ownerNode.hub.sessions.isRemote(1) ? true : nil }
        await hubs.ownerNode.hub.sessions.begin(hubs.session(1, .public), rate: 1, fencingToken: 1_000_010)
        #expect(await hubs.ownerNode.hub.sessions.ownedSessionIDs.isEmpty)
        #expect(await hubs.ownerNode.hub.sessions.shown(1)?.session.audience != .public)
        // Finished there meanwhile: no ghost.
        await hubs.other.hub.sessions.end(hubs.session(1, .private, state: .finished))
        _ = try await eventually("it is over") { await hubs.ownerNode.hub.sessions.isRemote(1) ? nil : true }
        await hubs.ownerNode.hub.sessions.begin(hubs.session(1, .public), rate: 1, fencingToken: 1_000_010)
        #expect(await hubs.ownerNode.hub.sessions.shown(1) == nil)
        await hubs.stop()
    }

    @Test("Who watched a session before its home was known follows it once it is")
    func watchedBefore() async throws {
        let hubs = try await TwoHubs()
        hubs.network.part([hubs.ownerNode.bus], from: [hubs.other.bus])
        await hubs.begin(1, .private, at: hubs.ownerNode)
        let viewer = try await watchStored(hubs)
        hubs.network.heal()
        try await hubs.waitUntilMet()
        try await seeItMove(hubs, viewer)
        await hubs.stop()
    }

    @Test(
        "Who watched a session before its home was known follows it, though its home was heard of while PostgreSQL was away"
    )
    func watchedInDoubt() async throws {
        let hubs = try await TwoHubs()
        let viewer = try await watchStored(hubs)
        hubs.backing.set(isAway: true)
        await hubs.other.hub.putInDoubt()
        await hubs.begin(1, .private, at: hubs.ownerNode)
        _ = try await eventually("its home is heard of") { await hubs.other.hub.sessions.isRemote(1) ? true : nil }
        hubs.backing.set(isAway: false)
        try await hubs.waitUntilMet()
        try await seeItMove(hubs, viewer)
        await hubs.stop()
    }

    /// Somebody at the other node watches a private session, which that node has from PostgreSQL.
    private func watchStored(_ hubs: TwoHubs) async throws -> RecordingViewer {
        hubs.backing.set(1, .private)
        // As a node reads it from PostgreSQL when it starts.
        await hubs.other.hub.sessions.rest(hubs.session(1, .private), rate: 1, route: [], fix: hubs.fix())
        let viewer = RecordingViewer(loop: hubs.loop)
        let access = SessionAccess(isOwner: true, isMember: true)
        #expect(
            try await hubs.other.hub.sessions.subscribe(
                viewer, session: 1, access: access, reply: RecordingViewer.reply(.session(1))))
        return viewer
    }

    private func seeItMove(_ hubs: TwoHubs, _ viewer: RecordingViewer) async throws {
        // Farther each time: what was told with the picture of it is not told again.
        var metres = 50.0
        _ = try await eventually("it moves") { () -> Bool? in
            metres += 1
            await hubs.move(1, .private, metres: metres, at: hubs.ownerNode)
            return try await viewer.sessionUpdates().contains { ($0.session?.distance ?? 0) > 50 } ? true : nil
        }
    }
}

extension SessionFeed {
    func isRemote(_ id: Int64) -> Bool { nodes?.remote[id] != nil }
}
