import CampanileClient
import Foundation
import Postgres
import Wire

/// Creation of the members and their conversations, and their final comparison with the database and the server.
extension LossChat {
    /// Maximum unread count in `chat.list`.
    private static let unreadMax = 1_000

    // MARK: Creation

    /// - Parameters:
    ///   - options: The run's options; there are as many groups as topics.
    ///   - connect: Opens a connection with a token.
    static func make(
        _ options: LossOptions, dataDirectory: String,
        connect: @escaping @Sendable (String) async throws -> CampanileConnection
    ) async throws -> LossChat {
        let count = options.topics * groupMembers
        try await IdleScenario.makeAccounts(count, dataDirectory: dataDirectory)
        var (accounts, rooms) = try await BenchDatabase.with(dataDirectory) { database in
            let accounts = try await readAccounts(count, database)
            return (accounts, try await makeBuddies(accounts, database))
        }
        for owner in stride(from: 0, to: count, by: groupMembers) {
            let members = Array(owner..<owner + groupMembers)
            let connection = try await connect(IdleScenario.token(owner))
            let group = try await connection.call(
                GroupCreate.self,
                .init(
                    id: UUID().uuidString, name: "Loss \(owner)", purpose: .workout,
                    invite: members.dropFirst().map { accounts[$0] })
            ).conversation
            await connection.close()
            for member in members.dropFirst() {
                let connection = try await connect(IdleScenario.token(member))
                _ = try await connection.call(GroupAnswer.self, .init(conversation: group, accept: true))
                await connection.close()
            }
            rooms.append(
                Room(id: group, isGroup: true, members: Array(members.dropLast()), leaver: members[groupMembers - 1]))
        }
        let heads = try await BenchDatabase.with(dataDirectory) { try await readHeads($0) }
        rooms = rooms.map { room in
            var room = room
            room.start = heads[room.id] ?? room.start
            return room
        }
        return LossChat(options, accounts: accounts, rooms: rooms)
    }

    private static func readAccounts(_ count: Int, _ database: PostgresConnection) async throws -> [Int64] {
        try await database.query(
            "SELECT a.id FROM generate_series(0, $1::bigint - 1) n JOIN accounts a ON a.username = 'bench' || n ORDER BY n",
            [.int(Int64(count))]
        ).map { try $0.int("id") }
    }

    /// Makes the first member of each group a buddy of all its other members.
    private static func makeBuddies(_ accounts: [Int64], _ database: PostgresConnection) async throws -> [Room] {
        var rooms: [Room] = []
        for owner in stride(from: 0, to: accounts.count, by: groupMembers) {
            for member in owner + 1..<owner + groupMembers {
                let row = try await database.query(
                    """
                    INSERT INTO buddies (low_id, high_id, conversation_id, matched_at)
                    SELECT least(one, other), greatest(one, other), chat_open_direct(one, other, now()), now()
                    FROM (VALUES ($1::bigint, $2::bigint)) AS pair (one, other)
                    RETURNING conversation_id
                    """, [.int(accounts[owner]), .int(accounts[member])]
                ).first
                guard let id = try row?.int("conversation_id") else { continue }
                rooms.append(Room(id: id, isGroup: false, members: [owner, member]))
            }
        }
        return rooms
    }

    private static func readHeads(_ database: PostgresConnection) async throws -> [Int64: TopicPosition] {
        var heads: [Int64: TopicPosition] = [:]
        for row in try await database.query("SELECT id, epoch, head_offset FROM conversations") {
            heads[try row.int("id")] = TopicPosition(epoch: try row.int("epoch"), offset: try row.int("head_offset"))
        }
        return heads
    }

    // MARK: The table

    func table(_ database: PostgresConnection) async throws -> [String: LossAudit.Topic] {
        let heads = try await Self.readHeads(database)
        var topics: [String: LossAudit.Topic] = [:]
        for room in rooms {
            guard let head = heads[room.id] else { continue }
            let rows = try await database.query(
                """
                SELECT at_offset, kind, coalesce(author_id, 0) AS author, client_id, target, emoji, is_on, member_id
                FROM chat_log WHERE conversation_id = $1 ORDER BY at_offset
                """, [.int(room.id)]
            ).map { row in
                (
                    offset: try row.int("at_offset"),
                    id: Self.id(
                        try row.text("kind"), by: try row.int("author"), client: try row.optionalUUID("client_id"),
                        target: try row.optionalInt("target"), emoji: try row.optionalText("emoji"),
                        on: try row.optionalBool("is_on"), member: try row.optionalInt("member_id"))
                )
            }
            var topic = LossAudit.Topic(epoch: head.epoch, head: head.offset, rows: rows)
            topic.before = room.start.offset
            if let leaver = room.leaver.map({ accounts[$0] }) {
                let left = Self.id(ChatEvent.Kind.left.rawValue, by: leaver, member: leaver)
                topic.ends[leaver] = rows.first { $0.id == left }?.offset
            }
            topics[room.topic] = topic
        }
        return topics
    }

    // MARK: The server's lists

    /// Compares every member's list with the log. No conversation may be missing or foreign, and the head must be that
    /// of the table. The unread messages must be those that were acknowledged and neither deleted nor read.
    func inspect(
        _ state: LossTally.State, _ audit: LossAudit, report: inout BenchReport,
        connect: @Sendable (String) async throws -> CampanileConnection
    ) async throws -> Int {
        let ledger = UnreadLedger(state.acknowledged)
        var (compared, wrongUnread, wrongLists) = (0, 0, 0)
        for (index, account) in accounts.enumerated() {
            let connection = try await connect(IdleScenario.token(index))
            let list = try await connection.call(ChatList.self).conversations
            await connection.close()
            if Set(list.map(\.id)) != Set(roomsOf[index].map(\.id)) { wrongLists += 1 }
            for conversation in list {
                guard let room = byTopic["chat/\(conversation.id)"], let topic = audit.topics[room.topic] else {
                    continue
                }
                compared += 1
                if conversation.head != topic.head { wrongLists += 1 }
                let unread = ledger.unread(of: account, in: room.topic, from: room.start.offset)
                if conversation.unread != min(unread, Self.unreadMax) { wrongUnread += 1 }
            }
        }
        let signalled = rooms.count { room in
            guard let leaver = room.leaver, let last = state.leaversSignals[room.id] else { return false }
            return last > audit.topics[room.topic]?.ends[accounts[leaver]] ?? .max
        }
        report.add("groups with signals to an account after it left", Double(signalled), "")
        report.add("unread counts compared", Double(compared), "")
        report.add("unread counts that are wrong", Double(wrongUnread), "")
        report.add("lists of conversations that are wrong", Double(wrongLists), "")
        return wrongUnread + wrongLists + signalled
    }
}

/// The unread counts, derived only from the acknowledged writes.
struct UnreadLedger {
    private struct Conversation {
        var messages: [Int64: Int64] = [:]
        var deleted: Set<Int64> = []
        var read: [Int64: Int64] = [:]
    }
    private var conversations: [String: Conversation] = [:]

    init(_ acknowledged: [LossTally.Acknowledged]) {
        for one in acknowledged {
            switch one.effect {
            case .message:
                guard let offset = one.position.offset else { continue }
                conversations[one.position.topic, default: .init()].messages[offset] = one.author
            case .deletion(let message): conversations[one.position.topic, default: .init()].deleted.insert(message)
            case .read:
                let read = max(
                    one.position.offset ?? 0, conversations[one.position.topic]?.read[one.author] ?? 0)
                conversations[one.position.topic, default: .init()].read[one.author] = read
            case .other: continue
            }
        }
    }

    /// - Parameter from: The read offset of an account that has acknowledged nothing.
    func unread(of account: Int64, in topic: String, from: Int64) -> Int {
        guard let conversation = conversations[topic] else { return 0 }
        let read = max(from, conversation.read[account] ?? 0)
        return conversation.messages.count {
            $0.key > read && $0.value != account && !conversation.deleted.contains($0.key)
        }
    }
}
