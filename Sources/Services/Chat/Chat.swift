import EventLoop
import Foundation
import Hub
import HubCore
import Logging
import Postgres
import Wire

/// Conversations (C-7, W-5, B-6): commit, then acknowledge, then fan out. A repeated message is stored once. PostgreSQL checks read
/// access at every request; for open subscriptions the events of the log itself do.
///
/// An actor on the hub's loop.
public actor Chat {
    /// Largest length of a message.
    public static let textCharactersMax = TextLimit.message.max
    /// Hours for which a message can be edited.
    public static let editHoursMax = 24
    /// Largest number of edits of a message; each wording is kept as evidence.
    public static let editsMax = 50
    /// Days for which edited and deleted content is kept as evidence for reports.
    public static let retractedDaysMax = 14.0
    /// Largest number of conversations in the list.
    static let listedMax: Int64 = 500
    /// Largest number of unread messages that are counted.
    static let unreadMax: Int64 = 1_000
    /// Length of a message's preview in lists.
    static let previewCharactersMax = 200
    /// Largest number of events in a page of history.
    static let historyMax = 100
    static let historyDefault = 30
    /// Longest temporary muting, in seconds.
    static let muteSecondsMax = 31_536_000.0
    /// Largest number of attempts to subscribe to a conversation whose membership check was outdated by new events.
    static let admissionsMax = 20
    /// Delay between two attempts.
    static let admissionInterval = Duration.milliseconds(10)
    /// Time for which receipts wait for further ones.
    static let receiptWindow = Duration.milliseconds(50)
    /// Shortest interval between two typing signals of a member in a conversation.
    static let typingNanosecondsMin: UInt64 = 2_000_000_000
    /// Largest number of members whose last typing signal is remembered.
    static let typingMax = 10_000
    /// Delay between two attempts to notify the members of in-doubt conversations.
    static let inDoubtInterval = Duration.milliseconds(250)
    /// Largest number of these attempts; each waits for the database in addition.
    static let inDoubtTriesMax = 1_000

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let database: PostgresPool
    let hub: Hub
    let people: People
    let now: @Sendable () -> Timestamp
    let monotonic: @Sendable () -> UInt64
    let logger: Logger
    let metrics: CommitMetrics
    private let writer: TransactionWriter
    /// Receives conversations whose members may need a reminder.
    private let unread: UnreadConversations?
    /// Conversations with an in-doubt commit whose members have not been notified yet.
    private var inDoubt: Set<Int64> = []
    private var isNotifyingInDoubt = false
    /// Limits of search scans; smaller in tests.
    private(set) var scanLimits = Chat.scannedMax
    var typingSince: [[Int64]: UInt64] = [:]

    lazy var outgoing = GroupCommit<OutgoingMessage, ChatPosition>(
        loop: loop, refuse: { [metrics] in metrics.refuse() }, key: \.keys,
        write: { [writer] messages, arrival, completion in
            writer.write(MessageGroup(messages: messages).statements, arrival: arrival, completion: completion)
        },
        read: { [weak self] in try await self.required.committed($0, $1, nanoseconds: $2) },
        failed: { [weak self] in await self?.failed($0, $1) })
    lazy var receipts = GroupCommit<Receipt, Int64>(
        loop: loop, limits: .init(window: Self.receiptWindow, groupItemsMax: 1_000),
        refuse: { [metrics] in metrics.refuse() },
        write: { [database, loop] receipts, _, completion in
            Task(executorPreference: loop) {
                do {
                    completion(.success([try await database.query(Self.receiptSQL, Self.parameters(of: receipts))]))
                } catch {
                    completion(.failure(error))
                }
            }
        },
        read: { [weak self] receipts, rows, _ in try await self.required.committed(receipts, rows) })

    /// Creates the service of conversations.
    /// - Parameters:
    ///   - loop: The hub's loop.
    ///   - writer: A writer of its own, so that other writes do not wait for a conversation's lock.
    ///   - hub: Hub whose store reads ``ChatTable``.
    ///   - now: The server's wall clock.
    ///   - monotonic: Monotonic clock in nanoseconds.
    ///   - unread: Receives conversations with new messages.
    public init(
        loop: EventLoop, database: PostgresPool, writer: TransactionWriter, hub: Hub,
        now: @escaping @Sendable () -> Timestamp = { .now },
        monotonic: @escaping @Sendable () -> UInt64 = { EventLoop.nowNanoseconds },
        metrics: CommitMetrics = .messages(), unread: UnreadConversations? = nil,
        logger: Logger = Logger(label: "campanile.chat")
    ) {
        self.loop = loop
        self.database = database
        self.writer = writer
        self.hub = hub
        self.now = now
        self.monotonic = monotonic
        self.metrics = metrics
        self.unread = unread
        self.logger = logger
        people = People(database: database)
    }

    /// Lowers the limits of search scans, for tests.
    func setScanLimits(_ scanLimits: ScanLimits) { self.scanLimits = scanLimits }

    // MARK: Sending

    /// Sends a message and returns once it is committed.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``. After `unavailable` the outcome is in doubt; repeating the message with
    ///   the same id is harmless.
    public func send(_ params: ChatSend.Params, by identity: Identity) async throws -> ChatPosition {
        let message = try message(params, by: identity)
        return try await outgoing.submit(message, size: message.bytes)
    }

    /// Sends a message from the service's loop without a task, because a task per message would cost as much as all other processing.
    /// - Parameter completion: Called on the loop with the result that ``send(_:by:)`` would return or throw.
    /// - Throws: ``Wire/RPCError`` for an invalid message.
    public nonisolated func sendInline(
        _ params: ChatSend.Params, by identity: Identity,
        _ completion: @escaping @Sendable (Result<ChatPosition, any Error>) -> Void
    ) throws {
        try assumeIsolated { chat in
            let message = try chat.message(params, by: identity)
            chat.outgoing.submit(message, size: message.bytes, completion: completion)
        }
    }

    private func message(_ params: ChatSend.Params, by identity: Identity) throws -> OutgoingMessage {
        let text = try Self.text(params.text ?? "")
        guard text != nil || params.picture != nil else { throw RPCError.invalid("text", "must not be empty") }
        let picture = try params.picture.map { picture in
            guard let id = UUID(uuidString: picture) else { throw ChatError.noPicture }
            return id.uuidString.lowercased()
        }
        return OutgoingMessage(
            conversation: params.conversation, author: identity.account.id,
            clientID: try Inputs.clientID(params.id), at: now(), text: text, picture: picture, reply: params.reply)
    }

    /// Validated text of a message; nil if it has no visible character.
    static func text(_ text: String) throws -> String? {
        let text = try Inputs.text(text, "text", charactersMax: textCharactersMax, isAllowed: Inputs.isLayout)
        guard LineFault.isVisible(text) else { return nil }
        // Normalised to NFC, so that a search finds the text however it was typed.
        return text.utf8.allSatisfy { $0 < 0x80 } ? text : text.precomposedStringWithCanonicalMapping
    }

    private func committed(_ messages: [OutgoingMessage], _ answers: [PostgresRows], nanoseconds: UInt64) throws
        -> GroupCommit<OutgoingMessage, ChatPosition>.Committed
    {
        let outcome = try MessageGroup(messages: messages).outcome(answers)
        metrics.committed(
            fresh: outcome.freshCount, accepted: outcome.acceptedCount, of: messages.count, nanoseconds: nanoseconds)
        return .init(answers: outcome.positions) { [self] in await publish(outcome) }
    }

    private func publish(_ outcome: MessageGroup.Outcome) async {
        unread?.add(outcome.changes.keys)
        for (conversation, changes) in outcome.changes {
            await publish(changes.publications, in: conversation, epoch: changes.epoch)
            for (message, offset, at) in changes.signals {
                let names = outcome.names[message.author]
                let last = LastMessage(
                    offset: offset, by: message.author,
                    name: (outcome.direct.contains(conversation) ? names?.full : names?.short) ?? "", at: at,
                    text: message.text.map(Self.preview),
                    picture: message.picture != nil, deleted: false)
                let signal = UserSignal(type: .message, conversation: conversation, offset: offset, message: last)
                await hub.signals.publish(changes.members.map { AccountSignal($0, signal) }, by: message.author)
            }
        }
    }

    /// Truncates like SQL's `left`, by Unicode scalars, because a single character can consist of thousands of them.
    static func preview(_ text: String) -> String {
        guard text.utf8.count > previewCharactersMax else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(previewCharactersMax)))
    }

    /// Publishes committed events to subscribers of the conversation, on all nodes.
    func publish(_ events: [StoredPublication], in conversation: Int64, epoch: Int64) async {
        let topic = Topic.chat(conversation)
        await hub.logs.publish(events, topic: topic, epoch: epoch)
        await hub.logs.announce(events, topic: topic, epoch: epoch)
    }

    private func failed(_ messages: [OutgoingMessage], _ error: any Error) async {
        metrics.failed.add(messages.count)
        await markInDoubt(Set(messages.map(\.conversation)), after: error)
    }

    /// Handles a failed commit that may be in doubt. If it succeeded, subscribers must receive the events even if the client does not
    /// retry, and other devices of the members must be notified.
    func markInDoubt(_ conversations: Set<Int64>, after error: any Error) async {
        switch error as? PostgresError {
        case .server, .overloaded: return
        case .unavailable, .timeout, .decoding, nil: await hub.logs.markInDoubt(conversations.map { Topic.chat($0) })
        }
        inDoubt.formUnion(conversations)
        guard !isNotifyingInDoubt else { return }
        isNotifyingInDoubt = true
        Task(executorPreference: loop) { [weak self] in await self?.notifyInDoubt() }
    }

    /// Reads the members under a lock that waits for transactions in flight. A client that loads the conversation after the signal thus
    /// sees the in-doubt event, or it was never committed.
    private static let inDoubtMembersSQL = """
        SELECT m.conversation_id, m.account_id
        FROM (SELECT id FROM conversations WHERE id = ANY ($1::bigint[]) ORDER BY id FOR SHARE) c
        JOIN members m ON m.conversation_id = c.id WHERE m.state = 'joined'
        """

    private func notifyInDoubt() async {
        defer { isNotifyingInDoubt = false }
        for _ in 0..<Self.inDoubtTriesMax where !inDoubt.isEmpty {
            await loop.sleep(for: Self.inDoubtInterval)
            let conversations = inDoubt
            inDoubt = []
            unread?.add(conversations)
            do {
                let rows = try await database.query(Self.inDoubtMembersSQL, [.intArray(Array(conversations))])
                let signals = try rows.map { row in
                    AccountSignal(
                        try row.int("account_id"),
                        UserSignal(type: .conversation, conversation: try row.int("conversation_id")))
                }
                await hub.signals.publish(signals, by: 0)
            } catch {
                inDoubt.formUnion(conversations)
            }
        }
    }

    // MARK: Upkeep

    /// Removes old retracted content, except pictures that are evidence of an open report.
    public func prune() async throws {
        let before = now().advanced(bySeconds: -Self.retractedDaysMax * 86_400)
        let rows = try await database.query(
            """
            WITH old AS (DELETE FROM retracted t WHERE t.at < $1 AND (t.picture_id IS NULL OR NOT EXISTS (
                SELECT FROM reports r WHERE r.closed_at IS NULL AND r.pictures @> ARRAY[t.picture_id]))
                RETURNING t.picture_id)
            DELETE FROM pictures p USING old WHERE p.id = old.picture_id
            """, [.timestamp(before.milliseconds)])
        if rows.affected > 0 {
            logger.info("removed pictures of deleted messages", metadata: ["count": "\(rows.affected)"])
        }
    }
}
