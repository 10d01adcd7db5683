import Hub
import HubCore
import Wire

/// Existing topics, and permissions to read and publish.
extension Publications {
    /// Largest size of a test publication, in bytes.
    static let testBytesMax = 10_000
    /// Largest number of publications in a page of history.
    static let historyMax = 100
    static let historyDefault = 20
    /// Bytes at which a page of history ends; the publication that reaches it is included.
    static let historyBytesMax = 524_288

    // MARK: Reading

    /// Subscribes a connection to a reliable topic; see ``Hub/LogFeed/subscribe(_:to:since:reply:)``.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func watch(
        _ subscriber: any Subscriber, _ topic: Topic, since: TopicPosition?, reply: @Sendable (Recovery) -> [UInt8]
    ) async throws {
        try demand(topic)
        try await hub.logs.subscribe(subscriber, to: topic, since: since, reply: reply)
    }

    /// Reads a page of a topic's history, newest first.
    /// - Returns: The result as JSON, with publications exactly as stored.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func history(topic name: String, before: Int64?, limit: Int?) async throws -> [UInt8] {
        guard let topic = Topic(name), topic.isReliable else {
            throw RPCError.invalid("topic", "is not a topic with a history, such as campus/notices")
        }
        try demand(topic)
        let limit = limit ?? Self.historyDefault
        guard (1...Self.historyMax).contains(limit) else {
            throw RPCError.invalid("limit", "must be 1 to \(Self.historyMax)")
        }
        guard before ?? 1 >= 1 else { throw RPCError.invalid("before", "is not a reply's next") }
        // Creates the topic's row if the topic was never used.
        _ = try await table.open(topic)
        let page = try await table.readBackwards(
            topic, before: before ?? .max, countMax: limit, bytesMax: Self.historyBytesMax)
        var json = JSONText(bytesExpected: page.publications.reduce(256) { $0 + $1.data.count + 32 })
        json.add("{\"topic\":", topic)
        json.add(",\"epoch\":", page.head.epoch)
        json.add(",\"publications\":")
        json.add(page.publications)
        if let last = page.publications.last, last.offset > 1 { json.add(",\"next\":", last.offset) }
        json.add("}")
        return json.bytes
    }

    /// Requires that the topic exists on this server and is readable here.
    /// - Throws: ``Wire/RPCError`` `notFound`, or `invalidParams` for a topic of another kind.
    private func demand(_ topic: Topic) throws {
        switch topic {
        case .campusNotices: return
        case .zoneNotices(let zone):
            guard campus.snapshot.info.zones.contains(where: { $0.id == zone }) else {
                throw RPCError(.notFound, "there is no such zone: hello lists them", field: "topic")
            }
        case .test:
            guard hasTestTopics else { throw RPCError(.notFound, "there is no such topic", field: "topic") }
        case .chat: throw RPCError.invalid("topic", "is a conversation: chat.history reads it")
        case .notices: throw RPCError.invalid("topic", "has no public history: use notices.list")
        case .zonePositions, .cellPositions, .session, .user, .heatmap, .share, .people, .route, .workout:
            throw RPCError.invalid("topic", "is not a topic of publications")
        }
    }

    // MARK: Publishing

    /// Publishes on a test topic for any caller.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``; see ``publish(_:)``.
    public func publish(_ params: TestPublish.Params, by identity: Identity?) async throws -> Published {
        guard case .test? = Topic(params.topic) else {
            throw RPCError.invalid("topic", "must be test/<n>, 1 to \(Topic.testMax)")
        }
        guard params.data.utf8.count <= Self.testBytesMax else {
            throw RPCError.invalid("data", "has at most \(Self.testBytesMax) bytes")
        }
        let id = try Inputs.clientID(params.id)
        return try await publish(
            TestPublication(id: id, data: params.data), id, on: params.topic, at: now(), by: identity)
    }

    private func publish(
        _ data: some Encodable, _ id: String, on name: String, at time: Timestamp, by identity: Identity?
    ) async throws -> Published {
        guard let topic = Topic(name) else { throw RPCError.invalid("topic", "is not a topic") }
        try demand(topic)
        return try await publish(
            Draft(
                topic: topic, clientID: id, authorID: identity?.account.id, at: time,
                data: try WireJSON.encode(data)))
    }
}
