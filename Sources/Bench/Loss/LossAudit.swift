import Postgres
import Wire

/// The contents of a loss run's topics in PostgreSQL, and their comparison with what writers and subscribers received.
struct LossAudit {
    struct Topic {
        let epoch: Int64
        let head: Int64
        /// Ids by offset; the first is at `oldest`.
        let ids: [String]
        let oldest: Int64
        /// True if the offsets have gaps, or do not end with the head.
        let hasGaps: Bool
        /// The last offset before the run.
        var before: Int64 = 0
        /// By account that left during the run, the offset of the event that records it: the last that the account
        /// receives.
        var ends: [Int64: Int64] = [:]

        /// - Parameter rows: All rows, in the order of the offsets.
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

    /// Number of topics whose offsets have gaps.
    var gaps: Int { topics.values.count(where: \.hasGaps) }

    // MARK: Writers

    /// Number of acknowledged writes that are not at the acknowledged offset in the table, or not in the table at all
    /// if the acknowledgement had no offset.
    func missing(_ acknowledged: [LossTally.Acknowledged]) -> Int {
        let known = topics.mapValues { Set($0.ids) }
        return acknowledged.count { one in
            guard one.effect != .read else { return false }
            guard let topic = topics[one.position.topic], topic.epoch == one.position.epoch else { return true }
            guard let offset = one.position.offset else { return known[one.position.topic]?.contains(one.id) != true }
            // Pruned publications were stored; a run is too short for pruning.
            return offset >= topic.oldest && topic.id(at: offset) != one.id
        }
    }

    /// Number of publications stored at more than one offset.
    var storedTwice: Int { topics.values.reduce(0) { $0 + $1.ids.count - Set($1.ids).count } }

    /// Number of publications of the run in the table that were never acknowledged.
    func unacknowledged(_ acknowledged: [LossTally.Acknowledged]) -> Int {
        let acknowledgedByTopic = Dictionary(grouping: acknowledged, by: \.position.topic).mapValues {
            Set($0.map(\.id))
        }
        return topics.reduce(0) { sum, topic in
            let during = topic.value.ids.dropFirst(Int(max(0, topic.value.before + 1 - topic.value.oldest)))
            return sum + Set(during).subtracting(acknowledgedByTopic[topic.key] ?? []).count
        }
    }

    // MARK: Subscribers

    /// Number of publications of a topic that a subscriber should have received and did not, or received differently.
    func lost(_ ledger: LossLedger) -> Int {
        guard let topic = topics[ledger.topic] else { return 0 }
        let state = ledger.snapshot
        guard let first = state.first, state.position?.epoch == topic.epoch else { return topic.ids.count }
        let runs = state.closedRuns + [LossLedger.Run(first: first, hashes: state.hashes)]
        // An account that was disconnected when it left does not receive the rest.
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

    /// Number of publications that a subscriber received after its account had left the topic.
    func leaked(_ ledger: LossLedger) -> Int {
        guard let end = topics[ledger.topic]?.ends[ledger.account] else { return 0 }
        return max(0, Int((ledger.position?.offset ?? 0) - end))
    }

    /// Whether the server's `recovered: false` was correct, by the table and the protocol's limits.
    func isJustified(_ unrecovered: LossTally.Unrecovered, recoveryMax: Int64) -> Bool {
        guard let topic = topics[unrecovered.topic] else { return false }
        switch unrecovered.reason {
        case .epochChanged: return unrecovered.since.epoch != unrecovered.reply.epoch
        case .tooOld: return topic.oldest > unrecovered.since.offset + 1
        case .tooMany: return unrecovered.reply.offset - unrecovered.since.offset > recoveryMax
        // A subscriber only receives committed publications, so its position is never in the future.
        case .future: return false
        }
    }

    /// Whether all subscribers have reached the head of the table.
    func isReached(by ledgers: [LossLedger]) -> Bool {
        ledgers.allSatisfy { ledger in
            guard let topic = topics[ledger.topic], topic.ends[ledger.account] == nil else { return true }
            return ledger.position?.offset ?? 0 >= topic.head
        }
    }
}
