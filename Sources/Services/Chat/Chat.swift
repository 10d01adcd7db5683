import EventLoop
import Foundation
import Hub
import Logging
import Postgres
import Wire

/// Conversations (C-7, W-5, B-6): commit, then acknowledge, then fan out. What is sent again is the same message; who may read is
/// decided by PostgreSQL at every request, and by the log itself on what is open.
///
/// An actor on its loop, which is the hub's.
public actor Chat {
    /// Characters of a message.
    public static let textCharactersMax = 4_000
    /// How long a message can be edited.
    public static let editHoursMax = 24
    /// Edits of one message: each wording is kept as evidence.
    public static let editsMax = 50
    /// Days that what was edited away or deleted is kept as evidence for reports.
    public static let retractedDaysMax = 14.0
    /// Conversations in the list.
    static let listedMax: Int64 = 500
    /// Unread messages that are counted.
    static let unreadMax: Int64 = 1_000
    /// Characters of a message in a list.
    static let previewCharactersMax = 200
    /// Events of a page of history.
    static let historyMax = 100
    static let historyDefault = 30
    /// Seconds that a conversation can be muted for, other than for good.
    static let muteSecondsMax = 31_536_000.0
    /// Looks at who may read before a conversation in full flow is given up on.
    static let admissionsMax = 20
    /// Between two such looks.
    static let admissionInterval = Duration.milliseconds(10)
    /// How long receipts wait for company.
    static let receiptWindow = Duration.milliseconds(50)
    /// Between two times that somebody is told to be writing.
    static let typingNanosecondsMin: UInt64 = 2_000_000_000
    /// Members who write that are remembered.
    static let typingMax = 10_000
    /// Between two tries to tell members of what was perhaps committed.
    static let doubtInterval = Duration.milliseconds(250)
    /// Such tries; each waits for the database as well.
    static let doubtTriesMax = 1_000

    /// The loop it runs on.
    public nonisolated let loop: EventLoop
    /// The service runs on its loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let database: PostgresPool
    let hub: Hub
    let people: People
    let now: @Sendable () -> Timestamp
    let monotonic: @Sendable () -> UInt64
    let logger: Logger
    let metrics: CommitMetrics
    private let writer: GroupWriter
    /// Whose members are to be reminded.
    private let unread: UnreadConversations?
    /// Conversations in which something was perhaps committed, of which their members do not know yet.
    private var doubted: Set<Int64> = []
    private var isTellingDoubted = false
    /// Less in tests.
    private(set) var looked = Chat.lookedMax
    var typingSince: [[Int64]: UInt64] = [:]

    lazy var outgoing = CommitGroups<OutgoingMessage, ChatPlace>(
        loop: loop, refused: metrics.refused, key: \.keys,
        write: { [writer] messages, completion in
            writer.write(MessageGroup(messages: messages).statements, completion: completion)
        },
        read: { [weak self] in try await self.required.committed($0, $1, nanoseconds: $2) },
        failed: { [weak self] in await self?.failed($0, $1) })
    lazy var receipts = CommitGroups<Receipt, Int64>(
        loop: loop, limits: .init(window: Self.receiptWindow, groupItemsMax: 1_000), refused: metrics.refused,
        write: { [database, loop] receipts, completion in
            Task(executorPreference: loop) {
                do {
                    completion(.success([try await database.query(Self.receiptSQL, Self.parameters(of: receipts))]))
                } catch {
                    completion(.failure(error))
                }
            }
        },
        read: { [weak self] receipts, rows, _ in try await self.required.committed(receipts, rows) },
        failed: { _, _ in })

    /// - Parameters:
    ///   - loop: The hub's.
    ///   - writer: Its own, configured by ``Publications/writing(_:)``: groups are made here.
    ///   - hub: Its store reads ``ChatTable``.
    ///   - now: The server's wall clock.
    ///   - monotonic: Nanoseconds that pauses are measured by.
    ///   - unread: Hears of conversations in which somebody wrote.
    public init(
        loop: EventLoop, database: PostgresPool, writer: GroupWriter, hub: Hub,
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

    /// Searches look at less: for tests.
    func setLooked(_ looked: Looked) { self.looked = looked }

    // MARK: Sending

    /// Sends a message, and returns once it is committed.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``: `unavailable` leaves it open whether it is sent: sending it again
    ///   with the same id is harmless.
    public func send(_ params: ChatSend.Params, by identity: Identity) async throws -> ChatPlace {
        let message = try message(params, by: identity)
        return try await outgoing.submit(message, bytes: message.bytes)
    }

    /// The same for who is on the service's loop: a task for each message would cost as much as all the rest of it.
    /// - Parameter completion: Called on the loop, with what ``send(_:by:)`` returns or throws.
    /// - Throws: ``Wire/RPCError`` for a message that cannot be sent.
    public nonisolated func sendAtOnce(
        _ params: ChatSend.Params, by identity: Identity,
        _ completion: @escaping @Sendable (Result<ChatPlace, any Error>) -> Void
    ) throws {
        try assumeIsolated { chat in
            let message = try chat.message(params, by: identity)
            chat.outgoing.submit(message, bytes: message.bytes, completion: completion)
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

    /// Nil when there is nothing to see.
    static func text(_ text: String) throws -> String? {
        let text = try Inputs.text(text, "text", charactersMax: textCharactersMax, isAllowed: Inputs.isLayout)
        guard Inputs.isVisible(text) else { return nil }
        // In one Unicode form, so that search finds it however it was typed.
        return text.utf8.allSatisfy { $0 < 0x80 } ? text : text.precomposedStringWithCanonicalMapping
    }

    private func committed(_ messages: [OutgoingMessage], _ answers: [PostgresRows], nanoseconds: UInt64) throws
        -> CommitGroups<OutgoingMessage, ChatPlace>.Committed
    {
        let outcome = try MessageGroup(messages: messages).outcome(answers)
        metrics.committed(
            fresh: outcome.freshCount, accepted: outcome.acceptedCount, of: messages.count, nanoseconds: nanoseconds)
        return .init(answers: outcome.places) { [self] in await tell(outcome) }
    }

    private func tell(_ outcome: MessageGroup.Outcome) async {
        unread?.add(outcome.news.keys)
        for (conversation, news) in outcome.news {
            await publish(news.publications, in: conversation, epoch: news.epoch)
            for (message, offset, at) in news.signals {
                let names = outcome.names[message.author]
                let last = LastMessage(
                    offset: offset, by: message.author,
                    name: (outcome.direct.contains(conversation) ? names?.full : names?.short) ?? "", at: at,
                    text: message.text.map(Self.preview),
                    picture: message.picture != nil, deleted: false)
                let signal = UserSignal(type: .message, conversation: conversation, offset: offset, message: last)
                await hub.tell(news.members.map { AccountSignal($0, signal) }, by: message.author)
            }
        }
    }

    /// As `left` in SQL counts, by Unicode scalars: of a single character there may be thousands.
    static func preview(_ text: String) -> String {
        guard text.utf8.count > previewCharactersMax else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(previewCharactersMax)))
    }

    /// Committed events go to those who have the conversation open, here and on the other nodes.
    func publish(_ events: [StoredPublication], in conversation: Int64, epoch: Int64) async {
        let topic = Topic.chat(conversation)
        await hub.publish(events, topic: topic, epoch: epoch)
        await hub.tell(events, topic: topic, epoch: epoch)
    }

    private func failed(_ messages: [OutgoingMessage], _ error: any Error) async {
        metrics.failed.add(messages.count)
        await doubt(Set(messages.map(\.conversation)), after: error)
    }

    /// Whether something was committed is perhaps not known. If it was, readers must get it also when nobody sends it again, and the
    /// members' other devices must hear that there is something.
    func doubt(_ conversations: Set<Int64>, after error: any Error) async {
        switch error as? PostgresError {
        case .server, .overloaded: return
        case .unavailable, .timeout, .decoding, nil: await hub.doubt(conversations.map { Topic.chat($0) })
        }
        doubted.formUnion(conversations)
        guard !isTellingDoubted else { return }
        isTellingDoubted = true
        Task(executorPreference: loop) { [weak self] in await self?.tellDoubted() }
    }

    /// Under a lock that waits for what is under way: what is asked for behind the signal is there, or never will be.
    private static let doubtedMembers = """
        SELECT m.conversation_id, m.account_id
        FROM (SELECT id FROM conversations WHERE id = ANY ($1::bigint[]) ORDER BY id FOR SHARE) c
        JOIN members m ON m.conversation_id = c.id WHERE m.state = 'joined'
        """

    private func tellDoubted() async {
        defer { isTellingDoubted = false }
        for _ in 0..<Self.doubtTriesMax where !doubted.isEmpty {
            await loop.sleep(for: Self.doubtInterval)
            let conversations = doubted
            doubted = []
            unread?.add(conversations)
            do {
                let rows = try await database.query(Self.doubtedMembers, [.intArray(Array(conversations))])
                let signals = try rows.map { row in
                    AccountSignal(
                        try row.int("account_id"),
                        UserSignal(type: .conversation, conversation: try row.int("conversation_id")))
                }
                await hub.tell(signals, by: 0)
            } catch {
                doubted.formUnion(conversations)
            }
        }
    }

    // MARK: Upkeep

    /// Removes what was retracted long ago, but for pictures that an open report names.
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
