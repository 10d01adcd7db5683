import Bus
import TestSupport
import Testing
import Wire

@testable import Hub

@Suite("Privacy between nodes")
struct NodePrivacyTests {
    @Test(
        "A position that comes late, from before the audience was narrowed, is not shown, not even by a copy that was gone"
    )
    func late() async throws {
        let hubs = try await TwoHubs()
        await hubs.begin(1, at: hubs.ownerNode)
        let map = try await ZoneMap(on: hubs.other, loop: hubs.loop)
        try await map.waitFor("it is seen") { $0[1] != nil }
        let before = try #require(await hubs.ownerNode.hub.sessions.announcedState(1))
        hubs.backing.set(1, .private)
        await hubs.ownerNode.hub.sessions.changeAudience(hubs.session(1, .private))
        try await map.waitFor("it is hidden") { $0[1] == nil }
        let mentions = try await map.mentions(of: 1)
        await hubs.other.hub.sessions.receive(before, from: hubs.ownerNode.bus.node.id)
        // What is told behind it has arrived: so has it.
        await hubs.begin(2, at: hubs.ownerNode)
        try await map.waitFor("another is seen") { $0[2] != nil }
        #expect(try await map.runners()[1] == nil)
        #expect(try await map.mentions(of: 1) == mentions)
        await hubs.stop()
    }

    @Test(
        "A route that was asked for and comes behind the news that its runner is hidden does not bring the runner back")
    func lateRoute() async throws {
        let hubs = try await TwoHubs()
        await hubs.begin(1, at: hubs.ownerNode)
        let map = try await ZoneMap(on: hubs.other, loop: hubs.loop)
        try await map.waitFor("it is seen") { $0[1] != nil }
        await hubs.other.hub.sessions.fetch(1)
        let before = try #require(await hubs.ownerNode.hub.sessions.route(of: 1, for: hubs.other.bus.node.id))
        let session = hubs.session(1)
        await hubs.ownerNode.hub.sessions.move(
            session, fix: nil, append: [], own: OwnerView(session: session, fix: hubs.fix(), isHidden: true))
        try await map.waitFor("it is hidden") { $0[1] == nil }
        let mentions = try await map.mentions(of: 1)
        _ = try await eventually("the watching node has it") { await hubs.other.hub.sessions.isHidden(1) ? true : nil }
        #expect(await hubs.other.hub.sessions.receive(answer: before, from: hubs.ownerNode.bus.node.id) == .old)
        #expect(await hubs.other.hub.sessions.isHidden(1))
        // What is asked for anew is taken.
        await hubs.other.hub.sessions.fetch(1)
        #expect(await hubs.other.hub.sessions.isHidden(1))
        await hubs.begin(2, at: hubs.ownerNode)
        try await map.waitFor("another is seen") { $0[2] != nil }
        #expect(try await map.runners()[1] == nil)
        #expect(try await map.mentions(of: 1) == mentions)
        await hubs.stop()
    }

    @Test(
        "While PostgreSQL cannot confirm what may have been lost, nobody new sees others' runners and those who did see them go"
    )
    func markInDoubt() async throws {
        let hubs = try await TwoHubs()
        await hubs.begin(1, at: hubs.ownerNode)
        await hubs.begin(2, at: hubs.other)
        let map = try await ZoneMap(on: hubs.other, loop: hubs.loop)
        try await map.waitFor("both are seen") { $0.count == 2 }
        hubs.backing.set(isAway: true)
        hubs.backing.set(1, .private)
        // The word of it is lost, and the hub learns that something was.
        hubs.network.setFault(.drop, from: hubs.ownerNode.bus, to: hubs.other.bus)
        await hubs.ownerNode.hub.sessions.changeAudience(hubs.session(1, .private))
        await hubs.other.hub.putInDoubt()
        let late = try await ZoneMap(on: hubs.other, loop: hubs.loop)
        #expect(try await late.runners().keys.sorted() == [2])
        try await map.waitFor("it is hidden as nobody can confirm it") { $0[1] == nil }
        #expect(try await map.runners()[2] != nil)
        let mentions = try await map.mentions(of: 1)
        hubs.backing.set(isAway: false)
        hubs.network.heal()
        try await hubs.waitUntilMet()
        await hubs.move(2, metres: 10, at: hubs.other)
        try await map.waitFor("the others go on") { $0[2]?.distance == 10 }
        #expect(try await map.runners()[1] == nil)
        #expect(try await map.mentions(of: 1) == mentions)
        await hubs.stop()
    }

    @Test("What was only in doubt is back when PostgreSQL confirms it")
    func confirmed() async throws {
        let hubs = try await TwoHubs()
        await hubs.begin(1, at: hubs.ownerNode)
        let map = try await ZoneMap(on: hubs.other, loop: hubs.loop)
        try await map.waitFor("it is seen") { $0[1] != nil }
        hubs.backing.set(isAway: true)
        await hubs.other.hub.putInDoubt()
        try await map.waitFor("it is hidden") { $0[1] == nil }
        hubs.backing.set(isAway: false)
        try await map.waitFor("it is back") { $0[1] != nil }
        await hubs.move(1, metres: 5, at: hubs.ownerNode)
        try await map.waitFor("and moves") { $0[1]?.distance == 5 }
        await hubs.stop()
    }

    @Test("What becomes private behind an end that others hear of later is closed, also where another node wrote that")
    func endingPrivately() async throws {
        let hubs = try await TwoHubs()
        await hubs.begin(1, at: hubs.ownerNode)
        let viewer = RecordingViewer(loop: hubs.loop)
        _ = try await hubs.ownerNode.hub.sessions.subscribe(
            viewer, session: 1, access: .stranger, reply: RecordingViewer.reply(.session(1)))
        let ended = hubs.session(1, state: .finished)
        await hubs.ownerNode.hub.sessions.end(
            hubs.session(1), own: OwnerView(session: ended, fix: nil, isHidden: true), toOthersAfter: .seconds(3_600))
        _ = try await viewer.events()
        hubs.backing.set(1, .private)
        _ = try await eventually("it is closed") {
            try await viewer.sessionUpdates().contains { $0.type == .closed } ? true : nil
        }
        await hubs.stop()
    }

    @Test("What is private is not told to nodes whose viewers do not watch it")
    func atTheSource() async throws {
        let hubs = try await TwoHubs()
        let map = try await ZoneMap(on: hubs.other, loop: hubs.loop, Viewer(accountID: 1))
        await hubs.begin(1, .private, at: hubs.ownerNode)
        await hubs.move(1, .private, metres: 5, at: hubs.ownerNode)
        #expect(await hubs.ownerNode.hub.sessions.announcedState(1)?.fix == nil)
        await hubs.begin(2, at: hubs.ownerNode)
        try await map.waitFor("another is seen") { $0[2] != nil }
        #expect(await hubs.other.hub.sessions.shown(1) == nil)
        await hubs.stop()
    }

    @Test("What was revoked or narrowed by a node that nobody hears is found in PostgreSQL, though nothing is in doubt")
    func unreceived() async throws {
        let hubs = try await TwoHubs()
        hubs.backing.set(links: [5])
        for id in [Int64(1), 2] { await hubs.begin(id, id == 1 ? .private : .public, at: hubs.ownerNode) }
        let viewer = RecordingViewer(loop: hubs.loop)
        let access = SessionAccess(isOwner: false, isMember: false, linkID: 5)
        #expect(
            try await hubs.ownerNode.hub.sessions.subscribe(
                viewer, session: 1, access: access, reply: RecordingViewer.reply(.session(1))))
        let map = try await ZoneMap(on: hubs.ownerNode, loop: hubs.loop)
        try await map.waitFor("one is seen") { $0[2] != nil }
        hubs.backing.set(links: [])
        hubs.backing.set(2, .private)
        _ = try await eventually("the link is cut") {
            try await viewer.sessionUpdates().contains { $0.type == .closed } ? true : nil
        }
        try await map.waitFor("it is hidden") { $0[2] == nil }
        await hubs.stop()
    }

    @Test("Cut off from the other nodes and from PostgreSQL, a node shows what is its own and nothing of the others")
    func alone() async throws {
        let hubs = try await TwoHubs(silenceMax: .milliseconds(500))
        await hubs.begin(1, at: hubs.ownerNode)
        await hubs.begin(2, at: hubs.other)
        let map = try await ZoneMap(on: hubs.other, loop: hubs.loop)
        try await map.waitFor("both are seen") { $0.count == 2 }
        hubs.network.part([hubs.ownerNode.bus], from: [hubs.other.bus])
        hubs.backing.set(isAway: true)
        try await map.waitFor("the other's is hidden") { $0[1] == nil && $0[2] != nil }
        hubs.backing.set(isAway: false)
        hubs.network.heal()
        await hubs.move(1, metres: 5, at: hubs.ownerNode)
        try await map.waitFor("it is back") { $0[1]?.distance == 5 }
        await hubs.stop()
    }
}
