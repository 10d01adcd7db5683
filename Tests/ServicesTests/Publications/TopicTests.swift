import Foundation
import Hub
import HubCore
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Topics of publications")
struct PublicationTopicTests {
    @Test("Topics that do not exist can be neither read nor written: zones, and test topics without test endpoints")
    func unknownTopics() async throws {
        let world = try await World()
        let plain = Publications(
            loop: world.loop, table: world.table, writer: world.publisher, hub: world.hub, campus: world.campus)
        for (publications, topic) in [(world.publications, Topic.zoneNotices(99)), (plain, .test(1))] {
            let viewer = RecordingViewer(loop: world.loop)
            _ = await refusal(.notFound) {
                try await publications.watch(viewer, topic, since: nil) { $0.json }
            }
            _ = await refusal(.notFound) {
                try await publications.history(topic: topic.description, before: nil, limit: nil)
            }
        }
        _ = await refusal(.notFound) {
            try await plain.publish(TestPublish.Params(topic: "test/1", id: World.newID(), data: ""), by: nil)
        }
        for topic in ["session/1", "zone/1/positions", "notices", "x"] {
            _ = await refusal(.invalidParams) {
                try await world.publications.history(topic: topic, before: nil, limit: nil)
            }
        }
        for (before, limit) in [(0, 1), (1, 0), (1, 101)] as [(Int64, Int)] {
            _ = await refusal(.invalidParams) {
                try await world.publications.history(topic: "campus/notices", before: before, limit: limit)
            }
        }
    }
}
