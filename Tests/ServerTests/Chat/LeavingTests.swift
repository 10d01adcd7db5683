import Foundation
import TestSupport
import Testing
import Wire

@testable import Server

/// How somebody comes out of a conversation.
enum WayOut: CaseIterable, Sendable {
    case leaving, removal, parting, block

    var isGroup: Bool { self == .leaving || self == .removal }
    /// The event that is the last one told.
    var last: ChatEvent.Kind {
        switch self {
        case .leaving: .left
        case .removal: .removed
        case .parting, .block: .closed
        }
    }
}

@Suite("Coming out of a conversation while messages are in flight")
struct LeavingTests {
    /// Somebody who writes, and somebody who goes, each at a node.
    private struct Stage: Sendable {
        let anna: ChatPerson
        let leaver: ChatPerson
        let direct: Int64
        /// The leaver's devices: one that has the conversation open, one that asks to open it again and again.
        let open: ChatClient
        let asking: ChatClient

        init(_ writing: TestServer, _ reading: TestServer) async throws {
            anna = try await ChatPerson(writing, lastName: "Writer")
            leaver = try await ChatPerson(reading, lastName: "Leaver")
            direct = try await anna.match(leaver)
            open = try await ChatClient(reading, token: leaver.token)
            asking = try await ChatClient(reading, token: leaver.token)
        }

        func go(_ way: WayOut, _ conversation: Int64) async throws {
            switch way {
            case .leaving: _ = try await leaver.client.call(GroupLeave.self, .init(conversation: conversation))
            case .removal:
                _ = try await anna.client.call(GroupRemove.self, .init(conversation: conversation, account: leaver.id))
            case .parting: _ = try await anna.client.call(BuddiesRemove.self, .init(account: leaver.id))
            case .block: _ = try await anna.client.call(SafetyBlock.self, .init(account: leaver.id))
            }
        }
    }

    /// The first round's conversation is new; after a block it is opened again, past what the leaver may read.
    private func reopen(_ stage: Stage, _ server: TestServer) async throws {
        _ = try await stage.anna.client.call(SafetyUnblock.self, .init(account: stage.leaver.id))
        let database = try await server.database()
        _ = try await database.query(
            """
            INSERT INTO buddies (low_id, high_id, conversation_id, matched_at)
            SELECT least($1, $2::bigint), greatest($1, $2::bigint), chat_open_direct($1, $2, now()), now()
            """, [.int(stage.anna.id), .int(stage.leaver.id)])
        database.close()
    }

    private func round(
        _ way: WayOut, _ stage: Stage, _ conversation: Int64, from: ChatClient, number: Int
    ) async throws {
        let topic = #"{"topic":"chat/\#(conversation)"}"#
        // The other node learns by a message that a block was lifted.
        _ = try await eventually("the conversation is open") {
            try await stage.open.ask("subscribe", topic).contains("\"recovered\"") ? true : nil
        }
        let start = try await stage.anna.client.call(ChatHistory.self, .init(conversation: conversation))
        let since = #"{"topic":"chat/\#(conversation)","since":{"epoch":\#(start.epoch),"offset":\#(start.head)}}"#
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for writer in 0..<4 {
                tasks.addTask {
                    // In bursts, so that what is sent and who goes share transactions and turns of loops.
                    for burst in 0..<6 {
                        for index in 0..<4 {
                            let text = "\(writer).\(burst).\(index)"
                            try stage.anna.client.post(
                                "chat.send",
                                #"{"conversation":\#(conversation),"id":"\#(UUID().uuidString)","text":"\#(text)"}"#)
                        }
                        _ = try await stage.anna.client.ask("ping")
                    }
                }
            }
            tasks.addTask {
                for _ in 0..<40 { _ = try await stage.asking.ask("subscribe", since) }
            }
            tasks.addTask {
                for _ in 0..<(number % 5) { _ = try await stage.anna.client.ask("ping") }
                try await stage.go(way, conversation)
            }
            try await tasks.waitForAll()
        }
    }

    /// Where the log has the event that took the leaver out, after `offset`.
    private func end(
        _ server: TestServer, _ way: WayOut, _ conversation: Int64, of leaver: Int64, after offset: Int64
    ) async throws -> Int64 {
        let database = try await server.database()
        defer { database.close() }
        let rows = try await database.query(
            """
            SELECT at_offset FROM chat_log WHERE conversation_id = $1 AND at_offset > $2 AND kind = $3
            AND (member_id = $4 OR kind = 'closed') ORDER BY at_offset LIMIT 1
            """, [.int(conversation), .int(offset), .text(way.last.rawValue), .int(leaver)])
        return try #require(rows.first).int("at_offset")
    }

    private func play(_ way: WayOut, rounds: Int, writing: TestServer, reading: TestServer) async throws {
        let stage = try await Stage(writing, reading)
        _ = try await stage.open.ask("subscribe", #"{"topic":"user/\#(stage.leaver.id)"}"#)
        var behind = 0
        for number in 0..<rounds {
            var conversation = stage.direct
            if way.isGroup {
                conversation = try await stage.anna.makeGroup("Round \(number)", with: [stage.leaver])
                try await stage.leaver.join(conversation)
            } else if number > 0 {
                try await reopen(stage, writing)
            }
            let before = try await stage.anna.client.call(ChatHistory.self, .init(conversation: conversation)).head
            try await round(way, stage, conversation, from: stage.open, number: number)
            let end = try await end(writing, way, conversation, of: stage.leaver.id, after: before)
            // A connection that was open gets everything up to the end, and is told that it is out.
            _ = try await eventually("the end is told") {
                stage.open.events(of: conversation).contains { $0.offset == end } ? true : nil
            }
            if way.isGroup {
                let head = try await stage.anna.send("behind the end", in: conversation)
                behind += Int(head - end)
            }
            for client in [stage.open, stage.asking] { _ = try await client.ask("ping") }
            for client in [stage.open, stage.asking] {
                let seen = client.events(of: conversation).filter { $0.offset > before }
                #expect(seen.allSatisfy { $0.offset <= end }, "\(way), round \(number)")
                #expect(!client.frames.joined().contains("behind the end"), "\(way), round \(number)")
            }
            let pushed = stage.open.events(of: conversation).map(\.offset).filter { $0 > before }
            #expect(pushed == Array((before + 1)...end), "\(way), round \(number)")
            let signals = stage.open.signals.filter { $0.conversation == conversation && $0.type == .message }
            #expect(signals.allSatisfy { ($0.offset ?? 0) < end }, "\(way), round \(number)")
            #expect(try await stage.asking.ask("subscribe", #"{"topic":"chat/\#(conversation)"}"#).contains("1003"))
        }
        // Otherwise this proves nothing.
        if way.isGroup { #expect(behind > rounds, "messages were written behind the end") }
    }

    @Test("No message behind the event that takes somebody out reaches them, on one node", arguments: WayOut.allCases)
    func oneNode(way: WayOut) async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        try await play(way, rounds: 12, writing: server, reading: server)
        await server.stop()
    }

    @Test(
        "A member who has left gets no message on another node either, with NATS between the nodes",
        arguments: WayOut.allCases)
    func twoNodes(way: WayOut) async throws {
        let nodes = try await TwoNodes.start()
        try await play(way, rounds: 8, writing: nodes.first, reading: nodes.second)
        await nodes.stop()
    }

    @Test("While a group is shared, nothing that is written after a block is read by the other, on any device")
    func blockInGroup() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let otto = try await ChatPerson(server, lastName: "Owner")
        let (anna, berta) = (
            try await ChatPerson(server, lastName: "Anna"), try await ChatPerson(server, lastName: "Berta")
        )
        for one in [anna, berta] { try await otto.match(one) }
        let group = try await otto.makeGroup("Runners", with: [anna, berta])
        for one in [anna, berta] { try await one.join(group) }
        let readers = [
            try await ChatClient(server, token: berta.token), try await ChatClient(server, token: berta.token),
        ]
        for reader in readers {
            _ = try await reader.ask("subscribe", #"{"topic":"chat/\#(group)"}"#)
            _ = try await reader.ask("subscribe", #"{"topic":"user/\#(berta.id)"}"#)
        }
        for number in 0..<30 { _ = try await anna.send("before \(number)", in: group) }
        _ = try await anna.client.call(SafetyBlock.self, .init(account: berta.id))
        var last: Int64 = 0
        for number in 0..<30 { last = try await anna.send("unseen \(number)", in: group) }
        for reader in readers {
            _ = try await eventually("all came") {
                reader.events(of: group).contains { $0.offset == last } ? true : nil
            }
            #expect(!reader.frames.joined().contains("unseen"))
            #expect(reader.events(of: group).filter { $0.offset > last - 30 }.allSatisfy { $0.event == .hidden })
        }
        await server.stop()
    }
}
