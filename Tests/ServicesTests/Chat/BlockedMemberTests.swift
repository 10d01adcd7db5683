import Hub
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import Services

@Suite("Somebody blocked in a group that both share")
struct BlockedMemberTests {
    /// Anna, who blocks Berta, an admin; Otto owns the group, and Dora is in it.
    private struct Stage {
        let world: ChatWorld
        let otto: Identity
        let anna: Identity
        let berta: Identity
        let dora: Identity
        let group: Int64

        init() async throws {
            world = try await ChatWorld()
            let people = try await world.members(4)
            (otto, anna, berta, dora) = (people[0], people[1], people[2], people[3])
            group = try await world.group(people)
            _ = try await world.chat.setRole(
                .init(conversation: group, account: berta.account.id, role: .admin), by: otto)
        }

        func delete(_ message: Int64, by who: Identity) async throws -> Int64 {
            let place = try await world.chat.delete(.init(conversation: group, message: message), by: who)
            return try #require(place.offset)
        }
    }

    @Test(
        "What they delete of others goes from the screen and from the list, and it is not said who did it; what they wrote stays hidden"
    )
    func deleting() async throws {
        let stage = try await Stage()
        let (world, group) = (stage.world, stage.group)
        var reader = ChatReader(group, stage.anna)
        try await reader.open(world)
        let start = try #require(reader.position)
        try await reader.listen(world)
        try await world.block(stage.anna, stage.berta)
        let ottos = try await world.send("ottos words", in: group, by: stage.otto)
        let annas = try await world.send("annas words", in: group, by: stage.anna)
        let bertas = try await world.send("bertas words", in: group, by: stage.berta)
        try await reader.read(to: bertas)
        let received = reader.signals.count
        let of = (
            otto: try await stage.delete(ottos, by: stage.berta), anna: try await stage.delete(annas, by: stage.berta),
            berta: try await stage.delete(bertas, by: stage.berta)
        )
        try await reader.read(to: of.berta)
        func check(_ events: [Publication<ChatEvent>], _ how: String) {
            for (offset, message) in [(of.otto, ottos), (of.anna, annas)] {
                let event = events.first { $0.offset == offset }?.data
                #expect(event?.type == .deleted && event?.message == message && event?.by == 0, "\(how)")
                #expect(event?.at == nil && event?.account == nil, "\(how)")
            }
            #expect(events.first { $0.offset == bertas }?.data == .hidden, "\(how)")
            #expect(events.first { $0.offset == of.berta }?.data == .hidden, "\(how)")
        }
        check(reader.events, "pushed")
        let signals = reader.signals.dropFirst(received)
        #expect(signals.map(\.type) == [.conversation, .conversation], "for Otto's and her own, not for Berta's")
        // From memory, and from the table after a restart.
        for node in [world, world.restarted()] {
            await node.hub.blocks.set(stage.anna.account.id, stage.berta.account.id, isOn: true)
            var late = ChatReader(group, stage.anna, at: start)
            try await late.open(node)
            check(late.events, "caught up")
            #expect(!late.raw.joined().contains("words"))
            // Who is not blocked sees whose doing it was, and whose message.
            var third = ChatReader(group, stage.dora, at: start)
            try await third.open(node)
            let seen = try #require(third.events.first { $0.offset == of.otto }?.data)
            #expect(seen.by == stage.berta.account.id && seen.account == stage.otto.account.id)
        }
    }

    @Test("Of two blocked people what one deletes of the other's stays hidden altogether")
    func both() async throws {
        let stage = try await Stage()
        let (world, group) = (stage.world, stage.group)
        var reader = ChatReader(group, stage.anna)
        try await reader.open(world)
        try await reader.listen(world)
        for other in [stage.berta, stage.dora] { try await world.block(stage.anna, other) }
        let message = try await world.send("doras words", in: group, by: stage.dora)
        try await reader.read(to: message)
        let received = reader.signals.count
        let last = try await stage.delete(message, by: stage.berta)
        try await reader.read(to: last)
        #expect(reader.events.suffix(2).allSatisfy { $0.data == .hidden })
        #expect(reader.signals.count == received)
    }

    @Test(
        "A reaction to them is to nothing, a reply answers nothing, in both directions, as when there is no such message"
    )
    func answering() async throws {
        let stage = try await Stage()
        let (world, group) = (stage.world, stage.group)
        let bertas = try await world.send("words", in: group, by: stage.berta)
        let annas = try await world.send("words", in: group, by: stage.anna)
        func react(_ message: Int64, _ who: Identity, on: Bool = true) async throws -> ChatPosition {
            try await world.chat.react(
                .init(conversation: group, message: message, emoji: .fire, on: on), by: who)
        }
        func reply(_ message: Int64, _ who: Identity) async throws -> Int64? {
            let sent = try await world.send("reply", in: group, by: who, reply: message)
            return try await world.history(group, of: who).first { $0.offset == sent }?.event.reply
        }
        _ = try await react(bertas, stage.anna)
        #expect(try await reply(bertas, stage.anna) == bertas)
        try await world.block(stage.anna, stage.berta)
        let absent = await refusal(.notFound) { try await react(99_999, stage.anna) }
        for (message, who) in [(bertas, stage.anna), (annas, stage.berta)] {
            #expect(await refusal(.notFound) { try await react(message, who) } == absent)
            #expect(await refusal(.notFound) { try await react(message, who, on: false) } == absent)
            #expect(try await reply(message, who) == nil)
            #expect(try await reply(message, stage.otto) == message)
            _ = try await react(message, stage.otto)
        }
        _ = try await world.safety.unblock(stage.anna, .init(account: stage.berta.account.id))
        #expect(try await reply(bertas, stage.anna) == bertas)
        #expect(try await react(annas, stage.berta).offset != nil)
    }

    @Test("The blocker's devices are told to ask again, whatever the other blocks; the other hears nothing")
    func resync() async throws {
        let stage = try await Stage()
        let world = stage.world
        var (mine, theirs) = (ChatReader(stage.group, stage.anna), ChatReader(stage.group, stage.berta))
        try await mine.listen(world)
        try await theirs.listen(world)
        func received() async throws -> [Int] {
            try await mine.read()
            try await theirs.read()
            return [mine, theirs].map { $0.signals.count { $0.type == .resync } }
        }
        try await world.block(stage.anna, stage.berta)
        #expect(try await received() == [1, 0])
        try await world.block(stage.anna, stage.berta)
        #expect(try await received() == [1, 0], "it held already")
        // That the other blocks as well changes nothing of it.
        try await world.block(stage.berta, stage.anna)
        #expect(try await received() == [1, 1])
        _ = try await world.safety.unblock(stage.anna, .init(account: stage.berta.account.id))
        #expect(try await received() == [2, 1])
        _ = try await world.safety.unblock(stage.berta, .init(account: stage.anna.account.id))
        #expect(try await received() == [2, 2])
    }
}
