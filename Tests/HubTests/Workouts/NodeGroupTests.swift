import Bus
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import HubCore

@Suite("Live groups with members at two nodes")
struct NodeGroupTests {
    private func setUp() async throws -> (TwoHubs, GroupMemory, StoredLiveGroup) {
        let hubs = try await TwoHubs()
        let memory = GroupMemory()
        let group = StoredLiveGroup.test(sharing: [1])
        memory.store(group)
        for node in [hubs.ownerNode, hubs.other] { await node.hub.liveGroups.setStore(memory) }
        return (hubs, memory, group)
    }

    private func waitFor(
        _ what: String, _ viewer: GroupViewer, _ body: @Sendable ([String: LiveGroupMember]) -> Bool
    ) async throws {
        _ = try await eventually(what) { try await body(viewer.members()) ? true : nil }
    }

    @Test("Progress and presence reach members at the other node, also one that comes late or returns")
    func progress() async throws {
        let (hubs, _, group) = try await setUp()
        let host = try await GroupViewer(group, as: 1, on: hubs.ownerNode.hub, loop: hubs.loop)
        _ = await hubs.ownerNode.hub.liveGroups.update(group.id, by: 1, .set(1, zone: 4), sharesZone: nil)
        let late = try await GroupViewer(group, as: 2, on: hubs.other.hub, loop: hubs.loop)
        try await waitFor("the late member sees the host", late) {
            $0["user1"]?.position?.set == 1 && $0["user1"]?.isPresent == true && $0["user1"]?.position?.zone == 4
        }
        try await waitFor("the host sees the late member", host) { $0["user2"]?.isPresent == true }
        hubs.clock.advance(bySeconds: 2)
        _ = await hubs.other.hub.liveGroups.update(group.id, by: 2, .set(3, zone: 5), sharesZone: nil)
        try await waitFor("the host sees the progress", host) { $0["user2"]?.position?.set == 3 }
        #expect(!(try await host.everything().contains("\"zone\":5")))

        await hubs.other.hub.disconnect(late.viewer)
        try await waitFor("the member has dropped out", host) { $0["user2"]?.isPresent == false }
        hubs.clock.advance(bySeconds: 2)
        _ = await hubs.ownerNode.hub.liveGroups.update(group.id, by: 1, .set(9), sharesZone: nil)
        let again = try await GroupViewer(group, as: 2, on: hubs.other.hub, loop: hubs.loop)
        try await waitFor("the member sees all of it again", again) {
            $0["user1"]?.position?.set == 9 && $0["user2"]?.position?.set == 3
        }
        await hubs.stop()
    }

    @Test("A zone is withdrawn at the other node, too, before the change is committed")
    func zone() async throws {
        let (hubs, _, group) = try await setUp()
        _ = try await GroupViewer(group, as: 1, on: hubs.ownerNode.hub, loop: hubs.loop)
        let two = try await GroupViewer(group, as: 2, on: hubs.other.hub, loop: hubs.loop)
        _ = await hubs.ownerNode.hub.liveGroups.update(group.id, by: 1, .set(1, zone: 4), sharesZone: nil)
        try await waitFor("the zone", two) { $0["user1"]?.position?.zone == 4 }
        await hubs.ownerNode.hub.liveGroups.withdrawZone(of: 1, in: group.id)
        hubs.clock.advance(bySeconds: 2)
        try await waitFor("the zone is withdrawn", two) {
            $0["user1"]?.position?.set == 1 && $0["user1"]?.position?.zone == nil
        }
        await hubs.stop()
    }

    @Test("When a change is answered, the removed member at the other node gets nothing more")
    func removal() async throws {
        let (hubs, memory, group) = try await setUp()
        let host = try await GroupViewer(group, as: 1, on: hubs.ownerNode.hub, loop: hubs.loop)
        let two = try await GroupViewer(group, as: 2, on: hubs.other.hub, loop: hubs.loop)
        let three = try await GroupViewer(group, as: 3, on: hubs.other.hub, loop: hubs.loop)
        let without = group.with(2, nil)
        memory.store(without)
        await hubs.ownerNode.hub.liveGroups.changed(without)
        #expect(try await two.read().last?.type == .closed)
        #expect(try await three.member(2) == nil)
        #expect(try await host.member(2) == nil)
        #expect(await hubs.other.hub.liveGroups.update(group.id, by: 2, .set(1), sharesZone: nil) == .notAMember)

        memory.store(without.ended())
        await hubs.other.hub.liveGroups.changed(without.ended())
        #expect(try await host.read().last?.reason == TopicCloseReason.groupEnded.rawValue)
        await hubs.stop()
    }

    @Test("A lost removal is found in PostgreSQL, and a lost node's members are away")
    func losses() async throws {
        let (hubs, memory, group) = try await setUp()
        let host = try await GroupViewer(group, as: 1, on: hubs.ownerNode.hub, loop: hubs.loop)
        let two = try await GroupViewer(group, as: 2, on: hubs.other.hub, loop: hubs.loop)
        try await waitFor("the nodes know each other's members", host) { $0["user2"]?.isPresent == true }
        // Committed at a server that announced it to nobody.
        memory.store(group.with(3, nil))
        await hubs.other.hub.core.confirm()
        #expect(try await two.member(3) == nil)

        await hubs.other.hub.leaveNodes()
        await hubs.other.bus.close()
        try await waitFor("the node is gone", host) { $0["user2"]?.isPresent == false }
        await hubs.stop()
    }

    @Test("While messages may be lost and PostgreSQL does not answer, nothing is published; afterwards everything is")
    func doubt() async throws {
        let (hubs, memory, group) = try await setUp()
        let two = try await GroupViewer(group, as: 2, on: hubs.other.hub, loop: hubs.loop)
        _ = await hubs.other.hub.liveGroups.update(group.id, by: 3, .set(1), sharesZone: nil)
        try await waitFor("the progress", two) { $0["user3"]?.position?.set == 1 }
        memory.set(isAway: true)
        await hubs.other.hub.liveGroups.withhold()
        #expect(await hubs.other.hub.liveGroups.update(group.id, by: 3, .set(2), sharesZone: nil) == .accepted)
        await hubs.other.hub.tickNow()
        #expect(try await two.member(3)?.position?.set == 1)
        memory.set(isAway: false)
        await hubs.other.hub.liveGroups.resume()
        _ = await hubs.other.hub.liveGroups.update(group.id, by: 3, .set(4), sharesZone: nil)
        hubs.clock.advance(bySeconds: 2)
        try await waitFor("the progress goes on", two) { $0["user3"]?.position?.set == 4 }
        await hubs.stop()
    }

    @Test("A block that another node announces separates the members here")
    func block() async throws {
        let (hubs, _, group) = try await setUp()
        let two = try await GroupViewer(group, as: 2, on: hubs.other.hub, loop: hubs.loop)
        await hubs.ownerNode.hub.blocks.set(3, 2, isOn: true)
        try await waitFor("the blocked member is gone", two) { $0["user3"] == nil }
        await hubs.stop()
    }

    @Test("Sweeps announce groups that another node has, and no others")
    func sweeps() async throws {
        let (hubs, _, group) = try await setUp()
        let messages = Atomic(0)
        let pattern = try #require(NodeSubjects.group(group.id).map { SubjectPattern($0) })
        let subscription = try hubs.other.bus.subscribe(to: pattern, on: hubs.loop) { event in
            if case .message = event { messages.add(1, ordering: .relaxed) }
        }
        defer { subscription.cancel() }
        let host = try await GroupViewer(group, as: 1, on: hubs.ownerNode.hub, loop: hubs.loop)
        _ = try await eventually("the node asks") { messages.load(ordering: .relaxed) > 0 ? true : nil }
        try await Task.sleep(for: .milliseconds(200))
        let before = messages.load(ordering: .relaxed)
        for _ in 0..<5 { await hubs.ownerNode.hub.liveGroups.sweep() }
        try await Task.sleep(for: .milliseconds(200))
        #expect(messages.load(ordering: .relaxed) == before)

        _ = try await GroupViewer(group, as: 2, on: hubs.other.hub, loop: hubs.loop)
        try await waitFor("the nodes know each other's members", host) { $0["user2"]?.isPresent == true }
        let after = messages.load(ordering: .relaxed)
        await hubs.ownerNode.hub.liveGroups.sweep()
        _ = try await eventually("the sweep announces") { messages.load(ordering: .relaxed) > after ? true : nil }
        await hubs.stop()
    }
}
