import HubCore
import Wire

/// Subscribing to reliable topics, with recovery of missed publications or the reason why there is none.
extension LogFeed {
    /// Largest number of publications in one reply; a subscriber that missed more gets them page by page.
    static let recoveryPagePublicationsMax = 500
    /// Largest number of bytes in one reply. With the pushes that follow, it stays well below the capacity of a connection's reliable
    /// lane.
    static let recoveryPageBytesMax = 524_288
    /// Largest number of missed publications that are recovered; beyond, a snapshot serves the subscriber better.
    static let recoveryPublicationsMax: Int64 = 5_000
    /// Largest number of reads of the store for one reply.
    static let recoveryReadsMax = 4
    /// Largest number of pages that are read when a subscriber's offset is ahead of this server's.
    static let recoveryPagesAheadMax = 20

    /// Subscribes a connection to a reliable topic. The reply goes out here, and every later publication follows as a push: none is
    /// lost or comes twice, whatever is published meanwhile. A reply with `hasMore` does not subscribe yet.
    /// - Parameters:
    ///   - since: The subscriber's position; nil when it has none.
    ///   - reply: Encodes the reply.
    /// - Throws: ``Wire/RPCError`` when the connection has too many topics, and the store's errors.
    public func subscribe(
        _ subscriber: any Subscriber, to topic: Topic, since: TopicPosition?, reply: @Sendable (Recovery) -> [UInt8]
    ) async throws {
        try await subscribe(subscriber, to: topic, since: since, admitting: { _, _ in }, reply: reply)
    }

    /// Subscribes a connection to a reliable topic, as above.
    /// - Parameter admit: Called when the reply is known, before the subscription exists or the reply goes out; may change it, or
    ///   throw.
    func subscribe(
        _ subscriber: any Subscriber, to topic: Topic, since: TopicPosition?,
        admitting admit: @Sendable (TopicLog, inout Recovery) throws -> Void, reply: @Sendable (Recovery) -> [UInt8]
    ) async throws {
        let log = try await acquireLog(topic)
        defer {
            log.holds -= 1
            touch(log)
        }
        var recovery = try await recover(log, since: since)
        // From here to the end there is no suspension. If something was published during the last one, the reply has more to come.
        if recovery.position != log.position { recovery.hasMore = true }
        if recovery.hasMore {
            core.unsubscribe(subscriber, topic: topic)
        } else {
            try core.remember(topic, of: subscriber)
        }
        do { try admit(log, &recovery) } catch {
            core.unsubscribe(subscriber, topic: topic)
            throw error
        }
        if !recovery.hasMore {
            log.subscribers.insert(subscriber)
            follow(topic)
        }
        metrics.answered(recovery, hadPosition: since != nil)
        send(reply(recovery), topic: topic, to: subscriber)
    }

    /// The recovery for a position. If it is complete, its position is the published offset at the return.
    private func recover(_ log: TopicLog, since: TopicPosition?) async throws -> Recovery {
        guard let since else { return try await snapshot(of: log, because: nil) }
        if since.epoch == log.epoch, since.offset > log.published { try await readAhead(log, upTo: since.offset) }
        var found: [StoredPublication] = []
        var bytes = 0
        var offset = since.offset
        for _ in 0..<Self.recoveryReadsMax {
            if let failure = Self.failure(since, log) { return try await snapshot(of: log, because: failure) }
            let countMax = Self.recoveryPagePublicationsMax - found.count
            let bytesMax = Self.recoveryPageBytesMax - bytes
            if log.covers(after: offset) {
                found += log.page(after: offset, countMax: countMax, bytesMax: bytesMax)
                return Self.recovery(found, since, log)
            }
            let page = try await store?.read(log.topic, after: offset, countMax: countMax, bytesMax: bytesMax)
            // The next iteration handles a new epoch or a jump that happened meanwhile.
            guard let page, page.head.epoch == log.epoch else {
                if let page { advance(log.topic, to: page.head) }
                continue
            }
            // Publications that are committed but not published yet come as pushes.
            let usable = page.publications.prefix { $0.offset <= log.published }
            guard let first = usable.first, let last = usable.last, first.offset == offset + 1,
                last.offset - first.offset == Int64(usable.count - 1)
            else { return try await snapshot(of: log, because: .tooOld) }
            found += usable
            bytes += usable.reduce(0) { $0 + $1.data.count }
            offset = last.offset
            if found.count >= Self.recoveryPagePublicationsMax || bytes >= Self.recoveryPageBytesMax { break }
        }
        if let failure = Self.failure(since, log) { return try await snapshot(of: log, because: failure) }
        return Self.recovery(found, since, log)
    }

    private static func recovery(_ found: [StoredPublication], _ since: TopicPosition, _ log: TopicLog) -> Recovery {
        let offset = found.last?.offset ?? since.offset
        return Recovery(
            topic: log.topic, position: TopicPosition(epoch: log.epoch, offset: offset), isRecovered: true,
            hasMore: offset < log.published, publications: found)
    }

    private static func failure(_ since: TopicPosition, _ log: TopicLog) -> RecoveryFailure? {
        guard since.epoch == log.epoch else { return .epochChanged }
        guard since.offset >= 0, since.offset <= log.published else { return .future }
        return log.published - since.offset > recoveryPublicationsMax ? .tooMany : nil
    }

    /// Reads up to a subscriber's offset that is ahead of this server: another server published it, and this one has not learned of it.
    private func readAhead(_ log: TopicLog, upTo offset: Int64) async throws {
        guard let position = try await store?.positions(of: [log.topic])[log.topic] else { return }
        guard position.epoch == log.epoch, position.offset >= offset else { return advance(log.topic, to: position) }
        for _ in 0..<Self.recoveryPagesAheadMax where log.published < offset { try await readOn(log) }
        guard log.published >= offset || log.epoch != position.epoch else {
            throw RPCError(
                .unavailable, "this server is still reading the topic: subscribe again in a second", retryAfter: 1)
        }
    }

    /// A recovery with the topic's newest publications, without continuity.
    private func snapshot(of log: TopicLog, because failure: RecoveryFailure?) async throws -> Recovery {
        let countMax = log.topic.snapshotPublicationsMax
        var stored: [StoredPublication] = []
        var storedEpoch = log.epoch
        for _ in 0..<Self.recoveryReadsMax {
            // The read may be outdated already; the missing rest must be in memory.
            let wanted = max(0, log.published - Int64(countMax))
            if storedEpoch != log.epoch { stored = [] }
            let known = stored.filter { $0.offset > wanted && $0.offset <= log.published }
            let offset = known.last?.offset ?? wanted
            if log.covers(after: offset) {
                let newest = known + log.page(after: offset, countMax: countMax, bytesMax: .max)
                return Recovery(
                    topic: log.topic, position: log.position, isRecovered: false, failure: failure,
                    publications: newest)
            }
            guard let page = try await store?.read(log.topic, after: wanted, countMax: countMax, bytesMax: .max) else {
                break
            }
            storedEpoch = page.head.epoch
            advance(log.topic, to: page.head)
            stored = page.publications
            // None of them is kept any more, and nothing new came: there is nothing to show.
            if stored.isEmpty, wanted == max(0, log.published - Int64(countMax)) { break }
        }
        return Recovery(
            topic: log.topic, position: log.position, isRecovered: false, failure: failure, publications: [])
    }

    package func left(_ topic: Topic, _ subscriber: any Subscriber) {
        guard let log = logs[topic] else { return }
        log.subscribers.remove(subscriber)
        touch(log)
    }
}
