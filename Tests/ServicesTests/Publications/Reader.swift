import EventLoop
import Foundation
import Hub
import HubCore
import Synchronization
import TestSupport
import Wire

@testable import Services

/// A subscriber of a test topic, and everything that it was given.
struct Reader {
    private static let topics = Atomic<Int64>(0)

    /// A topic that no other test of the shared database has.
    static func newTopic() -> Topic { .test(topics.wrappingAdd(1, ordering: .relaxed).newValue) }

    let viewer = RecordingViewer(loop: TestDatabase.shared.loop)
    let topic: Topic
    private(set) var position: TopicPosition?
    /// The data, in the order in which they came.
    private(set) var data: [String] = []
    private(set) var offsets: [Int64] = []
    private(set) var replies: [Resumed<TestPublication>] = []

    init(_ topic: Topic, at position: TopicPosition? = nil) {
        self.topic = topic
        self.position = position
    }

    mutating func subscribe(_ world: World) async throws {
        try await world.publications.watch(viewer, topic, since: position) {
            Array(#"{"jsonrpc":"2.0","id":1,"result":"#.utf8) + $0.json + Array("}".utf8)
        }
        try await read()
    }

    mutating func read() async throws {
        for event in try await viewer.events() {
            switch event {
            case .resumed(let reply):
                replies.append(reply)
                for publication in reply.publications { take(publication.offset, publication.data) }
                position = TopicPosition(epoch: reply.epoch, offset: reply.offset)
            case .published(let push):
                take(push.offset ?? 0, push.data)
                position = TopicPosition(epoch: push.epoch ?? 0, offset: push.offset ?? 0)
            default: break
            }
        }
    }

    /// Waits until it was given so many.
    mutating func read(upTo count: Int) async throws {
        try await read()
        while data.count < count {
            let before = self
            self = try await eventually("\(count) publications of \(topic)") {
                var next = before
                try await next.read()
                return next.data.count > before.data.count ? next : nil
            }
        }
    }

    private mutating func take(_ offset: Int64, _ publication: TestPublication) {
        offsets.append(offset)
        data.append(publication.data)
    }
}

extension World {
    @discardableResult
    func publish(_ data: String, on topic: Topic, id: String = World.newID()) async throws -> Published {
        try await publications.publish(.init(topic: topic.description, id: id, data: data), by: nil)
    }

    /// Publishes, again until it is acknowledged, as a client does.
    @discardableResult
    func publishUntilAcknowledged(
        _ data: String, on topic: Topic, id: String = World.newID()
    ) async throws -> Published {
        while true {
            do { return try await publish(data, on: topic, id: id) } catch {
                guard RPCError.clientError(error)?.registered?.isRetryable == true else { throw error }
                await loop.sleep(for: .milliseconds(5))
            }
        }
    }

    /// What the table holds.
    func kept(_ topic: Topic) async throws -> [Publication<TestPublication>] {
        try await table.read(topic, after: 0, countMax: 100_000, bytesMax: .max).publications.map {
            Publication(offset: $0.offset, data: try WireJSON.decode(TestPublication.self, from: $0.data))
        }
    }

    static func newID() -> String { UUID().uuidString }
}
