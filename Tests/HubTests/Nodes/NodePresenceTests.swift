import Bus
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import HubCore

@Suite("Who watches, at several nodes")
struct NodePresenceTests {
    private let topic = Topic.session(1)

    private func attendee(_ account: Int64?) -> PresenceMember {
        PresenceMember(
            account: account.map { PresenceAccount(id: $0, name: "u\($0)") }, isCounted: true, seesNames: false)
    }

    private func watch(_ node: TwoHubs.Node, _ account: Int64?, _ hubs: TwoHubs) async -> RecordingViewer {
        let viewer = RecordingViewer(loop: hubs.loop)
        _ = await node.hub.presence.join(topic, viewer, as: attendee(account))
        return viewer
    }

    private func expect(_ count: Int, names: [String], at node: TwoHubs.Node) async throws {
        _ = try await eventually("\(count) watch") { () -> Bool? in
            let presence = await node.hub.presence.watching(topic)
            return presence?.count == count && presence?.names == names ? true : nil
        }
    }

    @Test("Presence counts each account once over all nodes, also accounts that came before the other node listened")
    func people() async throws {
        let hubs = try await TwoHubs()
        let ann = await watch(hubs.ownerNode, 1, hubs)
        _ = await watch(hubs.ownerNode, nil, hubs)
        try await expect(2, names: ["u1"], at: hubs.ownerNode)
        let twin = await watch(hubs.other, 1, hubs)
        _ = await watch(hubs.other, 2, hubs)
        for node in [hubs.ownerNode, hubs.other] { try await expect(3, names: ["u1", "u2"], at: node) }
        await hubs.ownerNode.hub.presence.leave(topic, ann)
        for node in [hubs.ownerNode, hubs.other] { try await expect(3, names: ["u1", "u2"], at: node) }
        await hubs.other.hub.presence.leave(topic, twin)
        for node in [hubs.ownerNode, hubs.other] { try await expect(2, names: ["u2"], at: node) }
        await hubs.stop()
    }

    @Test("Presence does not count viewers at a silent node, and counts them again when it is back")
    func lost() async throws {
        let hubs = try await TwoHubs(silenceMax: .milliseconds(500))
        _ = await watch(hubs.ownerNode, 1, hubs)
        _ = await watch(hubs.other, 2, hubs)
        for node in [hubs.ownerNode, hubs.other] { try await expect(2, names: ["u1", "u2"], at: node) }
        hubs.network.part([hubs.ownerNode.bus], from: [hubs.other.bus])
        try await expect(1, names: ["u1"], at: hubs.ownerNode)
        try await expect(1, names: ["u2"], at: hubs.other)
        // Comes while nobody hears of it.
        _ = await watch(hubs.other, 3, hubs)
        hubs.network.heal()
        for node in [hubs.ownerNode, hubs.other] { try await expect(3, names: ["u1", "u2", "u3"], at: node) }
        await hubs.stop()
    }

    @Test("a node where nobody watches any more is told nothing, and those who watched there are gone")
    func leave() async throws {
        let hubs = try await TwoHubs()
        _ = await watch(hubs.ownerNode, 1, hubs)
        let guest = await watch(hubs.other, nil, hubs)
        try await expect(2, names: ["u1"], at: hubs.ownerNode)
        await hubs.other.hub.disconnect(guest)
        await hubs.other.hub.presence.leave(topic, guest)
        try await expect(1, names: ["u1"], at: hubs.ownerNode)
        _ = try await eventually("it does not listen") {
            await hubs.other.hub.presence.followedPresenceCount == 0 ? true : nil
        }
        await hubs.stop()
    }
}

extension PresenceFeed {
    func watching(_ topic: Topic) -> Presence? { sets.snapshot(of: topic, seesNames: true) }
    var followedPresenceCount: Int { subscriptions.count }
}
