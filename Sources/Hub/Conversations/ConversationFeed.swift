import EventLoop
import HubCore
import Wire

/// A connection that has a conversation open.
struct ChatReader {
    let subscriber: any Subscriber
    let account: Int64
    /// The log's offset when the account joined.
    let from: Int64
}

/// The connections that have a conversation open. The log itself decides until when a member reads: the event that removes the member
/// is the last that it gets, on every node, since each node publishes a log in the order of its offsets.
public actor ConversationFeed: LogPublisher {
    package nonisolated let core: HubCore
    package nonisolated let kinds: [Topic.Kind] = [.chat]
    public nonisolated var unownedExecutor: UnownedSerialExecutor { core.loop.asUnownedSerialExecutor() }

    private let logs: LogFeed
    private let blocks: Blocks
    /// Connections that have a conversation open, by conversation and connection.
    private var readers: [Int64: [UInt64: ChatReader]] = [:]

    init(_ core: HubCore, logs: LogFeed, blocks: Blocks) {
        self.core = core
        self.logs = logs
        self.blocks = blocks
    }

    /// The conversation's log has changed since the caller checked the membership; it must check again.
    public struct StaleMembership: Error {
        public init() {}
    }

    /// Subscribes a member's connection to a conversation, as ``LogFeed/subscribe(_:to:since:reply:)`` does. Events of blocked people are
    /// masked.
    /// - Parameters:
    ///   - account: The member.
    ///   - checked: The log's position at which the account was a member.
    ///   - from: The log's offset when the account joined.
    /// - Throws: In addition, ``StaleMembership``.
    public func subscribe(
        _ subscriber: any Subscriber, conversation: Int64, account: Int64, checked: TopicPosition,
        from: Int64 = 0, since: TopicPosition?, reply: @Sendable (Recovery) -> [UInt8]
    ) async throws {
        let reader = ChatReader(subscriber: subscriber, account: account, from: from)
        try await logs.subscribe(
            subscriber, to: .chat(conversation), since: since,
            admitting: { log, recovery in
                try assumeIsolated { try $0.admit(reader, to: conversation, log, checked: checked, &recovery) }
            }, reply: reply)
    }

    private func admit(
        _ reader: ChatReader, to conversation: Int64, _ log: TopicLog, checked: TopicPosition,
        _ recovery: inout Recovery
    ) throws {
        guard log.position == checked else {
            logs.assumeIsolated { $0.advance(log.topic, to: checked) }
            throw StaleMembership()
        }
        let hidden = blocks[reader.account]
        if !hidden.isEmpty || reader.from > 0 {
            recovery.publications = recovery.publications.map { $0.masked(from: hidden, joinedAt: reader.from) }
        }
        if !recovery.hasMore { readers[conversation, default: [:]][reader.subscriber.subscriberID] = reader }
    }

    /// Publishes an event to the connections that have the conversation open, and removes the members that the event removes.
    func publish(_ publication: StoredPublication, of log: TopicLog) {
        guard case .chat(let conversation) = log.topic else { return }
        let head = ChatEventHead(peeking: publication.data)
        // The store keeps only the current text of an edited or deleted message. Publications with the old text, in the message itself
        // or in an edit since, are dropped from memory.
        if let head, [.edited, .deleted].contains(head.type), let message = head.subject {
            let newest = log.newestText(of: message, before: publication.offset)
            logs.assumeIsolated { $0.forget(log, through: newest) }
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
            let shown = StoredPublication(offset: publication.offset, data: data)
            return Delivery(
                topic: log.topic, json: JSONText.push(shown, topic: log.topic, epoch: log.epoch), lane: .reliable)
        }
        let whole = delivery(publication.data)
        let unseen = blocks[head?.by ?? 0]
        guard let head,
            open.values.contains(where: { unseen.contains($0.account) || head.changesMessage(through: $0.from) })
        else {
            return publish(whole, to: log.subscribers)
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

    /// Ends the subscriptions of some readers of a conversation, and sends them `closed`.
    func cut(_ conversation: Int64, where mustGo: (ChatReader) -> Bool) {
        let topic = Topic.chat(conversation)
        for reader in readers[conversation]?.values ?? [:].values where mustGo(reader) {
            let aside = Push(topic: topic.description, data: ChatAside(type: .closed))
            send((try? WireJSON.encode(aside)) ?? [], topic: topic, to: reader.subscriber)
            core.unsubscribe(reader.subscriber, topic: topic)
        }
    }

    package func left(_ topic: Topic, _ subscriber: any Subscriber) {
        guard case .chat(let conversation) = topic else { return }
        readers[conversation]?[subscriber.subscriberID] = nil
        if readers[conversation]?.isEmpty == true { readers[conversation] = nil }
        logs.assumeIsolated { $0.left(topic, subscriber) }
    }

    // MARK: Asides

    /// Whether an account has a conversation open at this node.
    public func isReading(_ conversation: Int64, account: Int64) -> Bool {
        readers[conversation]?.values.contains { $0.account == account } == true
    }

    /// Publishes an aside, which is not stored: that a member is typing, or has read. Its author gets none, nor accounts blocked with
    /// the author.
    public func publishAside(_ aside: ChatAside, in conversation: Int64) {
        guard let by = aside.by else { return }
        let topic = Topic.chat(conversation)
        guard let json = try? WireJSON.encode(Push(topic: topic.description, data: aside)) else { return }
        deliver(json, by: by, in: conversation)
        publishToNodes(.aside(by: by, json), on: NodeSubjects.log(topic))
    }

    func publishAside(_ json: [UInt8], by author: Int64, of topic: Topic) {
        guard case .chat(let conversation) = topic else { return }
        deliver(json, by: author, in: conversation)
    }

    private func deliver(_ json: [UInt8], by author: Int64, in conversation: Int64) {
        let delivery = Delivery(topic: .chat(conversation), json: json, lane: .conflating)
        for reader in readers[conversation]?.values ?? [:].values
        where reader.account != author && !blocks.hold(between: reader.account, and: author) {
            send(delivery, to: reader.subscriber)
        }
    }
}

extension TopicLog {
    /// Offset of the newest text of a message: an edit that is in memory, or the message itself. O(publications after it).
    fileprivate func newestText(of message: Int64, before offset: Int64) -> Int64 {
        newest(after: message, before: offset) { publication in
            guard let head = ChatEventHead(peeking: publication.data) else { return false }
            return head.type == .edited && head.subject == message
        }?.offset ?? message
    }
}

extension StoredPublication {
    /// The publication for a reader that is blocked with these accounts, and joined at an offset.
    func masked(from accounts: Set<Int64>, joinedAt from: Int64) -> StoredPublication {
        guard let mask = ChatEventHead(peeking: data)?.mask(from: from, accounts.contains) else { return self }
        return StoredPublication(offset: offset, data: mask.json)
    }
}
