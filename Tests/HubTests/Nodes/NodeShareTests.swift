import Bus
import TestSupport
import Testing
import Wire

@testable import Hub

@Suite("Who watches shares, told between nodes")
struct NodeShareTests {
    private let memory = ShareMemory()

    private func share(_ id: Int64, _ hubs: TwoHubs) -> StoredShare {
        let share = StoredShare(
            id: id, owner: 9, username: "owner", name: "owner", audience: .campus, precision: .exact,
            startedAt: hubs.clock.now, chosenAt: hubs.clock.now, expiresAt: hubs.clock.now.advanced(bySeconds: 7_200),
            secret: 1, version: id)
        memory.store(share)
        return share
    }

    private func watch(_ share: StoredShare, _ hubs: TwoHubs) async throws -> RecordingViewer {
        let viewer = RecordingViewer(loop: hubs.loop)
        try await hubs.other.hub.shares.watch(
            viewer, share, account: 1, opening: share.id, byLink: false,
            reply: RecordingViewer.reply(.share(share.id)))
        return viewer
    }

    @Test("Who comes and goes is told at once, of that share alone, whatever else is watched")
    func moves() async throws {
        let hubs = try await TwoHubs()
        let shares = [share(1, hubs), share(2, hubs)]
        for node in [hubs.ownerNode, hubs.other] { await node.hub.shares.setStore(memory) }
        _ = try await watch(shares[0], hubs)
        func count(_ id: Int64, _ expected: Int) async throws {
            _ = try await eventually("\(expected) watch \(id)") {
                await hubs.ownerNode.hub.shares.watching([id])[id] == expected ? true : nil
            }
        }
        try await count(1, 1)
        let viewer = try await watch(shares[1], hubs)
        try await count(2, 1)
        await hubs.other.hub.unsubscribe(viewer, topic: .share(2))
        try await count(2, 0)
        let leased = try await hubs.other.hub.shares.inOneIteration { feed in
            // All of it is not due.
            feed.registry.leased = feed.monotonic()
            // Not here, nor looked at: whoever goes through all would find that it is not watched.
            feed.registry.leasedShares[99] = 1
            try feed.watch(
                viewer, shares[1], account: 1, opening: 3, byLink: false, reply: RecordingViewer.reply(.share(2)))
            feed.lease(feed.monotonic(), isDue: true)
            return feed.registry.leasedShares
        }
        #expect(leased == [1: 1, 2: 1, 99: 1])
        // Nobody was cut: there is nothing to tell.
        let isToTell = await hubs.other.hub.shares.inOneIteration { feed in
            feed.registry.viewersMoved = []
            feed.registry.shares[1].map { feed.cut($0) { _ in false } }
            return !feed.registry.viewersMoved.isEmpty
        }
        #expect(!isToTell)
        await hubs.stop()
    }
}
