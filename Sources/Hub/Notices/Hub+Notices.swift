import Bus
import EventLoop
import Wire

/// `notices`: what is for one account of one log that all nodes write (N-7), in its order, each entry once.
///
/// Those who have everything get the next entry together. Whoever is behind, ahead or held back is looked after alone, by reading for it,
/// until it is with the others again: so it does not matter what is published meanwhile.
extension Hub {
    /// Between two looks at how far the log is: finds what no announcement told.
    static let noticePollInterval = Duration.seconds(2)
    /// Looks at the log for each at who is not to be disturbed.
    static let noticeHoldPolls = 2
    /// Connections that are read for at a time.
    static let noticeReadersMax = 8

    /// Begins to give out notices. Once, before anybody is served.
    public func setNotices(_ store: any NoticeStore) { notices.store = store }

    /// A connection of an account subscribes; as ``subscribe(_:log:since:reply:)``, but for what is not for the account, and what waits
    /// because it is not to be disturbed. What passes meanwhile follows the reply at once.
    /// - Throws: ``Wire/RPCError`` when the connection has too many topics, and what the store throws.
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

    private func join(_ subscriber: any Subscriber, _ account: Int64, _ reading: NoticeReading, _ look: UInt64) {
        if notices.isEmpty, !notices.isPublishing { startNotices(at: reading.head) }
        note(notices: reading.head)
        noteHoldChange(at: reading.changesAt)
        let member = NoticeMember(
            subscriber, account: account, position: reading.position, seen: reading.head.offset, look: look,
            page: notices.page)
        member.limit = reading.limit
        notices.add(member)
        followNotices()
        watchNotices()
        // What is behind one that is ahead comes when the log was published so far.
        publishNotices()
    }

    private func startNotices(at head: TopicPosition) {
        notices.epoch = head.epoch
        notices.published = head.offset
        notices.head = head.offset
        notices.changesAt = nil
    }

    func leaveNotices(_ subscriber: any Subscriber) { notices.remove(subscriber.subscriberID) }

    /// Of these accounts, those that get notices here; of all when none are given.
    public var noticeAccounts: [Int64] { Array(notices.accounts.keys) }

    // MARK: What is new

    /// The log grew, by this server: publishes what is new, and tells the other nodes.
    /// - Parameter topics: Public ones that grew as well.
    public func noticesGrew(topics: Set<Topic> = []) async {
        tell(.notices(0), HubNodes.Subjects.notices)
        await lookAtNotices()
        guard !topics.isEmpty, let store, let positions = try? await store.positions(of: Array(topics)) else { return }
        for (topic, position) in positions {
            advance(topic, to: position)
            tell([], at: position, of: topic)
        }
    }

    /// Whether an account is to be disturbed may be another than before: looks at once, here and at the other nodes. What waited is on
    /// its way, or what comes waits, when this returns.
    public func noticeHoldChanged(of account: Int64) async {
        tell(.notices(account), HubNodes.Subjects.notices)
        if notices.accounts[account] != nil { try? await lookAtHolds(of: [account]) }
    }

    /// Hears of other nodes, as long as somebody here gets notices.
    private func followNotices() {
        guard let nodes, notices.subscription == nil else { return }
        do {
            notices.subscription = try listen(to: HubNodes.Subjects.notices.map { .init($0) }) { hub, event in
                guard !hub.notices.isEmpty else { return }
                switch event {
                // What was told before, or was lost, shows in the store.
                case .live, .missed:
                    Task {
                        await hub.lookAtNotices()
                        try? await hub.lookAtHolds(of: hub.noticeAccounts)
                    }
                case .message(let message):
                    guard case .notices(let account)? = hub.read(message) else { return }
                    Task {
                        if account == 0 { return await hub.lookAtNotices() }
                        if hub.hasNoticeMember(account) { try? await hub.lookAtHolds(of: [account]) }
                    }
                }
            }
        } catch {
            // The looks find it, later.
            nodes.logger.error("notices cannot be followed", metadata: ["error": "\(error)"])
        }
    }

    private func hasNoticeMember(_ account: Int64) -> Bool { notices.accounts[account] != nil }

    /// Looks again and again, so that nothing that was lost on the way is missing for long.
    private func watchNotices() {
        guard !notices.isWatching else { return }
        notices.isWatching = true
        Task {
            var polls = 0
            while !notices.isEmpty {
                await loop.sleep(for: Self.noticePollInterval)
                await lookAtNotices()
                polls += 1
                if polls % Self.noticeHoldPolls == 0 || isNoticeHoldDue { try? await lookAtHolds(of: noticeAccounts) }
            }
            notices.isWatching = false
        }
    }

    func noteHoldChange(at time: Timestamp?) {
        if let time { notices.changesAt = min(time, notices.changesAt ?? time) }
    }

    /// Somebody's quiet hours begin or end.
    var isNoticeHoldDue: Bool { notices.changesAt.map { $0 <= serverTime } ?? false }

    /// Looks how far the log is. While the store cannot be read, the next look finds it.
    func lookAtNotices() async {
        guard !notices.isEmpty, let head = try? await notices.store?.head() else { return }
        note(notices: head)
    }

    func note(notices head: TopicPosition) {
        if head.epoch > notices.epoch { return restart(at: head) }
        guard head.epoch == notices.epoch else { return }
        notices.head = max(notices.head, head.offset)
        publishNotices()
    }

    /// The log was made anew: what is told with another epoch shows it to those who subscribed before, who subscribe again then.
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

    /// Writes down how many it serves, for a scraper. O(connections that are apart).
    func reportNotices() {
        metrics.notices.subscribers.set(notices.members.count)
        metrics.notices.held.set(notices.apart.values.count { $0.limit != nil })
    }
}
