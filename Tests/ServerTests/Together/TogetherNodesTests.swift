import Foundation
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import Server

@Suite("Live groups with members at two nodes")
struct TogetherNodesTests {
    /// A member at each node.
    private func begin(_ nodes: TwoNodes) async throws -> (GroupStage, ChatPerson) {
        let stage = try await GroupStage(nodes.first)
        let buddy = try await stage.buddy(at: nodes.second)
        try await stage.create([buddy])
        try await stage.join(buddy)
        _ = try await stage.watch(stage.host.client)
        _ = try await stage.watch(buddy.client)
        try await stage.update(stage.host.client, set: 1)
        try await stage.update(buddy.client, set: 2)
        try await stage.waitFor("each sees the other", buddy.client) {
            $0[stage.host.username]?.position?.set == 1 && $0[stage.host.username]?.isPresent == true
        }
        try await stage.waitFor("each sees the other", stage.host.client) {
            $0[buddy.username]?.position?.set == 2 && $0[buddy.username]?.isPresent == true
        }
        return (stage, buddy)
    }

    @Test("A member that is removed at one node gets nothing more at the other when that is answered")
    func removal() async throws {
        let nodes = try await TwoNodes.start()
        let (stage, buddy) = try await begin(nodes)
        _ = try await stage.host.client.call(
            TogetherRemove.self, .init(group: stage.group, username: buddy.username))
        #expect(try await stage.waitUntilClosed(buddy.client) == TopicCloseReason.notShared.rawValue)
        let count = buddy.client.frames.count
        try await stage.update(stage.host.client, set: 9)
        try await stage.waitFor("the host goes on", stage.host.client) { $0[stage.host.username]?.position?.set == 9 }
        #expect(try await stage.watch(buddy.client).contains("1003"))
        #expect(!buddy.client.frames.dropFirst(count).contains { $0.contains("\"set\":9") })
        await nodes.stop()
    }

    @Test(
        "The groups agree again after the bus was lost, and after a node has stopped; a client that returns gets all of it"
    )
    func recovery() async throws {
        let nodes = try await TwoNodes.start()
        let (stage, buddy) = try await begin(nodes)
        await nodes.nats.kill()
        try await stage.waitFor("the other node's member is away", stage.host.client) {
            $0[buddy.username]?.isPresent == false
        }
        try await stage.update(buddy.client, set: 3)
        try await nodes.nats.startAgain()
        try await nodes.waitUntilMet()
        try await stage.waitFor("the nodes agree", stage.host.client) {
            $0[buddy.username]?.isPresent == true && $0[buddy.username]?.position?.set == 3
        }

        await nodes.second.stop()
        try await stage.waitFor("its member is away", stage.host.client) { $0[buddy.username]?.isPresent == false }
        try await stage.update(stage.host.client, set: 5)
        // The member goes on at the other node.
        let again = try await ChatClient(nodes.first, token: buddy.token)
        let snapshot = try await stage.watch(again)
        #expect(snapshot.contains("\"set\":3"))
        try await stage.waitFor("it has all of it", again) { $0[stage.host.username]?.position?.set == 5 }
        try await stage.waitFor("it is back", stage.host.client) { $0[buddy.username]?.isPresent == true }
        await nodes.first.stop()
        await nodes.nats.kill()
    }

    @Test("A block between two members at two nodes separates them")
    func block() async throws {
        let nodes = try await TwoNodes.start()
        let (stage, buddy) = try await begin(nodes)
        let third = try await stage.buddy(at: nodes.first)
        // Only accounts that know each other can block.
        try await stage.host.group(with: [buddy.id, third.id], nodes.first)
        _ = try await stage.host.client.call(TogetherInvite.self, .init(group: stage.group, invite: [third.username]))
        try await stage.join(third)
        _ = try await stage.watch(third.client)
        try await stage.waitFor("it sees the other", third.client) { $0[buddy.username]?.position?.set == 2 }
        _ = try await buddy.client.call(SafetyBlock.self, .init(account: third.id))
        try await stage.waitFor("it sees the other no more", third.client) { $0[buddy.username] == nil }
        let count = third.client.frames.count
        try await stage.update(buddy.client, set: 8)
        try await stage.waitFor("the host sees it", stage.host.client) { $0[buddy.username]?.position?.set == 8 }
        #expect(!third.client.frames.dropFirst(count).contains { $0.contains(buddy.username) })
        await nodes.stop()
    }
}
