import Bus
import Campus
import TestSupport
import Testing
import Wire

@testable import Hub

@Suite("The topic of the heatmap")
struct HeatmapTopicTests {
    private func update(_ time: Timestamp, _ people: Int...) -> HeatmapUpdate {
        HeatmapUpdate(
            serverTime: time,
            cells: people.enumerated().map { HeatCell(x: UInt32($0.offset), y: 1, people: $0.element) })
    }

    private func watch(_ hub: Hub, _ viewer: RecordingViewer) async throws {
        try await hub.heatmap.subscribe(viewer, reply: RecordingViewer.reply(.heatmap))
    }

    private func updates(_ viewer: RecordingViewer) async throws -> [HeatmapUpdate] {
        try await viewer.events().compactMap { if case .heatmap(let update) = $0 { update } else { nil } }
    }

    @Test(
        "The heatmap's topic begins with the published heatmap, and sends all of a changed one once, the same bytes to all"
    )
    func pushes() async throws {
        let stage = Stage()
        let viewers = [stage.viewer(), stage.viewer(), stage.viewer(Stage.secondLoop)]
        for viewer in viewers { try await watch(stage.hub, viewer) }
        for viewer in viewers { #expect(try await updates(viewer).map(\.cells) == [[]]) }
        let (first, same) = (update(stage.clock.now, 10, 25), update(Timestamp(milliseconds: 5), 10, 25))
        await stage.hub.heatmap.publish(first)
        await stage.hub.heatmap.publish(same)
        var bytes: Set<[UInt8]> = []
        for viewer in viewers {
            let deliveries = await viewer.take()
            #expect(deliveries.count == 1 && deliveries.allSatisfy { $0.lane == .conflating })
            bytes.formUnion(deliveries.map(\.frame))
        }
        #expect(bytes.count == 1)
        // Who comes later gets the newest.
        let late = stage.viewer()
        try await watch(stage.hub, late)
        #expect(try await updates(late) == [same])
        await stage.hub.unsubscribe(late, topic: .heatmap)
        await stage.hub.disconnect(viewers[0])
        await stage.hub.heatmap.publish(update(stage.clock.now))
        #expect(await late.take().isEmpty)
        #expect(await viewers[0].take().isEmpty)
        #expect(try await updates(viewers[1]).map(\.cells) == [[]])
    }

    @Test("The heatmap's topic is sent again to a connection that skipped it")
    func refresh() async throws {
        let stage = Stage()
        let viewer = stage.viewer()
        try await watch(stage.hub, viewer)
        await stage.hub.heatmap.publish(update(stage.clock.now, 15))
        _ = await viewer.take()
        await stage.hub.refresh(viewer, topics: [.heatmap], isSlow: false)
        #expect(try await updates(viewer).map { $0.cells.map(\.people) } == [[15]])
    }
}

@Suite("The heatmap at several nodes")
struct HeatmapNodeTests {
    private func report(_ account: Int64, _ x: UInt32, age: UInt64 = 0) -> HeatmapCrowd.Report {
        HeatmapCrowd.Report(person: HeatmapPerson(account: account, place: HeatmapPlace(x: x, y: 7)), age: age)
    }

    /// The node that publishes, and the other.
    private func nodes(_ hubs: TwoHubs) async -> (leader: TwoHubs.Node, other: TwoHubs.Node) {
        await hubs.ownerNode.hub.heatmap.isPublisher ? (hubs.ownerNode, hubs.other) : (hubs.other, hubs.ownerNode)
    }

    @Test("The heatmap is published by one node, to which the others send their counts")
    func leader() async throws {
        let hubs = try await TwoHubs()
        let (leader, other) = await nodes(hubs)
        #expect(await leader.hub.heatmap.isPublisher)
        #expect(await !other.hub.heatmap.isPublisher)
        await other.hub.heatmap.sendCount([report(1, 3), report(2, 4, age: 100)])
        _ = try await eventually("the count is heard") {
            await leader.hub.heatmap.otherCounts == [[report(1, 3), report(2, 4, age: 100)]] ? true : nil
        }
        // The next one says all there is.
        await other.hub.heatmap.sendCount([report(2, 5)])
        _ = try await eventually("the next count is heard") {
            await leader.hub.heatmap.otherCounts == [[report(2, 5)]] ? true : nil
        }
        // One that is not repeated is void after a while.
        hubs.clock.advance(bySeconds: 66)
        #expect(await leader.hub.heatmap.otherCounts.isEmpty)
        await hubs.stop()
    }

    @Test("The heatmap is shown by the other nodes as the one publishes it, and not for long without a message from it")
    func relay() async throws {
        let hubs = try await TwoHubs()
        let (leader, other) = await nodes(hubs)
        let viewer = RecordingViewer(loop: hubs.loop)
        try await other.hub.heatmap.subscribe(viewer, reply: RecordingViewer.reply(.heatmap))
        let update = HeatmapUpdate(serverTime: hubs.clock.now, cells: [HeatCell(x: 3, y: 4, people: 15)])
        await leader.hub.heatmap.publish(update)
        _ = try await eventually("it is relayed") { await other.hub.heatmap.published == update ? true : nil }
        // A second publisher, while the first lives, is not listened to.
        await other.hub.heatmap.publish(HeatmapUpdate(serverTime: hubs.clock.now, cells: []))
        await leader.hub.heatmap.publish(update)
        _ = try await eventually("it is relayed again") { await other.hub.heatmap.published == update ? true : nil }
        #expect(await leader.hub.heatmap.published == update)
        hubs.clock.advance(bySeconds: 91)
        await other.hub.heatmap.sendCount([])
        #expect(await other.hub.heatmap.published.cells.isEmpty)
        let shown = try await viewer.events().compactMap { event -> [Int]? in
            if case .heatmap(let update) = event { update.cells.map(\.people) } else { nil }
        }
        #expect(shown.first == [] && shown.contains([15]) && shown.last == [])
        await hubs.stop()
    }

    @Test(
        "The heatmap is published by the next node when the first is lost, without people who were reported to the first alone"
    )
    func lost() async throws {
        let hubs = try await TwoHubs(silenceMax: .milliseconds(500))
        let (leader, other) = await nodes(hubs)
        await other.hub.heatmap.sendCount([report(1, 3)])
        _ = try await eventually("the count is heard") { await leader.hub.heatmap.otherCounts.isEmpty ? nil : true }
        hubs.network.part([hubs.ownerNode.bus], from: [hubs.other.bus])
        _ = try await eventually("the other publishes") { await other.hub.heatmap.isPublisher ? true : nil }
        _ = try await eventually("its count is void") { await leader.hub.heatmap.otherCounts.isEmpty ? true : nil }
        hubs.network.heal()
        _ = try await eventually("one publishes") { await other.hub.heatmap.isPublisher ? nil : true }
        await hubs.stop()
    }

    @Test("Counts of many people come in several messages, and a count with a missing part is ignored")
    func parts() throws {
        let reports = (1...25_000).map { report(Int64($0), UInt32($0 % 100)) }
        let messages = HeatmapMessage.messages(number: 3, reports)
        #expect(messages.count == 3 && HeatmapMessage.messages(number: 1, []).count == 1)
        var count: HeatmapFeed.Count?
        for message in messages {
            let bytes = message.encoded
            #expect(bytes.count <= BusLimits.messageBytesMax)
            let read = try HeatmapMessage(decoding: bytes)
            #expect(read == message)
            guard case .people(let part, let reports) = read else { return }
            #expect(count?.reports.isEmpty != false)
            count.take(part, reports, now: 9)
        }
        #expect(count?.reports == reports && count?.at == 9)
        guard case .people(let part, let some) = HeatmapMessage.messages(number: 4, reports)[1] else { return }
        count.take(part, some, now: 10)
        #expect(count?.reports == reports && count?.at == 9)
        // What is late is void.
        guard case .people(let old, let older) = HeatmapMessage.messages(number: 2, [report(1, 1)])[0] else { return }
        count.take(old, older, now: 11)
        #expect(count?.reports == reports && count?.at == 9)
    }

    @Test("The longest messages of the heatmap fit into a message of the bus")
    func longest() {
        let account = Int64(1) << 53 - 1
        let place = HeatmapPlace(x: 1 << 19 - 1, y: 1 << 19 - 1)
        let reports = Array(
            repeating: HeatmapCrowd.Report(person: HeatmapPerson(account: account, place: place), age: 120),
            count: HeatmapMessage.peopleMax)
        #expect(HeatmapMessage.messages(number: 1 << 52, reports)[0].encoded.count <= BusLimits.messageBytesMax)
        let cells = Array(
            repeating: HeatCell(x: place.x, y: place.y, people: HeatmapRules.peopleMax),
            count: HeatmapMessage.cellsMax)
        let published = HeatmapMessage.published(at: Timestamp(milliseconds: 1_795_000_000_000), cells)
        #expect(published.encoded.count <= BusLimits.messageBytesMax)
    }

    @Test("A heatmap message that no node writes is refused")
    func malformed() throws {
        let good = HeatmapMessage.published(
            at: Timestamp(milliseconds: 1), [HeatCell(x: 1, y: 1, people: 10)]
        ).encoded
        #expect(throws: BinaryFrameError.self) { try HeatmapMessage(decoding: []) }
        #expect(throws: BinaryFrameError.self) { try HeatmapMessage(decoding: [2] + good.dropFirst()) }
        #expect(throws: BinaryFrameError.self) { try HeatmapMessage(decoding: [1, 9]) }
        #expect(throws: BinaryFrameError.self) { try HeatmapMessage(decoding: good + [0]) }
        for length in 0..<good.count {
            #expect(throws: BinaryFrameError.self) { try HeatmapMessage(decoding: Array(good.prefix(length))) }
        }
        let few = HeatmapMessage.published(at: Timestamp(milliseconds: 1), [HeatCell(x: 1, y: 1, people: 4)]).encoded
        #expect(throws: BinaryFrameError.self) { try HeatmapMessage(decoding: few) }
    }
}
