import EventLoop
import Wire

/// A connection that has a conversation open, and whose.
struct ChatReader {
    let subscriber: any Subscriber
    let account: Int64
    /// The log's offset when the account joined.
    let from: Int64
}

/// The conversations that connections have open: who may read on is decided by the log itself. An event that takes somebody out is
/// the last that they get, on every node, since each gives a log in the order of its offsets.
extension Hub {
    /// The conversation's log went on since it was looked up who may read it: look again.
    public struct ReaderOutdated: Error {
        /// Memberwise.
        public init() {}
    }

    /// A member's connection opens a conversation; as ``subscribe(_:log:since:reply:)``. What somebody blocked did is hidden.
    /// - Parameters:
    ///   - account: Who reads.
    ///   - checked: Where the log stood when the account was a member.
    ///   - from: The log's offset when the account joined.
    /// - Throws: Besides, ``ReaderOutdated``.
    public func subscribe(
        _ subscriber: any Subscriber, conversation: Int64, account: Int64, checked: TopicPosition,
        from: Int64 = 0, since: TopicPosition?, reply: @Sendable (Recovery) -> [UInt8]
    ) async throws {
        let topic = Topic.chat(conversation)
        try await subscribe(subscriber, log: topic, since: since) { hub, recovery in
            guard let log = hub.logs[topic], log.position == checked else {
                hub.advance(topic, to: checked)
                throw ReaderOutdated()
            }
            let hidden = hub.blocks[account]
            if !hidden.isEmpty || from > 0 {
                recovery.publications = recovery.publications.map { $0.masked(from: hidden, joinedAt: from) }
            }
            if !recovery.hasMore {
                hub.readers[conversation, default: [:]][subscriber.subscriberID] = ChatReader(
                    subscriber: subscriber, account: account, from: from)
            }
        } reply: {
            reply($0)
        }
    }

    /// Gives an event to those who have the conversation open, and takes those out who it says are out.
    func give(_ publication: StoredPublication, to log: TopicLog, of conversation: Int64) {
        let head = ChatEventHead(peeking: publication.data)
        // What was edited or deleted is in the store as it is now, and nowhere as it was: neither in the message nor in an edit since.
        if let head, [.edited, .deleted].contains(head.type), let message = head.subject {
            logs.forget(log, through: log.newestText(of: message, before: publication.offset))
        }
        guard let open = readers[conversation], !open.isEmpty else { return }
        push(publication, head, to: open, of: log)
        switch head?.type {
        case .left, .removed: cut(conversation) { $0.account == head?.subject }
        case .closed: cut(conversation) { _ in true }
        default: break
        }
    }

    private func push(
        _ publication: StoredPublication, _ head: ChatEventHead?, to open: [UInt64: ChatReader], of log: TopicLog
    ) {
        func delivery(_ data: [UInt8]) -> Delivery {
            let told = StoredPublication(offset: publication.offset, data: data)
            return Delivery(
                topic: log.topic, json: JSONText.push(told, topic: log.topic, epoch: log.epoch), lane: .reliable)
        }
        let whole = delivery(publication.data)
        let unseen = blocks[head?.by ?? 0]
        guard let head,
            open.values.contains(where: { unseen.contains($0.account) || head.changesMessage(through: $0.from) })
        else {
            return outbox.publish(whole, to: log.subscribers)
        }
        var masks: [ChatEvent.Kind: Delivery] = [:]
        for reader in open.values {
            guard let mask = head.mask(from: reader.from, { blocks.hold(between: reader.account, and: $0) }) else {
                send(whole, to: reader.subscriber)
                continue
            }
            let masked = masks[mask.type] ?? delivery(mask.json)
            masks[mask.type] = masked
            send(masked, to: reader.subscriber)
        }
    }

    /// Ends what some of a conversation's readers get of it, and tells them.
    func cut(_ conversation: Int64, where mustGo: (ChatReader) -> Bool) {
        let topic = Topic.chat(conversation)
        for reader in readers[conversation]?.values ?? [:].values where mustGo(reader) {
            let aside = Push(topic: topic.description, data: ChatAside(type: .closed))
            send((try? WireJSON.encode(aside)) ?? [], topic: topic, to: reader.subscriber)
            unsubscribe(reader.subscriber, topic: topic)
        }
    }

    func leaveChat(_ conversation: Int64, _ subscriber: any Subscriber) {
        readers[conversation]?[subscriber.subscriberID] = nil
        if readers[conversation]?.isEmpty == true { readers[conversation] = nil }
        leaveLog(.chat(conversation), subscriber)
    }

    // MARK: Beside the log

    /// Whether somebody has a conversation open here.
    public func isReading(_ conversation: Int64, account: Int64) -> Bool {
        readers[conversation]?.values.contains { $0.account == account } == true
    }

    /// Tells those who have the conversation open what is not kept: that somebody writes, or has read. Not to whom it is about, nor to
    /// who is blocked.
    public func tell(_ aside: ChatAside, in conversation: Int64) {
        guard let by = aside.by else { return }
        let topic = Topic.chat(conversation)
        guard let json = try? WireJSON.encode(Push(topic: topic.description, data: aside)) else { return }
        give(json, by: by, in: conversation)
        tell(.aside(by: by, json), HubNodes.Subjects.log(topic))
    }

    func give(_ json: [UInt8], by author: Int64, in conversation: Int64) {
        let delivery = Delivery(topic: .chat(conversation), json: json, lane: .conflating)
        for reader in readers[conversation]?.values ?? [:].values
        where reader.account != author && !blocks.hold(between: reader.account, and: author) {
            send(delivery, to: reader.subscriber)
        }
    }
}

extension TopicLog {
    /// Where the words of a message were said last: in an edit that is in memory, or in the message itself. O(what is behind it).
    fileprivate func newestText(of message: Int64, before offset: Int64) -> Int64 {
        newest(after: message, before: offset) { publication in
            guard let head = ChatEventHead(peeking: publication.data) else { return false }
            return head.type == .edited && head.subject == message
        }?.offset ?? message
    }
}

extension StoredPublication {
    /// What a reader gets who is blocked with these accounts, and joined at an offset.
    func masked(from accounts: Set<Int64>, joinedAt from: Int64) -> StoredPublication {
        guard let mask = ChatEventHead(peeking: data)?.mask(from: from, accounts.contains) else { return self }
        return StoredPublication(offset: offset, data: mask.json)
    }
}

extension Hub {
    /// Whom an account neither sees nor is seen by.
    public func blocked(with account: Int64) -> Set<Int64> { blocks[account] }

    /// A conversation's log went on by somebody else's statement: fetches what is new, if it is open here, and tells the other nodes.
    public func look(at conversation: Int64) async -> Bool {
        let topic = Topic.chat(conversation)
        guard let store, let position = try? await store.positions(of: [topic])[topic] else { return false }
        if let log = logs[topic] {
            advance(topic, to: position)
            // Whoever is cut by what is new is cut when this returns.
            for _ in 0..<Self.recoveryPagesAheadMax where log.published < position.offset { try? await readOn(log) }
        }
        tell([], at: position, of: topic)
        return true
    }
}
