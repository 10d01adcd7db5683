import Postgres
import Wire

/// What PostgreSQL holds of a loss run's topics, and how it compares with what writers and subscribers were told.
struct LossAudit {
    struct Topic {
        let epoch: Int64
        let head: Int64
        /// By offset; the first is at `oldest`.
        let ids: [String]
        let oldest: Int64
        /// The offsets have gaps, or do not end with the head.
        let hasGaps: Bool
        /// What was there before the run: everything up to this offset.
        var before: Int64 = 0
        /// Who left during the run, and the offset that says so: the last that the account is given.
        var ends: [Int64: Int64] = [:]

        /// - Parameter rows: All of it, in the order of the offsets.
        init(epoch: Int64, head: Int64, rows: [(offset: Int64, id: String)]) {
            (self.epoch, self.head) = (epoch, head)
            ids = rows.map(\.id)
            oldest = rows.first?.offset ?? head + 1
            let last = rows.last?.offset ?? head
            hasGaps = last != head || last - oldest + 1 != Int64(rows.count)
        }

        func id(at offset: Int64) -> String? {
            let index = offset - oldest
            return index >= 0 && index < Int64(ids.count) ? ids[Int(index)] : nil
        }
    }

    let topics: [String: Topic]

    static func read(_ traffic: any LossTraffic, dataDirectory: String) async throws -> LossAudit {
        try await BenchDatabase.with(dataDirectory) { LossAudit(topics: try await traffic.table($0)) }
    }

    /// Topics whose offsets have gaps.
    var gaps: Int { topics.values.count(where: \.hasGaps) }

    // MARK: Writers

    /// What was acknowledged and is not in the table where the acknowledgement said, or nowhere when it did not say.
    func missing(_ acknowledged: [LossTally.Acknowledged]) -> Int {
        let known = topics.mapValues { Set($0.ids) }
        return acknowledged.count { one in
            guard one.effect != .read else { return false }
            guard let topic = topics[one.place.topic], topic.epoch == one.place.epoch else { return true }
            guard let offset = one.place.offset else { return known[one.place.topic]?.contains(one.id) != true }
            // Pruned ones were stored; a run is too short for that.
            return offset >= topic.oldest && topic.id(at: offset) != one.id
        }
    }

    /// Stored under more than one offset.
    var storedTwice: Int { topics.values.reduce(0) { $0 + $1.ids.count - Set($1.ids).count } }

    /// In the table, and nobody was told.
    func unacknowledged(_ acknowledged: [LossTally.Acknowledged]) -> Int {
        let told = Dictionary(grouping: acknowledged, by: \.place.topic).mapValues { Set($0.map(\.id)) }
        return topics.reduce(0) { sum, topic in
            let during = topic.value.ids.dropFirst(Int(max(0, topic.value.before + 1 - topic.value.oldest)))
            return sum + Set(during).subtracting(told[topic.key] ?? []).count
        }
    }

    // MARK: Subscribers

    /// What a subscriber should have been given of a topic and was not, or was given as something else.
    func lost(_ ledger: LossLedger) -> Int {
        guard let topic = topics[ledger.topic] else { return 0 }
        let state = ledger.snapshot
        guard let first = state.first, state.position?.epoch == topic.epoch else { return topic.ids.count }
        let runs = state.closedRuns + [LossLedger.Run(first: first, hashes: state.hashes)]
        // Who was away when it left is not told of the rest.
        var lost = topic.ends[ledger.account] == nil ? max(0, Int(topic.head - (state.position?.offset ?? 0))) : 0
        for run in runs {
            for (index, hash) in run.hashes.enumerated() {
                let offset = run.first + 1 + Int64(index)
                guard offset >= topic.oldest else { continue }
                if topic.id(at: offset).map(LossLedger.hash) != hash { lost += 1 }
            }
        }
        return lost
    }

    /// What a subscriber was given of a topic behind its own end.
    func leaked(_ ledger: LossLedger) -> Int {
        guard let end = topics[ledger.topic]?.ends[ledger.account] else { return 0 }
        return max(0, Int((ledger.position?.offset ?? 0) - end))
    }

    /// Whether what the server said is so, by the table and the protocol's limits.
    func isJustified(_ unrecovered: LossTally.Unrecovered, recoveryMax: Int64) -> Bool {
        guard let topic = topics[unrecovered.topic] else { return false }
        switch unrecovered.reason {
        case .epochChanged: return unrecovered.since.epoch != unrecovered.reply.epoch
        case .tooOld: return topic.oldest > unrecovered.since.offset + 1
        case .tooMany: return unrecovered.reply.offset - unrecovered.since.offset > recoveryMax
        // What a subscriber was given is committed, and so never the future.
        case .future: return false
        }
    }

    /// Whether all have come as far as the table.
    func isReached(by ledgers: [LossLedger]) -> Bool {
        ledgers.allSatisfy { ledger in
            guard let topic = topics[ledger.topic], topic.ends[ledger.account] == nil else { return true }
            return ledger.position?.offset ?? 0 >= topic.head
        }
    }
}
