import CampanileClient
import Foundation
import Postgres
import Wire

/// Traffic of publications on `test/<n>`, with guests as publishers and subscribers.
struct LossTopics: LossTraffic {
    /// Topics that each subscriber follows.
    private static let followedMax = 3

    let things = "publications"
    let devices: [LossDevice]
    let writers: [String?]
    /// The limit in the Protocol article.
    let recoveryMax: Int64 = 5_000
    private let topics: [String]

    init(_ options: LossOptions) {
        let names = (1...options.topics).map { "test/\($0)" }
        topics = names
        writers = Array(repeating: nil, count: options.publishers)
        devices = (0..<options.clients).map { index in
            LossDevice(
                ledgers: (0..<min(Self.followedMax, names.count)).map {
                    LossLedger(topic: names[(index + $0) % names.count])
                })
        }
    }

    func follow(
        _ topic: String, since: TopicPosition?, on connection: CampanileConnection,
        onEvent: @escaping @Sendable (LossEvent) -> Void
    ) async throws {
        try await connection.follow(log: topic, of: TestPublication.self, since: since) { event in
            onEvent(
                LossEvent(event) {
                    LossItem(offset: $0.offset, id: $0.data.id, stamp: LossStamp($0.data.data))
                })
        }
    }

    func next(of writer: Int, stamp: LossStamp) -> LossWrite {
        let params = TestPublish.Params(
            topic: topics.randomElement() ?? "test/1", id: UUID().uuidString.lowercased(), data: stamp.text)
        return LossWrite(id: params.id) { connection in
            let position = try await connection.call(TestPublish.self, params)
            return LossPosition(topic: position.topic, epoch: position.epoch, offset: position.offset)
        }
    }

    func table(_ database: PostgresConnection) async throws -> [String: LossAudit.Topic] {
        var topics: [String: LossAudit.Topic] = [:]
        for row in try await database.query("SELECT name, epoch, head_offset FROM topics WHERE name LIKE 'test/%'") {
            let name = try row.text("name")
            let rows = try await database.query(
                """
                SELECT p.at_offset, p.client_id FROM publications p JOIN topics t ON t.id = p.topic_id
                WHERE t.name = $1 ORDER BY p.at_offset
                """, [.text(name)])
            topics[name] = LossAudit.Topic(
                epoch: try row.int("epoch"), head: try row.int("head_offset"),
                rows: try rows.map { (try $0.int("at_offset"), try $0.uuid("client_id")) })
        }
        return topics
    }
}
