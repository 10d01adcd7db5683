import Foundation
import Hub
import Postgres
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import Services

@Suite("Editing, deleting and reacting")
struct ChangingTests {
    private func edit(
        _ world: ChatWorld, _ conversation: Int64, _ message: Int64, _ text: String, by who: Identity
    ) async throws -> ChatPosition {
        try await world.chat.edit(.init(conversation: conversation, message: message, text: text), by: who)
    }

    private func delete(
        _ world: ChatWorld, _ conversation: Int64, _ message: Int64, by who: Identity
    ) async throws -> ChatPosition {
        try await world.chat.delete(.init(conversation: conversation, message: message), by: who)
    }

    private func react(
        _ world: ChatWorld, _ conversation: Int64, _ message: Int64, _ emoji: Reaction = .fire, on: Bool = true,
        by who: Identity
    ) async throws -> ChatPosition {
        try await world.chat.react(.init(conversation: conversation, message: message, emoji: emoji, on: on), by: who)
    }

    @Test("One's own message can be edited for 24 hours, not longer, and only by its author")
    func edits() async throws {
        let world = try await ChatWorld()
        let (anna, berta, conversation) = try await world.pair()
        let message = try await world.send("frist", in: conversation, by: anna)
        let place = try await edit(world, conversation, message, "first", by: anna)
        #expect(place.offset == message + 1)
        // The same words again change nothing.
        #expect(try await edit(world, conversation, message, " first ", by: anna).offset == nil)
        let shown = try #require(try await world.history(conversation, of: berta).first)
        #expect(shown.offset == message && shown.event.text == "first" && shown.event.editedAt == place.at)
        #expect(await refusal(.forbidden) { try await edit(world, conversation, message, "mine", by: berta) } != nil)
        #expect(await refusal(.invalidParams) { try await edit(world, conversation, message, " ", by: anna) } != nil)
        world.clock.advance(bySeconds: 24 * 3_600)
        #expect(try await edit(world, conversation, message, "at last", by: anna).offset == message + 2)
        world.clock.advance(bySeconds: 0.001)
        let late = await refusal(.conflict) { try await edit(world, conversation, message, "too late", by: anna) }
        #expect(late?.message.contains("24 hours") == true)
        #expect(try await world.texts(conversation, of: berta) == ["at last"])
        // What is no message cannot be edited: the event of the edit, the opening, what is not there yet.
        for offset in [0, 1, message + 1, 99, -1, Int64.max] {
            #expect(await refusal(.notFound) { try await edit(world, conversation, offset, "x", by: anna) } != nil)
        }
        world.clock.advance(bySeconds: -1)
        for number in 3...Chat.editsMax { _ = try await edit(world, conversation, message, "edit \(number)", by: anna) }
        let refused = await refusal(.conflict) { try await edit(world, conversation, message, "too often", by: anna) }
        #expect(refused?.message == "a message can be edited 50 times: send another")
        // The same words again are no edit, and it can still be deleted.
        #expect(try await edit(world, conversation, message, "edit 50", by: anna).offset == nil)
        #expect(try await delete(world, conversation, message, by: anna).offset != nil)
        let picture = try await world.send(
            "words", in: conversation, by: anna, picture: try await world.picture(of: anna))
        #expect(try await edit(world, conversation, picture, "", by: anna).offset != nil)
        #expect(try await world.history(conversation, of: berta).first { $0.offset == picture }?.event.text == nil)
    }

    @Test(
        "What is deleted is gone: from history, list, search, and catching up from memory and from the table, edits too"
    )
    func gone() async throws {
        let world = try await ChatWorld()
        let (anna, berta, conversation) = try await world.pair()
        // Somebody reads all the time, so that the log is in memory.
        var watcher = ChatReader(conversation, berta)
        try await watcher.open(world)
        let start = try #require(watcher.position)
        let before = try await world.send("harmless", in: conversation, by: anna)
        let message = try await world.send("secretone", in: conversation, by: anna)
        _ = try await react(world, conversation, message, by: berta)
        _ = try await edit(world, conversation, message, "secrettwo", by: anna)
        let reply = try await world.send("between", in: conversation, by: berta, reply: message)
        _ = try await edit(world, conversation, message, "secretthree", by: anna)
        _ = try await edit(world, conversation, before, "still harmless", by: anna)
        #expect(try await world.found("secr", by: berta) == ["secretthree"])
        // Who comes back now gets the words as they are, not as they were.
        var early = ChatReader(conversation, berta, at: start)
        try await early.open(world)
        #expect(!early.raw.joined().contains("secretone") && !early.raw.joined().contains("secrettwo"))
        #expect(early.raw.joined().contains("secretthree"))
        let place = try await delete(world, conversation, message, by: anna)
        try await watcher.read(to: try #require(place.offset))
        #expect(watcher.events.last?.data.type == .deleted && watcher.events.last?.data.message == message)
        #expect(try await delete(world, conversation, message, by: anna).offset == nil)

        for node in [world, world.restarted()] {
            for since in [
                start.offset, message - 1, message, message + 1, message + 2, reply, try #require(place.offset) - 1,
            ] {
                var late = ChatReader(conversation, berta, at: TopicPosition(epoch: start.epoch, offset: since))
                try await late.open(node)
                #expect(late.replies.last?.recovered == true)
                #expect(late.events.map(\.offset) == Array((since + 1)...(try #require(place.offset))))
                #expect(!late.raw.joined().contains("secret"), "since \(since)")
            }
            let history = try await node.history(conversation, of: berta)
            #expect(!"\(history)".contains("secret"))
            let shown = try #require(history.first { $0.offset == message })
            #expect(shown.event.deletedAt == place.at && shown.event.text == nil && shown.reactions == nil)
            #expect(try await node.found("secr", by: berta).isEmpty)
        }
        #expect(try await world.listed(conversation, of: berta)?.last?.text == "between")
        #expect(await refusal(.conflict) { try await edit(world, conversation, message, "x", by: anna) } != nil)
        #expect(await refusal(.conflict) { try await react(world, conversation, message, by: berta) } != nil)
        // The newest message's preview goes with it.
        let last = try await world.send("secretfour", in: conversation, by: anna)
        _ = try await delete(world, conversation, last, by: anna)
        let listed = try #require(try await world.listed(conversation, of: berta)?.last)
        #expect(listed.offset == last && listed.deleted && listed.text == nil)
        let rows = try await world.pool.query(
            "SELECT count(*) AS count FROM chat_log WHERE conversation_id = $1 AND body LIKE '%secret%'",
            [.int(conversation)])
        #expect(try rows[0].int("count") == 0)
    }

    @Test(
        "In a group its owner and admins delete anybody's message, members only their own, and of two each only the own"
    )
    func moderation() async throws {
        let world = try await ChatWorld()
        let people = try await world.members(4)
        let group = try await world.group(people)
        _ = try await world.chat.setRole(
            .init(conversation: group, account: people[1].account.id, role: .admin), by: people[0])
        for (index, who) in people.enumerated() {
            for author in people {
                let message = try await world.send("words", in: group, by: author)
                if index < 2 || who == author {
                    #expect(try await delete(world, group, message, by: who).offset == message + 1)
                } else {
                    #expect(await refusal(.forbidden) { try await delete(world, group, message, by: who) } != nil)
                }
            }
        }
        let (anna, berta, conversation) = try await world.pair()
        let message = try await world.send("words", in: conversation, by: anna)
        #expect(await refusal(.forbidden) { try await delete(world, conversation, message, by: berta) } != nil)
    }

    @Test("A reaction is there once however often it is given, goes with the message, and is one of four")
    func reactions() async throws {
        let world = try await ChatWorld()
        let (anna, berta, conversation) = try await world.pair()
        let message = try await world.send("well run", in: conversation, by: anna)
        let offsets = try await withThrowingTaskGroup(of: Int64?.self) { group in
            for _ in 0..<8 {
                group.addTask { try await react(world, conversation, message, .muscle, by: berta).offset }
            }
            return try await group.reduce(into: [Int64]()) { if let offset = $1 { $0.append(offset) } }
        }
        #expect(offsets == [message + 1])
        for emoji in Reaction.allCases { _ = try await react(world, conversation, message, emoji, by: anna) }
        #expect(try await react(world, conversation, message, .fire, on: false, by: berta).offset == nil)
        #expect(try await react(world, conversation, message, .fire, on: false, by: anna).offset != nil)
        let shown = try await world.history(conversation, of: anna).first { $0.offset == message }?.reactions ?? []
        let given = Dictionary(uniqueKeysWithValues: shown.map { ($0.emoji, Set($0.by)) })
        #expect(
            given == [
                .muscle: [anna.account.id, berta.account.id], .thumb: [anna.account.id], .hundred: [anna.account.id],
            ])
        #expect(throws: (any Error).self) {
            try WireJSON.decode(
                ChatReact.Params.self, from: Array(#"{"conversation":1,"message":1,"emoji":"💩","on":true}"#.utf8))
        }
        _ = try await delete(world, conversation, message, by: anna)
        let rows = try await world.pool.query(
            "SELECT count(*) AS count FROM reactions WHERE conversation_id = $1", [.int(conversation)])
        #expect(try rows[0].int("count") == 0)
    }

    @Test("What was edited away or deleted stays for two weeks as evidence, and then nowhere")
    func retracted() async throws {
        // One of its own: everybody's is pruned.
        let world = ChatWorld(
            over: World(access: try await MigratedDatabase.shared.own(), patience: .seconds(120)))
        let (anna, _, conversation) = try await world.pair()
        let picture = try await world.picture(of: anna)
        let message = try await world.send("before", in: conversation, by: anna, picture: picture)
        _ = try await edit(world, conversation, message, "after", by: anna)
        _ = try await delete(world, conversation, message, by: anna)
        func kept() async throws -> Int64 {
            try await world.pool.query(
                "SELECT count(*) AS count FROM retracted WHERE conversation_id = $1", [.int(conversation)])[0].int(
                    "count")
        }
        world.clock.advance(bySeconds: 14 * 86_400)
        try await world.chat.prune()
        #expect(try await kept() == 2)
        world.clock.advance(bySeconds: 1)
        try await world.chat.prune()
        #expect(try await kept() == 0)
        let pictures = try await world.pool.query("SELECT FROM pictures WHERE id = $1", [.uuid(picture)])
        #expect(pictures.isEmpty)
        await world.world.close()
    }

    @Test("Two who block each other see neither words nor reactions of each other in a group they share")
    func hidden() async throws {
        let world = try await ChatWorld()
        let people = try await world.members(3)
        let group = try await world.group(people)
        var reader = ChatReader(group, people[1])
        try await reader.open(world)
        let start = try #require(reader.position)
        let before = try await world.send("seen before", in: group, by: people[2])
        try await reader.read(to: before)
        try await world.block(people[1], people[2])
        let theirs = try await world.send("unseen words", in: group, by: people[2])
        _ = try await world.send("own words", in: group, by: people[1])
        let thirds = try await world.send("of the third", in: group, by: people[0])
        _ = try await react(world, group, thirds, by: people[2])
        let last = try await world.send("of the third", in: group, by: people[0])
        try await reader.read(to: last)
        #expect(reader.events.first { $0.offset == theirs }?.data == .hidden)
        #expect(reader.events.first { $0.offset == thirds + 1 }?.data == .hidden)
        #expect(!reader.raw.joined().contains("unseen"))
        for node in [world, world.restarted()] {
            await node.hub.blocks.set(people[1].account.id, people[2].account.id, isOn: true)
            var late = ChatReader(group, people[1], at: start)
            try await late.open(node)
            #expect(!late.raw.joined().contains("seen"))
            #expect(late.events.map(\.offset) == Array((start.offset + 1)...last))
            let history = try await node.history(group, of: people[1])
            #expect(!"\(history)".contains("seen") && !"\(history)".contains("🔥"))
            #expect(try await node.found("words", by: people[1]) == ["own words"])
            #expect(try await node.found("words", by: people[2]) == ["unseen words"])
            #expect(try await node.found("words", by: people[0]) == ["unseen words", "own words"].reversed())
        }
        let listed = try #require(try await world.listed(group, of: people[2]))
        #expect(listed.last?.offset == last)
        let members = try await world.chat.conversation(.init(conversation: group), for: people[1]).members
        let blocked = try #require(members.first { $0.person.account == people[2].account.id })
        #expect(blocked.person.name.isEmpty && blocked.person.picture == nil && blocked.read == nil)
    }
}
