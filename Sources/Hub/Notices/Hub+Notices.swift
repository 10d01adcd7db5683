import Bus
import EventLoop
import Wire

/// The topic `notices`: each account gets its entries of one log that all nodes write (N-7), in the log's order, each entry once.
///
/// Members that have everything up to `published` get the next entry together. A member that is behind, ahead or held back is apart:
/// the hub reads for it alone until it has caught up, so that concurrent publications do not matter.
extension Hub {
    /// Interval between two reads of the log's head, which find entries whose announcement was lost.
    static let noticePollInterval = Duration.seconds(2)
    /// Number of such reads for each read of the accounts that are held back.
    static let noticeHoldPolls = 2
    /// Largest number of connections that are read for concurrently.
    static let noticeReadersMax = 8

    /// Begins to publish notices. Call it once, before the server accepts connections.
    public func setNotices(_ store: any NoticeStore) { notices.store = store }

    /// Subscribes a connection of an account, as ``subscribe(_:log:since:reply:)`` does, except that entries for other accounts and
    /// entries that are held back are left out. Entries that overtake held-back ones follow the reply at once.
    /// - Throws: ``Wire/RPCError`` when the connection has too many topics, and the store's errors.
    public func subscribe(
        _ subscriber: any Subscriber, notices account: Int64, since: TopicPosition?,
        reply: @Sendable (Recovery) -> [UInt8]
    ) async throws {
        guard let store = notices.store else {
            throw RPCError(.notFound, "there are no notices here", field: "topic")
        }
        let look = notices.nextLook()
        let reading = try await store.reading(for: account, since: since)
        // From here to the end there is no suspension.
        unsubscribe(subscriber, topic: .notices)
        let recovery = Recovery(
            topic: .notices, position: TopicPosition(epoch: reading.head.epoch, offset: reading.position),
            isRecovered: reading.isRecovered, failure: reading.failure, hasMore: reading.hasMore,
            publications: reading.publications)
        if !reading.hasMore {
            try remember(.notices, of: subscriber)
            join(subscriber, account, reading, look)
        }
        metrics.log.answered(recovery, hadPosition: since != nil)
        send(reply(recovery), topic: .notices, to: subscriber)
        guard let member = notices.members[subscriber.subscriberID] else { return }
        for one in reading.early { push(early: one, to: member) }
        if !member.isCurrent { settle(member) }
    }

    private func join(_ subscriber: any Subscriber, _ account: Int64, _ reading: AccountNoticePage, _ look: UInt64) {
        if notices.isEmpty, !notices.isPublishing { startNotices(at: reading.head) }
        note(notices: reading.head)
        noteHoldChange(at: reading.changesAt)
        let member = NoticeSubscriber(
            subscriber, account: account, position: reading.position, seen: reading.head.offset, look: look,
            page: notices.page)
        member.limit = reading.limit
        notices.add(member)
        followNotices()
        pollNotices()
        // A member that is ahead gets further entries once the log is published up to its position.
        publishNotices()
    }

    private func startNotices(at head: TopicPosition) {
        notices.epoch = head.epoch
        notices.published = head.offset
        notices.head = head.offset
        notices.changesAt = nil
    }

    func leaveNotices(_ subscriber: any Subscriber) { notices.remove(subscriber.subscriberID) }

    /// Accounts that get notices at this node.
    public var noticeAccounts: [Int64] { Array(notices.accounts.keys) }

    // MARK: New entries

    /// Publishes entries that this server committed, and notifies the other nodes.
    /// - Parameter topics: Public topics with new publications.
    public func noticesAppended(topics: Set<Topic> = []) async {
        publishToNodes(.notices(0), on: HubNodes.Subjects.notices)
        await pollNoticeHead()
        guard !topics.isEmpty, let store, let positions = try? await store.positions(of: Array(topics)) else { return }
        for (topic, position) in positions {
            advance(topic, to: position)
            announceHead([], at: position, of: topic)
        }
    }

    /// Determines anew whether an account's notices are held back, here and at the other nodes. When this returns, entries that were
    /// held back are on their way, or new ones are held back.
    public func refreshNoticeHold(of account: Int64) async {
        publishToNodes(.notices(account), on: HubNodes.Subjects.notices)
        if notices.accounts[account] != nil { try? await refreshNoticeHolds(of: [account]) }
    }

    /// Follows the announcements of other nodes, as long as this node has members.
    private func followNotices() {
        guard let nodes, notices.subscription == nil else { return }
        do {
            notices.subscription = try listen(to: HubNodes.Subjects.notices.map { .init($0) }) { hub, event in
                guard !hub.notices.isEmpty else { return }
                switch event {
                // Entries that were announced before, or whose announcement was lost, are in the store.
                case .live, .missed:
                    Task {
                        await hub.pollNoticeHead()
                        try? await hub.refreshNoticeHolds(of: hub.noticeAccounts)
                    }
                case .message(let message):
                    guard case .notices(let account)? = hub.read(message) else { return }
                    Task {
                        if account == 0 { return await hub.pollNoticeHead() }
                        if hub.hasNoticeMember(account) { try? await hub.refreshNoticeHolds(of: [account]) }
                    }
                }
            }
        } catch {
            // The poll finds them, later.
            nodes.logger.error("notices cannot be followed", metadata: ["error": "\(error)"])
        }
    }

    private func hasNoticeMember(_ account: Int64) -> Bool { notices.accounts[account] != nil }

    /// Polls the log and the held-back accounts, so that entries whose announcement was lost are not missing for long.
    private func pollNotices() {
        guard !notices.isWatching else { return }
        notices.isWatching = true
        Task {
            var polls = 0
            while !notices.isEmpty {
                await loop.sleep(for: Self.noticePollInterval)
                await pollNoticeHead()
                polls += 1
                if polls % Self.noticeHoldPolls == 0 || isNoticeHoldDue {
                    try? await refreshNoticeHolds(of: noticeAccounts)
                }
            }
            notices.isWatching = false
        }
    }

    func noteHoldChange(at time: Timestamp?) {
        if let time { notices.changesAt = min(time, notices.changesAt ?? time) }
    }

    /// Whether quiet hours of a member begin or end.
    var isNoticeHoldDue: Bool { notices.changesAt.map { $0 <= serverTime } ?? false }

    /// Reads the log's head. If the store cannot be read, the next poll finds it.
    func pollNoticeHead() async {
        guard !notices.isEmpty, let head = try? await notices.store?.head() else { return }
        note(notices: head)
    }

    func note(notices head: TopicPosition) {
        if head.epoch > notices.epoch { return restart(at: head) }
        guard head.epoch == notices.epoch else { return }
        notices.head = max(notices.head, head.offset)
        publishNotices()
    }

    /// Continues with a log that was created anew. Publications with another epoch cause earlier subscribers to subscribe again.
    func restart(at head: TopicPosition) {
        for member in notices.members.values where !member.isCurrent {
            member.position = head.offset
            member.seen = head.offset
            member.early = []
        }
        notices.epoch = head.epoch
        notices.published = head.offset
        notices.head = head.offset
        for member in notices.apart.values { notices.promote(member) }
    }

    /// Updates the gauges for a scraper. O(members that are apart).
    func reportNotices() {
        metrics.notices.subscribers.set(notices.members.count)
        metrics.notices.held.set(notices.apart.values.count { $0.limit != nil })
    }
}
