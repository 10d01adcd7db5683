import EventLoop
import Foundation
import Synchronization
import TestSupport
import Wire

@testable import Hub
@testable import HubCore

/// A store in memory, that can be away, lose its beginning, and take its time.
final class MemoryStore: PublicationStore {
    struct Away: Error {}

    private struct Kept {
        var epoch: Int64 = 1
        var head: Int64 = 0
        var publications: [StoredPublication] = []
    }
    private struct State {
        var topics: [Topic: Kept] = [:]
        var isAway = false
        var reads = 0
        var opens = 0
    }
    private let state = Mutex(State())
    /// Runs within every call, when what it gives is settled: answers may be old when they arrive.
    let pause: @Sendable () async -> Void

    init(pause: @escaping @Sendable () async -> Void = {}) { self.pause = pause }

    var reads: Int { state.withLock { $0.reads } }
    var opens: Int { state.withLock { $0.opens } }
    func setAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }

    /// Commits `count` more, whose data say their offset.
    @discardableResult
    func commit(_ count: Int, to topic: Topic, bytes: Int = 0) -> [StoredPublication] {
        state.withLock { state in
            var kept = state.topics[topic] ?? Kept()
            var made: [StoredPublication] = []
            for _ in 0..<count {
                kept.head += 1
                let data = "\(kept.head)" + String(repeating: " ", count: bytes)
                let json = #"{"type":"test","id":"\#(kept.epoch)","data":"\#(data)"}"#
                made.append(StoredPublication(offset: kept.head, data: Array(json.utf8)))
            }
            kept.publications += made
            state.topics[topic] = kept
            return made
        }
    }

    func prune(_ topic: Topic, upTo offset: Int64) {
        state.withLock { $0.topics[topic]?.publications.removeAll { $0.offset <= offset } }
    }

    func renew(_ topic: Topic, epoch: Int64) { state.withLock { $0.topics[topic] = Kept(epoch: epoch) } }

    func open(_ topic: Topic) async throws -> TopicPosition {
        let position = try state.withLock { state in
            guard !state.isAway else { throw Away() }
            state.opens += 1
            let kept = state.topics[topic] ?? Kept()
            state.topics[topic] = kept
            return TopicPosition(epoch: kept.epoch, offset: kept.head)
        }
        await pause()
        return position
    }

    func positions(of topics: [Topic]) async throws -> [Topic: TopicPosition] {
        let positions = try state.withLock { state in
            guard !state.isAway else { throw Away() }
            return state.topics.filter { topics.contains($0.key) }.mapValues {
                TopicPosition(epoch: $0.epoch, offset: $0.head)
            }
        }
        await pause()
        return positions
    }

    func read(_ topic: Topic, after offset: Int64, countMax: Int, bytesMax: Int) async throws -> PublicationPage {
        let page = try state.withLock { state in
            guard !state.isAway else { throw Away() }
            state.reads += 1
            let kept = state.topics[topic] ?? Kept()
            var bytes = 0
            var publications: [StoredPublication] = []
            for publication in kept.publications where publication.offset > offset {
                guard publications.count < countMax, bytes < bytesMax else { break }
                publications.append(publication)
                bytes += publication.data.count
            }
            return PublicationPage(
                head: TopicPosition(epoch: kept.epoch, offset: kept.head), publications: publications)
        }
        await pause()
        return page
    }
}

extension LogFeed {
    /// How far a topic was given to its subscribers.
    func published(_ topic: Topic) -> Int64? { logs[topic]?.published }
    func covers(_ topic: Topic, after offset: Int64) -> Bool? { logs[topic]?.covers(after: offset) }
    /// Bytes of publications in memory, of all topics and of one.
    func ringBytes(_ topic: Topic) -> (all: Int, one: Int?) { (logs.ringBytes, logs[topic]?.ringBytes) }
}

/// A client that follows offsets, and notices whatever is lost, doubled or out of order.
struct LogFollower {
    let viewer: RecordingViewer
    var position: TopicPosition?
    /// What it was given since it began, or since its last snapshot, as the data say.
    var seen: [Int64] = []
    var failures: [RecoveryFailure] = []
    /// What should not have been.
    var faults: [String] = []
    /// The last reply had more to come.
    var wantsMore = false

    init(_ loop: EventLoop, at position: TopicPosition? = nil) {
        viewer = RecordingViewer(loop: loop)
        self.position = position
    }

    /// Reads what came.
    mutating func read() async throws {
        for event in try await viewer.events() {
            switch event {
            case .resumed(let reply): take(reply)
            case .published(let push):
                let next = (position?.offset ?? 0) + 1
                if wantsMore { faults.append("pushed before it was subscribed") }
                if push.epoch != position?.epoch { faults.append("another epoch is pushed") }
                if push.offset != next { faults.append("pushed \(push.offset ?? 0) where \(next) is next") }
                add(push.offset ?? 0, push.data)
            default: faults.append("something else came")
            }
        }
    }

    private mutating func take(_ reply: Resumed<TestPublication>) {
        wantsMore = reply.more == true
        if let reason = reply.reason { failures.append(reason) }
        if !reply.recovered {
            seen = []
            position = TopicPosition(
                epoch: reply.epoch, offset: (reply.publications.first?.offset ?? reply.offset + 1) - 1)
        }
        for publication in reply.publications {
            if publication.offset != (position?.offset ?? 0) + 1 {
                faults.append("recovered \(publication.offset) behind \(position?.offset ?? 0)")
            }
            add(publication.offset, publication.data)
        }
        if position?.offset != reply.offset { faults.append("the reply's position is not its last publication's") }
        position = TopicPosition(epoch: reply.epoch, offset: reply.offset)
    }

    private mutating func add(_ offset: Int64, _ data: TestPublication) {
        if Int64(data.data.filter { $0 != " " }) != offset { faults.append("\(offset) has another's data") }
        position?.offset = offset
        seen.append(offset)
    }

    /// Subscribes once from where it stands, and reads what came.
    mutating func subscribe(_ hub: Hub, _ topic: Topic) async throws {
        try await hub.logs.subscribe(viewer, to: topic, since: position, reply: Self.reply)
        try await read()
    }

    static let reply: @Sendable (Recovery) -> [UInt8] = {
        Array(#"{"jsonrpc":"2.0","id":1,"result":"#.utf8) + $0.json + Array("}".utf8)
    }
}
