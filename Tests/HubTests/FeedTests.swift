import Bus
import Campus
import EventLoop
import Metrics
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import HubCore

/// A feed as small as the example of the NewStream article: a number for each topic, published when it has changed.
private actor NumberFeed: Feed {
    nonisolated let core: HubCore
    nonisolated let kinds: [Topic.Kind] = [.test]
    nonisolated var unownedExecutor: UnownedSerialExecutor { core.loop.asUnownedSerialExecutor() }

    private var numbers: [Topic: Int] = [:]
    private var viewers: [Topic: SubscriberSet] = [:]
    private var changed: Set<Topic> = []
    private(set) var closedConnections = 0

    init(_ core: HubCore) { self.core = core }

    func subscribe(_ subscriber: any Subscriber, _ topic: Topic) throws {
        try core.remember(topic, of: subscriber)
        viewers[topic, default: SubscriberSet()].insert(subscriber)
        send(Self.json(topic, numbers[topic] ?? 0), topic: topic, to: subscriber)
    }

    func set(_ number: Int, of topic: Topic) {
        numbers[topic] = number
        changed.insert(topic)
        scheduleTick()
    }

    func tick() {
        for topic in changed {
            let delivery = Delivery(topic: topic, json: Self.json(topic, numbers[topic] ?? 0), lane: .conflating)
            publish(delivery, to: viewers[topic] ?? SubscriberSet())
        }
        changed = []
    }

    func left(_ topic: Topic, _ subscriber: any Subscriber) { viewers[topic]?.remove(subscriber) }
    func closed(_ subscriber: any Subscriber) { closedConnections += 1 }

    func refresh(_ subscriber: any Subscriber, _ topics: Set<Topic>, isSlow: Bool) {
        for topic in topics { send(Self.json(topic, numbers[topic] ?? 0), topic: topic, to: subscriber) }
    }

    func viewerCount(_ topic: Topic) -> Int { viewers[topic]?.count ?? 0 }
}

extension HubCore {
    fileprivate static func alone(metrics: MetricRegistry = MetricRegistry()) -> HubCore {
        HubCore(
            loop: TestDatabase.shared.loop, now: { .now }, firstTickDelay: .milliseconds(1),
            metrics: HubCoreMetrics(metrics), monotonic: { EventLoop.nowNanoseconds })
    }
}

extension Feed {
    /// Calls the core on its loop, as a session does.
    fileprivate func onCore<R: Sendable>(_ body: @Sendable (HubCore) throws -> R) rethrows -> R { try body(core) }
}

@Suite("Feeds")
struct FeedTests {
    private func numbers(_ viewer: RecordingViewer) async throws -> [Int] {
        try await viewer.take().flatMap(\.messages).map {
            try WireJSON.decode(Push<Int>.self, from: RecordingViewer.payload(of: $0.frame)).params.data
        }
    }

    @Test("A new kind of stream works with the core alone: snapshot, changes with the tick, refresh, and the end")
    func newFeed() async throws {
        let core = HubCore.alone()
        let feed = NumberFeed(core)
        core.register([feed])
        let viewer = RecordingViewer(loop: core.loop)
        try await feed.subscribe(viewer, .test(1))
        await feed.set(7, of: .test(1))
        await feed.set(8, of: .test(1))
        await feed.set(9, of: .test(2))
        var seen: [Int] = []
        _ = try await eventually("the change is published with a tick, once") { () -> Bool? in
            seen += try await numbers(viewer)
            return seen == [0, 8] ? true : nil
        }
        await feed.onCore { $0.refresh(viewer, topics: [.test(1)], isSlow: false) }
        #expect(try await numbers(viewer) == [8])
        await feed.onCore { $0.unsubscribe(viewer, topic: .test(1)) }
        #expect(await feed.viewerCount(.test(1)) == 0)
        try await feed.subscribe(viewer, .test(2))
        await feed.onCore { $0.disconnect(viewer) }
        #expect(await feed.viewerCount(.test(2)) == 0)
        #expect(await feed.closedConnections == 1)
        #expect(await feed.onCore { $0.subscriptions.isEmpty })
    }

    @Test("A connection may have as many topics as the core allows, and one more after it has left one")
    func topicsMax() async throws {
        let core = HubCore.alone()
        let feed = NumberFeed(core)
        core.register([feed])
        let viewer = RecordingViewer(loop: core.loop)
        for number in 1...Int64(HubCore.subscriptionsMax) { try await feed.subscribe(viewer, .test(number)) }
        try await feed.subscribe(viewer, .test(1))
        await #expect(throws: RPCError.self) { try await feed.subscribe(viewer, .test(1_000)) }
        await feed.onCore { $0.unsubscribe(viewer, topic: .test(3)) }
        try await feed.subscribe(viewer, .test(1_000))
    }

    @Test("The heatmap's feed works alone: a subscriber gets the published heatmap, and each that differs")
    func heatmap() async throws {
        let feed = HeatmapFeed(HubCore.alone())
        let viewer = RecordingViewer(loop: feed.loop)
        try await feed.subscribe(viewer) { _ in Array("{}".utf8) }
        let cells = [HeatCell(x: 1, y: 2, people: 5)]
        for _ in 1...2 { await feed.publish(HeatmapUpdate(serverTime: .now, cells: cells)) }
        #expect(await feed.publishedByPlace().people.values.map { $0 } == [5])
        #expect(await viewer.take().count == 2)
        #expect(await feed.isPublisher)
    }

    @Test("The feed of signals works alone: each device of the account gets a signal, and no blocked account's signal")
    func signals() async throws {
        let blocks = Blocks()
        let feed = SignalFeed(HubCore.alone(), blocks: blocks)
        let viewers = (0..<2).map { _ in RecordingViewer(loop: feed.loop) }
        for viewer in viewers { try await feed.subscribe(viewer, account: 1) { Array("{}".utf8) } }
        await feed.publish(
            [AccountSignal(1, UserSignal(type: .goal)), AccountSignal(2, UserSignal(type: .goal))], by: 3)
        for viewer in viewers { #expect(await viewer.take().count == 2) }
        _ = await feed.inOneIteration { _ in blocks.set(1, 3, isOn: true) }
        await feed.publish([AccountSignal(1, UserSignal(type: .goal))], by: 3)
        for viewer in viewers { #expect(await viewer.take().isEmpty) }
    }

    @Test("The feed of presence works alone: it counts members by account, and names them to those who may see names")
    func presence() async throws {
        let feed = PresenceFeed(HubCore.alone(), interval: .seconds(3_600))
        let (owner, viewer) = (RecordingViewer(loop: feed.loop), RecordingViewer(loop: feed.loop))
        let ann = PresenceAccount(id: 1, name: "ann")
        _ = await feed.join(.session(1), owner, as: PresenceMember(account: nil, isCounted: false, seesNames: true))
        let seen = await feed.join(
            .session(1), viewer, as: PresenceMember(account: ann, isCounted: true, seesNames: false))
        #expect(seen?.count == 1 && seen?.names == nil)
        await feed.publishChanges()
        let pushes = try await owner.take().flatMap(\.messages).map {
            try WireJSON.decode(Push<PresenceUpdate>.self, from: RecordingViewer.payload(of: $0.frame)).params.data
        }
        #expect(pushes.map(\.presence.names) == [["ann"]])
    }

    @Test("The feed of shares works alone: a viewer gets the owner's location in the precision of the share")
    func shares() async throws {
        let feed = ShareFeed(HubCore.alone(), blocks: Blocks())
        let viewer = RecordingViewer(loop: feed.loop)
        let share = StoredShare(1, of: 9, .person, .exact, at: .now)
        try await feed.watch(
            viewer, share, account: 1, opening: 1, byLink: false, reply: RecordingViewer.reply(.share(1)))
        let fix = LocatedFix(
            point: try .init(latitude: 1, longitude: 2), accuracy: 5, heading: nil, speed: nil, source: .gps, at: .now)
        try await feed.locate(fix, of: 9)
        #expect(await feed.location(of: 9)?.point.longitude == 2)
        #expect(await feed.watching([1]) == [1: 1])
        await feed.end([1])
        #expect(await feed.watching([1]) == [1: 0])
    }
}
