import EventLoop
import Logging
import Postgres
import Server
import Wire

/// What PostgreSQL holds of a loss run's topics, and how it compares with what publishers and subscribers were told.
struct LossAudit {
    /// Looks at what no subscriber gets further than.
    struct Topic {
        var epoch: Int64
        var head: Int64
        /// By offset; the first is at `oldest`.
        var ids: [String] = []
        var oldest: Int64 = 1
    }

    private(set) var topics: [String: Topic] = [:]
    /// Publications in the table.
    var stored: Int { topics.values.reduce(0) { $0 + $1.ids.count } }
    /// Topics whose offsets have gaps, or do not end with the head.
    private(set) var gaps = 0

    static func read(dataDirectory: String) async throws -> LossAudit {
        let loop = try EventLoop(label: "bench")
        let configuration = ServerConfiguration(dataDirectory: dataDirectory, resources: try Resources.find())
        let access = try await DatabaseAccess.open(
            configuration, loop: loop, migrating: false, joining: true, logger: Logger(label: "campanile.bench"))
        let database = try await PostgresConnection.connect(configuration: access.owner, loop: loop)
        var audit = LossAudit()
        for row in try await database.query("SELECT name, epoch, head_offset FROM topics WHERE name LIKE 'test/%'") {
            let name = try row.text("name")
            var topic = Topic(epoch: try row.int("epoch"), head: try row.int("head_offset"))
            let rows = try await database.query(
                """
                SELECT p.at_offset, p.client_id FROM publications p JOIN topics t ON t.id = p.topic_id
                WHERE t.name = $1 ORDER BY p.at_offset
                """, [.text(name)])
            topic.ids = try rows.map { try $0.uuid("client_id") }
            topic.oldest = try rows.first?.int("at_offset") ?? topic.head + 1
            let last = try rows.last?.int("at_offset") ?? topic.head
            if last != topic.head || last - topic.oldest + 1 != Int64(rows.count) { audit.gaps += 1 }
            audit.topics[name] = topic
        }
        database.close()
        await access.close()
        return audit
    }

    // MARK: Publishers

    /// Acknowledged publications that are not in the table where the acknowledgement said.
    func missing(_ acknowledged: [LossTally.Acknowledged]) -> Int {
        acknowledged.count { one in
            guard let topic = topics[one.place.topic], topic.epoch == one.place.epoch else { return true }
            let index = one.place.offset - topic.oldest
            // Pruned ones were stored; a run is too short for that.
            return index >= 0 && (index >= topic.ids.count || topic.ids[Int(index)] != one.id)
        }
    }

    /// Publications stored under more than one offset.
    var storedTwice: Int { topics.values.reduce(0) { $0 + $1.ids.count - Set($1.ids).count } }

    /// In the table, and nobody was told.
    func unacknowledged(_ acknowledged: [LossTally.Acknowledged]) -> Int {
        stored - Set(acknowledged.map(\.id)).intersection(Set(topics.values.flatMap(\.ids))).count
    }

    // MARK: Subscribers

    /// What a subscriber should have been given of a topic and was not, or was given as something else.
    func lost(_ ledger: LossLedger) -> Int {
        guard let topic = topics[ledger.topic] else { return 0 }
        let state = ledger.snapshot
        guard let first = state.first, state.position?.epoch == topic.epoch else { return topic.ids.count }
        let runs = state.closedRuns + [LossLedger.Run(first: first, hashes: state.hashes)]
        var lost = max(0, Int(topic.head - (state.position?.offset ?? 0)))
        for run in runs {
            for (index, hash) in run.hashes.enumerated() {
                let place = run.first + 1 + Int64(index) - topic.oldest
                guard place >= 0 else { continue }
                if place >= topic.ids.count || LossLedger.hash(topic.ids[Int(place)]) != hash { lost += 1 }
            }
        }
        return lost
    }

    /// Whether what the server said is so, by the table and the protocol's limits.
    func isJustified(_ unrecovered: LossTally.Unrecovered) -> Bool {
        guard let topic = topics[unrecovered.topic] else { return false }
        switch unrecovered.reason {
        case .epochChanged: return unrecovered.since.epoch != unrecovered.reply.epoch
        case .tooOld: return topic.oldest > unrecovered.since.offset + 1
        case .tooMany: return unrecovered.reply.offset - unrecovered.since.offset > LossScenario.recoveryPublicationsMax
        // What a subscriber was given is committed, and so never the future.
        case .future: return false
        }
    }

    /// Whether all have come as far as the table.
    func isReached(by ledgers: [LossLedger]) -> Bool {
        ledgers.allSatisfy { ledger in
            topics[ledger.topic].map { ledger.position?.offset ?? 0 >= $0.head } ?? true
        }
    }
}
