import Foundation
import Hub
import HubCore
import Postgres
import TestSupport
import Wire

@testable import Services

/// Conversations over the tests' database, with buddies, blocks and a clock that the test moves.
struct ChatWorld: Sendable {
    let world: World
    let hub: Hub
    let chat: Chat
    let safety: Safety
    var clock: TestClock { world.clock }
    var pool: PostgresPool { world.pool }

    init() async throws { self.init(over: try await World()) }

    /// The same as they are after a restart, or on another node: nothing in memory, the same database and clock.
    func restarted() -> ChatWorld { ChatWorld(over: world) }

    init(over world: World) {
        let clock = world.clock
        let hub = Hub(
            loop: world.loop, now: { clock.now },
            store: TopicStores(publications: world.table, chat: ChatTable(database: world.pool)),
            monotonic: { clock.nanoseconds })
        let chat = Chat(
            loop: world.loop, database: world.pool, writer: world.publisher, hub: hub, now: { clock.now },
            monotonic: { clock.nanoseconds }, logger: TestDatabase.logger)
        let events = BuddyHandlers(
            opened: { await chat.directChanged($0, accounts: $1, isOpen: true) },
            closed: { await chat.directChanged($0, accounts: $1, isOpen: false) },
            uninvited: { await chat.notifyRemoved($0, [$1]) }, blockChanged: { await hub.blocks.set($0, $1, isOn: $2) })
        (self.world, self.hub, self.chat) = (world, hub, chat)
        safety = Safety(loop: world.loop, database: world.pool, events: events, now: { clock.now })
    }

    // MARK: People

    func member() async throws -> Identity { try await world.member() }

    func members(_ count: Int) async throws -> [Identity] {
        var members: [Identity] = []
        for _ in 0..<count { members.append(try await member()) }
        return members
    }

    /// Makes two buddies, unless they are.
    /// - Returns: Their conversation.
    @discardableResult
    func match(_ one: Identity, _ other: Identity) async throws -> Int64 {
        let known = try await pool.query(
            "SELECT conversation_id FROM buddies WHERE low_id = least($1, $2::bigint) AND high_id = greatest($1, $2::bigint)",
            [.int(one.account.id), .int(other.account.id)])
        if let row = known.first { return try row.int("conversation_id") }
        let rows = try await pool.query(
            """
            INSERT INTO buddies (low_id, high_id, conversation_id, matched_at)
            SELECT least($1, $2::bigint), greatest($1, $2::bigint), chat_open_direct($1, $2, $3), $3 RETURNING conversation_id
            """, [.int(one.account.id), .int(other.account.id), .timestamp(clock.now.milliseconds)])
        return try rows[0].int("conversation_id")
    }

    /// A conversation of two.
    func pair() async throws -> (Identity, Identity, Int64) {
        let (one, other) = (try await member(), try await member())
        return (one, other, try await match(one, other))
    }

    /// A group: the first owns it, the others joined, in their order.
    func group(_ people: [Identity], invited: [Identity] = []) async throws -> Int64 {
        for other in people.dropFirst() + invited { try await match(people[0], other) }
        let group = try await chat.create(
            .init(id: World.newID(), name: "Runners", invite: (people.dropFirst() + invited).map(\.account.id)),
            by: people[0])
        for other in people.dropFirst() { try await join(group, other) }
        return group
    }

    func join(_ group: Int64, _ who: Identity) async throws {
        try await chat.answer(.init(conversation: group, accept: true), by: who)
    }

    func block(_ one: Identity, _ other: Identity) async throws {
        _ = try await safety.block(one, AccountParams(account: other.account.id))
    }

    // MARK: Messages

    @discardableResult
    func send(
        _ text: String?, in conversation: Int64, by who: Identity, id: String = World.newID(), picture: String? = nil,
        reply: Int64? = nil
    ) async throws -> Int64 {
        let place = try await chat.send(
            .init(conversation: conversation, id: id, text: text, picture: picture, reply: reply), by: who)
        return place.offset ?? 0
    }

    func history(_ conversation: Int64, of who: Identity) async throws -> [ChatHistory.Item] {
        var items: [ChatHistory.Item] = []
        var before: Int64?
        repeat {
            let page = try await chat.history(.init(conversation: conversation, before: before, limit: 100), for: who)
            items += page.items
            before = page.next
        } while before != nil
        return items
    }

    /// The texts of the messages that somebody sees, oldest first.
    func texts(_ conversation: Int64, of who: Identity) async throws -> [String] {
        try await history(conversation, of: who).reversed().compactMap {
            $0.event.type == .message ? $0.event.text : nil
        }
    }

    func listed(_ conversation: Int64, of who: Identity) async throws -> Conversation? {
        try await chat.list(of: who).first { $0.id == conversation }
    }

    func found(_ text: String, by who: Identity, in conversation: Int64? = nil) async throws -> [String] {
        try await chat.search(.init(text: text, conversation: conversation), for: who).messages.map(\.text)
    }

    /// A picture that was uploaded and not sent.
    func picture(of owner: Identity) async throws -> String {
        let id = World.newID().lowercased()
        _ = try await pool.query(
            """
            INSERT INTO pictures (id, owner_id, purpose, width, height, "full", thumb, created_at)
            VALUES ($1, $2, 'chat', 4, 3, $3, $3, $4)
            """, [.uuid(id), .int(owner.account.id), .bytes([1]), .timestamp(clock.now.milliseconds)])
        return id
    }
}

/// A connection that has a conversation open, and everything it was given.
struct ChatReader {
    let viewer = RecordingViewer(loop: TestDatabase.shared.loop)
    let conversation: Int64
    let who: Identity
    private(set) var position: TopicPosition?
    private(set) var events: [Publication<ChatEvent>] = []
    private(set) var asides: [ChatAside] = []
    private(set) var replies: [Resumed<ChatEvent>] = []
    private(set) var signals: [UserSignal] = []
    private(set) var raw: [String] = []

    init(_ conversation: Int64, _ who: Identity, at position: TopicPosition? = nil) {
        (self.conversation, self.who, self.position) = (conversation, who, position)
    }

    /// Opens the conversation, page by page.
    mutating func open(_ world: ChatWorld) async throws {
        repeat {
            try await world.chat.watch(viewer, conversation, for: who, since: position) {
                Array(#"{"jsonrpc":"2.0","id":1,"result":"#.utf8) + $0.json + Array("}".utf8)
            }
            try await read()
        } while replies.last?.more == true
    }

    /// Hears what is new for the account.
    func listen(_ world: ChatWorld) async throws {
        try await world.hub.signals.subscribe(viewer, account: who.account.id) { [] }
    }

    mutating func read() async throws {
        for delivery in await viewer.take() {
            for message in delivery.messages {
                try take(RecordingViewer.payload(of: message.frame), of: delivery.topic)
            }
        }
    }

    private mutating func take(_ json: [UInt8], of topic: Topic) throws {
        raw.append(String(decoding: json, as: UTF8.self))
        if case .user = topic {
            return signals.append(try WireJSON.decode(Push<UserSignal>.self, from: json).params.data)
        }
        if let reply = try? WireJSON.decode(Success<Resumed<ChatEvent>>.self, from: json).result {
            replies.append(reply)
            events += reply.publications
            position = TopicPosition(epoch: reply.epoch, offset: reply.offset)
        } else if let push = try? WireJSON.decode(Push<ChatEvent>.self, from: json).params, let offset = push.offset {
            events.append(Publication(offset: offset, data: push.data))
            position = TopicPosition(epoch: push.epoch ?? 0, offset: offset)
        } else {
            asides.append(try WireJSON.decode(Push<ChatAside>.self, from: json).params.data)
        }
    }

    /// Waits until it was given an event with this offset.
    mutating func read(to offset: Int64) async throws {
        while position?.offset ?? 0 < offset {
            let before = self
            self = try await eventually("event \(offset) of \(conversation)") {
                var next = before
                try await next.read()
                return next.raw.count > before.raw.count ? next : nil
            }
        }
    }
}
