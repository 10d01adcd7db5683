import Foundation
import Hub
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Receipts, writing, muting, and what others learn of it")
struct ReceiptTests {
    private func read(_ world: ChatWorld, _ conversation: Int64, _ offset: Int64, by who: Identity) async throws
        -> Int64
    {
        try await world.chat.read(.init(conversation: conversation, offset: offset), by: who).offset
    }

    private func delivered(
        _ world: ChatWorld, _ conversation: Int64, _ offset: Int64, by who: Identity
    ) async throws -> Int64 {
        try await world.chat.delivered(.init(conversation: conversation, offset: offset), by: who).offset
    }

    private func member(_ world: ChatWorld, _ conversation: Int64, _ who: Identity, seenBy: Identity) async throws
        -> Member
    {
        let members = try await world.chat.conversation(.init(conversation: conversation), for: seenBy).members
        return try #require(members.first { $0.person.account == who.account.id })
    }

    /// Waits until the reader has so many asides.
    private func asides(_ reader: inout ChatReader, _ count: Int) async throws -> [ChatAside] {
        while reader.asides.count < count {
            let before = reader
            reader = try await eventually("\(count) asides") {
                var next = before
                try await next.read()
                return next.raw.count > before.raw.count ? next : nil
            }
        }
        return reader.asides
    }

    @Test("They never go back, never beyond the head, and reading is having")
    func monotonic() async throws {
        let world = try await ChatWorld()
        let (anna, berta, conversation) = try await world.pair()
        for number in 0..<5 { try await world.send("\(number)", in: conversation, by: anna) }
        #expect(try await delivered(world, conversation, 4, by: berta) == 4)
        #expect(try await read(world, conversation, 3, by: berta) == 3)
        #expect(try await read(world, conversation, 2, by: berta) == 3)
        // Where one has read to, though the device has more.
        #expect(try await read(world, conversation, 0, by: berta) == 3)
        #expect(try await delivered(world, conversation, 1, by: berta) == 4)
        #expect(try await read(world, conversation, .max, by: berta) == 6)
        #expect(try await delivered(world, conversation, 1, by: berta) == 6)
        let seen = try await member(world, conversation, berta, seenBy: anna)
        #expect(seen.read == 6 && seen.delivered == 6)
        #expect(await refusal(.invalidParams) { try await read(world, conversation, -1, by: berta) } != nil)
        let stranger = try await world.member()
        for conversation in [conversation, .max] {
            #expect(await refusal(.notFound) { try await read(world, conversation, 1, by: stranger) } != nil)
            #expect(await refusal(.notFound) { try await delivered(world, conversation, 1, by: stranger) } != nil)
        }
    }

    @Test("Many at once, of several people and on two nodes, end at the highest")
    func concurrent() async throws {
        let here = try await ChatWorld()
        let there = ChatWorld(over: World(access: here.world.access, patience: .seconds(120)))
        let people = try await here.members(3)
        let group = try await here.group(people)
        for number in 0..<20 { try await here.send("\(number)", in: group, by: people[0]) }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for (index, who) in people.enumerated() {
                for offset in Int64(1)...15 {
                    tasks.addTask {
                        _ = try await read(offset % 2 == 0 ? here : there, group, offset + Int64(index), by: who)
                    }
                }
            }
            try await tasks.waitForAll()
        }
        for (index, who) in people.enumerated() {
            #expect(try await here.listed(group, of: who)?.read == 15 + Int64(index))
        }
        await there.world.close()
    }

    @Test(
        "Others who have it open learn of them, not the one who reads; the own other devices are told, to clear their mark"
    )
    func received() async throws {
        let world = try await ChatWorld()
        let (anna, berta, conversation) = try await world.pair()
        var (author, phone, tablet) = (
            ChatReader(conversation, anna), ChatReader(conversation, berta), ChatReader(conversation, berta)
        )
        try await author.open(world)
        try await phone.open(world)
        try await tablet.listen(world)
        let message = try await world.send("hello", in: conversation, by: anna)
        _ = try await delivered(world, conversation, message, by: berta)
        _ = try await read(world, conversation, message, by: berta)
        let arrived = try await asides(&author, 2)
        #expect(arrived.map(\.delivered) == [message, nil] && arrived.map(\.read) == [nil, message])
        #expect(arrived.allSatisfy { $0.by == berta.account.id })
        try await phone.read()
        #expect(phone.asides.isEmpty)
        try await tablet.read()
        #expect(tablet.signals.contains(UserSignal(type: .read, conversation: conversation, offset: message)))
    }

    @Test("Who does not tell is not told of, while the own mark and other devices work")
    func off() async throws {
        let world = try await ChatWorld()
        let (anna, berta, conversation) = try await world.pair()
        _ = try await world.chat.save(ChatSettings(read: false, delivered: false, typing: false), of: berta)
        var (author, tablet) = (ChatReader(conversation, anna), ChatReader(conversation, berta))
        try await author.open(world)
        try await tablet.open(world)
        try await tablet.listen(world)
        let message = try await world.send("hello", in: conversation, by: anna)
        #expect(try await world.listed(conversation, of: berta)?.unread == 1)
        _ = try await read(world, conversation, message, by: berta)
        try await world.chat.typing(.init(conversation: conversation), by: berta)
        #expect(try await world.listed(conversation, of: berta)?.unread == 0)
        try await tablet.read()
        #expect(tablet.signals.contains { $0.type == .read && $0.offset == message })
        let last = try await world.send("more", in: conversation, by: anna)
        try await author.read(to: last)
        #expect(author.asides.isEmpty)
        let seen = try await member(world, conversation, berta, seenBy: anna)
        #expect(seen.read == nil && seen.delivered == nil)
        // Only one of the two.
        _ = try await world.chat.save(ChatSettings(read: false, delivered: true, typing: true), of: berta)
        _ = try await read(world, conversation, last, by: berta)
        let arrived = try await asides(&author, 1)
        #expect(arrived == [ChatAside(type: .receipt, by: berta.account.id, read: nil, delivered: last)])
        #expect(try await world.chat.settings(of: berta) == ChatSettings(read: false, delivered: true, typing: true))
    }

    @Test("Who is blocked learns nothing of receipts and writing in a group that is shared")
    func blocked() async throws {
        let world = try await ChatWorld()
        let people = try await world.members(3)
        let group = try await world.group(people)
        var readers = people.map { ChatReader(group, $0) }
        for index in readers.indices { try await readers[index].open(world) }
        try await world.block(people[1], people[2])
        let message = try await world.send("hello", in: group, by: people[0])
        _ = try await read(world, group, message, by: people[2])
        try await world.chat.typing(.init(conversation: group), by: people[2])
        #expect(try await asides(&readers[0], 2).map(\.by) == [people[2].account.id, people[2].account.id])
        try await readers[1].read(to: message)
        try await readers[1].read()
        #expect(readers[1].asides.isEmpty)
    }

    @Test("Writing is told at most every two seconds, from who has the conversation open, and to nobody else")
    func typing() async throws {
        let world = try await ChatWorld()
        let (anna, berta, conversation) = try await world.pair()
        var (author, writer) = (ChatReader(conversation, anna), ChatReader(conversation, berta))
        try await author.open(world)
        for conversation in [conversation, .max] {
            let refused = await refusal(.conflict) {
                try await world.chat.typing(.init(conversation: conversation), by: berta)
            }
            #expect(refused?.message.contains("chat/\(conversation)") == true)
        }
        try await writer.open(world)
        for _ in 0..<5 { try await world.chat.typing(.init(conversation: conversation), by: berta) }
        world.clock.advance(bySeconds: 1.9)
        try await world.chat.typing(.init(conversation: conversation), by: berta)
        #expect(try await asides(&author, 1).count == 1)
        world.clock.advance(bySeconds: 0.2)
        try await world.chat.typing(.init(conversation: conversation), by: berta)
        let last = try await world.send("there", in: conversation, by: berta)
        try await author.read(to: last)
        #expect(author.asides == Array(repeating: ChatAside(type: .typing, by: berta.account.id), count: 2))
        try await writer.read()
        #expect(writer.asides.isEmpty)
    }

    @Test("Muting is one's own, for a while or for good, and others are not told")
    func mute() async throws {
        let world = try await ChatWorld()
        let (anna, berta, conversation) = try await world.pair()
        var other = ChatReader(conversation, anna)
        try await other.open(world)
        try await other.listen(world)
        func mute(_ seconds: Double?) async throws -> Timestamp? {
            try await world.chat.mute(.init(conversation: conversation, seconds: seconds), by: berta).mutedUntil
        }
        let until = world.clock.now.advanced(bySeconds: 3_600)
        #expect(try await mute(3_600) == until)
        #expect(try await world.listed(conversation, of: berta)?.mutedUntil == until)
        world.clock.advance(bySeconds: 3_600)
        #expect(try await world.listed(conversation, of: berta)?.mutedUntil == nil)
        let forGood = try await mute(nil)
        world.clock.advance(bySeconds: 86_400 * 365)
        #expect(try await world.listed(conversation, of: berta)?.mutedUntil == forGood)
        #expect(try await mute(0) == nil)
        #expect(try await world.listed(conversation, of: berta)?.mutedUntil == nil)
        for seconds in [-1, 31_536_001, .infinity, .nan] {
            #expect(await refusal(.invalidParams) { try await mute(seconds) } != nil)
        }
        try await other.read()
        #expect(other.signals.isEmpty && other.asides.isEmpty)
        let stranger = try await world.member()
        #expect(
            await refusal(.notFound) {
                try await world.chat.mute(.init(conversation: conversation, seconds: 1), by: stranger)
            } != nil)
    }
}
