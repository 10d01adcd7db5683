import Bus
import TestSupport
import Testing
import Wire

@testable import Hub

@Suite("Blocks between nodes")
struct NodeBlockTests {
    private let blocked = Viewer(accountID: 100)
    private let other = Viewer(accountID: 101)

    private func access(_ account: Int64) -> SessionAccess {
        SessionAccess(isOwner: false, isMember: true, account: .init(id: account, name: "viewer\(account)"))
    }

    /// Watches a session of the other node, as a request does.
    private func watch(_ viewer: RecordingViewer, _ id: Int64, _ account: Int64, at node: TwoHubs.Node) async throws {
        _ = try await eventually("the session is watched") { () -> Bool? in
            let reply: @Sendable (SessionSnapshot) -> [UInt8] = RecordingViewer.reply(.session(id))
            if try await node.hub.sessions.subscribe(viewer, session: id, access: self.access(account), reply: reply) {
                return true
            }
            await node.hub.sessions.fetch(id)
            return nil
        }
    }

    @Test(
        "Told at one node, a block cuts maps and sessions at the other, whichever is the runner's home",
        arguments: [true, false])
    func received(isAtOwner: Bool) async throws {
        let hubs = try await TwoHubs()
        for id in Int64(1)...2 { await hubs.begin(id, at: hubs.ownerNode) }
        let map = try await ZoneMap(on: hubs.other, loop: hubs.loop, blocked)
        let witness = try await ZoneMap(on: hubs.other, loop: hubs.loop, other)
        for map in [map, witness] { try await map.waitFor("both are seen") { $0.count == 2 } }
        let viewer = RecordingViewer(loop: hubs.loop)
        try await watch(viewer, 1, 100, at: hubs.other)
        await (isAtOwner ? hubs.ownerNode : hubs.other).hub.blocks.set(1, 100, isOn: true)
        try await map.waitFor("it is gone") { $0[1] == nil && $0[2] != nil }
        _ = try await eventually("the session is cut") {
            try await viewer.sessionUpdates().contains { $0.type == .closed && $0.reason == "no longer shared" }
                ? true : nil
        }
        let mentions = try await map.mentions(of: 1)
        for id in Int64(1)...2 { await hubs.move(id, metres: 10, at: hubs.ownerNode) }
        try await witness.waitFor("both move") { $0[1]?.distance == 10 && $0[2]?.distance == 10 }
        try await map.waitFor("the other moves") { $0[2]?.distance == 10 }
        #expect(try await map.runners()[1] == nil)
        #expect(try await map.mentions(of: 1) == mentions)
        #expect(try await viewer.events().isEmpty)
        await #expect(throws: RPCError.self) { try await watch(viewer, 1, 100, at: hubs.other) }
        await hubs.ownerNode.hub.blocks.set(1, 100, isOn: false)
        try await map.waitFor("it is back") { $0[1] != nil }
        await hubs.stop()
    }

    @Test("Who comes to a node later is hidden there from whom it was blocked with before")
    func coming() async throws {
        let hubs = try await TwoHubs()
        await hubs.ownerNode.hub.blocks.set(100, 1, isOn: true)
        _ = try await eventually("the other knows") { await hubs.other.hub.blocks.isBlocked(1, 100) ? true : nil }
        let map = try await ZoneMap(on: hubs.other, loop: hubs.loop, blocked)
        let witness = try await ZoneMap(on: hubs.other, loop: hubs.loop, other)
        for id in Int64(1)...2 { await hubs.begin(id, at: hubs.ownerNode) }
        for map in [map, witness] { try await map.waitFor("one is seen") { $0[2] != nil } }
        try await witness.waitFor("both are") { $0.count == 2 }
        for id in Int64(1)...2 { await hubs.move(id, metres: 10, at: hubs.ownerNode) }
        try await map.waitFor("it moves") { $0[2]?.distance == 10 }
        #expect(try await map.mentions(of: 1) == 0)
        await hubs.stop()
    }

    @Test("The blocker's devices at either node ask again once it holds there, and the other's hear nothing")
    func devices() async throws {
        let hubs = try await TwoHubs()
        func listen(_ account: Int64, at node: TwoHubs.Node) async throws -> RecordingViewer {
            let viewer = RecordingViewer(loop: hubs.loop)
            try await node.hub.signals.subscribe(viewer, account: account) { [] }
            return viewer
        }
        let mine = [try await listen(1, at: hubs.ownerNode), try await listen(1, at: hubs.other)]
        let theirs = [try await listen(100, at: hubs.ownerNode), try await listen(100, at: hubs.other)]
        func resyncs(_ viewers: [RecordingViewer]) async throws -> [Int] {
            var counts: [Int] = []
            for viewer in viewers {
                counts.append(
                    await viewer.take().flatMap(\.messages).count {
                        String(decoding: RecordingViewer.payload(of: $0.frame), as: UTF8.self).contains("resync")
                    })
            }
            return counts
        }
        _ = try await resyncs(mine + theirs)
        for isOn in [true, false] {
            await hubs.ownerNode.hub.blocks.set(1, 100, isOn: isOn)
            var received = [0, 0]
            _ = try await eventually("both nodes tell") {
                received = zip(received, try await resyncs(mine)).map { $0 + $1 }
                return received == [1, 1] ? true : nil
            }
            #expect(await hubs.other.hub.blocks.isBlocked(1, 100) == isOn)
        }
        #expect(try await resyncs(theirs) == [0, 0])
        await hubs.stop()
    }

    @Test("A block whose message is lost is read from PostgreSQL before anything else of others is shown")
    func lost() async throws {
        let hubs = try await TwoHubs()
        for id in Int64(1)...2 { await hubs.begin(id, at: hubs.ownerNode) }
        let map = try await ZoneMap(on: hubs.other, loop: hubs.loop, blocked)
        try await map.waitFor("both are seen") { $0.count == 2 }
        hubs.network.setFault(.drop, from: hubs.ownerNode.bus, to: hubs.other.bus)
        hubs.backing.store(.init(blocker: 1, blocked: 100, isOn: true, version: 1))
        await hubs.ownerNode.hub.blocks.set(1, 100, isOn: true)
        #expect(await !hubs.other.hub.blocks.isBlocked(1, 100))
        hubs.network.heal()
        // The gap shows when the next message comes, and nobody looks for blocks regularly here.
        try await map.waitFor("it is gone") { $0[1] == nil && $0[2] != nil }
        #expect(await hubs.other.hub.blocks.isBlocked(1, 100))
        await hubs.stop()
    }
}
