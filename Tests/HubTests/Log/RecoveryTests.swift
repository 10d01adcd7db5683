import EventLoop
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import HubCore

@Suite("Recovery")
struct RecoveryTests {
    private let loop = TestDatabase.shared.loop
    private let topic = Topic.test(1)
    private let store = MemoryStore()
    private let hub: Hub

    init() { hub = Hub(loop: loop, store: store) }

    private func resumed(at offset: Int64, epoch: Int64 = 1) async throws -> LogFollower {
        var follower = LogFollower(loop, at: TopicPosition(epoch: epoch, offset: offset))
        try await follower.subscribe(hub, topic)
        #expect(follower.faults == [])
        return follower
    }

    @Test("Recovery delivers what was missed from memory, without asking the store")
    func fromMemory() async throws {
        var first = LogFollower(loop)
        try await first.subscribe(hub, topic)
        await hub.logs.publish(store.commit(50, to: topic), topic: topic, epoch: 1)
        let reads = store.reads
        #expect(try await resumed(at: 10).seen == Array(11...50))
        #expect(try await resumed(at: 50).seen == [])
        #expect(store.reads == reads)
    }

    @Test("Recovery delivers from the store what is not in memory, page by page, and pushes only behind the last page")
    func paged() async throws {
        store.commit(1_800, to: topic)
        var follower = LogFollower(loop, at: TopicPosition(epoch: 1, offset: 100))
        var pages = 0
        repeat {
            try await follower.subscribe(hub, topic)
            await hub.logs.publish(store.commit(1, to: topic), topic: topic, epoch: 1)
            pages += 1
        } while follower.wantsMore
        try await follower.read()
        #expect(follower.faults == [])
        #expect(follower.failures == [])
        #expect(follower.seen == Array(101...Int64(1_800 + pages)))
        #expect(pages == 4)
    }

    @Test("A page ends with the publication that makes it long")
    func longPublications() async throws {
        store.commit(60, to: topic, bytes: 30_000)
        var follower = LogFollower(loop, at: TopicPosition(epoch: 1, offset: 0))
        try await follower.subscribe(hub, topic)
        #expect(follower.wantsMore)
        #expect(follower.seen.count < 20 && !follower.seen.isEmpty)
        while follower.wantsMore { try await follower.subscribe(hub, topic) }
        #expect(follower.seen == Array(1...60))
        #expect(follower.faults == [])
    }

    @Test("Without a position the newest are shown, and what follows is pushed")
    func snapshot() async throws {
        store.commit(300, to: topic)
        var follower = LogFollower(loop)
        try await follower.subscribe(hub, topic)
        #expect(follower.seen == [298, 299, 300])
        #expect(follower.failures == [])
        await hub.logs.publish(store.commit(2, to: topic), topic: topic, epoch: 1)
        try await follower.read()
        #expect(follower.seen == [298, 299, 300, 301, 302])
        #expect(follower.faults == [])
    }

    @Test("Recovery says why it cannot: the epoch changed, too old, too many, from the future; and shows the newest")
    func failures() async throws {
        store.commit(6_000, to: topic)
        #expect(try await resumed(at: 3, epoch: 7).failures == [.epochChanged])
        #expect(try await resumed(at: 999).failures == [.tooMany])
        #expect(try await resumed(at: 1_000).failures == [])
        #expect(try await resumed(at: 6_001).failures == [.future])
        #expect(try await resumed(at: -1).failures == [.future])
        store.prune(topic, upTo: 2_000)
        #expect(try await resumed(at: 1_999).failures == [.tooOld])
        #expect(try await resumed(at: 2_000).failures == [])
        let old = try await resumed(at: 1_500)
        #expect(old.failures == [.tooOld])
        #expect(old.seen == [5_998, 5_999, 6_000])
        #expect(old.position == TopicPosition(epoch: 1, offset: 6_000))
    }

    @Test("A topic of which nothing is kept any more is recovered by who has all of it, and by nobody else")
    func emptied() async throws {
        store.commit(10, to: topic)
        store.prune(topic, upTo: 10)
        #expect(try await resumed(at: 10).failures == [])
        let behind = try await resumed(at: 9)
        #expect(behind.failures == [.tooOld])
        #expect(behind.seen == [])
        #expect(behind.position?.offset == 10)
    }

    @Test("A client that knows more than this server, from another one, gets the rest: the store knows the future")
    func ahead() async throws {
        var here = LogFollower(loop)
        try await here.subscribe(hub, topic)
        // Committed by the other server, and not announced here.
        store.commit(700, to: topic)
        var client = try await resumed(at: 650)
        #expect(client.failures == [])
        #expect(client.seen == Array(651...700))
        try await here.read()
        #expect(here.seen == Array(1...700))
        await hub.logs.publish(store.commit(1, to: topic), topic: topic, epoch: 1)
        try await client.read()
        #expect(client.seen.last == 701)
        #expect(client.faults + here.faults == [])
    }

    @Test("A topic that was made anew while it was watched shows by its epoch, and is not mixed up with the old one")
    func renewed() async throws {
        store.commit(5, to: topic)
        var follower = LogFollower(loop)
        try await follower.subscribe(hub, topic)
        store.renew(topic, epoch: 2)
        await hub.logs.publish(store.commit(1, to: topic), topic: topic, epoch: 2)
        // What the old one's publisher announces too late.
        await hub.logs.publish([StoredPublication(offset: 6, data: Array("0".utf8))], topic: topic, epoch: 1)
        try await follower.read()
        #expect(follower.faults == ["another epoch is pushed", "pushed 1 where 6 is next"])
        let again = try await resumed(at: 6)
        #expect(again.failures == [.epochChanged])
        #expect(again.seen == [1])
    }

    @Test("Recovery fails while the store is away and memory does not suffice, and never claims to have recovered")
    func away() async throws {
        store.commit(400, to: topic)
        let known = try await resumed(at: 400)
        store.setAway(true)
        #expect(try await resumed(at: 300).seen == Array(301...400))
        await #expect(throws: MemoryStore.Away.self) { try await resumed(at: 1) }
        await #expect(throws: MemoryStore.Away.self) { try await resumed(at: 500) }
        store.setAway(false)
        #expect(try await resumed(at: 1).seen == Array(2...400))
        #expect(known.faults == [])
    }

    @Test("Recovery counts with the topics of a connection, and leaves nothing behind when that ends")
    func limits() async throws {
        let viewer = RecordingViewer(loop: loop)
        for number in 1...Int64(HubCore.subscriptionsMax) {
            try await hub.logs.subscribe(viewer, to: .test(number), since: nil, reply: LogFollower.reply)
        }
        await #expect(throws: RPCError.self) {
            try await hub.logs.subscribe(viewer, to: .test(900), since: nil, reply: LogFollower.reply)
        }
        await hub.unsubscribe(viewer, topic: .test(7))
        try await hub.logs.subscribe(viewer, to: .test(900), since: nil, reply: LogFollower.reply)
        await hub.disconnect(viewer)
        await hub.logs.forgetIdle(before: .max)
        #expect(await hub.subscriberTablesAreEmpty)
        #expect(await hub.logs.published(.test(900)) == nil)
    }
}
