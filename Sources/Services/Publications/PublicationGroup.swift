import Hub
import HubCore
import Postgres
import Wire

/// A validated publication that is not stored yet.
struct Draft: Sendable {
    let topic: Topic
    /// Client-chosen UUID in lower case; a draft with the same UUID is a repetition.
    let clientID: String
    let authorID: Int64?
    let at: Timestamp
    /// One JSON value, encoded.
    let data: [UInt8]
}

/// Drafts that are committed in one transaction, with the statements that store them.
///
/// The statements are one pipelined round trip. The first locks the topics' rows in a fixed order and holds the locks until the commit,
/// so that offsets follow the commit order across all servers. The second detects, under the locks, which drafts are published already.
struct PublicationGroup: Sendable {
    let drafts: [Draft]

    private static let lock = """
        SELECT name, epoch, head_offset FROM topics WHERE name = ANY($1::text[]) ORDER BY id FOR UPDATE
        """

    private static let insert = """
        WITH input AS (
            SELECT t.id AS topic_id, i.client_id::uuid AS client_id, i.author_id, i.at, i.data::json AS data, i.n
            FROM unnest($1::text[], $2::text[], $3::bigint[], $4::timestamptz[], $5::text[]) WITH ORDINALITY
                AS i (name, client_id, author_id, at, data, n) JOIN topics t ON t.name = i.name),
        fresh AS (
            SELECT DISTINCT ON (i.topic_id, i.client_id) i.* FROM input i
            WHERE NOT EXISTS (SELECT FROM publications p WHERE (p.topic_id, p.client_id) = (i.topic_id, i.client_id))
            ORDER BY i.topic_id, i.client_id, i.n),
        placed AS (SELECT f.*, row_number() OVER (PARTITION BY f.topic_id ORDER BY f.n) AS place FROM fresh f),
        moved AS (
            UPDATE topics t SET head_offset = t.head_offset + c.count
            FROM (SELECT topic_id, count(*) AS count FROM placed GROUP BY topic_id) c WHERE t.id = c.topic_id
            RETURNING t.id, t.head_offset - c.count AS before)
        INSERT INTO publications (topic_id, at_offset, client_id, author_id, at, data)
        SELECT p.topic_id, m.before + p.place, p.client_id, p.author_id, p.at, p.data
        FROM placed p JOIN moved m ON m.id = p.topic_id
        """

    private static let find = """
        SELECT p.at_offset FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS i (name, client_id, n)
        JOIN topics t ON t.name = i.name
        JOIN publications p ON p.topic_id = t.id AND p.client_id = i.client_id::uuid
        ORDER BY i.n
        """

    var topics: [Topic] { Array(Set(drafts.map(\.topic))) }

    /// Statements of the transaction. The topics must exist in the table.
    var statements: [PostgresStatement] {
        let names = PostgresValue.textArray(drafts.map(\.topic.description))
        let ids = PostgresValue.textArray(drafts.map(\.clientID))
        return [
            PostgresStatement(Self.lock, [.textArray(topics.map(\.description))]),
            PostgresStatement(
                Self.insert,
                [
                    names, ids, .optionalIntArray(drafts.map(\.authorID)),
                    .timestampArray(drafts.map(\.at.milliseconds)),
                    .textArray(drafts.map { String(decoding: $0.data, as: UTF8.self) }),
                ]),
            PostgresStatement(Self.find, [names, ids]),
        ]
    }

    /// Result of a committed group.
    struct Outcome: Sendable {
        /// Position of each draft, in the drafts' order.
        let places: [Published]
        /// New publications by topic, with consecutive offsets.
        let fresh: [Topic: [StoredPublication]]
        let epochs: [Topic: Int64]
    }

    /// - Parameter answers: Answers to ``statements`` after the commit.
    func outcome(_ answers: [PostgresRows]) throws -> Outcome {
        guard answers.count == 3, answers[2].count == drafts.count else {
            throw RPCError(.internalError, "a group of publications was not stored whole")
        }
        var heads: [Topic: TopicPosition] = [:]
        for row in answers[0] {
            guard let topic = Topic(try row.text("name")) else { continue }
            heads[topic] = TopicPosition(epoch: try row.int("epoch"), offset: try row.int("head_offset"))
        }
        var places: [Published] = []
        var fresh: [Topic: [Int64: StoredPublication]] = [:]
        for (draft, row) in zip(drafts, answers[2]) {
            guard let before = heads[draft.topic] else {
                throw RPCError(.internalError, "a publication's topic was not locked")
            }
            let offset = try row.int("at_offset")
            places.append(Published(topic: draft.topic.description, epoch: before.epoch, offset: offset))
            // Of repeated drafts in one group, the first is stored.
            guard offset > before.offset, fresh[draft.topic]?[offset] == nil else { continue }
            fresh[draft.topic, default: [:]][offset] = StoredPublication(offset: offset, data: draft.data)
        }
        return Outcome(
            places: places, fresh: fresh.mapValues { $0.values.sorted { $0.offset < $1.offset } },
            epochs: heads.mapValues(\.epoch))
    }
}
