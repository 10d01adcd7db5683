import EventLoop
import WebSocket
import Wire

/// Reliable topics: what was committed goes to the subscribers in the order of the offsets, each once, none left out (B-1, B-6).
///
/// A log's subscribers have been given everything up to `published`, and only the next offset is ever given to them. When it
/// is missing (another server committed it, or this one was not told whether it did), the store is read up to there first.
extension Hub {
    /// Between two looks at what the topics' heads are in the store: finds what no announcement told.
    static let logPollInterval = Duration.seconds(2)
    /// Before the store is read again after it could not be, and between looks for what was perhaps committed.
    static let logRetryInterval = Duration.milliseconds(250)
    /// Looks for what was perhaps committed; then the poll goes on looking.
    static let doubtLooksMax = 240
    /// Topics that one look asks for.
    static let logPolledTopicsMax = 1_000
    /// A topic without subscribers is kept at hand for so long after its last use.
    static let logIdleNanosecondsMax: UInt64 = 60_000_000_000
    /// Publications read in one go when a gap is filled.
    static let logReadPublicationsMax = 500
    /// Bytes of them.
    static let logReadBytesMax = 524_288

    // MARK: What is committed

    /// Publications were committed. They go to the subscribers now, or once what is before them was fetched.
    /// Harmless when repeated, in any order.
    /// - Parameter publications: Consecutive.
    public func publish(_ publications: [StoredPublication], topic: Topic, epoch: Int64) {
        guard let first = publications.first, let last = publications.last else { return }
        let log = logs[topic] ?? add(TopicLog(topic: topic, at: TopicPosition(epoch: epoch, offset: first.offset - 1)))
        touch(log)
        guard epoch >= log.epoch else { return }
        if epoch > log.epoch { logs.jump(log, to: TopicPosition(epoch: epoch, offset: first.offset - 1)) }
        for publication in publications { give(publication, to: log) }
        log.isCommitted(upTo: last.offset)
        catchUp(log)
    }

    /// A topic has come so far in the store, as another server told. O(1); what is missing is fetched.
    public func advance(_ topic: Topic, to position: TopicPosition) {
        if let log = logs[topic] { note(position, for: log) }
    }

    /// Something may have been committed to these topics, or not: the connection was lost before that was told. What was is
    /// fetched and published as soon as the store can be read.
    public func doubt(_ topics: [Topic]) {
        Task {
            for _ in 0..<Self.doubtLooksMax {
                await loop.sleep(for: Self.logRetryInterval)
                if await look(at: topics.filter { logs[$0] != nil }) { return }
            }
        }
    }

    private func give(_ publication: StoredPublication, to log: TopicLog) {
        guard logs.append(publication, to: log) else { return }
        metrics.log.published.add()
        if case .chat(let id) = log.topic { return give(publication, to: log, of: id) }
        forgetWords(before: publication, in: log)
        guard !log.subscribers.isEmpty else { return }
        let json = JSONText.push(publication, topic: log.topic, epoch: log.epoch)
        outbox.publish(Delivery(topic: log.topic, json: json, lane: .reliable), to: log.subscribers)
    }

    /// A notice that was corrected or withdrawn is in the store as it is now, and nowhere as it was.
    private func forgetWords(before publication: StoredPublication, in log: TopicLog) {
        switch log.topic {
        case .campusNotices, .zoneNotices:
            let event = try? WireJSON.decode(NoticeEvent.self, from: publication.data)
            if event.map({ $0.revision > 1 }) ?? true { logs.forget(log, through: publication.offset - 1) }
        default: break
        }
    }

    private func note(_ position: TopicPosition, for log: TopicLog) {
        if position.epoch > log.epoch { logs.jump(log, to: position) }
        guard position.epoch == log.epoch else { return }
        log.isCommitted(upTo: position.offset)
        catchUp(log)
    }

    // MARK: What is missing

    private func catchUp(_ log: TopicLog) {
        guard log.published < log.head, !log.isCatchingUp else { return }
        log.isCatchingUp = true
        Task {
            // One that was forgotten meanwhile is looked up anew by who needs it.
            while log.published < log.head, logs[log.topic] === log {
                do {
                    try await readOn(log)
                } catch {
                    await loop.sleep(for: Self.logRetryInterval)
                }
            }
            log.isCatchingUp = false
        }
    }

    /// Reads what comes behind what was published, and publishes it.
    func readOn(_ log: TopicLog) async throws {
        guard let store else { return log.forgetBeyond(log.published) }
        metrics.log.reads.add()
        let (publishedBefore, headBefore) = (log.published, log.head)
        let page = try await store.read(
            log.topic, after: log.published, countMax: Self.logReadPublicationsMax, bytesMax: Self.logReadBytesMax)
        take(page, into: log)
        // Nothing behind, though something should be: it was never committed.
        if page.publications.isEmpty, log.published == publishedBefore, log.head == headBefore {
            log.forgetBeyond(page.head.offset)
        }
    }

    private func take(_ page: PublicationPage, into log: TopicLog) {
        guard page.head.epoch >= log.epoch else { return log.forgetBeyond(log.published) }
        guard page.head.epoch == log.epoch else { return logs.jump(log, to: page.head) }
        log.isCommitted(upTo: page.head.offset)
        for publication in page.publications where publication.offset > log.published {
            if publication.offset > log.published + 1 {
                logs.jump(log, to: TopicPosition(epoch: log.epoch, offset: publication.offset - 1))
            }
            give(publication, to: log)
        }
        // Nothing of what is behind is kept any more.
        if page.publications.isEmpty, page.head.offset > log.published { logs.jump(log, to: page.head) }
    }

    // MARK: At hand and forgotten

    /// The log of a topic, looked up in the store when it is not at hand. However many ask at once, the store is asked once.
    /// It stays until the caller gives back its hold.
    func holdLog(_ topic: Topic) async throws -> TopicLog {
        if let log = logs[topic] {
            log.holds += 1
            return log
        }
        guard let store else { throw RPCError(.notFound, "there are no reliable topics here", field: "topic") }
        let opening =
            logs.openings[topic]
            ?? Task {
                let position = try await store.open(topic)
                let page = try await store.read(
                    topic, after: max(0, position.offset - Int64(topic.openingPublicationsMax)),
                    countMax: Self.logReadPublicationsMax, bytesMax: .max)
                // What was committed between the two is in the page.
                let last = page.publications.last?.offset ?? page.head.offset
                return TopicLog.Opening(
                    position: TopicPosition(epoch: page.head.epoch, offset: last), head: page.head,
                    newest: page.publications)
            }
        logs.openings[topic] = opening
        let result = await opening.result
        logs.openings[topic] = nil
        let opened = try result.get()
        // It may be there: something was published meanwhile, or another who waited was first.
        let log = logs[topic] ?? add(TopicLog(topic: topic, at: opened.position, newest: opened.newest))
        log.holds += 1
        note(opened.head, for: log)
        return log
    }

    private func add(_ log: TopicLog) -> TopicLog {
        touch(log)
        logs.add(log)
        startPolling()
        return log
    }

    func touch(_ log: TopicLog) { log.lastUse = EventLoop.nowNanoseconds }

    private func startPolling() {
        guard !logs.isPolling else { return }
        logs.isPolling = true
        Task {
            while !logs.isEmpty {
                await loop.sleep(for: Self.logPollInterval)
                forgetIdleLogs(before: EventLoop.nowNanoseconds &- Self.logIdleNanosecondsMax)
                _ = await look(at: logs.logs.values.filter { !$0.subscribers.isEmpty }.map(\.topic))
            }
            logs.isPolling = false
        }
    }

    /// Everything at hand is forgotten, and nothing looked for any more: the server stops.
    public func forgetLogs() {
        for topic in logs.logs.keys { unfollowLog(topic) }
        logs = TopicLogs()
    }

    /// - Parameter moment: Monotonic nanoseconds; what was used since stays.
    func forgetIdleLogs(before moment: UInt64) {
        for log in logs.logs.values where log.subscribers.isEmpty && log.holds == 0 && log.lastUse < moment {
            logs.remove(log)
            unfollowLog(log.topic)
        }
    }

    /// Looks where topics stand in the store, and fetches what is missing.
    /// - Returns: False when the store could not be read.
    func look(at topics: [Topic]) async -> Bool {
        guard let store else { return true }
        var rest = topics[...]
        while !rest.isEmpty {
            let some = Array(rest.prefix(Self.logPolledTopicsMax))
            rest = rest.dropFirst(some.count)
            guard let positions = try? await store.positions(of: some) else { return false }
            for (topic, position) in positions { advance(topic, to: position) }
        }
        return true
    }
}
