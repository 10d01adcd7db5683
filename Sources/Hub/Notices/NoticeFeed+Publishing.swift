import EventLoop
import HubCore
import Wire

/// Publishing the log of notices, in its order.
extension NoticeFeed {
    /// Publishes until all committed entries are published. While the store cannot be read, it retries.
    func publishPending() {
        guard !log.isPublishing, log.published < log.head, !log.isEmpty else { return }
        log.isPublishing = true
        Task {
            while log.published < log.head, !log.isEmpty {
                do {
                    try await publishPage()
                } catch {
                    await loop.sleep(for: LogFeed.retryInterval)
                }
            }
            log.isPublishing = false
        }
    }

    private func publishPage() async throws {
        guard let store else { return log.head = log.published }
        if isHoldDue { try await refreshHolds(of: accounts) }
        log.page += 1
        log.isResolving = true
        defer { log.isResolving = false }
        let (before, epoch, headBefore) = (log.published, log.epoch, log.head)
        let page = try await store.page(after: before)
        let asked = page.entries.filter { $0.data != nil && !$0.isForAll }.map(\.offset)
        let recipients = asked.isEmpty ? [:] : try await store.recipients(of: asked, among: accounts)
        // From here to the end there is no suspension.
        guard epoch == log.epoch, before == log.published else { return }
        guard page.head.epoch == epoch else {
            log.isResolving = false
            return page.head.epoch > epoch ? restart(at: page.head) : (log.head = before)
        }
        let held = log.apart.values.filter { member in
            member.limit != nil && member.page != log.page && member.isInStep(with: before)
        }
        for entry in page.entries where entry.offset > before {
            let some = entry.isForAll ? nil : recipients[entry.offset] ?? []
            deliver(entry, to: some)
            for member in held { pass(entry, some, to: member) }
        }
        log.published = max(before, page.through)
        log.head = max(log.head, page.head.offset)
        // No entry where one was expected: it was never committed.
        if log.published == before, log.head == headBefore { log.head = max(before, page.head.offset) }
        for member in held where member.limit.map({ $0 <= before }) == true { member.seen = log.published }
        log.isResolving = false
        settleApart()
    }

    /// - Parameter recipients: Nil for all accounts.
    private func deliver(_ entry: NoticeEntry, to recipients: Set<Int64>?) {
        guard let data = entry.data else { return }
        metrics.published.add()
        let delivery = delivery(of: StoredPublication(offset: entry.offset, data: data))
        guard let recipients else {
            if !log.current.isEmpty { publish(delivery, to: log.current) }
            return
        }
        var some = SubscriberSet()
        for account in recipients {
            for member in log.accounts[account]?.values ?? [:].values where member.isCurrent {
                some.insert(member.subscriber)
            }
        }
        if !some.isEmpty { publish(delivery, to: some) }
    }

    private func pass(_ entry: NoticeEntry, _ recipients: Set<Int64>?, to member: NoticeSubscriber) {
        guard let data = entry.data, entry.passes, recipients?.contains(member.account) ?? true,
            let limit = member.limit, entry.offset > max(limit, member.seen)
        else { return }
        push(early: StoredPublication(offset: entry.offset, data: data), to: member)
    }

    private func delivery(of publication: StoredPublication) -> Delivery {
        Delivery(
            topic: .notices, json: JSONText.push(publication, topic: .notices, epoch: log.epoch), lane: .reliable)
    }

    /// Pushes an entry that overtakes held-back ones. It has no offset, so that the client's position does not skip entries that are
    /// held back.
    func push(early publication: StoredPublication, to member: NoticeSubscriber) {
        guard member.early.insert(publication.offset).inserted else { return }
        send(JSONText.push(early: publication.data, topic: .notices), topic: .notices, to: member.subscriber)
    }

    // MARK: Members apart

    private func settleApart() {
        for member in log.apart.values
        where member.limit == nil || !member.isInStep(with: log.published) { settle(member) }
    }

    /// Has a member catch up by reads of its own, until it joins the others again.
    func settle(_ member: NoticeSubscriber) {
        guard !log.promote(member), !member.isInStep(with: log.published), !member.isSettling else { return }
        member.isSettling = true
        log.settling.append(member)
        guard log.settlers < Self.readersMax else { return }
        log.settlers += 1
        Task {
            while let next = log.settling.popFirst() { await readOn(for: next) }
            log.settlers -= 1
        }
    }

    private func readOn(for member: NoticeSubscriber) async {
        defer { member.isSettling = false }
        let id = member.subscriber.subscriberID
        while log.members[id] === member, !log.promote(member), !member.isInStep(with: log.published) {
            let (position, seen) = (member.position, member.seen)
            do {
                try await readPage(for: member)
                // The reading did not fit the state that changed meanwhile, or another page is in flight.
                guard (member.position, member.seen) == (position, seen) else { continue }
                await loop.sleep(for: .milliseconds(5))
            } catch {
                await loop.sleep(for: LogFeed.retryInterval)
            }
        }
    }

    private func readPage(for member: NoticeSubscriber) async throws {
        guard let store else { return }
        let (readNumber, epoch) = (log.nextReadNumber(), log.epoch)
        metrics.reads.add()
        let reading = try await store.reading(
            for: member.account, since: TopicPosition(epoch: epoch, offset: member.position))
        // From here to the end there is no suspension.
        guard log.members[member.subscriber.subscriberID] === member, !member.isCurrent, epoch == log.epoch
        else {
            return
        }
        guard reading.head.epoch == epoch else { return note(head: reading.head) }
        noteHoldChange(at: reading.changesAt)
        if readNumber > member.readNumber { (member.readNumber, member.limit) = (readNumber, reading.limit) }
        let limit = member.limit ?? .max
        for one in reading.publications where one.offset > member.position && one.offset <= limit {
            member.position = one.offset
            if member.early.remove(one.offset) == nil { send(delivery(of: one), to: member.subscriber) }
        }
        member.position = max(member.position, min(reading.position, limit))
        guard member.limit != nil, reading.limit != nil, !reading.hasMore else { return }
        for one in reading.early where one.offset > limit { push(early: one, to: member) }
        member.seen = max(member.seen, reading.head.offset)
    }

    // MARK: Held-back notices

    /// Reads which of these accounts are held back, and applies it.
    func refreshHolds(of accounts: [Int64]) async throws {
        guard let store = store, !accounts.isEmpty else { return }
        let readNumber = log.nextReadNumber()
        // This read covers changes that are due; an account that joins meanwhile brings its own time.
        if accounts.count == log.accounts.count { log.changesAt = nil }
        let holds: NoticeHolds
        do { holds = try await store.holds(of: accounts) } catch {
            noteHoldChange(at: serverTime)
            throw error
        }
        for account in accounts {
            for member in (log.accounts[account] ?? [:]).values where member.readNumber < readNumber {
                member.readNumber = readNumber
                hold(member, behind: holds.limits[account])
            }
        }
        noteHoldChange(at: holds.changesAt)
    }

    private func hold(_ member: NoticeSubscriber, behind limit: Int64?) {
        if limit != nil { log.part(member) }
        member.limit = limit
        if !member.isCurrent { settle(member) }
    }
}

extension JSONText {
    /// A push that overtakes entries which are held back.
    static func push(early data: [UInt8], topic: Topic) -> [UInt8] {
        var json = JSONText(bytesExpected: data.count + 112)
        json.add("{\"jsonrpc\":\"2.0\",\"method\":\"push\",\"params\":{\"topic\":", topic)
        json.add(",\"early\":true,\"data\":")
        json.add(data)
        json.add("}}")
        return json.bytes
    }
}
