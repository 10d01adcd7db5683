import EventLoop
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import HubCore

@Suite("A reliable topic")
struct LogTests {
    private let loop = TestDatabase.shared.loop
    private let topic = Topic.test(1)

    private func hub(_ store: MemoryStore) -> Hub { Hub(loop: loop, store: store) }

    @Test("A reliable topic publishes in the order of the offsets, each once, however commits are announced")
    func order() async throws {
        for seed in UInt64(1)...40 {
            var random = SeededGenerator(seed: seed)
            let store = MemoryStore { await Task.yield() }
            let hub = hub(store)
            var follower = LogFollower(loop)
            try await follower.subscribe(hub, topic)
            var untold: [[StoredPublication]] = []
            for _ in 0..<30 {
                untold.append(store.commit(Int.random(in: 1...4, using: &random), to: topic))
                // Late, twice, in the wrong order, or never.
                untold.shuffle(using: &random)
                for made in untold where Bool.random(using: &random) {
                    if Bool.random(using: &random) {
                        await hub.logs.publish(made, topic: topic, epoch: 1)
                    } else {
                        await hub.logs.advance(topic, to: TopicPosition(epoch: 1, offset: made[0].offset))
                    }
                }
                if untold.count > 6 { untold.removeFirst(3) }
            }
            #expect(await hub.logs.poll([topic]))
            let head = try await store.open(topic).offset
            _ = try await eventually("everything is published (seed \(seed))") {
                await hub.logs.published(topic) == head ? true : nil
            }
            try await follower.read()
            #expect(follower.faults == [], "seed \(seed)")
            #expect(follower.seen == Array(1...head), "seed \(seed)")
        }
    }

    @Test("Whoever subscribes while others publish, and comes back again and again, has all of it, each once, in order")
    func subscribingWhilePublishing() async throws {
        for seed in UInt64(1)...60 {
            var random = SeededGenerator(seed: seed)
            let yields = Int.random(in: 0...4, using: &random)
            let store = MemoryStore { for _ in 0..<yields { await Task.yield() } }
            let (hub, topic) = (hub(store), topic)
            store.commit(Int.random(in: 0...300, using: &random), to: topic)
            let rounds = Int.random(in: 20...60, using: &random)
            let pushesAlong = Bool.random(using: &random)
            let publishing = Task {
                for _ in 0..<rounds {
                    let made = store.commit(2, to: topic)
                    if pushesAlong {
                        await hub.logs.publish(made, topic: topic, epoch: 1)
                    } else {
                        await hub.logs.advance(topic, to: TopicPosition(epoch: 1, offset: made[1].offset))
                    }
                    await Task.yield()
                }
            }
            var followers = (0..<4).map { _ in
                LogFollower(loop, at: TopicPosition(epoch: 1, offset: 0))
            }
            for _ in 0..<12 {
                let index = Int.random(in: followers.indices, using: &random)
                if Bool.random(using: &random) {
                    await hub.disconnect(followers[index].viewer)
                } else {
                    await hub.unsubscribe(followers[index].viewer, topic: topic)
                }
                try await followers[index].read()
                try await followers[index].subscribe(hub, topic)
                if Int.random(in: 0..<5, using: &random) == 0 {
                    await hub.logs.forgetIdle(before: .max)
                }
            }
            await publishing.value
            let head = try await store.open(topic).offset
            for index in followers.indices {
                await hub.disconnect(followers[index].viewer)
                try await followers[index].read()
                repeat { try await followers[index].subscribe(hub, topic) } while followers[index].wantsMore
                _ = try await eventually("follower \(index) has all (seed \(seed))") {
                    try await followers[index].read()
                    return followers[index].seen.last == head ? true : nil
                }
                #expect(followers[index].faults == [], "seed \(seed)")
                #expect(followers[index].failures == [], "seed \(seed)")
                #expect(followers[index].seen == Array(1...head), "seed \(seed)")
            }
        }
    }

    @Test("A reliable topic waits for what is missing while the store is away, and goes on when it is back")
    func away() async throws {
        let store = MemoryStore()
        let hub = hub(store)
        var follower = LogFollower(loop)
        try await follower.subscribe(hub, topic)
        store.setAway(true)
        store.commit(1, to: topic)
        // One that another server committed is missing: what comes behind must wait.
        await hub.logs.publish(store.commit(3, to: topic), topic: topic, epoch: 1)
        try await follower.read()
        #expect(follower.seen == [])
        store.setAway(false)
        _ = try await eventually("the rest comes") {
            try await follower.read()
            return follower.seen == [1, 2, 3, 4] ? true : nil
        }
        #expect(follower.faults == [])
    }

    @Test("What was perhaps committed is found by itself, and published")
    func markInDoubt() async throws {
        let store = MemoryStore()
        let hub = hub(store)
        var follower = LogFollower(loop)
        try await follower.subscribe(hub, topic)
        store.setAway(true)
        store.commit(2, to: topic)
        await hub.logs.markInDoubt([topic])
        store.setAway(false)
        _ = try await eventually("it comes") {
            try await follower.read()
            return follower.seen == [1, 2] ? true : nil
        }
        #expect(follower.faults == [])
    }

    @Test("A reliable topic is looked up once for many subscribers, which are then served from memory")
    func crowd() async throws {
        let store = MemoryStore { for _ in 0..<5 { await Task.yield() } }
        store.commit(100, to: topic)
        let (hub, topic, loop) = (hub(store), topic, loop)
        try await withThrowingTaskGroup(of: LogFollower.self) { group in
            for offset in Int64(0)..<50 {
                group.addTask {
                    var follower = LogFollower(loop, at: TopicPosition(epoch: 1, offset: offset))
                    try await follower.subscribe(hub, topic)
                    return follower
                }
            }
            for try await follower in group {
                #expect(follower.faults == [])
                #expect(follower.position?.offset == 100)
            }
        }
        #expect(store.opens == 1)
        #expect(store.reads == 1)
    }

    @Test("A reliable topic keeps no more in memory than its limits, and nothing without subscribers")
    func memory() async throws {
        let store = MemoryStore()
        let hub = hub(store)
        var follower = LogFollower(loop)
        try await follower.subscribe(hub, topic)
        await hub.logs.publish(store.commit(1_500, to: topic), topic: topic, epoch: 1)
        #expect(await hub.logs.covers(topic, after: 500) == true)
        #expect(await hub.logs.covers(topic, after: 499) == false)
        await hub.logs.publish(store.commit(20, to: topic, bytes: 200_000), topic: topic, epoch: 1)
        let (all, ring) = await hub.logs.ringBytes(topic)
        #expect(all <= TopicLog.ringBytesMax)
        #expect(all == ring)
        await hub.logs.forgetIdle(before: .max)
        #expect(await hub.logs.published(topic) == 1_520)
        await hub.disconnect(follower.viewer)
        await hub.logs.forgetIdle(before: .max)
        #expect(await hub.logs.published(topic) == nil)
        #expect(await hub.logs.ringBytes(topic).all == 0)
    }
}
